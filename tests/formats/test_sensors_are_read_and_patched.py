"""Sensors of the robot itself and those within Gazebo's extensions: one model, edits that leave the
rest alone."""

from __future__ import annotations

import difflib
import math
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from editor_app.core.formats.urdf.patch import patch_urdf, urdf_text
from editor_app.core.formats.urdf.reader import UrdfSource, read_urdf
from editor_app.core.formats.urdf.sensors import list_sensors, with_sensor
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.sensors import (
    OPENRAVE_TYPES,
    Camera,
    Imu,
    Ray,
    Scan,
    Sensor,
    SensorKind,
    StereoEye,
)
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import DEEP, examples
from tests.helpers.robots import example_urdfs

TEXT = """<robot name="r">
  <link name="base"/>
  <link name="head"/>
  <joint name="neck" type="fixed">
    <parent link="base"/>
    <child link="head"/>
  </joint>
  <!-- the eye -->
  <sensor name="eye" update_rate="20">
    <parent link="head"/>
    <origin xyz="0.1  0 0"   rpy="0 0 0"/>
    <camera>
      <!-- of the data sheet -->
      <image width="640" height="480" hfov="1.5708" format="RGB8" near="0.01" far="50.0"/>
    </camera>
    <topic>/eye</topic>
  </sensor>
  <sensor name="scan" type="ray"><parent link="base"/>
    <ray><horizontal samples="100" resolution="1" min_angle="-1.5708" max_angle="1.5708"/></ray></sensor>
  <gazebo reference="head">
    <material>Gazebo/Black</material>
    <sensor name="deep" type="depth">
      <update_rate>16</update_rate>
      <pose>0 0.5 0   0 0 0</pose>
      <camera name="c">
        <horizontal_fov>2.094</horizontal_fov>
        <image>
          <width>928.0</width>
          <height>800</height>
        </image>
        <clip>
          <near>0.1</near>
          <far>5</far>
        </clip>
      </camera>
      <plugin name="p" filename="lib.so"><a>1</a><a>2</a></plugin>
    </sensor>
  </gazebo>
  <gazebo reference="neck">
    <sensor name="force" type="force_torque"/>
  </gazebo>
  <gazebo reference="base"><sensor:ray name="old"><rayCount>640</rayCount></sensor:ray></gazebo>
</robot>
"""


def read(text: str = TEXT) -> UrdfSource:
    return read_urdf(SourceText.from_text(text))


def changed_lines(old: str, new: str) -> list[str]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def edited(source: UrdfSource, sensor: str, /, **changes: object) -> tuple[list[str], Urdf]:
    placed = next(s for s in list_sensors(source.value) if s.sensor.name == sensor)
    urdf = with_sensor(source.value, placed.place, replace(placed.sensor, **changes))  # type: ignore[arg-type]
    patch = patch_urdf(source, urdf)
    return changed_lines(source.source.text, patch.text), patch.written.value


def test_both_dialects_come_into_one_model() -> None:
    eye, scan, deep, force, old = list_sensors(read().value)
    assert eye.sensor == Sensor(
        "eye",
        parent="head",
        origin=Origin((0.1, 0.0, 0.0)),
        update_rate=20.0,
        camera=Camera(640, 480, format="RGB8", hfov=1.5708, near=0.01, far=50.0),
        parameters=FrozenDict({"topic": "/eye"}),
    )
    assert eye.sensor.kind is SensorKind.CAMERA
    assert eye.looks_along_z
    assert scan.sensor.ray == Ray(Scan(100, 1.0, -1.5708, 1.5708))
    assert scan.sensor.kind is SensorKind.LASER_2D
    assert deep.sensor.parent == "head"
    assert deep.sensor.kind is SensorKind.DEPTH_CAMERA
    assert not deep.looks_along_z
    assert deep.sensor.camera == Camera(928, 800, hfov=2.094, near=0.1, far=5.0)
    assert deep.sensor.origin == Origin((0.0, 0.5, 0.0))
    assert deep.sensor.update_rate == 16.0
    assert deep.sensor.parameters == {
        "camera/@name": "c",
        "plugin/@name": "p",
        "plugin/@filename": "lib.so",
        "plugin/a": "1",
        "plugin/a[2]": "2",
    }
    assert (force.sensor.parent, force.sensor.joint) == ("head", "neck")
    assert force.sensor.kind is SensorKind.FORCE_TORQUE
    assert old.sensor.type == "ray"
    assert old.sensor.parameters == {"rayCount": "640"}


