"""A robot -> COLLADA 1.5 with OpenRAVE's extensions, so that reading it again gives the same robot.

What COLLADA says less exactly (limits in degrees, principal moments, names of groups), or has no
place for, is there a second time: the URDF, SRDF and XRDF themselves, in an <extra> of this editor.
See `embedded`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.meshes import MeshParts, make_plain_name
from editor_app.core.formats.srdf import srdf_text
from editor_app.core.formats.urdf.patch import urdf_text
from editor_app.core.formats.xrdf.write import xrdf_text
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Location
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Joint
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import MAX_CHAIN
from editor_app.core.text.xml.morph import build_piece
from editor_app.core.text.xml.splices import with_last_children
from editor_app.plugins.collada.documents import archive_of
from editor_app.plugins.collada.embedded import embedded_element, without_kept
from editor_app.plugins.collada.embedded_masks import is_manipulator
from editor_app.plugins.collada.transforms import TIMES
from editor_app.plugins.collada.writing.bodies import BodyWriter
from editor_app.plugins.collada.writing.extensions import Sensors, collision_extra, system_extras
from editor_app.plugins.collada.writing.kinematics import (
    INSTANCE,
    MOTION,
    axis_parameters,
    bounds,
    is_fixed,
    model_element,
    systems,
)
from editor_app.plugins.collada.writing.state import E, Writing


@dataclass(frozen=True)
class OriginalTexts:
    """The texts of the robot's files; those that are None are written anew, those that are empty
    left out."""

    urdf: str | None = None
    srdf: str | None = None
    xrdf: str | None = None


def collada_files(
    robot: RobotDescription,
    output: Path,
    mesh_parts: MeshParts | None = None,
    sources: OriginalTexts | None = None,
) -> tuple[list[tuple[Path, bytes]], ConversionReport]:
    """`.dae` with its pictures beside it, or `.zae` with them in it, by the name.

    Raises FormatError for a robot without links, or infinite values.
    """
    state = Writing(robot, mesh_parts, Reporter("URDF, SRDF and XRDF", "COLLADA 1.5"))
    # Of its own, so that two robots may stand in one folder.
    state.pictures = f"{make_plain_name(output.stem)}_textures"
    if not state.root or robot.urdf.link(state.root) is None:
        raise FormatError("The robot has no root link", Location("<new COLLADA>"))
    longest = max(state.depths().values()) + 1
    if 2 * longest > MAX_CHAIN:
        raise FormatError(
            f"The robot has a chain of {longest:,} links, too long for readers of COLLADA",
            Location("<new COLLADA>"),
        )
    try:
        data = _text(state, sources or OriginalTexts()).encode()
    except ValueError as error:
        raise FormatError(
            f"It cannot be written as COLLADA: {error}", Location("<new COLLADA>")
        ) from None
    report = state.out.report()
    if output.suffix.lower() == ".zae":
        return [(output, archive_of(f"{output.stem}.dae", data, state.beside))], report
    return [
        (output, data),
        *((output.parent / name, content) for name, content in state.beside.items()),
    ], report


def _text(state: Writing, sources: OriginalTexts) -> str:
    robot = state.robot
    gone = [link.name for link in robot.urdf.links if link.name not in state.world]
    if gone:
        state.out.kept(
            "links",
            f"not connected to {state.root}, readable by this editor only: {', '.join(gone)}",
        )
    bodies = BodyWriter(state)
    node = bodies.scene_node()
    sensors = Sensors(state)
    model = model_element(state, collision_extra(state, bodies.bindings))
    pair = systems(state, system_extras(state, sensors.attachments))
    physics = bodies.physics()
    name = robot.urdf.name or "robot"
    visual = build_piece("node", node, id="visual0", sid="visual0", name=name)
    parts = [
        _asset(),
        *bodies.libraries(),
        _library("visual_scenes", "vscenes", build_piece("visual_scene", visual, id="vscene")),
        _library("kinematics_models", "kmodels", model),
        _library("articulated_systems", "asystems", *pair),
        _library("kinematics_scenes", "kscenes", _kinematics_scene(state, name)),
        *physics,
        _scene(state, bool(physics)),
        *sensors.library(),
        *state.pieces("COLLADA"),
        _embedded(state, sources, sensors),
    ]
    # Adds the entries; the geometry must have been written.
    _urdf(state)
    _xrdf(state, state.robot.xrdf)
    if state.robot.srdf is not None:
        _srdf(state, state.robot.srdf)
    schema = "http://www.collada.org/2008/03/COLLADASchema"
    return state.document(build_piece("COLLADA", *parts, xmlns=schema, version="1.5.0"))


def _asset() -> E:
    return build_piece(
        "asset",
        build_piece("contributor", build_piece("authoring_tool", text="XRDF Editor")),
        *TIMES,
        build_piece("unit", meter="1", name="meter"),
        build_piece("up_axis", text="Z_UP"),
    )


def _library(kind: str, identifier: str, *elements: E) -> E:
    return build_piece(f"library_{kind}", *elements, id=identifier)


def _kinematics_scene(state: Writing, name: str) -> E:
    binds = tuple(
        build_piece(
            "bind", build_piece("param", ref=f"{MOTION}/motion_{sid}"), symbol=f"kscene_{sid}"
        )
        for sid in (INSTANCE, *axis_parameters(state))
    )
    instance = build_piece(
        "instance_articulated_system", *binds, url=f"#{MOTION}", sid=f"{MOTION}_inst", name=name
    )
    return build_piece("kinematics_scene", instance, id="kscene", name=name)


def _scene(state: Writing, physics: bool) -> E:
    def param(text: str) -> E:
        return build_piece("param", text=text)

    root = (("node", f"visual0/node{state.number[state.root]}"),)
    binds = [E("bind_kinematics_model", root, (param(f"kscene_{INSTANCE}"),))]
    binds += [_bind_axis(state, joint) for joint in state.used()]
    parts = [build_piece("instance_physics_scene", url="#pscene")] if physics else []
    parts += [
        build_piece("instance_visual_scene", url="#vscene"),
        build_piece("instance_kinematics_scene", *binds, url="#kscene"),
    ]
    return build_piece("scene", *parts)


def _bind_axis(state: Writing, joint: Joint) -> E:
    sid = state.joints[joint.name]
    target = f"node{state.number[joint.child]}/node_{sid}_axis0"
    parts = tuple(
        build_piece(tag, build_piece("param", text=f"kscene_{INSTANCE}_{sid}_{end}"))
        for tag, end in (("axis", "axis0"), ("value", "axis0_value"))
    )
    return build_piece("bind_joint_axis", *parts, target=target)


def _embedded(state: Writing, sources: OriginalTexts, sensors: Sensors) -> E:
    robot = state.robot
    urdf = sources.urdf
    if urdf is None:
        urdf = _with_extensions(robot)
    urdf = without_kept(SourceText.from_text(urdf)) if urdf else urdf
    srdf = sources.srdf
    if srdf is None and robot.srdf is not None:
        srdf = srdf_text(robot.srdf)
    xrdf = sources.xrdf
    if xrdf is None and robot.xrdf != Xrdf():
        xrdf = xrdf_text(robot.xrdf)
    names = [n for n, text in (("URDF", urdf), ("SRDF", srdf), ("XRDF", xrdf)) if text]
    if names:
        detail = f"{', '.join(names)}: verbatim next to the COLLADA elements, for this editor only"
        state.out.kept("digits, comments and everything COLLADA cannot store", detail)
    if robot.urdf.transmissions:
        state.out.kept(
            "transmission",
            f"{format_count(len(robot.urdf.transmissions), 'transmission')} within the URDF there",
        )
    tell_contact(robot.urdf, state.out.kept, "within the URDF there")
    return embedded_element(
        urdf, srdf, xrdf, state.unwritten, sensors.written, sensors.borrowed, state.invented
    )


def _with_extensions(robot: RobotDescription) -> str:
    """The URDF as text, with what the model has as text only."""
    bare = replace(robot.urdf, transmissions=(), extensions=())
    text = urdf_text(bare)
    texts = [t.text for t in robot.urdf.transmissions] + [e.text for e in robot.urdf.extensions]
    return with_last_children(text, texts) if texts else text


#: What libxml2 takes without being told to take more.
_COMMON_DEPTH = 250
_ALONE = "readable by this editor only"
#: Parts of joints that COLLADA has no words for, and whether a joint has one.
_PARTS_ALONE: dict[str, Callable[[Joint], bool]] = {
    "effort": lambda joint: joint.limit is not None and joint.limit.effort not in (None, 0.0),
    "dynamics": lambda joint: joint.dynamics is not None,
    "safety_controller": lambda joint: joint.safety is not None,
    "calibration": lambda joint: joint.calibration is not None,
}


def _urdf(state: Writing) -> None:
    out, urdf = state.out, state.robot.urdf
    out.translated("links and joints", f"{len(state.world)} and {len(state.world) - 1}")
    # COLLADA's links stand in each other, with an attachment between.
    deep = 2 * max(state.depths().values())
    if deep > _COMMON_DEPTH:
        out.translated("chain", f"nested {deep} deep: some XML readers stop at {_COMMON_DEPTH}")
    links = [link for link in urdf.links if link.name in state.world]
    for kind, number, where in (
        ("visual", sum(len(link.visuals) for link in links), "in the nodes of the scene"),
        (
            "collision",
            sum(len(link.collisions) for link in links),
            "as bind_instance_geometry, environment",
        ),
    ):
        written = number - sum(k == kind for _, k, _ in set(state.unwritten))
        if written > 0:
            out.translated(kind, f"{format_count(written, 'shape')} {where}")
    masses = sum(link.inertial is not None for link in links)
    if masses:
        out.translated(
            "inertial",
            f"{format_count(masses, 'rigid_body', 'rigid bodies')} with principal moments",
        )
    _joints(state, [j for j in state.used() if not is_fixed(j)])


def _joints(state: Writing, joints: list[Joint]) -> None:
    out = state.out
    limited = sum(bounds(j) is not None for j in joints)
    if limited:
        out.translated(
            "limit", f"of {format_count(limited, 'joint')}: axis_info, in degrees and metres"
        )
    mimics = [j for j in joints if j.mimic is not None and j.mimic.joint in state.structure.joints]
    if mimics:
        out.translated("mimic", format_count(len(mimics), "formula", "formulas"))
    numbers = {part: sum(map(has_part, joints)) for part, has_part in _PARTS_ALONE.items()}
    if alone := [
        f"{part} of {format_count(number, 'joint')}" for part, number in numbers.items() if number
    ]:
        out.kept("joints", f"{', '.join(alone)}: {_ALONE}")


def _xrdf(state: Writing, xrdf: Xrdf) -> None:
    out = state.out
    names = xrdf.controlled
    if names:
        limits = xrdf.cspace is not None and (
            xrdf.cspace.acceleration_limits or xrdf.cspace.jerk_limits
        )
        more = ", acceleration and jerk of its motion" if limits else ""
        out.translated(
            "cspace", f"{format_count(len(names), 'joint')}: active and index of axis_info{more}"
        )
    if any((xrdf.default_joint_positions or {}).values()):
        out.translated("default_joint_positions", "values of the joints in the scene")
    alone = [
        ("tool_frames", bool(xrdf.tool_frames)),
        ("modifiers", bool(xrdf.modifiers)),
        (
            "buffer_distance",
            any(
                s is not None and s.buffer_distance
                for s in (xrdf.world_collision, xrdf.self_collision)
            ),
        ),
        (
            "spheres for obstacles",
            xrdf.self_group is not None and xrdf.world_group not in (None, xrdf.self_group),
        ),
    ]
    if present := [name for name, is_used in alone if is_used]:
        out.kept(", ".join(present), _ALONE)


def _srdf(state: Writing, srdf: Srdf) -> None:
    out = state.out
    hands = {e.group for e in srdf.end_effectors}
    for group in srdf.groups:
        if not is_manipulator(srdf, group) and group.name not in hands:
            out.kept(f"group {group.name}", f"not a chain, as a manipulator must be; {_ALONE}")
    if srdf.states:
        out.kept("group_state", f"{format_count(len(srdf.states), 'state')}: {_ALONE}")
    if srdf.virtual_joints:
        out.kept("virtual_joint", f"{', '.join(v.name for v in srdf.virtual_joints)}: {_ALONE}")
    if srdf.end_effectors:
        names = ", ".join(e.name for e in srdf.end_effectors)
        out.translated(
            "end_effector", f"{names}: gripper joints of their manipulator, if it exists"
        )
