"""Asks before a xacro file is evaluated, and for its arguments; comes back with what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QWidget

from editor_app.formats.source import FormatError
from editor_app.formats.urdf.xacro_errors import missing_package, undefined_argument
from editor_app.gui import dialogs
from editor_app.gui.bindings.panel import MessageBar
from editor_app.gui.icons import icon
from editor_app.gui.plain_text import PlainLabel, no_mnemonic
from editor_app.gui.widgets import dress, set_property

#: Pixels.
_WIDTH = 460
#: Least width in pixels of a field for a value, beside a long name.
_VALUE = 140


class XacroDialog(dialogs.Dialog):
    """`given` is what the arguments were the last time, `problem` why that was not enough."""

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
            "Expanding it evaluates Python expressions of this file and of those that it includes. Do so only with "
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
            field.setMinimumWidth(_VALUE)
            self.fields[name] = field
            form.addRow(PlainLabel(name), field)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.button("Expand", "expand")
        self.locate = dress(QPushButton(icon("folder-open"), ""), id="locate", name="Folder of the missing package")
        self.locate.setAutoDefault(False)
        self.locate.hide()
        self.lay_out(heading, dress(text, wrap=True), self.message, form, self.locate)
        if problem is not None:
            self._tell(problem)
        # A long path takes as many lines as this width gives it.
        self.resize(_WIDTH, max(self.sizeHint().height(), self.heightForWidth(_WIDTH)))

    def arguments(self) -> dict[str, str]:
        """What was typed; the defaults of the file stand for the rest."""
        return {name: field.text() for name, field in self.fields.items() if field.text()}

    def _tell(self, problem: FormatError) -> None:
        name, package = undefined_argument(problem), missing_package(problem)
        remedy = problem.remedy
        if name in self.fields:
            set_property(self.fields[name], "invalid", True)
            self.fields[name].setFocus()
            remedy = f"Give {name} a value."
        elif package is not None:
            self.locate.setText(no_mnemonic(f"Folder of {package}…"))
            self.locate.clicked.connect(lambda: self._choose(package))
            self.locate.show()
            remedy = "Choose its folder."
        sentence = problem.message.removeprefix("xacro: ").rstrip(".")
        parts = (f"{sentence[:1].upper()}{sentence[1:]}.", remedy, str(problem.location))
        self.message.tell("\n".join(part for part in parts if part))

    def _choose(self, package: str) -> None:
        chosen = dialogs.choose_folder(self, f"Folder of the package {package}", str(self._path.parent))
        if not chosen:
            return
        folder = Path(chosen)
        if (folder / package).is_dir() and not (folder / "package.xml").is_file():
            # The folder of the workspace was meant as that where the package is.
            folder /= package
        self.located.emit(package, folder)
        self.accept()
