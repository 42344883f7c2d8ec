"""Bodies of a USD stage: mass, what may touch what, and spheres."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.document.opening import open_document
from editor_app.core.space.kinematics.transforms import link_tensor
from editor_app.core.verbs.convert import ConvertOptions, convert
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT
from tests.helpers.usd_stage import Stage, write_stage

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"


@pytest.fixture(scope="module")
def heron(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return write_stage(open_document(SAMPLE), tmp_path_factory.mktemp("usd") / "heron.usda")


def test_masses_and_inertias_are_those_of_the_urdf(heron: Stage) -> None:
    for link in open_document(SAMPLE).robot.urdf.links:
        if link.inertial is None:
            continue
        kilograms, centre, tensor = heron.inertia(link.name)
        wanted = link_tensor(link.inertial)
        assert kilograms == pytest.approx(link.inertial.mass, rel=1e-7)
        assert centre == pytest.approx(link.inertial.origin.xyz, abs=1e-7)
        assert tensor == pytest.approx(wanted, abs=3e-7 * np.abs(wanted).max())
        six = heron.prims[link.name].GetAttribute("newton:inertia").Get()
        assert list(six) == [
            wanted[i, k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        ]


def test_the_inertia_of_a_turned_frame_is_in_the_axes_of_the_body(tmp_path: Path) -> None:
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{inertial}</link></robot>')
    kilograms, centre, tensor = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda").inertia("a")
    assert (kilograms, *centre) == (2, 1, 2, 3)
    assert tensor == pytest.approx(np.diag([2, 1, 2.5]), abs=1e-6)


def test_bodies_without_mass_get_a_small_one_and_impossible_inertias_become_balls(
    tmp_path: Path,
) -> None:
    impossible = (
        '<inertial><mass value="4"/><inertia ixx="-1" iyy="1" izz="1" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    text = URDF_TEXT.replace('<link name="hand"/>', f'<link name="hand">{impossible}</link>')
    (tmp_path / "r.urdf").write_text(text)
    conversion = convert([tmp_path / "r.urdf"], tmp_path / "r.usda")
    told = {str(entry) for report in conversion.reports for entry in report.entries}
    assert any("invented: mass of upper, fore, finger_a, finger_b" in each for each in told)
    assert any("lost: inertia of hand" in each for each in told)
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda")
    assert stage.inertia("upper")[0] == pytest.approx(1e-3)
    assert stage.inertia("hand")[2] == pytest.approx(np.eye(3) * 4e-3)


def test_a_thin_rod_keeps_its_inertia(tmp_path: Path) -> None:
    rod = (
        '<inertial><mass value="1"/><inertia ixx="0" iyy="0.5" izz="0.5" ixy="0" ixz="0" '
        'iyz="0"/></inertial>'
    )
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{rod}</link></robot>')
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda")
    assert stage.inertia("a")[2] == pytest.approx(np.diag([5e-7, 0.5, 0.5]))


def test_the_mask_is_the_filtered_pairs(heron: Stage) -> None:
    section = open_document(SAMPLE).robot.xrdf.self_collision
    assert section is not None
    assert heron.filtered() == {
        frozenset((pair.first, pair.second)) for pair in section.ignored_pairs()
    }


def test_joints_let_their_links_touch_unless_the_pair_is_ignored(tmp_path: Path) -> None:
    ball = "{center: [0, 0, 0], radius: 0.1}"
    spheres = "".join(f"\n      {name}: [{ball}]" for name in ("base", "upper", "fore", "hand"))
    xrdf = (
        "format: xrdf\nformat_version: 1.0\ncspace: {joint_names: [j1]}\n"
        "self_collision: {geometry: g, ignore: {base: [upper], hand: [finger_a]}}\n"
        f"geometry:\n  g:\n    spheres:{spheres}\n"
    )
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    (tmp_path / "r.xrdf").write_text(xrdf)
    stage = write_stage([tmp_path / "r.urdf", tmp_path / "r.xrdf"], tmp_path / "r.usda")
    touching = {
        name for name in stage.joints if stage.value(f"joints/{name}", "physics:collisionEnabled")
    }
    # Of the others, one pair is ignored, and two links have no spheres.
    assert touching == {"j2", "wrist"}
    assert stage.robot.GetAttribute("physxArticulation:enabledSelfCollisions").Get()
    assert stage.robot.GetAttribute("newton:selfCollisionEnabled").Get()


def test_a_urdf_alone_states_no_mask_so_links_do_not_touch_each_other(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda")
    assert stage.robot.GetAttribute("physxArticulation:enabledSelfCollisions").Get() is False
    assert stage.robot.GetAttribute("newton:selfCollisionEnabled").Get() is False


def spheres_of(stage: Stage) -> dict[tuple[str, float, float, float], float]:
    spheres = {}
    for name, prim in stage.prims.items():
        for child in prim.GetChildren():
            if child.GetName().startswith("planning_sphere_"):
                center = [round(v, 9) for v in child.GetAttribute("xformOp:translate").Get()]
                spheres[name, center[0], center[1], center[2]] = child.GetAttribute("radius").Get()
    return spheres


@pytest.mark.parametrize(
    ("choices", "collide"),
    [({}, False), ({"simulator_spheres": "collide"}, True), ({"usd_collision": "spheres"}, True)],
)
def test_spheres_are_those_of_the_xrdf(
    tmp_path: Path, choices: dict[str, str], collide: bool
) -> None:
    document = open_document(SAMPLE)
    stage = write_stage(document, tmp_path / "heron.usda", **choices)
    arrays = editor_app.sphere_arrays(document, local=True)
    wanted = {
        (frame, *(round(float(v), 9) for v in center)): float(radius)
        for frame, center, radius in zip(arrays.frames, arrays.centers, arrays.radii, strict=True)
        if radius > 0
    }
    assert spheres_of(stage) == pytest.approx(wanted)
    balls = [
        prim for prim in stage.stage.Traverse() if prim.GetName().startswith("planning_sphere_")
    ]
    assert {ball.GetAttribute("physics:collisionEnabled").Get() for ball in balls} == {collide}
    assert stage.faults == []


def test_links_without_spheres_keep_their_shapes_where_spheres_collide(tmp_path: Path) -> None:
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    text = URDF_TEXT.replace('<link name="fore"/>', f'<link name="fore">{box}</link>')
    text = text.replace('<link name="base"/>', f'<link name="base">{box}</link>')
    (tmp_path / "r.urdf").write_text(text)
    (tmp_path / "r.xrdf").write_text(XRDF_TEXT)
    inputs = [tmp_path / "r.urdf", tmp_path / "r.xrdf"]
    with_spheres = {frame for frame, *_ in spheres_of(write_stage(inputs, tmp_path / "a.usda"))}
    assert with_spheres & {"base", "fore"} != {"base", "fore"}
    stage = write_stage(inputs, tmp_path / "r.usda", usd_collision="spheres")
    shaped = {
        name for name in ("base", "fore") if stage.at(f"{name}/collisions/collision_0").IsValid()
    }
    assert shaped == {"base", "fore"} - with_spheres


def test_added_frames_ride_on_their_link(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    (tmp_path / "r.xrdf").write_text(XRDF_TEXT)
    inputs = [tmp_path / "r.urdf", tmp_path / "r.xrdf"]
    stage = write_stage(inputs, tmp_path / "r.usda")
    pose = {"j1": 0.3, "j2": -0.7, "slide_a": 0.01}
    wanted = editor_app.frame_poses(open_document(*inputs), pose)["tcp"]
    assert stage.poses(pose)["tcp"] == pytest.approx(wanted, abs=2e-7)


def test_a_single_link_is_no_articulation(tmp_path: Path) -> None:
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{box}</link></robot>')
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda", usd_base="free")
    assert stage.faults == []
    assert stage.robot.GetAppliedSchemas() == []


def test_a_loop_of_joints_is_reported(tmp_path: Path) -> None:
    joint = '<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{2}"/></joint>'
    loop = joint.format("x", "a", "b") + joint.format("y", "b", "a")
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="r"/><link name="a"/><link name="b"/>{loop}</robot>'
    )
    reports = convert(
        [tmp_path / "r.urdf"], tmp_path / "r.usda", ConvertOptions.of(to="usd")
    ).reports
    assert any("links a, b" in str(entry) for report in reports for entry in report.entries)
