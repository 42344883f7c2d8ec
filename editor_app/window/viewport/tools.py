"""Tools for mouse and keys: the drag of a press, the selection of a click, the effect of the
wheel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent

from editor_app.core.document.selection import NOTHING, Selection
from editor_app.core.model.findings import SphereRef
from editor_app.window.session import Hover, Session
from editor_app.window.viewport.aim import Pick
from editor_app.window.viewport.canvas import Canvas
from editor_app.window.viewport.drags import (
    AddDrag,
    BoxDrag,
    CameraDrag,
    HandEdits,
    MoveDrag,
    sphere_for,
)
from editor_app.window.viewport.frame_drag import FrameDrag, Hand
from editor_app.window.viewport.gizmo import Drag, Guest, Handle
from editor_app.window.viewport.instrument import Instrument
from editor_app.window.viewport.navigation import MouseScheme
from editor_app.window.viewport.poser import JointDrag, Poser
from editor_app.window.viewport.radius_ring import RadiusDrag, ring_at
from editor_app.window.viewport.scene import ViewScene

#: A press that moves less than this many pixels is a click.
_CLICK = 4.0
PREVIEW = "viewport.add"

Button = Qt.MouseButton
Modifiers = Qt.KeyboardModifier

_TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_NUDGES = {
    Qt.Key.Key_Left: (-1, 0, 0),
    Qt.Key.Key_Right: (1, 0, 0),
    Qt.Key.Key_Up: (0, 1, 0),
    Qt.Key.Key_Down: (0, -1, 0),
    Qt.Key.Key_PageUp: (0, 0, -1),
    Qt.Key.Key_PageDown: (0, 0, 1),
}


class Tool(StrEnum):
    SELECT = "select"
    ADD = "add"
    BOX = "box"
    POSE = "pose"


class Interaction(QObject):
    """Takes the mouse and the keys of a canvas, as its event filter: nothing of them reaches
    VTK."""

    tool_changed = Signal(object)
    #: What the mouse would do now.
    hint_changed = Signal(str)
    #: A text beside the pointer and where; "" takes it away.
    label_changed = Signal(str, QPointF)
    #: The rubber band as QRectF, or None.
    band_changed = Signal(object)
    #: Kind of thing under the pointer ("sphere", "link", "viewport") and the place on the screen.
    menu_requested = Signal(str, QPoint)
    #: Name of the obstacle that was clicked, "" when something else was.
    obstacle_taken = Signal(str)
    #: A drag is over, or was called off.
    drag_ended = Signal()

    def __init__(self, session: Session, scene: ViewScene, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._session = session
        self._scene = scene
        self._canvas = canvas
        #: One of `Tool`, or the tool of an instrument.
        self.tool: str = Tool.SELECT
        self.instruments: list[Instrument] = []
        self._drag: Drag | None = None
        self._pressed: tuple[Button, QPointF, Modifiers, Pick, Handle | None] | None = None
        self._pointer: QPointF | None = None
        self.guest: Guest | None = None
        #: The last sentence of `hint_changed`.
        self.hint = ""
        #: The selected sphere whose ring is under the pointer.
        self._ring: SphereRef | None = None
        #: The end of a drag takes its text away.
        self.hand = Hand(session, scene, self.label_changed.emit)
        self.edits = HandEdits(self.hand, self)
        self.poser = Poser(self.hand, self)
        self._answers: dict[QEvent.Type, Callable[[Any], object]] = {
            QEvent.Type.MouseButtonPress: self.press,
            QEvent.Type.MouseMove: self.move,
            QEvent.Type.MouseButtonRelease: self.release,
            QEvent.Type.MouseButtonDblClick: self.double_click,
            QEvent.Type.Wheel: self.wheel,
            QEvent.Type.NativeGesture: self.pinch,
            QEvent.Type.Leave: self.leave,
            # The move that follows tells where the pointer is, and menus are asked for on release:
            # a right drag pans.
            QEvent.Type.Enter: lambda _: None,
            QEvent.Type.ContextMenu: lambda _: None,
        }
        scene.grips.append(lambda: self.poser.grip() if self.tool is Tool.POSE else None)
        canvas.installEventFilter(self)
        session.display_changed.connect(self.refresh_hint)
        self._tell_hint(None)

    def end(self) -> None:
        """Leaves no drag, no timer and no open step behind."""
        self.cancel_drag()
        self.edits.end_run()
        self._canvas.removeEventFilter(self)

    @property
    def is_dragging(self) -> bool:
        return self._drag is not None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        answer = self._answers.get(event.type())
        if answer is not None:
            answer(event)
            event.accept()
            return True
        if event.type() == QEvent.Type.FocusOut:
            self.edits.end_run()
        return isinstance(event, QKeyEvent) and self._on_key(event)

    # -- tools

    @property
    def _instrument(self) -> Instrument | None:
        """The one whose tool is chosen."""
        return next((each for each in self.instruments if each.tool == self.tool), None)

    @property
    def _handle_hint(self) -> str:
        """About the handle of an instrument under the pointer."""
        return next((hint for each in self.instruments if (hint := each.hint)), "")

    def set_tool(self, tool: str) -> None:
        """Choose a `Tool` or the tool of an instrument. Raises ValueError."""
        if tool == self.tool:
            return
        self.tool = tool if tool in {each.tool for each in self.instruments} else Tool(tool)
        self._scene.overlay.remove(PREVIEW)
        self.poser.leave()
        self.poser.set_on(self.tool is Tool.POSE)
        for instrument in self.instruments:
            instrument.leave()
        self._scene.place_gizmo()
        if self.tool is Tool.POSE:
            self._scene.framing.show_handles()
        self._set_cursor(None)
        self.tool_changed.emit(self.tool)
        self._tell_hint(None)

    # -- buttons

    def press(self, event: QMouseEvent) -> None:
        self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
        at, button = event.position(), event.button()
        if self._drag is not None or self._pressed is not None:
            # Another button during a drag calls it off, as in any modeller.
            self.cancel_drag()
            return
        self.edits.end_run()
        handle = self._scene.gizmo.pick(at.x(), at.y()) if button == Button.LeftButton else None
        self._pressed = (button, at, event.modifiers(), self._pick(at), handle)

    def move(self, event: QMouseEvent) -> None:
        at = self._pointer = event.position()
        if event.buttons() == Button.NoButton:
            if self._drag is not None:
                # The release went elsewhere.
                self._finish_drag(at)
            self._pressed = None
            self._point_at(at, event.modifiers())
            return
        if self._drag is None and self._pressed is not None:
            _, start, *_ = self._pressed
            if (at - start).manhattanLength() < _CLICK:
                return
            self._begin_drag()
        if self._drag is not None:
            self._drag.move(at, event.modifiers())

    def release(self, event: QMouseEvent) -> None:
        at = event.position()
        if self._drag is not None:
            if self._pressed is not None and event.button() != self._pressed[0]:
                return
            # A release may come without a move to its place before it.
            self._drag.move(at, event.modifiers())
            self._finish_drag(at)
        elif self._pressed is not None and event.button() == self._pressed[0]:
            button, _, modifiers, pick, handle = self._pressed
            self._pressed = None
            # A handle is there to be dragged: a click goes through it to a sphere that it covers.
            covered = pick.sphere is not None and pick.sphere not in self._session.selection.spheres
            held = any(each.holds(at) for each in self.instruments)
            if button == Button.LeftButton and (handle is None or covered) and not held:
                self._click(pick, modifiers, at)
            elif button == Button.RightButton:
                self._ask_menu(pick, at, event.globalPosition().toPoint())
        self._pressed = None
        if self._canvas.underMouse() or self._pointer is not None:
            self._point_at(at, event.modifiers())

    def double_click(self, event: QMouseEvent) -> None:
        if (
            self.tool is Tool.ADD
            or self._instrument is not None
            or event.button() != Button.LeftButton
        ):
            self.press(event)
            return
        pick = self._pick(event.position())
        if pick.link is not None:
            self.edits.select_spheres_of((pick.link,))

    def _begin_drag(self) -> None:
        assert self._pressed is not None
        button, start, modifiers, pick, handle = self._pressed
        self._drag = self._drag_for(button, start, modifiers, pick, handle)
        self._scene.overlay.remove(PREVIEW)
        self._tell(self._drag.hint)
        self._set_cursor(self._drag)

    def _drag_for(
        self,
        button: Button,
        start: QPointF,
        modifiers: Modifiers,
        pick: Pick,
        handle: Handle | None,
    ) -> Drag:
        session, scene = self._session, self._scene
        shift = bool(modifiers & Modifiers.ShiftModifier)
        ctrl = bool(modifiers & Modifiers.ControlModifier)
        anchor = pick.point if pick.point is not None else scene.camera.focus
        move = session.display.mouse.move(button, modifiers)
        navigates = CameraDrag(scene, start, move, anchor) if move is not None else None
        if navigates is not None and (
            button != Button.LeftButton or modifiers & Modifiers.AltModifier
        ):
            return navigates
        beside: Drag = navigates or BoxDrag(session, scene, start, self.band_changed.emit, ctrl)
        for instrument in self.instruments if button == Button.LeftButton else ():
            if (drag := instrument.drag(start)) is not None:
                return drag
        if handle is not None:
            if scene.grip is not None:
                return scene.grip.drag(handle, start)
            return MoveDrag(self.hand, start, session.selection.spheres[-1], handle)
        if self.tool is Tool.BOX:
            return BoxDrag(session, scene, start, self.band_changed.emit, ctrl)
        if self.tool is Tool.SELECT and (ring := ring_at(session, scene, start)) is not None:
            return RadiusDrag(self.hand, ring, start)
        return self._tool_drag(start, pick, beside, adds=ctrl or shift)

    def _tool_drag(self, start: QPointF, pick: Pick, beside: Drag, *, adds: bool) -> Drag:
        """What the tool does with what was hit; `beside`, where it hits nothing of its own."""
        session, scene = self._session, self._scene
        if self.tool is Tool.ADD:
            return beside if pick.surface is None else AddDrag(self.hand, pick.surface, start)
        if self._instrument is not None:
            return beside
        if (
            pick.obstacle is not None
            and scene.grip is not None
            and scene.grip.name == pick.obstacle
        ):
            return scene.grip.drag(None, start)
        if self.tool is Tool.POSE:
            if pick.link and pick.point is not None:
                return self.poser.joint_drag(pick.link, pick.point, start) or beside
            return beside
        if pick.sphere is None:
            return beside
        if pick.sphere not in session.selection.spheres:
            keep = session.selection if adds else NOTHING
            session.select(keep.toggled_sphere(pick.sphere))
        return MoveDrag(self.hand, start, pick.sphere, None)

    def _finish_drag(self, at: QPointF) -> None:
        drag, self._drag = self._drag, None
        if drag is not None:
            drag.finish()
        if isinstance(drag, BoxDrag):
            self.set_tool(Tool.SELECT)
        self._after_drag()

    def cancel_drag(self) -> bool:
        """Puts back what a drag has done so far; False when there is none."""
        drag, self._drag = self._drag, None
        pressed, self._pressed = self._pressed, None
        if drag is None:
            return pressed is not None
        drag.cancel()
        self._after_drag()
        return True

    def _after_drag(self) -> None:
        self._pressed = None
        self.drag_ended.emit()
        self.label_changed.emit("", QPointF())
        self._set_cursor(None)
        self._tell_hint(None)

    # -- clicks

    def _click(self, pick: Pick, modifiers: Modifiers, at: QPointF) -> None:
        session = self._session
        if any(each.take_click(at, self.tool) for each in self.instruments):
            return
        if (
            self.guest is not None
            and self.tool is Tool.SELECT
            and self.guest.click(pick.ray, pick.surface)
        ):
            return
        if self.tool is Tool.ADD:
            if pick.surface is None:
                session.refused.emit("Click on the surface of a link to add a sphere.")
                return
            AddDrag(self.hand, pick.surface, at).finish()
            return
        if (instrument := self._instrument) is not None:
            instrument.click(pick, at, extends=bool(modifiers & Modifiers.ShiftModifier))
            return
        toggles = bool(modifiers & (Modifiers.ControlModifier | Modifiers.ShiftModifier))
        selection = session.selection
        self.obstacle_taken.emit(pick.obstacle or "")
        if pick.obstacle is not None:
            return
        if self.tool is Tool.POSE:
            link = self.poser.held_at(at) or pick.link
            session.select(Selection(links=(link,)) if link is not None else NOTHING)
        elif pick.feature is not None:
            session.select(Selection(features=(pick.feature,)))
        elif pick.sphere is not None:
            session.select(
                selection.toggled_sphere(pick.sphere)
                if toggles
                else Selection(spheres=(pick.sphere,))
            )
        elif pick.link is not None:
            session.select(
                selection.toggled_link(pick.link) if toggles else Selection(links=(pick.link,))
            )
        elif not toggles:
            session.select(NOTHING)

    def _ask_menu(self, pick: Pick, at: QPointF, place: QPoint) -> None:
        session = self._session
        kind = next((menu for each in self.instruments if (menu := each.menu_at(at))), "")
        held = self.poser.held_at(at) if not kind else None
        if kind:
            pass
        elif held is not None:
            kind = "link"
            session.select(Selection(links=(held,)))
        elif pick.sphere is not None:
            kind = "sphere"
            if pick.sphere not in session.selection.spheres:
                session.select(Selection(spheres=(pick.sphere,)))
        elif pick.link is not None:
            kind = "link"
            if pick.link not in session.selection.links:
                session.select(Selection(links=(pick.link,)))
        self.menu_requested.emit(kind or "viewport", place)

    # -- pointing

    def _pick(self, at: QPointF) -> Pick:
        aim = self._scene.aim
        if self.tool is not Tool.POSE:
            first_pick = aim.pick(at.x(), at.y(), spheres=self.tool is not Tool.ADD)
            visit = (
                self.guest.pick(first_pick.ray)
                if self.guest is not None and self.tool is Tool.SELECT
                else None
            )
            away = (
                np.inf
                if first_pick.point is None
                else np.linalg.norm(first_pick.point - first_pick.ray.origin)
            )
            if self.guest is not None and visit is not None and visit.distance < away:
                return Pick(first_pick.ray, point=visit.point, obstacle=self.guest.name)
            # The robot comes before the walls around it.
            nothing = (
                first_pick.link is None and first_pick.feature is None and self.tool is Tool.SELECT
            )
            span = aim.cut_of_meshes.span(first_pick.ray) if nothing else None
            hit = self._scene.obstacles.pick(first_pick.ray, span) if span is not None else None
            return first_pick if hit is None else replace(first_pick, obstacle=hit[0], point=hit[1])
        # Links are posed by their meshes, and by their spheres where there are none.
        pick = aim.pick(at.x(), at.y(), spheres=False)
        return pick if pick.link is not None else aim.pick(at.x(), at.y())

    def _point_at(self, at: QPointF, modifiers: Modifiers) -> None:
        scene = self._scene
        other = scene.gizmo.set_hovered(scene.gizmo.pick(at.x(), at.y()))
        if any([other, *(each.point_at(at) for each in self.instruments)]):
            scene.redraw()
        pick = self._pick(at)
        free = scene.gizmo.hovered is None and not self._handle_hint
        has_rings = free and self.tool is Tool.SELECT
        self._ring = ring_at(self._session, scene, at) if has_rings else None
        self._session.set_hover(pick.hover if free else Hover())
        if self.tool is Tool.ADD:
            self._preview(pick)
        self._set_cursor(None)
        self._tell_hint(pick)

    def _preview(self, pick: Pick) -> None:
        scene = self._scene
        sphere = (
            sphere_for(self._session, scene, pick.surface) if pick.surface is not None else None
        )
        if sphere is None or pick.surface is None:
            scene.overlay.remove(PREVIEW)
        else:
            scene.overlay.set_spheres(
                PREVIEW, pick.surface.point, sphere.radius, np.array([*scene.accent, 0.5])
            )

    def leave(self, event: QEvent) -> None:
        if self._drag is None:
            self._pointer = None
            self._session.set_hover(Hover())
            other = self._scene.gizmo.set_hovered(None)
            if any([other, *(each.point_at(None) for each in self.instruments)]):
                self._scene.redraw()
            self._scene.overlay.remove(PREVIEW)
            self.poser.leave()
            self._tell_hint(None)

    # -- the wheel

    def wheel(self, event: QWheelEvent) -> None:
        if self._drag is not None:
            return
        delta = event.angleDelta()
        # Some systems turn the wheel sideways while Shift or Alt is down.
        notches = (delta.y() or delta.x()) / 120.0
        if not notches:
            return
        at = event.position()
        pick = self._pick(at)
        selected = pick.sphere is not None and pick.sphere in self._session.selection.spheres
        if self.tool is Tool.SELECT and (selected or self.edits.is_turning_at(at)):
            # A turn that began on a sphere goes on when the sphere has become smaller than its
            # distance.
            self.edits.turn(notches, bool(event.modifiers() & Modifiers.ShiftModifier), at)
            return
        anchor = pick.point
        if anchor is None:
            anchor = self._scene.camera.on_view_plane(at.x(), at.y(), self._scene.camera.focus)
        self._scene.move_camera(lambda: self._scene.camera.zoom(0.88**notches, anchor))

    def pinch(self, event: QNativeGestureEvent) -> None:
        """Two fingers on a touchpad zoom at the pointer."""
        if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture and self._drag is None:
            at = event.position()
            anchor = self._pick(at).point
            factor = 1.0 / max(0.2, 1.0 + event.value())
            self._scene.move_camera(lambda: self._scene.camera.zoom(factor, anchor))

    # -- keys

    def _on_key(self, event: QKeyEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            wanted = self.wants_key(event)
            if wanted:
                event.accept()
            return wanted
        if event.type() == QEvent.Type.KeyRelease:
            self._modifiers_changed(event, pressed=False)
        elif event.key() in _TABS and not self.wants_key(event):
            # It leaves the view.
            return False
        elif self.key(event):
            return True
        event.ignore()
        return True

    def wants_key(self, event: QKeyEvent) -> bool:
        """Return whether the key is ours before it is anybody's shortcut: a drag must not be undone
        under its own feet."""
        if self._drag is not None or event.key() == Qt.Key.Key_Escape:
            return True
        if event.key() in _TABS:
            return self._posed_link() is not None
        if event.key() == Qt.Key.Key_Delete and any(each.has_chosen for each in self.instruments):
            return True
        return event.key() in _NUDGES and bool(self._session.selection.spheres)

    def key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if key == Qt.Key.Key_Escape:
            return self.step_back()
        if key in _TABS:
            self._turn_up(1 if key == Qt.Key.Key_Tab else -1)
            return True
        if self._drag is not None:
            self._modifiers_changed(event, pressed=True)
            return True
        chosen = (
            [each for each in self.instruments if each.has_chosen]
            if key == Qt.Key.Key_Delete
            else []
        )
        if chosen:
            chosen[0].delete()
            return True
        if key in _NUDGES and self._session.selection.spheres:
            step = 0.001
            if event.modifiers() & Modifiers.ShiftModifier:
                step = 0.01
            elif event.modifiers() & Modifiers.ControlModifier:
                step = 0.0001
            self.edits.nudge(_NUDGES[Qt.Key(key)], step)
            return True
        return False

    def _posed_link(self) -> str | None:
        """The link whose joint Tab exchanges: what is pointed at, or dragged."""
        if self.tool is not Tool.POSE or self._pointer is None:
            return None
        if self._pressed is not None:
            return self._pressed[3].link
        return self._pick(self._pointer).link

    def _turn_up(self, step: int) -> None:
        """The joint above turns instead; a drag goes on with it from where it began."""
        link = self._posed_link()
        if link is None or self._pointer is None:
            return
        self.poser.turn_up(link, step)
        if isinstance(self._drag, JointDrag) and self._pressed is not None:
            self._drag.cancel()
            button, start, modifiers, pick, handle = self._pressed
            self._drag = self._drag_for(button, start, modifiers, pick, handle)
            self._drag.move(self._pointer, Modifiers.NoModifier)
            self._tell(self._drag.hint)
        elif self._drag is None:
            self._tell_hint(self._pick(self._pointer))

    def _modifiers_changed(self, event: QKeyEvent, *, pressed: bool) -> None:
        """Shift or Ctrl during a drag count at once, not with the next move."""
        modifier_keys = {
            Qt.Key.Key_Shift: Modifiers.ShiftModifier,
            Qt.Key.Key_Control: Modifiers.ControlModifier,
        }
        changed = modifier_keys.get(Qt.Key(event.key()))
        if changed is None or self._drag is None or self._pointer is None:
            return
        modifiers = event.modifiers() | changed if pressed else event.modifiers() & ~changed
        self._drag.move(self._pointer, modifiers)

    def step_back(self) -> bool:
        """Esc: the drag, else the tool, else the selection; False when there was nothing to
        leave."""
        if self._drag is not None or self._pressed is not None:
            return self.cancel_drag()
        self.edits.end_run()
        if self.guest is not None and self.guest.step_back():
            return True
        if any(each.step_back(self.tool) for each in self.instruments):
            return True
        if self.tool is not Tool.SELECT:
            self.set_tool(Tool.SELECT)
            return True
        if self._scene.grip is not None:
            self.obstacle_taken.emit("")
            return True
        if self._session.selection:
            self._session.select(NOTHING)
            return True
        return False

    # -- telling

    def _tell(self, hint: str) -> None:
        if hint != self.hint:
            self.hint = hint
            self.hint_changed.emit(hint)

    def _tell_hint(self, pick: Pick | None) -> None:
        if self._drag is not None:
            self._tell(self._drag.hint)
        elif not self._session.has_robot or self._handle_hint:
            self._tell(self._handle_hint)
        else:
            self._tell(self._tool_hint(pick) or self._hint_at(pick))

    def _tool_hint(self, pick: Pick | None) -> str:
        """What the tool does with a click, "" for the tools that first ask what lies under the
        pointer."""
        if self.guest is not None and self.guest.hint and self._scene.gizmo.hovered is None:
            return self.guest.hint
        if self.tool is Tool.ADD:
            where = (
                f"adds a sphere to {pick.link}"
                if pick and pick.link
                else "adds a sphere where it meets a link"
            )
            return f"Click {where} · drag sets its radius · Esc: select"
        if (instrument := self._instrument) is not None:
            return instrument.tool_hint(pick, self._pointer or QPointF())
        if self.tool is Tool.BOX:
            return "Drag a box around spheres or links · Ctrl adds · Esc: select"
        return ""

    def _hint_at(self, pick: Pick | None) -> str:
        """What the mouse would do with what lies under the pointer."""
        handle, grip = self._scene.gizmo.hovered, self._scene.grip
        if self._ring is not None:
            name = f"{self._ring.frame} · sphere {self._ring.index + 1}"
            return (
                f"{name} · drag changes the radius (Shift: fine, Ctrl: 1 mm steps) · inside: drag "
                "moves"
            )
        if pick is not None and pick.obstacle is not None and handle is None:
            is_held = grip is not None and grip.name == pick.obstacle
            return f"{pick.obstacle} · " + (
                "drag moves it in the view plane" if is_held else "click: its handles"
            )
        if self.tool is Tool.POSE or (grip is not None and handle is not None):
            return self._pose_hint(pick, handle)
        if handle is not None:
            return (
                f"Drag moves the selection along {handle.name} · Shift: along the surface · Ctrl: "
                "1 mm steps"
            )
        mouse = self._session.display.mouse
        return (pick and self._pick_hint(pick, mouse)) or f"{mouse.hint} · F zooms to selection"

    def _pick_hint(self, pick: Pick, mouse: MouseScheme) -> str:
        if pick.feature is not None:
            return (
                f"{pick.feature.name} · {pick.feature.kind} · click selects · {mouse.orbit} orbits"
            )
        if pick.sphere is not None:
            name = f"{pick.sphere.frame} · sphere {pick.sphere.index + 1}"
            if pick.sphere in self._session.selection.spheres:
                return (
                    f"{name} · drag moves (Shift: along the surface, Ctrl: snaps) · ring or wheel: "
                    "radius"
                )
            return f"{name} · click selects (Ctrl: adds) · drag moves · Alt-drag orbits"
        if pick.link is not None:
            parts = (pick.link, "click selects (Ctrl: adds)", f"{mouse.orbit} orbits", mouse.box)
            return " · ".join([part for part in parts if part] + ["right: menu"])
        return ""

    def refresh_hint(self, *_: object) -> None:
        """The mouse may mean something else now."""
        if self._drag is None:
            self._tell_hint(None)

    def _pose_hint(self, pick: Pick | None, handle: Handle | None) -> str:
        grip = self._scene.grip
        held = (
            self.poser.held_at(self._pointer)
            if handle is None and self._pointer is not None
            else None
        )
        if held is not None:
            self.poser.leave()
            return (
                f"{held} is held in place while another tool is dragged · click: its handles · "
                "right: menu, to release"
            )
        sentence = (
            self.poser.point_at(pick if handle is None else None) if self.tool is Tool.POSE else ""
        )
        if handle is not None and grip is not None:
            verb = "turns" if handle.is_ring else "moves"
            way = "about" if handle.is_ring else "along"
            sentence = f"Drag {verb} {grip.name} {way} {handle.name} · Shift: fine · Ctrl: steps"
        return sentence or (
            f"Drag a handle to move or turn {grip.name if grip is not None else ''} · Esc: select"
        )

    def _set_cursor(self, drag: Drag | None) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if isinstance(drag, (CameraDrag, MoveDrag, JointDrag, FrameDrag)):
            shape = Qt.CursorShape.ClosedHandCursor
        elif (
            self.tool in (Tool.ADD, Tool.BOX)
            or self._instrument is not None
            or isinstance(drag, BoxDrag)
        ):
            shape = Qt.CursorShape.CrossCursor
        elif isinstance(drag, RadiusDrag) or self._ring is not None:
            shape = Qt.CursorShape.SizeAllCursor
        elif self._scene.gizmo.hovered is not None or self._handle_hint:
            shape = Qt.CursorShape.OpenHandCursor
        if self._canvas.cursor().shape() != shape:
            self._canvas.setCursor(shape)
