"""Keeps the journal of the session, and offers what a session that ended in a crash left unsaved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from editor_app.edit.expansion import Expansion
from editor_app.edit.journal import Entry, Journal, discard, entry_of, orphans, texts_of, typed_of
from editor_app.formats.source import SourceText
from editor_app.gui.session import Session

#: What shows a sentence with buttons above the view: (key, sentence, (label, action) …).
Ask = Callable[[str, str, tuple[tuple[str, Callable[[], object]], ...]], object]
#: Opens a URDF (or the expansion of a xacro file) with an XRDF and an SRDF and calls back when they are there.
Open = Callable[[Path | SourceText, Path | None, Path | None, Expansion | None, Callable[[], object]], object]

_KEY = "journal"


class Journaling(QObject):
    """One per window; `close` at its end, when everything is saved or let go."""

    def __init__(self, session: Session, ask: Ask, dismiss: Callable[[str], object], open_robot: Open) -> None:
        super().__init__(session)
        self._session, self._ask, self._dismiss, self._open = session, ask, dismiss, open_robot
        self._journal = Journal()
        self._told: str | None = None
        session.history_changed.connect(self._note)
        # Another notice about the robot that was opened may have taken the place: this one is asked until answered.
        session.document_opened.connect(lambda _: QTimer.singleShot(0, self, self.offer))

    def offer(self) -> bool:
        """Asks about the newest work that was never saved; False when there is none."""
        found = orphans()
        if not found:
            return False
        path, entry = found[0]
        name = Path(entry.xrdf or entry.urdf or "a robot").name
        when = datetime.fromtimestamp(entry.saved_at)
        day = "today" if when.date() == datetime.now().date() else f"on {when:%d %B}"
        steps = "1 step" if entry.steps == 1 else f"{entry.steps} steps"
        others = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        sentence = (
            f"The last session ended without saving {name}: {steps}, the last “{entry.label}”, "
            f"{day} at {when:%H:%M}{others}."
        )
        self._ask(
            _KEY,
            sentence,
            (("Restore", lambda: self._restore(path, entry)), ("Discard", lambda: self._discard(path))),
        )
        return True

    def close(self) -> None:
        """The session ends properly."""
        self._journal.close()

    def _note(self) -> None:
        document = self._session.document
        self._journal.note((lambda: None) if document is None else entry_of(document))
        if self._journal.trouble != self._told:
            self._told = self._journal.trouble
            if self._told:
                self._session.message.emit(self._told)

    def _restore(self, path: Path, entry: Entry) -> None:
        self._dismiss(_KEY)
        expansion = Expansion.from_json(entry.expansion) if entry.expansion is not None else None
        if entry.urdf is not None and entry.expanded is not None and expansion is not None:
            # Out of the journal: evaluating it again would need another consent, and could give something else.
            urdf: Path | SourceText = SourceText.from_text(entry.expanded, Path(entry.urdf))
        elif entry.urdf is None or not Path(entry.urdf).is_file():
            self._session.refused.emit(f"{entry.urdf or 'The robot'} is no longer there: its XRDF is kept in {path}.")
            return
        else:
            urdf = Path(entry.urdf)
        xrdf, srdf = (
            Path(name) if name is not None and Path(name).is_file() else None for name in (entry.xrdf, entry.srdf)
        )

        def put_back() -> None:
            document = self._session.document
            if document is None:
                return
            try:
                document.restore(texts_of(entry), typed_of(entry), "Restore unsaved work")
            except KeyError as error:
                self._session.refused.emit(f"The unsaved work cannot be restored: {error}. It is kept in {path}.")
                return
            # Only now: until it is in this session's own journal, the old one is all there is.
            if self._journal.flush():
                discard(path)
            self.offer()

        self._open(urdf, xrdf, srdf, expansion, put_back)

    def _discard(self, path: Path) -> None:
        self._dismiss(_KEY)
        discard(path)
        self.offer()
