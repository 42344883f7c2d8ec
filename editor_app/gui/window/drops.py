"""Files and folders dragged onto the window: what dropping them will do is said before, and done as said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editor_app.gui.jobs import Jobs
from editor_app.gui.panels.source.latest import Latest
from editor_app.gui.window.central import Toast
from editor_app.operations.motion_files import is_scene, is_trajectory
from editor_app.operations.pairing import sorted_parts

#: More files of a folder are not looked at.
_MOST = 500


@dataclass(frozen=True, slots=True)
class Plan:
    """`sentence` says what happens to `paths`; `meshes`: a folder in which missing meshes are looked for."""

    sentence: str
    paths: tuple[Path, ...] = ()
    meshes: Path | None = None
    can_drop: bool = True


def plan(paths: Sequence[Path], *, has_robot: bool, misses_meshes: bool) -> Plan:
    """What dropping these will do. Reads the beginnings of files."""
    folders = [path for path in paths if path.is_dir()]
    if len(folders) == 1 and len(paths) == 1:
        return _of_folder(folders[0], has_robot=has_robot, misses_meshes=misses_meshes)
    files = tuple(path for path in paths if path not in folders)
    motions = [path for path in files if is_scene(path) or is_trajectory(path)]
    if motions and len(motions) == len(files):
        return _of_motions(files, has_robot=has_robot)
    parts = sorted_parts(path for path in files if path not in motions)
    with_others = " with ".join(path.name for path in (*parts.files, *motions))
    if parts.robot is not None:
        begin = "Drop to expand and open" if parts.is_xacro else "Drop to open the robot"
        return Plan(f"{begin} {parts.robot.name}" + (f" with {with_others}" if with_others else ""), files)
    if parts.files:
        return Plan(f"Drop to open {with_others} for the robot that has its names", files)
    if parts.foreign is not None:
        return Plan(f"Drop to import {parts.foreign.name}", files)
    names = ", ".join(path.name for path in paths)
    return Plan(f"{names}: nothing that can be opened", tuple(paths), can_drop=False)


def _of_motions(files: tuple[Path, ...], *, has_robot: bool) -> Plan:
    names = " and ".join(path.name for path in files)
    if not has_robot:
        return Plan(f"{names}: open the robot first", files, can_drop=False)
    if len(files) == 1 and is_scene(files[0]):
        return Plan(f"Drop to show the obstacles of {names}", files)
    return Plan(f"Drop to play {names}", files)


def _of_folder(folder: Path, *, has_robot: bool, misses_meshes: bool) -> Plan:
    if has_robot and misses_meshes:
        return Plan(f"Drop to look for the missing meshes in {folder.name}", meshes=folder)
    try:
        files = sorted(path for path in folder.iterdir() if path.is_file())[:_MOST]
    except OSError:
        files = []
    robots = [path for path in files if path.suffix.lower() == ".urdf"]
    if len(robots) == 1:
        return Plan(f"Drop to open the robot {robots[0].name} in {folder.name}", (robots[0],))
    why = f"{len(robots)} robots: drop one of their files" if robots else "no URDF"
    return Plan(f"{folder.name} has {why}", can_drop=False)


class Drops:
    """Says the plan at the lower edge of the view while something hovers over the window."""

    def __init__(self, jobs: Jobs, toast: Toast) -> None:
        self._toast = toast
        self._planning = Latest(jobs, "What a drop does")

    def hover(self, make_plan: Callable[[], Plan]) -> None:
        """Something is dragged over the window; `make_plan` reads its files."""
        self._planning.ask(make_plan, self._say)

    def leave(self) -> None:
        """It is dragged away, or was dropped."""
        self._planning.forget()
        self._toast.dismiss()

    def _say(self, made: Plan) -> None:
        if made.can_drop:
            self._toast.tell(made.sentence, "download-simple", "accent")
        else:
            self._toast.tell(made.sentence)
