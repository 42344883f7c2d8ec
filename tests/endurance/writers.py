"""Ten commands write the same robot at once: each is applied, or ends with 2, and no applied change
is lost.

Children are forked from a warm process. Each renames a link of its own in place, which writes URDF,
XRDF and SRDF together, or gives a joint of its own the next default position through `save`. The
parent lets all of them begin at once, and looks for every change whose command ended with 0 in the
files. What ended with 2 is tried again in the next round.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

from editor_app import open_robot, save
from editor_app.cli import run_command
from editor_app.core.document import commands
from editor_app.core.document.replacing import SaveError
from editor_app.core.document.save_records import records_folder
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair

#: Bytes, so that reading and writing take a while and the writers meet.
_COMMENT = "as long as the comments of a real file " * 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument(
        "--count", type=int, default=100, help="rounds, in each of which every process writes once"
    )


def run(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
        robot = _robot(folder, options.processes)
        # What every command loads, before the children are forked.
        open_robot(robot)
        applied = refused = 0
        troubles: list[str] = []
        #: Number of a link -> how often it was renamed, and of a joint -> its last position.
        names = dict.fromkeys(range(options.processes), 0)
        for _ in range(options.count):
            codes = _all_at_once(robot, names)
            for number, code in codes.items():
                names[number] += code == 0
            applied += sum(code == 0 for code in codes.values())
            refused += sum(code == 2 for code in codes.values())
            troubles += [
                f"exit code {code} of writer {n}" for n, code in codes.items() if code not in (0, 2)
            ]
            troubles += _lost(robot, names)
        left = [
            path.name
            for path in folder.iterdir()
            if path.name.startswith(".") or path.suffix == ".tmp"
        ]
        left += (
            [path.name for path in records_folder().iterdir()] if records_folder().is_dir() else []
        )
        troubles += [f"left behind: {', '.join(left)}"] if left else []
    figures = f"{applied} applied, {refused} refused, {len(troubles)} lost"
    print(f"{options.processes} writers, {options.count} rounds: {figures}")
    for trouble in troubles:
        print(f"LOST: {trouble}", file=sys.stderr)
    return 1 if troubles or not refused else 0


def _robot(folder: Path, count: int) -> Path:
    links = "".join(f'  <link name="l{n}_0"/>\n' for n in range(count))
    joints = "".join(
        f'  <joint name="j{n}" type="revolute"><parent link="base"/><child link="l{n}_0"/>'
        '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>\n'
        for n in range(count)
    )
    urdf = (
        f'<robot name="arm">\n  <!-- {_COMMENT} -->\n  <link '
        f'name="base"/>\n{links}{joints}</robot>\n'
    )
    pairs = "".join(
        f'  <disable_collisions link1="base" link2="l{n}_0" reason="User"/>\n' for n in range(count)
    )
    positions = "".join(f"  j{n}: 0.0\n" for n in range(count))
    ignored = "".join(f"      - l{n}_0\n" for n in range(count))
    (folder / "arm.urdf").write_text(urdf)
    (folder / "arm.srdf").write_text(f'<robot name="arm">\n{pairs}</robot>\n')
    (folder / "arm.xrdf").write_text(
        f"# {_COMMENT}\nformat: xrdf\nformat_version: 1.0\ndefault_joint_positions:\n{positions}"
        f"self_collision:\n  geometry: g\n  ignore:\n    base:\n{ignored}geometry:\n  g:\n    "
        f"spheres: {{}}\n"
    )
    return folder / "arm.urdf"


def _all_at_once(robot: Path, names: dict[int, int]) -> dict[int, int]:
    """Writer -> the exit code of its command."""
    start, begin = os.pipe()
    children = {}
    for number, renames in names.items():
        child = os.fork()
        if child == 0:
            os.close(begin)
            os.read(start, 1)
            os._exit(_write(robot, number, renames))
        children[child] = number
    os.close(start)
    os.close(begin)
    codes = {}
    for child, number in children.items():
        _, status = os.waitpid(child, 0)
        codes[number] = os.waitstatus_to_exitcode(status)
    return codes


def _write(robot: Path, number: int, renames: int) -> int:
    """Renames the link of this writer, or, every other time, sets the position of its joint."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if renames % 2 == 0:
            rename = f"l{number}_{renames}=l{number}_{renames + 2}"
            return run_command("edit", [str(robot), "--rename-link", rename, "--in-place"])
        try:
            document = open_robot(robot)
            document.execute(
                commands.set_item("xrdf.default_joint_positions", f"j{number}", float(renames))
            )
            save(document)
        except SaveError:
            return 2
        return 0


def _lost(robot: Path, names: dict[int, int]) -> list[str]:
    """What the files lack of the changes that were applied."""
    document = open_robot(robot).robot
    positions = document.xrdf.default_joint_positions or FrozenDict()
    srdf = document.srdf
    masked = {pair.link2 for pair in srdf.disabled_pairs} if srdf is not None else set()
    lost = []
    for number, renames in names.items():
        link, position = (
            f"l{number}_{(renames + 1) // 2 * 2}",
            float(renames // 2 * 2 - 1 if renames > 1 else 0),
        )
        is_ignored = LinkPair.of("base", link) in document.xrdf.ignored_pairs()
        if document.urdf.link(link) is None or link not in masked or not is_ignored:
            lost.append(f"{link} after {renames} changes")
        if positions.get(f"j{number}") != position:
            lost.append(
                f"the position {position} of j{number}, which is {positions.get(f'j{number}')}"
            )
    return lost
