"""Meshes that are too large or too small for their robot: by the steps between its joints, not by
one size for all."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

import editor_app
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.origin import Origin
from editor_app.core.model.urdf import Box, Collision, Joint, JointType, Limit, Link, Mesh, Urdf
from editor_app.core.space.geometry.link_geometry import MeshStore
from editor_app.core.space.geometry.units import longest_step, size_fault
from editor_app.core.text.source import SourceText
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_mappings, example_urdfs


def chain(
    steps: Iterable[float], kind: JointType = JointType.REVOLUTE, travel: float = 1.0
) -> Urdf:
    """Links l0, l1, … with so many metres between their joints."""
    distances = list(steps)
    links = tuple(Link(f"l{number}") for number in range(len(distances) + 1))
    joints = tuple(
        Joint(
            f"j{i}",
            kind,
            f"l{i}",
            f"l{i + 1}",
            Origin((0.0, 0.0, step)),
            limit=Limit(-travel / 2, travel / 2),
        )
        for i, step in enumerate(distances)
    )
    return Urdf("r", links=links, joints=joints)


ARM = chain([0.33, 0.4, 0.4, 0.1])
GANTRY = chain([0.2, 0.3, 0.1], JointType.PRISMATIC, 18.0)
CRANE = chain([60.0, 1.0, 45.0])
INSECT = chain([0.002, 0.004, 0.001])
ALONE = chain([])
FRAMES = chain([0.0, 0.0])
TABLE = replace(ALONE, links=(Link("l0", collisions=(Collision(Box((30.0, 2.0, 0.1))),)),))
METRE, MILLI, INCH = 1.0, 0.001, 0.0254


@pytest.mark.parametrize(
    ("robot", "name", "size", "scale", "code"),
    [
        # Millimetres taken for metres: in an arm of 1 m, of a part alone, of one without steps, of
        # any format.
        (ARM, "m.stl", 5.0, METRE, "MESH008"),
        (ARM, "m.stl", 13.0, METRE, "MESH008"),
        (ARM, "m.dae", 13.0, METRE, "MESH008"),
        (ARM, "m.glb", 25.4, METRE, "MESH008"),
        (ARM, "m.obj", 5000.0, MILLI, "MESH008"),
        (ALONE, "m.stl", 50.0, METRE, "MESH008"),
        (FRAMES, "m.ply", 50.0, METRE, "MESH008"),
        (ALONE, "m.dae", 250.0, METRE, "MESH008"),
        (INSECT, "m.stl", 5.0, METRE, "MESH008"),
        (CRANE, "m.stl", 4000.0, METRE, "MESH008"),
        # What is as large as its robot.
        (ARM, "m.stl", 1.3, METRE, None),
        (ARM, "m.stl", 1300.0, MILLI, None),
        (ALONE, "m.stl", 9.5, METRE, None),
        (ALONE, "m.dae", 30.0, METRE, None),
        (GANTRY, "m.stl", 20.0, METRE, None),
        (CRANE, "m.stl", 120.0, METRE, None),
        (TABLE, "m.stl", 30.0, METRE, None),
        # Metres that a scale makes small a second time, and what is small.
        (ARM, "m.stl", 0.3, MILLI, "MESH009"),
        (ARM, "m.dae", 0.05, MILLI, "MESH009"),
        (CRANE, "m.dae", 0.05, INCH, "MESH009"),
        (ARM, "m.stl", 3.0, MILLI, None),
        (ARM, "m.stl", 0.0003, METRE, None),
        (INSECT, "m.stl", 0.5, MILLI, None),
        (ALONE, "m.stl", 0.1, MILLI, None),
    ],
)
def test_a_size_is_judged_by_the_robot(
    robot: Urdf, name: str, size: float, scale: float, code: str | None
) -> None:
    fault = size_fault(
        Path(name), np.array([size / 2, size, size / 4]), (scale,) * 3, longest_step(robot)
    )
    assert (fault.code if fault is not None else None) == code
    if fault is not None:
        assert (
            f"{size * scale:,.4g} m" in fault.message
            or f"{1000 * size * scale:.3g} mm" in fault.message
        )


def test_steps_that_are_no_numbers_do_not_count() -> None:
    endless = chain([0.2], JointType.PRISMATIC, math.inf)
    assert (
        longest_step(replace(endless, joints=(*endless.joints, *chain([math.nan]).joints))) == 0.2
    )


#: Those whose meshes are largest or smallest beside the steps between their joints.
EXTREME = (
    "double_pendulum.urdf",
    "hextilt_flying_arm_5.urdf",
    "hyq_no_sensors.urdf",
    "allegro_left_hand.urdf",
)


@pytest.mark.parametrize("name", of_each_kind([path.name for path in example_urdfs()], EXTREME))
def test_no_mesh_of_a_real_robot_has_a_wrong_size(name: str) -> None:
    path = next(each for each in example_urdfs() if each.name == name)
    urdf = read_urdf(SourceText.read(path)).value
    store = MeshStore(path, example_mappings())
    for shape in (shape for link in urdf.links for shape in link.shapes):
        assert store.size_fault(urdf, shape.geometry) is None


def size_findings(document: editor_app.Document) -> list[Finding]:
    return [
        each
        for each in editor_app.check(document, slow=True)
        if each.code in ("MESH008", "MESH009")
    ]


@pytest.mark.parametrize(
    ("size", "scale", "after"), [(50.0, "1 1 1", 0.05), (0.05, "0.001 -0.001 0.001", 0.05)]
)
def test_the_fix_gives_it_the_size_that_was_meant(
    size: float, scale: str, after: float, tmp_path: Path
) -> None:
    trimesh.creation.box((size, size / 2, size / 4)).export(tmp_path / "m.stl")
    shape = f'<collision><geometry><mesh filename="m.stl" scale="{scale}"/></geometry></collision>'
    joint = (
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 '
        '0.3"/></joint>'
    )
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="a">{shape}</link><link name="b"/>{joint}</robot>'
    )
    document = editor_app.open_robot(tmp_path / "r.urdf")
    (finding,) = size_findings(document)
    document.execute(finding.fixes[0])
    mesh = document.robot.urdf.links[0].collisions[0].geometry
    assert isinstance(mesh, Mesh)
    assert size * abs(mesh.scale[0]) == pytest.approx(after)
    assert (mesh.scale[1] < 0) == ("-" in scale)
    assert size_findings(document) == []
