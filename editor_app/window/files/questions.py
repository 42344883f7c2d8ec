"""Questions about files: which robot one belongs to, what to do with a broken one, how a xacro file
is expanded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTextEdit,
    QWidget,
)

from editor_app.core.formats.urdf.xacro import missing_package, undefined_argument
from editor_app.core.model.counting import format_list
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.pairing import NameMatch
from editor_app.window import dialogs
from editor_app.window.bindings.lists import Rows
from editor_app.window.bindings.panel import MessageBar
from editor_app.window.dialogs import Dialog, Role, source_lines
from editor_app.window.theme import colours
from editor_app.window.widgets import PlainLabel, dress, icon, no_mnemonic, set_property

#: Robots that are listed, and missing names that are told.
_MOST_ROWS, _MOST_NAMES = 50, 6
#: Lines shown before and after the one at fault, and characters of a line.
_AROUND, _CHARACTERS = 4, 200
#: Pixels: of the dialog, and at least of a field for a value, beside a long name.
_XACRO_WIDTH, _XACRO_FIELD = 460, 140

WayOut = tuple[str, str, Callable[[], object]]


class PairingDialog(Dialog):
    """Asks which robot an XRDF or SRDF belongs to: those whose names fit best stand first.

    `chosen(path)` is called with a URDF, or with None for the robot that is open (whose
    `Match.urdf` is None).
    """

    def __init__(
        self,
        window: QWidget,
        file: Path,
        matches: Sequence[NameMatch],
        chosen: Callable[[Path | None], object],
        open_name: str = "",
    ) -> None:
        super().__init__(window, "pairing", "Which robot?", (760, 380))
        self._file, self._chosen = file, chosen
        heading = dress(
            PlainLabel(f"Which robot does {file.name} belong to?", self), look="heading", wrap=True
        )
        self.list = Rows("Robots, best first", ("Robot", "Names found", "Folder"), 2, self)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for match in matches[:_MOST_ROWS]:
            name = match.urdf.name if match.urdf is not None else f"{open_name} (open now)"
            folder = str(match.urdf.parent) if match.urdf is not None else ""
            self.list.add((name, match.described(), folder), match, tips={2: folder})
        self.missing = dress(PlainLabel("", self), look="muted", wrap=True)
        self.button("&Browse…", "browse", Role.ActionRole, self._browse)
        self.open_button = self.button("&Open", "open")
        self.list.currentItemChanged.connect(lambda *_: self._tell())
        self.list.itemActivated.connect(lambda *_: self.accept())
        self.lay_out(heading, (self.list, 1), self.missing)
        if (best := self.list.topLevelItem(0)) is not None:
            self.list.setCurrentItem(best)
        self._tell()

    def _tell(self) -> None:
        match: NameMatch | None = self.list.thing
        self.open_button.setEnabled(match is not None)
        if match is None:
            self.missing.setText("No robot found nearby. Browse for its URDF.")
            return
        names = format_list(match.missing, _MOST_NAMES)
        self.missing.setText(f"Missing: {names}." if names else "All names match.")

    def accept(self) -> None:
        """Takes the robot that is chosen, and closes."""
        if self.list.thing is not None:
            super().accept()
            self._chosen(self.list.thing.urdf)

    def _browse(self) -> None:
        path = dialogs.choose_file(
            self,
            f"Which robot does {self._file.name} belong to?",
            str(self._file.parent),
            dialogs.URDF_FILTER,
        )
        if path:
            super().accept()
            self._chosen(Path(path))


class BrokenFileDialog(Dialog):
    """Says why a file cannot be read, shows where, and offers `ways_out`: (object name, label, what
    to do) each."""

    def __init__(
        self, window: QWidget, path: Path, error: FormatError, ways_out: Sequence[WayOut]
    ) -> None:
        super().__init__(window, "broken_file", "A file cannot be read", (760, 360))
        place = error.location
        line = f", line {place.line}" if place.line else ""
        self.heading = dress(_label(f"{path.name}{line}: {error.message}.", self), look="heading")
        detail = _label("\n".join(part for part in (str(path), error.fix or "") if part), self)
        self.text = source_lines(self, "Lines around the error")
        _show_lines(self.text, path, place.line or 1)
        self.button(
            "C&opy",
            "copy",
            Role.ActionRole,
            lambda: QGuiApplication.clipboard().setText(str(error)),
        )
        for name, text, run in ways_out:
            # After the dialog is gone: what runs may ask something itself.
            self.button(text, name, run=partial(QTimer.singleShot, 0, window, run))
        self.lay_out(self.heading, detail, (self.text, 1))


def _label(text: str, parent: QWidget) -> QLabel:
    label = dress(PlainLabel(text, parent), wrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _show_lines(view: QPlainTextEdit, path: Path, line: int) -> None:
    try:
        lines = SourceText.read(path).text.splitlines()
    except FormatError:
        view.hide()
        return
    first = max(0, line - 1 - _AROUND)
    shown = lines[first : line + _AROUND]
    view.setPlainText(
        "\n".join(f"{first + i + 1:>5}  {text[:_CHARACTERS]}" for i, text in enumerate(shown))
    )
    mark = QTextEdit.ExtraSelection()
    colour = QColor(colours().error)
    colour.setAlpha(60)
    mark.format.setBackground(colour)
    mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    mark.cursor = QTextCursor(view.document().findBlockByNumber(line - 1 - first))
    view.setExtraSelections([mark])


class XacroDialog(Dialog):
    """Asks before a xacro file is evaluated, and for its arguments.

    `given` is what the arguments were the last time, `problem` why that was not enough.
    """

    #: (package, folder): where a package is that the file names.
    located = Signal(str, Path)

    def __init__(
        self,
        parent: QWidget | None,
        path: Path,
        declared: Mapping[str, str | None],
        given: Mapping[str, str] | None = None,
        problem: FormatError | None = None,
    ) -> None:
        super().__init__(parent, "xacro", f"Expand {path.name}")
        self._path = path
        heading = dress(PlainLabel(f"{path.name} is a xacro file."), look="heading")
        text = PlainLabel(
            "Expanding evaluates Python expressions in this file and its includes. Only expand "
            "files that you trust."
        )
        self.message = MessageBar(self)
        form = QFormLayout()
        self.fields: dict[str, QLineEdit] = {}
        # An argument that only an included file declares is known when it was given before.
        for name, default in {**dict.fromkeys(given or ()), **declared}.items():
            field = QLineEdit((given or {}).get(name, ""))
            needed = name in declared and default is None
            field.setPlaceholderText("needed" if needed else default or "")
            field.setAccessibleName(f"Argument {name}")
            field.setMinimumWidth(_XACRO_FIELD)
            self.fields[name] = field
            form.addRow(PlainLabel(name), field)
        self.button("Expand", "expand")
        self.locate = dress(
            QPushButton(icon("folder-open"), ""), id="locate", name="Folder of the missing package"
        )
        self.locate.setAutoDefault(False)
        self.locate.hide()
        self.lay_out(heading, dress(text, wrap=True), self.message, form, self.locate)
        if problem is not None:
            self._tell(problem)
        # A long path takes as many lines as this width gives it.
        self.resize(_XACRO_WIDTH, max(self.sizeHint().height(), self.heightForWidth(_XACRO_WIDTH)))

    def arguments(self) -> dict[str, str]:
        """Return the typed arguments; the others have the defaults of the file."""
        return {name: field.text() for name, field in self.fields.items() if field.text()}

    def _tell(self, problem: FormatError) -> None:
        name, package = undefined_argument(problem), missing_package(problem)
        remedy = problem.fix
        if name in self.fields:
            set_property(self.fields[name], "invalid", True)
            self.fields[name].setFocus()
            remedy = f"Enter a value for {name}."
        elif package is not None:
            self.locate.setText(no_mnemonic(f"Folder of {package}…"))
            self.locate.clicked.connect(lambda: self._choose(package))
            self.locate.show()
            remedy = "Choose its folder."
        sentence = problem.message.removeprefix("xacro: ").rstrip(".")
        parts = (f"{sentence[:1].upper()}{sentence[1:]}.", remedy, str(problem.location))
        self.message.tell("\n".join(part for part in parts if part))

    def _choose(self, package: str) -> None:
        chosen = dialogs.choose_folder(
            self, f"Folder of the package {package}", str(self._path.parent)
        )
        if not chosen:
            return
        folder = Path(chosen)
        if (folder / package).is_dir() and not (folder / "package.xml").is_file():
            # The folder of the workspace was meant as that where the package is.
            folder /= package
        self.located.emit(package, folder)
        self.accept()
