"""The selection and the text follow each other."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.gui.panels.source.line_breaks import shown_offset, source_offset
from editor_app.gui.panels.source.source_editor import SourceEditor
from editor_app.gui.panels.source.text_places import paths_of, selection_at
from editor_app.gui.session import Session

#: More are not marked.
_MOST = 200


class SelectionLink:
    """`shown`: the XRDF's text as the editor shows it; None where it shows another text, or one that is being typed."""

    def __init__(self, editor: SourceEditor, session: Session, shown: Callable[[], str | None]) -> None:
        self._editor = editor
        self._session = session
        self._shown = shown
        self._is_selecting = False
        session.selection_changed.connect(lambda _: self.follow())
        editor.cursorPositionChanged.connect(self._select_at_cursor)

    def follow(self) -> None:
        """Marks what is selected."""
        document = self._session.document
        if document is None or self._is_selecting:
            return
        shown = self._shown()
        if shown is None:
            self._editor.show_span([])
            return
        source = document.xrdf_now
        spans = []
        for path in paths_of(self._session.selection, self._session.active_group)[:_MOST]:
            span = source.span(source.yaml_path(path))
            if span is not None:
                spans.append((shown_offset(shown, span[0]), shown_offset(shown, span[1])))
        self._editor.show_span(spans, scroll=not self._editor.hasFocus())

    def _select_at_cursor(self) -> None:
        document = self._session.document
        if document is None or not self._editor.hasFocus():
            return
        shown = self._shown()
        if shown is None:
            return
        source = document.xrdf_now
        offset = source_offset(shown, self._editor.cursor_offset())
        selection = selection_at(source.model_path(source.path_at(offset)), document.robot)
        if selection is not None and selection != self._session.selection:
            self._is_selecting = True
            self._session.select(selection)
            self._is_selecting = False
            self.follow()
