"""The list of obstacles, and the numbers of the one that is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.model.counting import format_list
from editor_app.core.model.origin import Vector3
from editor_app.core.model.scene import (
    BoxShape,
    CylinderShape,
    MeshShape,
    Obstacle,
    Scene,
    Shape,
    SphereShape,
)
from editor_app.core.model.urdf import sizes_of
from editor_app.core.space.kinematics.transforms import quaternion_to_rpy, rpy_to_quaternion
from editor_app.plugins.motion.window.controller import MotionController
from editor_app.plugins.motion.window.obstacles_shown import ObstaclesShown
from editor_app.window import dialogs
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import CellLook, ReadTable, read_table
from editor_app.window.bindings.number_field import NumberInput
from editor_app.window.bindings.quantity import ANGLE, LENGTH, Quantity
from editor_app.window.widgets import STRETCH, PlainLabel, dress, fill_layout, grid, icon

ICONS = {BoxShape: "cube", SphereShape: "circle", CylinderShape: "database", MeshShape: "polygon"}


class _Names(ReadTable[Obstacle]):
    """A table of one column: a list view lays out every row again where one comes or goes."""

    def look(self, item: Obstacle, column: int) -> CellLook:
        return CellLook(item.name, icon(ICONS[type(item.shape)]), tip=item.name)


def _is_told_alike(one: Obstacle, other: Obstacle) -> bool:
    return one is other or (one.name == other.name and type(one.shape) is type(other.shape))


KINDS = "Scenes (*.yaml *.yml *.scene);;All files (*)"
_SIZES = {
    BoxShape: ("x", "y", "z"),
    SphereShape: ("radius",),
    CylinderShape: ("radius", "length"),
    MeshShape: (),
}


#: Field of an obstacle -> name, hint and tooltip of its line.
_TOUCH = {
    "may_touch": (
        "Links that may always touch it",
        "links, whole motion",
        "Links that are mounted on it or hold it, separated by commas. They are never checked "
        "against it.",
    ),
    "may_touch_at_start": (
        "Links that may touch it at the start",
        "at the start",
        "Links that may touch it at the start, until they have moved by the distance on the right. "
        "Example: a tool "
        "that leaves a table.",
    ),
    "may_touch_at_end": (
        "Links that may touch it at the end",
        "at the end",
        "Links that may touch it at the end, once they are within the distance on the right of "
        "their last position. "
        "Example: a tool that approaches a table.",
    ),
}
_EMPTY = (
    "No obstacles yet. Add one with +, open a scene file, or drop it on the window. The robot is "
    "checked against "
    "obstacles while it moves, and motions are planned around them."
)
_DISTANCE_TIP = (
    "Distance from its start or end position within which a link may touch the obstacle, measured "
    "at sphere centres. "
    "The depth of the contact is not limited there."
)


class SceneBox(QWidget):
    """Left: the list with add, remove, open, save. Right: name, size, position, rotation, what may
    touch it."""

    def __init__(
        self,
        controller: MotionController,
        shown: ObstaclesShown,
        save: Callable[[], object],
        actions: Sequence[QAction] = (),
        parent: QWidget | None = None,
    ) -> None:
        """`actions` are buttons behind the buttons of the list."""
        super().__init__(parent)
        self._save = save
        self._actions = actions
        self._controller = controller
        self._shown = shown
        self._filling = False
        self.names = _Names(("Obstacle",), parent=self)
        take = lambda row: shown.take(self.names.items[row].name)  # noqa: E731
        self.list = read_table("Obstacles", self, self.names, take, names=0)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTabKeyNavigation(False)
        self.list.horizontalHeader().hide()
        self.list.selectionModel().currentRowChanged.connect(self._on_row)
        shown.taken_changed.connect(self._follow_taken)
        self.name = dress(QLineEdit(self), name="Name of the obstacle")
        self.name.editingFinished.connect(self._rename)
        self.touch = {
            key: dress(QLineEdit(self), name=name, hint=hint, tip=tip)
            for key, (name, hint, tip) in _TOUCH.items()
        }
        for key, line in self.touch.items():
            line.editingFinished.connect(partial(self._set_touch, key))
        distance = self._field(
            LENGTH, "Distance within which a link may touch it", self._set_distance
        )
        self.distance = dress(distance, tip=_DISTANCE_TIP)
        self.fields = [
            self._field(LENGTH, f"Size {k + 1}", partial(self._set_size, k)) for k in range(3)
        ]
        self.place = [
            self._field(LENGTH, f"Position {axis}", partial(self._set_place, k))
            for k, axis in enumerate("xyz")
        ]
        self.turn = [
            self._field(ANGLE, f"Rotation {axis}", partial(self._set_turn, k))
            for k, axis in enumerate(("roll", "pitch", "yaw"))
        ]
        self.size_label = PlainLabel("Size", self)
        # Above what a low panel cuts, and always one line high: no button moves when it says
        # something.
        self.contacts = ElidedLabel(self)
        self.contacts.setFixedHeight(self.contacts.fontMetrics().height())
        self._arrange()
        controller.scene_changed.connect(self._fill)
        shown.touches_changed.connect(self._tell_touches)
        self._fill(controller.scene)

    def _arrange(self) -> None:
        self.add_button = self._button("plus", "Add an obstacle")
        menu = QMenu(self.add_button)
        for text, shape in (
            ("Box", BoxShape),
            ("Sphere", SphereShape),
            ("Cylinder", CylinderShape),
        ):
            menu.addAction(icon(ICONS[shape]), text, partial(self._add_new, text.lower()))
        menu.addAction(icon("polygon"), "Mesh…", self._add_mesh)
        self.add_button.setMenu(menu)
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.remove_button = self._button("trash", "Remove the selected obstacle", self._remove)
        self.open_button = self._button(
            "folder-open", "Open a scene (own format, cuRobo or MoveIt)", self._open
        )
        self.save_button = self._button(
            "floppy-disk", "Save the scene (own format, cuRobo or MoveIt)", self._save
        )
        buttons = [self.add_button, self.remove_button, self.open_button, self.save_button]
        for action in self._actions:
            button = dress(QToolButton(self), name=action.toolTip(), flat=True)
            button.setDefaultAction(action)
            buttons.append(button)
        bar = fill_layout(QHBoxLayout(), *buttons, STRETCH, spacing=2)
        left = fill_layout(QVBoxLayout(), bar, (self.list, 1), spacing=2)
        self.empty = dress(
            PlainLabel(_EMPTY, self), look="muted", wrap=True, align=Qt.AlignmentFlag.AlignTop
        )
        self.details = QWidget(self)
        box = grid(self.details, across=4, down=3)
        rows: tuple[tuple[str | PlainLabel, Sequence[QWidget]], ...] = (
            ("Name", (self.name,)),
            (self.size_label, self.fields),
            ("Place", self.place),
            ("Turn", self.turn),
            ("May touch", (self.touch["may_touch"],)),
            (
                "Start, end, for",
                (self.touch["may_touch_at_start"], self.touch["may_touch_at_end"], self.distance),
            ),
        )
        for row, (label, fields) in enumerate(rows):
            box.addWidget(PlainLabel(label, self) if isinstance(label, str) else label, row, 0)
            for column, field in enumerate(fields, 1):
                box.addWidget(field, row, column, 1, 3 // len(fields))
        box.setRowStretch(len(rows), 1)
        columns = fill_layout(QHBoxLayout(), (left, 2), (self.details, 3), (self.empty, 3))
        fill_layout(QVBoxLayout(self), self.contacts, (columns, 1), margins=2, spacing=2)

    def _button(self, name: str, tip: str, run: Callable[[], object] | None = None) -> QToolButton:
        looks = dress(QToolButton(self), name=tip, tip=tip, icon=icon(name), flat=True)
        return dress(looks, run=None if run is None else lambda: run())

    def _field(
        self, quantity: Quantity, name: str, take: Callable[[float, bool], object]
    ) -> NumberInput:
        field = NumberInput(self._controller.session, quantity, name, take, parent=self)
        field.finished.connect(self._controller.session.seal)
        field.abandoned.connect(self._controller.session.abandon)
        return field

    # -- what is chosen

    @property
    def row(self) -> int:
        """The one that is chosen, -1 for none."""
        return self.list.currentIndex().row()

    @property
    def chosen(self) -> Obstacle | None:
        row, obstacles = self.row, self._controller.scene.obstacles
        return obstacles[row] if 0 <= row < len(obstacles) else None

    def choose(self, row: int) -> None:
        """Chooses a row, and scrolls there."""
        self.list.setCurrentIndex(self.names.index(row, 0))

    def _add_new(self, kind: str) -> None:
        """As large as suits a robot that reaches a metre; beside a smaller one, as much smaller."""
        frames = self._controller.session.transforms[:, :3, 3]
        share = min(max(float(np.linalg.norm(frames, axis=1).max(initial=0.0)), 0.1), 1.0)
        place, side, radius, thin = (round(size * share, 2) for size in (0.6, 0.4, 0.2, 0.1))
        shapes: dict[str, Shape] = {
            "box": BoxShape((side, side, side)),
            "sphere": SphereShape(radius),
            "cylinder": CylinderShape(thin, place),
        }
        self.add(kind, shapes[kind], (place, 0.0, radius))

    def add(self, kind: str, shape: Shape, place: Vector3 = (0.6, 0.0, 0.2)) -> None:
        """A new obstacle in front of the robot, chosen."""
        scene = self._controller.scene
        name = scene.free_name(kind)
        self._controller.set_scene(scene.with_obstacle(Obstacle(name, shape, place)), f"Add {name}")
        self.choose(len(self._controller.scene.obstacles) - 1)
        self._shown.take(name)

    def _follow_taken(self, name: str) -> None:
        """What was clicked in the view is chosen in the list."""
        names = [obstacle.name for obstacle in self._controller.scene.obstacles]
        if name in names:
            self.choose(names.index(name))

    def _add_mesh(self) -> None:
        path = dialogs.choose_file(
            self, "Mesh of an obstacle", "", "Meshes (*.stl *.obj *.ply *.dae *.glb);;All (*)"
        )
        if path:
            self.add(Path(path).stem, MeshShape(path))

    def _remove(self) -> None:
        if self.chosen is not None:
            name = self.chosen.name
            self._controller.set_scene(self._controller.scene.without(name), f"Remove {name}")

    def _fill(self, scene: Scene) -> None:
        """Its names; the row that is chosen stays, as far as there is one."""
        self._filling = True
        row, old, new = self.row, self.names.items, scene.obstacles
        # Places and sizes are not shown: ten thousand rows are not drawn anew for one of them.
        same = len(old) == len(new) and all(map(_is_told_alike, old, new))
        self.names.show(new, lambda one, other: same)
        if not same:
            self.choose(min(max(row, 0), len(new) - 1))
        self._filling = False
        self._show()

    def _on_row(self, *_: object) -> None:
        if not self._filling:
            self._show()
        self._shown.choose(self.chosen.name if self.chosen is not None else "")

    def _show(self) -> None:
        obstacle = self.chosen
        has_any = bool(self._controller.scene.obstacles)
        self.details.setVisible(has_any)
        self.empty.setVisible(not has_any)
        for widget in (
            self.name,
            *self.touch.values(),
            *self.place,
            *self.turn,
            self.remove_button,
        ):
            widget.setEnabled(obstacle is not None)
        self.save_button.setEnabled(bool(self._controller.scene.obstacles))
        shape = obstacle.shape if obstacle is not None else None
        names = _SIZES[type(shape)] if shape is not None else ()
        sizes = () if shape is None or isinstance(shape, MeshShape) else sizes_of(shape)
        self.size_label.setText("Size: " + ", ".join(names) if names else "Size")
        for k, field in enumerate(self.fields):
            field.setEnabled(k < len(sizes))
            field.set_value(sizes[k] if k < len(sizes) else None)
        self.name.setText(obstacle.name if obstacle is not None else "")
        for key, line in self.touch.items():
            line.setText(", ".join(getattr(obstacle, key)) if obstacle is not None else "")
        is_brief = obstacle is not None and bool(
            obstacle.may_touch_at_start or obstacle.may_touch_at_end
        )
        self.distance.setEnabled(is_brief)
        self.distance.set_value(
            obstacle.touch_distance if obstacle is not None and is_brief else None
        )
        turn = (
            quaternion_to_rpy(obstacle.orientation_wxyz)
            if obstacle is not None
            else (None, None, None)
        )
        for field, value in zip(
            self.place, obstacle.position if obstacle is not None else turn, strict=True
        ):
            field.set_value(value)
        for field, value in zip(self.turn, turn, strict=True):
            field.set_value(value)

    def _tell_touches(self, touches: tuple[tuple[str, str, float], ...]) -> None:
        worst = format_list(
            (f"{frame} in {name} {depth * 1e3:.1f} mm" for frame, name, depth in touches), 3
        )
        self.contacts.set_text(f"At this pose: {worst}." if touches else "")

    # -- edits

    def _change(self, obstacle: Obstacle, turned: Hashable = None) -> None:
        """`turned`: the number that is being turned, which is one step until it rests."""
        scene, merge = (
            self._controller.scene.with_obstacle(obstacle),
            ("obstacle", obstacle.name, turned),
        )
        self._controller.set_scene(
            scene, f"Change {obstacle.name}", merge=None if turned is None else merge
        )

    def _rename(self) -> None:
        obstacle, wish = self.chosen, self.name.text().strip()
        if obstacle is None or not wish or wish == obstacle.name:
            return
        scene = self._controller.scene
        name = scene.without(obstacle.name).free_name(wish)
        renamed = tuple(
            replace(o, name=name) if o.name == obstacle.name else o for o in scene.obstacles
        )
        self._controller.set_scene(replace(scene, obstacles=renamed), f"Rename {obstacle.name}")

    def _set_touch(self, key: str) -> None:
        obstacle, robot, tree = (
            self.chosen,
            self._controller.session.robot,
            self._controller.session.tree,
        )
        if obstacle is None:
            return
        names = tuple(
            dict.fromkeys(
                part.strip() for part in self.touch[key].text().split(",") if part.strip()
            )
        )
        links = {*tree.frames, *(link.name for link in robot.urdf.links)}
        if strange := [name for name in names if name not in links]:
            self._controller.session.refused.emit(f"The robot has no link {strange[0]!r}.")
            self._show()
        elif names != getattr(obstacle, key):
            changes: dict[str, Any] = {key: names}
            self._change(replace(obstacle, **changes))

    def _set_distance(self, value: float, live: bool) -> None:
        if self.chosen is not None and self._is_length(value, "The distance"):
            self._change(replace(self.chosen, touch_distance=value), "distance" if live else None)

    def _is_length(self, value: float, subject: str) -> bool:
        """Whether a value is above 0; else it is refused, and what holds is shown again."""
        is_length = value > 0.0 and math.isfinite(value)
        if not is_length:
            self._controller.session.refused.emit(f"{subject} must be above 0.")
            self._show()
        return is_length

    def _set_size(self, number: int, value: float, live: bool) -> None:
        obstacle = self.chosen
        if obstacle is None or isinstance(obstacle.shape, MeshShape):
            return
        sizes = list(sizes_of(obstacle.shape))
        sizes[number] = value
        if self._is_length(value, "A size"):
            self._change(
                replace(obstacle, shape=_resized(obstacle.shape, sizes)),
                ("size", number) if live else None,
            )

    def _set_place(self, axis: int, value: float, live: bool) -> None:
        if (obstacle := self.chosen) is not None:
            x, y, z = (value if k == axis else v for k, v in enumerate(obstacle.position))
            self._change(replace(obstacle, position=(x, y, z)), ("place", axis) if live else None)

    def _set_turn(self, axis: int, value: float, live: bool) -> None:
        if (obstacle := self.chosen) is not None:
            rpy = (
                value if k == axis else v
                for k, v in enumerate(quaternion_to_rpy(obstacle.orientation_wxyz))
            )
            self._change(
                replace(obstacle, orientation_wxyz=rpy_to_quaternion(*rpy)),
                ("turn", axis) if live else None,
            )

    # -- files

    def open_scene(self, path: Path) -> None:
        """Replaces the scene by the scene of a file; a file without one is told."""
        self._controller.open_scene(
            path, lambda why: dialogs.show_error(self, "Cannot open the scene", why, "")
        )

    def _open(self) -> None:
        path = dialogs.choose_file(self, "Open a scene", "", KINDS)
        if path:
            self.open_scene(Path(path))


def _resized(shape: SphereShape | CylinderShape | BoxShape, sizes: list[float]) -> Shape:
    return (
        BoxShape((sizes[0], sizes[1], sizes[2]))
        if isinstance(shape, BoxShape)
        else type(shape)(*sizes)
    )
