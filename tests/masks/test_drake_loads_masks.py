"""URDFs with spheres, Drake's collision filter groups and contact properties: what Drake itself
holds of them."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from editor_app.core.document.commands.fields import OfLink, PartOf, SetField
from editor_app.core.document.commands.urdf import SetCollisions
from editor_app.core.document.opening import open_document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.urdf import Ball, Collision, Hydroelastic, Proximity
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import ConvertOptions, convert
from tests.helpers.clearances import overlapping, random_poses, witnesses

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
FOR_DRAKE = ConvertOptions.of(to="spheres-urdf", drake=True)


def test_each_ignored_pair_is_in_one_group(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    text = convert(document, tmp_path / "heron_spheres.urdf", FOR_DRAKE).files[0][1].decode()
    section = document.robot.xrdf.self_collision
    assert section is not None
    written = set()
    root = read_urdf(SourceText.from_text(text)).document.root
    for group in root.all("drake:collision_filter_group"):
        [member] = [element.get("link") for element in group.all("drake:member")]
        for other in group.all("drake:ignored_collision_filter_group"):
            written.add(
                LinkPair.of(member or "", (other.get("name") or "").removeprefix("masked_"))
            )
    assert written == section.ignored_pairs()
    # Where it is asked for, alone.
    bare = convert(
        document, tmp_path / "heron_spheres.urdf", ConvertOptions(to="spheres-urdf")
    ).files[0][1]
    assert b"drake" not in bare


def test_drake_checks_the_pairs_that_the_mask_does(tmp_path: Path) -> None:
    plant_module = pytest.importorskip("pydrake.multibody.plant", reason="Drake is not installed")
    from pydrake.multibody.parsing import Parser
    from pydrake.systems.framework import DiagramBuilder

    document = open_document(SAMPLE)
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
            joint.set_translation(
                plant_context, value
            ) if joint.type_name() == "prismatic" else joint.set_angle(plant_context, value)
        query = plant.get_geometry_query_input_port().Eval(plant_context)
        inspector = query.inspector()
        pairs = set()
        for overlap in query.ComputePointPairPenetration():
            bodies = [
                plant.GetBodyFromFrameId(inspector.GetFrameId(g)).name()
                for g in (overlap.id_A, overlap.id_B)
            ]
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


#: A link that says how it touches, and links of which Gazebo alone is told, fully and in part.
TOUCHING = """<robot name="r">
<link name="a"><collision><geometry><box size="0.2 0.2 0.2"/></geometry><drake:proximity_properties>
  <drake:compliant_hydroelastic/><drake:mesh_resolution_hint value="0.02"/><drake:hydroelastic_modulus value="2e7"/>
  <drake:hunt_crossley_dissipation value="1.25"/><drake:mu_dynamic value="0.5"/><drake:mu_static value="0.75"/>
</drake:proximity_properties></collision></link>
<link name="b"><collision><geometry><sphere radius="0.1"/></geometry></collision></link> <link name="c"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 1"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 1"/></joint>
<gazebo reference="a"><mu1>0.1</mu1></gazebo>
<gazebo reference="b"><mu1>0.9</mu1><mu2 value="0.4"/><kp>100000.0</kp><kd>50</kd><minDepth>0.001</minDepth></gazebo>
<gazebo reference="c"><kd>5</kd><turnGravityOff>true</turnGravityOff></gazebo>
</robot>
"""
BALLS = """format: xrdf
format_version: 2.0
geometry: {s: {spheres: {a: [{center: [0, 0, 0], radius: 0.1}], b: [{center: [0, 0, 0], radius: 0.1}],
                         c: [{center: [0, 0, 0], radius: 0.1}]}}}
