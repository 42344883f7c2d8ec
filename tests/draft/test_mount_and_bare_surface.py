"""The plane that a robot stands on, and how much of a link its collision shapes leave bare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editor_app import check, open_robot
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.urdf import Ball, Box
from editor_app.core.space.geometry import distance
from editor_app.core.space.geometry.distance import PARTIAL, bare_share, kept_bare_share
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry, merge_parts
from editor_app.core.space.geometry.mesh import build_primitive
from editor_app.core.space.geometry.mount import Mount, mount_of_files
from editor_app.core.text.source import SourceText
from tests.helpers.robots import example_urdfs

URDF = """<robot name="r">
  <link name="world"/>
  <link name="foot"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="cover"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="arm"><collision><geometry><box size="0.05 0.05 0.3"/></geometry></collision></link>
  <joint name="stand" type="fixed"><parent link="world"/><child link="foot"/>
    <origin xyz="0 0 0.4" rpy="{turn} 0 0"/></joint>
  <joint name="lid" type="fixed"><parent link="foot"/><child link="cover"/><origin xyz="0 0 0.2"/></joint>
  <joint name="j" type="revolute"><parent link="foot"/><child link="arm"/><origin xyz="0 0 {joint}"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


def mount(
    tmp_path: Path, turn: float = 0.0, joint: float = 0.1, aside: float = 0.0
) -> Mount | None:
    path = tmp_path / "r.urdf"
    path.write_text(
        URDF.format(turn=turn, joint=joint).replace(f"0 0 {joint}", f"0 {aside} {joint}")
    )
    return mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))


def test_plane_lies_at_the_lowest_face_in_the_frame_of_the_link(tmp_path: Path) -> None:
    mounting = mount(tmp_path)
    assert mounting is not None
    assert mounting.link == "foot"
    assert mounting.height == pytest.approx(0.4)
    # The cover is of the base, too, but does not stand on the plane.
    assert [plane.link for plane in mounting.planes] == ["foot"]
    plane = mounting.plane("foot")
    assert plane is not None
    assert plane.point == pytest.approx((0, 0, 0))
    assert plane.normal == pytest.approx((0, 0, 1))


def test_plane_follows_a_base_that_is_turned(tmp_path: Path) -> None:
    mounting = mount(tmp_path, turn=np.pi / 2, joint=0.06, aside=0.15)
    assert mounting is not None
    plane = mounting.plane("foot")
    assert plane is not None
    assert mounting.height == pytest.approx(0.3)
    # z of the world is -z... y of the link after a quarter turn about x.
    assert plane.normal == pytest.approx((0, 1, 0))
    assert plane.point == pytest.approx((0, -0.1, 0))


@pytest.mark.parametrize(
    ("size", "stands"), [("0.2 0.2 0.02", False), ("4 0.05 0.05", False), ("0.6 0.2 0.1", True)]
)
def test_plates_and_rails_get_no_plane(tmp_path: Path, size: str, stands: bool) -> None:
    """Spheres that cover a plate from above its lower face alone are larger than the robot."""
    height = float(size.split()[2])
    text = (
        URDF.replace("0.2 0.2 0.1", size)
        .replace("0 0 0.05", "0 0 0")
        .format(turn=0, joint=height / 2)
    )
    path = tmp_path / "r.urdf"
    path.write_text(text)
    mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
    assert (mounting is not None) == stands
    # Another link that stands on the same floor keeps its plane.
    foot = f'<link name="cover"><collision><origin xyz="0 0 {0.05 - height / 2 - 0.2}"/>'
    path.write_text(text.replace('<link name="cover"><collision>', foot))
    mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
    assert mounting is not None
    assert [plane.link for plane in mounting.planes] == (["foot", "cover"] if stands else ["cover"])
    assert mounting.link == ("foot" if stands else "cover")


def test_what_is_only_seen_carries_nothing_where_the_base_has_collision_shapes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "r.urdf"
    marker = (
        '<link name="world"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>'
    )
    path.write_text(URDF.format(turn=0, joint=0.1).replace('<link name="world"/>', marker))
    mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
    assert mounting is not None
    assert mounting.link == "foot"
    assert mounting.height == pytest.approx(0.4)


def test_fixed_wheels_carry_a_robot(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(turn=0, joint=0.1).replace('"cover"', '"rear_wheel"'))
    assert mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path)) is None


