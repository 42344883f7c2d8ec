"""The link tree as an item model: name with the joint that leads there, spheres, how much they cover, findings, eye."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QColor, QFont

from editor_app.edit.selection import NOTHING, PlacedFeature, features_of
from editor_app.formats.urdf.sensors import PlacedSensor
from editor_app.gui.bindings.lists import RIGHT, ROOT, Index
from editor_app.gui.link_quality import LinkQuality, Shown, proof_text, ratio_text, share_text
from editor_app.gui.session import Hover, Session
from editor_app.gui.theme import colours, tabular_font
from editor_app.gui.widgets import icon, plain, severity_icon
from editor_app.kinematics.tree import TreeJoint
from editor_app.model.counting import counted
from editor_app.model.features import Feature, FeatureKind
from editor_app.model.findings import Finding
from editor_app.model.robot import RobotDescription
from editor_app.model.sensors import SensorKind
from editor_app.model.urdf import JointType

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


class Column(IntEnum):
    NAME = 0
    SPHERES = 1
    COVERAGE = 2
    FINDINGS = 3
    EYE = 4


#: An enum counts its members anew each time, and Qt asks thousands of times while a robot opens.
COLUMNS = len(Column)

#: By which columns the links can be put in order: what is read first, and when it is turned round.
ORDERS = {
    Column.SPHERES: ("Most spheres first", "Fewest spheres first"),
    Column.COVERAGE: ("Least covered first", "Best covered first"),
}


@dataclass(eq=False, slots=True)
class LinkNode:
    """One frame; `joint` leads to it, None for the base. `indent` in pixels: see LinkTreeModel.INDENT."""

    name: str
    joint: TreeJoint | None
    added: bool
    parent: LinkNode | None
    row: int = 0
    indent: int = 0
    children: list[LinkNode | FeatureNode] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class FeatureNode:
    """A sensor, group, tool or end effector, below the link that it is on."""

    placed: PlacedFeature
    parent: LinkNode
    row: int = 0
    indent: int = 0

    @property
    def name(self) -> str:
        return self.placed.feature.name


def _feature_icon(placed: PlacedFeature) -> str:
    """The name of the icon of a feature."""
    if isinstance(placed.item, PlacedSensor):
        return SENSOR_ICONS.get(placed.item.sensor.kind, "broadcast")
    return FEATURE_ICONS[placed.feature.kind]


#: Less than this share is pointed at.
FEW = 0.99


def coverage_cell(shown: Shown | None, role: int) -> Any:
    """What a cell of the tree shows, by role; nothing for links without spheres or without a mesh."""
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return int(RIGHT)
    figures = shown.figures if shown is not None else None
    if shown is None or (figures is not None and figures.note):
        if role == Qt.ItemDataRole.DisplayRole:
            return "–"
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(colours().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(told(shown)) if shown is not None else "Without spheres and a mesh there is nothing to measure"
        return None
    if role == Qt.ItemDataRole.DisplayRole:
        if figures is None:
            return "…"
        # Not to the tenth while it is not the last word: there is no room for both signs.
        return share_text(figures.surface_coverage) if shown.current else f"~{100 * figures.surface_coverage:.0f}"
    if role == Qt.ItemDataRole.FontRole:
        font: QFont = tabular_font()
        font.setItalic(not shown.current)
        return font
    if role == Qt.ItemDataRole.ForegroundRole:
        if figures is None or not shown.current:
            return QColor(colours().faint)
        return QColor(colours().warning) if figures.surface_coverage < FEW else None
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain(told(shown))
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return told(shown).splitlines()[0]
    return None


def told(shown: Shown) -> str:
    """The figures in words, a line each."""
    figures = shown.figures
    if figures is None:
        return "being measured"
    if figures.note:
        return figures.note
    mean, most = 1000 * figures.protrusion_mean, 1000 * figures.protrusion_max
    lines = [
        f"{share_text(figures.surface_coverage)} % of the surface {shown.surface or 'of the link'} covered",
        f"stands out {mean:.1f} mm on average, up to {most:.1f} mm seen",
        f"excess volume {ratio_text(figures.excess_ratio)}",
    ]
    if figures.uncovered_max > 0:
        lines.insert(1, f"uncovered up to {1000 * figures.uncovered_max:.1f} mm seen")
    if figures.proof is not None and figures.proof.certified:
        lines.append(proof_text(True, figures.surface_coverage))
    if not shown.current:
        lines.append("Of the spheres before the last edit: being measured anew")
    return "\n".join(lines)


class LinkTreeModel(QAbstractItemModel):
    """Follows the session."""

    #: Pixels for a level below a branch, and within a chain: an arm is one long chain and must stay in the panel.
    INDENT, CHAIN_INDENT = 10, 3

    def __init__(self, session: Session, parent: QObject | None = None, quality: LinkQuality | None = None) -> None:
        """`quality`: where the coverage comes from; without it nothing is said about it."""
        super().__init__(parent)
        self._session = session
        self.quality = quality or LinkQuality(self)
        #: Share of its indentation that a level has in the column as wide as it is.
        self.indent_scale = 1.0
        #: The column that the links are in order of, and whether turned round; None: the tree.
        self.order: tuple[Column, bool] | None = None
        #: The links one below the other, when they are in the order of a column.
        self._flat: list[LinkNode] = []
        self._rows: dict[str, int] = {}
        self._root: LinkNode | None = None
        self._nodes: dict[str, LinkNode] = {}
        self._features: dict[Feature, FeatureNode] = {}
        self._counts: dict[str, int] = {}
        self._findings: dict[str, list[Finding]] = {}
        self._hovered: str | None = None
        session.document_opened.connect(self.rebuild)
        session.tree_changed.connect(self.rebuild)
        session.robot_settled.connect(self._on_robot)
        session.active_group_changed.connect(self._recount)
        session.visibility_changed.connect(lambda _: self._changed(Column.NAME, Column.EYE))
        session.findings_changed.connect(self._sort_findings)
        session.findings_known_changed.connect(lambda _: self._changed(Column.FINDINGS, Column.FINDINGS))
        session.hover_changed.connect(self._on_hover)
        self.quality.changed.connect(self._on_quality)
        self.rebuild()

    # -- by name

    @property
    def names(self) -> frozenset[str]:
        """Everything that a row is called: frames, and what hangs below them."""
        return frozenset(self._nodes) | frozenset(feature.name for feature in self._features)

    @property
    def indented_names(self) -> list[tuple[int, str]]:
        """(indentation in pixels, name) of each row of the tree."""
        nodes: list[LinkNode | FeatureNode] = [*self._nodes.values(), *self._features.values()]
        return [(node.indent, node.name) for node in nodes]

    def node(self, index: Index) -> LinkNode | None:
        value = index.internalPointer() if index.isValid() else None
        return value if isinstance(value, LinkNode) else None

    def feature_node(self, index: Index) -> FeatureNode | None:
        """The sensor, group, tool or end effector of a row."""
        value = index.internalPointer() if index.isValid() else None
        return value if isinstance(value, FeatureNode) else None

    def index_of_feature(self, feature: Feature, column: Column = Column.NAME) -> QModelIndex:
        """Invalid when the robot has no such feature."""
        node = self._features.get(feature) if self.order is None else None
        return self.createIndex(node.row, column, node) if node is not None else QModelIndex()

    def index_of(self, frame: str, column: Column = Column.NAME) -> QModelIndex:
        """Invalid when the structure has no such frame."""
        node = self._nodes.get(frame)
        return self.createIndex(self._row(node), column, node) if node is not None else QModelIndex()

    def set_order(self, order: tuple[Column, bool] | None) -> None:
        """One list of links in the order of a column, or the tree again."""
        if order != self.order:
            self.order = order
            self.rebuild()

    @property
    def has_findings(self) -> bool:
        """Whether any link has a finding."""
        return bool(self._findings.keys() & self._nodes.keys())

    @property
    def has_coverage(self) -> bool:
        """Whether any link has spheres that can be measured."""
        return bool(self.quality.links)

    @property
    def frames(self) -> frozenset[str]:
        """The names of all rows that are links or added frames."""
        return frozenset(self._nodes)

    @property
    def size(self) -> int:
        return len(self._nodes)

    # -- following

    def rebuild(self, *_: object) -> None:
        self.beginResetModel()
        self._nodes = {}
        self._features = {}
        self._root = None
        tree = self._session.tree
        if tree is not None and tree.frames:
            for i, frame in enumerate(tree.frames):
                parent = None if i == 0 else self._nodes[tree.frames[tree.parent[i]]]
                joint = None if i == 0 else tree.joints[i - 1]
                node = LinkNode(frame, joint, frame in tree.added_frames, parent)
                if parent is None:
                    self._root = node
                self._nodes[frame] = node
            self._hang_features()
            for node in self._nodes.values():
                if node.parent is not None:
                    node.row = len(node.parent.children)
                    node.parent.children.append(node)
            for node in self._nodes.values():
                if node.parent is not None:
                    chain = sum(isinstance(c, LinkNode) for c in node.parent.children) == 1
                    node.indent = node.parent.indent + (self.CHAIN_INDENT if chain else self.INDENT)
            for feature in self._features.values():
                feature.indent = feature.parent.indent + self.INDENT
        self._counts = self._count()
        self._hovered = None
        self._flat = self._sorted()
        self._rows = {node.name: row for row, node in enumerate(self._flat)}
        self.endResetModel()
        self._sort_findings(self._session.findings)

    def _row(self, node: LinkNode) -> int:
        return self._rows[node.name] if self.order is not None else node.row

    def _sorted(self) -> list[LinkNode]:
        """Links in the order of the chosen column; those without a value last, whichever way round."""
        if self.order is None:
            return []
        column, turned = self.order

        def value(node: LinkNode) -> float | None:
            if column is Column.SPHERES:
                return -float(self._counts[node.name]) if self._counts.get(node.name) else None
            shown = self.quality.of(node.name)
            figures = shown.figures if shown is not None else None
            return figures.surface_coverage if figures is not None and not figures.note else None

        valued_nodes = [node for node in self._nodes.values() if value(node) is not None]
        valued_nodes.sort(key=lambda node: value(node) or 0.0, reverse=turned)
        return valued_nodes + [node for node in self._nodes.values() if value(node) is None]

    def _on_quality(self, links: frozenset[str]) -> None:
        if self.order is not None and self.order[0] is Column.COVERAGE and self.quality.is_settled:
            # Not while figures still come: rows must not run away from the pointer.
            flat = self._sorted()
            if flat != self._flat:
                self.rebuild()
                return
        for link in links:
            index = self.index_of(link, Column.COVERAGE)
            if index.isValid():
                self.dataChanged.emit(index, index)

    def _hang_features(self) -> None:
        robot = self._session.robot
        for placed in features_of(robot) if robot is not None else ():
            parent = self._nodes.get(placed.link) or self._root
            assert parent is not None
            node = FeatureNode(placed, parent, len(parent.children))
            parent.children.append(node)
            self._features[placed.feature] = node

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.urdf is not old.urdf or new.srdf is not old.srdf:
            old_features = tuple(node.placed for node in self._features.values())
            if features_of(new) != old_features:
                self.rebuild()
        if new.xrdf.geometry is not old.xrdf.geometry:
            self._recount()

    def _recount(self, *_: object) -> None:
        counts = self._count()
        if counts != self._counts:
            self._counts = counts
            self._changed(Column.SPHERES, Column.COVERAGE)

    def _count(self) -> dict[str, int]:
        robot = self._session.robot
        if robot is None:
            return {}
        return {frame: len(spheres) for frame, spheres in robot.xrdf.spheres_of(self._session.active_group).items()}

    def _sort_findings(self, findings: tuple[Finding, ...]) -> None:
        by_frame: dict[str, list[Finding]] = {}
        children = {n.joint.name: n.name for n in self._nodes.values() if n.joint is not None}
        for finding in findings:
            subject = finding.subject
            frames = {*subject.links, *(s.frame for s in subject.spheres)}
            frames.update(children[j] for j in subject.joints if j in children)
            for frame in frames:
                by_frame.setdefault(frame, []).append(finding)
        self._findings = by_frame
        self._changed(Column.FINDINGS, Column.FINDINGS)

    def _on_hover(self, hover: Hover) -> None:
        frame = hover.link or (hover.sphere.frame if hover.sphere else None)
        for name in {self._hovered, frame} - {None}:
            index = self.index_of(str(name))
            if index.isValid():
                self._hovered = frame
                self.dataChanged.emit(index, index.siblingAtColumn(Column.EYE), [Qt.ItemDataRole.BackgroundRole])
        self._hovered = frame

    def _changed(self, first: Column, last: Column) -> None:
        # One signal for each list of children: Qt has none for a whole tree.
        lists: list[Sequence[LinkNode | FeatureNode]] = [self._top()]
        lists += [node.children for node in self._nodes.values()] if self.order is None else []
        for nodes in lists:
            if nodes:
                start, end = self.createIndex(0, first, nodes[0]), self.createIndex(len(nodes) - 1, last, nodes[-1])
                self.dataChanged.emit(start, end)

    # -- QAbstractItemModel

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        if not 0 <= column < COLUMNS:
            return QModelIndex()
        if not parent.isValid():
            top = self._top()
            return self.createIndex(row, column, top[row]) if 0 <= row < len(top) else QModelIndex()
        node = self.node(parent)
        if self.order is not None or node is None or parent.column() != 0 or not 0 <= row < len(node.children):
            return QModelIndex()
        return self.createIndex(row, column, node.children[row])

    def _top(self) -> list[LinkNode]:
        if self.order is not None:
            return self._flat
        return [self._root] if self._root is not None else []

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        node = index.internalPointer() if index.isValid() and self.order is None else None
        if node is None or node.parent is None:
            return QModelIndex()
        return self.createIndex(node.parent.row, 0, node.parent)

    def rowCount(self, parent: Index = ROOT) -> int:
        if not parent.isValid():
            return len(self._top())
        node = self.node(parent)
        return len(node.children) if node is not None and parent.column() == 0 and self.order is None else 0

    def columnCount(self, parent: Index = ROOT) -> int:
        return COLUMNS

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section == Column.NAME and self.order is not None:
                return ORDERS[self.order[0]][self.order[1]]
            return {Column.NAME: "Link", Column.COVERAGE: "%"}.get(Column(section), "")
        ordered = self.order is not None and self.order[0] == section
        if role == Qt.ItemDataRole.DecorationRole and section == Column.SPHERES:
            return icon("circles-three", "accent" if ordered else "muted")
        if role == Qt.ItemDataRole.ForegroundRole and section == Column.COVERAGE:
            return QColor(colours().accent if ordered else colours().muted)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (
                "Links and added frames, each below the one it hangs on. A click brings the tree back",
                "Number of spheres in the active geometry group. A click puts the links in the order of it",
                "How much of the surface the spheres cover, in per cent; 100 is all of it, ~ is being measured anew.\n"
                "A click puts the links in the order of it, the least covered first",
                "Findings about the link",
                "Show or hide; with Alt, everything below the link as well",
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in ORDERS:
            return int(RIGHT)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ("Link", "Spheres", "Surface covered", "Findings", "Shown")[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, 22)
        node, column = index.internalPointer() if index.isValid() else None, index.column()
        if isinstance(node, FeatureNode):
            if role == Qt.ItemDataRole.BackgroundRole:
                hovered = self._session.hover.feature == node.placed.feature
                return QColor(colours().hover) if hovered else None
            if Column(column) != Column.NAME:
                return None
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
                return node.name or "(no name)"
            if role == Qt.ItemDataRole.DecorationRole:
                return icon(_feature_icon(node.placed), "accent")
            if role == Qt.ItemDataRole.ToolTipRole:
                lost = "" if node.placed.link in self._nodes else "\nThe robot has no link for it."
                return plain(f"{node.name}\n{node.placed.detail}{lost}")
            if role == Qt.ItemDataRole.AccessibleTextRole:
                return f"{node.name}, {node.placed.detail}"
            return None
        if not isinstance(node, LinkNode):
            return None
        if role == Qt.ItemDataRole.BackgroundRole:
            return QColor(colours().hover) if node.name == self._hovered else None
        if column == Column.NAME:
            return self._name(node, role)
        if column == Column.SPHERES:
            return self._spheres(node, role)
        if column == Column.COVERAGE:
            return coverage_cell(self.quality.of(node.name), role)
        if column == Column.FINDINGS:
            return self._badge(node, role)
        return self._eye(node, role)

    def _name(self, node: LinkNode, role: int) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return node.name
        if role == Qt.ItemDataRole.DecorationRole:
            if node.added:
                return icon("crosshair", "accent")
            return icon("house-simple" if node.joint is None else JOINT_ICONS[node.joint.type], "muted")
        if role == Qt.ItemDataRole.FontRole and node.added:
            font = QFont()
            font.setItalic(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and node.name in self._session.hidden:
            return QColor(colours().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = [node.name, self._kind(node)]
            spheres = self._counts.get(node.name, 0)
            lines.append(counted(spheres, "sphere") if spheres else "no spheres")
            shown = self.quality.of(node.name)
            if shown is not None:
                lines.append(told(shown))
            if node.name in self._session.hidden:
                lines.append("hidden")
            lines += [f"{f.code}: {f.message}" for f in self._findings.get(node.name, ())[:6]]
            return plain("\n".join(lines))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{node.name}, {self._kind(node)}"
        return None

    def _kind(self, node: LinkNode) -> str:
        if node.joint is None:
            return "base"
        kind = "frame added by a modifier" if node.added else f"{node.joint.type.value} joint {node.joint.name}"
        mimic = node.joint.mimic
        return f"{kind}, follows {mimic.joint}" if mimic is not None else kind

    def _spheres(self, node: LinkNode, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return str(self._counts[node.name]) if self._counts.get(node.name) else "–"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(RIGHT)
        if role == Qt.ItemDataRole.ForegroundRole and not self._counts.get(node.name):
            return QColor(colours().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            group = self._session.active_group
            return plain(f"Spheres in the group {group}") if group else "There is no geometry group"
        return None

    def _badge(self, node: LinkNode, role: int) -> Any:
        findings = self._findings.get(node.name)
        if not findings:
            return None
        if role == Qt.ItemDataRole.DecorationRole:
            return severity_icon(max(f.severity for f in findings), self._session.findings_known)
        if role == Qt.ItemDataRole.ToolTipRole:
            text = "\n".join(f"{f.code}: {f.message}" for f in findings[:10])
            return plain(f"{text}\n\nClick shows them in the list.")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{len(findings)} findings"
        return None

    def _eye(self, node: LinkNode, role: int) -> Any:
        hidden = node.name in self._session.hidden
        if role == Qt.ItemDataRole.DecorationRole:
            return icon("eye-slash" if hidden else "eye", "muted")
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{'Show' if hidden else 'Hide'} (Alt+click: with everything below it)"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return "hidden" if hidden else "shown"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def selected_frames(session: Session) -> tuple[str, ...]:
    """The frames of the selection that the structure has."""
    tree = session.tree
    selection = session.selection
    if tree is None or selection == NOTHING:
        return ()
    return tuple(frame for frame in selection.frames if frame in tree.index)
