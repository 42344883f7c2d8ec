"""Take a picture of every panel and dialog: python tools/panel_pictures.py FOLDER [ROBOT.urdf
[ROBOT.xrdf]]…

Run it with the environment's Python, on Linux with Xvfb. Each robot (default: the sample) is shown
in a window of each of the `--sizes`, in each of the `--themes`; the pictures are
FOLDER/ROBOT-SIZE-THEME/SCENE.png, to be looked at. `--scenes` names some of the scenes; `--list`
prints their names.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manual_pictures import until
from virtual_display import VirtualDisplay

from editor_app.core.document.commands.lists import set_item

if TYPE_CHECKING:
    from editor_app.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
SCREEN = (1920, 1080)
_IN_CHILD = "XRDF_EDITOR_PICTURES"
#: The panels below the view that are pictured as they come; what has pages has scenes of its own.
_PLAIN = ("joints", "findings", "motion", "fit", "history")
_STACKS = ("xrdf", "srdf", "urdf")
_PAGES = ("matrix", "list", "overlaps", "blocking", "compare")
#: Dialogs by the action that opens them.
_DIALOGS = {
    "preferences": "edit.preferences",
    "shortcuts": "help.shortcuts",
    "repair": "robot.mend",
    "attach": "robot.attach",
    "about": "help.about",
    "picture": "view.save_picture",
    "compare-file": "file.compare",
    "rename-link": "links.rename",
    "mirror-spheres": "spheres.mirror",
}


#: Pages of the manual: the first, with large and small pictures, with code, with a table.
_MANUAL = {
    "first": "index",
    "start": "start",
    "fit": "panels/fit",
    "code": "scripting",
    "finding": "findings/xrdf",
    "keys": "keys",
}
#: Dialogs that something has to happen for, as tests open them.
_FILLED = ("carry-over", "compare", "conversion", "xacro", "pairing", "broken", "crash", "message")


def main(arguments: list[str]) -> int:
    """Starts a display and itself on it; there it takes the pictures."""
    args = _arguments(arguments)
    if args.list:
        print("\n".join(_scenes()))
        return 0
    if _IN_CHILD in os.environ:
        return _take(args)
    if args.folder is None:
        print("Name the folder for the pictures.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as home, VirtualDisplay(*SCREEN) as display:
        env = display.environment() | {_IN_CHILD: "1", "HOME": home}
        env |= dict.fromkeys(
            ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), home
        )
        return subprocess.run(
            [sys.executable, __file__, *arguments], env=env, check=False
        ).returncode


def _arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument(
        "robots",
        nargs="*",
        type=Path,
        help="URDFs, each with its XRDF behind it where there is one",
    )
    parser.add_argument(
        "--sizes", nargs="+", default=["1280x720", "1920x1080"], metavar="WIDTHxHEIGHT"
    )
    parser.add_argument("--themes", nargs="+", choices=("light", "dark"), default=["light", "dark"])
    parser.add_argument("--scenes", nargs="+", choices=tuple(_scenes()), metavar="SCENE")
    parser.add_argument("--list", action="store_true", help="print the names of the scenes")
    return parser.parse_args(arguments)


def _robots(paths: list[Path]) -> list[tuple[Path, Path | None]]:
    from editor_app.core.resources import sample_robot

    robots: list[tuple[Path, Path | None]] = []
    for path in paths:
        if path.suffix == ".xrdf" and robots and robots[-1][1] is None:
            robots[-1] = (robots[-1][0], path)
        else:
            robots.append((path, None))
    return robots or [(sample_robot(), None)]


def _take(args: argparse.Namespace) -> int:
    sys.path.insert(0, str(ROOT))
    from editor_app.window.app import make_application
    from editor_app.window.theme import ThemeChoice, theme

    app = make_application()
    theme().install(app)
    scenes = _scenes()
    for urdf, xrdf in _robots([path.resolve() for path in args.robots]):
        for size in args.sizes:
            width, height = (int(part) for part in size.split("x"))
            with tempfile.TemporaryDirectory() as settings:
                stage = Stage(Path(settings), width, height)
                stage.open(urdf, xrdf)
                for colours in args.themes:
                    theme().choose(ThemeChoice(colours))
                    folder = args.folder / f"{urdf.stem}-{size}-{colours}"
                    folder.mkdir(parents=True, exist_ok=True)
                    for name in args.scenes or scenes:
                        print(folder.name, name, flush=True)
                        stage.begin()
                        picture = scenes[name](stage)
                        if picture is not None:
                            picture.save(str(folder / f"{name}.png"))
                stage.close()
    return 0


class Stage:
    """The window with a robot, put back to its first layout before each scene."""

    def __init__(self, settings: Path, width: int, height: int) -> None:
        from PySide6.QtCore import QSettings

        from editor_app.window.main_window import MainWindow
        from editor_app.window.settings import Settings

        self.window: MainWindow = MainWindow(
            Settings(QSettings(str(settings / "settings.ini"), QSettings.Format.IniFormat))
        )
        self.window.resize(width, height)
        self.window.show()
        self.window.load_viewport()
        until(lambda: self.window.viewport is not None)

    def open(self, urdf: Path, xrdf: Path | None) -> None:
        window = self.window
        window.files.open(urdf, xrdf)
        until(
            lambda: (
                not window.files.is_opening
                and not window.meshes.is_loading
                and not window.feed.is_busy
            )
        )
        window.registry.trigger("view.fit")
        self.rest()

    def begin(self) -> None:
        """The first layout and pose, nothing around the robot, and the last link that has spheres
        selected."""
        from editor_app.core.document.selection import Selection
        from editor_app.core.model.scene import EMPTY_SCENE

        window = self.window
        window.motion.controller.set_trajectory(None)
        window.motion.controller.set_scene(EMPTY_SCENE)
        entries = window.poses.entries()
        if entries:
            window.poses.go_to(entries[0])
        window.registry.trigger("view.fit")
        window.status.say("")
        window.docks.reset()
        window.session.select(Selection(links=self.links()[-1:]))
        self.rest()

    def links(self) -> tuple[str, ...]:
        """Those that have spheres."""
        robot = self.window.session.robot
        groups = (robot.xrdf.geometry or ()) if robot is not None else ()
        return tuple(link for group in groups for link, spheres in group.spheres.items() if spheres)

    def joints(self) -> tuple[str, ...]:
        """The first two that move."""
        tree = self.window.session.tree
        return tuple(tree.independent[:2]) if tree is not None else ()

    def rest(self) -> None:
        """Lets what was put off happen, and the work in the background end."""
        from PySide6.QtTest import QTest

        QTest.qWait(150)
        until(lambda: not self.window.jobs.running)
        QTest.qWait(350)

    def grab(self) -> Any:
        """The screen with everything that stands on it: menus and dialogs, too."""
        from PySide6.QtGui import QGuiApplication

        self.rest()
        frame = self.window.frameGeometry()
        return QGuiApplication.primaryScreen().grabWindow(0, 0, 0, frame.width(), frame.height())

    def close(self) -> None:
        self.window.session.open(None)
        self.window.shutdown()
        self.window.close()
        self.window.deleteLater()
        self.rest()


Scene = Callable[[Stage], Any]


def _scenes() -> dict[str, Scene]:
    scenes: dict[str, Scene] = {"first": lambda stage: stage.grab(), "sphere": _sphere}
    scenes |= {name: _panel(name) for name in _PLAIN}
    scenes |= {f"{name}-{part}": _stack(name, part) for name in _STACKS for part in range(1, 4)}
    scenes |= {f"mask-{name}": _page(number) for number, name in enumerate(_PAGES)}
    scenes |= {"mask-large": _mask_large, "source": _source, "difference": _difference}
    scenes |= {"measured": _measured, "moved": _moved, "tested": _tested, "obstacles": _obstacles}
    scenes |= {"edited": _edited, "fitted": _fitted, "fitted-robot": _fitted_robot}
    scenes |= {"palette": _palette, "tree-menu": _tree_menu, "news": _news}
    scenes |= {f"manual-{name}": _manual(page) for name, page in _MANUAL.items()}
    scenes |= {"poses": _poses, "copy-spheres": _dialog("links.copy_spheres")}
    scenes |= {f"dialog-{name}": _dialog(action) for name, action in _DIALOGS.items()}
    scenes |= {f"dialog-{name}": _filled(name) for name in _FILLED}
    # Last: what is computed stays.
    scenes |= {f"computed-{name}": _computed(number) for number, name in enumerate(_PAGES)}
    scenes |= {"computed-large": _mask_large, "computed-write": _filled("write-mask")}
    return scenes


def _sphere(stage: Stage) -> Any:
    from editor_app.core.document.selection import Selection
    from editor_app.core.model.findings import SphereRef

    robot = stage.window.session.robot
    for group in (robot.xrdf.geometry or ()) if robot is not None else ():
        for link, spheres in group.spheres.items():
            if spheres:
                stage.window.session.select(Selection(spheres=(SphereRef(group.name, link, 0),)))
                return stage.grab()
    return None


def _panel(name: str) -> Scene:
    def scene(stage: Stage) -> Any:
        stage.window.docks.show(name)
        return stage.grab()

    return scene


def _stack(name: str, part: int) -> Scene:
    """The sections of a column at the right, all of them open, a screen further down for each
    part."""

    def scene(stage: Stage) -> Any:
        stack: Any = stage.window.docks.show(name)
        for section in stack.sections.values():
            section.set_open(True)
        stage.rest()
        bar = stack.verticalScrollBar()
        if part > 1 and (part - 1) * bar.pageStep() > bar.maximum() + bar.pageStep():
            return None
        bar.setValue((part - 1) * bar.pageStep())
        return stage.grab()

    return scene


def _page(number: int) -> Scene:
    def scene(stage: Stage) -> Any:
        panel = stage.window.self_collision.show_panel()
        panel.show_page(number)
        return stage.grab()

    return scene


def _mask_large(stage: Stage) -> Any:
    stage.window.self_collision.show_panel().show_page(0)
    stage.window.registry.trigger("view.enlarge")
    picture = stage.grab()
    stage.window.registry.trigger("view.enlarge")
    return picture


def _source(stage: Stage) -> Any:
    panel: Any = stage.window.docks.show("source")
    panel.show_text()
    stage.rest()
    panel.find_bar.open_bar(replacing=True)
    return stage.grab()


def _difference(stage: Stage) -> Any:
    panel: Any = stage.window.docks.show("source")
    panel.show_difference()
    picture = stage.grab()
    panel.show_text()
    return picture


def _measured(stage: Stage) -> Any:
    """Notes of one to three anchors: a distance, an angle with a name, a radius, a hidden one."""
    from editor_app.core.model.findings import SphereRef
    from editor_app.plugins.measuring.window.ruler import Anchor, Note

    window, links = stage.window, stage.links()
    robot, view = window.session.robot, window.viewport
    if robot is None or view is None or len(links) < 3:
        return None
    group = next(g.name for g in robot.xrdf.geometry or () if links[0] in g.spheres)
    chosen = (links[0], links[len(links) // 2], links[-1])
    one, other, third = (Anchor(link, sphere=SphereRef(group, link, 0)) for link in chosen)
    ruler = window.measuring.aids.ruler
    ruler.notes = (
        Note((one, other)),
        Note((one, other, third), "Elbow to wrist, as in the drawing of the cell"),
        Note((third,)),
        Note((Anchor(links[0]), Anchor(links[-1])), is_hidden=True),
    )
    ruler.choose(0)
    window.docks.show("measurements")
    picture = stage.grab()
    ruler.choose(None)
    ruler.notes = ()
    return picture


def _moved(stage: Stage) -> Any:
    """A trajectory that was measured, at its middle."""
    from editor_app.core.model.trajectory import Trajectory

    controller = stage.window.motion.controller
    if controller.player.trajectory is None:
        points = ((0.0, 0.0), (0.4, 0.2), (-0.6, 0.1))
        controller.set_trajectory(Trajectory(stage.joints(), points, times=(0.0, 1.0, 3.0)))
        # Nothing is measured without spheres.
        until(
            lambda: (
                not controller.is_busy and (controller.collided is not None or not stage.links())
            )
        )
    stage.window.docks.show("motion")
    controller.player.seek(1.5)
    return stage.grab()


def _tested(stage: Stage) -> Any:
    """What the smoke test gives."""
    controller = stage.window.motion.controller
    if not controller.tests:
        controller.smoke_test(20)
        until(lambda: not controller.is_busy)
    panel: Any = stage.window.docks.show("motion")
    panel.tabs.setCurrentWidget(panel.results)
    return stage.grab()


def _obstacles(stage: Stage) -> Any:
    from editor_app.core.model.scene import BoxShape, SphereShape

    panel: Any = stage.window.docks.show("motion")
    if not stage.window.motion.controller.scene.obstacles:
        panel.scene.add("ball", SphereShape(0.1))
        panel.scene.add("table", BoxShape((0.4, 0.6, 0.05)))
    panel.tabs.setCurrentWidget(panel.scene)
    stage.rest()
    return stage.grab()


def _edited(stage: Stage) -> Any:
    """Steps in the history, of which the last one is taken back, and own poses."""
    from editor_app.core.document.commands import DeleteSpheres
    from editor_app.core.model.findings import SphereRef

    window, link = stage.window, stage.links()[-1]
    document, robot = window.session.document, window.session.robot
    if document is not None and robot is not None and document.undo_label is None:
        group = next(g.name for g in robot.xrdf.geometry or () if link in g.spheres)
        window.session.execute(set_item("xrdf.self_collision.buffer_distance", link, 0.02))
        window.session.execute(DeleteSpheres((SphereRef(group, link, 0),)))
        window.session.undo()
    window.docks.show("history")
    return stage.grab()


def _fitted(stage: Stage) -> Any:
    """The preview of a fit, with its figures and its curve."""
    from editor_app.core.document.selection import Selection

    window = stage.window
    panel = window.fitting.fit_panel
    window.docks.show("fit")
    with_mesh = [link for link in window.fitting.context.links_with_mesh() if link in stage.links()]
    window.session.select(Selection(links=tuple(with_mesh[-1:])))
    stage.rest()
    if not panel.one:
        return None
    window.registry.trigger("fit.links")
    until(lambda: panel.is_ready)
    stage.rest()
    picture = stage.grab()
    panel.cancel()
    stage.rest()
    return picture


def _fitted_robot(stage: Stage) -> Any:
    """A fit of the whole robot, before it is accepted."""
    panel = stage.window.fitting.fit_panel
    stage.window.docks.show("fit")
    panel.all_button.click()
    stage.rest()
    if not panel.fits:
        panel.start_button.click()
        until(lambda: not panel.is_running and panel.fits)
    picture = stage.grab()
    panel.cancel()
    stage.rest()
    return picture


def _palette(stage: Stage) -> Any:
    box = stage.window.palette_box
    box.open()
    box.field.setText("dark")
    picture = stage.grab()
    box.close_box()
    return picture


def _tree_menu(stage: Stage) -> Any:
    from PySide6.QtCore import QTimer

    panel: Any = stage.window.docks.show("links")
    at = panel.tree.visualRect(panel.tree.currentIndex()).center()
    pictures: list[Any] = []
    QTimer.singleShot(0, stage.window, lambda: pictures.append(_over(stage)))
    panel.tree.context_requested.emit(
        panel.tree.currentIndex(), panel.tree.viewport().mapToGlobal(at)
    )
    until(lambda: pictures)
    return pictures[0]


def _manual(page: str) -> Scene:
    def scene(stage: Stage) -> Any:
        stage.window.help.open_page(f"{page}.md")
        return _over(stage)

    return scene


def _poses(stage: Stage) -> Any:
    """Two stored poses, one of them named, with the robot halfway between both."""
    from editor_app.core.model.pose import Pose

    session, book = stage.window.session, stage.window.poses
    joints = stage.joints()
    if not joints:
        return None
    document = session.document
    assert document is not None
    position = document.position
    for number, name in enumerate(("Above the conveyor, gripper open", "")):
        session.set_pose(Pose(dict.fromkeys(joints, 0.3 + 0.4 * number)))
        entry = book.store()
        if entry is not None and name:
            book.rename(entry, name)
    stored = tuple(book.entries()[-2:])
    panel: Any = stage.window.docks.show("joints")
    book.choose(stored)
    panel.poses.blend.setValue(panel.poses.blend.maximum() // 2)
    picture = stage.grab()
    document.jump(position)
    return picture


def _news(stage: Stage) -> Any:
    stage.window.registry.trigger("help.news")
    return _over(stage)


def _dialog(action: str) -> Scene:
    def scene(stage: Stage) -> Any:
        from PySide6.QtCore import QTimer

        if not stage.window.registry[action].isEnabled():
            return None
        # A dialog that waits in a loop of its own is pictured from there.
        pictures: list[Any] = []
        QTimer.singleShot(0, stage.window, lambda: pictures.append(_over(stage)))
        stage.window.registry.trigger(action)
        until(lambda: pictures)
        return pictures[0]

    return scene


def _filled(name: str) -> Scene:
    def scene(stage: Stage) -> Any:
        from tests.helpers.dialogs import OPENERS

        with tempfile.TemporaryDirectory() as folder:
            OPENERS[name](stage.window, Path(folder))
            return _over(stage)

    return scene


def _computed(number: int) -> Scene:
    """A page of the mask with evidence, and the first conflict or the first pair selected."""

    def scene(stage: Stage) -> Any:
        window = stage.window
        controller = window.self_collision.controller
        if controller.analysis is None:
            window.registry.trigger("mask.compute")
            stage.rest()
        panel = window.self_collision.show_panel()
        panel.show_page(number)
        window.registry.trigger("mask.next_conflict")
        return stage.grab()

    return scene


def _over(stage: Stage) -> Any:
    """What stands over the window, which is closed again."""
    from PySide6.QtWidgets import QApplication, QMenu

    stage.rest()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    picture = stage.grab()
    popup = QApplication.activePopupWidget()
    while isinstance(popup, QMenu):
        popup.close()
        popup = QApplication.activePopupWidget()
    for widget in app.topLevelWidgets():
        if widget is not stage.window and widget.isVisible() and widget.isWindow():
            widget.close()
    stage.rest()
    return picture


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
