"""Limits, speeds, locks of COLLADA robots are read where they stand as parameters, as OpenRAVE
writes all of them."""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Urdf
from editor_app.core.model.xrdf import CSpace, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.write import collada_files
from tests.helpers.robots import report_of, stated_of, text_of, urdf_of
from tests.helpers.urdfdom import assert_urdfdom_takes

#: Values of an axis that the kinematics has, and those that the motion has.
KINEMATIC, MOTION = (
    ("active", "locked", "positionmin", "positionmax"),
    ("speed", "acceleration", "jerk"),
)


class Where(StrEnum):
    """Where a parameter has its value."""

    #: In the axis itself, as OpenRAVE writes.
    AXIS = "newparam of the axis"
    #: In the axis, by way of a second parameter.
    CHAIN = "a parameter that names a parameter"
    #: In the articulated system around it.
    SYSTEM = "newparam of the instance in the system"
    #: The axis has a wrong one; the instance sets it.
    SET = "setparam of the instance"
    #: The axis has a wrong one; the instance binds it to a parameter of its own.
    BIND = "bind of the instance"
    #: By the address of another element.
    ADDRESS = "SIDREF to another axis' parameter"
    LITERAL = "literal"


@dataclass(frozen=True)
class Axis:
    """Angles in degrees, lengths in metres; None is not written."""

    name: str
    kind: str = "revolute"
    active: bool = True
    locked: bool = False
    positionmin: float | None = -90.0
    positionmax: float | None = 90.0
    speed: float | None = 30.0
    acceleration: float | None = 60.0
    jerk: float | None = None

    def values(self, keys: Sequence[str]) -> dict[str, str]:
        fields = {key: getattr(self, key) for key in keys}
        return {
            k: str(v).lower() if isinstance(v, bool) else repr(v)
            for k, v in fields.items()
            if v is not None
        }


@dataclass(frozen=True)
class _System:
    """Pieces of one articulated system: its axis_infos, and what stands in the instance that leads
    to it."""

    infos: str
    inside: str
    outside: str


