"""What can be used does something, what cannot says why, and both follow what is open, selected and
running at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.window import dialogs
from editor_app.window.actions.actions import Action
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.tools import Tool
from editor_app.window.viewport.view import Viewport
from tests.helpers.documents import make_document
from tests.helpers.windows import open_in, open_window, put_back, settle, wait_until

#: They end the window of this test, or begin another one.
ENDS = {"file.quit", "file.close_window", "file.new_window", "file.close"}
#: Where a camera, a plane or a page is already, it stays; a text scrolls to its line, a name is
#: being typed, the focus goes on.
IDEMPOTENT = (
    "view.from.",
    "view.fit",
    "view.back",
    "view.tear_off",
    "view.next_panel",
    "view.previous_panel",
    "section.",
    "links.source",
    "mask.overlaps",
    "pose.rename",
)
SPHERE = SphereRef("spheres", "lower", 0)


@pytest.fixture
def window(qapp: Any, tmp_path: Path) -> Iterator[MainWindow]:
    make_document(tmp_path)
    # Small: two hundred times all that an action changes is painted.
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True, size=(1000, 620)) as opened:
        wait_until(lambda: opened.viewport is not None, 60.0)
        settle(opened)
        yield opened


def view_of(window: MainWindow) -> Viewport:
    assert window.viewport is not None
    return window.viewport


def late(window: MainWindow) -> list[str]:
    """The actions that are not shown as they are now."""
    return [
        action.id
        for action in window.registry.actions
        if (action.enabled() is None) != action.qaction.isEnabled()
    ]


def test_greyed_states_follow_what_is_there(window: MainWindow, tmp_path: Path) -> None:
    session, view = window.session, view_of(window)
    session.open(None)
    steps: dict[str, Callable[[], object]] = {
        "open": lambda: open_in(window, tmp_path / "arm.urdf"),
        "a link": lambda: session.select(Selection(links=("lower",))),
        "a frame without spheres": lambda: session.select(Selection(links=("tool",))),
        "a sphere": lambda: session.select(Selection(spheres=(SPHERE,))),
        "two spheres": lambda: session.select(
            Selection(spheres=(SPHERE, SphereRef("spheres", "upper", 0)))
        ),
        "another pose": lambda: session.set_joint("shoulder", 1.0),
        "a hidden link": lambda: session.set_hidden(frozenset({"lower"})),
        "a locked joint": lambda: session.set_locked("elbow", True),
        "a tool": lambda: view.set_tool(Tool.BOX),
        "a section": lambda: window.measuring.aids.section.toggle(),
        "a step": lambda: window.registry.trigger("spheres.delete"),
        "the step undone": session.undo,
        "the step done again": session.redo,
        "a job": lambda: window.registry.trigger("mask.compute"),
        "the job ended": lambda: window.registry.trigger("mask.cancel"),
        "closed": lambda: session.open(None),
    }
    seen = set()
    for name, step in steps.items():
        step()
        try:
            wait_until(lambda: not late(window), 60.0)
        except TimeoutError:
            pytest.fail(f"after {name!r}: {', '.join(late(window))}")
        seen.add(frozenset(a.id for a in window.registry.actions if a.qaction.isEnabled()))
        for action in window.registry.actions:
            assert (action.reason or "").endswith(".") or action.qaction.isEnabled(), action.id
            assert (action.reason or "") in action.qaction.toolTip()
    assert len(seen) > 8, "the steps have to make a difference"
    put_back(window)


class Watch:
    """What can be noticed of a window, before and after an action."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window = window
        #: Sentences, dialogs of files, questions, jobs.
        self.events: list[str] = []
        nothing_chosen: dict[str, Any] = {
            "OpenFileName": ("", ""),
            "OpenFileNames": ([], ""),
            "SaveFileName": ("", ""),
        }
        for name, nothing in {**nothing_chosen, "ExistingDirectory": ""}.items():
            monkeypatch.setattr(
                QFileDialog, f"get{name}", self.noting("file", lambda *_, n=nothing, **__: n)
            )
        monkeypatch.setattr(
            dialogs, "ask_question", self.noting("asked", lambda *_, **__: dialogs.Answer.DISCARD)
        )
        monkeypatch.setattr(window.jobs, "run", self.noting("job", window.jobs.run))
        window.session.message.connect(self.events.append)
        window.session.refused.connect(self.events.append)

    def noting(self, event: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **options: Any) -> Any:
            self.events.append(event)
            return function(*arguments, **options)

        return noted

    def end(self) -> None:
        self.window.session.message.disconnect(self.events.append)
        self.window.session.refused.disconnect(self.events.append)

    def state(self) -> tuple[Any, ...]:
        session, view = self.window.session, view_of(self.window)
        document, editor = session.document, self.window.docks.panel("source").editor
        return (
            (document, document.undo_label, document.redo_label) if session.has_robot else None,
            (
                session.selection,
                session.pose,
                session.hidden,
                session.display,
                session.active_group,
                session.locked,
            ),
            (
                self.window.motion.controller.player.trajectory,
                view.interaction.tool,
                view.scene.gizmo_in_link,
                session.reaching.keeps,
            ),
            (self.window.settings.theme, QGuiApplication.clipboard().text(), editor.folding.folded),
            frozenset(id(w) for w in QApplication.topLevelWidgets() if w.isVisible()),
            frozenset(id(w) for w in self.window.findChildren(QWidget) if w.isVisible()),
            tuple(action.qaction.isChecked() for action in self.window.registry.actions),
            frozenset(job.name for job in self.window.jobs.running),
        )

    def does_something(self, action: Action) -> bool:
        """Trigger an action. A choice among several that is made stays made, and counts as done."""
        before, windows = self.state(), {w for w in QApplication.topLevelWidgets() if w.isVisible()}
        chosen = action.qaction.isChecked()
        self.events.clear()

        def noticed() -> bool:
            return (
                bool(self.events)
                or self.state() != before
                or (chosen and action.qaction.isChecked())
            )

        action.qaction.trigger()
        QTest.qWait(0)
        # Marks of actions, and the end of a job, come in a later turn of the event loop; which one
        # depends on the load.
        with contextlib.suppress(TimeoutError):
            wait_until(noticed, 5.0)
        is_noticed = noticed()
        for shown in QApplication.topLevelWidgets():
            if shown.isVisible() and shown not in windows:
                shown.close()
        self.window.palette_box.close_box()
        wait_until(lambda: not self.window.files.is_opening, 60.0)
        for job in self.window.jobs.running:
            job.cancel()
        return is_noticed


def test_no_enabled_action_ends_in_silence(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, view = window.session, view_of(window)
    watch = Watch(window, monkeypatch)

    def nothing_open() -> None:
        # All of the window follows even where nothing was open.
        if session.has_robot:
            session.open(None)

    def a_sphere() -> None:
        while session.document.undo_label:
            session.undo()
        if not session.has_robot or session.document.urdf_path != tmp_path / "arm.urdf":
            make_document(tmp_path)
            open_in(window, tmp_path / "arm.urdf")
        session.select(Selection(spheres=(SPHERE,)))
        session.set_hidden(frozenset())

    for begin, at_least in ((nothing_open, 20), (a_sphere, 80)):
        silent, tried, was_left = [], 0, True
        for action in window.registry.actions:
            if action.id in ENDS or action.id.startswith(IDEMPOTENT):
                continue
            if was_left:
                begin()
                # This leaves a name that is being typed.
                view.set_tool(Tool.SELECT)
                window.registry.refresh()
            was_left = action.qaction.isEnabled()
            if was_left:
                tried += 1
                if not watch.does_something(action):
                    silent.append(action.id)
        assert silent == [], begin.__name__
        assert tried >= at_least
    watch.end()
    put_back(window)
