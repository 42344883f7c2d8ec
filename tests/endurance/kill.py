"""kill -9 while one file, and while three files of one robot are saved: nothing is lost, nothing
stays behind.

A child is forked from a warm process that holds an edited robot, saves it, and is killed at a
random moment of it. The next start is played: each file has to be whole, a mixture of old and new
has to be offered, finishing it or taking it back has to give one set of files, and no temporary
file may be left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from editor_app.core.document.save_records import records_folder, unfinished_saves
from editor_app.core.document.saving import save_all
from tests.endurance._robot import SavedRobot, saved_robot

#: Kills beyond the usual time of a save: some have to find it finished.
_BEYOND = 1.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--count", type=int, default=10_000, help="kills, half of them in saves of one file"
    )


def run(options: argparse.Namespace) -> int:
    failures = 0
    for files, count in ((1, options.count // 2), (3, options.count - options.count // 2)):
        with tempfile.TemporaryDirectory() as folder:
            figures = kill_saves(Path(folder), files, count, options.seed)
        print(
            f"{files} file{'s' if files > 1 else ''}: "
            + ", ".join(f"{n} {outcome}" for outcome, n in figures.items())
        )
        failures += figures["lost"]
    return 1 if failures else 0


def kill_saves(folder: Path, files: int, count: int, seed: int) -> Counter[str]:
    """Kills `count` saves of `files` files (1 or 3); "lost" counts broken promises, each
    printed."""
    os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
    robots = folder / "robots"
    robots.mkdir()
    robot = saved_robot(robots, files)
    rng = random.Random(seed)
    usual = sorted(_seconds_of_a_save(robot) for _ in range(15))[7]
    figures: Counter[str] = Counter(kills=0, lost=0)
    while figures["kills"] < count:
        robot.restore()
        finished, _ = _killed(lambda: save_all(robot.document), rng.uniform(0, usual * _BEYOND))
        figures["kills"] += not finished
        figures["saves that were faster"] += finished
        figures["temporary files left"] += sum(
            1 for path in robots.iterdir() if path not in robot.old
        )
        for trouble in _next_start(robot, robots, rng, figures):
            figures["lost"] += 1
            print(f"LOST: {trouble}", file=sys.stderr)
    return figures


def _next_start(
    robot: SavedRobot, folder: Path, rng: random.Random, figures: Counter[str]
) -> list[str]:
    before = robot.contents()
    torn = [
        path.name for path, data in before.items() if data not in (robot.old[path], robot.new[path])
    ]
    if torn:
        return [f"{', '.join(torn)}: neither the old nor the new text"]
    mixed = before not in (robot.old, robot.new)
    saves = unfinished_saves()
    figures[
        "old" if before == robot.old else "new" if before == robot.new else "between two files"
    ] += 1
    if mixed != bool(saves):
        return ["a mixture was not offered" if mixed else "whole files were called a mixture"]
    wanted = None
    for save in saves:
        wanted = robot.new if rng.random() < 0.5 else robot.old
        (save.finish if wanted is robot.new else save.put_back)()
    if wanted is not None and robot.contents() != wanted:
        return ["the way out of a mixture gave another one"]
    left = [path.name for path in folder.iterdir() if path not in robot.old]
    left += [path.name for path in records_folder().iterdir()] if records_folder().is_dir() else []
    return [f"left behind: {', '.join(left)}"] if left else []


def _seconds_of_a_save(robot: SavedRobot) -> float:
    robot.restore()
    return _killed(lambda: save_all(robot.document), None)[1]


def _killed(save: Callable[[], object], seconds: float | None) -> tuple[bool, float]:
    """Runs `save` in a child and kills it after so many seconds; whether it was over by then, and
    how long it ran."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(tell, b"x")
        code = 1
        try:
            save()
            code = 0
        finally:
            os._exit(code)
    os.close(tell)
    os.read(ready, 1)
    os.close(ready)
    started = time.perf_counter()
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise RuntimeError("a save failed without having been killed")
    return os.WIFEXITED(status), time.perf_counter() - started