def openrave_robot(
    axes: Sequence[Axis],
    where: Where = Where.AXIS,
    tool: str = "OpenRAVE Collada Writer v0.3.5",
    motion_extra: Mapping[str, str] | None = None,
) -> str:
    """A chain base - link1 - link2 …, each 0.1 m above the other."""
    joints = "".join(
        f'<joint name="{a.name}" sid="joint{i}"><{a.kind} sid="axis0"><axis>0 0 '
        f"1</axis></{a.kind}></joint>"
        for i, a in enumerate(axes)
    )
    links = ""
    for i in reversed(range(len(axes))):
        links = (
            f'<attachment_full joint="kmodel1/joint{i}"><translate>0 0 0.1</translate>'
            f'<link sid="link{i + 1}" name="link{i + 1}">{links}</link></attachment_full>'
        )
    kinematics = _system(axes, KINEMATIC, where, "kmodel1/joint{}/axis0", "kinfo", {})
    motion = _system(axes, MOTION, where, "robot_kin/kinfo{}", "minfo", motion_extra or {})
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><contributor><authoring_tool>{tool}</authoring_tool></contributor>
<unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_kinematics_models><kinematics_model id="kmodel1" name="arm"><technique_common>{joints}
<link sid="link0" name="base">{links}</link></technique_common></kinematics_model></library_kinematics_models>
<library_articulated_systems>
<articulated_system id="robot_kin" name="arm"><kinematics>
<instance_kinematics_model url="#kmodel1" sid="kmodel1_inst">{kinematics.inside}</instance_kinematics_model>
<technique_common>{kinematics.infos}</technique_common></kinematics></articulated_system>
<articulated_system id="robot_motion" name="arm"><motion>
<instance_articulated_system url="#robot_kin" sid="kin_inst">{kinematics.outside}{motion.inside}
</instance_articulated_system><technique_common>{motion.infos}</technique_common></motion></articulated_system>
</library_articulated_systems>
<library_kinematics_scenes><kinematics_scene id="kscene">
<instance_articulated_system url="#robot_motion" sid="motion_inst" name="arm">{motion.outside}
</instance_articulated_system></kinematics_scene></library_kinematics_scenes>
<scene><instance_kinematics_scene url="#kscene"/></scene>
</COLLADA>
"""


def _system(
    axes: Sequence[Axis],
    keys: Sequence[str],
    where: Where,
    axis: str,
    sid: str,
    extra: Mapping[str, str],
) -> _System:
    infos, inside, outside = [], [], []
    for i, a in enumerate(axes):
        parameters, elements = [], []
        for key, value in a.values(keys).items():
            tag = "bool" if value in ("true", "false") else "float"
            literal = f"<{tag}>{value}</{tag}>"
            wrong = f"<{tag}>{'false' if tag == 'bool' else '12345'}</{tag}>"
            reference = key
            if where is Where.CHAIN:
                parameters.append(f'<newparam sid="{key}"><param>{key}_too</param></newparam>')
                parameters.append(f'<newparam sid="{key}_too">{literal}</newparam>')
            elif where is Where.SYSTEM:
                reference = f"{sid}{i}_{key}"
                inside.append(f'<newparam sid="{reference}">{literal}</newparam>')
            elif where is Where.SET:
                parameters.append(f'<newparam sid="{key}">{wrong}</newparam>')
                outside.append(f'<setparam ref="{sid}{i}/{key}">{literal}</setparam>')
            elif where is Where.BIND:
                parameters.append(f'<newparam sid="{key}">{wrong}</newparam>')
                outside.append(f'<newparam sid="{sid}{i}_{key}_own">{literal}</newparam>')
                outside.append(
                    f'<bind symbol="{sid}{i}/{key}"><param ref="{sid}{i}_{key}_own"/></bind>'
                )
            elif where is Where.ADDRESS:
                parameters.append(f'<newparam sid="{key}_too">{literal}</newparam>')
                parameters.append(
                    f'<newparam sid="{key}"><SIDREF>{sid}{i}/{key}_too</SIDREF></newparam>'
                )
            elif where is Where.AXIS:
                parameters.append(f'<newparam sid="{key}">{literal}</newparam>')
            told = literal if where is Where.LITERAL else f"<param>{reference}</param>"
            elements.append((key, told))
        parameters += [
            f'<newparam sid="{k}"><float>{v}</float></newparam>' for k, v in extra.items()
        ]
        infos.append(
            f'<axis_info sid="{sid}{i}" '
            f'axis="{axis.format(i)}">{"".join(parameters)}{_elements(elements)}</axis_info>'
        )
    return _System("".join(infos), "".join(inside), "".join(outside))


def _elements(told: Sequence[tuple[str, str]]) -> str:
    limits = {"positionmin": "min", "positionmax": "max"}
    ends = "".join(f"<{limits[k]}>{v}</{limits[k]}>" for k, v in told if k in limits)
    rest = "".join(f"<{k}>{v}</{k}>" for k, v in told if k not in limits)
    return rest + (f"<limits>{ends}</limits>" if ends else "")


PEERS = Path("/usr/lib/collada_urdf")
AXES = (
    Axis(
        "shoulder",
        positionmin=-170.0,
        positionmax=123.456789012345,
        speed=27.2,
        acceleration=51.5,
        jerk=400.25,
    ),
    Axis(
        "slide",
        "prismatic",
        positionmin=-0.125,
        positionmax=0.75,
        speed=0.3,
        acceleration=1.5,
        jerk=9.0,
    ),
    Axis("held", locked=True, speed=1.0),
    Axis("wheel", positionmin=None, positionmax=None, speed=180.0),
    Axis("idle", active=False, positionmin=-10.0, positionmax=20.0),
)


def read(text: str, folder: Path) -> tuple[RobotFiles, Urdf]:
    path = folder / "robot.dae"
    path.write_text(text, encoding="utf-8")
    collada = read_collada_robot(path)
    return collada, urdf_of(collada)


def joint(urdf: Urdf, name: str) -> Joint:
    named = urdf.joint(name)
    assert named is not None
    return named


def told(collada: RobotFiles, fate: Fate) -> str:
    return "\n".join(str(e) for e in report_of(collada).entries if e.fate is fate)


@pytest.mark.parametrize("where", list(Where))
def test_every_value_is_read_wherever_it_stands(where: Where, tmp_path: Path) -> None:
    collada, urdf = read(openrave_robot(AXES, where), tmp_path)
    for axis in AXES:
        one = joint(urdf, axis.name)
        if axis.locked:
            assert one.type is JointType.FIXED
            continue
        scale = math.radians(1) if axis.kind == "revolute" else 1.0
        assert one.limit is not None
        assert one.limit.velocity == pytest.approx((axis.speed or 0) * scale, rel=1e-14)
        assert stated_of(collada).accelerations[axis.name] == pytest.approx(
            (axis.acceleration or 0) * scale, rel=1e-14
        )
        if axis.jerk is not None:
            assert stated_of(collada).jerks[axis.name] == pytest.approx(
                axis.jerk * scale, rel=1e-14
            )
        if axis.positionmin is None:
            assert one.type is JointType.CONTINUOUS
        else:
            assert one.limit.lower == pytest.approx(axis.positionmin * scale, rel=1e-14)
            assert one.limit.upper == pytest.approx((axis.positionmax or 0) * scale, rel=1e-14)
    assert "idle" in text_of(collada.srdf)
    assert not told(collada, Fate.LOST)


def test_old_writers_tell_speeds_in_radians(tmp_path: Path) -> None:
    axes = (Axis("a", speed=2.5, acceleration=3.5), Axis("b", "prismatic", speed=0.5))
    collada, urdf = read(openrave_robot(axes, tool="URDF Collada Writer"), tmp_path)
    limits = [joint(urdf, n).limit for n in "ab"]
    assert [limit.velocity for limit in limits if limit is not None] == [2.5, 0.5]
    assert stated_of(collada).accelerations["a"] == 3.5


def test_what_a_urdf_needs_and_the_file_does_not_say_is_invented_and_told(tmp_path: Path) -> None:
    axes = (
        Axis("a", speed=None),
        Axis("b", "prismatic", positionmin=None, positionmax=None),
        Axis("c", speed=0.0),
    )
    collada, urdf = read(openrave_robot(axes), tmp_path)
    for name in "ab":
        limit = joint(urdf, name).limit
        assert limit is not None
        assert limit.effort
        assert limit.velocity
        assert limit.lower != limit.upper
    stated = joint(urdf, "c").limit
    assert stated is not None
    assert stated.velocity == 0.0, "a speed of 0 that the file states is a statement"
    words = told(collada, Fate.INVENTED)
    assert "velocity 1, effort 100: the file has no value; a" in words
    assert "lower -10, upper 10, effort 100: the file has no value; b" in words
    assert "c" in words.splitlines()[-1]
    assert "velocity" not in words.splitlines()[-1]
    (tmp_path / "robot.urdf").write_text(text_of(collada.urdf), encoding="utf-8")
    assert_urdfdom_takes(tmp_path / "robot.urdf")


def test_an_invented_speed_is_never_exported_as_one_that_somebody_told(tmp_path: Path) -> None:
    _, urdf = read(openrave_robot((Axis("a", speed=None), Axis("b", speed=25.0))), tmp_path)
    text = exported(urdf, Xrdf(), tmp_path)
    assert text.count("<speed>") == 1
    again, back = read(text, tmp_path)
    assert "velocity" in next(
        e.text for e in back.extensions if 'where="invented" of="a"' in e.text
    )
    assert "velocity 1" in told(again, Fate.INVENTED)
    # Once the user has said a speed, it is told to others.
    said = SourceText.from_text(
        text_of(read_collada_robot(tmp_path / "robot.dae").urdf).replace(
            'velocity="1"', 'velocity="3"'
        )
    )
    assert exported(read_urdf(said).value, Xrdf(), tmp_path).count("<speed>") == 2


def exported(urdf: Urdf, xrdf: Xrdf, folder: Path, *, alone: bool = False) -> str:
    """The text of an export; `alone` without what it says in URDF's own words."""
    (_, data), *_ = collada_files(RobotDescription(urdf, xrdf), folder / "ours.dae")[0]
    text = data.decode()
    return (
        re.sub(r'<extra type="xrdf-editor">.*?</extra>', "", text, flags=re.DOTALL)
        if alone
        else text
    )


