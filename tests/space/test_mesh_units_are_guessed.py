"""Units of mesh files that tell none: guessed from their size when they are added or exchanged, and
told."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.core.document.added_meshes import added_meshes, exchanged_mesh, mesh_in_place
from editor_app.core.document.commands import SetLink
from editor_app.core.document.commands.fields import OfLink, PartOf
from editor_app.core.model.urdf import Box, Mesh, Visual
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.geometry.units import guessed_use

ARM = """<robot name="arm"><link name="base"><visual><origin xyz="0.1 0 0"/>
<geometry><mesh filename="old.obj" scale="0.001 0.001 0.001"/></geometry></visual></link></robot>"""


def box(path: Path, x: float, y: float, z: float) -> Path:
    corners = [(a, b, c) for a in (0, x) for b in (0, y) for c in (0, z)]
    faces = (
        (1, 2, 4),
        (1, 4, 3),
        (5, 7, 8),
        (5, 8, 6),
        (1, 5, 6),
        (1, 6, 2),
        (3, 4, 8),
        (3, 8, 7),
        (1, 3, 7),
        (1, 7, 5),
        (2, 6, 8),
        (2, 8, 4),
    )
    lines = [f"v {a} {b} {c}" for a, b, c in corners] + [f"f {a} {b} {c}" for a, b, c in faces]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("size", "scale"),
    [((0.4, 0.1, 0.1), 1.0), ((9.5, 1, 1), 1.0), ((120, 80, 40), 0.001), ((1500, 20, 20), 0.001)],
)
def test_numbers_too_large_for_metres_are_millimetres(
    tmp_path: Path, size: tuple[float, ...], scale: float
) -> None:
    use = guessed_use(box(tmp_path / "part.obj", *size))
    assert use.scale == (scale,) * 3
    assert use.told == (
        ""
        if scale == 1.0
        else (
            f"part.obj is {' × '.join(f'{s:g}' for s in size)} large: read as millimetres, scale "
            "0.001."
        )
    )


@pytest.mark.parametrize(
    ("factor", "scale"), [(1.0, 1.0), (1000.0, 0.001), (100.0, 0.01), (1 / 0.0254, 0.0254)]
)
def test_a_mesh_in_the_place_of_another_is_as_large_and_as_upright(
    tmp_path: Path, factor: float, scale: float
) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    box(tmp_path / "old.obj", 100, 200, 400)
    robot = editor_app.open_robot(tmp_path / "arm.urdf")
    old = robot.robot.urdf.links[0].visuals[0].geometry
    assert isinstance(old, Mesh)
    upright = box(tmp_path / "new.obj", 0.1 * factor, 0.2 * factor, 0.4 * factor)
    looked = exchanged_mesh(old, "base", upright, robot.urdf_path)
    robot.execute(looked.change)
    visual = robot.robot.urdf.links[0].visuals[0]
    assert visual.geometry == Mesh("new.obj", (scale,) * 3)
    assert visual.origin.xyz == (0.1, 0.0, 0.0)
    robot.undo()
    lying = box(tmp_path / "lying.obj", 0.1 * factor, 0.4 * factor, 0.2 * factor)
    looked = exchanged_mesh(old, "base", lying, robot.urdf_path)
    robot.execute(looked.change)
    assert robot.robot.urdf.links[0].visuals[0].origin.rpy == pytest.approx((math.pi / 2, 0.0, 0.0))
    assert "rotated by 90° about x" in looked.told
    points, _ = merge_parts(link_geometry(robot.robot.urdf, robot.urdf_path, "base").parts)
    np.testing.assert_allclose(np.ptp(points, axis=0), (0.1, 0.2, 0.4), atol=1e-6)


def test_added_meshes_are_scaled_in_one_step_and_a_mesh_of_many_metres_has_a_remedy(
    tmp_path: Path,
) -> None:
    (tmp_path / "arm.urdf").write_text('<robot name="arm">\n<link name="base"/></robot>')
    files = [box(tmp_path / "a.obj", 300, 100, 100), box(tmp_path / "b.obj", 0.3, 0.1, 0.1)]
    robot = editor_app.open_robot(tmp_path / "arm.urdf")
    looked = added_meshes(robot.robot, "base", files, robot.urdf_path, collision=False)
    robot.execute(looked.change)
    assert [v.geometry for v in robot.robot.urdf.links[0].visuals] == [
        Mesh("a.obj", (0.001,) * 3),
        Mesh("b.obj"),
    ]
    robot.execute(editor_app.commands.SetMeshPath("b.obj", "a.obj"))
    [finding] = [f for f in editor_app.check(robot, slow=True) if f.code == "MESH008"]
    robot.execute(finding.fixes[0])
    assert [v.geometry for v in robot.robot.urdf.links[0].visuals] == [
        Mesh("a.obj", (0.001,) * 3)
    ] * 2
    assert not [f for f in editor_app.check(robot, slow=True) if f.code == "MESH008"]


@pytest.mark.parametrize("factor", [1.0, 1000.0])
def test_a_new_mesh_is_as_large_and_as_upright_as_the_other_kind(
    tmp_path: Path, factor: float
) -> None:
    """A visual with y upwards beside a collision; without one, and beside one of another shape,
    nothing is turned."""
    shape = '<collision><origin xyz="0 0 2"/><geometry><box size="{}"/></geometry></collision>'
    for size, turned in (
        ("0.1 0.2 0.4", True),
        ("0.1 0.4 0.2", False),
        ("0.4 0.2 0.1", False),
        (None, False),
    ):
        body = shape.format(size) if size is not None else ""
        (tmp_path / "arm.urdf").write_text(
            f'<robot name="arm"><link name="base">{body}</link></robot>'
        )
        document = editor_app.open_robot(tmp_path / "arm.urdf")
        new = box(tmp_path / "new.obj", *(side * factor for side in (0.1, 0.4, 0.2)))
        added = added_meshes(document.robot, "base", [new], document.urdf_path, collision=False)
        assert ("y-up" in added.told) == turned
        document.execute(added.change)
        points, _ = merge_parts(
            link_geometry(document.robot.urdf, document.urdf_path, "base", "visual").parts
        )
        expected = (0.1, 0.2, 0.4) if turned else (0.1, 0.4, 0.2)
        assert np.allclose(np.ptp(points, axis=0), expected)
        boxed = document.robot.urdf.link("base")
        assert boxed is not None
        if not turned:
            continue
        # The same, where a box of the panel becomes a mesh: what is there of its own kind counts
        # for nothing.
        document.undo()
        document.execute(SetLink("base", replace(boxed, visuals=(Visual(Box((0.1, 0.1, 0.1))),))))
        target = PartOf(OfLink("base"), "visuals.0")
        document.execute(
            mesh_in_place(document.robot, target, "Edit", new, document.urdf_path).change
        )
        points, _ = merge_parts(
            link_geometry(document.robot.urdf, document.urdf_path, "base", "visual").parts
        )
        assert np.allclose(np.ptp(points, axis=0), expected)