world_collision: {geometry: s}
"""
COMPLIANT = Proximity(Hydroelastic.COMPLIANT, 0.02, 2e7, 1.25, mu_dynamic=0.5, mu_static=0.75)
AS_GAZEBO = Proximity(
    relaxation_time=5e-4, point_contact_stiffness=1e5, mu_dynamic=0.4, mu_static=0.4
)


def _touching(folder: Path, options: ConvertOptions = FOR_DRAKE) -> tuple[Path, list[str]]:
    """The robot above as written, and what its reports tell of contacts."""
    text = TOUCHING.replace('name="r"', 'name="r" xmlns:drake="http://drake.mit.edu"')
    (folder / "r.urdf").write_text(text)
    (folder / "r.xrdf").write_text(BALLS)
    converted = convert(open_document(folder / "r.urdf"), folder / "r_spheres.urdf", options)
    path, data = converted.files[0]
    path.write_bytes(data)
    lines = [str(entry) for report in converted.reports for entry in report.entries]
    return path, [line for line in lines if "contact" in line]


def test_contacts_go_along_and_gazebos_are_translated(tmp_path: Path) -> None:
    path, told = _touching(tmp_path)
    links = read_urdf(SourceText.from_bytes(path.read_bytes())).value.links
    assert [link.proximity for link in links] == [COMPLIANT, AS_GAZEBO, None]
    assert told == [
        "kept aside: Gazebo's contact of a: the file already has Drake's elements for it",
        "lost: Gazebo's contact of b: Drake has no minDepth 0.001; mu 0.9, the greater of two "
        "directions",
        "translated: Gazebo's contact of b: drake:proximity_properties",
        "lost: Gazebo's contact of c: Drake has no kd 5, which is a relaxation time only with kp",
    ]
    # For other programs Gazebo's stay Gazebo's.
    path, told = _touching(tmp_path, ConvertOptions.of(to="spheres-urdf"))
    assert [
        link.proximity for link in read_urdf(SourceText.from_bytes(path.read_bytes())).value.links
    ] == [
        COMPLIANT,
        None,
        None,
    ]
    assert not told


@pytest.mark.parametrize(
    ("name", "fate"),
    [("r.mjcf.xml", "lost"), ("r.usda", "lost"), ("r.dae", "kept aside"), ("r.cricket.json", "")],
)
def test_it_is_told_what_becomes_of_contacts_elsewhere(
    name: str, fate: str, tmp_path: Path
) -> None:
    _touching(tmp_path)
    converted = convert([tmp_path / "r.urdf", tmp_path / "r.xrdf"], tmp_path / name)
    entries = [
        e
        for report in converted.reports
        for e in report.entries
        if e.item == "drake:proximity_properties"
    ]
    assert [str(e.fate) for e in entries] == ([fate] if fate else [])
    if name != "r.cricket.json":
        assert entries[0].detail.startswith("of 1 link: ")
    if name == "r.dae":
        (tmp_path / name).write_bytes(converted.files[0][1])
        again = convert([tmp_path / name], tmp_path / "again.urdf").files[0][1]
        assert read_urdf(SourceText.from_bytes(again)).value.links[0].proximity == COMPLIANT


def test_contacts_are_edited_in_place(tmp_path: Path) -> None:
    """A prefix that the file does not explain is explained once; made shapes touch as the ones
    before them."""
    bare = TOUCHING[: TOUCHING.index("<drake:")] + TOUCHING[TOUCHING.index("</collision>") :]
    (tmp_path / "r.urdf").write_text(bare)
    document = open_document(tmp_path / "r.urdf")
    document.execute(SetField(PartOf(OfLink("a"), "collisions.0"), "proximity", COMPLIANT))
    document.execute(SetCollisions(FrozenDict({"a": (Collision(Ball(0.2)), Collision(Ball(0.3)))})))
    written = document.urdf_text
    assert written.count("xmlns:drake=") == 1
    assert {
        shape.proximity
        for shape in read_urdf(SourceText.from_text(written)).value.links[0].collisions
    } == {COMPLIANT}
    for number in (0, 1):
        document.execute(SetField(PartOf(OfLink("a"), f"collisions.{number}"), "proximity", None))
    assert "<drake:" not in document.urdf_text


def test_drake_holds_the_contacts_that_are_written(tmp_path: Path) -> None:
    plant_module = pytest.importorskip("pydrake.multibody.plant", reason="Drake is not installed")
    from pydrake.geometry import Role
    from pydrake.multibody.parsing import Parser
    from pydrake.systems.framework import DiagramBuilder

    path, _ = _touching(tmp_path)
    plant, scene = plant_module.AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    inspector = scene.model_inspector()
    held = []
    for name in "abc":
        frame = plant.GetBodyFrameIdOrThrow(plant.GetBodyByName(name).index())
        [shape] = inspector.GetGeometries(frame, Role.kProximity)
        properties = inspector.GetProximityProperties(shape)
        friction = properties.GetPropertyOrDefault("material", "coulomb_friction", None)
        numbers = [
            properties.GetPropertyOrDefault(group, key, None)
            for group, key in (
                ("hydroelastic", "resolution_hint"),
                ("hydroelastic", "hydroelastic_modulus"),
                ("material", "hunt_crossley_dissipation"),
                ("material", "relaxation_time"),
                ("material", "point_contact_stiffness"),
            )
        ]
        numbers += (
            [None, None]
            if friction is None
            else [friction.dynamic_friction(), friction.static_friction()]
        )
        is_soft = properties.HasProperty("hydroelastic", "compliance_type")
        held.append(Proximity(Hydroelastic.COMPLIANT if is_soft else None, *numbers))
    assert held[:2] == [COMPLIANT, AS_GAZEBO]
    # What nothing says has Drake's own friction.
    assert held[2].point_contact_stiffness is None
