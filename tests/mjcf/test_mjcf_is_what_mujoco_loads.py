"""MJCF: written anew, or mask and spheres in one that is there; what MuJoCo itself holds of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert
from tests.helpers.clearances import overlapping, random_poses, witnesses
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
TO_MJCF = ConvertOptions(to="mjcf")


def written(conversion: Conversion) -> Path:
    """The file that was asked for, on the disk with its meshes."""
    for path, data in conversion.files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return conversion.files[0][0]


def text_of(conversion: Conversion) -> str:
    return conversion.files[0][1].decode()


def lost(conversion: Conversion) -> dict[str, str]:
    return {e.item: e.detail for report in conversion.reports for e in report.of(Fate.LOST)}


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.xrdf").write_text(XRDF_TEXT)
    return tmp_path / "small.urdf", tmp_path / "small.xrdf"


# -- what MuJoCo itself says


class Loaded:
    def __init__(self, path: Path) -> None:
        self.mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
        self.model = self.mujoco.MjModel.from_xml_path(str(path))
        self.data = self.mujoco.MjData(self.model)

    def touching(self, pose: dict[str, float]) -> set[LinkPair]:
        """The pairs of bodies whose geoms overlap."""
        for name, value in pose.items():
            self.data.joint(name).qpos = value
        self.mujoco.mj_forward(self.model, self.data)
        contacts = [self.data.contact[i] for i in range(self.data.ncon)]
        bodies = [
            [self.model.body(self.model.geom_bodyid[g]).name for g in c.geom]
            for c in contacts
            if c.dist < 0
        ]
        return {LinkPair.of(*pair) for pair in bodies}


def test_a_new_file_has_the_contacts_of_the_mask(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    loaded = Loaded(written(convert(document, tmp_path / "heron.mjcf.xml")))
    poses = [*random_poses(document, 300), *witnesses(document)]
    seen = [overlapping(document, pose) for pose in poses]
    assert sum(map(bool, seen)) > 10
    for pose, pairs in zip(poses, seen, strict=True):
        assert loaded.touching(pose) == pairs


def test_its_frames_masses_and_default_pose_are_those_of_the_robot(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    loaded = Loaded(written(convert(document, tmp_path / "heron.mjcf.xml")))
    loaded.mujoco.mj_resetDataKeyframe(loaded.model, loaded.data, 0)
    loaded.mujoco.mj_forward(loaded.model, loaded.data)
    default = editor_app.default_pose(document)
    for name, value in default.items():
        assert loaded.data.joint(name).qpos[0] == pytest.approx(value, abs=1e-9)
    for pose in [default, *random_poses(document, 20)]:
        loaded.touching(pose)
        poses = editor_app.frame_poses(document, pose)
        root = np.linalg.inv(poses["base_link"])
        for frame, matrix in poses.items():
            body = loaded.data.body(frame)
            assert np.allclose((root @ matrix)[:3, 3], body.xpos, atol=1e-9)
            assert np.allclose((root @ matrix)[:3, :3], np.reshape(body.xmat, (3, 3)), atol=1e-9)
    for link in document.robot.urdf.links:
        if link.inertial is not None:
            assert loaded.model.body(link.name).mass[0] == pytest.approx(link.inertial.mass)
    assert loaded.model.site("grasp_frame") is not None


def test_mask_and_spheres_in_a_file_that_is_there_have_the_same_contacts(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    path = written(convert(document, tmp_path / "heron.mjcf.xml"))
    bare = strip_planning(path.read_text())
    path.write_text(bare)
    assert not Loaded(path).model.nexclude
    options = ConvertOptions.of(to="mjcf", simulator_spheres="collide")
    patched = convert(document, path, options, existing=SourceText.read(path))
    loaded = Loaded(written(patched))
    for pose in [*random_poses(document, 100), *witnesses(document)]:
        assert loaded.touching(pose) == overlapping(document, pose)
    shown = convert(document, path, TO_MJCF, existing=SourceText.read(path))
    assert not any(Loaded(written(shown)).touching(pose) for pose in random_poses(document, 20))


def strip_planning(text: str) -> str:
    lines = [line for line in text.splitlines(keepends=True) if "<exclude " not in line]
    lines = [line for line in lines if '<geom class="planning_spheres"' not in line]
    start = next(i for i, line in enumerate(lines) if '<default class="planning_spheres">' in line)
    return "".join(lines[:start] + lines[start + 3 :])


# -- without MuJoCo

THEIRS = """<!-- A model that somebody tuned. -->
<mujoco model='small'>
\t<compiler angle="radian"/>
\t<default> <default class="steel"><geom rgba=".5 .5 .5 1"/></default> </default>
\t<worldbody>
\t\t<light pos="0 0 3"/>
\t\t<body name="base">
\t\t\t<geom size="0.1"/> <!-- by hand -->
\t\t\t<body name="upper" pos="0 0 .10"><joint axis="0 0 1" name="j1"/><geom size="0.05"/>
\t\t\t\t<body name="fore" pos="0 0 0.3"><joint name="j2" axis="0 1 0"/><geom size="0.05" pos="0 0 .1"/></body>
\t\t\t</body>
\t\t</body>
\t</worldbody>
\t<contact><exclude body1="base" body2="fore"/></contact>
\t<actuator><motor joint="j1"/></actuator>
</mujoco>
"""
BALLS = """format: xrdf
format_version: 1.0
cspace: {joint_names: [j1], acceleration_limits: [1.0], jerk_limits: [1.0]}
collision: {geometry: balls}
self_collision:
  geometry: balls
  ignore: {base: [upper, fore], upper: [hand], fore: [hand]}
