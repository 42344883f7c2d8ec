"""The viewport as one widget: canvas, switches, orientation, labels, and what other parts call."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QChildEvent, QEvent, QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QKeySequence, QPalette, QResizeEvent
from PySide6.QtWidgets import QMenu, QRubberBand, QWidget

from editor_app.window.actions.action_tables import RADII
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.session import Session
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.timers import Wait, after
from editor_app.window.viewport.camera import CameraView
from editor_app.window.viewport.canvas import Canvas
from editor_app.window.viewport.overlays import Overlays
from editor_app.window.viewport.scene import Meshes, ViewScene
from editor_app.window.viewport.strip import OrientationWidget, ToolStrip
from editor_app.window.viewport.tools import Interaction, Tool
from editor_app.window.widgets import PlainLabel

#: Room around the robot: it stays nearly as large as it was.
_POSED_MARGIN = 1.1


class PosedRobot(QObject):
    """One per view. A part that somebody looks at from near stays what is looked at."""

    def __init__(
        self, session: Session, scene: ViewScene, is_held: Callable[[], bool], parent: QObject
    ) -> None:
        """`is_held`: whether a button is down, so that posing goes on however long the hand
        rests."""
        super().__init__(parent)
        self._scene, self._is_held = scene, is_held
        #: Where the camera stood when posing began; None: nothing is posed, or the robot was not
        #: seen whole.
        self._seen_from: CameraView | None = None
        self._pause = after(self, self._rested, Wait.JOINTS_REST)
        session.posing.connect(self._on_posing)
        session.document_opened.connect(self.stop)

    def end(self) -> None:
        """A drag in the view is over, or was called off."""
        if self._pause.isActive():
            self._pause.start(0)

    def stop(self, *_: object) -> None:
        """The view goes, or the robot."""
        self._pause.stop()
        self._seen_from = None

    def _on_posing(self) -> None:
        scene = self._scene
        if not self._pause.isActive():
            self._seen_from = scene.camera.view if scene.framing.holds_robot() else None
        self._pause.start(Wait.JOINTS_REST)

    def _rested(self) -> None:
        if self._is_held():
            self._pause.start(Wait.JOINTS_REST)
            return
        seen_from, self._seen_from = self._seen_from, None
        scene = self._scene
        if seen_from is not None and (
            seen_from == scene.camera.view or scene.following.was_last_to_move
        ):
            scene.framing.keep_in_view(_POSED_MARGIN)


class Viewport(QWidget):
    """Shows the session's robot and edits its spheres. Call `shutdown` before the window goes."""

    #: What the mouse would do now.
    hint_changed = Signal(str)
    #: The first frame is on the screen, whatever it shows.
    first_frame_drawn = Signal()
    #: A frame with everything that was loaded by then is on the screen (after
    #: `expect_complete_frame`).
    complete_frame_drawn = Signal()
    #: Nothing is drawn from now on.
    ending = Signal()

    def __init__(self, session: Session, mesh_store: Meshes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("viewport")
        self.setAccessibleName("3D view")
        self._session = session
        self._registry: ActionRegistry | None = None
        self._drawn = False
        self._awaited = False
        self._ended = False
        #: Called before each frame: what follows a step of the mouse is drawn with it, not in a
        #: second frame.
        self.before_frame: list[Callable[[], object]] = []
        self.overlays = Overlays(self)
        self.canvas = Canvas(self)
        self.scene = ViewScene(session, mesh_store, self.canvas)
        #: Spheres and lines that other parts show for a while, by their names.
        self.overlay = self.scene.overlay
        self.interaction = Interaction(session, self.scene, self.canvas)
        self.posed = PosedRobot(session, self.scene, self.is_held, self)
        self.interaction.drag_ended.connect(self.posed.end)
        self.strip = ToolStrip(session, self)
        self.strip.select.clicked.connect(lambda: self.set_tool(Tool.SELECT))
        self.orientation = OrientationWidget(self.scene.camera, self._orbit, self)
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, self)
        self.focus_frame = FocusFrame(self.canvas, self)
        self._label = PlainLabel(parent=self)
        self._label.setFont(tabular_font(self.font()))
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label.hide()
        self.hidden_note = HiddenNote(session, self._key_of, self)
        self.overlays.let_pass(self.canvas, self._band, self._label, *self.focus_frame.lines)
        self.scene.camera.covers = self.overlays.covers
        self.overlays.changed.connect(self._covers_changed)
        self.overlays.came.connect(self.canvas.redraw)
        self.setFocusProxy(self.canvas)
        self._connect()
        self.canvas.before_paint = self._before_paint
        self.before_frame.append(self.scene.frame_meshes)
        self.canvas.after_paint = self._after_paint
        self._apply_theme()
        finished = getattr(mesh_store, "finished", None)
        if finished is not None:
            finished.connect(self.expect_complete_frame)
        if session.has_robot and not getattr(mesh_store, "is_loading", False):
            self._awaited = True

    def _connect(self) -> None:
        interaction = self.interaction
        interaction.hint_changed.connect(self.hint_changed)
        interaction.label_changed.connect(self._show_label)
        interaction.band_changed.connect(self._show_band)
        interaction.menu_requested.connect(self._show_menu)
        interaction.tool_changed.connect(
            lambda tool: self.strip.select.setChecked(tool is Tool.SELECT)
        )
        self.orientation.view_asked.connect(self.standard_view)
        theme().changed.connect(self._apply_theme)

    def reset_camera(self) -> None:
        self.scene.move_camera(self.scene.framing.fit_all)

    def fit_selection(self) -> None:
        self.scene.move_camera(self.scene.framing.fit_selection)

    def standard_view(self, name: str) -> None:
        """Front, back, left, right, top, bottom or iso (camera.STANDARD_VIEWS). Raises KeyError."""
        self.scene.move_camera(lambda: self.scene.camera.look_from(name))

    def set_tool(self, tool: str) -> None:
        """Which tool the left button works. Raises ValueError."""
        self.interaction.set_tool(tool)
        self.strip.select.setChecked(self.interaction.tool is Tool.SELECT)
        # Esc leaves the tool wherever it was chosen.
        self.canvas.setFocus()

    def use_actions(self, registry: ActionRegistry) -> None:
        """Buttons and context menus offer these actions, and hints tell their keys."""
        self._registry = registry
        self.strip.offer(registry)
        self.strip.fit_height(self.height() - 16)

    def expect_complete_frame(self) -> None:
        """Emits `complete_frame_drawn` after the next frame."""
        self._awaited = True
        self.scene.redraw()

    def shutdown(self) -> None:
        """Ends drawing, timers and connections; nothing is drawn afterwards. May be called
        twice."""
        if self._ended:
            return
        self._ended = True
        self.ending.emit()
        self.posed.stop()
        self.overlays.end()
        self.interaction.end()
        self.scene.end()
        self.canvas.end()

    def _before_paint(self) -> None:
        self.overlays.settle()
        # Moving to another screen may change the scaling at any time.
        scale = self.devicePixelRatioF()
        self.scene.set_scale(scale)
        for follow in self.before_frame:
            follow()
        self.scene.arrange_labels()

    def _after_paint(self, seconds: float) -> None:
        self.scene.pace.frame_took(seconds)
        self.orientation.follow()
        if not self._drawn:
            self._drawn = True
            self.first_frame_drawn.emit()
        if self._awaited:
            self._awaited = False
            self.complete_frame_drawn.emit()

    def _covers_changed(self) -> None:
        self.scene.framing.covers_changed()
        self.scene.gizmo.place()

    def is_held(self) -> bool:
        """Return whether something is being dragged, here or in a panel."""
        return (
            self.interaction.is_dragging
            or QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        )

    def _orbit(self, dx: float, dy: float) -> None:
        self.scene.move_camera(lambda: self.scene.camera.orbit(dx, dy))

    def _apply_theme(self) -> None:
        if self._ended:
            return
        self.scene.apply_theme()
        self.focus_frame.apply_theme()
        now = colours()
        style = (
            f"QLabel {{ color: {now.text}; background: {now.tooltip}; border: 1px solid "
            f"{now.border};"
            " border-radius: 4px; padding: 3px 6px; }"
        )
        self._label.setStyleSheet(style)
        self.hidden_note.setStyleSheet(style)
        self.hidden_note.place()
        self.orientation.update()

    def _show_label(self, text: str, at: QPointF) -> None:
        if not text:
            self._label.hide()
            return
        longer = len(text) != len(self._label.text())
        self._label.setText(text)
        if longer or self._label.isHidden():
            self._label.adjustSize()
        size = self._label.size()
        x = (
            at.x() + 18
            if at.x() + 18 + size.width() < self.width() - 4
            else at.x() - 14 - size.width()
        )
        y = (
            at.y() + 16
            if at.y() + 16 + size.height() < self.height() - 4
            else at.y() - 12 - size.height()
        )
        self._label.move(round(max(2.0, x)), round(max(2.0, y)))
        self._label.show()
        self._label.raise_()

    def _show_band(self, rectangle: QRectF | None) -> None:
        self._band.setVisible(rectangle is not None)
        if rectangle is not None:
            self._band.setGeometry(rectangle.toRect())
            self._band.raise_()

    def _show_menu(self, kind: str, place: QPoint) -> None:
        if self._registry is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._registry.fill_context_menu(menu, kind)
        if kind in ("link", "sphere"):
            # What is about more than the thing below the pointer stands aside.
            menu.addSeparator()
            self._registry.fill_context_menu(
                menu.addMenu("Whole robot and view"), "viewport", without=kind
            )
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(place)

    def _key_of(self, action: str) -> str:
        """The present key of an action, as people read it; empty before there are actions."""
        if self._registry is None or action not in self._registry:
            return ""
        return self._registry[action].shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def resizeEvent(self, event: QResizeEvent) -> None:
        size = event.size()
        self.canvas.setGeometry(0, 0, size.width(), size.height())
        if not self._ended:
            self.scene.framing.resized()
        self.focus_frame.place()
        self.strip.fit_height(size.height() - 16)
        self.strip.move(8, 8)
        self.hidden_note.place()
        self.orientation.move(size.width() - self.orientation.width() - 8, 8)

    def childEvent(self, event: QChildEvent) -> None:
        if event.type() == QEvent.Type.ChildPolished:
            self.overlays.watch(event.child())
        super().childEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._label.setFont(tabular_font(self.font()))
        super().changeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.shutdown()
        super().closeEvent(event)