def test_round_trips_keep_every_limit(tmp_path: Path) -> None:
    first, urdf = read(openrave_robot(AXES), tmp_path)
    for alone in (False, True):
        accelerations = stated_of(first).accelerations
        names = tuple(accelerations)
        moving = tuple(n for n in names if joint(urdf, n).is_movable)
        jerks = tuple(stated_of(first).jerks.get(n, 77.0) for n in moving)
        xrdf = Xrdf(
            "xrdf", "1.0", cspace=CSpace(moving, tuple(accelerations[n] for n in moving), jerks)
        )
        second, back = read(exported(urdf, xrdf, tmp_path, alone=alone), tmp_path)
        for one in urdf.joints:
            other = joint(back, one.name)
            assert other.type is one.type
            if not one.is_movable:
                continue
            assert one.limit is not None
            assert other.limit is not None
            for key in ("lower", "upper", "velocity"):
                a, b = getattr(one.limit, key), getattr(other.limit, key)
                assert a == b or b == pytest.approx(a, abs=1e-9), (one.name, key)
            assert stated_of(second).accelerations[one.name] == pytest.approx(
                stated_of(first).accelerations[one.name], abs=1e-9
            )
            if one.name in stated_of(first).jerks:
                assert stated_of(second).jerks[one.name] == pytest.approx(
                    stated_of(first).jerks[one.name], abs=1e-9
                )


