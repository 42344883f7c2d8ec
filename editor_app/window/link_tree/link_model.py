"""The link tree as an item model: name with the joint that leads there, spheres, how much they
cover, findings, eye."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont

from editor_app.core.document.selection import NOTHING, PlacedFeature, list_features
from editor_app.core.formats.urdf.sensors import PlacedSensor
from editor_app.core.model.counting import format_count
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.findings import Finding
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.sensors import SensorKind
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import TreeJoint
from editor_app.window.bindings.lists import RIGHT, ROOT, CellLook, Index
from editor_app.window.link_quality import (
    LinkQuality,
    ShownQuality,
    proof_text,
    ratio_text,
    share_text,
)
from editor_app.window.session import Hover, Session
from editor_app.window.theme import colours, tabular_font
from editor_app.window.widgets import icon, severity_icon

JOINT_ICONS = {
    JointType.REVOLUTE: "arrow-clockwise",
    JointType.CONTINUOUS: "arrows-clockwise",
    JointType.PRISMATIC: "arrows-out-line-horizontal",
    JointType.FIXED: "lock-simple",
    JointType.FLOATING: "arrows-out-cardinal",
    JointType.PLANAR: "arrows-out-cardinal",
}
FEATURE_ICONS = {
    FeatureKind.GROUP: "users-three",
    FeatureKind.TCP: "crosshair",
    FeatureKind.END_EFFECTOR: "hand-grabbing",
}
SENSOR_ICONS = {
    SensorKind.CAMERA: "camera",
    SensorKind.DEPTH_CAMERA: "camera",
    SensorKind.STEREO_CAMERA: "camera",
    SensorKind.LASER_2D: "broadcast",
    SensorKind.LASER_3D: "broadcast",
    SensorKind.FLASH_LASER: "broadcast",
    SensorKind.SONAR: "broadcast",
    SensorKind.IMU: "compass",
    SensorKind.MAGNETOMETER: "compass",
    SensorKind.POSITIONING: "map-pin",
    SensorKind.FORCE_TORQUE: "gauge",
    SensorKind.CONTACT: "hand-pointing",
    SensorKind.ENCODER: "gauge",
    SensorKind.ODOMETRY: "path",
}


class LinkColumn(IntEnum):
    NAME = 0
    SPHERES = 1
    COVERAGE = 2
    FINDINGS = 3
    EYE = 4


#: An enum counts its members anew each time, and Qt asks thousands of times while a robot opens.
COLUMNS = len(LinkColumn)

#: Up to so many rows are named one by one when their looks change.
MOST_ROWS_NAMED = 20

#: By which columns the links can be put in order: what is read first, and when it is turned round.
ORDERS = {
    LinkColumn.SPHERES: ("Most spheres first", "Fewest spheres first"),
    LinkColumn.COVERAGE: ("Least covered first", "Best covered first"),
}


@dataclass(eq=False, slots=True)
class LinkRow:
    """A row: a link or added frame, to which `joint` leads (None for the base), or, with `placed`,
    a feature on a link.

    `indent` in pixels: see LinkTreeModel.INDENT.
    """

    name: str
    parent: LinkRow | None
    joint: TreeJoint | None = None
    is_added: bool = False
    placed: PlacedFeature | None = None
    row: int = 0
    indent: int = 0
    children: list[LinkRow] = field(default_factory=list)


def _feature_icon(placed: PlacedFeature) -> str:
    """The name of the icon of a feature."""
    if isinstance(placed.item, PlacedSensor):
        return SENSOR_ICONS.get(placed.item.sensor.kind, "broadcast")
    return FEATURE_ICONS[placed.feature.kind]


#: Less than this share is pointed at.
FEW = 0.99


def coverage_look(shown: ShownQuality | None) -> CellLook:
    """How well a link is covered; a dash for links without spheres or without a mesh."""
    if shown is None:
        return CellLook("–", colour="faint", tip="Needs spheres and a mesh")
    figures, words, font = shown.figures, partial(told, shown), tabular_font()
    font.setItalic(not shown.current)
    if figures is None:
        return CellLook("…", colour="faint", font=font, tip=words, spoken=words)
    if figures.note:
        return CellLook("–", colour="faint", tip=words)
    share = figures.surface_coverage
    # Not to the tenth while it is not the last word: there is no room for both signs.
    text = share_text(share) if shown.current else f"~{100 * share:.0f}"
    colour = "faint" if not shown.current else "warning" if share < FEW else ""
    return CellLook(
        text, colour=colour, font=font, tip=words, spoken=lambda: words().splitlines()[0]
    )


def told(shown: ShownQuality) -> str:
    """The figures in words, a line each."""
    figures = shown.figures
    if figures is None:
        return "being measured"
    if figures.note:
        return str(figures.note)
    mean, most = 1000 * figures.protrusion_mean, 1000 * figures.protrusion_at_most
    lines = [
        f"{share_text(figures.surface_coverage)} % of the surface "
        f"{shown.surface or 'of the link'} covered",
        f"protrusion {mean:.1f} mm mean, at most {most:.1f} mm (proven)",
        f"excess volume {ratio_text(figures.excess_ratio)}",
    ]
    if figures.uncovered_max > 0:
        lines.insert(1, f"deepest gap {1000 * figures.uncovered_max:.1f} mm (sampled)")
    if figures.visible is not None and figures.visible.is_worth_telling:
        lines.append(figures.visible.text("the visible surface"))
    if figures.proof is not None and figures.proof.certified:
        lines.append(proof_text(True, figures.surface_coverage))
    if not shown.current:
        lines.append("Values before the last edit; updating…")
    return "\n".join(lines)


def differing(before: Mapping[str, object], now: Mapping[str, object]) -> set[str]:
    """Return the keys that have another value in the two mappings, or are in one alone."""
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}


class LinkTreeModel(QAbstractItemModel):
    """Follows the session."""

    #: Many rows look different, and have the same place.
    looks_changed = Signal()

    #: Pixels for a level below a branch, and within a chain: an arm is one long chain and must stay
    #: in the panel.
    INDENT, CHAIN_INDENT = 10, 3

    def __init__(self, session: Session, quality: LinkQuality, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.quality = quality
        #: Share of its indentation that a level has in the column as wide as it is.
        self.indent_scale = 1.0
        #: The column that the links are in order of, and whether turned round; None: the tree.
        self.order: tuple[LinkColumn, bool] | None = None
        #: The rows that stand below no other one.
        self._top: list[LinkRow] = []
        #: All rows: links by name, parents first; then features.
        self._nodes: dict[str | RobotFeature, LinkRow] = {}
        self._counts: dict[str, int] = {}
        self._findings: dict[str, list[Finding]] = {}
        self._hovered: LinkRow | None = None
        self._looks = (self._name, self._spheres, self._coverage, self._badge, self._eye)
        session.document_opened.connect(self.rebuild)
        session.tree_changed.connect(self.rebuild)
        session.robot_settled.connect(self._on_robot)
        session.active_group_changed.connect(self._recount)
        self._hidden = session.hidden
        session.visibility_changed.connect(self._on_visibility)
        session.findings_changed.connect(self._on_findings)
        session.findings_known_changed.connect(
            lambda _: self._tell_changed(self._findings, LinkColumn.FINDINGS)
        )
        session.hover_changed.connect(self._on_hover)
        self.quality.changed.connect(self._on_quality)
        self.rebuild()

    # -- by name

    @property
    def names(self) -> frozenset[str]:
        """Everything that a row is called: frames, and what hangs below them."""
        return frozenset(node.name for node in self._nodes.values())

    @property
    def indented_names(self) -> list[tuple[int, str]]:
        """(indentation in pixels, name) of each row of the tree."""
        return [(node.indent, node.name) for node in self._nodes.values()]

    def node(self, index: Index) -> LinkRow | None:
        node: LinkRow | None = index.internalPointer() if index.isValid() else None
        return node

    def index_of(
        self, thing: str | RobotFeature, column: LinkColumn = LinkColumn.NAME
    ) -> QModelIndex:
        """Return the index of a frame by its name, or of a feature; invalid without such a row."""
        node = self._nodes.get(thing)
        return self.createIndex(node.row, column, node) if node is not None else QModelIndex()

    def set_order(self, order: tuple[LinkColumn, bool] | None) -> None:
        """One list of links in the order of a column, or the tree again."""
        if order != self.order:
            self.order = order
            self.rebuild()

    @property
    def has_findings(self) -> bool:
        """True if any link has a finding."""
        return bool(self._findings.keys() & self._nodes.keys())

    @property
    def has_coverage(self) -> bool:
        """True if any link has spheres that can be measured."""
        return bool(self.quality.links)

    # -- following

    def rebuild(self, *_: object) -> None:
        self.beginResetModel()
        self._counts = self._count()
        self._hidden = self._session.hidden
        self._hovered = None
        self._make_nodes()
        self._findings = self._findings_by_row()
        for nodes in self._siblings():
            is_chain = sum(node.placed is None for node in nodes) == 1
            for row, node in enumerate(nodes):
                node.row = row
                if node.parent is not None:
                    in_chain = is_chain and node.placed is None
                    node.indent = node.parent.indent + (
                        self.CHAIN_INDENT if in_chain else self.INDENT
                    )
        self.endResetModel()

    def _make_nodes(self) -> None:
        """The tree with features on its links; or the links alone, in the order of a column."""
        tree, robot, is_tree = self._session.tree, self._session.robot, self.order is None
        self._nodes, self._top = {}, []
        for i, frame in enumerate(tree.frames):
            parent = self._nodes[tree.frames[tree.parent[i]]] if i and is_tree else None
            self._nodes[frame] = LinkRow(
                frame, parent, tree.joints[i - 1] if i else None, frame in tree.added_frames
            )
        self._top = list(self._nodes.values())[:1] if is_tree else self._sorted()
        for placed in list_features(robot) if is_tree and self._top else ():
            on = self._nodes.get(placed.link, self._top[0])
            self._nodes[placed.feature] = LinkRow(placed.feature.name, on, placed=placed)
        # Features stand above the links below the same one.
        for node in sorted(self._nodes.values(), key=lambda node: node.placed is None):
            if node.parent is not None:
                node.parent.children.append(node)

    def _sorted(self) -> list[LinkRow]:
        """Links in the order of the chosen column; those without a value last, whichever way
        round."""
        assert self.order is not None
        column, turned = self.order

        def value(node: LinkRow) -> float | None:
            if column is LinkColumn.SPHERES:
                return -float(self._counts[node.name]) if self._counts.get(node.name) else None
            shown = self.quality.of(node.name)
            figures = shown.figures if shown is not None else None
            return figures.surface_coverage if figures is not None and not figures.note else None

        valued_nodes = [node for node in self._nodes.values() if value(node) is not None]
        valued_nodes.sort(key=lambda node: value(node) or 0.0, reverse=turned)
        return valued_nodes + [node for node in self._nodes.values() if value(node) is None]

    def _on_quality(self, links: frozenset[str]) -> None:
        # Not while figures still come: rows must not run away from the pointer.
        is_time = (
            self.order is not None
            and self.order[0] is LinkColumn.COVERAGE
            and self.quality.is_settled
        )
        if is_time and self._sorted() != self._top:
            self.rebuild()
            return
        for link in links:
            index = self.index_of(link, LinkColumn.COVERAGE)
            if index.isValid():
                self.dataChanged.emit(index, index)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        is_other = new.urdf is not old.urdf or new.srdf is not old.srdf
        if is_other and list_features(new) != list_features(old):
            self.rebuild()
        if new.xrdf.geometry is not old.xrdf.geometry:
            self._recount()

    def _recount(self, *_: object) -> None:
        before, self._counts = self._counts, self._count()
        self._tell_changed(differing(before, self._counts), LinkColumn.SPHERES, LinkColumn.COVERAGE)

    def _count(self) -> dict[str, int]:
        robot = self._session.robot
        return {
            frame: len(spheres)
            for frame, spheres in robot.xrdf.spheres_of(self._session.active_group).items()
        }

    def _on_findings(self, _: object) -> None:
        before, self._findings = self._findings, self._findings_by_row()
        self._tell_changed(differing(before, self._findings), LinkColumn.FINDINGS)

    def _on_visibility(self, hidden: frozenset[str]) -> None:
        before, self._hidden = self._hidden, hidden
        self._tell_changed(before ^ hidden, LinkColumn.NAME, LinkColumn.EYE)

    def _findings_by_row(self) -> dict[str, list[Finding]]:
        """Return the findings about each frame by its name."""
        by_frame: dict[str, list[Finding]] = {}
        children = {n.joint.name: n.name for n in self._nodes.values() if n.joint is not None}
        for finding in self._session.findings:
            subject = finding.subject
            frames = {*subject.links, *(s.frame for s in subject.spheres)}
            frames.update(children[j] for j in subject.joints if j in children)
            for frame in frames:
                by_frame.setdefault(frame, []).append(finding)
        return by_frame

    def _on_hover(self, hover: Hover) -> None:
        frame = hover.link or (hover.sphere.frame if hover.sphere else "")
        before, self._hovered = self._hovered, self._nodes.get(hover.feature or frame)
        for node in (before, self._hovered):
            if node is not None:
                index = self.createIndex(node.row, LinkColumn.NAME, node)
                self.dataChanged.emit(
                    index, index.siblingAtColumn(LinkColumn.EYE), [Qt.ItemDataRole.BackgroundRole]
                )

    def _tell_changed(
        self, names: Iterable[str], first: LinkColumn, last: LinkColumn | None = None
    ) -> None:
        """Emit the change of some rows; of many at once the views draw everything again.

        Qt walks from each row that is named up to the root, which takes a chain of n links n²
        steps.
        """
        changed = [index for name in names if (index := self.index_of(name, first)).isValid()]
        if len(changed) > MOST_ROWS_NAMED:
            self.looks_changed.emit()
            return
        for index in changed:
            self.dataChanged.emit(index, index if last is None else index.siblingAtColumn(last))

    def _siblings(self) -> list[list[LinkRow]]:
        """The rows below each other that hang on one, from above."""
        return list(filter(None, (self._top, *(node.children for node in self._nodes.values()))))

    # -- QAbstractItemModel

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        nodes = self._below(parent)
        has_it = 0 <= column < COLUMNS and 0 <= row < len(nodes)
        return self.createIndex(row, column, nodes[row]) if has_it else QModelIndex()

    def _below(self, parent: Index) -> list[LinkRow]:
        node = self.node(parent)
        if node is None:
            return self._top
        return node.children if parent.column() == 0 else []

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        node = self.node(index)
        parent = node.parent if node is not None else None
        return self.createIndex(parent.row, 0, parent) if parent is not None else QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        return len(self._below(parent))

    def columnCount(self, parent: Index = ROOT) -> int:
        return COLUMNS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section == LinkColumn.NAME and self.order is not None:
                return ORDERS[self.order[0]][self.order[1]]
            return {LinkColumn.NAME: "Link", LinkColumn.COVERAGE: "%"}.get(LinkColumn(section), "")
        ordered = self.order is not None and self.order[0] == section
        if role == Qt.ItemDataRole.DecorationRole and section == LinkColumn.SPHERES:
            return icon("circles-three", "accent" if ordered else "muted")
        if role == Qt.ItemDataRole.ForegroundRole and section == LinkColumn.COVERAGE:
            return QColor(colours().accent if ordered else colours().muted)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (
                "Links and added frames, each below its parent. Click to restore the tree order",
                "Number of spheres in the active geometry group. Click to sort",
                "Share of the surface that the spheres cover, in percent; ~ is being updated.\n"
                "Click to sort, least covered first",
                "Findings about the link",
                "Show or hide; Alt: with all links below",
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in ORDERS:
            return int(RIGHT)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ("Link", "Spheres", "Surface covered", "Findings", "Shown")[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, 22)
        node, column = self.node(index), index.column()
        if node is None:
            return None
        if role == Qt.ItemDataRole.BackgroundRole:
            return QColor(colours().hover) if node is self._hovered else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(RIGHT) if column in ORDERS else None
        if node.placed is None:
            return self._looks[column](node).value(role)
        return self._feature(node, node.placed).value(role) if column == LinkColumn.NAME else None

    def _feature(self, node: LinkRow, placed: PlacedFeature) -> CellLook:
        lost = "" if placed.link in self._nodes else "\nIts link does not exist."
        return CellLook(
            node.name or "(no name)",
            icon(_feature_icon(placed), "accent"),
            tip=f"{node.name}\n{placed.detail}{lost}",
            spoken=f"{node.name}, {placed.detail}",
        )

    def _name(self, node: LinkRow) -> CellLook:
        sign, role = "house-simple" if node.joint is None else JOINT_ICONS[node.joint.type], "muted"
        font = None
        if node.is_added:
            sign, role, font = "crosshair", "accent", QFont()
            font.setItalic(True)
        colour = "faint" if node.name in self._session.hidden else ""
        spoken = f"{node.name}, {self._kind(node)}"
        return CellLook(node.name, icon(sign, role), colour, font, lambda: self._tip(node), spoken)

    def _tip(self, node: LinkRow) -> str:
        spheres, shown = self._counts.get(node.name, 0), self.quality.of(node.name)
        lines = [
            node.name,
            self._kind(node),
            format_count(spheres, "sphere") if spheres else "no spheres",
        ]
        if shown is not None:
            lines.append(told(shown))
        if node.name in self._session.hidden:
            lines.append("hidden")
        return "\n".join(
            [*lines, *(f"{f.code}: {f.message}" for f in self._findings.get(node.name, ())[:6])]
        )

    def _kind(self, node: LinkRow) -> str:
        if node.joint is None:
            return "base"
        kind = (
            "frame added by a modifier"
            if node.is_added
            else f"{node.joint.type.value} joint {node.joint.name}"
        )
        mimic = node.joint.mimic
        return f"{kind}, follows {mimic.joint}" if mimic is not None else kind

    def _spheres(self, node: LinkRow) -> CellLook:
        count, group = self._counts.get(node.name, 0), self._session.active_group
        tip = f"Spheres in the group {group}" if group else "No geometry group"
        return CellLook(str(count) if count else "–", colour="" if count else "faint", tip=tip)

    def _coverage(self, node: LinkRow) -> CellLook:
        return coverage_look(self.quality.of(node.name))

    def _badge(self, node: LinkRow) -> CellLook:
        findings = self._findings.get(node.name)
        if not findings:
            return CellLook()
        sign = severity_icon(max(f.severity for f in findings), self._session.findings_known)
        return CellLook(
            "", sign, tip=partial(_tip_of, findings), spoken=f"{len(findings)} findings"
        )

    def _eye(self, node: LinkRow) -> CellLook:
        is_hidden = node.name in self._session.hidden
        tip = f"{'Show' if is_hidden else 'Hide'} (Alt+click: with all links below)"
        sign = icon("eye-slash" if is_hidden else "eye", "muted")
        return CellLook("", sign, tip=tip, spoken="hidden" if is_hidden else "shown")

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def _tip_of(findings: list[Finding]) -> str:
    lines = "\n".join(f"{f.code}: {f.message}" for f in findings[:10])
    return f"{lines}\n\nClick to show them in Findings."


def selected_frames(session: Session) -> tuple[str, ...]:
    """The frames of the selection that the structure has."""
    tree = session.tree
    selection = session.selection
    if selection == NOTHING:
        return ()
    return tuple(frame for frame in selection.frames if frame in tree.index)
