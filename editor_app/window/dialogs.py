"""Questions and messages. Questions about losing work wait for the answer; messages do not stop
anything."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from enum import Enum
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, qVersion
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QLabel,
    QLayout,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.diff import DiffLine, LineKind, counts, line_diff
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.text.source import FormatError, SourceText
from editor_app.version import __version__
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.settings import Settings
from editor_app.window.theme import fixed_font
from editor_app.window.widgets import PlainLabel, dress, fill_layout, plain_text


class DifferenceView(QPlainTextEdit):
    """Read only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        dress(self, name="Differences from the file on disk", font=fixed_font())

    def compare(self, document: Document, kind: FileKind) -> str:
        """Shows what saving changes in a file of a document; returns the sentence that sums it
        up."""
        old, name, path = "", "a new file", document.path(kind)
        if path is not None and path.is_file():
            try:
                old, name = SourceText.read(path).text, path.name
            except FormatError as error:
                self.clear()
                return str(error)
        try:
            lines = line_diff(old, document.text_as_typed(kind) or "")
        except FormatError as error:
            self.setPlainText(str(error))
            return f"The {kind.upper()} cannot be written."
        self.show_lines(lines)
        if not lines:
            return f"No differences: {name} is up to date"
        added, deleted = counts(lines)
        return f"{name}: lines added {added}, deleted {deleted}"

    def show_lines(self, lines: Sequence[DiffLine]) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        tints = {
            LineKind.ADDED: QColor(46, 160, 67, 70 if dark else 50),
            LineKind.DELETED: QColor(248, 81, 73, 70 if dark else 45),
            LineKind.GAP: QColor(84, 130, 255, 40),
            LineKind.SAME: QColor(0, 0, 0, 0),
        }
        for line in lines:
            style = QTextCharFormat()
            style.setBackground(tints[line.kind])
            if line.kind is LineKind.GAP:
                cursor.insertText(f"{line.text}\n", style)
            else:
                numbers = f"{line.old or '':>5} {line.new or '':>5} "
                cursor.insertText(f"{numbers}{line.kind.value} {line.text}\n", style)
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)


Role = QDialogButtonBox.ButtonRole
URDF_FILTER = "Robot descriptions (*.urdf *.xml *.xacro);;All files (*)"
XRDF_FILTER = "XRDF files (*.xrdf *.yaml *.yml);;All files (*)"
SRDF_FILTER = "SRDF files (*.srdf *.xml);;All files (*)"

#: Pixels that desktops take of a title bar: an icon and three buttons.
BESIDE_TITLE = 130
#: Pixels of a sentence that stands in one line.
_BROAD = 460


class Answer(Enum):
    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"
    OVERWRITE = "overwrite"
    COMPARE = "compare"


def ask_question(
    parent: QWidget | None,
    title: str,
    text: str,
    detail: str,
    answers: Sequence[tuple[Answer, str]],
    default: Answer,
) -> Answer:
    """A question with named buttons; Esc and closing mean CANCEL. `answers` from left to right."""
    box = _message_box(parent, "question", QMessageBox.Icon.Question, title, text, detail)
    roles = {
        Answer.CANCEL: QMessageBox.ButtonRole.RejectRole,
        Answer.DISCARD: QMessageBox.ButtonRole.DestructiveRole,
        Answer.OVERWRITE: QMessageBox.ButtonRole.DestructiveRole,
    }
    buttons = {}
    for answer, label in answers:
        button = box.addButton(label, roles.get(answer, QMessageBox.ButtonRole.AcceptRole))
        button.setObjectName(answer.value)
        buttons[button] = answer
        if answer is default:
            box.setDefaultButton(button)
        if answer is Answer.CANCEL:
            box.setEscapeButton(button)
    if parent is not None:
        # Other windows, and the manual, can be used meanwhile.
        box.setWindowModality(Qt.WindowModality.WindowModal)
    box.exec()
    clicked = box.clickedButton()
    box.deleteLater()
    return next((answer for button, answer in buttons.items() if button is clicked), Answer.CANCEL)


def _message_box(
    parent: QWidget | None, name: str, sign: QMessageBox.Icon, title: str, text: str, detail: str
) -> QMessageBox:
    box = dress(QMessageBox(parent), id=name)
    box.setIcon(sign)
    box.setOption(QMessageBox.Option.DontUseNativeDialog)
    box.setWindowTitle(title)
    box.setText(f"<b>{escape(text)}</b>")
    box.setInformativeText(plain_text(detail))
    _show_title_whole(box)
    return box


def _open_to_read(box: QMessageBox) -> QMessageBox:
    """Shows a message whose words can be copied, and returns at once."""
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.open()
    return box