def test_a_reference_that_leads_nowhere_is_told_with_its_line(tmp_path: Path) -> None:
    text = openrave_robot((Axis("a"), Axis("b"))).replace(
        '<newparam sid="speed">', '<newparam sid="sped">', 1
    )
    collada, urdf = read(text, tmp_path)
    assert "parameter speed" in told(collada, Fate.LOST)
    assert re.search(r"robot\.dae:\d+:\d+", told(collada, Fate.LOST))
    limits = [joint(urdf, n).limit for n in "ab"]
    # The speed of the other axis is none of this one's.
    assert [limit.velocity for limit in limits if limit is not None] == [
        1.0,
        pytest.approx(math.radians(30.0)),
    ]


def test_a_chain_of_references_that_leads_nowhere_is_told_where_it_begins(tmp_path: Path) -> None:
    text = re.sub(
        r'(<newparam sid="speed">).*?(</newparam>)',
        r"\1<SIDREF>elsewhere</SIDREF>\2",
        openrave_robot((Axis("a"),)),
        flags=re.DOTALL,
    )
    collada, _ = read(text, tmp_path)
    line = 1 + text[: text.index("<speed>")].count("\n")
    assert re.search(
        rf"parameter speed: \S+robot\.dae:{line}:\d+: speed refers to it", told(collada, Fate.LOST)
    )


def test_references_in_a_circle_end(tmp_path: Path) -> None:
    text = openrave_robot((Axis("a"),), Where.CHAIN).replace(
        '<newparam sid="speed_too"><float>30.0</float></newparam>',
        '<newparam sid="speed_too"><param>speed</param></newparam>',
    )
    collada, _ = read(text, tmp_path)
    assert "parameter" in told(collada, Fate.LOST)


def test_a_speed_above_what_the_hardware_can_is_cut(tmp_path: Path) -> None:
    collada, urdf = read(
        openrave_robot((Axis("a", speed=30.0),), motion_extra={"hardMaxVel": "10.0"}), tmp_path
    )
    limit = joint(urdf, "a").limit
    assert limit is not None
    assert limit.velocity == pytest.approx(math.radians(10.0))
    assert "speed of joint a" in told(collada, Fate.TRANSLATED)


def test_members_of_an_address_pick_a_number(tmp_path: Path) -> None:
    text = openrave_robot((Axis("a", positionmin=-45.0),)).replace(
        '<newparam sid="positionmin"><float>-45.0</float></newparam>',
        '<newparam sid="positionmin"><SIDREF>node0/turn.ANGLE</SIDREF></newparam>',
    )
    scene = (
        '<library_nodes><node id="node0"><rotate sid="turn">0 0 1 '
        "-45.0</rotate></node></library_nodes>"
    )
    _, urdf = read(text.replace("<scene>", f"{scene}<scene>"), tmp_path)
    limit = joint(urdf, "a").limit
    assert limit is not None
    assert limit.lower == pytest.approx(math.radians(-45))


@pytest.mark.skipif(
    not (PEERS / "collada_to_urdf").exists(), reason="collada-urdf-tools is not installed"
)
def test_fixed_joints_stay_fixed_in_debians_reader(tmp_path: Path) -> None:
    _, urdf = read(openrave_robot(AXES), tmp_path)
    (tmp_path / "ours.dae").write_text(exported(urdf, Xrdf(), tmp_path), encoding="utf-8")
    subprocess.run(
        [PEERS / "collada_to_urdf", "ours.dae"],
        check=True,
        capture_output=True,
        timeout=60,
        cwd=tmp_path,
    )
    peer = read_urdf(SourceText.read(next(tmp_path.glob("*.urdf")))).value
    assert joint(peer, "held").type is JointType.FIXED
    assert [j.name for j in peer.joints if j.type is JointType.FIXED] == ["held"]
