"""XRDF711: a tool frame that the c-space does not move, or not by all joints of its chain."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks import fixes
from editor_app.checks.context import CheckContext
from editor_app.checks.rule import WARNING, flaw, rule
from editor_app.model.findings import Finding

_INPUTS = "cspace tool_frames urdf modifiers"


def _controlled(c: CheckContext) -> dict[str, int]:
    """Joint of the c-space that can be controlled -> its place in the list."""
    names = c.xrdf.controlled
    independent = set(c.tree.independent)
    return {name: i for i, name in enumerate(names) if name in independent}


def _moving(c: CheckContext, frame: str) -> list[str]:
    """The joints that move a frame against the base, from the base on; of those that follow, the one that leads."""
    names = []
    for joint in c.tree.path(c.tree.root, frame):
        follow = c.tree.follows.get(joint.name)
        if follow is not None and follow.source is not None:
            names.append(follow.source)
    return list(dict.fromkeys(names))


@rule("XRDF711", "A tool frame that the c-space does not move", "tool_frames", _INPUTS)
def tools_are_moved(c: CheckContext) -> Iterable[Finding]:
    controlled = _controlled(c)
    if not controlled:
        return
    for index, tool in enumerate(c.tool_frames or ()):
        if tool not in c.frames:
            continue
        moving = _moving(c, tool)
        controlled_at = [i for i, name in enumerate(moving) if name in controlled]
        if controlled_at:
            # A lift or waist in front of the arm may well be locked; one joint amid the arm hardly is.
            missing = [name for name in moving[controlled_at[0] : controlled_at[-1]] if name not in controlled]
            message = (
                f"Tool frame {tool!r} is moved by {_listed(missing)}, too, amid the c-space: locked joints cripple it."
            )
        else:
            missing = moving
            message = f"No joint of the c-space moves the tool frame {tool!r}" + (
                f"; {_listed(moving)} would." if moving else ": it is fixed to the base."
            )
        if controlled_at and not missing:
            continue
        options = [fixes.add_cspace_joint(name) for name in missing[:1]]
        if not controlled_at:
            options.append(fixes.remove_tool_frame(index, tool))
        yield flaw(WARNING, message, ("tool_frames", index), links=(tool,), joints=tuple(missing), fixes=tuple(options))


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(repr(name) for name in every[:3]) + (f" and {len(every) - 3} more" if len(every) > 3 else "")
