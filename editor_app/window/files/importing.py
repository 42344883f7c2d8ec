"""File, Import: other descriptions into the open robot, or as new files; File, Export: the robot in
other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.saving import SaveError
from editor_app.core.document.state import FileKind
from editor_app.core.formats.exchange.codec import SPHERES, Codec, Conversion
from editor_app.core.formats.exchange.import_notes import read_import_note
from editor_app.core.formats.registry import codec_named, codecs, recognise_format, writable
from editor_app.core.formats.urdf.xacro import declared_arguments, parse_arguments
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import (
    ConvertOptions,
    PreviewJob,
    document_files,
    document_source,
    write_conversion,
)
from editor_app.core.verbs.pairing import home_of_foreign
from editor_app.core.verbs.robot_inputs import expand_files
from editor_app.window import dialogs
from editor_app.window.files.disk_watch import Expansions
from editor_app.window.files.importing_preview import BodyBoxes, ConversionDialog
from editor_app.window.files.questions import XacroDialog
from editor_app.window.jobs import JobSlot
from editor_app.window.locating import choose_folder_of, not_in_folder, remember_folder
from editor_app.window.workbench import Workbench


def import_filter() -> str:
    """The filters of the file dialog: everything that can be imported together, then each
    format."""
    formats = [codec for codec in codecs() if codec.read is not None]
    patterns = sorted({pattern for codec in formats for pattern in codec.pattern.split()})
    single = ";;".join(f"{codec.plain_title} ({codec.pattern})" for codec in formats)
    return f"Everything that can be imported ({' '.join(patterns)});;{single};;All files (*)"


class Importing(QObject):
    """Asks for a file, shows what would become of it, and does it as one step (or as new files)."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._window, self._session, self._files = (
            workbench.qt_window,
            workbench.session,
            workbench.files,
        )
        workbench.files.import_requested.connect(self.import_path)
        workbench.files.xacro_requested.connect(self.open_xacro)
        self.expansions = Expansions(workbench.session, workbench.settings.store, self)
        self.expansions.outdated.connect(self._tell_outdated)
        workbench.files.expansion_saved.connect(self.expansions.saved_as)
        self._expanding = JobSlot(workbench.jobs)

    def choose(self) -> None:
        chosen = dialogs.choose_file(
            self._window, "Import", self._workbench.settings.last_folder, import_filter()
        )
        if chosen:
            self.import_path(Path(chosen))

    def import_path(self, path: Path, xrdf: Path | None = None) -> ConversionDialog | None:
        """Open the preview for a file of any kind; None when there is nothing to preview.

        `xrdf`: the XRDF of a robot that is a file of another program, which is opened with it.
        """
        try:
            codec = recognise_format(path)
        except (FormatError, OSError) as error:
            self._fail(str(error))
            return None
        if codec.name == "xacro":
            self.open_xacro(path)
            return None
        if codec.is_whole:
            return self._import_robot(path, xrdf)
        if not self._session.has_robot:
            self._open_robot_of(path)
            return None
        return self._import_part(path, codec)

    # -- parts of a robot

    def _open_robot_of(self, path: Path) -> None:
        """Opens the robot that a file describes a part of, then imports it; asks where that is not
        clear."""
        recent = [Path(urdf) for urdf, _ in self._workbench.settings.recent]

        def place(urdf: Path | None) -> None:
            if urdf is not None:
                self._files.open(urdf, on_opened=lambda: self.import_path(path))

        self._files.find_home(path, lambda: home_of_foreign(path, recent), place)

    def _import_part(self, path: Path, codec: Codec) -> ConversionDialog | None:
        document = self._session.document
        try:
            urdf, xrdf = (
                document_source(document, kind) for kind in (FileKind.URDF, FileKind.XRDF)
            )
        except FormatError as error:
            self._fail(str(error))
            return None
        assert urdf is not None
        assert xrdf is not None
        assert xrdf.path is not None
        # The others bring the one that is open up to date: what they say nothing of stays.
        inputs = (urdf, path) if codec.name == "xrdf" else (urdf, xrdf, path)
        options = ConvertOptions(to="xrdf")
        job = PreviewJob(
            inputs, xrdf.path, options, existing=xrdf, ask=path, urdf=document.robot.urdf
        )
        dialog = ConversionDialog(
            self._window, self._workbench.jobs, f"Import {path.name}", "Import", job, {}
        )
        dialog.files.hide()

        def take() -> None:
            conversion = dialog.conversion
            if conversion is None:
                return
            try:
                # Read as a file is, so that its encoding and mark are understood.
                text = SourceText.from_bytes(conversion.files[0][1], xrdf.path).text
                document.replace_texts({FileKind.XRDF: text}, f"Import {path.name}")
            except FormatError as error:
                self._fail(str(error))
                return
            self._session.message.emit(f"Imported {path.name}. Undo reverts it.")

        return self._open(dialog, take)

    # -- whole robots

    def _import_robot(self, path: Path, xrdf: Path | None) -> ConversionDialog | None:
        """Preview the URDF of a COLLADA file, MJCF or USD, write it next to that or where the user
        chooses, open it."""
        proposal, packages = (
            path.with_suffix(".urdf"),
            self._workbench.settings.mesh_folders.of(path),
        )
        inputs = (path,) if xrdf is None else (path, xrdf)
        job = PreviewJob(inputs, proposal, ConvertOptions(to="urdf"), packages=packages, ask=path)
        dialog = ConversionDialog(
            self._window, self._workbench.jobs, f"Import {path.name}", "Import", job, {}
        )
        dialog.offer_output(".urdf", dialogs.URDF_FILTER)

        def locate(names: tuple[str, ...]) -> None:
            folder = choose_folder_of(dialog, names[0], path)
            if folder is None:
                return
            if remember_folder(self._workbench.settings.mesh_folders, names, folder, path) is None:
                dialog.summary.setText(not_in_folder(names[0], folder))
            else:
                dialog.look_again(self._workbench.settings.mesh_folders.of(path))

        def take() -> None:
            conversion, named = dialog.conversion, dialog.output
            if conversion is not None and write_confirmed(
                self._window, conversion, named, self._fail
            ):
                self._files.open(named or proposal, xrdf)

        dialog.locating_requested.connect(locate)
        return self._open(dialog, take)

    # -- xacro

    def open_xacro(
        self,
        path: Path,
        xrdf: Path | None = None,
        srdf: Path | None = None,
        given: Mapping[str, str] | None = None,
        problem: FormatError | None = None,
    ) -> None:
        """Asks, then opens what a xacro file expands to, which is held in memory and read-only.

        `problem` is why it could not be expanded when it was `given` that.
        """

        try:
            declared = declared_arguments(SourceText.read(path))
        except (FormatError, OSError) as error:
            self._fail(str(error))
            return
        question = XacroDialog(
            self._window, path, declared, {**self._given(), **(given or {})}, problem
        )

        def go() -> None:
            self._expand(path, question.arguments(), xrdf, srdf)

        def remember(package: str, folder: Path) -> None:
            self._workbench.settings.mesh_folders.remember(package, str(folder), path)

        question.accepted.connect(go)
        question.located.connect(remember)
        question.open()

    def _expand(
        self, path: Path, arguments: Mapping[str, str], xrdf: Path | None, srdf: Path | None
    ) -> None:
        def done(expanded: tuple[SourceText, Expansion, Path | SourceText | None]) -> None:
            text, expansion, semantic = expanded
            if self._files.open(text, xrdf, srdf=semantic, expansion=expansion):
                self._workbench.central.notice.dismiss("xacro")

        def failed(error: JobError) -> None:
            if isinstance(error.exception, FormatError):
                # Back to where it can be mended, with what was typed.
                self.open_xacro(path, xrdf, srdf, dict(arguments), error.exception)
            else:
                self._files.tell_failure(path, error)

        packages = self._workbench.settings.mesh_folders.of(path)
        job = Task(expand_files, path, tuple(arguments.items()), packages, srdf)
        self._expanding.run(f"Expanding {path.name}", job, done, failed=failed)

    def _given(self) -> dict[str, str]:
        """Arguments of the command line."""
        try:
            return parse_arguments(list(self._workbench.xacro_arguments))
        except ValueError as error:
            self._fail(f"--xacro-arg: {error}.")
            return {}

    def expand_again(self, expansion: Expansion) -> None:
        """Asks, with the arguments of the last time, and opens what a xacro file expands to now."""
        document = self._session.document
        xrdf = document.path(FileKind.XRDF)
        srdf = document.path(FileKind.SRDF)
        xrdf, srdf = (
            path if path is not None and path.is_file() else None for path in (xrdf, srdf)
        )
        self.open_xacro(expansion.source, xrdf, srdf, dict(expansion.arguments))

    def _tell_outdated(self, expansion: Expansion) -> None:
        changed = expansion.changed()
        name = changed[0].name if changed else expansion.source.name
        included = (
            "" if name == expansion.source.name else f", which {expansion.source.name} includes,"
        )
        self._workbench.central.notice.ask(
            "xacro",
            f"{name}{included} changed since {expansion.output.name} was expanded from it."
            if expansion.output.is_file()
            else f"{name}{included} changed since it was expanded.",
            (("Expand again…", lambda: self.expand_again(expansion)), ("Keep", lambda: None)),
        )

    def _open(self, dialog: ConversionDialog, take: Callable[[], object]) -> ConversionDialog:
        dialog.accepted.connect(take)
        dialog.open()
        return dialog

    def _fail(self, sentence: str) -> None:
        self._files.failed.emit("Cannot import", sentence, "Nothing was changed.")


