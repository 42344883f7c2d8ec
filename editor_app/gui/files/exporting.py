"""File, Export: the open robot, unsaved edits included, in another format, after a look at what is lost."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from editor_app.edit.state import FileKind
from editor_app.formats.source import FormatError
from editor_app.gui import dialogs
from editor_app.gui.files.body_choices import IGNORE, MERGE, POSITIONS, WORLD, BodyBoxes
from editor_app.gui.files.importing import document_files, write_files

if TYPE_CHECKING:
    from editor_app.gui.files.importing_preview import ConversionDialog
    from editor_app.gui.window.main_window import MainWindow

#: What may be done to the robot on the way into a format that can say it.
_BODIES = {
    "urdf": (WORLD, MERGE),
    "spheres-urdf": (WORLD, MERGE),
    "collada": (WORLD, MERGE, IGNORE, POSITIONS),
    "srdf": (IGNORE, POSITIONS),
    "curobo": (IGNORE, POSITIONS),
    "lula": (POSITIONS,),
}
#: Kind -> (title in the menu, what follows the robot's name, filter of the file dialog).
TARGETS: dict[str, tuple[str, str, str]] = {
    "urdf": ("UR&DF…", ".urdf", "URDF (*.urdf)"),
    "srdf": ("&SRDF…", ".srdf", "SRDF (*.srdf)"),
    "curobo": ("cu&Robo YAML…", ".curobo.yml", "cuRobo (*.yml *.yaml)"),
    "lula": ("&Lula robot description…", ".lula.yaml", "Lula (*.yaml *.yml)"),
    "spheres-urdf": ("&URDF with spheres…", "_spheres.urdf", "URDF (*.urdf)"),
    "collada": ("&COLLADA robot…", ".dae", "COLLADA (*.dae *.zae)"),
}


class Exporting(QObject):
    """Asks where to, shows what would become of the robot, and writes it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def choose(self, kind: str) -> None:
        """Asks for the file."""
        document = self._window.session.document
        if document is None:
            return
        _, ending, filters = TARGETS[kind]
        beside = document.urdf_path or document.xrdf_path or Path("robot.urdf")
        proposal = beside.with_name(f"{beside.stem}{ending}")
        if proposal in {document.path(k) for k in FileKind}:
            # What is open is what saving writes.
            proposal = beside.with_name(f"{beside.stem}_export{ending}")
        chosen = dialogs.choose_save_file(self._window, "Export", str(proposal), f"{filters};;All files (*)")
        if chosen:
            path = Path(chosen)
            self.export(kind, path if path.suffix else Path(f"{chosen}{ending}"))

    def export(self, kind: str, output: Path) -> ConversionDialog | None:
        """Opens the preview; None when there is nothing that could be exported."""
        from editor_app.formats.conversion.files import Kind, Options
        from editor_app.gui.files.importing_preview import ConversionDialog
        from editor_app.tasks.convert import ConvertFiles

        document = self._window.session.document
        if document is None:
            return None
        if output.absolute() in {document.path(k) for k in FileKind}:
            self._fail(f"{output.name} is open here: saving writes it. Export to another name.")
            return None
        folder = tempfile.TemporaryDirectory(prefix="xrdf-editor-")
        try:
            there = document_files(document, Path(folder.name))
        except (FormatError, OSError) as error:
            folder.cleanup()
            self._fail(str(error))
            return None
        target = Kind(kind)
        inputs = [there[k] for k in (FileKind.URDF, FileKind.XRDF)]
        if FileKind.SRDF in there and target in (Kind.SRDF, Kind.COLLADA, Kind.URDF):
            # What the SRDF knows beyond the XRDF goes along.
            inputs.append(there[FileKind.SRDF])

        mappings = self._window.settings.mesh_folders.of(document.urdf_path)
        job = ConvertFiles(tuple(inputs), output, Options(to=target), document.urdf_path, mappings)
        choices: dict[str, list[tuple[str, Any]]] = {}
        if target == Kind.CUROBO:
            choices["curobo_version"] = [("2", "2"), ("1", "1")]
        elif target == Kind.SRDF:
            choices["tesseract"] = [("MoveIt", False), ("Tesseract (margins, tools)", True)]
        bodies = BodyBoxes(document.robot, self._window.session.pose, _BODIES[kind])
        title = f"Export {output.name}"
        dialog = ConversionDialog(self._window, self._window.jobs, title, "Export", job, choices, bodies)

        def take() -> None:
            conversion = dialog.conversion
            if conversion is not None and write_files(self._window, conversion, output, self._fail):
                self._window.session.message.emit(f"Exported {output}")

        dialog.accepted.connect(take)
        dialog.finished.connect(lambda _: folder.cleanup())
        dialog.finished.connect(lambda _: dialog.deleteLater())
        dialog.open()
        return dialog

    def _fail(self, sentence: str) -> None:
        self._window.files.failed.emit("Cannot export", sentence, "")