def test_an_edit_touches_its_own_value_alone() -> None:
    source = read()
    assert edited(source, "eye", origin=Origin((0.1, 0.0, 0.25)))[0] == [
        '-    <origin xyz="0.1  0 0"   rpy="0 0 0"/>',
        '+    <origin xyz="0.1  0 0.25"   rpy="0 0 0"/>',
    ]
    assert edited(source, "deep", update_rate=20.0)[0] == [
        "-      <update_rate>16</update_rate>",
        "+      <update_rate>20</update_rate>",
    ]
    assert edited(source, "deep", camera=Camera(928, 800, hfov=2.094, near=0.1, far=7.5))[0] == [
        "-          <far>5</far>",
        "+          <far>7.5</far>",
    ]
    assert edited(source, "deep", origin=Origin((0.0, 0.5, 1.0)))[0] == [
        "-      <pose>0 0.5 0   0 0 0</pose>",
        "+      <pose>0 0.5 1   0 0 0</pose>",
    ]


def test_what_is_missing_is_added_and_what_is_empty_goes() -> None:
    source = read()
    lines, _ = edited(source, "deep", camera=Camera(928, 800, hfov=2.094))
    assert [line.strip("- ") for line in lines] == [
        "<clip>",
        "<near>0.1</near>",
        "<far>5</far>",
        "</clip>",
    ]
    lines, urdf = edited(source, "force", update_rate=100.0)
    assert lines == [
        '-    <sensor name="force" type="force_torque"/>',
        '+    <sensor name="force" type="force_torque">',
        "+      <update_rate>100</update_rate>",
        "+    </sensor>",
    ]
    assert list_sensors(urdf)[3].sensor.update_rate == 100.0
    lines, urdf = edited(source, "scan", ray=Ray(Scan(100, 1.0, -1.5708, 1.5708), max_range=4.0))
    assert len(lines) == 2
    assert lines[1].endswith('<range max="4"/></ray></sensor>')


def test_sensors_come_and_go() -> None:
    source = read()
    new = Sensor("imu", "base_imu", "base", measurement_time=0.01, imu=Imu((1.0,) * 9))
    patch = patch_urdf(source, replace(source.value, sensors=(*source.value.sensors, new)))
    lines = changed_lines(TEXT, patch.text)
    assert all(line[0] == "+" for line in lines)
    assert lines[0] == '+  <sensor name="imu" type="base_imu" ' + ('measurement_time="0.01">')
    assert patch.written.value.sensors[-1] == new
    for placed in list_sensors(source.value):
        gone = patch_urdf(source, with_sensor(source.value, placed.place, None))
        assert [s.sensor.name for s in list_sensors(gone.written.value)] == [
            s.sensor.name for s in list_sensors(source.value) if s.place != placed.place
        ]
        assert all(line[0] == "-" or "gazebo" in line for line in changed_lines(TEXT, gone.text))


def test_a_new_name_stays_in_its_place() -> None:
    lines, _ = edited(read(), "eye", name="left eye")
    assert lines == [
        '-  <sensor name="eye" update_rate="20">',
        '+  <sensor name="left eye" update_rate="20">',
    ]


def test_what_cannot_be_written_is_refused() -> None:
    source = read()
    with pytest.raises(ValueError, match="Gazebo cannot store"):
        edited(source, "deep", measurement_time=0.1)
    with pytest.raises(ValueError, match="quaternion"):
        edited(source, "deep", origin=Origin(quat_xyzw=(0.0, 0.0, 1.0, 0.0)))
    turned = read(
        TEXT.replace("<pose>", '<pose degrees="true">').replace("0 0 0</pose>", "0 0 90</pose>")
    )
    assert list_sensors(turned.value)[2].sensor.origin.rpy[2] == math.radians(90)
    with pytest.raises(ValueError, match="edit it in the text"):
        edited(turned, "deep", origin=Origin())


def test_faults_are_found_where_they_stand() -> None:
    text = TEXT.replace('<parent link="head"/>\n    <origin', '<parent link="haed"/>\n    <origin')
    source = read(text.replace('width="640"', 'width="wide"'))
    faults = [
        (f.code, f.location.line if f.location else None)
        for f in source.findings
        if f.code >= "URDF056"
    ]
    assert ("URDF056", 9) in faults
    assert ("URDF057", 9) in faults
    # What could not be read stays, until it gets a value.
    eye = source.value.sensors[0]
    assert eye.camera is not None
    assert eye.camera.width is None
    urdf = replace(source.value, sensors=(replace(eye, update_rate=5.0), source.value.sensors[1]))
    assert 'width="wide"' in patch_urdf(source, urdf).text
    lines, _ = edited(source, "eye", camera=replace(eye.camera, width=320))
    assert len(lines) == 2
    assert 'width="320"' in lines[1]


