"""XRDF8xx: tool frames; and XRDF711, a tool frame that the c-space does not move, or not by its whole chain."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, WARNING, flaw, rule
from editor_app.edit import commands
from editor_app.model.findings import Finding
from editor_app.model.near_names import nearest
from editor_app.model.profile import Profile

_SECTION = "tool_frames"


@rule("XRDF711", "A tool frame that the c-space does not move", _SECTION, "cspace tool_frames urdf modifiers")
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
            # A lift or waist in front of the arm may well be locked; one joint amid the arm hardly is.
            missing = [name for name in moving[controlled_at[0] : controlled_at[-1]] if name not in controlled]
            message = (
                f"Tool frame {tool!r} is moved by {_listed(missing)}, too, amid the c-space: locked joints cripple it."
            )
        else:
            missing = list(moving)
            message = f"No joint of the c-space moves the tool frame {tool!r}" + (
                f"; {_listed(moving)} would." if moving else ": it is fixed to the base."
            )
        if controlled_at and not missing:
            continue
        options = [fixes.add_cspace_joint(name) for name in missing[:1]]
        if not controlled_at:
            options.append(fixes.remove_tool_frame(index, tool))
        yield flaw(WARNING, message, (_SECTION, index), links=(tool,), joints=missing, fixes=options)


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(repr(name) for name in every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")


@rule("XRDF801", "No tool frame", _SECTION, "tool_frames profile urdf modifiers", needs_urdf=False)
def there_is_one(c: CheckContext) -> Iterable[Finding]:
    if c.tool_frames:
        return
    severity = ERROR if c.profile is Profile.CUROBO else WARNING
    needs = {
        Profile.CUMOTION: "cuMotion's library loads the file, its planning needs one (the first is planned for)",
        Profile.CUROBO: "cuRobo requires one",
    }
    why = needs.get(c.profile, "planners need at least one, the first is the end effector")
    # The leaves of the kinematic structure, deepest first.
    leaves = [i for i, children in enumerate(c.tree.children) if not children] if c.has_urdf else []
    deepest = sorted(leaves, key=lambda i: -c.tree.depth[i])[:6]
    options = [fixes.use_tool_frame(c.tree.frames[i]) for i in deepest]
    message = f"tool_frames is {'missing' if c.tool_frames is None else 'empty'}: {why}."
    yield flaw(severity, message, (_SECTION,), fixes=options)


@rule("XRDF802", "A tool frame does not exist", _SECTION, "tool_frames urdf modifiers")
def frames_exist(c: CheckContext) -> Iterable[Finding]:
    for index, name in enumerate(c.tool_frames or ()):
        if name in c.frames:
            continue
        options = [fixes.remove_tool_frame(index, name)]
        close = nearest(name, c.frames)
        if close is not None and name not in c.urdf_links and close not in (c.tool_frames or ()):
            options.insert(0, fixes.offer(f"Write {close} instead of {name}", commands.SetToolFrame(index, close)))
        yield flaw(ERROR, f"Tool frames: {c.why_no_frame(name)}", (_SECTION, index), links=(name,), fixes=options)


@rule("XRDF803", "A tool frame is named twice", _SECTION, "tool_frames")
def frames_stand_once(c: CheckContext) -> Iterable[Finding]:
    first: dict[str, int] = {}
    for index, name in enumerate(c.tool_frames or ()):
        if name in first:
            message = f"Tool frame {name!r} stands at positions {first[name] + 1} and {index + 1}."
            option = fixes.remove_tool_frame(index, name)
            yield flaw(WARNING, message, (_SECTION, index), links=(name,), fixes=(option,))
        first.setdefault(name, index)
