"""Several processes save changes of one XRDF: each is told when another was before it, and none
loses a save.

Every process opens the file, gives a joint of its own the next default position, and saves. When it
is told that the file was changed, it opens the file again. Each time it opens the file, the
position that it saved last has to be there: what is not was written over by somebody who was not
told.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
from pathlib import Path

from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import ChangedOnDiskError, save_document


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--count", type=int, default=300, help="saves of each process")


def run(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XRDF_EDITOR_STATE"] = str(folder / "state")
        joints = [f"j{number}" for number in range(options.processes)]
        _write_robot(folder, joints)
        context = multiprocessing.get_context("spawn")
        with context.Pool(len(joints)) as pool:
            figures = pool.starmap(
                _save_often, [(folder, joint, options.count) for joint in joints]
            )
        end = _opened(folder)
        lost = sum(missing for _, missing in figures)
        lost += sum(_position(end, joint) != options.count * 1e-3 for joint in joints)
        left = [
            path.name
            for path in folder.iterdir()
            if path.name not in ("arm.urdf", "arm.xrdf", "state")
        ]
    told = sum(refused for refused, _ in figures)
    print(
        f"{options.processes} processes, {options.count} saves each: {told} told of another's "
        f"save, {lost} lost"
    )
    if left:
        print(f"left behind: {', '.join(left)}", file=sys.stderr)
    return 1 if lost or left else 0


def _write_robot(folder: Path, joints: list[str]) -> None:
    links = "".join(f'<link name="l{number}"/>' for number in range(len(joints) + 1))
    chain = "".join(
        f'<joint name="{joint}" type="revolute"><parent link="l{number}"/><child '
        f'link="l{number + 1}"/>'
        '<axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
        for number, joint in enumerate(joints)
    )
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{chain}</robot>')
    positions = "".join(f"  {joint}: 0.0\n" for joint in joints)
    (folder / "arm.xrdf").write_text(
        f"format: xrdf\nformat_version: 1.0\ndefault_joint_positions:\n{positions}"
    )


def _save_often(folder: Path, joint: str, count: int) -> tuple[int, int]:
    """(how often it was told, how many of its saves were gone)."""
    refused = lost = 0
    document, saved = _opened(folder), 0.0
    for number in range(1, count + 1):
        while True:
            document.execute(set_item("xrdf.default_joint_positions", joint, number * 1e-3))
            try:
                save_document(document)
            except ChangedOnDiskError:
                refused += 1
                document = _opened(folder)
                lost += _position(document, joint) != saved
            else:
                saved = number * 1e-3
                break
    return refused, lost


def _opened(folder: Path) -> Document:
    return open_document(folder / "arm.urdf", folder / "arm.xrdf")


def _position(document: Document, joint: str) -> float | None:
    positions = document.robot.xrdf.default_joint_positions
    return None if positions is None else positions.get(joint)
