"""What would become of typed text, said after a pause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from editor_app.edit.state import FileKind, State
from editor_app.edit.typed_text import TypedFault, read_typed
from editor_app.gui.jobs import Jobs
from editor_app.gui.panels.source.latest import Latest
from editor_app.gui.session import Session
from editor_app.gui.timers import Wait, after
from editor_app.model.findings import Finding


@dataclass(frozen=True, slots=True)
class Judgement:
    """Where the text cannot be read, or what reading it has to say."""

    fault: TypedFault | None
    findings: tuple[Finding, ...] = ()


class Judge(QObject):
    """Reads in a thread; a judgement that typing has overtaken is not said."""

    #: Judgement
    judged = Signal(object)

    def __init__(self, session: Session, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._reading = Latest(jobs, "Reading what was typed")
        self._kind = FileKind.XRDF
        self._pause = after(self, self._read, Wait.TYPING)

    def wait(self, kind: FileKind) -> None:
        """Something was typed for a file: it is read after a pause."""
        self._kind = kind
        self._pause.start()

    def read(self, kind: FileKind) -> None:
        """Reads it at once."""
        self._kind = kind
        self._pause.stop()
        self._read()

    def stop(self) -> None:
        self._pause.stop()
        self._reading.forget()

    def _read(self) -> None:
        document, kind = self._session.document, self._kind
        if document is None or document.typed(kind) is None:
            return
        # What is typed next is another step.
        self._session.seal()
        state = document.state

        def tell(judgement: Judgement) -> None:
            if self._session.document is document and document.typed(kind) == state.typed.get(kind):
                self.judged.emit(judgement)

        self._reading.ask(partial(_judge, state, kind), tell)


def _judge(state: State, kind: FileKind) -> Judgement:
    try:
        read = read_typed(state, kind)
    except TypedFault as fault:
        return Judgement(fault)
    source = {FileKind.XRDF: read.xrdf_source, FileKind.SRDF: read.srdf_source, FileKind.URDF: read.urdf_source}[kind]
    return Judgement(None, tuple(source.findings) if source is not None else ())
