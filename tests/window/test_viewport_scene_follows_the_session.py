"""What is drawn follows document, pose, visibility and display options, and the camera stays where
a person put it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from editor_app.core.document.commands.spheres import DeleteSpheres, SetSpheres
from editor_app.core.document.replacing import SaveError
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window import dialogs
from editor_app.window.jobs import Jobs
from editor_app.window.viewport.drags import MoveDrag
from editor_app.window.viewport.picture import PictureDialog, PictureOptions
from editor_app.window.viewport.tools import Tool
from tests.helpers.viewport import (
    HIGH,
    LOW,
    TIP,
    URDF,
    XRDF,
    Geometry,
    Stage,
    box_part,
    boxes,
    save_picture,
    shown,
    stage,
    take_picture,
)
from tests.helpers.windows import wait_until

__all__ = ["shown"]

pytestmark = pytest.mark.gui


def picture(shown: Stage) -> Any:
    """(h, w, 3) pixels of the canvas."""
    image = shown.canvas.picture().convertToFormat(QImage.Format.Format_RGB888)
    flat = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return flat[:, : image.width() * 3].reshape(image.height(), image.width(), 3).astype(int)


def test_meshes_that_come_at_once_frame_the_robot_once(
    shown: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    framed: list[bool] = []
    monkeypatch.setattr(shown.scene.framing, "fit_all", lambda: framed.append(True))
    for links in (("base", "arm"), ("tip",)):
        shown.meshes.geometry_changed.emit(links)
    assert not framed, "each mesh of a large robot frames it anew"
    for _ in range(2):
        shown.canvas.picture()
    assert framed == [True]


def test_a_pose_moves_meshes_and_spheres(shown: Stage) -> None:
    before = shown.world(TIP)
    shown.session.set_joint("turn", 1.2)
    pose = shown.session.transform("tip")
    assert pose is not None
    assert shown.world(TIP) == pytest.approx(pose[:3, :3] @ [0.1, 0, 0] + pose[:3, 3])
    assert np.linalg.norm(shown.world(TIP) - before) > 0.05
    hit = shown.scene.aim.surface_at(shown.camera.ray(*shown.pixel(pose[:3, 3]).toTuple()), ["tip"])
    assert hit is not None
    assert hit.link == "tip"


def test_an_edit_or_undo_keeps_the_camera(shown: Stage) -> None:
    shown.camera.orbit(50, 20)
    view = shown.camera.view
    shown.session.execute(SetSpheres(((TIP, CollisionSphere((0.0, 0.0, 0.5), 0.2)),)))
    shown.session.set_joint("nod", 0.5)
    shown.session.undo()
    shown.settle()
    assert shown.camera.view == view


def test_deleting_and_undoing_keep_rows_and_references_together(shown: Stage) -> None:
    shown.session.execute(DeleteSpheres((LOW,)))
    table = shown.scene.table
    assert len(table) == 4
    # What was number 2 of the arm is number 1 now.
    assert table.local[table.row[SphereRef("balls", "arm", 0)]] == pytest.approx([0, 0, 0.45])
    shown.session.undo()
    assert len(table) == 5
    assert table.local[table.row[HIGH]] == pytest.approx([0, 0, 0.45])


def test_what_is_switched_off_is_not_drawn(shown: Stage) -> None:
    everything = picture(shown)
    for option in ("visuals", "spheres", "grid"):
        shown.session.set_display(**{option: False})
        shown.settle()
        less = picture(shown)
        assert np.abs(less - everything).max() > 12, option
        everything = less
    # Nothing is left but the background, which changes from top to bottom alone.
    assert np.ptp(everything, axis=1).max() <= 3
    for option in ("collisions", "frames", "joint_axes"):
        shown.session.set_display(**{option: True})
        shown.settle()
        more = picture(shown)
        assert np.abs(more - everything).max() > 12, option
        everything = more
    shown.session.set_display(frame_names=True)
    shown.settle()
    assert np.abs(picture(shown) - everything).max() > 12


def test_the_ground_does_not_glare_before_a_dark_link_below_it(shown: Stage) -> None:
    cellar = replace(box_part((0.8, 0.8, 0.6), (0.0, 0.0, -0.5)), rgba=(0.02, 0.02, 0.02, 1.0))
    # As a mesh that arrives late does: after the ground is there.
    shown.meshes.put("base", "visual", Geometry((cellar,)))
    shown.session.set_display(spheres=False)
    shown.settle()
    middle = shown.pixel(np.array([0.35, 0.0, -0.5]))
    around = picture(shown)[middle.y() - 15 : middle.y() + 15, middle.x() - 15 : middle.x() + 15]
    assert around.max() < 130, "lines are blended with the link behind them, not with the sky"
    assert np.ptp(around) > 0


def test_hidden_and_ghosted_links_are_drawn_less(shown: Stage) -> None:
    shown.session.set_display(spheres=False)
    shown.settle()
    pose = shown.session.transform("arm")
    assert pose is not None
    at = shown.pixel(pose[:3, :3] @ [0, 0, 0.3] + pose[:3, 3])
    solid = picture(shown)[at.y(), at.x()]
    shown.scene.set_ghosted(frozenset({"arm"}))
    shown.settle()
    ghost = picture(shown)[at.y(), at.x()]
    shown.session.set_hidden(frozenset({"arm"}))
    shown.settle()
    hidden = picture(shown)[at.y(), at.x()]
    assert np.abs(ghost - hidden).sum() < np.abs(solid - hidden).sum() * 0.5
    assert np.abs(ghost - hidden).sum() > 0


def test_overlays_appear_and_go(shown: Stage) -> None:
    plain = picture(shown)
    shown.view.overlay.set_spheres(
        "glow", np.array([[0, 0, 1.0]]), np.array([0.1]), np.array([1, 0, 0, 0.8])
    )
    shown.view.overlay.set_lines(
        "gap", np.array([[[0, 0, 0], [0, 0.5, 0.5]]]), np.array([1, 0, 0, 1.0]), ["12 mm"]
    )
    shown.settle()
    assert np.abs(picture(shown) - plain).max() > 60
    shown.view.overlay.remove("glow")
    shown.view.overlay.remove("gap")
    shown.view.overlay.remove("never there")
    shown.settle()
    assert np.abs(picture(shown) - plain).max() <= 2


def test_standard_views_by_the_orientation_widget(shown: Stage) -> None:
    widget = shown.view.orientation
    eyes = {
        "front": (1, 0, 0),
        "left": (0, 1, 0),
        "top": (0, 0, 1),
        "back": (-1, 0, 0),
        "right": (0, -1, 0),
    }
    for name, eye in eyes.items():
        # From here all six are apart.
        shown.view.standard_view("iso")
        place = next(p for n, _, _, p, _ in widget.places() if n == name).toPoint()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        assert shown.camera.backward == pytest.approx(eye, abs=1e-9), name
    shown.key(Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    assert shown.camera.backward == pytest.approx((0, 0, -1), abs=1e-9)
    # Looking straight down or up, the view does not tip over.
    assert np.cross(shown.camera.right, shown.camera.up) == pytest.approx(shown.camera.backward)
    view = shown.camera.view
    QTest.mousePress(
        widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(40, 40)
    )
    QTest.mouseRelease(
        widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(22, 22)
    )
    assert shown.camera.view == view


def test_projecting_and_casting_rays_agree(shown: Stage) -> None:
    for parallel in (False, True):
        shown.session.set_display(parallel_projection=parallel)
        for name in ("iso", "top", "front"):
            shown.view.standard_view(name)
            ray = shown.camera.ray(123.0, 77.0)
            screen = shown.camera.project(np.stack([ray.at(0.5), ray.at(2.0)]))
            assert screen[:, :2] == pytest.approx(np.array([[123.0, 77.0]] * 2), abs=1e-6)


def test_our_camera_is_the_one_that_vtk_draws_with(shown: Stage) -> None:
    for parallel in (False, True):
        shown.session.set_display(parallel_projection=parallel)
        shown.settle()
        renderer = shown.canvas.main
        for point in ([0.1, 0.2, 0.3], [-0.2, 0.1, 0.9]):
            renderer.SetWorldPoint(*point, 1.0)
            renderer.WorldToDisplay()
            x, y, _ = renderer.GetDisplayPoint()
            ours = shown.camera.project(np.array(point))[0]
            assert ours[0] == pytest.approx(x, abs=1.5)
            assert ours[1] == pytest.approx(shown.canvas.height() - y, abs=1.5)


def test_fit_shows_everything_and_fit_selection_comes_nearer(shown: Stage) -> None:
    shown.camera.zoom(0.05)
    shown.key(Qt.Key.Key_Home)
    screen = shown.camera.project(shown.scene.table.world)
    assert (screen[:, 0] > 0).all()
    assert (screen[:, 0] < shown.canvas.width()).all()
    distance = shown.camera.view.distance
    shown.session.select(Selection(spheres=(TIP,)))
    shown.key(Qt.Key.Key_F)
    assert shown.camera.view.distance < distance / 2
    assert (shown.at(TIP) - shown.canvas.rect().center()).manhattanLength() < 40


def test_a_picture_is_written_and_a_bad_place_is_told(shown: Stage, tmp_path: Path) -> None:
    save_picture(shown.view, tmp_path / "view.png")
    image = QImage(str(tmp_path / "view.png"))
    assert image.width() == shown.canvas.width()
    with pytest.raises(SaveError, match="does not exist"):
        save_picture(shown.view, tmp_path / "nowhere" / "view.png")


def test_a_picture_has_its_size_its_background_and_no_marks(shown: Stage, tmp_path: Path) -> None:
    size, view = (shown.canvas.width(), shown.canvas.height()), shown.camera.view
    clean = shown.canvas.picture()
    plain = take_picture(shown.view, PictureOptions())
    shown.session.select(Selection(links=("base",), spheres=(TIP,)))
    shown.settle()
    assert take_picture(shown.view, PictureOptions()) == plain
    assert take_picture(shown.view, PictureOptions(marks=True)) != plain
    shown.session.select(Selection())
    # Any size, with nothing behind the robot; a tall picture shows as much to the sides as the view
    # does.
    for width, height in ((1600, 900), (300, 700)):
        save_picture(
            shown.view, tmp_path / "large.png", PictureOptions((width, height), transparent=True)
        )
        image = QImage(str(tmp_path / "large.png"))
        assert (image.width(), image.height()) == (width, height)
        assert [image.pixelColor(x, 2).alpha() for x in (2, width - 3)] == [0, 0]
        assert image.pixelColor(width // 2, height // 2).alpha() == 255
        reach = [
            x
            for x in range(width)
            if any(image.pixelColor(x, y).alpha() == 255 for y in range(0, height, 4))
        ]
        assert reach[0] > 0
        assert reach[-1] < width - 1
    with pytest.raises(OSError, match="cannot be transparent"):
        save_picture(shown.view, tmp_path / "large.jpg", PictureOptions(transparent=True))
    # The view itself is as it was.
    shown.settle()
    assert (shown.canvas.width(), shown.canvas.height(), shown.camera.view) == (*size, view)
    assert shown.canvas.picture() == clean


def test_the_dialog_saves_what_was_chosen_and_remembers_it(
    shown: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    asked: list[str] = []

    def choose(parent: QWidget, title: str, proposal: str, kinds: str, confirm: bool) -> str:
        asked.append(kinds)
        return str(tmp_path / "own")

    monkeypatch.setattr(dialogs, "choose_save_file", choose)
    jobs = Jobs()
    said: list[str] = []
    shown.session.message.connect(said.append)
    shown.session.refused.connect(said.append)
    first = PictureDialog(shown.view, shown.session, store, jobs)
    assert first.options() == PictureOptions()
    assert first.width_box.value() == shown.canvas.ren_win.GetSize()[0]
    first.size_box.choose("4k")
    first.size_box.activated.emit(first.size_box.currentIndex())
    assert first.options().size == (3840, 2160)
    assert not first.width_box.isEnabled()
    first.size_box.choose("own")
    first.size_box.activated.emit(first.size_box.currentIndex())
    first.width_box.setValue(640)
    first.height_box.setValue(320)
    first.transparent.setChecked(True)
    first.plain.setChecked(False)
    first.open()
    threads: list[str] = []
    real: Any = QImage.save

    def save(image: QImage, *arguments: Any) -> bool:
        threads.append(threading.current_thread().name)
        return bool(real(image, *arguments))

    monkeypatch.setattr(QImage, "save", save)
    first.save_button.click()
    wait_until(lambda: jobs.running, 60)
    # Packing it is left to another thread; the status bar says so.
    assert [job.name for job in jobs.running] == ["Writing own.png"]
    wait_until(lambda: said, 60)
    assert said == [f"Saved picture {tmp_path / 'own.png'}."]
    assert threads == ["Writing own.png"]
    image = QImage(str(tmp_path / "own.png"))
    assert (image.width(), image.height(), image.pixelColor(0, 0).alpha()) == (640, 320, 0)
    assert "jpg" not in asked[0]
    # What is cancelled leaves the picture of before, and nothing else.
    before = (tmp_path / "own.png").read_bytes()
    again = PictureDialog(shown.view, shown.session, store, jobs)
    again.width_box.setValue(800)
    may_go_on = threading.Event()

    def slow(image: QImage, *arguments: Any) -> bool:
        may_go_on.wait(60)
        return bool(real(image, *arguments))

    monkeypatch.setattr(QImage, "save", slow)
    again.open()
    again.save_button.click()
    wait_until(lambda: jobs.running, 60)
    (job,) = jobs.running
    job.cancel()
    may_go_on.set()
    wait_until(
        lambda: all(thread.name != "Writing own.png" for thread in threading.enumerate()), 60
    )
    assert (tmp_path / "own.png").read_bytes() == before
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.name.startswith(".")) == []
    jobs.close()
    jobs.deleteLater()
    second = PictureDialog(shown.view, shown.session, store, jobs)
    assert second.options() == PictureOptions((800, 320), transparent=True, marks=True)
    second.deleteLater()
    shown.settle()


def test_two_thousand_spheres_are_picked_and_dragged(qapp: object, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    lines = [
        f"        - {{center: [{x:.4f}, {y:.4f}, {z:.4f}], radius: 0.012}}\n"
        for x, y, z in rng.uniform(-0.3, 0.3, (2000, 3))
    ]
    text = XRDF[: XRDF.index("      base:\n        -")] + "      arm:\n" + "".join(lines)
    with stage(boxes(tmp_path, text)) as shown:
        table = shown.scene.table
        assert len(table) == 2000
        shown.session.set_display(visuals=False)
        # The one that is nearest to the eye cannot be hidden by another.
        depth = shown.camera.project(table.world)[:, 2]
        ref = table.refs[int(np.argmin(depth))]
        before = shown.world(ref)
        others = table.world.copy()
        shown.drag(shown.at(ref), shown.at(ref) + QPoint(25, 0))
        assert shown.session.selection.spheres == (ref,)
        moved = np.linalg.norm(table.world - others, axis=1) > 1e-9
        assert moved.sum() == 1
        assert np.linalg.norm(shown.world(ref) - before) > 0.01
        shown.session.undo()
        assert table.world == pytest.approx(others, abs=1e-12)


def test_no_robot_and_another_robot(shown: Stage, tmp_path: Path) -> None:
    shown.session.select(Selection(spheres=(TIP,)))
    shown.session.open(None)
    shown.settle()
    assert len(shown.scene.table) == 0
    assert not shown.scene.gizmo.is_shown
    shown.hover(QPoint(100, 100))
    shown.click(QPoint(100, 100))
    other = tmp_path / "other"
    other.mkdir()
    shown.session.open(boxes(other))
    shown.settle()
    assert len(shown.scene.table) == 5
    assert shown.scene.visuals.links == ("base", "arm", "tip")


def test_after_shutdown_nothing_draws_or_listens(qapp: object, tmp_path: Path) -> None:
    with stage(boxes(tmp_path)) as shown:
        shown.click(shown.at(TIP))
        shown.wheel(shown.at(TIP), 1)
        shown.scene.pace.moved()
        view = shown.view
        view.shutdown()
        view.shutdown()
        assert not any(t.isActive() for t in view.findChildren(QTimer))
        shown.session.set_display(grid=False)
        shown.session.execute(SetSpheres(((LOW, CollisionSphere((0.0, 0.0, 0.0), 0.3)),)))
        shown.session.set_joint("turn", 0.1)
        shown.session.open(None)
        shown.settle()


def test_slow_drawing_uses_coarser_meshes_only_while_things_move(shown: Stage, qtbot: Any) -> None:
    from editor_app.window.viewport.canvas import Pace
    from editor_app.window.viewport.layers.meshes import MeshLayer

    layer: MeshLayer = shown.scene.visuals
    from tests.helpers.viewport import Part

    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 90), np.linspace(0.1, 3.0, 90), indexing="ij")
    ball = np.column_stack(
        [(np.cos(u) * np.sin(v)).ravel(), (np.sin(u) * np.sin(v)).ravel(), np.cos(v).ravel()]
    )
    i = (np.arange(89)[:, None] * 90 + np.arange(89)[None]).ravel()
    faces = np.concatenate(
        [np.column_stack([i, i + 90, i + 1]), np.column_stack([i + 1, i + 90, i + 91])]
    )
    layer.set_geometry("tip", [Part(ball * 0.1, faces, (0.2, 0.4, 0.6, 1.0))])

    def triangles() -> int:
        return int(layer._links["tip"].actors[0].GetMapper().GetInput().GetNumberOfPolys())

    fine = triangles()
    pace = Pace((layer,), layer.coarse_work, shown.scene.redraw, shown.window)
    pace.frame_took(0.004)
    pace.moved()
    qtbot.wait(20)
    assert not pace.is_coarse
    assert triangles() == fine
    for _ in range(20):
        pace.frame_took(0.2)

    def is_coarse_while_it_moves() -> bool:
        # On a busy machine the coarse mesh may come after a single movement is over.
        pace.moved()
        return triangles() < fine / 3

    qtbot.waitUntil(is_coarse_while_it_moves, timeout=60_000)
    qtbot.waitUntil(lambda: not pace.is_coarse, timeout=60_000)
    assert triangles() == fine
    pace.end()


HIDPI = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication([])
from editor_app.core.document.replacing import SaveError
from editor_app.core.document.selection import Selection
from tests.helpers.viewport import BASE, HIGH, LOW, TIP, boxes, stage
from PySide6.QtCore import QPoint
import numpy as np
with stage(boxes(Path(sys.argv[1])), (420, 320)) as shown:
    assert shown.canvas.devicePixelRatioF() == 2.0, shown.canvas.devicePixelRatioF()
    assert tuple(shown.canvas.ren_win.GetSize()) == (shown.canvas.width() * 2, shown.canvas.height() * 2)
    for ref in (BASE, LOW, HIGH, TIP):
        shown.click(shown.at(ref))
        assert shown.session.selection == Selection(spheres=(ref,)), (ref, shown.session.selection)
    renderer = shown.canvas.main
    renderer.SetWorldPoint(0.1, 0.2, 0.3, 1.0)
    renderer.WorldToDisplay()
    x, y, _ = renderer.GetDisplayPoint()
    ours = shown.camera.project(np.array([0.1, 0.2, 0.3]))[0]
    assert abs(ours[0] - x / 2) < 1.5 and abs(ours[1] - (shown.canvas.height() - y / 2)) < 1.5
    before, start = shown.world(TIP), shown.at(TIP)
    shown.drag(start, start + QPoint(30, 0))
    moved = shown.world(TIP) - before
    expected = shown.camera.right * 30 * shown.camera.metres_per_pixel(before)
    assert np.allclose(moved, expected, atol=2e-6), (moved, expected)
print("picking is right")
"""


