"""The source panel in a window of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editor_app.features.checks.window.feed import FindingsFeed
from editor_app.window.jobs import Jobs
from editor_app.window.session import Session
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import make_document
from tests.helpers.windows import focus


@contextlib.contextmanager
def source_panel() -> Iterator[SourcePanel]:
    """With a session without a robot; closed at the end."""
    session, jobs = Session(), Jobs()
    panel = SourcePanel(session, jobs, FindingsFeed(session, jobs))
    try:
        yield panel
    finally:
        session.open(None)
        jobs.close()


@contextlib.contextmanager
def panel_to_type_in(qtbot: Any, folder: Path) -> Iterator[SourcePanel]:
    """With a document of `folder`, in the active window, its editor has the keyboard."""
    with source_panel() as panel:
        qtbot.addWidget(panel)
        panel.resize(900, 500)
        panel._session.open(make_document(folder))
        panel.show()
        panel.refresh()
        focus(panel.editor)
        yield panel
