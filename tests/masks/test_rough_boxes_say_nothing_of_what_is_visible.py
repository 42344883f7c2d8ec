"""A link that is compared by what is visible of it is held against what is visible of others, not
their boxes."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.core.document.commands import SetFittedSpheres
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.masks.engine.meshes import find_partial_robot_links, visible_meshes
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion

pytest.importorskip("fcl")


def link(name: str, visual: str, collision: str) -> str:
    shapes = "".join(
        f'<{tag}><origin xyz="{at}"/><geometry><box size="{size}"/></geometry></{tag}>'
        for tag, shape in (("visual", visual), ("collision", collision))
        for at, _, size in (shape.partition(" | "),)
    )
    return f'<link name="{name}">{shapes}</link>'


def joint(parent: str, child: str, xyz: str, axis: str) -> str:
    return (
        f'<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child '
        f'link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/><limit lower="-0.5" upper="0.5" effort="1" '
        'velocity="1"/></joint>'
    )


def test_the_box_of_a_trunk_does_not_touch_a_thigh_that_is_seen(tmp_path: Path) -> None:
    # The trunk is a slim box with a rough one around it; the thigh, beside it, has a collision
    # shape at its end alone.
    urdf = tmp_path / "legs.urdf"
    urdf.write_text(
        '<robot name="legs">'
        + link("trunk", "0 0 0 | 0.4 0.1 0.1", "0 0 0 | 0.4 0.2 0.1")
        + link("hip", "0 0 0 | 0.02 0.02 0.02", "0 0 0 | 0.02 0.02 0.02")
        + link("thigh", "0 0 -0.1 | 0.03 0.04 0.3", "0 0 -0.24 | 0.03 0.04 0.02")
        + joint("trunk", "hip", "0.1 0.1 -0.1", "1 0 0")
        .replace("-0.5", "-0.01")
        .replace("0.5", "0.01")
        + joint("hip", "thigh", "0 0 0.05", "0 1 0")
        + "</robot>"
    )
    document = editor_app.open_robot(urdf, new_xrdf=True)
    partial = find_partial_robot_links(document.robot, urdf, {})
    assert partial == {"thigh"}
    assert visible_meshes(document.robot, urdf, {})("foot") is None
    for seen, touches in ((partial, False), ({"trunk", "thigh"}, False), ((), False)):
        meshes = mesh_motion(
            PlacedRobot(document.robot, urdf), EMPTY_SCENE, Geometry.MESHES, [], None, seen
        )
        pairs = {
            meshes.motion.names(row)
            for _, row in meshes.touching(meshes.motion.random_values(50, 0))
        }
        assert (("trunk", "thigh") in pairs) == touches
        pair = meshes.motion.spheres.pair_index[LinkPair.of("trunk", "thigh")]
        apart = meshes.distance(pair, meshes.motion.default)
        assert apart == pytest.approx(0.03 if seen else 0.23, abs=1e-6), (
            "nothing that is told apart touches"
        )
    # With nothing visible of the trunk, its box is all that is known of it.
    bare = urdf.read_text().replace(
        '<visual><origin xyz="0 0 0"/><geometry><box size="0.4 0.1 0.1"/>', "<!--", 1
    )
    urdf.write_text(bare.replace("</geometry></visual>", "-->", 1))
    document = editor_app.open_robot(urdf, new_xrdf=True)
    meshes = mesh_motion(
        PlacedRobot(document.robot, urdf), EMPTY_SCENE, Geometry.MESHES, [], None, {"thigh"}
    )
    pairs = {
        meshes.motion.names(row) for _, row in meshes.touching(meshes.motion.random_values(50, 0))
    }
    assert ("trunk", "thigh") in pairs


@pytest.mark.parametrize(
    ("base", "arm", "reason"),
    [
        ((0.0, 0.0, 0.0, 0.3), (0.0, 0.0, 0.0, 0.3), "default"),
        ((0.1, 0.08, 0.0, 0.05), (0.0, 0.0, -0.2, 0.05), "needless"),
    ],
)
def test_a_mask_hides_no_collision_that_the_cost_does_not_count(
    tmp_path: Path, base: tuple[float, ...], arm: tuple[float, ...], reason: str
) -> None:
    """Links that are compared by what is visible of them are so for the mask as well: their
    collision shapes alone touch."""
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(
        '<robot name="arm">'
        + link("base", "0 0 0 | 0.4 0.1 0.1", "0.1 0.08 0 | 0.05 0.1 0.1")
        + link("turret", "0 0 0 | 0.02 0.02 0.02", "0 0 0 | 0.02 0.02 0.02")
        + link("arm", "0 0 0.15 | 0.03 0.04 0.3", "0 0 -0.2 | 0.03 0.04 0.2")
        + joint("base", "turret", "0.1 0.17 0", "0 0 1")
        + joint("turret", "arm", "0 0 0.15", "1 0 0")
        + "</robot>"
    )
    document = editor_app.open_robot(urdf, new_xrdf=True)
    placed = PlacedRobot(document.robot, urdf)
    assert find_partial_robot_links(document.robot, urdf, {}) == {"base", "arm"}
    spheres = {
        name: (CollisionSphere((x, y, z), r),)
        for name, (x, y, z, r) in (("base", base), ("arm", arm))
    }
    document.execute(
        SetFittedSpheres(document.robot.xrdf.self_group or "g", FrozenDict(spheres), "")
    )
    touch = []
    for shapes in (("base", "arm"), ()):
        meshes = mesh_motion(placed, EMPTY_SCENE, Geometry.MESHES, [], None, shapes)
        touching = meshes.touching(meshes.motion.random_values(50, 0))
        touch.append(("base", "arm") in {meshes.motion.names(row) for _, row in touching})
    assert touch == [False, True], "the collision shapes do touch"
    asked = mask(
        document, samples=500, certify=0, rules=MaskRules(mask_always=True, compare_meshes=True)
    )
    assert LinkPair.of("base", "arm") in asked.proposal.pairs
    assert asked.look.hidden == ()
    assert bool(asked.look.needless) == (reason == "needless"), "spheres that seldom overlap"
    # Programs that read the collision shapes see them touch: the mask hides this, so it is
    # reported.
    [rough] = [each for each in asked.look.rough if each.pair == LinkPair.of("base", "arm")]
    assert rough.is_rough
    assert rough.reason.startswith("the collision shapes touch in ")
    assert rough.reason.endswith(" of 4,096 samples, the visible shapes in none")
