"""A robot of three files for the programs that save: one edit changes all of them, or the XRDF
alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editor_app import open_robot
from editor_app.core.document.commands import RenameLink
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from tests.helpers.documents import CLEAN, URDF

SRDF = """<?xml version="1.0"?>
<robot name="arm">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
</robot>
"""
#: Of a size that a write takes a while.
_COMMENT = "as long as the comments of a real file " * 400


@dataclass(frozen=True)
class SavedRobot:
    """`document` is edited and unsaved; `old` and `new` are what each file holds before and after
    saving."""

    document: Document
    old: dict[Path, bytes]
    new: dict[Path, bytes]

    def restore(self) -> None:
        for path, data in self.old.items():
            path.write_bytes(data)

    def contents(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.old}


def saved_robot(folder: Path, files: int) -> SavedRobot:
    """The robot in `folder`, with one edit that changes `files` (1 or 3) of its files."""
    texts = {
        "arm.urdf": URDF.replace('<robot name="arm">', f'<robot name="arm"><!-- {_COMMENT} -->'),
        "arm.srdf": SRDF.replace("<group name", f"<!-- {_COMMENT} -->\n  <group name"),
        "arm.xrdf": f"# {_COMMENT}\n{CLEAN}",
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    document = open_robot(folder / "arm.urdf")
    document.execute(
        InsertItem("xrdf.tool_frames", "hand") if files == 1 else RenameLink("upper", "upper_arm")
    )
    assert len(document.modified_kinds) == files
    old, new = {}, {}
    for kind in (FileKind.XRDF, FileKind.SRDF, FileKind.URDF):
        path = document.path(kind)
        present = document.text(kind)
        assert path is not None
        assert present is not None
        old[path], new[path] = path.read_bytes(), present.encode()
    return SavedRobot(document, old, new)
