"""Content of the selection panel for links, spheres, joints, pairs and features: figures,
sentences, rows of spheres."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from editor_app.core.document.commands.spheres import SetSpheres, name_spheres
from editor_app.core.document.selection import list_features
from editor_app.core.model.counting import format_count
from editor_app.core.model.features import FeatureKind
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.origin import Vector3
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.structure import TreeJoint
from editor_app.features.spheres.verbs import link_figures
from editor_app.features.spheres.window.figures import summarize_links
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import RIGHT
from editor_app.window.bindings.panel import row_of
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.bindings.rows_model import Column
from editor_app.window.link_quality import ShownQuality
from editor_app.window.session import Session
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.widgets import PlainLabel, dress, grid, plain_text
from editor_app.window.xrdf.frames import quantity_of_joint

#: Text, attribute of a Summary, how it is written, what it is; two to a line.
_FIGURES = (
    ("Covered", "coverage", "percent", "Share of the outer surface inside the spheres"),
    ("Excess", "excess", "percent", "Sphere volume outside the mesh, relative to the mesh volume"),
    (
        "Protrusion",
        "protrusion_mean",
        "mm",
        "Mean distance from the exposed sphere surface to the mesh",
    ),
    ("max", "protrusion_max", "mm", "Proven: no point of the spheres is farther from the mesh"),
    (
        "Deepest gap",
        "uncovered_max",
        "mm",
        "Largest distance from the mesh to the spheres; 0 when covered",
    ),
    (
        "Proof",
        "certified",
        "proof",
        "Whether full coverage of every triangle is proven, not sampled",
    ),
)
#: Kind of a figure -> what has its place from the start: no panel grows under the mouse when
#: figures come.
_USUAL = {"percent": "888.8 %", "mm": "88.88 mm", "proof": "✗ not covered"}


class QualityFigures(QWidget):
    """`show_links` gives it what to show; hidden when there is nothing to say.

    `note` has its place elsewhere: it comes and goes with the figures, and must move nothing that
    is pressed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Quality of the spheres")
        box = grid(self, across=2, down=1)
        self._labels: dict[str, QLabel] = {}
        self._shown: tuple[ShownQuality, ...] = ()
        for number, (text, name, kind, tip) in enumerate(_FIGURES):
            row, column = divmod(number, 2)
            spoken = {"Protrusion": "Protrusion mean", "max": "Protrusion max"}.get(text, text)
            value = dress(
                PlainLabel("…"), name=spoken, tip=tip, font=tabular_font(self.font()), align=RIGHT
            )
            value.setMinimumWidth(value.fontMetrics().horizontalAdvance(_USUAL[kind]))
            # The words of the proof say what it is: with a title, the column would take room from
            # the view.
            titles = [] if kind == "proof" else [dress(PlainLabel(text), tip=tip, look="muted")]
            if column:
                box.addWidget(row_of(*titles, value, stretch=len(titles)), row, 2)
            else:
                box.addWidget(titles[0], row, 0)
                box.addWidget(value, row, 1)
            self._labels[name] = value
        box.setHorizontalSpacing(4)
        for column in (1, 2):
            box.setColumnStretch(column, 1)
        self.note = dress(
            PlainLabel(), name="Note on the quality of the spheres", look="muted", wrap=True
        )
        self.note.hide()
        # Always there, one line high: what is below must not move under the mouse when figures grow
        # stale.
        self.state = dress(ElidedLabel(self), look="muted")
        self.state.setFixedHeight(self.state.fontMetrics().height())
        box.addWidget(self.state, 3, 0, 1, 3)
        # A bound method: Qt takes the connection back when the widget goes.
        theme().changed.connect(self._colour)
        self.hide()

    def text(self, name: str) -> str:
        """Return the text of a figure: name as in Summary. Raises KeyError."""
        return self._labels[name].text()

    @property
    def is_current(self) -> bool:
        """Nothing that is shown is of spheres before an edit, or missing."""
        return all(shown.current for shown in self._shown)

    def show_links(self, links: Sequence[ShownQuality]) -> None:
        """Show several links: the least coverage, the greatest lengths, means weighted by size."""
        if tuple(links) == self._shown:
            # A drag in the view asks at every step.
            return
        self._shown = tuple(links)
        self.setVisible(bool(links))
        figures = [shown.figures for shown in links if shown.figures is not None]
        measured = [(f, f.proof) for f in figures if not f.note]
        total = summarize_links(sum(f.count for f in figures), measured)
        for _, name, kind, tip in _FIGURES:
            label = self._labels[name]
            label.setText("…" if not figures else total.told(name, kind))
            if name == "certified":
                label.setToolTip(plain_text(total.text or tip))
        if self.is_current:
            surfaces = {shown.surface for shown in links}
            one = (
                surfaces.pop()
                if len(surfaces) == 1
                else "of visual shapes where collision shapes are partial"
            )
            self.state.set_text(f"Figures {one}" if one else "")
        else:
            self.state.set_text("Updating…" if figures else "Measuring…")
        notes = _notes(figures, len(links))
        self.note.setText(" ".join(notes))
        self.note.setVisible(bool(notes))
        self._colour()

    def _colour(self) -> None:
        faint = not self.is_current
        for name, label in self._labels.items():
            font = tabular_font(self.font())
            font.setItalic(faint)
            if font != label.font():
                label.setFont(font)
            colour = colours().faint if faint else ""
            if name == "certified" and not faint and label.text().startswith("✗"):
                colour = colours().warning
            style = f"color: {colour}" if colour else ""
            # Setting the same again would lay the label out and draw it anew, at every step of a
            # drag.
            if style != label.styleSheet():
                label.setStyleSheet(style)