def write_confirmed(
    window: QWidget,
    conversion: Conversion,
    named: Path | None,
    fail: Callable[[str], object],
    updating: Path | None = None,
) -> bool:
    """Writes the files, after asking about those that would be overwritten, but for the one that
    the user `named`.

    `updating` is the file that the conversion changes where it differs.
    """

    overwritten = [path for path, _ in conversion.files if path != named and path.exists()]
    if overwritten:
        more = f" and {len(overwritten) - 1} more" if len(overwritten) > 1 else ""
        answer = dialogs.ask_question(
            window,
            "Overwrite files",
            f"{overwritten[0].name}{more} would be overwritten.",
            str(overwritten[0].parent),
            ((dialogs.Answer.OVERWRITE, "&Overwrite"), (dialogs.Answer.CANCEL, "&Cancel")),
            dialogs.Answer.CANCEL,
        )
        if answer is not dialogs.Answer.OVERWRITE:
            return False
    try:
        write_conversion(conversion, overwrite=True, updating=updating)
    except (SaveError, OSError) as error:
        fail(str(error))
        return False
    return True


def targets() -> dict[str, str]:
    """Return the export formats of the open robot: name of the format -> its title in the menu.

    The XRDF is saved, not exported.
    """
    return {codec.name: f"{codec.title}…" for codec in writable() if codec.name != "xrdf"}


