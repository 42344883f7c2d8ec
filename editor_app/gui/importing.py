"""File, Import: other descriptions into the open robot's XRDF, and robots of other formats as new files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from editor_app.edit.document import Document
from editor_app.edit.saving import SaveError, write_atomically
from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui import dialogs

if TYPE_CHECKING:
    from editor_app.formats.conversion.files import Conversion, Kind, Options
    from editor_app.gui.importing_preview import ConversionDialog
    from editor_app.gui.main_window import MainWindow

FILTER = (
    "Everything that can be imported (*.srdf *.yaml *.yml *.json *.urdf *.xml *.xacro *.dae *.zae);;"
    "SRDF (*.srdf);;cuRobo, Lula, lists of spheres (*.yaml *.yml *.json);;"
    "xacro (*.xacro);;COLLADA robots (*.dae *.zae);;URDF with spheres (*.urdf *.xml);;All files (*)"
)


class Importing(QObject):
    """Asks for a file, shows what would become of it, and does it as one step (or as new files)."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.files.import_requested.connect(self.import_path)

    def choose(self) -> None:
        """Asks for the file."""
        chosen = dialogs.choose_file(self._window, "Import", self._window.settings.last_folder, FILTER)
        if chosen:
            self.import_path(Path(chosen))

    def import_path(self, path: Path) -> ConversionDialog | None:
        """Opens the preview for a file of any kind; None when there is nothing to preview."""
        from editor_app.formats.conversion.files import Kind, kind_of

        try:
            kind = kind_of(path)
        except (FormatError, OSError) as error:
            self._fail(str(error))
            return None
        if kind == Kind.XACRO:
            self._import_xacro(path)
            return None
        if kind == Kind.COLLADA:
            return self._import_robot(path, None)
        if self._window.session.document is None:
            self._fail(f"{path.name} ({kind}) describes a part of a robot. Open the robot first.")
            return None
        return self._import_part(path, kind)

    # -- parts of a robot

    def _import_part(self, path: Path, kind: Kind) -> ConversionDialog | None:
        from editor_app.formats.conversion.files import Kind, Options, convert_files
        from editor_app.gui.importing_preview import ConversionDialog

        document = self._window.session.document
        assert document is not None
        folder = tempfile.TemporaryDirectory(prefix="xrdf-editor-")
        try:
            there = document_files(document, Path(folder.name))
        except (FormatError, OSError) as error:
            folder.cleanup()
            self._fail(str(error))
            return None
        # These say everything that an XRDF says; the others add to the one that is open.
        whole = kind in (Kind.CUROBO, Kind.LULA, Kind.XRDF)
        inputs = [there[FileKind.URDF], *(() if whole else (there[FileKind.XRDF],)), path]

        def convert(options: Options) -> Conversion:
            return convert_files(inputs, there[FileKind.XRDF], options)

        choices: dict[str, list[tuple[str, Any]]] = {}
        if kind == Kind.SRDF:
            choices = srdf_choices(path)
        elif kind == Kind.SPHERES:
            links = [(link.name, link.name) for link in document.robot.urdf.links]
            choices = {"link": [("as the file says", None), *links]}
        dialog = ConversionDialog(
            self._window,
            f"Import {path.name}",
            "Import",
            convert,
            Options(to=Kind.XRDF, update=True),
            choices,
        )
        dialog.files.hide()

        def take() -> None:
            conversion = dialog.conversion
            if conversion is None:
                return
            try:
                # Read as a file is, so that its encoding and mark are understood.
                there[FileKind.XRDF].write_bytes(conversion.files[0][1])
                text = SourceText.read(there[FileKind.XRDF]).text
                document.replace_texts({FileKind.XRDF: text}, f"Import {path.name}")
            except FormatError as error:
                self._fail(str(error))
                return
            self._window.session.message.emit(f"Imported {path.name}. Undo takes it back.")

        return self._open(dialog, take, folder.cleanup)

    # -- whole robots

    def _import_robot(self, path: Path, expand: Callable[[Path], SourceText] | None) -> ConversionDialog | None:
        from editor_app.formats.conversion.files import Kind, Options, convert_files
        from editor_app.gui.importing_preview import ConversionDialog

        stem = path.name.removesuffix(".xacro").removesuffix(path.suffix).removesuffix(".urdf")
        proposal = str(path.with_name(f"{stem}.urdf"))
        chosen = dialogs.choose_save_file(self._window, "Write the URDF to", proposal, dialogs.URDF_FILTER)
        if not chosen:
            return None
        output = Path(chosen) if Path(chosen).suffix else Path(f"{chosen}.urdf")

        def convert(options: Options) -> Conversion:
            return convert_files([path], output, options)

        choices = robot_choices(path) if expand is None else {}
        dialog = ConversionDialog(
            self._window, f"Import {path.name}", "Import", convert, Options(to=Kind.URDF, expand_xacro=expand), choices
        )

        def take() -> None:
            conversion = dialog.conversion
            if conversion is not None and write_files(self._window, conversion, output, self._fail):
                self._window.files.open(output)

        return self._open(dialog, take)

    def _import_xacro(self, path: Path) -> None:
        from editor_app.formats.urdf.xacro import declared_arguments, expand_xacro
        from editor_app.geometry.paths import package_folder

        try:
            declared = declared_arguments(SourceText.read(path))
        except (FormatError, OSError) as error:
            self._fail(str(error))
            return
        question = XacroDialog(self._window, path, declared)

        def go() -> None:
            arguments = question.arguments()
            mappings = {name: Path(f) for name, f in self._window.settings.mesh_folders.items()}

            def expand(file: Path) -> SourceText:
                return expand_xacro(file, arguments, lambda name: package_folder(name, file, mappings))

            self._import_robot(path, expand)

        question.accepted.connect(go)
        question.open()

    # -- inside

    def _open(
        self, dialog: ConversionDialog, take: Callable[[], object], clean: Callable[[], object] | None = None
    ) -> ConversionDialog:
        dialog.accepted.connect(take)
        if clean is not None:
            dialog.finished.connect(lambda _: clean())
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def _fail(self, sentence: str) -> None:
        self._window.files.failed.emit("Cannot import", sentence, "Nothing was changed.")


