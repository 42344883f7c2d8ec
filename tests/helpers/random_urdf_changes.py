"""Changes of any part of a URDF for hypothesis: joints, links, materials, texts, transmissions, the
robot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from editor_app.core.document.commands.name_prefixes import PrefixNames
from editor_app.core.document.commands.urdf import SetJoint, SetLink, SetMaterial
from editor_app.core.document.commands.urdf_robot import SetRobot
from editor_app.core.document.commands.urdf_structure import (
    AddLink,
    DuplicateBranch,
    InsertLink,
    RemoveLink,
)
from editor_app.core.document.commands.urdf_texts import (
    AddEmbedded,
    EmbeddedPlace,
    Home,
    SetEmbedded,
)
from editor_app.core.formats.urdf.embedded import transmission_template
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Hydroelastic,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Proximity,
    SafetyController,
    Urdf,
    Visual,
)

numbers = st.one_of(
    st.floats(-3, 3, allow_nan=False), st.sampled_from([0.0, 1e-9, 0.1, 123456.5, -1e-17])
)
sizes = st.floats(1e-3, 3, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers)
optional = st.one_of(st.none(), numbers)
origins = st.builds(Origin, vectors, vectors)
shapes = st.one_of(
    st.builds(Box, st.tuples(sizes, sizes, sizes)),
    st.builds(Cylinder, sizes, sizes),
    st.builds(Ball, sizes),
    st.builds(Capsule, sizes, sizes),
    st.builds(
        Mesh,
        st.sampled_from(["a.stl", "package://p/ü b.dae", "file:///x & y.obj"]),
        st.tuples(sizes, sizes, sizes),
    ),
)
colours = st.tuples(*[st.floats(0, 1, allow_nan=False)] * 4)
materials = st.one_of(
    st.none(),
    st.builds(
        Material, st.sampled_from(["paint", "<&>"]), colours, st.one_of(st.none(), st.just("t.png"))
    ),
)
names = st.one_of(st.none(), st.sampled_from(["hull", 'a "b"']))
visuals = st.builds(Visual, shapes, origins, materials, names)
proximities = st.builds(
    Proximity,
    st.one_of(st.none(), st.sampled_from(Hydroelastic)),
    optional,
    *([st.one_of(st.none(), sizes)] * 6),
).map(lambda proximity: None if proximity == Proximity() else proximity)
collisions = st.builds(Collision, shapes, origins, names, st.one_of(st.none(), proximities))
inertials = st.one_of(
    st.none(),
    st.builds(Inertial, sizes, st.tuples(sizes, numbers, numbers, sizes, numbers, sizes), origins),
)
limits = st.builds(
    lambda a, b, e, v: Limit(min(a, b), max(a, b), e, v), numbers, numbers, sizes, sizes
)
dynamics = st.one_of(st.none(), st.builds(Dynamics, numbers, optional))
safety = st.one_of(st.none(), st.builds(SafetyController, numbers, optional, optional, optional))
calibrations = st.one_of(st.none(), st.builds(Calibration, optional, numbers, optional))
TEXTS = (
    '<gazebo reference="{}"><mu1>0.25</mu1></gazebo>',
    '<gazebo>\n  <plugin name="p" filename="lib.so">\n    <ns>/x &amp; y</ns>\n  '
    "</plugin>\n</gazebo>",
    "<ros2_control name='c'><joint name='{}'/></ros2_control>",
)


@st.composite
def changes(draw: Any, urdf: Urdf) -> Change:
    kinds = "joint joint link link structure material text transmission delete robot"
    # A link that was left alone has no joint to change.
    kind = draw(st.sampled_from(kinds.split() if urdf.joints else ["robot"]))
    if kind == "robot":
        return SetRobot(version=draw(st.sampled_from(["1.0", "1.1", "1.2"])))
    link, joint = draw(st.sampled_from(urdf.links)), draw(st.sampled_from(urdf.joints))
    if kind == "joint":
        others = [j.name for j in urdf.joints if j is not joint and j.is_movable]
        mimic = st.builds(Mimic, st.sampled_from(others), numbers, numbers) if others else st.none()
        values: dict[str, st.SearchStrategy[Any]] = {
            "type": st.sampled_from(list(JointType)),
            "origin": origins,
            "axis": vectors.filter(any),
            "limit": st.one_of(st.none(), limits),
            "mimic": st.one_of(st.none(), mimic),
            "dynamics": dynamics,
            "safety": safety,
            "calibration": calibrations,
        }
        return SetJoint(joint.name, replace(joint, **_some(draw, values)))
    if kind == "link":
        values = {
            "inertial": inertials,
            "visuals": st.lists(st.one_of(visuals, *map(st.just, link.visuals)), max_size=3).map(
                tuple
            ),
            "collisions": st.lists(
                st.one_of(collisions, *map(st.just, link.collisions)), max_size=3
            ).map(tuple),
        }
        return SetLink(link.name, replace(link, **_some(draw, values)))
    if kind == "structure":
        return draw(_structures(link.name, joint.name))
    if kind == "material":
        return SetMaterial(
            Material(
                draw(st.sampled_from([m.name for m in urdf.materials] or ["paint"])), draw(colours)
            )
        )
    if kind == "text":
        return AddEmbedded(Home.ROBOT, draw(st.sampled_from(TEXTS)).format(link.name))
    if kind == "transmission":
        return AddEmbedded(Home.TRANSMISSIONS, transmission_template(joint.name))
    home, items = draw(
        st.sampled_from([(Home.ROBOT, urdf.extensions), (Home.TRANSMISSIONS, urdf.transmissions)])
    )
    place = EmbeddedPlace(home, draw(st.integers(0, max(len(items) - 1, 0))))
    return SetEmbedded(place, draw(st.sampled_from(["", *(t.format(link.name) for t in TEXTS)])))


def _structures(link: str, joint: str) -> st.SearchStrategy[Change]:
    """Links that come and go; names may be taken, and the root does not go."""
    fixed = st.builds(
        Joint,
        st.sampled_from(["j new", "j_2"]),
        st.just(JointType.FIXED),
        st.just(link),
        st.just("new"),
    )
    return st.one_of(
        st.builds(AddLink, st.builds(Link, st.just("new"), inertials), fixed),
        st.builds(
            InsertLink,
            st.just(joint),
            st.sampled_from(["between", "new"]),
            st.just("between_joint"),
        ),
        st.builds(RemoveLink, st.just(link), st.booleans()),
        st.builds(DuplicateBranch, st.just(link), st.sampled_from(["_2", "_copy"])),
        st.builds(PrefixNames, st.sampled_from(["p_", "left/"])),
    )


def _some(draw: Any, values: dict[str, st.SearchStrategy[Any]]) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=3, unique=True))
    return {name: draw(values[name]) for name in chosen}
