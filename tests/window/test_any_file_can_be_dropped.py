"""Drops: each kind of file that can be opened is taken as what it is, alone or together with its
robot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QWindow
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QWidget

from editor_app.core.document.document import Document
from editor_app.core.model.urdf import Mesh
from editor_app.core.verbs.convert import ConvertOptions, convert, write_conversion
from editor_app.plugins.assembly.window.attach_dialog import AttachDialog
from editor_app.window import dialogs
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.main_window import MainWindow
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import CLEAN, URDF, make_document
from tests.helpers.windows import open_window, put_back, settle, wait_until

LONG = 60.0
SRDF = (
    '<robot name="arm"><group name="arm"><joint name="shoulder"/><joint '
    'name="elbow"/></group></robot>'
)
WAY = "time,shoulder,elbow\n0,0,0\n1,0.4,0.2\n"
ROOM = (
    "format: xrdf-editor-scene\nobstacles:\n  - {name: table, box: {size: [1, 1, 0.1]}, position: "
    "[0, 0, -2]}\n"
)


@pytest.fixture
def window(one_window: MainWindow) -> Iterator[MainWindow]:
    one_window.session.open(None)
    yield one_window
    for dialog in one_window.findChildren(QDialog):
        if dialog.isVisible():
            dialog.reject()
    one_window.motion.controller.set_trajectory(None)
    wait_until(
        lambda: not one_window.motion.controller.is_busy and not one_window.jobs.running, LONG
    )
    put_back(one_window)


def drop(window: MainWindow, *paths: Path) -> None:
    """Drags the files in and lets go of them over the view."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    where, none, left = QPoint(600, 300), Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(where, Qt.DropAction.CopyAction, mime, left, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    event = QDropEvent(where, Qt.DropAction.CopyAction, mime, left, none)
    QApplication.sendEvent(window, event)


def opened(window: MainWindow) -> Document:
    """The document, as soon as it is there."""
    wait_until(lambda: window.session.has_robot and not window.files.is_opening, LONG)
    settle(window)
    return window.session.document


def dialog_of(window: MainWindow, name: str) -> QDialog:
    """The dialog of that name, as soon as it is shown."""
    wait_until(lambda: any(d.isVisible() for d in window.findChildren(QDialog, name)), LONG)
    return next(d for d in window.findChildren(QDialog, name) if d.isVisible())


def written(folder: Path, name: str, to: str) -> Path:
    """The small robot in another format."""
    (folder / "source").mkdir()
    document = make_document(folder / "source")
    write_conversion(convert(document, folder / name, ConvertOptions(to=to)))
    return folder / name


def test_a_urdf_an_xrdf_and_an_srdf(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    drop(window, tmp_path / "arm.urdf")
    assert opened(window).xrdf_digest is None
    (tmp_path / "other.xrdf").write_text(CLEAN)
    drop(window, tmp_path / "other.xrdf")
    wait_until(lambda: window.files.name == "other.xrdf", LONG)
    (tmp_path / "arm.srdf").write_text(SRDF)
    drop(window, tmp_path / "arm.srdf")
    wait_until(lambda: opened(window).robot.srdf is not None, LONG)
    assert window.files.name == "other.xrdf"


def test_an_xrdf_alone_finds_its_robot(window: MainWindow, tmp_path: Path) -> None:
    make_document(tmp_path)
    drop(window, tmp_path / "arm.xrdf")
    assert opened(window).urdf_path == tmp_path / "arm.urdf"


def test_a_xacro_file_asks_before_it_is_evaluated(window: MainWindow, tmp_path: Path) -> None:
    text = URDF.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    (tmp_path / "arm.xacro").write_text(text)
    drop(window, tmp_path / "arm.xacro")
    dialog_of(window, "xacro")
    assert not window.session.has_robot


@pytest.mark.parametrize(("name", "to"), [("arm.yml", "curobo"), ("arm_lula.yaml", "lula")])
def test_files_of_curobo_and_lula_are_converted_for_the_open_robot(
    window: MainWindow, tmp_path: Path, name: str, to: str
) -> None:
    path = written(tmp_path, name, to)
    (tmp_path / "arm.urdf").write_text(URDF)
    drop(window, tmp_path / "arm.urdf")
    document = opened(window)
    drop(window, path)
    dialog_of(window, "conversion")
    # It is no XRDF: what is open stays as it is until the preview is accepted.
    assert window.session.document is document
    assert len(document.history) == 1


def test_a_collada_robot_is_converted(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "robot.dae", "collada")
    # Where the URDF goes is asked first.
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "robot.urdf"))
    drop(window, path)
    dialog_of(window, "conversion")


