"""Volume, centre and inertia of real meshes are those that trimesh gives, wherever they can be told
at all."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.core.space.geometry.mass import compute_solid_properties
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.text.source import SourceText
from tests.helpers.robots import example_mappings, example_urdfs


@pytest.mark.parametrize(
    ("name", "kind", "links"),
    [
        ("panda.urdf", "visual", 4),
        ("panda.urdf", "collision", 11),
        ("hyq_no_sensors.urdf", "visual", 1),
        ("talos_left_arm.urdf", "visual", 2),
    ],
)
def test_closed_meshes_of_robots(name: str, kind: str, links: int) -> None:
    path = next(p for p in example_urdfs() if p.name == name)
    urdf = read_urdf(SourceText.read(path)).value
    compared = 0
    for link in urdf.links:
        geometry = link_geometry(urdf, path, link.name, kind, example_mappings())  # type: ignore[arg-type]
        if not geometry.parts:
            continue
        vertices, faces = merge_parts(geometry.parts)
        ours, theirs = (
            compute_solid_properties(vertices, faces),
            trimesh.Trimesh(vertices, faces, process=False),
        )
        if ours is None or not ours.closed:
            continue
        compared += 1
        inertia = theirs.moment_inertia * np.sign(theirs.volume)
        assert ours.volume == pytest.approx(abs(theirs.volume), rel=1e-9), link.name
        assert ours.centre == pytest.approx(theirs.center_mass, abs=1e-9), link.name
        assert ours.inertia == pytest.approx(inertia, abs=1e-9 * np.abs(inertia).max()), link.name
    assert compared >= links


def test_only_surfaces_that_enclose_something_count_as_closed() -> None:
    box = trimesh.creation.box((1, 2, 3))
    beside = trimesh.creation.box((1, 2, 3), trimesh.transformations.translation_matrix((1, 2, 0)))
    both = trimesh.util.concatenate([box, beside])
    touching = compute_solid_properties(both.vertices, both.faces.astype(np.int32))
    assert touching is not None
    assert touching.closed, "they share an edge, which four triangles have"
    assert touching.volume == pytest.approx(12)
    soup = compute_solid_properties(
        box.triangles.reshape(-1, 3), np.arange(36, dtype=np.int32).reshape(-1, 3)
    )
    assert soup is not None
    assert soup.closed
    faces = box.faces.astype(np.int32)
    turned = np.concatenate([faces[:3, ::-1], faces[3:]])
    for wrong in (turned, faces[1:]):
        properties = compute_solid_properties(box.vertices, wrong)
        assert properties is None or not properties.closed
