"""The panel with the findings: filter, go to the place, mend one or all of a kind."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.commands.tools import Several
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.robot import Change, TextChange
from editor_app.features.checks.engine.fixes import RepairText, RepairTexts
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.lists import (
    CellLook,
    EmptyWords,
    ReadTable,
    lead_down,
    read_table,
    search_line,
)
from editor_app.window.findings_feed import FindingsFeed
from editor_app.window.session import Session
from editor_app.window.widgets import (
    PlainLabel,
    checkable,
    dress,
    fill_layout,
    icon,
    no_mnemonic,
    plain_text,
    popup,
    severity_icon,
)

_NAMES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


class _Column(IntEnum):
    CODE = 0
    MESSAGE = 1
    PLACE = 2


class FindingsPanel(QWidget):
    """Live; F8 and Shift+F8 walk through what is shown."""

    #: Finding: its place should be shown (source view, section), after its subject was selected.
    activated = Signal(object)

    def __init__(self, session: Session, feed: FindingsFeed) -> None:
        super().__init__()
        self._session = session
        self._feed = feed
        self.model = _FindingsModel(("Code", "Message", "Place"), parent=self)
        self.filter = search_line("Filter findings", "Filter by text, code, link or file", self)
        self.severities = {
            severity: self._severity_button(severity) for severity in reversed(Severity)
        }
        self.section = dress(ChoiceBox(self), name="Section")
        # The longest section, so that no button moves when its first finding comes.
        self.section.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.section.setMinimumContentsLength(len(POSITIONS))
        fix_tip = "Fix the selected finding"
        self.fix_button = dress(
            QPushButton(icon("wrench"), "Fix", self), tip=fix_tip, run=self._fix_current
        )
        self.fix_all_button = dress(
            QPushButton("Fix all of this kind", self), run=self._fix_all_current
        )
        self.help_button = dress(
            QToolButton(self),
            name="Explain this finding",
            tip="Open the manual page about the selected finding  (F1)",
            icon=icon("question"),
            flat=True,
            run=self._explain,
        )
        self.help_button.setVisible(feed.explain is not None)
        self.table = read_table("Findings", self, self.model, self.go_to, names=0)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(_Column.MESSAGE, QHeaderView.ResizeMode.Stretch)
        header.setMaximumSectionSize(420)
        self.empty = EmptyWords(self.table)
        row = fill_layout(
            QHBoxLayout(), (self.filter, 1), *self.severities.values(), self.section, spacing=4
        )
        fill_layout(row, self.fix_button, self.fix_all_button, self.help_button)
        # The message of the current row in full, where its cell cuts it.
        self.whole = dress(PlainLabel(parent=self), look="muted", wrap=True)
        fill_layout(QVBoxLayout(self), row, (self.table, 1), self.whole, margins=4, spacing=4)

        self.filter.textChanged.connect(self.refresh)
        lead_down(self.filter, self.table)
        self.section.activated.connect(self.refresh)
        self.table.selectionModel().currentRowChanged.connect(self._enable_fixes)
        self.table.customContextMenuRequested.connect(self._show_menu)
        session.findings_changed.connect(self.refresh)
        session.findings_known_changed.connect(self._on_known)
        # Another robot has other findings than those that were looked for.
        session.document_opened.connect(self.filter.clear)
        session.document_opened.connect(self.refresh)
        self.refresh()

    # -- going there

    @property
    def shown(self) -> tuple[Finding, ...]:
        return self.model.items

    @property
    def current(self) -> Finding | None:
        row = self.table.currentIndex().row()
        return self.shown[row] if 0 <= row < len(self.shown) else None

    def step(self, by: int) -> None:
        """To the next (1) or previous (-1) finding that is shown, round the end."""
        if not self.shown:
            is_known = self._session.findings_known
            self._session.message.emit(
                "No findings." if is_known else "The robot is still being checked."
            )
            return
        row = self.table.currentIndex().row()
        self.go_to(
            (row + by) % len(self.shown) if row >= 0 else (0 if by > 0 else len(self.shown) - 1)
        )

    def go_to(self, row: int) -> None:
        """Selects what the finding is about and tells the window to show its place."""
        finding = self.shown[row]
        self.table.selectRow(row)
        self.table.scrollTo(self.model.index(row, 0))
        subject, tree = finding.subject, self._session.tree
        links = list(subject.links)
        links += [j.child for name in subject.joints if (j := tree.joint(name)) is not None]
        wanted = Selection(
            () if subject.spheres else tuple(dict.fromkeys(links)), subject.joints, subject.spheres
        )
        selection = wanted.surviving(self._session.robot)
        if selection:
            self._session.select(selection)
            self._session.look_requested.emit()
        self.activated.emit(finding)

    def show_only(self, text: str) -> None:
        """Filters by `text`, as for the findings of one link."""
        self.filter.setText(text)

    # -- what is shown

    def refresh(self, *_: object) -> None:
        everything = self._session.findings
        self._fill_sections(everything)
        for severity, button in self.severities.items():
            count = sum(f.severity is severity for f in everything)
            button.setText(str(count))
            name = _NAMES[severity]
            button.setAccessibleName(f"Show {name}s ({count})")
            button.setToolTip(
                plain_text(f"{count} {name if count == 1 else name + 's'}: show or hide them")
            )
        words = self.filter.text().lower().split()
        section = self.section.currentData()
        keep, row = self.current, self.table.currentIndex().row()
        self.model.show(
            [
                f
                for f in everything
                if self.severities[f.severity].isChecked()
                and (section is None or _section(f) == section)
                and all(word in _searchable(f) for word in words)
            ],
            operator.eq,
        )
        # After a fix the next finding takes the row, and shows what *Fix* is about.
        row = self.shown.index(keep) if keep in self.shown else min(row, len(self.shown) - 1)
        if row >= 0:
            self.table.selectRow(row)
        told = "No problems found." if self._session.findings_known else "Checking…"
        if not self._session.has_robot:
            told = "Open a robot to see its findings."
        elif everything:
            told = f"The filter hides all {len(everything)} findings."
        self.empty.say(told)
        self._enable_fixes()

    def _on_known(self, are_known: bool) -> None:
        self.model.are_of_before = not are_known
        self.table.viewport().update()
        if not self._session.findings:
            self.refresh()

    def _fill_sections(self, findings: tuple[Finding, ...]) -> None:
        names = sorted({_section(f) for f in findings})
        self.section.offer([("All sections", None), *((name, name) for name in names)])

    def _severity_button(self, severity: Severity) -> QToolButton:
        button = checkable(dress(QToolButton(self), icon=severity_icon(severity)), True)
        button.setIconSize(QSize(16, 16))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.toggled.connect(self.refresh)
        return button

    # -- mending

    def _enable_fixes(self, *_: object) -> None:
        finding = self.current
        remedies = self._feed.remedies(finding) if finding is not None else []
        self.help_button.setEnabled(finding is not None)
        message = " ".join(finding.message.split()) if finding is not None else ""
        room = self.table.columnWidth(_Column.MESSAGE) - 8
        is_cut = self.table.fontMetrics().horizontalAdvance(message) > room
        self.whole.setText(message if is_cut else "")
        self.whole.setVisible(bool(message) and is_cut)
        self.fix_button.setEnabled(bool(remedies))
        self.fix_button.setText(
            remedies[0].label if len(remedies) == 1 else "Fix…" if remedies else "Fix"
        )
        same = self._same_kind(finding)
        self.fix_all_button.setEnabled(len(same) > 1)
        self.fix_all_button.setToolTip(
            plain_text(
                f"Fix all {len(same)} findings {finding.code} in one step, each with its first "
                "fix; here: "
                f"{finding.fixes[0].label}"
                if finding is not None and len(same) > 1
                else "Fix all findings of one code in one step, if each has one fix"
            )
        )

    def _same_kind(self, finding: Finding | None) -> list[Change] | list[RepairText]:
        """The first fix of every finding of that code, in the order of the file; empty when the
        finding has none."""
        if finding is None or not finding.fixes:
            return []
        same = sorted(
            (f for f in self._session.findings if f.code == finding.code and f.fixes), key=_position
        )
        first = [f.fixes[0] for f in same]
        if isinstance(finding.fixes[0], RepairText):
            return [fix for fix in first if isinstance(fix, RepairText)]
        return [fix for fix in first if isinstance(fix, Change)]

    def _explain(self) -> None:
        if self.current is not None and self._feed.explain is not None:
            self._feed.explain(self.current.code)

    def _fix_current(self) -> None:
        finding = self.current
        if finding is None:
            return
        remedies = self._feed.remedies(finding)
        if len(remedies) == 1:
            remedies[0].run()
            return
        menu = QMenu(self)
        for label, run in remedies:
            menu.addAction(no_mnemonic(label), run)
        popup(menu, self.fix_button.mapToGlobal(QPoint(0, self.fix_button.height())))

    def _fix_all_current(self) -> None:
        finding = self.current
        changes = self._same_kind(finding)
        if finding is not None and changes:
            self._feed.fix(_fix_all(finding.code, changes))

    def _show_menu(self, where: QPoint) -> None:
        row = self.table.indexAt(where).row()
        if row < 0:
            return
        finding = self.shown[row]
        menu = QMenu(self)
        menu.addAction(icon("crosshair"), "Go to location", lambda: self.go_to(row))
        if (explain := self._feed.explain) is not None:
            menu.addAction(icon("question"), "Explain", lambda: explain(finding.code))
        menu.addSeparator()
        for label, run in self._feed.remedies(finding):
            menu.addAction(icon("wrench"), no_mnemonic(label), run)
        same = self._same_kind(finding)
        if len(same) > 1:
            fix_all = _fix_all(finding.code, same)
            menu.addAction(f"Fix all {len(same)} of this kind", lambda: self._feed.fix(fix_all))
        menu.addSeparator()
        text = f"{finding.code}: {finding.message}" + (
            f" ({finding.location})" if finding.location else ""
        )
        menu.addAction(icon("copy"), "Copy", lambda: QGuiApplication.clipboard().setText(text))
        menu.addAction(f"Show only {finding.code}", lambda: self.show_only(finding.code))
        popup(menu, self.table.viewport().mapToGlobal(where))


class _FindingsModel(ReadTable[Finding]):
    #: Whether the robot is another one by now, and is being checked.
    are_of_before = False

    def look(self, item: Finding, column: int) -> CellLook:
        is_code = column == _Column.CODE
        where = str(item.location) if item.location else _place(item)
        fixes = "".join(f"\nFix: {change.label}" for change in item.fixes)
        return CellLook(
            (item.code, " ".join(item.message.split()), _place(item))[column],
            severity_icon(item.severity, not self.are_of_before) if is_code else None,
            "muted" if self.are_of_before else "",
            tip=f"{item.message}\n{where}{fixes}",
            spoken=f"{_NAMES[item.severity]} {item.code}" if is_code else "",
        )


def _fix_all(code: str, fixes: Sequence[Change] | Sequence[RepairText]) -> Change | TextChange:
    label = f"Fix {len(fixes)} × {code}"
    texts = tuple(fix for fix in fixes if isinstance(fix, RepairText))
    if texts:
        return RepairTexts(label, texts)
    # From the last to the first: deleting an item moves those behind it.
    return Several(label, tuple(fix for fix in reversed(fixes) if isinstance(fix, Change)))


def _position(finding: Finding) -> tuple[int, int]:
    place = finding.location
    return (place.line or 0, place.column or 0) if place is not None else (0, 0)


def _section(finding: Finding) -> str:
    if finding.subject.section:
        return finding.subject.section
    return str(finding.path[0]) if finding.path else "file"


def _place(finding: Finding) -> str:
    location = finding.location
    if location is not None:
        line = "" if location.line is None else f":{location.line}"
        return f"{Path(location.file).name}{line}"
    subject = finding.subject
    names = [*subject.links, *subject.joints, *(f"{s.frame}[{s.index}]" for s in subject.spheres)]
    if names:
        return names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}"
    return ".".join(map(str, finding.path)) or _section(finding)


def _searchable(finding: Finding) -> str:
    subject = finding.subject
    parts = [
        finding.code,
        finding.message,
        _place(finding),
        _section(finding),
        *subject.links,
        *subject.joints,
        *(s.frame for s in subject.spheres),
        *map(str, finding.path),
    ]
    return " ".join(parts).lower()
