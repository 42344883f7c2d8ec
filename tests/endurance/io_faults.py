"""I/O errors at every system call of saving, one after another and from there on: all is saved, or
nothing is.

A library in front of the C library (`io_faults.c`, compiled by `cc`) lets the n-th call fail with
each error number, for one and for three files; writes are cut short, too. Afterwards the files have
to be all new or all old (or, where the disk failed for good, a mixture that the next start offers
to mend), the document modified unless it was saved, no temporary file left, and the next try has to
save. Needs Linux and a C compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from editor_app.core.document.save_records import records_folder, unfinished_saves
from editor_app.core.document.saving import ChangedOnDiskError, SaveError, save_all
from tests.endurance._robot import SavedRobot, saved_robot

_ERRORS = (
    errno.ENOSPC,
    errno.EIO,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EINVAL,
    errno.ENOMEM,
)
_SAVED, _REFUSED, _BROKEN = 0, 3, 4
_ARMED = "XRDF_EDITOR_FAULTS"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--errors",
        type=int,
        default=len(_ERRORS),
        help="how many error numbers of the list are tried",
    )


def run(options: argparse.Namespace) -> int:
    if sys.platform != "linux" or shutil.which("cc") is None:
        print("needs Linux and a C compiler (cc)", file=sys.stderr)
        return 2
    if _ARMED not in os.environ:
        return _run_with_library(sys.argv[1:])
    broken = 0
    for files in (1, 3):
        with tempfile.TemporaryDirectory() as folder:
            figures, places = fail_everywhere(Path(folder), files, _ERRORS[: options.errors])
        print(
            f"{files} file{'s' if files > 1 else ''}: "
            + ", ".join(f"{n} {outcome}" for outcome, n in figures.items())
        )
        print("  failing calls: " + ", ".join(f"{name} {n}" for name, n in sorted(places.items())))
        broken += figures["broken promises"]
    return 1 if broken else 0


def fail_everywhere(
    folder: Path, files: int, errors: tuple[int, ...]
) -> tuple[Counter[str], Counter[str]]:
    """One child for each call of a save, error number, and kind of failure; needs the library in
    front."""
    os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
    robots = folder / "robots"
    robots.mkdir()
    robot = saved_robot(robots, files)
    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    library.fault_last.restype = ctypes.c_char_p
    calls = _calls_of_a_save(library, robot)
    figures: Counter[str] = Counter({"calls of a save": calls, "faults": 0, "broken promises": 0})
    places: Counter[str] = Counter()

    def fail(n: int, error: int, sticky: bool, partly: bool) -> str:
        robot.restore()
        code, name = _in_child(library, robot, n, error, sticky, partly)
        figures["faults"] += 1
        places[name] += 1
        figures["saved all the same" if code == _SAVED else "refused, nothing lost"] += 1
        for trouble in _look(robot, robots, code, figures):
            figures["broken promises"] += 1
            how = (
                f"{name} (call {n}) "
                f"{errno.errorcode[error]}{' for good' if sticky else ''}{' short' if partly else ''}"
            )
            print(f"BROKEN: {how}: {trouble}", file=sys.stderr)
        return name

    for n in range(1, calls + 1):
        names = {fail(n, error, sticky, False) for error in errors for sticky in (False, True)}
        # Nothing but a write can be cut short.
        if "write" in names:
            fail(n, errno.ENOSPC, False, True)
    return figures, places


def _calls_of_a_save(library: Any, robot: SavedRobot) -> int:
    robot.restore()
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            library.fault_arm(0, 0, 0, 0)
            save_all(robot.document)
            os.write(tell, library.fault_disarm().to_bytes(4, "little"))
        finally:
            os._exit(0)
    os.close(tell)
    calls = int.from_bytes(os.read(ready, 4), "little")
    os.close(ready)
    os.waitpid(child, 0)
    return calls


def _in_child(
    library: Any, robot: SavedRobot, n: int, error: int, sticky: bool, partly: bool
) -> tuple[int, str]:
    """The exit code, and which call failed; after a failure that passes the child saves again."""
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        code = _BROKEN
        try:
            code, name = _save_with_fault(library, robot, n, error, sticky, partly)
            os.write(tell, name)
        finally:
            os._exit(code)
    os.close(tell)
    told = os.read(ready, 100).decode()
    os.close(ready)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), told


def _save_with_fault(
    library: Any, robot: SavedRobot, n: int, error: int, sticky: bool, partly: bool
) -> tuple[int, bytes]:
    document = robot.document
    library.fault_arm(n, error, sticky, partly)
    try:
        save_all(document)
        code = _SAVED
    except ChangedOnDiskError as trouble:
        library.fault_disarm()
        return _BROKEN, str(trouble).encode()
    except SaveError:
        code = _REFUSED
    except BaseException as trouble:
        library.fault_disarm()
        return _BROKEN, f"{type(trouble).__name__}: {trouble}"[:90].encode()
    library.fault_disarm()
    name: bytes = library.fault_last()
    if document.is_modified is (code == _SAVED):
        return _BROKEN, b"modified mark wrong after " + name
    return code, name


def _look(robot: SavedRobot, folder: Path, code: int, figures: Counter[str]) -> list[str]:
    if code not in (_SAVED, _REFUSED):
        return [f"exit code {code}"]
    contents = robot.contents()
    wanted = robot.new if code == _SAVED else robot.old
    if contents != wanted:
        torn = [
            path
            for path, data in contents.items()
            if data not in (robot.old[path], robot.new[path])
        ]
        if torn or code == _SAVED:
            return [
                "a file is neither old nor new"
                if torn
                else "saved, it was said, but not all of it was"
            ]
        saves = unfinished_saves()
        if contents != robot.new and not saves:
            return ["a mixture that the next start does not know"]
        figures["mixtures offered at the next start"] += 1
        for save in saves:
            save.put_back()
        if saves and robot.contents() != robot.old:
            return ["taking the mixture back did not"]
    unfinished_saves()
    left = [path.name for path in folder.iterdir() if path not in robot.old]
    left += [path.name for path in records_folder().iterdir()] if records_folder().is_dir() else []
    if left:
        return [f"left behind: {', '.join(left)}"]
    # After a save there is nothing to try again.
    if code == _REFUSED and _in_child_again(robot) != 0:
        return ["the next try did not save"]
    return []


def _in_child_again(robot: SavedRobot) -> int:
    robot.restore()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            save_all(robot.document)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _run_with_library(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "io_faults.so"
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library), _ARMED: "1"}
        return subprocess.run(
            [sys.executable, "-P", "-m", "tests.endurance", *arguments], env=environment
        ).returncode
