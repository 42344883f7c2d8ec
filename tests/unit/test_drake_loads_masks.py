"""URDFs with spheres and Drake's collision filter groups: what Drake itself holds of them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from editor_app.edit.opening import open_robot
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.model.xrdf import LinkPair
from editor_app.operations.convert import ConvertOptions, convert
from tests.helpers.contacts import overlapping, random_poses, witnesses

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
FOR_DRAKE = ConvertOptions.of(to="spheres-urdf", drake=True)


def test_each_ignored_pair_is_in_one_group(tmp_path: Path) -> None:
    document = open_robot(SAMPLE)
    text = convert(document, tmp_path / "heron_spheres.urdf", FOR_DRAKE).files[0][1].decode()
    section = document.robot.xrdf.self_collision
    assert section is not None
    written = set()
    root = read_urdf(SourceText.from_text(text)).document.root
    for group in root.all("drake:collision_filter_group"):
        [member] = [element.get("link") for element in group.all("drake:member")]
        for other in group.all("drake:ignored_collision_filter_group"):
            written.add(LinkPair.of(member or "", (other.get("name") or "").removeprefix("masked_")))
    assert written == section.ignored_pairs()
    # Where it is asked for, alone.
    bare = convert(document, tmp_path / "heron_spheres.urdf", ConvertOptions(to="spheres-urdf")).files[0][1]
    assert b"drake" not in bare


def test_drake_checks_the_pairs_that_the_mask_does(tmp_path: Path) -> None:
    plant_module = pytest.importorskip("pydrake.multibody.plant", reason="Drake is not installed")
    from pydrake.multibody.parsing import Parser
    from pydrake.systems.framework import DiagramBuilder

    document = open_robot(SAMPLE)
    path, data = convert(document, tmp_path / "heron_spheres.urdf", FOR_DRAKE).files[0]
    path.write_bytes(data.replace(b"<visual", b"<!--visual").replace(b"</visual>", b"</visual-->"))
    builder = DiagramBuilder()
    plant, _ = plant_module.AddMultibodyPlantSceneGraph(builder, 0.0)
    plant.set_adjacent_bodies_collision_filters(False)
    Parser(plant).AddModels(str(path))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base_link"))
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    plant_context = plant.GetMyContextFromRoot(context)

    def touching(pose: dict[str, float]) -> set[LinkPair]:
        for name, value in pose.items():
            joint = plant.GetJointByName(name)
            joint.set_translation(plant_context, value) if joint.type_name() == "prismatic" else joint.set_angle(
                plant_context, value
            )
        query = plant.get_geometry_query_input_port().Eval(plant_context)
        inspector = query.inspector()
        pairs = set()
        for overlap in query.ComputePointPairPenetration():
            bodies = [plant.GetBodyFromFrameId(inspector.GetFrameId(g)).name() for g in (overlap.id_A, overlap.id_B)]
            pairs.add(LinkPair.of(*bodies))
        return pairs

    section = document.robot.xrdf.self_collision
    assert section is not None
    names = [link.name for link in document.robot.urdf.links]
    assert any(LinkPair.of(a, b) in section.ignored_pairs() for a, b in combinations(names, 2))
    touched = 0
    for pose in [*random_poses(document, 100), *witnesses(document)]:
        expected = overlapping(document, pose)
        assert touching(pose) == expected
        touched += bool(expected)
    assert touched > 5
