"""A USD layer with masks and spheres over a robot: what OpenUSD composes of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.core.document.opening import open_document
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.verbs.convert import ConvertOptions, convert
from tests.helpers.small_robot import URDF_TEXT

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"


def robot_usd(path: Path, places: dict[str, str]) -> Any:
    """A USD as an importer makes it: a rigid body for each link, with a collider of its own."""
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    from pxr import UsdGeom, UsdPhysics

    stage = usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, "/heron")
    stage.SetDefaultPrim(root.GetPrim())
    for place in places.values():
        body = UsdGeom.Xform.Define(stage, place)
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        UsdPhysics.CollisionAPI.Apply(UsdGeom.Cube.Define(stage, f"{place}/box").GetPrim())
    stage.Save()
    return usd


def faults_of(stage: Any) -> list[str]:
    """What OpenUSD's own checker, usdchecker's validators, has against it."""
    from pxr import UsdValidation

    context = UsdValidation.ValidationContext(
        UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    )
    return [error.GetMessage() for error in context.Validate(stage)]


@pytest.mark.parametrize("layout", [None, "nested"])
@pytest.mark.parametrize("spheres", [None, "collide"])
def test_openusd_composes_pairs_and_colliders(
    tmp_path: Path, layout: str | None, spheres: str | None
) -> None:
    document = open_document(SAMPLE)
    graph = KinematicGraph(document.robot.urdf)
    places: dict[str, str] = {}
    for link in graph.below(graph.root or ""):
        joint = graph.incoming.get(link)
        above = places[joint.parent] if layout is not None and joint is not None else "/heron"
        places[link] = f"{above}/{link}"
    usd = robot_usd(tmp_path / "heron.usd", places)
    from pxr import UsdGeom, UsdPhysics

    options = ConvertOptions.of(
        to="usd", usd_form="layer", usd_layout=layout, simulator_spheres=spheres
    )
    path, data = convert(document, tmp_path / "heron_planning.usda", options).files[0]
    path.write_bytes(data)
    stage = usd.Stage.Open(str(path))
    assert not stage.GetCompositionErrors()
    assert faults_of(stage) == []
    links = {place: link for link, place in places.items()}
    pairs = set()
    for place, link in links.items():
        prim = stage.GetPrimAtPath(place)
        assert prim.HasAPI(UsdPhysics.RigidBodyAPI)
        if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
            for target in UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets():
                pairs.add(LinkPair.of(link, links[str(target)]))
    section = document.robot.xrdf.self_collision
    assert section is not None
    assert pairs == section.ignored_pairs()
    local = editor_app.sphere_arrays(document, local=True)
    seen = {}
    for prim in stage.Traverse():
        if prim.GetName().startswith("planning_sphere_"):
            ball = UsdGeom.Sphere(prim)
            place = ball.GetPrim().GetAttribute("xformOp:translate").Get()
            key = (links[str(prim.GetParent().GetPath())], *(round(v, 9) for v in place))
            seen[key] = ball.GetRadiusAttr().Get()
            assert UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() == (
                spheres is not None
            )
    wanted = {
        (frame, *(round(float(v), 9) for v in center)): pytest.approx(float(radius))
        for frame, center, radius in zip(local.frames, local.centers, local.radii, strict=True)
        if radius > 0
    }
    assert seen == wanted


def test_names_are_those_that_usd_allows(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(
        URDF_TEXT.replace('"upper"', '"upper-arm"').replace('"base"', '"0base"')
    )
    inputs = [tmp_path / "small.urdf"]
    options = ConvertOptions.of(usd_form="layer", usd_root="/World/my robot")
    text = convert(inputs, tmp_path / "small.usda", options).files[0][1].decode()
    assert text.startswith('#usda 1.0\n(\n    defaultPrim = "World"\n')
    assert "subLayers = [@./small.usd@]" in text
    assert "</World/my_robot/upper_arm>" in text
    assert 'over "_0base"' in text
