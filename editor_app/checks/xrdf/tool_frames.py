"""XRDF8xx: tool frames."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, WARNING, flaw, rule
from editor_app.edit import commands
from editor_app.model.findings import Finding
from editor_app.model.near_names import nearest
from editor_app.model.robot import Profile

_SECTION = "tool_frames"


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
