"""The accordion of the XRDF's sections: collapsible, with counts and findings, and no wider than
its dock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QByteArray, QEvent, QObject, QSettings, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMenu,
    QScrollBar,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.commands import RemoveSection
from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.document.commands.tools import SectionName
from editor_app.core.model.findings import Finding
from editor_app.core.model.robot import RobotDescription
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import RIGHT
from editor_app.window.bindings.panel import Panel, flat_button
from editor_app.window.session import Session
from editor_app.window.theme import theme
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import (
    PlainLabel,
    Scrolled,
    dress,
    fill_layout,
    icon,
    plain_text,
    popup,
    severity_icon,
    tab_through,
)

_SETTING = "sections/open"
#: Sections of another name, or of another format -> the panel that shows them.
_SECTIONS = {"collision": "world_collision", "format_version": "format"}


@dataclass(frozen=True)
class PanelSpec:
    """One section, and its panel. `section`: the field of Xrdf that can be removed, if any.

    `count` gives what the header says, or is the paths of what is counted together: "none" without
    it, "" for nothing.
    """

    id: str
    title: str
    icon: str
    panel: Callable[[Session], Panel]
    count: Callable[[RobotDescription], str] | str = ""
    section: SectionName | None = None
    #: Other words that the search box finds it by.
    words: str = ""

    def counted(self, robot: RobotDescription) -> str:
        """Return the text of the header."""
        if callable(self.count):
            return self.count(robot)
        counted = [get_field(robot, path) for path in self.count.split()]
        return "none" if None in counted else str(sum(map(len, counted))) if counted else ""


class FoldingSection(QWidget):
    """A header that folds, and the panel, which is made when it is first unfolded."""

    toggled = Signal(bool)

    def __init__(self, session: Session, spec: PanelSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._session = session
        self._panel: Panel | None = None
        self.is_open = False
        self.header = _Header(spec)
        self.header.clicked.connect(lambda: self.set_open(not self.is_open))
        self.header.menu_requested.connect(self._show_menu)
        self._layout = fill_layout(QVBoxLayout(self), self.header, margins=0, spacing=0)

    @property
    def panel(self) -> Panel:
        """The panel; made if it was not shown yet."""
        if self._panel is None:
            self._panel = self.spec.panel(self._session)
            # With its parent first: shown before, it would be a window of its own for a moment.
            self._layout.addWidget(self._panel)
            self._panel.setVisible(self.is_open)
            tab_through(self, self._panel)
        return self._panel

    def set_open(self, is_open: bool) -> None:
        if is_open == self.is_open:
            return
        self.is_open = is_open
        if is_open or self._panel is not None:
            self.panel.setVisible(is_open)
        self.header.set_open(is_open)
        self.toggled.emit(is_open)

    def set_robot(self, robot: RobotDescription) -> None:
        self.header.set_count(self.spec.counted(robot) if self._session.has_robot else "")
        present = self._session.has_robot and self.spec.section is not None
        self.header.menu.setVisible(
            present and getattr(robot.xrdf, str(self.spec.section)) is not None
        )

    def _show_menu(self) -> None:
        menu = QMenu(self)
        menu.addAction(icon("trash"), f"Remove {self.spec.title}", self._remove)
        popup(menu, self.header.menu.mapToGlobal(self.header.menu.rect().bottomLeft()))

    def _remove(self) -> None:
        if self.spec.section is not None:
            self.panel.execute(RemoveSection(self.spec.section))


class _Header(QFrame):
    clicked = Signal()
    menu_requested = Signal()

    def __init__(self, spec: PanelSpec) -> None:
        super().__init__()
        self.setProperty("sectionHeader", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._title = spec.title
        self._arrow, self._sign, self._icon_name = PlainLabel(), PlainLabel(), spec.icon
        # Both give way where the column is too narrow for all: first the count, then the title.
        title = dress(ElidedLabel(), look="heading")
        title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        title.set_text(spec.title)
        self._count = dress(ElidedLabel(), look="muted", align=RIGHT)
        self.badge = dress(QToolButton(), look="flat")
        self.badge.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.badge.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.badge.setIconSize(QSize(14, 14))
        self.badge.hide()
        self.badge.clicked.connect(self.clicked)
        self.menu = dress(
            flat_button("dots-three-vertical", f"Options of {spec.title}"), run=self.menu_requested
        )
        left = (self._arrow, self._sign, title)
        fill_layout(
            QHBoxLayout(self),
            *left,
            (self._count, 1),
            self.badge,
            self.menu,
            margins=(4, 3, 4, 3),
            spacing=2,
        )
        self.set_open(False)
        self.draw()

    def draw(self) -> None:
        """Icons in labels are pictures: drawn again for another theme."""
        self._sign.setPixmap(icon(self._icon_name, "muted").pixmap(16, 16))
        self.set_open(self._is_open)

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self._arrow.setPixmap(
            icon("caret-down" if is_open else "caret-right", "muted").pixmap(12, 12)
        )
        self.setAccessibleName(f"{self._title}, {'expanded' if is_open else 'collapsed'}")

    def set_count(self, text: str) -> None:
        self._count.set_text(text, short=text.split(" ")[0])

    def set_findings(self, findings: Sequence[Finding], are_known: bool) -> None:
        """The worst kind, and how many of it there are; pale where they are of the robot before."""
        self.badge.setVisible(bool(findings))
        if findings:
            worst = max(finding.severity for finding in findings)
            self.badge.setIcon(severity_icon(worst, are_known))
            self.badge.setText(str(sum(finding.severity is worst for finding in findings)))
            ordered = sorted(findings, key=lambda finding: -finding.severity)
            shown = [f"{finding.code} {finding.message}" for finding in ordered[:6]]
            more = [f"… and {len(findings) - 6} more"] if len(findings) > 6 else []
            self.badge.setToolTip(plain_text("\n".join(shown + more)))
            self.badge.setAccessibleName(f"{len(findings)} findings in {self._title}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit()
            return
        super().keyPressEvent(event)


class SectionStack(Scrolled):
    """All sections. What is open is remembered in `store` when there is one."""

    #: Stands above the sections; events are asked about it before the stack is made.
    _head: QWidget | None = None

    def __init__(
        self,
        session: Session,
        specs: Sequence[PanelSpec],
        store: QSettings | None = None,
        *,
        name: str = "Sections of the XRDF",
        setting: str = _SETTING,
    ) -> None:
        self._inside = QWidget()
        super().__init__(self._inside)
        self._session = session
        self._store = store
        self._setting = setting
        #: The section that was scrolled to last; it stays at the top while its rows come.
        self._revealed: FoldingSection | None = None
        self._arriving = after(self, self._end_arrival, Wait.SECTION_ROWS)
        self.verticalScrollBar().rangeChanged.connect(self._keep_revealed)
        self.setMinimumWidth(270)
        self.setAccessibleName(name)
        layout = fill_layout(QVBoxLayout(self._inside), margins=0, spacing=0)
        self.sections = {spec.id: FoldingSection(session, spec) for spec in specs}
        for section in self.sections.values():
            section.toggled.connect(self._remember)
            section.toggled.connect(partial(self._show_whole, section))
            layout.addWidget(section)
        layout.addStretch(1)
        self._style()
        theme().changed.connect(self._style)
        session.document_opened.connect(self._refresh)
        session.robot_settled.connect(self._on_robot)
        session.findings_changed.connect(self._tell_findings)
        session.findings_known_changed.connect(self._tell_findings)
        self._refresh()
        self._tell_findings()
        self._restore()

    def reveal(self, id: str) -> Panel | None:  # noqa: A002
        """Unfolds a section, scrolls to it, and gives its panel; None when there is no such
        section."""
        section = self.sections.get(_SECTIONS.get(id, id))
        if section is None:
            return None
        section.set_open(True)
        self.ensureWidgetVisible(section.header, 0, 0)
        self._bar().setValue(section.y())
        self._revealed = section
        self._arriving.start()
        return section.panel

    def _keep_revealed(self, *_: object) -> None:
        if self._revealed is not None:
            self.verticalScrollBar().setValue(self._revealed.y())

    def _end_arrival(self) -> None:
        self._revealed = None

    def _bar(self) -> QScrollBar:
        """The bar with its range as it will be: what was just unfolded counts before the next
        layout, too."""
        self._inside.layout().activate()  # type: ignore[union-attr]
        bar = self.verticalScrollBar()
        bar.setRange(
            0, max(bar.maximum(), self._inside.sizeHint().height() - self.viewport().height())
        )
        return bar

    def set_head(self, widget: QWidget) -> None:
        """Something that stands above the sections and stays there when they scroll."""
        self._head = widget
        widget.setParent(self)
        widget.installEventFilter(self)
        self._place_head()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent, QEvent.Type.LayoutRequest)
        if watched is self._head and event.type() in kinds:
            self._place_head()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_head()

    def _place_head(self) -> None:
        if self._head is None:
            return
        height = self._head.heightForWidth(self.width()) if self._head.isVisibleTo(self) else 0
        self.setViewportMargins(0, height, 0, 0)
        self._head.setGeometry(0, 0, self.width(), height)

    def open_sections(self) -> tuple[str, ...]:
        return tuple(name for name, section in self.sections.items() if section.is_open)

    def sizeHint(self) -> QSize:
        return QSize(340, 480)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        for section in self.sections.values():
            field = section.spec.section
            if field is None or getattr(old.xrdf, field) is not getattr(new.xrdf, field):
                section.set_robot(new)

    def _refresh(self, *_: object) -> None:
        for section in self.sections.values():
            section.set_robot(self._session.robot)

    def _tell_findings(self, *_: object) -> None:
        by_section: dict[str, list[Finding]] = defaultdict(list)
        for finding in self._session.findings:
            by_section[section_of(finding)].append(finding)
        for name, section in self.sections.items():
            section.header.set_findings(by_section.get(name, ()), self._session.findings_known)

    def _restore(self) -> None:
        saved = self._store.value(self._setting) if self._store is not None else None
        if isinstance(saved, QByteArray):
            saved = bytes(saved.data()).decode()
        chosen = saved.split(",") if isinstance(saved, str) else list(self.sections)[:1]
        for name, section in self.sections.items():
            section.set_open(name in chosen)

    def _remember(self, _: bool) -> None:
        if self._store is not None:
            self._store.setValue(self._setting, ",".join(self.open_sections()))

    def _show_whole(self, section: FoldingSection, is_open: bool) -> None:
        """What was just unfolded at the lower edge moves up, as far as its header stays."""
        if not is_open or not self.isVisible():
            return
        bar, below = (
            self._bar(),
            section.y() + section.sizeHint().height() - self.viewport().height(),
        )
        bar.setValue(min(section.y(), max(bar.value(), below)))

    def _style(self) -> None:
        for section in self.sections.values():
            section.header.draw()


def section_of(finding: Finding) -> str:
    """The id of the section that a finding belongs to, "" for none."""
    name = finding.subject.section or (str(finding.path[0]) if finding.path else "")
    return _SECTIONS.get(name, name)
