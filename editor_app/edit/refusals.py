"""Why a change of the robot is not taken: the text of a file could not follow it."""

from __future__ import annotations

from editor_app.edit.expansion import Expansion
from editor_app.edit.state import State, file_of
from editor_app.edit.typed_text import read_typed
from editor_app.model.change import CannotApply
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription


def refuse_locked(state: State, robot: RobotDescription, expansion: Expansion | None) -> None:
    """Raises CannotApply where `robot` changes a URDF that is in no file, or a part of the XRDF that is read only."""
    if expansion is not None and robot.urdf is not state.robot.urdf and robot.urdf != state.robot.urdf:
        raise CannotApply(expansion.reason)
    if robot.xrdf is state.robot.xrdf or not state.xrdf_source.read_only:
        return
    for path, reason in state.xrdf_source.read_only.items():
        if _part(robot, path) != _part(state.robot, path):
            raise CannotApply(f"{'.'.join(map(str, path))} cannot be edited here: {reason}")


def refuse_under_typed(state: State, robot: RobotDescription) -> None:
    """Raises TypedFault where `robot` changes a file whose typed text cannot be read.

    That text, once it is mended, would undo what is changed behind its back.
    """
    for place in state.typed:
        kind = file_of(place)
        old, new = state.part(kind), getattr(robot, kind.value)
        if new is not old and new != old:
            read_typed(state, place)


def _part(robot: RobotDescription, path: tuple[str | int, ...]) -> object:
    """The value of the model that a YAML path leads to, or the last one on the way there that the model knows."""
    names = {"collision": "world_collision"}
    part: object = robot.xrdf
    for depth, key in enumerate(path):
        if isinstance(part, FrozenDict):
            part = part.get(key)
        elif depth == 1 and path[0] == "geometry":
            part = robot.xrdf.group(str(key))
        elif isinstance(part, tuple):
            if not isinstance(key, int) or key >= len(part):
                return part
            part = part[key]
        else:
            name = names.get(str(key), str(key)) if depth == 0 else str(key)
            if not hasattr(part, name):
                return part
            part = getattr(part, name)
    return part
