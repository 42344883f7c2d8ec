"""Table of the URDF features that eight programs read, change, ignore or refuse; findings and pages
use it.

`FEATURES` are the rows, `SOURCES` say how each column was found. A fact that is not in a row is
*read*. `tests.opinions consumers` measures the rows by a small URDF each, with the programs that
have wheels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.profile import Profile
from editor_app.core.model.urdf import (
    Ball,
    Capsule,
    Collision,
    Cylinder,
    Hydroelastic,
    Joint,
    JointType,
    Link,
    Mesh,
    Proximity,
    Urdf,
    Visual,
)
from editor_app.core.space.geometry.mass import impossible
from editor_app.features.checks.engine.rule import CheckContext

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
#: The columns, each with the version that was measured, or the source that was read.
SOURCES: dict[Profile, str] = {
    Profile.MUJOCO: "measured: MuJoCo 4.0.0, and 3.3.7 to 3.15 where they differ",
    Profile.DRAKE: "measured: Drake 1.51.1",
    Profile.NEWTON: "measured: Newton 1.8.0",
    Profile.GAZEBO: "measured: libsdformat 12.3 (Gazebo Fortress) with urdfdom 3.0; read: `mimic` in "
    "gazebosim/sdformat 2ace536",
    Profile.MOVEIT: "read: `robot_model.cpp` of moveit/moveit2 8fcb5d2",
    Profile.ISAAC: "measured: urdf-usd-converter 0.3.4, as in Isaac Sim 6.1, and 0.1.3, as in 6.0; read: how its "
    "importer uses that, in isaac-sim/IsaacSim 045ca8b",
    Profile.VAMP: "measured: pinocchio 4.1.0, loaded as CoMMALab/cricket a2ad9d6 does",
    Profile.AGX: "read: the documentation of its `UrdfReader`, with its table of supported features",
}


class Treatment(StrEnum):
    """How a program treats a feature. The value is the verb of a sentence whose subject is the
    program."""

    READ = "reads"
    CHANGED = "changes"
    IGNORED = "ignores"
    REFUSED = "refuses"


@dataclass(frozen=True, slots=True)
class Fact:
    """`text` ends the sentence that begins with program, verb and feature; `severity` is the
    finding's.

    Texts and titles of the table are Markdown, for the manual: messages show them by `as_message`.
    """

    treatment: Treatment
    text: str = ""
    severity: Severity = INFO


def as_message(markdown: str) -> str:
    """A text of the table for messages: elements stand bare, other code in quotation marks, as
    names do."""
    return _CODE.sub(lambda code: code[1] if code[1].startswith("<") else f"'{code[1]}'", markdown)


_CODE = re.compile("`([^`]*)`")
#: Names that a sentence tells.
_TOLD = 3
READ = Fact(Treatment.READ)


def changed(text: str, severity: Severity = WARNING) -> Fact:
    """Read, and made something else of."""
    return Fact(Treatment.CHANGED, text, severity)


def ignored(text: str = "", severity: Severity = INFO) -> Fact:
    """Loaded as if it were not there."""
    return Fact(Treatment.IGNORED, text, severity)


def refused(text: str, severity: Severity = ERROR) -> Fact:
    """The robot does not load."""
    return Fact(Treatment.REFUSED, text, severity)


Names = Iterable[str]
#: What has a feature ("joints", "links", "robot"), and the names of those that have it.
Users = tuple[str, Callable[[CheckContext], Names]]


@dataclass(frozen=True, slots=True)
class FormatFeature:
    """One row. `users` gives the names of the joints or links (as `of` says) that have it."""

    key: str
    title: str
    of: str
    users: Callable[[CheckContext], Names]
    facts: FrozenDict[Profile, Fact]

    def fact(self, profile: Profile) -> Fact:
        """Return how a program treats the feature."""
        return self.facts.get(profile, READ)


def _joints(test: Callable[[Joint], object]) -> Users:
    return "joints", lambda c: (joint.name for joint in c.urdf.joints if test(joint))


def _links(test: Callable[[Link], object]) -> Users:
    return "links", lambda c: (link.name for link in c.urdf.links if test(link))


def _robot(test: Callable[[Urdf], object]) -> Users:
    return "robot", lambda c: (c.urdf.name,) if test(c.urdf) else ()


def _material(part: str) -> Users:
    """The links with a visual whose material, or the definition of its name, has the part."""

    def users(c: CheckContext) -> Names:
        defined = c.urdf.materials_by_name()
        for link in c.urdf.links:
            materials = [visual.material for visual in link.visuals if visual.material is not None]
            if any(
                getattr(given, part, None) is not None
                for m in materials
                for given in (m, defined.get(m.name))
            ):
                yield link.name

    return "links", users


def _format(*endings: str) -> Users:
    def has_format(link: Link) -> bool:
        meshes = (shape.geometry for shape in link.collisions if isinstance(shape.geometry, Mesh))
        return any(PurePath(mesh.filename).suffix.lower() in endings for mesh in meshes)

    return _links(has_format)


def _is_of_package(shapes: Iterable[Visual | Collision]) -> bool:
    return any(
        isinstance(s.geometry, Mesh) and s.geometry.filename.startswith("package://")
        for s in shapes
    )


def _is_scaled(link: Link) -> bool:
    return any(
        isinstance(s.geometry, Mesh) and s.geometry.scale != (1.0, 1.0, 1.0) for s in link.shapes
    )


def _has_box_or_cylinder(link: Link) -> bool:
    return any(not isinstance(shape.geometry, Ball | Capsule | Mesh) for shape in link.collisions)


def _massless(with_shapes: bool) -> Users:
    """The links that a joint moves, and that weigh nothing with all that is fixed to them."""

    def users(c: CheckContext) -> Names:
        fixed: dict[str, list[str]] = {}
        for joint in c.urdf.joints:
            if joint.type is JointType.FIXED:
                fixed.setdefault(joint.parent, []).append(joint.child)
        links = {link.name: link for link in c.urdf.links}
        for joint in c.urdf.joints:
            if joint.type is JointType.FIXED or joint.child not in links:
                continue
            body, names = [], [joint.child]
            while names:
                name = names.pop()
                if name in links and links[name] not in body:
                    body.append(links[name])
                    names += fixed.get(name, ())
            if any(link.inertial is not None and link.inertial.mass > 0 for link in body):
                continue
            if with_shapes == any(link.collisions and link.inertial is None for link in body):
                yield joint.child

    return "links", users


def _impossible_inertias(c: CheckContext) -> Names:
    """The links whose inertia no body has. A point of mass that is fixed to a body is a part of
    it."""
    carried = {joint.child: joint.type for joint in reversed(c.urdf.joints)}
    for link in c.urdf.links:
        inertial = link.inertial
        if (
            inertial is None
            or not inertial.mass > 0
            or not all(map(math.isfinite, inertial.inertia))
        ):
            continue
        is_point = not any(inertial.inertia) and carried.get(link.name) is JointType.FIXED
        if not is_point and impossible(inertial):
            yield link.name


def _touches_not(shape: Collision) -> bool:
    """Whether Drake refuses how a shape touches; each condition was tried."""
    touch = shape.proximity
    if touch is None:
        return False
    numbers = [
        getattr(touch, name) for name in Proximity.__dataclass_fields__ if name != "hydroelastic"
    ]
    is_round = isinstance(shape.geometry, Ball | Cylinder | Capsule)
    return (
        (touch.hydroelastic is Hydroelastic.COMPLIANT and not touch.hydroelastic_modulus)
        or (touch.hydroelastic is not None and is_round and not touch.mesh_resolution_hint)
        or touch.point_contact_stiffness == 0
        or any(value is not None and value < 0 for value in numbers)
        or (touch.mu_static is not None and touch.mu_static < (touch.mu_dynamic or 0))
    )


def _coloured_collisions(c: CheckContext) -> Names:
    """The links with a material in a collision, which is no part of URDF, and in the text alone."""
    links = c.urdf_source.document.root.all("link") if c.urdf_source is not None else ()
    for link in links:
        if any(shape.child("material") is not None for shape in link.all("collision")):
            yield link.get("name") or ""


def _mimics_another_kind(c: CheckContext) -> Names:
    """The joints that turn with one that slides, or the other way round."""
    for joint in c.urdf.joints:
        leader = c.urdf_joints.get(joint.mimic.joint) if joint.mimic is not None else None
        both = (
            (joint, leader) if leader is not None and joint.is_movable and leader.is_movable else ()
        )
        if len({each.type is JointType.PRISMATIC for each in both}) == 2:
            yield joint.name


def _has_limit_of_forces(joint: Joint) -> bool:
    """Whether a joint without a range has a `<limit>` that says something."""
    limit = joint.limit if joint.type in (JointType.CONTINUOUS, JointType.PLANAR) else None
    return limit is not None and bool(limit.effort or limit.velocity)


def _elements(tag: str) -> Callable[[Urdf], bool]:
    return lambda urdf: any(each.tag == tag for each in urdf.extensions)


def _is_driven(joint: Joint) -> bool:
    return joint.is_movable and joint.limit is not None and bool(joint.limit.effort)


def _undriven(c: CheckContext) -> Names:
    driven = {name for transmission in c.urdf.transmissions for name in transmission.joints}
    return (joint.name for joint in c.urdf.joints if _is_driven(joint) and joint.name not in driven)


def _soft(joint: Joint) -> tuple[float, float] | None:
    safety = joint.safety if joint.is_movable else None
    return (
        (safety.soft_lower_limit or 0.0, safety.soft_upper_limit or 0.0)
        if safety is not None
        else None
    )


def _has(link: Link, kind: type) -> bool:
    return any(isinstance(shape.geometry, kind) for shape in link.collisions)


def _turned(urdf: Urdf) -> Names:
    """The joints whose own origin, or one of the link that they carry, is a quaternion."""
    links = {link.name: link for link in reversed(urdf.links)}
    for joint in urdf.joints:
        link = links.get(joint.child)
        parts = (
            (*link.visuals, *link.collisions, *((link.inertial,) if link.inertial else ()))
            if link
            else ()
        )
        if any(part.origin.quat_xyzw is not None for part in (joint, *parts)):
            yield joint.name


_NO_FORCES = ignored("planning does not use forces")
_UNNAMED = refused("name the package first: `parser.package_map().PopulateFromFolder(…)`", WARNING)
_IMPORTERS = changed("`newton[importers]` must be installed", INFO)
_MODELS = changed("they become `model://`, which must be found on `GZ_SIM_RESOURCE_PATH`", INFO)
_SOLVER = ignored("no solver uses it; it is kept as an attribute of the USD joint")
_KEPT = ignored("the USD keeps it, but no solver uses it")
_OLD = "urdfdom refuses files of versions that it does not support (3.0 supports 1.0 only)"
_ALONE = refused(
    "only spheres are accepted; `convert … OUT.cricket.json` writes the robot's spheres instead"
)
_FORMATS = "it reads OBJ, VTK and glTF for collision: convert the meshes"


def _row(
    key: str,
    title: str,
    users: Users,
    *,
    rest: Fact = READ,
    **facts: Fact,
) -> FormatFeature:
    """`facts` by the names of the programs; `rest` of those that are not named."""
    columns = {profile: facts.get(profile.value, rest) for profile in SOURCES}
    of, names = users
    return FormatFeature(key, title, of, names, FrozenDict(columns))


#: What becomes of mimic joints where they are not just read.
_MIMIC = {
    "mujoco": changed(
        "from 3.13 on they are equality constraints, which yield under load; older versions move "
        "them freely "
        "without a message (mujoco#3527)"
    ),
    "drake": changed(
        "they become couplers, which need a discrete plant; 1.13 and older leave them free "
        "(drake#16181)"
    ),
    "gazebo": changed(
        "they are constraints from libsdformat 14 on; older versions move them freely without a "
        "message"
    ),
    "vamp": ignored(
        "they are planned as independent joints; `convert … OUT.cricket.json` locks them", WARNING
    ),
}
_UNWEIGHED_IN_AGX = changed(
    "their mass comes from their visual shapes; `mergeKinematicLink` (on by default) merges them "
    "with their parents"
)
_ONE_PACKAGE = changed("one folder, `urdfPackagePath`, replaces all packages", INFO)
#: Rows of the joints, of the links, of the whole robot.
FEATURES: tuple[FormatFeature, ...] = (
    _row(
        "damping",
        "joint damping",
        _joints(lambda j: j.dynamics and j.dynamics.damping),
        isaac=changed(
            "Isaac Sim 6.1 writes it where its PhysX layer does not read it, so joints swing "
            "freely; 6.0 reads "
            "it (IsaacSim#841)"
        ),
        moveit=ignored("planning does not use dynamics"),
        vamp=ignored("planning does not use dynamics"),
        agx=ignored("set it on the constraint: `agx::Constraint::setDamping`", WARNING),
    ),
    _row(
        "friction",
        "joint friction",
        _joints(lambda j: j.dynamics and j.dynamics.friction),
        drake=ignored("MultibodyPlant has no joint friction", WARNING),
        isaac=changed(
            "Isaac Sim 6.1 writes it where its PhysX layer does not read it; 6.0 reads it "
            "(IsaacSim#841)"
        ),
        moveit=ignored("planning does not use dynamics"),
        vamp=ignored("planning does not use dynamics"),
    ),
    _row(
        "mimic",
        "mimic joints",
        _joints(lambda j: j.mimic and j.is_movable),
        **_MIMIC,
    ),
    _row(
        "geared_mimic",
        "mimic joints between a rotating and a sliding joint",
        ("joints", _mimics_another_kind),
        **_MIMIC,
        agx=ignored("a joint can only mimic a joint of the same kind", WARNING),
    ),
    _row(
        "fixed_mimic",
        "fixed mimic joints",
        _joints(lambda j: j.mimic and j.type is JointType.FIXED),
        rest=ignored(),
        drake=refused("a mimic joint must be movable: remove the mimic"),
        newton=refused("a mimic joint must be movable: remove the mimic"),
        isaac=READ,
    ),
    _row(
        "effort",
        "effort limits",
        _joints(_is_driven),
        moveit=_NO_FORCES,
        vamp=_NO_FORCES,
    ),
    _row(
        "no_effort",
        "effort limits of 0",
        _joints(lambda j: j.is_movable and j.limit and j.limit.effort == 0),
        mujoco=changed("0 is read as no limit"),
        isaac=changed("0 is read as no limit"),
        moveit=_NO_FORCES,
        vamp=_NO_FORCES,
    ),
    _row(
        "velocity",
        "velocity limits",
        _joints(lambda j: j.is_movable and j.limit and j.limit.velocity),
        mujoco=ignored("speed follows from the forces alone"),
        vamp=ignored("its paths have no timing"),
        agx=ignored(),
    ),
    _row(
        "unlimited",
        "effort and velocity limits of joints without a range",
        _joints(_has_limit_of_forces),
        moveit=_NO_FORCES,
        vamp=_NO_FORCES,
        agx=ignored("`<limit>` is read only for revolute and prismatic joints", WARNING),
    ),
    _row("range", "position limits", _joints(lambda j: j.position_limits)),
    _row(
        "acceleration",
        "acceleration and jerk limits",
        _joints(
            lambda j: j.limit and (j.limit.acceleration or j.limit.deceleration or j.limit.jerk)
        ),
        rest=ignored(),
        moveit=ignored("MoveIt reads them from `joint_limits.yaml`", WARNING),
    ),
    _row(
        "continuous",
        "continuous joints",
        _joints(lambda j: j.type is JointType.CONTINUOUS),
        vamp=refused(
            "pinocchio uses two numbers for such a joint, cricket reads one; `convert … "
            "OUT.cricket.json` "
            "limits it to one turn"
        ),
    ),
    _row(
        "planar",
        "planar joints",
        _joints(lambda j: j.type is JointType.PLANAR),
        mujoco=changed("it becomes three joints: NAME_TX, NAME_TY and NAME_RZ", INFO),
        newton=changed("they slide and do not rotate, and both directions have the same range"),
        gazebo=refused("the joint is left out, and links below it have no pose"),
        moveit=changed("they move in x and y, regardless of the axis", INFO),
        vamp=refused("it has several numbers, cricket reads one"),
    ),
    _row(
        "floating",
        "floating joints",
        _joints(lambda j: j.type is JointType.FLOATING),
        mujoco=refused("the parent of a free joint must be the world"),
        drake=changed("the part is left free and starts at the world origin"),
        gazebo=refused("the joint is left out, and links below it have no pose"),
        isaac=changed("no joint is created: the part is free"),
        agx=ignored("no constraint is created: the part is free"),
        vamp=refused("it has several numbers, cricket reads one"),
    ),
    _row(
        "calibration",
        "joint calibration",
        _joints(lambda j: j.calibration),
        rest=ignored(),
        isaac=changed(
            "a `reference_position` is the target of its drive in 6.0; the rest is kept as "
            "attributes",
            INFO,
        ),
    ),
    _row(
        "safety",
        "soft limits",
        _joints(lambda j: (_soft(j) or (0, 0)) != (0, 0)),
        rest=ignored(),
        moveit=READ,
        isaac=_SOLVER,
    ),
    _row(
        "no_soft",
        "safety controllers without soft limits",
        _joints(lambda j: _soft(j) == (0, 0)),
        rest=ignored(),
        moveit=changed("missing soft limits are read as 0, so the joint has no range", ERROR),
        isaac=_SOLVER,
    ),
    _row(
        "undriven",
        "effort limits without a `<transmission>`",
        ("joints", _undriven),
        drake=ignored("no actuator is created, so nothing drives the joint", WARNING),
        moveit=_NO_FORCES,
        vamp=_NO_FORCES,
    ),
    _row(
        "visual",
        "visual shapes",
        _links(lambda link: link.visuals),
        mujoco=ignored(
            "they are left out, unless the URDF has `<mujoco><compiler "
            'discardvisual="false"/></mujoco>`'
        ),
        moveit=changed("only the first of each link is shown", INFO),
        vamp=ignored(),
    ),
    _row(
        "colour",
        "colours",
        _material("rgba"),
        mujoco=ignored("they are left out with the visual shapes"),
        gazebo=changed("they are a quarter brighter: divided by 0.8", INFO),
        moveit=ignored("RViz shows them"),
        vamp=ignored(),
    ),
    _row(
        "collision_material",
        "materials of collision shapes",
        ("links", _coloured_collisions),
        rest=ignored(),
        isaac=_KEPT,
    ),
    _row(
        "texture",
        "textures",
        _material("texture"),
        mujoco=ignored("they are left out with the visual shapes"),
        gazebo=changed("the shape becomes black", INFO),
        drake=changed("cameras see it, contact visualization does not", INFO),
        agx=changed(
            "a scene that is stored and loaded again has it only if the image file still exists",
            INFO,
        ),
        moveit=ignored("RViz shows them"),
        vamp=ignored(),
    ),
    _row(
        "massless",
        "moving links without mass and shape",
        _massless(False),
        mujoco=refused("a moving body must have mass and inertia"),
        drake=changed("mass 0: its equations cannot be solved, unless links below it have mass"),
        newton=changed("a body with mass 0 does not react to forces"),
        gazebo=ignored("the link is left out, with its joint and everything below it", ERROR),
        isaac=changed("PhysX uses a default mass"),
        moveit=READ,
        vamp=READ,
        agx=_UNWEIGHED_IN_AGX,
    ),
    _row(
        "unweighed",
        "moving links with a shape and no mass",
        _massless(True),
        mujoco=changed("the mass comes from its collision shapes at 1,000 kg/m³"),
        drake=changed("mass 0: its equations cannot be solved, unless links below it have mass"),
        newton=changed("the mass comes from its collision shapes at 1,000 kg/m³"),
        gazebo=ignored("the link is left out, with its joint and everything below it", ERROR),
        isaac=changed("PhysX computes the mass from its colliders"),
        moveit=READ,
        vamp=READ,
        agx=_UNWEIGHED_IN_AGX,
    ),
    _row(
        "inertia",
        "impossible inertias",
        ("links", _impossible_inertias),
        mujoco=refused(
            "its compiler repairs them only with `<mujoco><compiler "
            'balanceinertia="true"/></mujoco>`'
        ),
        drake=changed("it warns and replaces them by a guess"),
        newton=changed("it warns and repairs them"),
        gazebo=refused("libsdformat calls the link invalid"),
        moveit=ignored("planning does not use masses"),
        vamp=ignored("planning does not use masses"),
    ),
    _row(
        "capsule",
        "collision capsules",
        _links(lambda link: _has(link, Capsule)),
        newton=changed("it reads `height`, not `length`: every capsule is 1 m long"),
        gazebo=refused(_OLD, WARNING),
        moveit=ignored("urdfdom has no capsules", WARNING),
        isaac=ignored("it has no capsules", WARNING),
        agx=ignored("its feature table has no capsules", WARNING),
        vamp=_ALONE,
    ),
    _row(
        "mesh",
        "collision meshes",
        _links(lambda link: _has(link, Mesh)),
        mujoco=changed("their convex hulls collide"),
        drake=changed("their convex hulls collide"),
        isaac=changed("their convex hulls collide", INFO),
        vamp=_ALONE,
    ),
    _row("shapes", "collision boxes and cylinders", _links(_has_box_or_cylinder), vamp=_ALONE),
    _row("stl", "collision meshes in STL", _format(".stl"), drake=refused(_FORMATS), vamp=_ALONE),
    _row("obj", "collision meshes in OBJ", _format(".obj"), vamp=_ALONE),
    _row(
        "dae",
        "collision meshes in COLLADA",
        _format(".dae"),
        mujoco=refused("it reads OBJ and binary STL: convert the meshes"),
        drake=refused(_FORMATS),
        vamp=_ALONE,
    ),
    _row(
        "gltf",
        "collision meshes in glTF",
        _format(".gltf"),
        mujoco=refused("it reads OBJ and binary STL: convert the meshes"),
        isaac=ignored("it reads OBJ, DAE and STL", WARNING),
        vamp=_ALONE,
    ),
    _row(
        "ply",
        "collision meshes in PLY, OFF or GLB",
        _format(".ply", ".off", ".glb"),
        mujoco=refused("it reads OBJ and binary STL: convert the meshes"),
        drake=refused(_FORMATS),
        isaac=ignored("it reads OBJ, DAE and STL", WARNING),
        vamp=_ALONE,
    ),
    _row(
        "scale",
        "mesh scales",
        _links(_is_scaled),
    ),
    _row(
        "package",
        "collision meshes by `package://`",
        _links(lambda link: _is_of_package(link.collisions)),
        mujoco=refused(
            "it finds no packages (3.3 looked below the URDF's folder): write relative paths"
        ),
        drake=_UNNAMED,
        newton=_IMPORTERS,
        gazebo=_MODELS,
        vamp=_ALONE,
        agx=_ONE_PACKAGE,
    ),
    _row(
        "visual_package",
        "visual meshes by `package://`",
        _links(lambda link: _is_of_package(link.visuals)),
        mujoco=ignored("they are left out with the visual shapes"),
        drake=_UNNAMED,
        newton=_IMPORTERS,
        gazebo=_MODELS,
        vamp=ignored(),
        agx=_ONE_PACKAGE,
    ),
    _row(
        "fixed",
        "links on fixed joints",
        _joints(lambda j: j.type is JointType.FIXED),
        mujoco=changed(
            "they become part of their parent and lose their names, unless the URDF has "
            "`<mujoco><compiler "
            'fusestatic="false"/></mujoco>`',
            INFO,
        ),
        gazebo=changed("they become part of their parent; their names are frames", INFO),
    ),
    _row(
        "free",
        "robots without a link `world`",
        ("links", lambda c: () if c.urdf.link("world") else KinematicGraph(c.urdf).roots[:1]),
        drake=changed("it falls, unless it is welded: `plant.WeldFrames(plant.world_frame(), …)`"),
        gazebo=changed("it falls: add a joint that fixes it to a link `world`"),
        agx=changed("it falls, unless `attachToWorld` is set"),
    ),
    _row(
        "transmission",
        "transmissions",
        _robot(lambda u: u.transmissions),
        rest=ignored(),
        drake=changed("they become actuators, without a mechanical reduction", INFO),
        isaac=_KEPT,
    ),
    _row(
        "proximity",
        "contact properties of Drake",
        _links(lambda link: any(shape.proximity for shape in link.collisions)),
        rest=ignored(),
        drake=READ,
        isaac=_KEPT,
    ),
    _row(
        "bad_proximity",
        "incomplete or impossible contact properties",
        _links(lambda link: any(map(_touches_not, link.collisions))),
        rest=ignored(),
        drake=refused(
            "compliant shapes need a hydroelastic modulus above 0; round hydroelastic shapes a "
            "mesh resolution "
            "above 0. Stiffness must be above 0, no value below 0, and dynamic friction at most "
            "static "
            "friction"
        ),
        isaac=_KEPT,
    ),
    _row(
        "gazebo",
        "`<gazebo>` elements",
        _robot(_elements("gazebo")),
        rest=ignored(),
        gazebo=READ,
        isaac=_KEPT,
        drake=ignored(
            "`convert … --drake` writes their friction, stiffness and damping as Drake's"
        ),
    ),
    _row(
        "ros2_control",
        "`<ros2_control>` elements",
        _robot(_elements("ros2_control")),
        rest=ignored(),
        gazebo=ignored("the plugin gz_ros2_control reads them"),
        isaac=_KEPT,
    ),
    _row(
        "sensor",
        "sensors",
        _robot(lambda u: u.sensors),
        rest=ignored(),
        gazebo=ignored("its own are in `<gazebo>` elements"),
        isaac=_KEPT,
    ),
    _row(
        "model_state",
        "`<model_state>` elements",
        _robot(_elements("model_state")),
        rest=ignored(),
        isaac=_KEPT,
    ),
    _row(
        "quaternion",
        "orientations as `quat_xyzw`",
        ("joints", lambda c: _turned(c.urdf)),
        rest=ignored("all are read as no rotation: write rpy", ERROR),
        gazebo=refused(_OLD, WARNING),
        moveit=refused(_OLD, WARNING),
    ),
)


@dataclass(frozen=True, slots=True)
class Use:
    """A feature that a robot has, with the joints or links (each name once) that have it."""

    feature: FormatFeature
    names: tuple[str, ...]


def uses(context: CheckContext) -> tuple[Use, ...]:
    """The rows of the table that this robot has."""
    named = ((feature, tuple(dict.fromkeys(feature.users(context)))) for feature in FEATURES)
    return tuple(Use(feature, names) for feature, names in named if names)


def unread(every: Iterable[Use]) -> tuple[Use, ...]:
    """The features that some program does not just read."""
    return tuple(
        use
        for use in every
        if any(use.feature.fact(p).treatment is not Treatment.READ for p in SOURCES)
    )


def sentence(use: Use, profile: Profile) -> str:
    """Describe how a program treats a feature, with the first names that have it; empty if the
    program reads it."""
    fact = use.feature.fact(profile)
    if fact.treatment is Treatment.READ:
        return ""
    more = len(use.names) - _TOLD
    names = ", ".join(use.names[:_TOLD]) + (
        f" and {format_count(more, 'other')}" if more > 0 else ""
    )
    of = "" if use.feature.of == "robot" else f" ({names})"
    reason = f": {as_message(fact.text)}" if fact.text else ""
    return f"{profile.program} {fact.treatment} {as_message(use.feature.title)}{of}{reason}."