def test_an_mjcf_becomes_a_robot_that_is_opened(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mujoco", reason="the extra is not installed")
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "arm.urdf"))
    body = '<body name="fore"><joint name="turn" axis="0 1 0"/><geom size=".1"/></body>'
    (tmp_path / "arm.xml").write_text(
        f'<mujoco><worldbody><body name="base">{body}</body></worldbody></mujoco>'
    )
    drop(window, tmp_path / "arm.xml")
    dialog = dialog_of(window, "conversion")
    wait_until(lambda: getattr(dialog, "conversion", None) is not None, LONG)
    getattr(dialog, "accept", lambda: None)()
    opened(window)
    document = window.session.document
    assert [link.name for link in document.robot.urdf.links] == ["base", "fore"]
    assert {path.suffix for path in tmp_path.glob("arm.*")} == {".xml", ".urdf", ".srdf", ".xrdf"}


def write_usd(folder: Path) -> Path:
    """A robot of two links that exists only as USD."""
    pytest.importorskip("pxr", reason="the extra is not installed")
    body = 'def Xform "{}" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {{}}'
    joint = (
        'def PhysicsRevoluteJoint "turn" { rel physics:body0 = </base>\n rel physics:body1 = '
        "</fore>\n }"
    )
    path = folder / "arm.usda"
    path.write_text(
        f'#usda 1.0\n(upAxis = "Z")\n{body.format("base")}\n{body.format("fore")}\n{joint}\n'
    )
    return path


def accept_import(window: MainWindow) -> None:
    dialog = dialog_of(window, "conversion")
    wait_until(lambda: getattr(dialog, "conversion", None) is not None, LONG)
    getattr(dialog, "accept", lambda: None)()
    opened(window)


def test_a_usd_becomes_a_robot_that_is_opened(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "arm.urdf"))
    drop(window, write_usd(tmp_path))
    accept_import(window)
    document = window.session.document
    assert [link.name for link in document.robot.urdf.links] == ["base", "fore"]
    assert {path.suffix for path in tmp_path.glob("arm.*")} == {".usda", ".urdf", ".srdf", ".xrdf"}


def test_an_xrdf_opens_with_its_robot_that_exists_only_as_usd(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "arm.urdf"))
    write_usd(tmp_path)
    xrdf = (
        "format: xrdf\nformat_version: 1.0\ncspace:\n  joint_names: [turn]\n  acceleration_limits: "
        "[7.0]\n"
    )
    (tmp_path / "mine.xrdf").write_text(xrdf)
    drop(window, tmp_path / "mine.xrdf")
    accept_import(window)
    document = window.session.document
    assert document.xrdf_path == tmp_path / "mine.xrdf"
    assert document.robot.xrdf.cspace is not None
    assert document.robot.xrdf.cspace.acceleration_limits == (7.0,)
    assert (tmp_path / "mine.xrdf").read_text() == xrdf


def test_an_sdf_becomes_a_robot_that_is_opened(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(tmp_path / "arm.urdf"))
    joint = '<joint name="j" type="revolute"><parent>base</parent><child>fore</child></joint>'
    links = '<link name="base"/><link name="fore"/>'
    (tmp_path / "arm.sdf").write_text(
        f'<sdf version="1.9"><model name="arm">{links}{joint}</model></sdf>'
    )
    drop(window, tmp_path / "arm.sdf")
    accept_import(window)
    assert [link.name for link in window.session.document.robot.urdf.links] == ["base", "fore"]
    assert {path.suffix for path in tmp_path.glob("arm.*")} == {".sdf", ".urdf", ".srdf", ".xrdf"}