def _notes(figures: Sequence[link_figures.LinkFigures], links: int) -> list[str]:
    """Return the sentences below the figures of so many links."""
    notes = list(dict.fromkeys(each.note for each in figures if each.note))
    visible = figures[0].visible if len(figures) == 1 else None
    if visible is not None and visible.is_worth_telling:
        notes.append(visible.text("the visible surface") + ".")
    if links > 1:
        notes.append(f"{links} links: worst coverage and protrusion; size-weighted means.")
    return notes


def about_frame(session: Session, robot: RobotDescription, frame: str | None) -> str:
    """By which joint a link hangs on which other, and how many spheres it has; "" for none."""
    if frame is None:
        return ""
    tree = session.tree
    joint = tree.joint_to(frame) if frame in tree.index else None
    sentences = []
    if joint is None:
        sentences.append("Base frame." if frame == tree.root else "Not connected to the root.")
    else:
        sentences.append(f"Parent {joint.parent}, {joint.type.value} joint {joint.name}.")
        sentences += _of_joint(session, robot, joint)
    spheres = robot.xrdf.spheres_of(session.active_group).get(frame, ())
    sentences.append(f"{format_count(len(spheres), 'sphere') if spheres else 'No spheres'}.")
    return " ".join(sentences)


def about_others(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    """Title and sentence of what is selected beside links and spheres; None where there is
    nothing."""
    return _about_features(session, robot) or _about_joints(session, robot) or _about_pairs(session)


def _about_features(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    features = session.selection.features
    chosen = (
        [placed for placed in list_features(robot) if placed.feature in features]
        if features
        else []
    )
    if not chosen:
        return None
    last = chosen[-1]
    where = f" On {last.link}." if last.link else ""
    dock = "URDF, Sensors" if last.feature.kind is FeatureKind.SENSOR else "SRDF"
    text = f"{last.detail[:1].upper()}{last.detail[1:]}.{where} Edit it in the {dock} panel."
    return _title(len(chosen), last.feature.name), text


def _about_joints(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    names, tree = session.selection.joints, session.tree
    if not names:
        return None
    joint = next((j for j in tree.joints if j.name == names[-1]), None)
    title = _title(len(names), names[-1], "joint")
    if joint is None:
        return title, "Not connected to the root."
    kind = joint.type.value
    text = [f"{kind[:1].upper()}{kind[1:]} joint from {joint.parent} to {joint.child}."]
    text += _of_joint(session, robot, joint)
    return title, " ".join([*text, "Edit it in the URDF panel, move it in Joints."])


def _about_pairs(session: Session) -> tuple[str, str] | None:
    pairs = session.selection.pairs
    if not pairs:
        return None
    last = pairs[-1]
    title = _title(len(pairs), f"{last.first} – {last.second}", "pair")
    return title, "The Self-collision panel shows whether these links can collide."


def _of_joint(session: Session, robot: RobotDescription, joint: TreeJoint) -> list[str]:
    """Limits, and what it follows."""
    sentences = []
    if joint.limits is not None and joint.is_movable:
        quantity = quantity_of_joint(robot, joint.name)
        sentences.append(f"Limits {quantity.described_range(joint.limits, session.display)}.")
    if joint.mimic is not None:
        sentences.append(f"Mimics {joint.mimic.joint}.")
    return sentences


def _title(count: int, last: str, noun: str = "") -> str:
    if count == 1:
        return last
    return f"{format_count(count, noun)}, last {last}" if noun else f"{count}, last {last}"


AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class SphereRow:
    """A sphere with its effective radii."""

    ref: SphereRef
    sphere: CollisionSphere
    world: float
    self_radius: float


def sphere_rows(robot: RobotDescription, refs: Iterable[SphereRef]) -> list[SphereRow]:
    """The rows of those spheres that exist."""
    rows = []
    groups = {group.name: group.spheres for group in robot.xrdf.geometry or ()}
    for ref in refs:
        spheres = groups[ref.group].get(ref.frame, ()) if ref.group in groups else ()
        if 0 <= ref.index < len(spheres):
            sphere = spheres[ref.index]
            world, self_radius = (
                robot.xrdf.world_radius(ref.frame, sphere),
                robot.xrdf.self_radius(ref.frame, sphere),
            )
            rows.append(SphereRow(ref, sphere, world, self_radius))
    return rows


def set_axis(axis: int, cells: list[tuple[SphereRow, float]]) -> Change:
    """Moves spheres along one axis of their frames."""

    def moved(center: Vector3, value: float) -> Vector3:
        x, y, z = (value if i == axis else v for i, v in enumerate(center))
        return x, y, z

    values = tuple(
        (row.ref, replace(row.sphere, center=moved(row.sphere.center, value)))
        for row, value in cells
    )
    return SetSpheres(values, f"Move {name_spheres(row.ref for row, _ in cells)}")


def set_radius(cells: list[tuple[SphereRow, float]]) -> Change:
    """Resizes spheres."""
    values = tuple((row.ref, replace(row.sphere, radius=value)) for row, value in cells)
    return SetSpheres(values, f"Resize {name_spheres(row.ref for row, _ in cells)}")


def sphere_columns(is_locked: Callable[[SphereRef], bool]) -> list[Column[SphereRow]]:
    """Link and lock, x, y, z, radius, and the two effective radii, which follow from radius and
    buffer."""

    def axis(i: int) -> Column[SphereRow]:
        return Column(
            AXES[i],
            lambda row: row.sphere.center[i],
            write=lambda cells: set_axis(i, cells),
            quantity=LENGTH,
        )

    def effective(title: str, read: Callable[[SphereRow], Any], section: str) -> Column[SphereRow]:
        return Column(
            title,
            read,
            quantity=LENGTH,
            note=lambda row: (
                f"Radius and {section} buffer of {row.ref.frame}."
                + ("" if read(row) > 0 else " Not above zero: disabled.")
            ),
            stretch=True,
        )

    return [
        Column("Link", lambda row: row.ref.frame + (", locked" if is_locked(row.ref) else "")),
        axis(0),
        axis(1),
        axis(2),
        Column(
            "radius",
            lambda row: row.sphere.radius,
            write=set_radius,
            quantity=LENGTH,
            note=lambda row: (
                "" if row.sphere.radius > 0 else "Not above zero: only counts with a buffer."
            ),
        ),
        effective("world", lambda row: row.world, "collision"),
        effective("self", lambda row: row.self_radius, "self-collision"),
    ]
