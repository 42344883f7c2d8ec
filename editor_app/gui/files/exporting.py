"""File, Export: the open robot, unsaved edits included, in another format, after a look at what is lost."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from editor_app.edit.state import FileKind
from editor_app.formats.exchange.codec import SPHERES
from editor_app.formats.registry import codec_named, writable
from editor_app.formats.source import FormatError, SourceText
from editor_app.gui import dialogs
from editor_app.gui.files.importing import write_files
from editor_app.gui.files.importing_preview import BodyBoxes, ConversionDialog
from editor_app.gui.workbench import Workbench
from editor_app.operations.convert import ConvertJob, ConvertOptions, PreviewJob, document_files


def targets() -> dict[str, str]:
    """What the open robot can be exported to: name of the format -> its title in the menu.

    The XRDF is saved, not exported.
    """
    return {codec.name: f"{codec.title}…" for codec in writable() if codec.name != "xrdf"}


class Exporting(QObject):
    """Asks where to, shows what would become of the robot, and writes it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._window, self._session = workbench.qt_window, workbench.session

    def choose(self, kind: str) -> None:
        document = self._session.document
        if document is None:
            return
        codec = codec_named(kind)
        assert codec.writer is not None
        ending = codec.writer.proposal
        # The files that a folder's format reads are named otherwise than the folder.
        filters = f"{codec.plain_title} ({codec.pattern if '.' in ending else f'*{ending}'})"
        beside = document.urdf_path or document.xrdf_path or Path("robot.urdf")
        proposal = beside.with_name(f"{beside.stem}{ending}")
        if proposal in {document.path(k) for k in FileKind}:
            # What is open is what saving writes.
            proposal = beside.with_name(f"{beside.stem}_export{ending}")
        filters = f"{filters};;All files (*)"
        # What is changed where it differs is not replaced: the preview says what becomes of a file that is there.
        is_asked = not codec.writer.patches
        path = dialogs.save_target(self._window, "Export", str(proposal), filters, ending, is_asked)
        if path is not None:
            self.export(kind, path)

    def export(self, kind: str, output: Path) -> ConversionDialog | None:
        """Opens the preview; None when there is nothing that could be exported."""
        document = self._session.document
        if document is None:
            return None
        if output.absolute() in {document.path(k) for k in FileKind}:
            self._fail(f"{output.name} is open here: saving writes it. Export to another name.")
            return None
        writer = codec_named(kind).writer
        assert writer is not None
        try:
            inputs = document_files(document, kind)
            existing = SourceText.read(output) if writer.patches and output.is_file() else None
        except FormatError as error:
            self._fail(str(error))
            return None
        packages = self._workbench.settings.mesh_folders.of(document.urdf_path)
        job = PreviewJob(ConvertJob(inputs, output, ConvertOptions(to=kind), existing=existing, packages=packages))
        # How spheres are added to a model says nothing of a new one.
        unasked = {SPHERES} if writer.patches and existing is None else set()
        choices = {choice.name: choice.values for choice in writer.choices if choice not in unasked}
        bodies = BodyBoxes(document.robot, self._session.pose, writer.takes)
        title = f"Export {output.name}"
        dialog = ConversionDialog(self._window, self._workbench.jobs, title, "Export", job, choices, bodies)

        def take() -> None:
            conversion = dialog.conversion
            if conversion is not None and write_files(self._window, conversion, output, self._fail):
                self._session.message.emit(f"Exported {output}")

        dialog.accepted.connect(take)
        dialog.open()
        return dialog

    def _fail(self, sentence: str) -> None:
        self._workbench.files.failed.emit("Cannot export", sentence, "")