numbers = st.floats(allow_nan=False, allow_infinity=False)
maybe = st.none() | numbers
counts = st.none() | st.integers(0, 10_000)
words = st.text("abcdefXYZ_ äß<&\"'", min_size=1, max_size=8).map(str.strip).filter(bool)
nine = st.none() | st.tuples(*[numbers] * 9)
scans = st.none() | st.builds(Scan, counts, maybe, maybe, maybe, maybe)
sensors = st.builds(
    Sensor,
    name=words,
    type=st.sampled_from(sorted(OPENRAVE_TYPES) + ["camera", "ray", "imu", ""]),
    parent=st.sampled_from(["base", "head"]),
    origin=st.builds(Origin, st.tuples(*[numbers] * 3), st.tuples(*[numbers] * 3)),
    joint=st.none() | st.just("neck"),
    update_rate=maybe,
    measurement_time=maybe,
    camera=st.none()
    | st.builds(
        Camera,
        counts,
        counts,
        counts,
        st.none() | words,
        maybe,
        maybe,
        maybe,
        st.none() | st.tuples(*[numbers] * 6),
        st.none() | st.lists(numbers, min_size=1, max_size=5).map(tuple),
    ),
    ray=st.none() | st.builds(Ray, scans, scans, maybe, maybe, maybe, maybe),
    imu=st.none() | st.builds(Imu, nine, nine, nine),
    eyes=st.lists(st.builds(StereoEye, words, nine), max_size=2).map(tuple),
    target=st.none() | words,
    interface=st.none() | words,
    plugin=st.none() | words,
    id=st.none() | words,
    parameters=st.dictionaries(st.sampled_from(["topic", "noise/type", "noise/@sigma"]), words).map(
        FrozenDict
    ),
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(sensors, max_size=3, unique_by=lambda s: s.name))
def test_any_sensors_come_back(drawn: list[Sensor]) -> None:
    urdf = replace(read().value, sensors=tuple(drawn), extensions=())
    assert read(urdf_text(urdf)).value.sensors == tuple(drawn)


@settings(max_examples=examples(60), deadline=None)
@given(sensors, sensors)
@example(
    Sensor("one", parent="base", interface="X X"), Sensor("one", parent="base", interface="< <")
)
@example(Sensor("one", parent="base", id="X X"), Sensor("one", parent="base", id="X  X"))
def test_any_edit_means_what_it_says_and_leaves_the_rest(old: Sensor, new: Sensor) -> None:
    source = read(
        urdf_text(
            replace(read().value, sensors=(old, Sensor("other", parent="base")), extensions=())
        )
    )
    patch = patch_urdf(source, replace(source.value, sensors=(new, source.value.sensors[1])))
    assert patch.written.value.sensors == (new, source.value.sensors[1])
    start = source.document.root.child("sensor")
    assert start is not None
    assert patch.text[: start.start] == source.source.text[: start.start]


def test_sensors_of_real_robots_are_edited_by_their_lines() -> None:
    kinds: set[SensorKind] = set()
    for path in (
        p
        for p in example_urdfs()
        if p.name in ("go1.urdf", "talos_reduced.urdf", "tiago_pro.urdf", "icub.urdf")
    ):
        source = read_urdf(SourceText.read(path))
        every = list_sensors(source.value)
        first_of_kind = {
            placed.sensor.kind: placed
            for placed in reversed(every)
            if placed.sensor.kind not in kinds
        }
        for placed in every if DEEP else first_of_kind.values():
            kinds.add(placed.sensor.kind)
            assert source.value.link(placed.link) is not None
            new = replace(placed.sensor, name="another", update_rate=12.5)
            patch = patch_urdf(source, with_sensor(source.value, placed.place, new))
            assert len(changed_lines(source.source.text, patch.text)) <= 4
            assert new in [s.sensor for s in list_sensors(patch.written.value)]
    assert kinds >= {
        SensorKind.DEPTH_CAMERA,
        SensorKind.CAMERA,
        SensorKind.IMU,
        SensorKind.FORCE_TORQUE,
    }