def test_a_trajectory_and_a_scene_go_to_the_open_robot(window: MainWindow, tmp_path: Path) -> None:
    make_document(tmp_path)
    (tmp_path / "way.csv").write_text(WAY)
    (tmp_path / "room.yaml").write_text(ROOM)
    drop(window, tmp_path / "way.csv")
    wait_until(lambda: "open the robot first" in window.central.toast.text.lower(), LONG)
    # All at once: the robot is opened first.
    drop(window, tmp_path / "way.csv", tmp_path / "arm.urdf", tmp_path / "room.yaml")
    opened(window)
    wait_until(lambda: window.motion.controller.player.trajectory is not None, LONG)
    wait_until(
        lambda: [o.name for o in window.motion.controller.scene.obstacles] == ["table"], LONG
    )


def test_a_file_of_no_known_kind_is_told(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of a robot")
    drop(window, tmp_path / "notes.txt")
    box = dialog_of(window, "message")
    assert "notes.txt is not a URDF, XRDF or SRDF." in getattr(box, "text", str)()


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("view.launch", b"<launch/>", "This is a ROS launch file."),
        ("part.stl", b"solid part", "This is a mesh, not a robot."),
    ],
)
def test_a_kind_that_is_not_read_is_named(
    window: MainWindow, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    drop(window, path)
    box = dialog_of(window, "message")
    assert kind in getattr(box, "text", str)()
    assert "URDF" in getattr(box, "informativeText", str)()


@pytest.fixture
def posed(qapp: Any, nothing_goes_on_running: None, tmp_path: Path) -> Iterator[MainWindow]:
    """A window of its own, with the small robot and the 3D view: its timers end with it."""
    make_document(tmp_path)
    (tmp_path / "hook.stl").write_text("solid hook\nendsolid hook\n")
    (tmp_path / "lid.obj").write_text("v 0 0 0\n")
    with open_window(tmp_path, tmp_path / "arm.urdf", viewport=True) as window:
        window.load_viewport()
        wait_until(lambda: window.viewport is not None, LONG)
        yield window


def point_at(window: MainWindow, link: str) -> QPoint:
    """A place in the window under which that link is."""
    view = window.viewport
    assert view is not None
    wait_until(view.isVisible, LONG)

    def visible_place() -> QPoint | None:
        area = view.canvas.rect()
        places = (
            QPoint(x, y) for y in range(4, area.height(), 6) for x in range(4, area.width(), 6)
        )
        at = next((p for p in places if view.scene.aim.pick(p.x(), p.y()).link == link), None)
        return view.canvas.mapTo(window, at) if at is not None else None

    wait_until(visible_place, LONG)
    at = visible_place()
    assert at is not None
    return at


def test_a_mesh_is_added_to_the_link_it_is_dropped_on(posed: MainWindow, tmp_path: Path) -> None:
    document, toast = posed.session.document, posed.central.toast
    steps = len(document.history)
    none, shift = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
    at = point_at(posed, "upper")
    aside = posed.viewport.canvas.mapTo(posed, QPoint(2, 2))  # type: ignore[union-attr]
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("hook.stl", "lid.obj")])
    actions, left = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton
    QApplication.sendEvent(posed, QDragEnterEvent(aside, actions, mime, left, none))
    wait_until(lambda: toast.text == "hook.stl and lid.obj: drop it onto a link of the robot", LONG)
    QApplication.sendEvent(posed, QDragMoveEvent(at, actions, mime, left, none))
    wait_until(lambda: "as visual of upper (Shift: as collision)" in toast.text, LONG)
    assert posed.session.hover.link == "upper"
    QApplication.sendEvent(posed, QDragMoveEvent(at, actions, mime, left, shift))
    wait_until(lambda: toast.text == "Drop to add hook.stl and lid.obj as collision of upper", LONG)
    before = document.robot.urdf.link("upper")
    assert before is not None
    event = QDropEvent(at, actions, mime, left, shift)
    event.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(posed, event)
    assert event.dropAction() is Qt.DropAction.CopyAction, "the files stay where they are"
    wait_until(lambda: len(document.history) == steps + 1, LONG)
    link = document.robot.urdf.link("upper")
    assert link is not None
    assert link.visuals == before.visuals
    added = [shape.geometry for shape in link.collisions[len(before.collisions) :]]
    assert added == [Mesh("hook.stl"), Mesh("lid.obj")]
    assert document.history[-1].label == "Add collision to upper"
    posed.session.undo()
    assert document.robot.urdf.link("upper") == before
    # Without Shift it is a visual.
    QApplication.sendEvent(posed, QDragEnterEvent(at, actions, mime, left, none))
    QApplication.sendEvent(posed, QDropEvent(at, actions, mime, left, none))
    wait_until(
        lambda: len(document.robot.urdf.link("upper").visuals) == len(before.visuals) + 2,  # type: ignore[union-attr]
        LONG,
    )
    assert document.robot.urdf.link("upper").collisions == before.collisions  # type: ignore[union-attr]
    assert not posed.session.hover.link
    settle(posed)