def test_an_only_limb_that_hangs_below_the_base_is_where_the_robot_works(tmp_path: Path) -> None:
    tip = (
        '<link name="tip"/><joint name="k" type="revolute"><parent link="arm"/><child link="tip"/>'
    )
    tip += (
        '<origin xyz="0 0 {0}"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/></joint></robot>'
    )
    path = tmp_path / "r.urdf"
    for reach, stands in ((-0.5, False), (-0.1, True), (0.5, True)):
        path.write_text(URDF.format(turn=0, joint=0.1).replace("</robot>", tip.format(reach)))
        mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
        assert (mounting is not None) == stands


def test_what_hangs_below_its_base_stands_on_nothing(tmp_path: Path) -> None:
    assert mount(tmp_path, joint=-0.2) is None


HAND = """<robot name="hand">
  <link name="palm"><collision><geometry><box size="0.08 0.1 0.08"/></geometry></collision></link>
  <link name="left"><collision><origin xyz="{out}"/><geometry><box size="{size}"/></geometry></collision></link>
  <link name="right"><collision><origin xyz="{out}"/><geometry><box size="{size}"/></geometry></collision></link>
  <joint name="l" type="{kind}"><parent link="palm"/><child link="left"/><origin xyz="{left}"/><axis xyz="{axis}"/>
    <limit lower="0" upper="0.03" effort="1" velocity="1"/></joint>
  <joint name="r" type="{kind}"><parent link="palm"/><child link="right"/><origin xyz="{right}"/><axis xyz="{axis}"/>
    <limit lower="0" upper="0.03" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.mark.parametrize(
    ("left", "right", "out", "stands"),
    [
        ("0.05 0.03 0", "0.05 -0.03 0", "0.03 0 0", False),
        ("-0.05 0.03 0", "-0.05 -0.03 0", "-0.03 0 0", False),
        # Fingers that open along z lie above and below the middle.
        ("0 0.06 0.03", "0 0.06 -0.03", "0 0.03 0", False),
        # A palm whose frame is near its top.
        ("0.05 0.03 0.03", "0.05 -0.03 0.03", "0.03 0 0", False),
        ("0 0.03 0.04", "0 -0.03 0.04", "0 0 0.03", True),
        # Down from the palm.
        ("0 0.03 -0.05", "0 -0.03 -0.05", "0 0 -0.03", False),
    ],
)
@pytest.mark.parametrize(("kind", "axis"), [("prismatic", "0 1 0"), ("revolute", "0 0 1")])
def test_a_hand_has_a_floor_only_below_fingers_that_rise(
    tmp_path: Path, left: str, right: str, out: str, stands: bool, kind: str, axis: str
) -> None:
    path = tmp_path / "hand.urdf"
    size = "0.02 0.02 0.06" if out.startswith("0 0 ") else "0.06 0.02 0.02"
    path.write_text(HAND.format(left=left, right=right, out=out, size=size, kind=kind, axis=axis))
    mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
    assert (mounting is not None) == stands
    if mounting is not None:
        assert mounting.height == pytest.approx(-0.04)


def test_an_arm_that_lies_flat_and_a_carriage_on_a_column_stand_on_their_base(
    tmp_path: Path,
) -> None:
    body = '<collision><origin xyz="{0}"/><geometry><box size="{1}"/></geometry></collision>'
    robots = {
        # The joint in the plane of the mount, as makers of industrial arms have it, and all links
        # level.
        "flat": (
            body.format("0 0 0.1", "0.2 0.2 0.2"),
            "revolute",
            "0 0 0",
            body.format("0.5 0 0.25", "1 0.1 0.1"),
        ),
        "column": (
            body.format("0 0 0.75", "0.2 0.2 1.5"),
            "prismatic",
            "0.15 0 0.2",
            body.format("0.3 0 0", "0.6 0.1 0.1"),
        ),
    }
    for name, (base, kind, origin, arm) in robots.items():
        path = tmp_path / f"{name}.urdf"
        path.write_text(
            f'<robot name="{name}"><link name="base">{base}</link><link '
            f'name="arm">{arm}</link><link name="tip"/>'
            f'<joint name="j" type="{kind}"><parent link="base"/><child link="arm"/><origin '
            f'xyz="{origin}"/>'
            '<axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint><joint '
            'name="k" '
            'type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0.6 0 0.1"/>'
            '<limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>'
        )
        mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
        assert mounting is not None, name
        assert mounting.height == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("stem", "height"),
    [
        ("panda", 0.0),
        ("ur10_robot", 0.0),
        ("xarm7", 0.0),
        ("baxter", -0.9242),
        ("a1", None),
        # Its finger hangs from a stand, above the table.
        ("finger_edu", None),
        # Its wheels are fixed, and its lowest shape is the marker of the footprint.
        ("pr2", None),
        ("talos_left_arm", None),
        ("tiago", None),
        ("g1_29dof_rev_1_0", None),
    ],
)
def test_mount_of_real_robots(stem: str, height: float | None) -> None:
    path = next(p for p in example_urdfs() if p.stem == stem)
    mounting = mount_of_files(read_urdf(SourceText.read(path)).value, MeshStore(path))
    assert (None if mounting is None else mounting.height) == (
        None if height is None else pytest.approx(height, abs=2e-4)
    )


def mesh_of(shape: Box | Ball) -> tuple[np.ndarray, np.ndarray]:
    return merge_parts(build_primitive(shape).parts)


def test_bare_share_is_what_lies_outside() -> None:
    box = mesh_of(Box((0.2, 0.1, 0.1)))
    assert bare_share(box, box) == 0
    assert bare_share(box, mesh_of(Box((0.3, 0.2, 0.2)))) == 0, "a larger shape covers, too"
    vertices, faces = mesh_of(Box((0.1, 0.1, 0.1)))
    half = (vertices - (0.05, 0, 0), faces)
    # One end (0.01) and half of the sides (0.04) of 0.1 m², less what is near.
    assert 0.38 < bare_share(box, half) < 0.5
    assert bare_share(box, mesh_of(Ball(0.005))) > 0.9


def test_what_was_compared_once_comes_from_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path))
    box, ball = mesh_of(Box((0.2, 0.1, 0.1))), mesh_of(Ball(0.005))
    share = kept_bare_share(box, ball)
    assert share == bare_share(box, ball) > 0.9
    monkeypatch.setattr(distance, "bare_share", lambda *_: 0.125)
    assert kept_bare_share(box, ball) == share
    assert kept_bare_share(ball, box) == 0.125, "other shapes are compared"
    assert kept_bare_share((box[0] * 2.0, box[1]), ball) == 0.125
    for path in (tmp_path / "meshes").iterdir():
        path.write_bytes(b"damaged")
    assert kept_bare_share(box, ball) == 0.125


def test_feet_of_a_humanoid_are_bare_and_those_of_an_arm_are_not() -> None:
    def share(stem: str, link: str) -> float:
        path = next(p for p in example_urdfs() if p.stem == stem)
        urdf, store = read_urdf(SourceText.read(path)).value, MeshStore(path)
        shapes = [
            merge_parts(link_geometry(urdf, path, link, kind, store=store).parts)
            for kind in ("visual", "collision")
        ]
        return bare_share(shapes[0], shapes[1])

    assert share("g1_29dof_rev_1_0", "left_ankle_roll_link") > 0.8
    assert share("g1_29dof_rev_1_0", "left_shoulder_pitch_link") > PARTIAL
    assert share("panda", "panda_link5") < 0.05


def test_a_base_that_is_fitted_to_what_is_seen_of_it_stands_on_that(tmp_path: Path) -> None:
    """A shape to collide with that leaves the base bare, as a small block in its middle, is not
    what it stands on."""
    urdf, xrdf = tmp_path / "r.urdf", tmp_path / "r.xrdf"
    box = '<{0}><geometry><box size="{1} {1} {1}"/></geometry></{0}>'
    foot = box.format("visual", 0.2) + box.format("collision", 0.02)
    joint = (
        '<parent link="foot"/><child link="arm"/><limit lower="-1" upper="1" effort="1" '
        'velocity="1"/>'
    )
    urdf.write_text(
        f'<robot name="r"><link name="foot">{foot}</link><link '
        f'name="arm">{box.format("collision", 0.1)}</link>'
        f'<joint name="j" type="revolute"><origin xyz="0 0 0.3"/>{joint}</joint></robot>'
    )
    xrdf.write_text(
        "format: xrdf\nformat_version: 1.0\ndefault_joint_positions: {j: 0.0}\n"
        "cspace: {joint_names: [j], acceleration_limits: [1.0], jerk_limits: [1.0]}\n"
        "collision: {geometry: all}\nself_collision: {geometry: all}\n"
        "geometry:\n  all:\n    spheres:\n      foot: [{center: [0, 0, 0], radius: 0.1}]\n"
        "      arm: [{center: [0, 0, 0], radius: 0.09}]\n"
    )

    def below() -> list[str]:
        return [f.message for f in check(open_robot(urdf, xrdf), slow=True) if f.code == "XRDF313"]

    assert below() == []
    xrdf.write_text(xrdf.read_text().replace("radius: 0.1}", "radius: 0.12}"))
    (message,) = below()
    assert "up to 20.0 mm" in message