def _show_title_whole(box: QMessageBox) -> None:
    """Makes a message wide enough for its title, which the desktop cuts off beside its buttons, and
    for its words.

    Qt reckons with letters that are not bold, and breaks no path.
    """
    text = box.findChild(QLabel, "qt_msgbox_label")
    if text is not None:
        font = QFont(box.font())
        font.setBold(True)
        width_of = QFontMetrics(font).horizontalAdvance
        shown = QTextDocumentFragment.fromHtml(box.text()).toPlainText()
        words = max(map(width_of, shown.split()), default=0)
        sentence = min(width_of(shown), _BROAD)
        text.setMinimumWidth(
            max(
                width_of(box.windowTitle()) + BESIDE_TITLE, min(words, 2 * _BROAD) + 8, sentence + 8
            )
        )


def ask_unsaved(parent: QWidget | None, name: str) -> Answer:
    """SAVE, DISCARD or CANCEL."""
    return ask_question(
        parent,
        "Unsaved changes",
        f"Save the changes to {name}?",
        "Unsaved changes will be lost.",
        ((Answer.SAVE, "&Save"), (Answer.DISCARD, "&Discard"), (Answer.CANCEL, "&Cancel")),
        Answer.SAVE,
    )


def ask_changed_on_disk(parent: QWidget | None, path: Path, *, is_target: bool = True) -> Answer:
    """COMPARE, OVERWRITE or CANCEL. `is_target`: the file would be overwritten; else the robot was
    read from it."""
    detail = "Overwriting it discards the changes of the other program."
    if not is_target:
        detail = f"The robot was read from the old {path.name}, which is not overwritten."
    overwrite = "&Overwrite" if is_target else "&Save anyway"
    return ask_question(
        parent,
        "File changed on disk",
        f"{path.name} was changed by another program.",
        f"{detail} Compare shows both line by line.",
        ((Answer.COMPARE, "Com&pare…"), (Answer.OVERWRITE, overwrite), (Answer.CANCEL, "&Cancel")),
        Answer.COMPARE,
    )


def show_error(
    parent: QWidget | None,
    title: str,
    text: str,
    detail: str = "",
    way_out: tuple[str, Callable[[], object]] | None = None,
) -> QMessageBox:
    """A message that can be copied, with a button for the way out where there is one; returns at
    once."""
    box = _message_box(parent, "message", QMessageBox.Icon.Warning, title, text, detail)
    copy = box.addButton("C&opy", QMessageBox.ButtonRole.ActionRole)
    copy.setObjectName("copy")
    copy.clicked.disconnect()
    copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(f"{text}\n{detail}"))
    close = box.addButton("&Close", QMessageBox.ButtonRole.AcceptRole)
    close.setObjectName("close")
    box.setDefaultButton(close)
    box.setEscapeButton(close)
    if way_out is not None:
        label, run = way_out
        button = box.addButton(label, QMessageBox.ButtonRole.AcceptRole)
        button.setObjectName("way_out")
        box.setDefaultButton(button)
        # After the message is gone: what runs may ask something itself.
        button.clicked.connect(
            lambda: QTimer.singleShot(0, parent, run) if parent is not None else run()
        )
    return _open_to_read(box)


def show_about(parent: QWidget) -> QMessageBox:
    """Versions and licence; returns at once."""
    detail = (
        "Edits robot descriptions: XRDF and URDF, with collision spheres and lossless saving.\n\n"
        f"Python {platform.python_version()}, Qt {qVersion()}. Licence: Apache-2.0.\n"
        "Icons: Phosphor (MIT)."
    )
    title, text = "About XRDF Editor", f"XRDF Editor {__version__}"
    return _open_to_read(
        _message_box(parent, "about", QMessageBox.Icon.NoIcon, title, text, detail)
    )


def _begin(parent: QWidget | None, path: str) -> str:
    """Where a dialog begins: `path`; one that is relative, in the folder of the last robot.

    The current folder is of no use: it is the program's own (`app.py`).
    """

    if Path(path).is_absolute():
        return path
    widget = parent
    while widget is not None:
        settings = getattr(widget, "settings", None)
        if isinstance(settings, Settings):
            return str(Path(settings.last_folder) / path)
        widget = widget.parentWidget()
    return str(Path.home() / path)


def choose_file(parent: QWidget | None, title: str, folder: str, kinds: str) -> str:
    """The file that the user chose to open, "" for none. Without a folder: from the robot's."""
    return QFileDialog.getOpenFileName(parent, title, _begin(parent, folder), kinds)[0]


def choose_files(parent: QWidget | None, title: str, folder: str, kinds: str) -> list[str]:
    """The files that the user chose to open together. Without a folder: from the robot's."""
    return QFileDialog.getOpenFileNames(parent, title, _begin(parent, folder), kinds)[0]


def choose_save_file(
    parent: QWidget | None, title: str, proposal: str, kinds: str, confirm: bool = True
) -> str:
    """The file that the user chose to write, "" for none. A bare name: beside the robot.

    Overwriting was confirmed, unless `confirm` says that this is asked afterwards.
    """
    options = QFileDialog.Option(0) if confirm else QFileDialog.Option.DontConfirmOverwrite
    return QFileDialog.getSaveFileName(
        parent, title, _begin(parent, proposal), kinds, options=options
    )[0]


