"""A thread makes the text of the XRDF, and reads it again, before it is shown: many spheres take long."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from editor_app.edit.present_texts import PresentTexts
from editor_app.edit.state import State
from editor_app.formats.source import FormatError
from editor_app.gui.jobs import Jobs
from editor_app.gui.panels.source.latest import Latest
from editor_app.gui.session import Session


class TextAhead:
    """`show` is called when the text of the present XRDF can be had without a wait."""

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
