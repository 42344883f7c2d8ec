"""XRDF2xx: modifiers (201, 203 and 209, which a reader could not even read, are reported by
formats.xrdf); XRDF8xx: tool frames; and XRDF711, a tool frame that the c-space does not move, or
not by its whole chain.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from editor_app.core.document import commands
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding, Severity, YamlPath
from editor_app.core.model.keys import Named
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import find_free_name, nearest
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change
from editor_app.core.model.xrdf import AddFrame, RemoveMimicAttributes, SetBaseFrame
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.rule import ERROR, WARNING, CheckContext, flaw, rule

_SECTION = "modifiers"


def _added(c: CheckContext) -> Iterable[tuple[int, AddFrame]]:
    return ((i, m) for i, m in enumerate(c.modifiers or ()) if isinstance(m, AddFrame))


def _of_frame(
    severity: Severity,
    message: str,
    index: int,
    modifier: AddFrame,
    *keys: str,
    fixes: Iterable[Change] = (),
) -> Finding:
    """What is wrong with an added frame, or with what stands under `keys` of it."""
    path: YamlPath = (_SECTION, index, "add_frame", *keys)
    return flaw(severity, message, path, links=(modifier.frame_name,), fixes=fixes)


def _with_taken_name(
    c: CheckContext, key: str, urdf_names: Collection[str], owner: str
) -> Iterable[tuple[int, AddFrame, str, Change]]:
    """(place, frame, whose name it has, remedy) of each added frame whose `key` is the name of
    something before it."""
    seen: set[str] = set()
    every = {*urdf_names, *(getattr(modifier, key) for _, modifier in _added(c))}
    for index, modifier in _added(c):
        name = getattr(modifier, key)
        if name in urdf_names or name in seen:
            free = find_free_name(name, every)
            option = fixes.edit_add_frame(index, modifier, f"Rename it to {free}", **{key: free})
            yield index, modifier, owner if name in urdf_names else "another added frame", option
        seen.add(name)


@rule(
    "XRDF204",
    "The name of an added frame is already in use",
    _SECTION,
    "modifiers urdf",
    needs_urdf=False,
)
def frame_names_are_free(c: CheckContext) -> Iterable[Finding]:
    for index, modifier, owner, option in _with_taken_name(
        c, "frame_name", c.urdf_links, "a link of the URDF"
    ):
        message = (
            f"The added frame {modifier.frame_name!r} has the name of {owner}; frame names must be "
            "unique."
        )
        yield _of_frame(ERROR, message, index, modifier, "frame_name", fixes=(option,))


@rule(
    "XRDF205",
    "The joint name of an added frame is already in use",
    _SECTION,
    "modifiers urdf",
    needs_urdf=False,
)
def joint_names_are_free(c: CheckContext) -> Iterable[Finding]:
    for index, modifier, owner, option in _with_taken_name(
        c, "joint_name", c.urdf_joints, "a joint of the URDF"
    ):
        frame = modifier.frame_name
        message = (
            f"The joint {modifier.joint_name!r} of the added frame {frame!r} has the name of "
            f"{owner}."
        )
        yield _of_frame(ERROR, message, index, modifier, "joint_name", fixes=(option,))


@rule("XRDF206", "The parent of an added frame does not exist", _SECTION, "modifiers urdf")
def parents_exist(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        parent = modifier.parent_frame_name
        if parent in c.urdf_links or parent in c.added_frames:
            continue
        close = nearest(parent, (c.urdf_links | set(c.added_frames)) - {modifier.frame_name})
        options = (commands.ReplaceName("xrdf", Named.LINK, parent, close),) if close else ()
        message = (
            f"The added frame {modifier.frame_name!r} is attached to {parent!r}, which is neither "
            "a link of the "
            "URDF nor an added frame" + (f"; did you mean {close!r}?" if close else ".")
        )
        yield _of_frame(ERROR, message, index, modifier, "parent_frame_name", fixes=options)


@rule("XRDF207", "Added frames form a cycle", _SECTION, "modifiers urdf", needs_urdf=False)
def frames_form_no_cycle(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        chain = [modifier.frame_name]
        parent = modifier.parent_frame_name
        while parent in c.added_frames and parent not in c.urdf_links and parent not in chain:
            chain.append(parent)
            parent = c.added_frames[parent].parent_frame_name
        if parent == modifier.frame_name:
            message = (
                "Added frames are attached to each other in a cycle: "
                f"{' → '.join([*chain, parent])}."
            )
            yield _of_frame(ERROR, message, index, modifier, "parent_frame_name")


@rule("XRDF208", "The joint type of an added frame is not FIXED", _SECTION, "modifiers profile")
def joint_types_are_fixed(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        kind = modifier.joint_type
        if kind is None or kind == "FIXED":
            continue
        lenient = kind.upper() == "FIXED" and c.profile is not Profile.CUROBO
        severity = WARNING if lenient else ERROR
        message = (
            f"The added frame {modifier.frame_name!r} has joint_type {kind!r}; only FIXED is "
            "defined"
        )
        message += ", and cuRobo fails on other spellings." if c.profile is Profile.CUROBO else "."
        options = (fixes.edit_add_frame(index, modifier, "Write FIXED", joint_type="FIXED"),)
        yield _of_frame(severity, message, index, modifier, "joint_type", fixes=options)


@rule("XRDF210", "The quaternion of an added frame is not a unit quaternion", _SECTION, "modifiers")
def quaternions_are_unit(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        transform = modifier.fixed_transform
        norm = math.sqrt(math.fsum(x * x for x in transform.orientation_wxyz))
        if abs(norm - 1.0) <= 1e-3:
            continue
        frame = f"of the added frame {modifier.frame_name!r} has length"
        if norm == 0.0 or not math.isfinite(norm):
            severity, message, label = (
                ERROR,
                f"The orientation {frame} {norm:g}: it is not a rotation.",
                "No rotation",
            )
            wxyz = (1.0, 0.0, 0.0, 0.0)
        else:
            severity, label = WARNING, "Normalise"
            message = (
                f"The quaternion {frame} {norm:.6g} instead of 1; some readers refuse it, some "
                "normalise it."
            )
            w, x, y, z = (component / norm for component in transform.orientation_wxyz)
            wxyz = (w, x, y, z)
        turned = replace(transform, orientation_wxyz=wxyz)
        options = (fixes.edit_add_frame(index, modifier, label, fixed_transform=turned),)
        yield _of_frame(
            severity, message, index, modifier, "fixed_transform", "orientation", fixes=options
        )


@rule("XRDF211", "The base frame does not exist", _SECTION, "modifiers urdf version")
def base_exists(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in enumerate(c.modifiers or ()):
        if not isinstance(modifier, SetBaseFrame) or modifier.frame in c.urdf_links:
            continue
        if modifier.frame in c.added_frames:
            if c.is_v2:
                continue
            message = (
                f"set_base_frame names the added frame {modifier.frame!r}; in version 1.0 it must "
                "be a URDF link."
            )
        else:
            message = f"set_base_frame names {modifier.frame!r}, which is not a frame of the robot."
        close = nearest(modifier.frame, c.urdf_links | (set(c.added_frames) if c.is_v2 else set()))
        options = (
            (
                fixes.offer(
                    f"Use {close} as the base frame",
                    commands.set_item("xrdf.modifiers", index, SetBaseFrame(close)),
                ),
            )
            if close and close != modifier.frame
            else ()
        )
        path = (_SECTION, index, "set_base_frame")
        yield flaw(ERROR, message, path, links=(modifier.frame,), fixes=options)


@rule("XRDF212", "Two base frames", _SECTION, "modifiers urdf")
def bases_agree(c: CheckContext) -> Iterable[Finding]:
    bases = [(i, m) for i, m in enumerate(c.modifiers or ()) if isinstance(m, SetBaseFrame)]
    if len(bases) < 2:
        return
    parents = {child: joint.parent for child, joint in KinematicGraph(c.urdf).incoming.items()}
    parents.update({m.frame_name: m.parent_frame_name for m in c.added_frames.values()})

    def above(frame: str) -> set[str]:
        ancestors: set[str] = set()
        while frame in parents and frame not in ancestors:
            ancestors.add(frame)
            frame = parents[frame]
        return ancestors | {frame}

    first_index, first = bases[0]
    for index, modifier in bases[1:]:
        path = (_SECTION, index, "set_base_frame")
        options = (
            fixes.remove_modifier(index, "Delete this one"),
            fixes.remove_modifier(first_index, "Delete the first"),
        )
        if first.frame in above(modifier.frame) or modifier.frame in above(first.frame):
            severity, why = WARNING, "the one nearer to the root has no effect"
        else:
            severity, why = ERROR, "neither is below the other, so both cannot apply"
        message = (
            f"set_base_frame appears twice, with {first.frame!r} and {modifier.frame!r}: {why}."
        )
        yield flaw(severity, message, path, links=(first.frame, modifier.frame), fixes=options)


@rule(
    "XRDF213",
    "An added frame has no joint type",
    _SECTION,
    "modifiers profile",
    profile=Profile.CUROBO,
)
def joint_types_are_said(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        if modifier.joint_type is None:
            message = (
                f"The added frame {modifier.frame_name!r} has no joint_type: cuRobo fails to read "
                "it."
            )
            options = (fixes.edit_add_frame(index, modifier, "Write FIXED", joint_type="FIXED"),)
            yield _of_frame(ERROR, message, index, modifier, fixes=options)


@rule("XRDF214", "An added frame is cut off by the base", _SECTION, "modifiers urdf")
def added_frames_survive(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in _added(c):
        if modifier.frame_name in c.frames:
            continue
        # A missing parent or a cycle is 206 or 207.
        frame, seen = modifier.frame_name, set[str]()
        while frame in c.added_frames and frame not in seen:
            seen.add(frame)
            frame = c.added_frames[frame].parent_frame_name
        if frame in c.urdf_links and frame not in c.frames:
            message = (
                f"The added frame {modifier.frame_name!r} is attached to {frame!r}, which the base "
                "frame "
                f"{c.tree.root!r} cuts off: it is cut off too."
            )
            yield _of_frame(WARNING, message, index, modifier, "parent_frame_name")


@rule("XRDF215", "A joint that cannot be freed from mimicking", _SECTION, "modifiers urdf version")
def freed_joints_mimic(c: CheckContext) -> Iterable[Finding]:
    for index, modifier in enumerate(c.modifiers or ()):
        if not isinstance(modifier, RemoveMimicAttributes):
            continue
        path = (_SECTION, index, "remove_mimic_attributes")
        joint = c.urdf_joints.get(modifier.joint_name)
        options = (fixes.remove_modifier(index, "Delete the modifier"),)
        if joint is None or joint.mimic is None:
            why = "is not a joint of the URDF" if joint is None else "does not mimic another joint"
            message = f"remove_mimic_attributes: {modifier.joint_name!r} {why}."
            yield flaw(ERROR, message, path, joints=(modifier.joint_name,), fixes=options)
        elif modifier.velocity_limit is None:
            message = f"remove_mimic_attributes of {modifier.joint_name!r} has no velocity_limit."
            velocity = joint.limit.velocity if joint.limit else None
            taken = commands.set_item(
                "xrdf.modifiers", index, replace(modifier, velocity_limit=velocity)
            )
            give = (fixes.offer(f"Use {velocity:g} from the URDF", taken),) if velocity else ()
            yield flaw(ERROR, message, path, joints=(modifier.joint_name,), fixes=give)
        if not c.is_v2 and c.version is not None:
            message = "remove_mimic_attributes needs version 2.0; readers of 1.0 do not support it."
            yield flaw(WARNING, message, path, joints=(modifier.joint_name,), fixes=options)


_TOOLS = "tool_frames"


@rule(
    "XRDF711",
    "A tool frame that the c-space does not move",
    _TOOLS,
    "cspace tool_frames urdf modifiers",
)
def tools_are_moved(c: CheckContext) -> Iterable[Finding]:
    controlled = set(c.xrdf.controlled).intersection(c.tree.independent)
    if not controlled:
        return
    for index, tool in enumerate(c.tool_frames or ()):
        if tool not in c.frames:
            continue
        moving = c.tree.movers(tool)
        controlled_at = [i for i, name in enumerate(moving) if name in controlled]
        if controlled_at:
            # A lift or waist in front of the arm may well be locked; one joint amid the arm hardly
            # is.
            missing = [
                name
                for name in moving[controlled_at[0] : controlled_at[-1]]
                if name not in controlled
            ]
            message = (
                f"Tool frame {tool!r} is also moved by {format_list(map(repr, missing), 3)}, "
                "between joints of the "
                "c-space: the locked joints restrict its motion."
            )
        else:
            missing = list(moving)
            message = f"No joint of the c-space moves the tool frame {tool!r}" + (
                f"; {format_list(map(repr, moving), 3)} would."
                if moving
                else ": it is fixed to the base."
            )
        if controlled_at and not missing:
            continue
        options = [fixes.add_cspace_joints((name,)) for name in missing[:1]]
        if not controlled_at:
            options.append(fixes.remove_tool_frame(index, tool))
        yield flaw(WARNING, message, (_TOOLS, index), links=(tool,), joints=missing, fixes=options)


@rule("XRDF801", "No tool frame", _TOOLS, "tool_frames profile urdf modifiers", needs_urdf=False)
def there_is_one(c: CheckContext) -> Iterable[Finding]:
    if c.tool_frames:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    needs = {
        Profile.CUMOTION: "cuMotion's library loads the file, but its planning needs one (it uses the first)",
        Profile.CUROBO: "cuRobo requires one",
    }
    why = needs.get(c.profile, "planners need at least one; the first is the end effector")
    options = [fixes.use_tool_frame(frame) for frame in _deepest_frames(c)] if c.has_urdf else []
    message = f"tool_frames is {'missing' if c.tool_frames is None else 'empty'}: {why}."
    yield flaw(severity, message, (_TOOLS,), fixes=options)


def _deepest_frames(c: CheckContext) -> list[str]:
    """The leaves of the kinematic structure, deepest first."""
    leaves = [i for i, children in enumerate(c.tree.children) if not children]
    return [c.tree.frames[i] for i in sorted(leaves, key=lambda i: -c.tree.depth[i])[:6]]


@rule("XRDF802", "A tool frame does not exist", _TOOLS, "tool_frames urdf modifiers")
def check_tool_frames(c: CheckContext) -> Iterable[Finding]:
    for index, name in enumerate(c.tool_frames or ()):
        if name in c.frames:
            continue
        # Without any tool frame another error would take the place of this one.
        instead = _deepest_frames(c) if len(c.tool_frames or ()) == 1 else []
        options = [] if instead else [fixes.remove_tool_frame(index, name)]
        close = nearest(name, c.frames)
        if close is not None and name not in c.urdf_links and close not in (c.tool_frames or ()):
            instead = [close, *(frame for frame in instead if frame != close)]
        options[:0] = (
            commands.ReplaceName("xrdf", Named.LINK, name, frame)
            if frame == close
            else fixes.offer(
                f"Replace {name} by {frame}", commands.set_item("xrdf.tool_frames", index, frame)
            )
            for frame in instead
        )
        yield flaw(
            ERROR,
            f"Tool frames: {c.why_no_frame(name)}",
            (_TOOLS, index),
            links=(name,),
            fixes=options,
        )


@rule("XRDF803", "A tool frame is named twice", _TOOLS, "tool_frames")
def frames_stand_once(c: CheckContext) -> Iterable[Finding]:
    first: dict[str, int] = {}
    for index, name in enumerate(c.tool_frames or ()):
        if name in first:
            message = f"Tool frame {name!r} is at positions {first[name] + 1} and {index + 1}."
            option = fixes.remove_tool_frame(index, name)
            yield flaw(WARNING, message, (_TOOLS, index), links=(name,), fixes=(option,))
        first.setdefault(name, index)