class XacroDialog(QDialog):
    """Asks before a xacro file is evaluated, and for its arguments."""

    def __init__(self, parent: QWidget | None, path: Path, declared: dict[str, str | None]) -> None:
        super().__init__(parent)
        self.setObjectName("xacro")
        self.setWindowTitle(f"Expand {path.name}")
        layout = QVBoxLayout(self)
        text = QLabel(
            f"<b>{path.name} is a xacro file.</b><br>Expanding it evaluates Python expressions of this file and of "
            "those that it includes. Do so only with files that you trust."
        )
        text.setWordWrap(True)
        layout.addWidget(text)
        form = QFormLayout()
        self.fields: dict[str, QLineEdit] = {}
        for name, default in declared.items():
            field = QLineEdit()
            field.setPlaceholderText(default if default is not None else "needed")
            field.setAccessibleName(f"Argument {name}")
            self.fields[name] = field
            form.addRow(name, field)
        layout.addLayout(form)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())
        expand = buttons.addButton("Expand", QDialogButtonBox.ButtonRole.AcceptRole)
        expand.setObjectName("expand")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.finished.connect(lambda _: self.deleteLater())
        self.resize(460, self.sizeHint().height())

    def arguments(self) -> dict[str, str]:
        """What was typed; the defaults of the file stand for the rest."""
        return {name: field.text() for name, field in self.fields.items() if field.text()}


def document_files(document: Document, folder: Path) -> dict[FileKind, Path]:
    """The document as it is now, unsaved edits included, as files of the same names. Raises FormatError, OSError."""
    found = {}
    for kind in (FileKind.URDF, FileKind.XRDF, FileKind.SRDF):
        text, source = document.text(kind), document.state.source(kind)
        if text is None:
            continue
        stem = document.urdf_path.stem if document.urdf_path is not None else "robot"
        path = document.path(kind)
        name = path.name if path is not None and kind is not FileKind.XRDF else f"{stem}.{kind}"
        data = (source.with_text(text) if source is not None else SourceText.from_text(text)).data
        found[kind] = folder / name
        found[kind].write_bytes(data)
    return found


def srdf_choices(path: Path) -> dict[str, list[tuple[str, Any]]]:
    """Groups and states to choose from; the first choice leaves it to the conversion."""
    from editor_app.formats.srdf import read_srdf

    try:
        srdf = read_srdf(SourceText.read(path)).srdf
    except (FormatError, OSError):
        return {}
    choices: dict[str, list[tuple[str, Any]]] = {}
    if len(srdf.groups) > 1:
        choices["group"] = [("the only one that fits", None), *((g.name, g.name) for g in srdf.groups)]
    if srdf.states:
        names = dict.fromkeys(s.name for s in srdf.states)
        choices["state"] = [("default, home or ready, if there is one", None), *((name, name) for name in names)]
    return choices


def robot_choices(path: Path) -> dict[str, list[tuple[str, Any]]]:
    """Robots of a COLLADA file, or manipulators of the only one, where there are several to choose from."""
    from editor_app.formats.collada import ALL, read_collada_robot
    from editor_app.formats.srdf import read_srdf

    try:
        found = read_collada_robot(path)
        srdf = read_srdf(SourceText.from_text(found.srdf_text or "<robot name='x'/>")).srdf
    except FormatError:
        # The preview says what is wrong.
        return {}
    choices: dict[str, list[tuple[str, Any]]] = {}
    if len(found.robots) > 1:
        named: list[tuple[str, Any]] = [(name, name) for name in found.robots]
        choices["robot"] = [*named, ("all of them, fixed to the world", ALL)]
    elif len(srdf.groups) > 1 and found.xrdf_text is None:
        choices["group"] = [("all joints", None), *((g.name, g.name) for g in srdf.groups)]
    return choices


def write_files(window: MainWindow, conversion: Conversion, output: Path, fail: Callable[[str], object]) -> bool:
    """Writes the files, after asking about those that would be overwritten without having been named."""
    there = [path for path, _ in conversion.files if path != output and path.exists()]
    if there:
        answer = dialogs.ask(
            window,
            "Overwrite files",
            f"{there[0].name}{f' and {len(there) - 1} more' if len(there) > 1 else ''} would be overwritten.",
            str(there[0].parent),
            ((dialogs.Answer.OVERWRITE, "&Overwrite"), (dialogs.Answer.CANCEL, "&Cancel")),
            dialogs.Answer.CANCEL,
        )
        if answer is not dialogs.Answer.OVERWRITE:
            return False
    try:
        for path, data in conversion.files:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
    except (SaveError, OSError) as error:
        fail(str(error))
        return False
    return True