def save_target(
    parent: QWidget | None, title: str, proposal: str, kinds: str, ending: str, confirm: bool = True
) -> Path | None:
    """Ask for a file as `choose_save_file` does; a name without an ending gets `ending`, which a
    folder's may have without a dot."""
    chosen = choose_save_file(parent, title, proposal, kinds, confirm)
    path = Path(f"{chosen}{'' if Path(chosen).suffix or chosen.endswith(ending) else ending}")
    return path if chosen else None


def choose_folder(parent: QWidget | None, title: str, folder: str) -> str:
    """The folder that the user chose, "" for none. Without a folder: from the robot's."""
    return QFileDialog.getExistingDirectory(parent, title, _begin(parent, folder))


def ask_text(
    parent: QWidget,
    name: str,
    title: str,
    label: str,
    button: str,
    text: str,
    take: Callable[[str], object],
) -> None:
    """Asks for one line, which begins as `text`; `take` gets it without the spaces around it.
    Returns at once."""
    dialog = dress(QInputDialog(parent), id=name)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setOkButtonText(button)
    dialog.setTextValue(text)
    dialog.resize(440, dialog.sizeHint().height())
    dialog.textValueSelected.connect(lambda line: take(line.strip()))
    dialog.open()


class Dialog(QDialog):
    """The shape of all dialogs: name, title, size in pixels, and `buttons`, which `lay_out` puts at
    the foot.

    A dialog goes when it is closed, and with the robot of `session`; its work ends then.
    """

    def __init__(
        self,
        parent: QWidget | None,
        name: str,
        title: str,
        size: tuple[int, int] | None = None,
        session: Session | None = None,
    ) -> None:
        super().__init__(parent)
        self._slots: list[JobSlot] = []
        #: It was closed: the robot may go on changing before it is deleted.
        self.is_over = False
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if size is not None:
            self.resize(*size)
        # No child yet: Tab comes to them last.
        self.buttons = QDialogButtonBox()
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        if session is not None:
            session.document_opened.connect(self.reject)

    def slot(
        self, jobs: Jobs, changed: Callable[[], object] = lambda: None, *, quiet: bool = False
    ) -> JobSlot:
        """A kind of work that ends with the dialog; as JobSlot."""
        self._slots.append(JobSlot(jobs, changed, quiet=quiet))
        return self._slots[-1]

    def done(self, result: int) -> None:
        self.is_over = True
        for slot in self._slots:
            slot.drop()
        super().done(result)

    def button(
        self,
        text: str,
        name: str,
        role: Role = Role.AcceptRole,
        run: Callable[[], object] | None = None,
    ) -> QPushButton:
        """Adds a button to the foot; beside what its role does, a click calls `run`."""
        button = dress(QPushButton(text), id=name, run=None if run is None else lambda: run())
        self.buttons.addButton(button, role)
        return button

    def move_beside_view(self, *, left: bool = False) -> None:
        """To the right of the window, or to the left, over the panels there: the robot stays in
        sight."""
        window = self.parentWidget()
        if window is not None:
            area = window.window().frameGeometry()
            self.move(
                area.left() if left else area.right() - self.frameGeometry().width() - 8,
                area.top() + 96,
            )

    def lay_out(
        self, *items: QWidget | QLayout | tuple[QWidget | QLayout, int], ends: bool = True
    ) -> QVBoxLayout:
        """The content from above, with the buttons below it; Return presses the first of those that
        accept.

        `ends`: where no button takes nothing, *Cancel* does, or *Close* where there is nothing to
        accept.
        """
        roles = {button: self.buttons.buttonRole(button) for button in self.buttons.buttons()}
        accepting = next(
            (button for button, role in roles.items() if role is Role.AcceptRole), None
        )
        if ends and Role.RejectRole not in roles.values():
            name = "Cancel" if accepting is not None else "Close"
            dress(self.buttons.addButton(QDialogButtonBox.StandardButton[name]), id=name.lower())
        column = fill_layout(QVBoxLayout(self), *items, self.buttons)
        if isinstance(accepting, QPushButton):
            accepting.setDefault(True)
        return column


def source_lines(parent: QWidget, name: str, text: str = "") -> QPlainTextEdit:
    """Lines of a file or a report, to be read and copied."""
    lines = dress(QPlainTextEdit(text, parent), name=name, font=fixed_font())
    lines.setReadOnly(True)
    lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    return lines


class CompareDialog(Dialog):
    """The changes that saving would make in a file of a document, line by line."""

    def __init__(self, parent: QWidget | None, document: Document, kind: FileKind) -> None:
        super().__init__(parent, "compare", f"Compare {document.file_name(kind)}", (900, 600))
        self.text = dress(DifferenceView(self), name="Differences")
        told = self.text.compare(document, kind)
        if self.text.toPlainText():
            told += ". Lines with − are only in the file on disk, lines with + only in this window."
        else:
            self.text.hide()
            self.resize(420, 0)
        self.lay_out(dress(PlainLabel(told), look="muted", wrap=True), (self.text, 1))