geometry:
  balls:
    spheres:
      base: [{center: [0, 0, 0], radius: 0.1}]
      upper: [{center: [0, 0, 0], radius: 0.03}]
      fore: [{center: [0, 0, 0], radius: 0.03}]
      hand: [{center: [0, 0, 0.1], radius: 0.05}, {center: [0, 0, 0], radius: -1.0}]
      finger_a: [{center: [0, 0, 0], radius: 0.01}]
"""


@pytest.fixture
def theirs(small: tuple[Path, Path], tmp_path: Path) -> tuple[list[Path], Path]:
    small[1].write_text(BALLS)
    (tmp_path / "theirs.xml").write_text(THEIRS)
    return list(small), tmp_path / "theirs.xml"


def test_every_other_byte_of_a_file_that_is_there_stays(theirs: tuple[list[Path], Path]) -> None:
    inputs, file = theirs
    conversion = convert(inputs, file, TO_MJCF, existing=SourceText.read(file))
    text = text_of(conversion)
    letters = iter(text)
    assert all(letter in letters for letter in THEIRS)
    removed = text
    for piece in ours_in(text):
        removed = removed.replace(piece, "", 1)
    assert "".join(removed.split()) == "".join(THEIRS.split())
    # hand is part of the body that fore is, by a joint that is fixed.
    assert '<geom class="planning_spheres" pos="0 0 0.4" size="0.05"/>' in text
    assert 'body1="base" body2="upper"' in text
    assert text.count('body1="base" body2="fore"') == 1
    # upper and fore are checked, though upper and hand are not: one body cannot say both.
    assert 'body2="upper"' in text
    assert 'body1="fore" body2="upper"' not in text
    told = lost(conversion)
    assert "hand and upper" in told["self_collision.ignore"]
    assert "finger_a" in " ".join(told)
    Loaded(written(conversion))


@pytest.mark.parametrize(
    "place", ['pos="0 0.1 0"', 'pos="0 0 .10" quat="1 0 1 0"', 'pos="0 0 .10" axisangle="0 0 1 1"']
)
def test_spheres_do_not_go_onto_bodies_with_other_frames(
    theirs: tuple[list[Path], Path], place: str
) -> None:
    """As in models that were made by hand: the names of the links, in axes of their own."""
    inputs, file = theirs
    file.write_text(THEIRS.replace('pos="0 0 .10"', place, 1))
    conversion = convert(inputs, file, TO_MJCF, existing=SourceText.read(file))
    assert "planning_spheres" not in text_of(conversion)
    assert 'name="masked: base upper"' in text_of(conversion)
    assert "the frame of upper differs" in lost(conversion)["geometry"]


def ours_in(text: str) -> list[str]:
    klass = re.findall(r'<default class="planning_spheres">.*?</default>', text, re.DOTALL)
    geoms = re.findall(r'<geom class="planning_spheres"[^>]*/>', text)
    return [*klass, *geoms, *re.findall(r'<exclude name="masked:[^>]*/>', text)]


def test_a_second_time_changes_nothing_and_an_edit_its_own_lines(
    theirs: tuple[list[Path], Path],
) -> None:
    inputs, file = theirs
    first = convert(inputs, file, TO_MJCF, existing=SourceText.read(file)).files[0][1]
    file.write_bytes(first)
    assert convert(inputs, file, TO_MJCF, existing=SourceText.read(file)).files[0][1] == first
    inputs[1].write_text(BALLS.replace("radius: 0.1}", "radius: 0.2}"))
    edited = text_of(convert(inputs, file, TO_MJCF, existing=SourceText.read(file)))
    changed = [
        (a, b)
        for a, b in zip(first.decode().splitlines(), edited.splitlines(), strict=True)
        if a != b
    ]
    assert len(changed) == 1
    assert 'size="0.2"' in changed[0][1]
    inputs[1].write_text("format: xrdf\nformat_version: 1.0\n")
    without = text_of(convert(inputs, file, TO_MJCF, existing=SourceText.read(file)))
    assert not ours_in(without)
    assert 'body1="base" body2="fore"' in without


def test_what_mujoco_cannot_say_is_told(small: tuple[Path, Path], tmp_path: Path) -> None:
    conversion = convert(small, tmp_path / "small.mjcf.xml")
    told = lost(conversion)
    assert "cspace" in told
    entries = [str(entry) for report in conversion.reports for entry in report.entries]
    assert any(entry.startswith("invented: mass of") for entry in entries)
    assert any("equality" in entry for entry in entries)
    Loaded(written(conversion))


ODD = """<robot name="odd"><link name="world"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></collision>
<collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<link name="b"/><link name="c"/>
<joint name="to_a" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 0"/>
<limit lower="0" upper="0" effort="0" velocity="1"/></joint>
<joint name="to_b" type="floating"><parent link="a"/><child link="b"/></joint>
<joint name="to_c" type="fixed"><parent link="world"/><child link="c"/></joint></robot>
"""


def test_odd_robots_are_written_so_that_it_loads_them(tmp_path: Path) -> None:
    (tmp_path / "odd.urdf").write_text(ODD)
    conversion = convert([tmp_path / "odd.urdf"], tmp_path / "odd.mjcf.xml")
    told = lost(conversion)
    assert {"inertia of a", "joint to_b", "limits of to_a"} <= set(told)
    assert 'size="0.5 1 1.5"' in text_of(conversion)
    assert Loaded(written(conversion)).model.body("a").mass == 1.0, (
        "no body has its inertia, but its mass is right"
    )


def test_another_file_is_no_mjcf(small: tuple[Path, Path]) -> None:
    out = small[0].with_name("other.xml")
    out.write_bytes(small[0].read_bytes())
    with pytest.raises(FormatError, match="not an MJCF"):
        convert([small[0]], out, TO_MJCF, existing=SourceText.read(out))


def test_its_texts_need_no_more_than_the_files_say(
    small: tuple[Path, Path], tmp_path: Path
) -> None:
    document = Document(read_urdf(SourceText.read(small[0])), read_xrdf(SourceText.read(small[1])))
    conversion: Any = convert(document, tmp_path / "small.mjcf.xml")
    assert text_of(conversion).startswith('<?xml version="1.0"?>\n<mujoco model="small">')
