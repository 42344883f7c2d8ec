"""Hostile robots opened one after the other in the real window by real X events; each ends in a
finding or a message.

A process of its own with window and 3D view, on a desktop of its own with a window manager; Ctrl+O,
the path and Return are typed by xdotool, messages are left by Escape, robots by Ctrl+W. A file
dialog goes into a folder, which is its end.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.helpers.facts import facts_in
from tests.helpers.hostile_robots import ENDS, make

if TYPE_CHECKING:
    from tests.helpers import x11

_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 180.0
#: The window and the workers that it starts, in bytes of addresses: an endless file must not fill
#: the machine.
_MEMORY = 16 << 30

#: Writes, when it changes, what a person would see.
_WINDOW = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[3]), resource.getrlimit(resource.RLIMIT_AS)[1]))
from tests.helpers.isolation import isolate_home
isolate_home()
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox
from editor_app.window.app import make_application
app = make_application()
from tests.helpers.facts import keep_writing
from tests.helpers.windows import open_window

def facts():
    dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]
    choosers = [d for d in dialogs if isinstance(d, QFileDialog)]
    document = window.session.document
    return {
        "choosing": bool(choosers) and isinstance(QApplication.focusWidget(), QLineEdit),
        "typed": choosers[0].findChild(QLineEdit).text() if choosers else "",
        "folder": choosers[0].directory().absolutePath() if choosers else "",
        "busy": window.files.is_opening or window.feed.is_busy or window.meshes.is_loading,
        "open": str(document.urdf_path) if window.session.has_robot else None,
        "findings": sorted({f.code for f in window.session.findings}),
        "messages": [[d.objectName(), d.text() if isinstance(d, QMessageBox) else ""] for d in dialogs
                     if d not in choosers],
        "links": [link.name for link in document.robot.urdf.links],
    }

with open_window(Path(sys.argv[2]), viewport=True) as window:
    timer = keep_writing(facts, Path(sys.argv[1]))
    window.load_viewport()
    app.exec()
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this robot; repeatable"
    )


def run(options: argparse.Namespace) -> int:
    # The desktop's module is one of packaging, which is no package.
    sys.path.insert(0, str(_ROOT / "packaging"))
    from tests.helpers import x11

    missing = x11.missing_programs()
    if missing:
        print(f"not installed: {', '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        ends = opened_by_keys(Path(folder), options.only)
    wrong = {name: end for name, end in ends.items() if end != _wanted(name)}
    for name, end in ends.items():
        print(
            f"{name}: {end or 'is shown'}"
            + (f", instead of {_wanted(name)}" if name in wrong else "")
        )
    print(f"{len(ends)} robots opened by keys, {len(wrong)} ended otherwise than they should")
    return 1 if wrong else 0


def _wanted(name: str) -> str | None:
    return "the dialog goes into the folder" if name == "robot_is_a_folder" else ENDS[name]


def opened_by_keys(folder: Path, only: list[str]) -> dict[str, str | None]:
    """Robot -> how it ended: a code, words of a message, None where it is shown."""
    from tests.helpers import x11

    facts = folder / "facts.json"
    (folder / "settings").mkdir()
    robots = [path for path in make(folder / "robots") if not only or path.parent.name in only]

    def now() -> dict[str, Any]:
        return facts_in(facts)

    with x11.Desktop(1280, 800) as desktop:
        command = [
            sys.executable,
            "-P",
            "-c",
            _WINDOW,
            str(facts),
            str(folder / "settings"),
            str(_MEMORY),
        ]
        program = desktop.start(command, env={"PYTHONPATH": str(_ROOT)})
        window = desktop.wait_for_window("XRDF Editor", _SECONDS)
        x11.wait_for(lambda: "busy" in now(), _SECONDS)
        desktop.focus(window)
        ends = {}
        for path in robots:
            ends[path.parent.name] = _end_of(path, desktop, now)
            assert program.poll() is None, "the window is gone"
    return ends


def _end_of(path: Path, desktop: x11.Desktop, now: Any) -> str | None:
    from tests.helpers import x11

    desktop.key("ctrl+o")
    x11.wait_for(lambda: now()["choosing"], _SECONDS)
    desktop.type(str(path))
    x11.wait_for(lambda: now()["typed"] == str(path), _SECONDS)
    desktop.key("Return")

    def over() -> bool:
        told = now()
        if told["folder"]:
            return bool(told["folder"] == str(path))
        return not told["busy"] and bool(told["messages"] or told["open"] == str(path))

    def closed() -> bool:
        if now()["folder"]:
            # The first one may close the list of completions alone.
            desktop.key("Escape")
            return False
        return True

    x11.wait_for(over, _SECONDS)
    told = now()
    if told["folder"]:
        x11.wait_for(closed, _SECONDS, 1.0)
        return "the dialog goes into the folder"
    wanted = ENDS[path.parent.name]
    if told["messages"]:
        assert [name for name, _ in told["messages"]] == ["message"], told["messages"]
        (_, text), *_ = told["messages"]
        desktop.key("Escape")
        x11.wait_for(lambda: not now()["messages"], _SECONDS)
        assert told["open"] is None
        return wanted if wanted is not None and wanted in text else text
    if wanted is not None:
        # A finding about meshes comes when they are loaded.
        x11.wait_for(lambda: wanted in now()["findings"], _SECONDS)
    desktop.key("ctrl+w")
    x11.wait_for(lambda: now()["open"] is None, _SECONDS)
    return wanted
