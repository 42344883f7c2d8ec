"""What the actions of the text do; their keys count in the text alone."""

from __future__ import annotations

from operator import attrgetter

from editor_app.gui.panels.source.source_view import SourcePanel
from editor_app.gui.session import Session


class SourceActions:
    """The names that the table of the text uses; each brings the text to the front."""

    def __init__(self, session: Session, panel: SourcePanel) -> None:
        self._message = session.message
        self._panel = panel
        self.editor = panel.editor
        self._folding = panel.editor.folding

    def _line(self) -> int:
        self._panel.show_text()
        return self.editor.textCursor().blockNumber() + 1

    def help(self, name: str) -> None:
        """Runs a function of the panel's parts, as "helper.complete"."""
        self._panel.show_text()
        attrgetter(name)(self._panel)()

    def fold(self) -> None:
        around = self._folding.around(self._line())
        if around is not None:
            self._folding.fold(around)
        else:
            self._message.emit("Nothing can be folded at this line.")

    def unfold(self) -> None:
        line = self._line()
        if self._folding.is_folded(line):
            self._folding.unfold(line)
        else:
            self._message.emit("Nothing is folded at this line.")

    def fold_all(self) -> None:
        self._panel.show_text()
        before = self._folding.folded
        self._folding.fold_all()
        if self._folding.folded == before:
            self._message.emit("Every section is folded." if before else "No section can be folded yet.")

    def unfold_all(self) -> None:
        self._panel.show_text()
        if self._folding.folded:
            self._folding.unfold_all()
        else:
            self._message.emit("Nothing is folded.")