def _origin(document: Document) -> Path | None:
    """Return the file of another program that the robot was imported from."""
    note = read_import_note(document.state.urdf_source.source)
    return note.path.absolute() if note is not None else None


class Exporting(QObject):
    """Asks where to, shows what would become of the robot, and writes it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._window, self._session = workbench.qt_window, workbench.session

    def choose(self, kind: str) -> None:
        document = self._session.document
        codec = codec_named(kind)
        assert codec.writer is not None
        ending = codec.writer.proposal
        # The files that a folder's format reads are named otherwise than the folder.
        filters = f"{codec.plain_title} ({codec.pattern if '.' in ending else f'*{ending}'})"
        beside = document.urdf_path or document.xrdf_path or Path("robot.urdf")
        proposal = beside.with_name(f"{beside.stem}{ending}")
        if proposal in {document.path(k) for k in FileKind} or proposal.absolute() == _origin(
            document
        ):
            # What is open is what saving writes; what it came from stays.
            proposal = beside.with_name(f"{beside.stem}_export{ending}")
        filters = f"{filters};;All files (*)"
        # What is changed where it differs is not replaced: the preview says what becomes of a file
        # that is there.
        is_asked = not codec.writer.patches
        path = dialogs.save_target(self._window, "Export", str(proposal), filters, ending, is_asked)
        if path is not None:
            self.export(kind, path)

    def export(self, kind: str, output: Path) -> ConversionDialog | None:
        """Opens the preview; None when there is nothing that could be exported."""
        document = self._session.document
        if output.absolute() in {document.path(k) for k in FileKind}:
            self._fail(f"{output.name} is open here. Save writes it; export to another name.")
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
        job = PreviewJob(
            inputs, output, ConvertOptions(to=kind), existing=existing, packages=packages
        )
        # How spheres are added to a model says nothing of a new one.
        unasked = {SPHERES} if writer.patches and existing is None else set()
        choices = {choice.name: choice.values for choice in writer.choices if choice not in unasked}
        choices |= writer.offers(inputs) if writer.offers is not None else {}
        bodies = BodyBoxes(document.robot, self._session.pose, writer.takes)
        title = f"Export {output.name}"
        dialog = ConversionDialog(
            self._window, self._workbench.jobs, title, "Export", job, choices, bodies
        )

        def take() -> None:
            conversion = dialog.conversion
            if conversion is not None and write_confirmed(
                self._window, conversion, output, self._fail, output
            ):
                self._session.message.emit(f"Exported {output}")

        dialog.accepted.connect(take)
        dialog.open()
        return dialog

    def _fail(self, sentence: str) -> None:
        self._workbench.files.failed.emit("Cannot export", sentence, "")
