"""What threads do for the text: they say what would become of typed text, and write the present one ahead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from editor_app.edit.state import FileKind, State
from editor_app.edit.texts import PresentTexts
from editor_app.edit.typed_text import TypedFault, read_typed
from editor_app.formats.source import FormatError
from editor_app.gui.jobs import Jobs, Latest
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
    sources = {FileKind.XRDF: read.xrdf_source, FileKind.SRDF: read.srdf_source, FileKind.URDF: read.urdf_source}
    source = sources[kind] if kind in sources else read.settings.get(kind)
    return Judgement(None, tuple(source.findings) if source is not None else ())


class TextAhead:
    """`show` is called when the text of the present XRDF can be had without a wait: many spheres take long."""

    def __init__(self, session: Session, jobs: Jobs, show: Callable[[], None]) -> None:
        self._session = session
        self._show = show
        self._making = Latest(jobs, "Writing the text")

    @property
    def is_busy(self) -> bool:
        return self._making.is_busy

    def ask(self) -> None:
        """Has the text of the present state made; a drag that goes on meanwhile asks again when it rests."""
        document = self._session.document
        if document is None:
            return
        state = document.state

        def done(_: object) -> None:
            if self._session.document is document and document.robot.xrdf is state.robot.xrdf:
                self._show()

        self._making.ask(partial(_make, document.present_texts, state), done)

    def forget(self) -> None:
        """Nothing is shown for what was asked."""
        self._making.forget()


def _make(texts: PresentTexts, state: State) -> None:
    try:
        texts.prepared(state)
    except FormatError:
        # The editor says why, where the text would stand.
        pass