_MARGIN = 8


class HiddenNote(PlainLabel):
    """A line about hidden things and enlarged spheres. `key_of` returns the current key of an
    action, or nothing."""

    def __init__(self, session: Session, key_of: Callable[[str], str], parent: QWidget) -> None:
        super().__init__("", parent)
        self._session = session
        self._key_of = key_of
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Hidden objects")
        session.document_opened.connect(self.refresh)
        session.robot_settled.connect(self.refresh)
        session.visibility_changed.connect(self.refresh)
        session.display_changed.connect(self.refresh)
        theme().changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        parts, display = self._parts(), self._session.display
        notes = ["Hidden: " + ", ".join(parts)] if parts else []
        if self._session.has_robot and display.spheres and display.sphere_radius != "bare":
            notes.append(f"Spheres: {RADII[display.sphere_radius].lower()}")
        self.setText("   ".join(notes))
        self.setVisible(bool(notes))
        self.place()

    def place(self) -> None:
        """At the lower edge, beside the switches."""
        self.adjustSize()
        parent = self.parentWidget()
        if parent is not None:
            self.move(
                max(_MARGIN, (parent.width() - self.width()) // 2),
                parent.height() - self.height() - _MARGIN,
            )

    def _parts(self) -> list[str]:
        session, robot = self._session, self._session.robot
        if not session.has_robot:
            return []
        parts = []
        links = len(session.hidden & set(session.tree.frames))
        if links:
            parts.append(self._with_key(f"{links} link{'s' if links > 1 else ''}", "view.show_all"))
        group = session.active_group
        has_spheres = group is not None and any(robot.xrdf.spheres_of(group).values())
        if has_spheres and not session.display.spheres:
            parts.append(self._with_key("spheres", "view.spheres"))
        if not session.display.visuals and not session.display.collisions:
            parts.append(self._with_key("meshes", "view.visuals"))
        return parts

    def _with_key(self, text: str, action: str) -> str:
        key = self._key_of(action)
        return f"{text} ({key})" if key else text


#: Pixels of a line.
_WIDTH = 2


class FocusFrame(QObject):
    """Four thin lines over the edges of a widget: one widget over all of it would be blended with
    every frame."""

    def __init__(self, widget: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._widget = widget
        self.lines = [QWidget(parent) for _ in range(4)]
        for line in self.lines:
            line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            line.setAutoFillBackground(True)
            line.hide()
        self.apply_theme()
        widget.installEventFilter(self)

    def apply_theme(self) -> None:
        """Takes the accent of the present theme."""
        for line in self.lines:
            palette = line.palette()
            palette.setColor(QPalette.ColorRole.Window, QColor(colours().accent))
            line.setPalette(palette)

    def place(self) -> None:
        """Along the edges of the widget, where it is now."""
        area = self._widget.geometry()
        x, y, w, h = area.x(), area.y(), area.width(), area.height()
        places = (
            (x, y, w, _WIDTH),
            (x, y + h - _WIDTH, w, _WIDTH),
            (x, y, _WIDTH, h),
            (x + w - _WIDTH, y, _WIDTH, h),
        )
        for line, place in zip(self.lines, places, strict=True):
            line.setGeometry(*place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            for line in self.lines:
                line.setVisible(event.type() == QEvent.Type.FocusIn)
                line.raise_()
        return False