COPY, LEFT = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


def meshes_in(folder: Path) -> QMimeData:
    """What a file manager hands over for two mesh files."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(folder / name)) for name in ("hook.stl", "lid.obj")])
    return mime


def row_of(panel: LinkTreePanel, link: str) -> tuple[QWindow, QPoint]:
    """The window of the panel, to which the system hands what is dragged, and the middle of a row
    in it."""
    index = panel.proxy.mapFromSource(panel.model.index_of(link))
    panel.tree.scrollTo(index)
    wait_until(panel.tree.isVisible, LONG)
    window = panel.window()
    return window.windowHandle(), panel.tree.viewport().mapTo(
        window, panel.tree.visualRect(index).center()
    )


def is_lit(panel: LinkTreePanel, link: str) -> bool:
    return panel.model.index_of(link).data(Qt.ItemDataRole.BackgroundRole) is not None


@pytest.mark.parametrize("torn_off", [False, True], ids=["docked", "torn off"])
def test_a_mesh_is_added_to_the_link_on_whose_row_it_is_dropped(
    window: MainWindow, tmp_path: Path, torn_off: bool
) -> None:
    toast, dock, panel = (
        window.central.toast,
        window.docks.dock("links"),
        window.docks.show("links"),
    )
    assert isinstance(panel, LinkTreePanel)
    make_document(tmp_path)
    drop(window, tmp_path / "arm.urdf")
    document = opened(window)
    steps, before = len(document.history), document.robot.urdf.link("upper")
    assert before is not None
    dock.setFloating(torn_off)
    try:
        settle(window)
        mime = meshes_in(tmp_path)
        handle, on_lower = row_of(panel, "lower")
        QApplication.sendEvent(handle, QDragEnterEvent(on_lower, COPY, mime, LEFT, NONE))
        wait_until(
            lambda: (
                toast.text
                == "Drop to add hook.stl and lid.obj as visual of lower (Shift: as collision)"
            ),
            LONG,
        )
        assert is_lit(panel, "lower")
        _, on_upper = row_of(panel, "upper")
        QApplication.sendEvent(handle, QDragMoveEvent(on_upper, COPY, mime, LEFT, SHIFT))
        wait_until(
            lambda: toast.text == "Drop to add hook.stl and lid.obj as collision of upper", LONG
        )
        assert is_lit(panel, "upper")
        assert not is_lit(panel, "lower")
        QApplication.sendEvent(handle, QDropEvent(on_upper, COPY, mime, LEFT, SHIFT))
        wait_until(lambda: len(document.history) == steps + 1, LONG)
        link = document.robot.urdf.link("upper")
        assert link is not None
        assert [shape.geometry for shape in link.collisions] == [Mesh("hook.stl"), Mesh("lid.obj")]
        assert link.visuals == before.visuals
        assert not is_lit(panel, "upper")
        window.session.undo()
        assert document.robot.urdf.link("upper") == before
    finally:
        dock.setFloating(False)
    settle(window)


def test_rows_that_take_no_mesh_say_so(window: MainWindow, tmp_path: Path) -> None:
    toast, panel = window.central.toast, window.docks.show("links")
    assert isinstance(panel, LinkTreePanel)
    make_document(tmp_path)
    drop(window, tmp_path / "arm.urdf", tmp_path / "arm.xrdf")
    document = opened(window)
    steps, mime = len(document.history), meshes_in(tmp_path)
    handle, on_tool = row_of(panel, "tool")
    QApplication.sendEvent(handle, QDragEnterEvent(on_tool, COPY, mime, LEFT, NONE))
    refusal = (
        "hook.stl and lid.obj: tool is an XRDF frame and cannot have shapes; drop it onto a link "
        "of the robot"
    )
    wait_until(lambda: toast.text == refusal, LONG)
    assert not is_lit(panel, "tool")
    below = panel.tree.viewport().mapTo(
        window, panel.tree.viewport().rect().bottomLeft() + QPoint(20, -2)
    )
    QApplication.sendEvent(handle, QDragMoveEvent(below, COPY, mime, LEFT, NONE))
    wait_until(lambda: toast.text == "hook.stl and lid.obj: drop it onto a link of the robot", LONG)
    QApplication.sendEvent(handle, QDragLeaveEvent())
    wait_until(lambda: not toast.isVisible(), LONG)
    assert len(document.history) == steps


def text_in(window: MainWindow, place: str) -> QWidget:
    """A field or text of the window, in sight."""
    if place == "source":
        panel = window.docks.show("source")
        assert isinstance(panel, SourcePanel)
        return panel.editor.viewport()
    fields = window.docks.show(place).findChildren(QLineEdit)
    return next(field for field in fields if field.isVisible() and field.isEnabled())


@pytest.mark.parametrize("place", ["source", "links", "joints"])
def test_a_file_dropped_on_a_text_is_opened_not_written_into_it(
    window: MainWindow, tmp_path: Path, place: str
) -> None:
    source: Any = window.docks.show("source")
    make_document(tmp_path)
    drop(window, tmp_path / "arm.urdf", tmp_path / "arm.xrdf")
    document = opened(window)
    source.refresh()
    assert source.editor.toPlainText() == CLEAN
    field = text_in(window, place)
    wait_until(field.isVisible, LONG)
    (tmp_path / "arm.srdf").write_text(SRDF)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "arm.srdf"))])
    mime.setText(str(tmp_path / "arm.srdf"))
    handle, at = window.windowHandle(), field.mapTo(window, field.rect().center())
    QApplication.sendEvent(handle, QDragEnterEvent(at, COPY, mime, LEFT, NONE))
    QApplication.sendEvent(handle, QDragMoveEvent(at, COPY, mime, LEFT, NONE))
    QApplication.sendEvent(handle, QDropEvent(at, COPY, mime, LEFT, NONE))
    wait_until(lambda: document.robot.srdf is not None, LONG)
    assert source.editor.toPlainText() == CLEAN
    if isinstance(field, QLineEdit):
        assert "arm.srdf" not in field.text()
    # Words from another program are text.
    wait_until(field.acceptDrops, LONG)
    settle(window)


def test_a_robot_dropped_on_a_link_with_shift_is_attached_to_it(
    posed: MainWindow, tmp_path: Path
) -> None:
    part = tmp_path / "part" / "tool.urdf"
    part.parent.mkdir()
    part.write_text('<robot name="tool"><link name="grip"/></robot>', encoding="utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(part))])
    at, toast, before = point_at(posed, "upper"), posed.central.toast, posed.session.document
    QApplication.sendEvent(posed, QDragEnterEvent(at, COPY, mime, LEFT, NONE))
    wait_until(
        lambda: toast.text == "Drop to open the robot tool.urdf (Shift: attach it to upper)", LONG
    )
    QApplication.sendEvent(posed, QDragMoveEvent(at, COPY, mime, LEFT, SHIFT))
    wait_until(lambda: toast.text == "Drop to attach tool.urdf to upper", LONG)
    QApplication.sendEvent(posed, QDropEvent(at, COPY, mime, LEFT, SHIFT))
    wait_until(lambda: any(d.isVisible() for d in posed.findChildren(AttachDialog)), LONG)
    dialog = next(d for d in posed.findChildren(AttachDialog) if d.isVisible())
    wait_until(lambda: dialog.attached is not None, LONG)
    assert (dialog.part_name.text(), dialog.link.currentData()) == ("tool.urdf", "upper")
    assert posed.session.document is before
    dialog.reject()
    settle(posed)
