"""Take the manual's pictures from the real window: python tools/manual_pictures.py [NAME…]
(default: all)

Run it with the environment's Python, on Linux with Xvfb. The window is 1600 × 1000, light, with the
sample robot in a folder of its own; the pictures go to resources/manual/pictures, three quarters as
large, as WebP. Pictures of the tutorial show the UR10 of example-robot-data (extra `samples`),
cropped to the widgets of a step, with numbers.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Also for panel_pictures.py, which imports this module first.
sys.path.append(str(Path(__file__).resolve().parents[1] / "packaging"))

from virtual_display import VirtualDisplay

if TYPE_CHECKING:
    from editor_app.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "resources" / "manual" / "pictures"
SIZE = (1600, 1000)
SHOWN = (1200, 750)
_IN_CHILD = "XRDF_EDITOR_PICTURES"
#: Seconds; a busy machine without a GPU fits a whole arm in several minutes.
_PATIENCE = 1200.0
#: Radius of a number in a picture and margin around what a cropped one shows, pixels of the window.
_NUMBER_RADIUS, _MARGIN = 14, 4
#: The arm of the tutorial, as the file of example-robot-data is called.
_ARM = "ur10_robot"
_SPHERE = ("forearm_link", 1)
#: What the picture of the findings shows: text of the sample's XRDF that is broken, and how.
_BROKEN = (("tool_frames:", "tool_frame:"), ("elbow_pitch_joint:", "elbow_pich_joint:"))

#: The trajectory of the picture of the panel Motion.
_WAY = """time,base_yaw_joint,shoulder_pitch_joint,elbow_pitch_joint,wrist_pitch_joint
0,0,0.05,0.4,1.1
1,0.8,0.3,1.0,0.4
2,1.4,-0.3,1.6,0.9
3,0.4,-0.8,2.1,0.2
4,-0.6,0.2,0.8,1.1
"""


def main(names: list[str]) -> int:
    """Starts a display and itself on it; there it takes the pictures."""
    if _IN_CHILD in os.environ:
        return _take(names)
    with tempfile.TemporaryDirectory() as home, VirtualDisplay(*SIZE) as display:
        env = display.environment() | {_IN_CHILD: "1", "HOME": home}
        env |= dict.fromkeys(
            ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), home
        )
        return subprocess.run(
            [sys.executable, __file__, *names], env=env, cwd=home, check=False
        ).returncode


def _take(names: list[str]) -> int:
    sys.path.insert(0, str(ROOT))
    from PySide6.QtCore import QSettings

    from editor_app.window.app import make_application
    from editor_app.window.main_window import MainWindow
    from editor_app.window.settings import Settings
    from editor_app.window.theme import ThemeChoice, theme

    scenes = _scenes()
    unknown = [name for name in names if name not in scenes]
    if unknown:
        print(
            f"There is no picture {', '.join(unknown)}; there are {', '.join(scenes)}.",
            file=sys.stderr,
        )
        return 2
    app = make_application()
    theme().install(app)
    theme().choose(ThemeChoice.LIGHT)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        window = MainWindow(
            Settings(QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
        )
        window.resize(*SIZE)
        window.show()
        window.load_viewport()
        until(lambda: window.viewport is not None)
        for name in names or scenes:
            print(name, flush=True)
            shot = _Shot(window, Path(folder) / name)
            scenes[name](shot)
            shot.save(PICTURES / f"{name}.webp")
        window.session.open(None)
        window.shutdown()
    return 0


def until(condition: Callable[[], Any]) -> None:
    """Works off events until it holds. Raises TimeoutError."""
    from PySide6.QtTest import QTest

    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the window did not get there")
        QTest.qWait(20)


class _Shot:
    """The window for one picture, with a fresh copy of the sample robot where that is wanted."""

    def __init__(self, window: MainWindow, folder: Path) -> None:
        self.window = window
        self.session = window.session
        self._folder = folder
        #: What is grabbed; None for the whole window.
        self.widget: Any = None
        #: Widgets that a cropped picture shows (all of the window without any), and those that get
        #: a number.
        self.shown: tuple[Any, ...] = ()
        self.numbered: tuple[Any, ...] = ()
        window.session.open(None)
        window.fitting.heat_map.set_on(False)
        window.docks.reset()
        # What was said of the robot before.
        window.status.say("")

    def sample(self, broken: bool = False, bare: bool = False) -> None:
        """Opens a copy of the sample robot; `broken`: with faults in its XRDF; `bare`: its URDF
        alone."""
        from editor_app.core.resources import sample_robot

        robot = self._folder / "heron"
        shutil.copytree(sample_robot().parent, robot)
        if bare:
            (robot / "heron.xrdf").unlink()
        if broken:
            text = (robot / "heron.xrdf").read_text(encoding="utf-8")
            for old, new in _BROKEN:
                text = text.replace(old, new, 1)
            (robot / "heron.xrdf").write_text(text, encoding="utf-8")
        self._open(robot / "heron.urdf")

    def arm(self) -> None:
        """Opens a copy of the tutorial's arm, a URDF alone."""
        from editor_app.plugins.assembly.verbs.known_parts import example_robots

        urdf = next(part.urdf for part in example_robots() if part.title == _ARM)
        package = self._folder / urdf.parents[1].name
        shutil.copytree(
            urdf.parents[1], package, ignore=shutil.ignore_patterns("*.srdf", "ur3*", "ur5*")
        )
        self._open(package / urdf.parent.name / urdf.name)

    def _open(self, urdf: Path) -> None:
        window = self.window
        window.files.open(urdf)
        until(
            lambda: (
                not window.files.is_opening
                and not window.meshes.is_loading
                and not window.feed.is_busy
            )
        )
        until(lambda: bool(window.fitting.context.links_with_mesh()))
        window.registry.trigger("view.fit")
        self.pause(1.5)

    def file(self, name: str, text: str) -> Path:
        """A file in the folder of this picture."""
        path = self._folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def pause(self, seconds: float) -> None:
        """Lets what was put off happen, and the view be drawn."""
        from PySide6.QtTest import QTest

        QTest.qWait(round(seconds * 1000))

    def tall(self, dock: str, height: int) -> None:
        """Makes the bottom panels that high, with one of them in front."""
        from PySide6.QtCore import Qt

        self.window.docks.show(dock)
        self.window.resizeDocks([self.window.docks.dock(dock)], [height], Qt.Orientation.Vertical)
        self.pause(0.5)

    def save(self, path: Path) -> None:
        from PIL import Image
        from PySide6.QtCore import QBuffer, QIODevice

        # Figures that are still being measured would be dots.
        until(lambda: not self.window.jobs.running)
        self.pause(0.5)
        picture = (self.widget or self.window).grab()
        self._number(picture)
        if self.shown:
            picture = picture.copy(self._crop())
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        picture.save(buffer, "PNG")
        image = Image.open(io.BytesIO(bytes(buffer.data().data()))).convert("RGB")
        if image.width > SHOWN[0]:
            scale = SHOWN[0] / SIZE[0]
            size = (round(image.width * scale), round(image.height * scale))
            image = image.resize(size, Image.Resampling.LANCZOS)
        image.save(path, quality=82, method=6)

    def _crop(self) -> Any:
        """The rectangle around the shown widgets, in pixels of the window."""
        from PySide6.QtCore import QPoint, QRect

        united = QRect()
        for widget in self.shown:
            united |= QRect(widget.mapTo(self.window, QPoint()), widget.size())
        # A number may be below the last button.
        margins = (-_MARGIN, -_MARGIN, _MARGIN, 2 * _NUMBER_RADIUS)
        return united.adjusted(*margins) & self.window.rect()

    def _number(self, picture: Any) -> None:
        """Draws 1, 2, … below small numbered widgets, and at the top of large ones: their texts
        stay readable."""
        from PySide6.QtCore import QPoint, QRect, Qt
        from PySide6.QtGui import QColor, QPainter

        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = painter.font()
        font.setBold(True)
        font.setPixelSize(_NUMBER_RADIUS + 3)
        painter.setFont(font)
        for number, widget in enumerate(self.numbered, 1):
            is_small = widget.height() < 3 * _NUMBER_RADIUS
            edge = widget.height() + _NUMBER_RADIUS if is_small else _NUMBER_RADIUS
            disc = QRect(0, 0, 2 * _NUMBER_RADIUS, 2 * _NUMBER_RADIUS)
            disc.moveCenter(widget.mapTo(self.window, QPoint(widget.width() // 2, edge)))
            painter.setPen(QColor("white"))
            painter.setBrush(QColor("#c2185b"))
            painter.drawEllipse(disc)
            painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, str(number))
        painter.end()


def _scenes() -> dict[str, Callable[[_Shot], None]]:
    return {
        "start": lambda shot: shot.pause(1),
        "window": _window,
        "first-steps": lambda shot: shot.sample(bare=True),
        "selection": _selection,
        "fit": _fit,
        "fit-robot": _fit_robot,
        "heat-map": _heat_map,
        "matrix": _matrix,
        "measure": _measure,
        "findings": _findings,
        "joints": _joints,
        "motion": _motion,
        "source": _source,
        "urdf": _urdf,
        "srdf": _srdf,
        "tutorial-open": _tutorial_open,
        "tutorial-fit": _tutorial_fit,
        "tutorial-cspace": _tutorial_cspace,
    }


def _window(shot: _Shot) -> None:
    shot.sample()


def _select_sphere(shot: _Shot) -> None:
    from editor_app.core.document.selection import Selection
    from editor_app.core.model.findings import SphereRef

    robot = shot.session.robot
    assert robot is not None
    group = robot.xrdf.world_group
    assert group is not None
    shot.session.select(Selection(spheres=(SphereRef(group, *_SPHERE),)))


def _selection(shot: _Shot) -> None:
    shot.sample()
    _select_sphere(shot)
    shot.pause(1.5)


def _fit(shot: _Shot) -> None:
    from editor_app.core.document.selection import Selection

    shot.sample()
    shot.session.select(Selection(links=("forearm_link",)))
    shot.window.registry.trigger("fit.links")
    panel = shot.window.fitting.fit_panel
    panel.form.amount.set_value(8, "number")
    until(lambda: panel.is_ready)
    until(lambda: panel.figures.text("coverage") != "–")
    shot.pause(1.5)


def _fit_robot(shot: _Shot) -> None:
    shot.window.fitting.fit_panel.cancel()
    shot.sample(bare=True)
    shot.window.registry.trigger("fit.robot")
    panel = shot.window.fitting.fit_panel
    if not panel.is_running and not panel.fits:
        panel.start_button.click()
    until(lambda: not panel.is_running and panel.fits)
    shot.pause(1.5)


def _heat_map(shot: _Shot) -> None:
    shot.window.fitting.fit_panel.cancel()
    shot.sample()
    shot.window.fitting.heat_map.set_on(True)
    until(lambda: not shot.window.jobs.running)
    shot.pause(2)


def _matrix(shot: _Shot) -> None:
    from editor_app.features.masks.window.panel import MATRIX

    shot.sample()
    controller = shot.window.self_collision.controller
    panel = shot.window.self_collision.show_panel()
    panel.show_page(MATRIX)
    shot.tall("self-collision", 400)
    panel.compute_button.click()
    until(lambda: not controller.is_running and controller.analysis is not None)
    shot.window.registry.trigger("mask.next_conflict")
    shot.pause(2)


def _measure(shot: _Shot) -> None:
    from dataclasses import replace

    from editor_app.core.document.commands import SetSpheres
    from editor_app.core.model.findings import SphereRef
    from editor_app.plugins.measuring.window.ruler import Anchor, Note

    shot.sample()
    view, robot = shot.window.viewport, shot.session.robot
    assert view is not None
    assert robot is not None
    ruler, group = shot.window.measuring.aids.ruler, robot.xrdf.world_group
    assert group is not None
    refs = [SphereRef(group, "forearm_link", 1), SphereRef(group, "upper_arm_link", 1)]
    spheres = [Anchor(ref.frame, sphere=ref) for ref in refs]
    ruler.notes = (
        Note((Anchor("base_link"), spheres[0]), "reach"),
        Note(tuple(spheres)),
        Note((Anchor("base_link"), spheres[1], spheres[0])),
    )
    ruler.choose(0)
    sphere = robot.xrdf.spheres_of(group)[_SPHERE[0]][_SPHERE[1]]
    x, y, z = sphere.center
    moved = replace(sphere, center=(x + 0.06, y, z))
    shot.session.execute(SetSpheres(((SphereRef(group, *_SPHERE), moved),), "Move sphere"))
    shot.session.set_display(former=True)
    shot.window.registry.trigger("section.across_y")
    shot.tall("measurements", 240)
    shot.window.registry.trigger("view.fit")
    shot.pause(1)


def _findings(shot: _Shot) -> None:
    shot.sample(broken=True)
    shot.tall("findings", 260)
    shot.window.step_finding(1)
    shot.pause(0.5)


def _joints(shot: _Shot) -> None:
    shot.sample()
    shot.session.set_joint("elbow_pitch_joint", 1.2)
    shot.session.set_joint("base_yaw_joint", 0.5)
    shot.tall("joints", 260)


def _motion(shot: _Shot) -> None:
    shot.sample()
    shot.window.motion.show_panel()
    shot.tall("motion", 320)
    controller = shot.window.motion.controller
    path = shot.file("way.csv", _WAY)
    shot.window.open_files([path])
    until(lambda: controller.collided is not None and not controller.is_busy)
    controller.smoke_test()
    until(lambda: not controller.is_busy and controller.tests)
    controller.player.seek(2.0)
    shot.window.registry.trigger("view.fit")
    shot.pause(1)


def _source(shot: _Shot) -> None:
    from editor_app.core.document import commands

    shot.sample()
    shot.session.execute(commands.InsertItem("xrdf.tool_frames", "wrist_link"))
    shot.tall("source", 360)
    panel: Any = shot.window.docks.panel("source")
    panel.difference_button.click()
    shot.pause(0.5)


def _urdf(shot: _Shot) -> None:
    from editor_app.core.document.selection import Selection

    shot.sample()
    shot.session.select(Selection(links=("forearm_link",)))
    shot.window.docks.show("urdf")
    shot.pause(1)


def _srdf(shot: _Shot) -> None:
    shot.sample()
    shot.window.docks.show("srdf")
    shot.pause(1)


def _tutorial_open(shot: _Shot) -> None:
    from editor_app.features.draft.window.first_steps import Card

    shot.arm()
    window = shot.window
    card: Any = window.findChild(Card)
    shot.shown = (window.docks.dock("links"), window.viewport, card)
    shot.numbered = (window.docks.dock("links"), card, *reversed(card.buttons))


def _tutorial_fit(shot: _Shot) -> None:
    shot.arm()
    shot.window.registry.trigger("fit.robot")
    panel = shot.window.fitting.fit_panel
    if not panel.is_running and not panel.fits:
        panel.start_button.click()
    until(lambda: not panel.is_running and panel.fits)
    shot.pause(1.5)
    shot.shown = (shot.window.docks.dock("fit"),)
    shot.numbered = (panel.accept_button,)


def _tutorial_cspace(shot: _Shot) -> None:
    shot.arm()
    panel: Any = shot.window.docks.show("xrdf")
    section = panel.reveal("cspace")
    shot.pause(1)
    shot.shown = (section,)
    shot.numbered = (section,)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
