"""import(export(robot)) == robot, for any robot; and in COLLADA's words alone as far as those
reach."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.sensors import OPENRAVE_TYPES, Camera, Imu, Ray, Scan, Sensor
from editor_app.core.model.srdf import (
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    Srdf,
    ToolCenterPoint,
)
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    SafetyController,
    Urdf,
    Visual,
)
from editor_app.core.model.xrdf import (
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.write import OriginalTexts, collada_files
from tests.helpers.breadth import examples
from tests.helpers.robots import (
    example_kinds,
    example_mappings,
    example_robots,
    sample_urdf,
    srdf_of,
    stated_of,
    text_of,
    urdf_of,
)

NUMBERS = st.floats(-3, 3, allow_subnormal=False).map(lambda v: round(v, 6) + 0.0)
SIZES = st.floats(0.01, 2).map(lambda v: round(v, 5))
TRIPLES = st.tuples(NUMBERS, NUMBERS, NUMBERS)
ORIGINS = st.one_of(st.just(Origin()), st.builds(Origin, TRIPLES, TRIPLES))
SHAPES = st.one_of(
    st.builds(Box, st.tuples(SIZES, SIZES, SIZES)),
    st.builds(Ball, SIZES),
    st.builds(Cylinder, SIZES, SIZES),
    st.builds(Capsule, SIZES, SIZES),
    st.just(Mesh("package://some/mesh.stl", (1.0, -2.0, 1.0))),
)
COLOURS = st.tuples(*[st.floats(0, 1).map(lambda v: round(v, 3))] * 4)
MATERIALS = st.one_of(st.none(), st.builds(Material, st.sampled_from(["red", "blue"]), COLOURS))
AXES = st.sampled_from([(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 2.0), (0.6, 0.8, 0.0)])
#: Odd, but names of URDF: blanks, slashes, quotes, tags, one that differs from another in the SID
#: only.
NAMES = ("arm link", "a/b", "a_b", 'quo"te', "<tag>", "schön", "x&y", "arm_link", "last")


@st.composite
def robots(draw: st.DrawFn) -> RobotDescription:
    count = draw(st.integers(2, 7))
    names = draw(st.permutations(NAMES))[:count]
    links: list[Link] = []
    joints: list[Joint] = []
    for number, name in enumerate(names):
        visuals = draw(st.lists(st.builds(Visual, SHAPES, ORIGINS, MATERIALS), max_size=2))
        collisions = draw(
            st.lists(
                st.builds(Collision, SHAPES, ORIGINS, st.sampled_from([None, "n"])), max_size=2
            )
        )
        moments = draw(st.tuples(SIZES, SIZES, SIZES))
        inertia = (moments[0] + 1, draw(NUMBERS) / 10, 0.1, moments[1] + 1, 0.0, moments[2] + 1)
        inertial = draw(st.one_of(st.none(), st.builds(Inertial, SIZES, st.just(inertia), ORIGINS)))
        links.append(Link(name, inertial, tuple(visuals), tuple(collisions)))
        if number:
            joints.append(
                draw(_joint(f"j{name}", draw(st.sampled_from(names[:number])), name, joints))
            )
    sensors = draw(st.lists(_sensor(tuple(names)), max_size=3, unique_by=lambda s: s.name))
    urdf = Urdf(
        "any robot",
        "1.1",
        tuple(links),
        tuple(draw(st.permutations(joints))),
        sensors=tuple(sensors),
    )
    return RobotDescription(urdf, draw(_xrdf(urdf)), draw(st.one_of(st.none(), _srdf(urdf))))


@st.composite
def _joint(draw: st.DrawFn, name: str, parent: str, child: str, before: list[Joint]) -> Joint:
    kind = draw(st.sampled_from(list(JointType)))
    low = draw(st.floats(-6, 0).map(lambda v: round(v, 4)))
    limit = Limit(low, low + draw(SIZES), draw(SIZES), draw(SIZES))
    leaders = [j.name for j in before if j.is_movable]
    movable = kind in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
    mimic = None
    if movable and leaders and draw(st.booleans()):
        mimic = Mimic(draw(st.sampled_from(leaders)), draw(NUMBERS) or 1.0, draw(NUMBERS))
    return Joint(
        name,
        kind,
        parent,
        child,
        draw(ORIGINS),
        (1.0, 0.0, 0.0) if kind in (JointType.FIXED, JointType.FLOATING) else draw(AXES),
        limit if movable else None,
        mimic,
        draw(st.one_of(st.none(), st.builds(Dynamics, SIZES, SIZES))),
        draw(st.one_of(st.none(), st.just(SafetyController(1.0, 2.0, -0.1, 0.1)))),
    )


@st.composite
def _sensor(draw: st.DrawFn, links: tuple[str, ...]) -> Sensor:
    kind = draw(st.sampled_from([*OPENRAVE_TYPES, "contact"]))
    sensor = Sensor(
        f"sensor {draw(st.integers(0, 9))}", kind, draw(st.sampled_from(links)), draw(ORIGINS)
    )
    sensor = replace(sensor, measurement_time=draw(st.one_of(st.none(), SIZES)))
    if kind == "base_pinhole_camera":
        size = draw(st.tuples(st.integers(1, 4000), st.integers(1, 4000)))
        lens = (draw(SIZES), 0.0, 1.0, 0.0, draw(SIZES), 2.0)
        return replace(
            sensor, camera=Camera(*size, 3, "uint8", intrinsic=lens, distortion=(0.1, 0.2))
        )
    if kind == "base_laser2d":
        return replace(
            sensor, ray=Ray(Scan(None, None, -1.5, draw(SIZES), 0.01), None, 0.1, draw(SIZES) + 1)
        )
    if kind == "base_imu":
        matrix = (1.0, 0.0, draw(NUMBERS), 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)
        return replace(sensor, imu=Imu(matrix, None, matrix))
    return sensor


@st.composite
def _xrdf(draw: st.DrawFn, urdf: Urdf) -> Xrdf:
    joints = [j.name for j in urdf.joints if j.is_movable and j.mimic is None]
    if draw(st.booleans()):
        return Xrdf()
    order = tuple(draw(st.permutations(joints)))[: draw(st.integers(0, len(joints)))]
    limits = tuple(draw(SIZES) for _ in order)
    spheres = {
        link.name: tuple(draw(st.lists(st.builds(CollisionSphere, TRIPLES, SIZES), max_size=2)))
        for link in urdf.links
    }
    groups = (GeometryGroup("own", FrozenDict(spheres)), GeometryGroup("world"))
    first, second = draw(st.permutations([link.name for link in urdf.links]))[:2]
    return Xrdf(
        "xrdf",
        "2.0",
        default_joint_positions=FrozenDict({j: draw(NUMBERS) for j in order}),
        cspace=CSpace(order, limits, tuple(10 * v for v in limits)) if order else None,
        world_collision=CollisionSection("world"),
        self_collision=SelfCollisionSection(
            "own", FrozenDict({first: 0.01}), FrozenDict({first: (second,)})
        ),
        geometry=groups,
    )


@st.composite
def _srdf(draw: st.DrawFn, urdf: Urdf) -> Srdf:
    parents = {j.child: j.parent for j in urdf.joints}
    tip = draw(st.sampled_from([j.child for j in urdf.joints]))
    chain = Group("arm", chains=((parents[tip], tip),))
    joints = tuple(j.name for j in urdf.joints)
    pairs = draw(
        st.lists(
            st.sampled_from(
                [(a.name, b.name) for a in urdf.links for b in urdf.links if a.name < b.name]
            )
        )
    )
    return Srdf(
        "any robot",
        None,
        (chain, Group("hand", joints=joints[:1]), Group("some", links=(tip,))),
        (GroupState("rest", "arm", FrozenDict({joints[0]: (0.5,)})),),
        (ToolCenterPoint("tool", "arm", draw(TRIPLES), rpy=draw(TRIPLES)),),
        (EndEffector("gripper", tip, "hand", "arm"),),
        disabled_pairs=tuple(
            CollisionPair(a, b, draw(st.sampled_from([None, "Never"])))
            for a, b in dict.fromkeys(pairs)
        ),
    )


ORDER = (
    "asset",
    "library_images",
    "library_effects",
    "library_materials",
    "library_geometries",
    "library_visual_scenes",
    "library_kinematics_models",
    "library_articulated_systems",
    "library_kinematics_scenes",
    "library_physics_models",
    "library_physics_scenes",
    "scene",
    "extra",
)
#: The order of children that the schema of COLLADA 1.5 demands (sequences of its types), where we
#: write several.
SEQUENCES = {
    "asset": ("contributor", "created", "modified", "unit", "up_axis"),
    "geometry": ("mesh", "extra"),
    "mesh": ("source", "vertices", "triangles"),
    "source": ("float_array", "technique_common"),
    "triangles": ("input", "p"),
    "node": ("translate", "rotate", "instance_geometry", "node"),
    "instance_material": ("bind_vertex_input",),
    "profile_COMMON": ("newparam", "technique"),
    "phong": ("diffuse", "transparent", "transparency"),
    "kinematics_model": ("technique_common", "extra"),
    "joint": ("revolute", "prismatic", "extra"),
    "revolute": ("axis", "limits"),
    "prismatic": ("axis", "limits"),
    "limits": ("min", "max"),
    "link": ("translate", "rotate", "attachment_full"),
    "attachment_full": ("translate", "rotate", "link"),
    "formula": ("target", "technique_common", "technique"),
    "articulated_system": ("kinematics", "motion", "extra"),
    "kinematics": ("instance_kinematics_model", "technique_common"),
    "motion": ("instance_articulated_system", "technique_common"),
    "axis_info": (
        "newparam",
        "active",
        "locked",
        "index",
        "limits",
        "speed",
        "acceleration",
        "deceleration",
        "jerk",
    ),
    "rigid_body": ("technique_common", "extra"),
    "physics_scene": ("instance_physics_model", "technique_common"),
    "scene": ("instance_physics_scene", "instance_visual_scene", "instance_kinematics_scene"),
    "instance_kinematics_scene": ("bind_kinematics_model", "bind_joint_axis"),
    "bind_joint_axis": ("axis", "value"),
}


def written(
    robot: RobotDescription, folder: Path, with_sources: bool = True, parts: object = None
) -> RobotFiles:
    sources = None if with_sources else OriginalTexts("", "", "")
    files, _ = collada_files(robot, folder / "robot.dae", parts, sources)  # type: ignore[arg-type]
    for path, data in files:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(data)
    return read_collada_robot(folder / "robot.dae")


def robot_of(collada: RobotFiles) -> RobotDescription:
    urdf = urdf_of(collada)
    srdf = srdf_of(collada) if collada.srdf is not None else None
    xrdf = collada.xrdf.value if collada.xrdf is not None else Xrdf()
    return RobotDescription(urdf, xrdf, srdf)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(robots())
def test_any_robot_comes_back_the_same(robot: RobotDescription) -> None:
    with tempfile.TemporaryDirectory() as folder:
        back = robot_of(written(robot, Path(folder)))
    assert back.urdf == robot.urdf
    assert back.srdf == robot.srdf
    assert back.xrdf == robot.xrdf


@settings(max_examples=examples(8), deadline=None, suppress_health_check=list(HealthCheck))
@given(robots())
def test_colladas_own_words_say_the_same(robot: RobotDescription) -> None:
    """Without what the file says for this editor alone."""
    with tempfile.TemporaryDirectory() as folder:
        collada = written(robot, Path(folder), with_sources=False)
    urdf = robot_of(collada).urdf
    assert {link.name for link in urdf.links} == {link.name for link in robot.urdf.links}
    for joint in robot.urdf.joints:
        other = urdf.joint(joint.name)
        assert other is not None
        assert (other.parent, other.child) == (joint.parent, joint.child)
        fixed = joint.type in (JointType.FLOATING, JointType.PLANAR, JointType.FIXED)
        assert other.type == (JointType.FIXED if fixed else joint.type)
        if not fixed and joint.position_limits is not None:
            assert other.position_limits == pytest.approx(joint.position_limits, abs=1e-12)
        if not fixed:
            assert other.axis == joint.axis
            assert (other.mimic is None) == (joint.mimic is None)
    for link in robot.urdf.links:
        other_link = urdf.link(link.name)
        assert other_link is not None
        shapes = [v.geometry for v in link.visuals if not isinstance(v.geometry, Mesh)]
        assert len(other_link.visuals) == len(shapes)
        for shape, seen in zip(shapes, (v.geometry for v in other_link.visuals), strict=True):
            assert type(seen) is type(shape)
        assert (link.inertial is None) == (other_link.inertial is None)
    attached = {s.name for s in robot.urdf.sensors if s.openrave_type is not None}
    assert {s.name for s in urdf.sensors} == attached
    order = (robot.xrdf.cspace.joint_names if robot.xrdf.cspace is not None else None) or ()
    assert stated_of(collada).controlled == order
    spheres = {f: s for f, s in robot.xrdf.spheres_of(robot.xrdf.self_group).items() if s}
    assert {f: len(s) for f, s in stated_of(collada).spheres.items()} == {
        f: len(s) for f, s in spheres.items()
    }
    pairs = (
        robot.xrdf.self_collision.ignored_pairs()
        if robot.xrdf.self_collision is not None
        else frozenset()
    )
    pairs |= robot.srdf.disabled() if robot.srdf is not None else frozenset()
    assert robot_of(collada).srdf is not None
    assert robot_of(collada).srdf.disabled() == pairs  # type: ignore[union-attr]


# -- real robots


def test_every_robot_of_pypi_comes_back_letter_by_letter(tmp_path: Path) -> None:
    """Without its meshes, whose paths are kept then."""
    count = 0
    for path in (*example_kinds()[::3], sample_urdf()):
        source = SourceText.read(path)
        urdf = read_urdf(source).value
        if not urdf.links:
            continue
        robot = RobotDescription(urdf, Xrdf())
        files, _ = collada_files(robot, tmp_path / "r.dae", None, OriginalTexts(urdf=source.text))
        files[0][0].write_bytes(files[0][1])
        assert text_of(read_collada_robot(tmp_path / "r.dae").urdf) == source.text, path.name
        count += 1
    assert count > 12


def test_meshes_come_back_with_it(tmp_path: Path) -> None:
    path = example_robots() / "panda_description/urdf/panda.urdf"
    urdf = read_urdf(SourceText.read(path)).value
    # The first links will do: its meshes are large.
    links = urdf.links[:4]
    names = {link.name for link in links}
    urdf = replace(
        urdf, links=links, joints=tuple(j for j in urdf.joints if {j.parent, j.child} <= names)
    )
    urdf = replace(urdf, transmissions=(), extensions=())

    def parts(mesh: Mesh) -> tuple[MeshPart, ...]:
        mesh_path = resolve_mesh_path(mesh.filename, path, example_mappings())
        assert mesh_path is not None
        return load_mesh(mesh_path, mesh.scale).parts

    collada = written(RobotDescription(urdf, Xrdf()), tmp_path, parts=parts)
    for file, data in collada.meshes:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    back = robot_of(collada).urdf
    for old, new in zip(urdf.links, back.links, strict=True):
        for kind in ("visuals", "collisions"):
            for a, b in zip(getattr(old, kind), getattr(new, kind), strict=True):
                assert replace(b, geometry=a.geometry) == a
                if not isinstance(a.geometry, Mesh):
                    assert a.geometry == b.geometry
                    continue
                assert isinstance(b.geometry, Mesh)
                assert b.geometry.scale == (1, 1, 1)
                was, now = parts(a.geometry), load_mesh(tmp_path / b.geometry.filename).parts
                assert len(was) == len(now)
                for p, q in zip(was, now, strict=True):
                    assert np.allclose(p.vertices[p.faces], q.vertices[q.faces], atol=1e-12)
                    if a.__class__ is Visual and a.material is None:
                        assert q.rgba == p.rgba


def test_children_stand_in_the_order_of_the_schema(tmp_path: Path) -> None:
    robot = RobotDescription(
        read_urdf(SourceText.read(sample_urdf())).value,
        read_xrdf(SourceText.read(sample_urdf().with_suffix(".xrdf"))).value,
        read_srdf(SourceText.read(sample_urdf().with_suffix(".srdf"))).value,
    )
    files, _ = collada_files(robot, tmp_path / "r.dae")
    root = parse_xml(SourceText.from_bytes(files[0][1])).root
    assert _ranks(root, ORDER) == sorted(_ranks(root, ORDER))
    seen = set()
    for element in root.walk():
        if element.tag in SEQUENCES and not any(a.tag == "technique" for a in _above(element)):
            ranks = _ranks(element, SEQUENCES[element.tag])
            # Transforms of a node mix; what follows them does not.
            if element.tag in ("node", "link", "attachment_full"):
                ranks = [max(r, 1) for r in ranks]
            assert ranks == sorted(ranks), element.tag
            seen.add(element.tag)
    assert len(seen) > 20
    ids = [e.get("id") for e in root.walk() if e.get("id")]
    assert len(ids) == len(set(ids))
    for element in root.walk():
        for attribute in ("url", "source", "target"):
            value = element.get(attribute) or ""
            if value.startswith("#"):
                assert value[1:] in ids, value


def _ranks(element: XmlElement, order: tuple[str, ...]) -> list[int]:
    return [order.index(c.tag) for c in element.children]


def _above(element: XmlElement) -> list[XmlElement]:
    ancestors = []
    while element.parent is not None:
        element = element.parent
        ancestors.append(element)
    return ancestors


def test_the_same_robot_gives_the_same_bytes(tmp_path: Path) -> None:
    robot = RobotDescription(read_urdf(SourceText.read(sample_urdf())).value, Xrdf())
    for ending in (".dae", ".zae"):
        first, second = (collada_files(robot, tmp_path / f"r{ending}")[0] for _ in range(2))
        assert first == second
        assert len(first) == 1


def test_degrees_do_not_lose_the_digits_of_radians(tmp_path: Path) -> None:
    limit = Limit(-math.pi, 2 * math.pi / 3, 1.0, 0.1 + 0.2)
    joint = Joint(
        "j",
        JointType.REVOLUTE,
        "a",
        "b",
        Origin(rpy=(math.pi / 2, 0.1, -3.0)),
        (0.0, 0.0, 1.0),
        limit,
    )
    urdf = Urdf("r", "1.0", (Link("a"), Link("b")), (joint,))
    assert robot_of(written(RobotDescription(urdf, Xrdf()), tmp_path)).urdf == urdf


def test_other_parsers_take_it(tmp_path: Path) -> None:
    written(RobotDescription(read_urdf(SourceText.read(sample_urdf())).value, Xrdf()), tmp_path)
    root = etree.parse(tmp_path / "robot.dae").getroot()
    assert root.tag == "{http://www.collada.org/2008/03/COLLADASchema}COLLADA"
