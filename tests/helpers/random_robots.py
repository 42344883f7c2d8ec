"""Robots of any kind for hypothesis: URDF with sensors, XRDF and SRDF, with names that are odd but allowed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Origin
from editor_app.model.robot import RobotDescription
from editor_app.model.sensors import OPENRAVE_TYPES, Camera, Imu, Ray, Scan, Sensor
from editor_app.model.srdf import CollisionPair, EndEffector, Group, GroupState, Srdf, ToolCenterPoint
from editor_app.model.urdf import (
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
from editor_app.model.xrdf import CollisionSection, CollisionSphere, CSpace, GeometryGroup, SelfCollisionSection, Xrdf

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
#: Odd, but names of URDF: blanks, slashes, quotes, tags, one that differs from another in the SID only.
NAMES = ("arm link", "a/b", "a_b", 'quo"te', "<tag>", "schön", "x&y", "arm_link", "last")


@st.composite
def robots(draw: st.DrawFn) -> RobotDescription:
    count = draw(st.integers(2, 7))
    names = draw(st.permutations(NAMES))[:count]
    links: list[Link] = []
    joints: list[Joint] = []
    for number, name in enumerate(names):
        visuals = draw(st.lists(st.builds(Visual, SHAPES, ORIGINS, MATERIALS), max_size=2))
        collisions = draw(st.lists(st.builds(Collision, SHAPES, ORIGINS, st.sampled_from([None, "n"])), max_size=2))
        moments = draw(st.tuples(SIZES, SIZES, SIZES))
        inertia = (moments[0] + 1, draw(NUMBERS) / 10, 0.1, moments[1] + 1, 0.0, moments[2] + 1)
        inertial = draw(st.one_of(st.none(), st.builds(Inertial, SIZES, st.just(inertia), ORIGINS)))
        links.append(Link(name, inertial, tuple(visuals), tuple(collisions)))
        if number:
            joints.append(draw(_joint(f"j{name}", draw(st.sampled_from(names[:number])), name, joints)))
    sensors = draw(st.lists(_sensor(tuple(names)), max_size=3, unique_by=lambda s: s.name))
    urdf = Urdf("any robot", "1.1", tuple(links), tuple(draw(st.permutations(joints))), sensors=tuple(sensors))
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
    sensor = Sensor(f"sensor {draw(st.integers(0, 9))}", kind, draw(st.sampled_from(links)), draw(ORIGINS))
    sensor = replace(sensor, measurement_time=draw(st.one_of(st.none(), SIZES)))
    if kind == "base_pinhole_camera":
        size = draw(st.tuples(st.integers(1, 4000), st.integers(1, 4000)))
        lens = (draw(SIZES), 0.0, 1.0, 0.0, draw(SIZES), 2.0)
        return replace(sensor, camera=Camera(*size, 3, "uint8", intrinsic=lens, distortion=(0.1, 0.2)))
    if kind == "base_laser2d":
        return replace(sensor, ray=Ray(Scan(None, None, -1.5, draw(SIZES), 0.01), None, 0.1, draw(SIZES) + 1))
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
        link.name: tuple(draw(st.lists(st.builds(CollisionSphere, TRIPLES, SIZES), max_size=2))) for link in urdf.links
    }
    groups = (GeometryGroup("own", FrozenDict(spheres)), GeometryGroup("world"))
    first, second = draw(st.permutations([link.name for link in urdf.links]))[:2]
    return Xrdf(
        "xrdf",
        "2.0",
        default_joint_positions=FrozenDict({j: draw(NUMBERS) for j in order}),
        cspace=CSpace(order, limits, tuple(10 * v for v in limits)) if order else None,
        world_collision=CollisionSection("world"),
        self_collision=SelfCollisionSection("own", FrozenDict({first: 0.01}), FrozenDict({first: (second,)})),
        geometry=groups,
    )


@st.composite
def _srdf(draw: st.DrawFn, urdf: Urdf) -> Srdf:
    parents = {j.child: j.parent for j in urdf.joints}
    tip = draw(st.sampled_from([j.child for j in urdf.joints]))
    chain = Group("arm", chains=((parents[tip], tip),))
    joints = tuple(j.name for j in urdf.joints)
    pairs = draw(
        st.lists(st.sampled_from([(a.name, b.name) for a in urdf.links for b in urdf.links if a.name < b.name]))
    )
    return Srdf(
        "any robot",
        None,
        (chain, Group("hand", joints=joints[:1]), Group("some", links=(tip,))),
        (GroupState("rest", "arm", FrozenDict({joints[0]: (0.5,)})),),
        (ToolCenterPoint("tool", "arm", draw(TRIPLES), rpy=draw(TRIPLES)),),
        (EndEffector("gripper", tip, "hand", "arm"),),
        disabled_pairs=tuple(
            CollisionPair(a, b, draw(st.sampled_from([None, "Never"]))) for a, b in dict.fromkeys(pairs)
        ),
    )