def test_picking_is_right_on_a_screen_with_scaling(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "QT_SCALE_FACTOR": "2", "PYTHONPATH": str(root)}
    result = subprocess.run(
        [sys.executable, "-c", HIDPI, str(tmp_path)],
        env=environment,
        cwd=root,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert "picking is right" in result.stdout, result.stderr[-3000:]
    assert result.returncode == 0, result.stderr[-3000:]


def test_a_bare_frame_far_away_is_no_part_of_the_picture(qapp: object, tmp_path: Path) -> None:
    """A laser's virtual frame behind a mobile base: the robot filled half of the view, and a
    section missed it."""
    far = (
        '<link name="far"/><joint name="behind" type="fixed"><parent link="base"/><child '
        'link="far"/>'
    )
    far += '<origin xyz="-9 0 0"/></joint></robot>'
    for folder in ("near", "far"):
        (tmp_path / folder).mkdir()
    with stage(boxes(tmp_path / "near")) as shown:
        shown.view.reset_camera()
        near, middle = shown.camera.view.distance, shown.scene.framing.middle()
    with stage(boxes(tmp_path / "far", urdf=URDF.replace("</robot>", far))) as shown:
        shown.view.reset_camera()
        assert shown.camera.view.distance == pytest.approx(near)
        np.testing.assert_allclose(shown.scene.framing.middle()[0], middle[0])
        shown.aids.section.toggle()
        # Where it is drawn, it is looked at.
        shown.session.set_display(frames=True)
        shown.view.reset_camera()
        assert shown.camera.view.distance > 2 * near
        assert np.linalg.norm(shown.aids.section.position) < 1.0


def test_what_is_fitted_stays_above_the_line_that_says_what_is_hidden(shown: Stage) -> None:
    shown.scene.framing.is_moved_by_hand = False
    shown.view.reset_camera()
    shown.scene.framing.is_moved_by_hand = False
    note = shown.view.hidden_note
    shown.session.set_display(spheres=False)
    assert note.isVisible()
    points = shown.scene.framing.content_points()
    wait_until(lambda: shown.camera.project(points)[:, 1].max() <= note.geometry().top() + 1, 60)
    shown.session.set_display(spheres=True)
    assert not note.isVisible()
    assert note not in shown.view.overlays.widgets()


def test_the_switches_fit_into_a_low_view(shown: Stage) -> None:
    shown.window.resize(480, 260)
    shown.settle()
    strip = shown.view.strip
    inside = shown.view.rect()
    assert inside.contains(strip.geometry())
    for button in strip.findChildren(type(strip.select)):
        assert strip.rect().contains(button.geometry()), button.toolTip()
        assert button.accessibleName()
    assert not strip.geometry().intersects(shown.view.orientation.geometry())


def test_the_buttons_at_the_edge_are_the_actions(shown: Stage) -> None:
    strip, registry = shown.view.strip, shown.registry
    by_action = {
        button.defaultAction(): button for button in strip.findChildren(type(strip.select))
    }
    measure = by_action[registry["measure.tool"]]
    assert strip.select.isChecked()
    measure.click()
    shown.settle()
    assert (shown.view.interaction.tool, measure.isChecked(), strip.select.isChecked()) == (
        "measure",
        True,
        False,
    )
    strip.select.click()
    shown.settle()
    assert (shown.view.interaction.tool, measure.isChecked(), strip.select.isChecked()) == (
        Tool.SELECT,
        False,
        True,
    )
    strip.options.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    inside = {
        sub.title(): sub.actions()
        for action in menu.actions()
        if isinstance(sub := action.menu(), QMenu)
    }
    assert registry["view.radius.world"] in inside["Radius of spheres"]
    assert registry["view.from.top"] in inside["Standard view"]
    menu.close()
    registry.trigger("view.radius.world")
    note = shown.view.hidden_note
    assert note.text() == "Spheres: radius with the world buffer", (
        "enlarged spheres are named in the view"
    )
    registry.trigger("view.radius.bare")
    assert not note.isVisible()
    registry.trigger("view.from.top")
    assert shown.camera.view.elevation == pytest.approx(np.pi / 2)


def test_the_context_menu_belongs_to_what_is_under_the_pointer(shown: Stage) -> None:
    asked: list[str] = []
    shown.view.interaction.menu_requested.connect(lambda kind, place: asked.append(kind))
    shown.click(shown.at(TIP), button=Qt.MouseButton.RightButton)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    texts = {a.text().replace("&", "") for a in menu.actions()}
    assert {"Delete", "Duplicate"} <= texts
    assert "Zoom to all" not in texts
    aside = menu.actions()[-1].menu()
    assert aside is not None
    assert "Zoom to all" in {a.text().replace("&", "") for a in aside.actions()}  # type: ignore[attr-defined]
    menu.close()
    assert asked == ["sphere"]
    assert shown.session.selection.spheres == (TIP,)


def test_a_joint_and_a_dragged_sphere_are_drawn_coarsely_like_the_camera(
    shown: Stage, qtbot: Any
) -> None:
    pace = shown.scene.pace
    shown.session.select(Selection(spheres=(LOW,)))
    grab = MoveDrag(shown.view.interaction.hand, QPointF(50, 50), LOW, None)
    for move in (
        lambda: shown.scene.move_camera(lambda: shown.scene.camera.orbit(5.0, 0.0)),
        lambda: shown.session.set_joint("turn", 0.2),
        lambda: grab.move(QPointF(55, 50), Qt.KeyboardModifier.NoModifier),
    ):
        qtbot.waitUntil(lambda: not pace.is_coarse, timeout=60_000)
        for _ in range(20):
            pace.frame_took(0.2)
        move()
        assert pace.is_coarse
    grab.cancel()
    qtbot.waitUntil(lambda: not pace.is_coarse, timeout=60_000)
