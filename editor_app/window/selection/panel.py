"""The numbers of what is selected: spheres, a link, or a sentence that says how to select."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QCheckBox, QHeaderView, QVBoxLayout, QWidget

from editor_app.core.document import commands
from editor_app.core.document.commands.collision import Section
from editor_app.core.document.commands.spheres import name_spheres
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.transforms import apply, invert
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import NameBox
from editor_app.window.bindings.number_field import (
    NumberField,
    NumberSource,
    ScrubLabel,
    ShownNumber,
)
from editor_app.window.bindings.panel import Panel, heading, muted_label, row_of, tool_button
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.link_quality import LinkQuality
from editor_app.window.selection.place_box import PlaceBox
from editor_app.window.selection.quality_figures import (
    AXES,
    QualityFigures,
    SphereRow,
    about_frame,
    about_others,
    set_axis,
    set_radius,
    sphere_columns,
    sphere_rows,
)
from editor_app.window.session import Hover, Session
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import (
    PlainLabel,
    Scrolled,
    checkable,
    dress,
    grid,
    plain_text,
    tab_through,
)
from editor_app.window.xrdf.frames import frames_of

#: With more spheres than this, the table waits for a pause in a drag.
MANY = 200
#: Lines after which the table scrolls in itself: Qt's widgets cannot be of any height.
LONGEST = 5000
#: Radius of a first sphere on a link (metres).
FIRST_RADIUS = 0.05


class SelectionPanel(Scrolled):
    """The panel for a dock: scrolls where its numbers need more room than there is."""

    def __init__(
        self,
        session: Session,
        quality: LinkQuality | None = None,
        registry: ActionRegistry | None = None,
    ) -> None:
        self.numbers = SelectionNumbers(session, quality, registry)
        super().__init__(self.numbers)
        self.setAccessibleName("Selection")
        # The widest of all, hidden at first; its room stays beside a scroll bar, too.
        layout = self.numbers.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        wide = self.numbers.quality.minimumSizeHint().width() + margins.left() + margins.right()
        self.setMinimumWidth(wide + self.verticalScrollBar().sizeHint().width())

    def sizeHint(self) -> QSize:
        return QSize(340, 300)


class SelectionNumbers(Panel):
    """Follows `session.selection`; spheres go before links."""

    follows_steps = True
    shows = "xrdf.geometry xrdf.world_collision xrdf.self_collision urdf"

    def __init__(
        self,
        session: Session,
        quality: LinkQuality | None = None,
        registry: ActionRegistry | None = None,
    ) -> None:
        """`quality`: how good the spheres of the links are."""
        self._registry = registry
        self._quality = quality or LinkQuality()
        super().__init__(session)
        self._quality.changed.connect(self._on_quality)

    def build(self) -> None:
        self._frames: tuple[str, ...] = ()
        self._columns: tuple[bool, bool] | None = None
        self._later = after(self, self.refresh, Wait.SELECTED_NUMBERS)
        # First, and always all of them: nothing that comes or goes below moves a button under the
        # mouse.
        self.add = tool_button("plus-circle", "Add", run=self._add_sphere)
        self.duplicate = tool_button("copy", "", name="Duplicate", run=self._duplicate)
        self.delete = tool_button("trash", "Delete", run=self._delete)
        self.select_all = tool_button(
            "selection-all", "", name="Select the spheres", run=self._select_spheres
        )
        self.put(row_of(self.add, self.duplicate, self.delete, self.select_all, stretch=-1))
        self.hint = muted_label(
            "Nothing is selected. Click a link or a sphere in the view, or a link in the tree. "
            "Ctrl-click adds to the selection; Box select (B) selects everything in a box."
        )
        self.title = dress(heading(""), wrap=True)
        self.about = muted_label("")
        self.place = PlaceBox(self.session, self._registry)
        self.put(self.hint, self.title, self.about, self.place)
        self._build_numbers()
        self.quality = self.put(QualityFigures())
        self.spheres = self.table(
            "Spheres",
            sphere_columns(lambda ref: self.session.locks.holds(self.session.robot, ref)),
            self._rows,
            delete=lambda rows: commands.DeleteSpheres(tuple(row.ref for row in rows)),
            most_rows=LONGEST,
            hovered=lambda row: Hover(link=row.ref.frame, sphere=row.ref),
        )
        # Not on the panel's own resizing: the table, and its scroll bar, get their place only after
        # that.
        self.spheres.viewport().installEventFilter(self)
        self.copy_to = NameBox("Link to copy the spheres to", "link")
        self.copy = tool_button("", "Copy", tip="Copy the spheres to that link", run=self._copy_to)
        self.copy_to.rejected.connect(self.tell)
        tip = "Off: keep the coordinates in the link frame, for example for a mirrored finger"
        self.in_place = checkable(dress(QCheckBox("keep position in space"), tip=tip), True)
        self._copy_row = self.put(row_of(self.copy_to, self.copy), self.in_place)
        self._buffers = self.put(QWidget())
        box = grid(self._buffers, across=8)
        self.world_buffer = self._buffer_field("World buffer", "world_collision")
        self.self_buffer = self._buffer_field("Self buffer", "self_collision")
        for row, field in enumerate((self.world_buffer, self.self_buffer)):
            box.addWidget(ScrubLabel(field.accessibleName(), field), row, 0)
            box.addWidget(field, row, 1)
        # The table last: it is as long as its rows, so that the panel alone scrolls, and nothing is
        # below its end.
        self.put(self.quality.note, self.spheres)
        tab_through(self, self.spheres)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addStretch(1)
        session = self.session
        for signal in (
            session.selection_changed,
            session.active_group_changed,
            session.locks.changed,
        ):
            signal.connect(self.refresh)

    def _on_quality(self, links: frozenset[str]) -> None:
        if links & set(self.session.selection.frames):
            self._tell_quality()

    def _tell_quality(self) -> None:
        qualities = (self._quality.of(link) for link in self.session.selection.frames)
        self.quality.show_links([shown for shown in qualities if shown is not None])

    # -- building

    def _buffer_field(self, name: str, kind: Section) -> NumberField:
        def read(robot: RobotDescription) -> ShownNumber:
            section, frame = getattr(robot.xrdf, kind), self._frame()
            if section is None:
                return ShownNumber(None, empty="no section")
            distances = section.buffer_distance
            if distances is not None and not isinstance(distances, FrozenDict):
                return ShownNumber(distances, note="One value for all frames.")
            given = frame is not None and frame in (distances or ())
            return ShownNumber(
                section.buffer(frame or ""), NumberSource.FILE if given else NumberSource.DEFAULT
            )

        def write(value: float) -> Change | None:
            frame = self._frame()
            return (
                commands.set_item(f"xrdf.{kind}.buffer_distance", frame, value)
                if frame is not None
                else None
            )

        return self.number_field(name, LENGTH, read, write)

    def _build_numbers(self) -> None:
        self._numbers = self.put(QWidget())
        box = grid(self._numbers)
        self.axes = [
            self._number(f"Centre {AXES[i]}", partial(_axis, i), partial(set_axis, i))
            for i in range(3)
        ]
        self.radius = self._number("Radius", lambda row: row.sphere.radius, set_radius)
        for column, (text, field) in enumerate(zip(AXES, self.axes, strict=True)):
            field.setMinimumWidth(44)
            field.hide_unit()
            box.addWidget(ScrubLabel(text, field), 0, 2 * column)
            box.addWidget(field, 0, 2 * column + 1)
            box.setColumnStretch(2 * column + 1, 1)
        label = ScrubLabel("r", self.radius)
        label.setToolTip(plain_text(f"Radius. {label.toolTip()}"))
        box.addWidget(label, 1, 0)
        box.addWidget(self.radius, 1, 1)
        self.radius.hide_unit()
        tip = "Radius plus buffer distance, for obstacles and for self-collision."
        self.effective = dress(PlainLabel(), look="muted", wrap=True, tip=tip)
        box.addWidget(self.effective, 1, 2, 1, 4)

    def _number(
        self,
        name: str,
        read: Callable[[SphereRow], float],
        write: Callable[[list[tuple[SphereRow, float]]], Change],
    ) -> NumberField:
        """A number that all selected spheres have."""

        def common(_: RobotDescription) -> ShownNumber:
            values = tuple(read(row) for row in self._selected())
            return ShownNumber(
                values[0] if len(set(values)) == 1 else None, empty="mixed", several=values
            )

        return self.number_field(
            name,
            LENGTH,
            common,
            lambda value: write([(row, value) for row in self._selected()]),
            lambda values: write(list(zip(self._selected(), values, strict=True))),
        )

    # -- what is shown

    def update_view(self, robot: RobotDescription) -> None:
        selection = self.session.selection
        frame, rows = self._frame(), self.spheres.rows_model.items
        picked = bool(selection.spheres)
        others = about_others(self.session, robot) if not picked and frame is None else None
        self.hint.setVisible(not picked and frame is None and others is None)
        self.title.setVisible(picked or frame is not None or others is not None)
        self.about.setVisible(frame is not None or others is not None)
        self.place.show_frame(None if picked else frame)
        self._buffers.setVisible(frame is not None)
        self._numbers.setVisible(picked)
        self.spheres.setVisible(bool(rows) and (not picked or len(rows) > 1))
        frames = self._frames = tuple(dict.fromkeys(row.ref.frame for row in rows))
        self._fit_columns()
        self._tell_title(picked, frame, frames, len(rows))
        if picked:
            self._tell_effective(rows)
        elif others is not None:
            self.title.setText(others[0])
        self.about.setText(
            others[1] if others is not None else about_frame(self.session, robot, frame)
        )
        self._tell_quality()
        self._offer_actions(picked, frame is not None, bool(rows))
        for widget in (self._copy_row, self.in_place):
            widget.setVisible(bool(rows))
        self.copy_to.set_choices([f for f in frames_of(self.session) if frames != (f,)])
        chosen = self.copy_to.value
        self.copy_to.set_value(
            chosen if chosen is not None and frames != (chosen,) else None, "Copy to link…"
        )

    def _offer_actions(self, picked: bool, has_frame: bool, has_rows: bool) -> None:
        """Which buttons can be used; the tool tips of the others say why not."""
        no_spheres = None if picked and has_rows else "Select spheres first."
        none_here = (
            None
            if has_rows
            else "This link has no spheres."
            if has_frame
            else "Select a link first."
        )
        all_here = "They are already selected." if picked else none_here
        for button, tip, reason in (
            (
                self.add,
                "Add a sphere to this link",
                None if has_frame else "Select one link, or spheres of one link.",
            ),
            (self.duplicate, "Add a copy next to each sphere", no_spheres),
            (self.delete, "Delete the selected spheres", no_spheres),
            (self.select_all, "Select the spheres of this link", all_here),
        ):
            button.setEnabled(reason is None)
            button.setToolTip(plain_text(reason or tip))

    def _fit_columns(self) -> None:
        """The link is told where there are several; in a narrow panel, the radii that follow are
        left out."""
        several = len(self._frames) > 1
        widest = LENGTH.column(-0.8888, self.session.display)
        number = self.spheres.fontMetrics().horizontalAdvance(widest) + 11
        narrow = 6 * number + (76 if several else 0) > self.spheres.viewport().width()
        if self._columns == (several, narrow):
            return
        self._columns = (several, narrow)
        header = self.spheres.horizontalHeader()
        modes = QHeaderView.ResizeMode
        for place in range(len(self.spheres.rows_model.columns)):
            stretch = place == 0 if several else place > 0
            header.setSectionResizeMode(place, modes.Stretch if stretch else modes.ResizeToContents)
            self.spheres.setColumnHidden(
                place, (place == 0 and not several) or (place > 4 and narrow)
            )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Qt asks during the construction, too.
        table = getattr(self, "spheres", None)
        if table is not None and watched is table.viewport() and event.type() == QEvent.Type.Resize:
            self._fit_columns()
        return bool(super().eventFilter(watched, event))

    def _tell_title(
        self, picked: bool, frame: str | None, frames: tuple[str, ...], number: int
    ) -> None:
        if picked:
            where = frames[0] if len(frames) == 1 else f"{len(frames)} links"
            self.title.setText(f"{format_count(number, 'sphere')} of {where}")
        elif frame is not None:
            links = self.session.selection.links
            self.title.setText(
                frame if len(links) == 1 else f"{format_count(len(links), 'link')}, last {frame}"
            )

    def _tell_effective(self, rows: tuple[SphereRow, ...]) -> None:
        display = self.session.display

        def span(radii: list[float]) -> str:
            low, high = min(radii, default=0.0), max(radii, default=0.0)
            upper = f"–{LENGTH.rounded(high, display)}" if high != low else ""
            return f"{LENGTH.rounded(low, display)}{upper}" if high > 0 else "off"

        world, itself = span([row.world for row in rows]), span([row.self_radius for row in rows])
        unit = LENGTH.unit(display)
        if world != itself:
            # Where two lines are needed, each radius stays with its word.
            unit += f", with buffers: world\u00a0{world}, self\u00a0{itself}"
        elif world != span([row.sphere.radius for row in rows]):
            unit += f", with\u00a0buffer\u00a0{world}"
        self.effective.setText(unit)

    def _frame(self) -> str | None:
        """The link that is selected, or the one that all selected spheres are on."""
        selection = self.session.selection
        if selection.spheres:
            frames = {ref.frame for ref in selection.spheres}
            return frames.pop() if len(frames) == 1 else None
        return selection.links[-1] if selection.links else None

    def _rows(self, robot: RobotDescription) -> list[SphereRow]:
        selection = self.session.selection
        if selection.spheres:
            return sphere_rows(robot, selection.spheres)
        group = robot.xrdf.group(self.session.active_group)
        if group is None:
            return []
        links = selection.links
        refs = (
            SphereRef(group.name, f, i) for f in links for i in range(len(group.spheres.get(f, ())))
        )
        return sphere_rows(robot, refs)

    def _selected(self) -> list[SphereRow]:
        return sphere_rows(self.session.robot, self.session.selection.spheres)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if len(self.session.selection.spheres) > MANY:
            if self.is_changed(old, new):
                self._later.start()
            return
        super()._on_robot(old, new)

    # -- actions

    def _acted_on(self) -> tuple[SphereRef, ...]:
        """The rows that are selected in the table, else all that it shows."""
        return tuple(row.ref for row in self.spheres.chosen or self.spheres.rows_model.items)

    def _add_sphere(self) -> None:
        robot, frame = self.session.robot, self._frame()
        if frame is None:
            return
        name = self.session.active_group
        changes: list[Change] = []
        if name is None or robot.xrdf.group(name) is None:
            name = commands.free_group_name(robot.xrdf, "collision_spheres")
            changes.append(commands.AddGroup(name))
        group = robot.xrdf.group(name)
        present = group.spheres.get(frame, ()) if group is not None else ()
        add = commands.AddSpheres(name, frame, (_another(present),))
        after = Selection(spheres=(SphereRef(name, frame, len(present)),))
        self.execute(join_changes([*changes, add], add.label), selection=after)

    def _duplicate(self) -> None:
        robot, refs = self.session.robot, self._acted_on()
        if not refs:
            return
        radii = [row.sphere.radius for row in sphere_rows(robot, refs)]
        change = commands.DuplicateSpheres(refs, (0.0, 0.0, max(abs(radii[0]), 0.01)))
        self.execute(change, selection=Selection(spheres=change.refs(robot)))

    def _delete(self) -> None:
        refs = self._acted_on()
        if refs:
            frames = tuple(dict.fromkeys(ref.frame for ref in refs))
            self.execute(commands.DeleteSpheres(refs), selection=Selection(links=frames[-1:]))

    def _select_spheres(self) -> None:
        self.session.select(Selection(spheres=self._acted_on()))
        self.session.look_requested.emit()

    def choose_copy_target(self) -> None:
        """Opens the list of links that spheres can be copied to."""
        self.copy_to.setFocus()
        self.copy_to.showPopup()

    def _copy_to(self) -> None:
        robot = self.session.robot
        if not self.copy_to.commit():
            return
        to = self.copy_to.value
        if to is None:
            self.choose_copy_target()
            return
        rows = sphere_rows(robot, self._acted_on())
        changes = []
        for name in dict.fromkeys(row.ref.group for row in rows):
            spheres = tuple(self._carried(row, to) for row in rows if row.ref.group == name)
            changes.append(commands.AddSpheres(name, to, spheres))
        if not changes:
            return
        refs = tuple(ref for change in changes for ref in change.refs(robot))
        change = commands.AllOf(
            tuple(changes), f"Copy {name_spheres(row.ref for row in rows)} to {to}"
        )
        self.execute(change, selection=Selection(spheres=refs))

    def _carried(self, row: SphereRow, to: str) -> CollisionSphere:
        """The sphere in the coordinates of the other link."""
        source, target = self.session.transform(row.ref.frame), self.session.transform(to)
        if not self.in_place.isChecked() or source is None or target is None:
            return row.sphere
        # To the micrometre, as everything that is placed by hand.
        x, y, z = (
            round(float(v), 6) for v in apply(invert(target) @ source, [row.sphere.center])[0]
        )
        return replace(row.sphere, center=(x, y, z))


def _axis(axis: int, row: SphereRow) -> float:
    return row.sphere.center[axis]


def _another(present: tuple[CollisionSphere, ...]) -> CollisionSphere:
    """A sphere beside the last one, or a first one at the link's origin."""
    if not present:
        return CollisionSphere((0.0, 0.0, 0.0), FIRST_RADIUS)
    last = present[-1]
    x, y, z = last.center
    return replace(last, center=(x, y, z + max(abs(last.radius), 0.01)))
