"""Input of cricket, which makes the kernels of VAMP and pRRTC.

A URDF whose collision shapes are spheres alone, an SRDF with the pairs that are not checked, and a
JSON that names both.

cricket builds the robot by pinocchio and plans with all joints that move. So the joints beyond the
c-space stand still at their default positions, a joint that mimics another one stands still, too,
and a joint without limits turns once around: pinocchio has two numbers for one that turns for ever,
where cricket reads one.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
)
from editor_app.core.formats.exchange.conversion import Fate, Reporter
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.formats.exchange.sphere_lists import spheres_urdf_text
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.srdf import srdf_text
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, finite_range
from editor_app.core.space.kinematics.transforms import (
    build_origin,
    build_pose_matrix,
    joint_motion,
)
from editor_app.core.text.source import FormatError

_ENDING = ".cricket.json"
#: Points on a line that VAMP checks at once, for a robot of up to so many joints; cricket's own
#: files have these two.
_RESOLUTION, _FINE_RESOLUTION, _MANY_JOINTS = 32, 64, 10


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    assert source is not None
    if not subject.robot.xrdf.has_spheres:
        place = Location(subject.first_name)
        raise FormatError(
            "cricket needs a robot with spheres, and this one has none",
            place,
            "Fit spheres, or name an XRDF with spheres.",
        )
    out = Reporter(f"XRDF {subject.robot.xrdf.format_version}", "cricket JSON")
    robot = _standing(subject.robot, out)
    patched = patch_urdf(source, robot.urdf)
    spheres = spheres_urdf_text(patched.written, robot.xrdf)
    pairs = to_srdf(robot, subject.reasons)
    stem = output.name.removesuffix(_ENDING) if output.name.endswith(_ENDING) else output.stem
    urdf_path, srdf_path = (
        output.with_name(f"{stem}_{rest}") for rest in ("spherized.urdf", "spherized.srdf")
    )
    files = (
        (output, _json_text(robot, stem, urdf_path.name, srdf_path.name, out).encode()),
        (urdf_path, source.source.with_text(spheres.text).data),
        (srdf_path, srdf_text(pairs.srdf).encode()),
    )
    # Of the SRDF, the pairs alone count here.
    lost = tuple(
        e
        for e in pairs.report.entries
        if e.fate is Fate.LOST and e.item.startswith("self_collision.ignore")
    )
    of_pairs = (replace(pairs.report, entries=lost),) if lost else ()
    reports = (*subject.reports, out.report(), spheres.report, *of_pairs)
    return Conversion(files, reports, (*subject.notes, *patched.notes))


def _json_text(robot: RobotDescription, stem: str, urdf: str, srdf: str, out: Reporter) -> str:
    joints = sum(joint.is_movable for joint in robot.urdf.joints)
    name = identifier(stem, "Robot_")
    value: dict[str, object] = {
        "name": name[:1].upper() + name[1:] if name[:1].isalpha() else f"Robot_{name}"
    }
    value |= {"urdf": urdf, "srdf": srdf}
    tools = robot.xrdf.tool_frames or ()
    if tools:
        value["end_effector"] = tools[0]
        out.translated("tool_frames", f"end_effector {tools[0]}")
    else:
        out.invented("end_effector", "no tool frame: cricket uses the last frame of the robot")
    for tool in tools[1:]:
        out.lost(f"tool frame {tool}", "cricket has one end effector")
    value["resolution"] = _FINE_RESOLUTION if joints > _MANY_JOINTS else _RESOLUTION
    templates = "templates/fk_template.hh", "templates/ccfk_template.hh"
    value |= {
        "template": templates[0],
        "subtemplates": [{"name": "ccfk", "template": templates[1]}],
    }
    value["output"] = f"{name.lower()}_fk.hh"
    out.invented(
        "resolution and templates", "as in cricket's files: copy this file to its resources"
    )
    out.translated("self_collision.ignore", f"disable_collisions in {srdf}")
    out.lost("cspace", "cricket has no acceleration and jerk limits")
    return json.dumps(value, indent=4) + "\n"


def _standing(robot: RobotDescription, out: Reporter) -> RobotDescription:
    """The robot with no other joint that moves but the ones that are planned, and with its added
    frames as links."""
    urdf, xrdf = robot.urdf, robot.xrdf
    graph = KinematicGraph(urdf)
    controlled = xrdf.controlled or graph.movable(urdf.joints)
    positions = dict(xrdf.default_joint_positions or FrozenDict())
    values = {joint.name: positions.get(joint.name, joint.clamped()) for joint in urdf.joints}
    joints = [
        _joint(joint, joint.name in controlled and joint.mimic is None, values, out)
        for joint in urdf.joints
    ]
    links = list(urdf.links)
    names = {link.name for link in links}
    for frame in xrdf.added_frames:
        if frame.frame_name in names:
            continue
        w, x, y, z = frame.fixed_transform.orientation_wxyz
        place = build_origin(
            build_pose_matrix(Origin(frame.fixed_transform.position, quat_xyzw=(x, y, z, w)))
        )
        links.append(Link(frame.frame_name))
        joints.append(
            Joint(
                frame.joint_name, JointType.FIXED, frame.parent_frame_name, frame.frame_name, place
            )
        )
        out.translated(f"add_frame {frame.frame_name}", "a link of the URDF")
    return replace(robot, urdf=replace(urdf, links=tuple(links), joints=tuple(joints)))


def _joint(joint: Joint, is_planned: bool, values: dict[str, float], out: Reporter) -> Joint:
    if joint.type is JointType.FIXED:
        return joint
    if not joint.is_movable:
        out.lost(
            f"joint {joint.name}", f"it is {joint.type}: pinocchio uses several numbers for it"
        )
        return joint
    if is_planned:
        lower, upper = joint.position_limits or (-math.inf, math.inf)
        if joint.type is JointType.PRISMATIC or (math.isfinite(lower) and math.isfinite(upper)):
            return joint
        lower, upper = finite_range(lower, upper, 2.0 * math.pi)
        turn = f"{math.degrees(lower):g} and {math.degrees(upper):g} degrees"
        out.translated(f"joint {joint.name}", f"it had no limits: now between {turn}")
        limit = replace(joint.limit or Limit(effort=0.0, velocity=1.0), lower=lower, upper=upper)
        return replace(joint, type=JointType.REVOLUTE, limit=limit)
    value = values[joint.name]
    if joint.mimic is not None:
        value = joint.mimic.multiplier * values.get(joint.mimic.joint, 0.0) + joint.mimic.offset
    out.translated(f"joint {joint.name}", f"fixed at {joint.position_text(value)}")
    motion = joint_motion(joint.axis, value, slides=joint.type is JointType.PRISMATIC)
    place = build_origin(build_pose_matrix(joint.origin) @ motion)
    return Joint(
        joint.name, JointType.FIXED, joint.parent, joint.child, place, extensions=joint.extensions
    )


CODEC = Codec(
    name="cricket",
    title="&VAMP (cricket)",
    pattern="*.json",
    writer=Writer(
        _write,
        endings=(_ENDING,),
        proposal=_ENDING,
        holds=frozenset({Part.LINKS, Part.SPHERES, Part.SRDF}),
        takes=("world", "merge", "ignore", "positions"),
    ),
)
