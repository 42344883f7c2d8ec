"""The source panel in a window of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from editor_app.gui.jobs import Jobs
from editor_app.gui.panels.findings.feed import FindingsFeed
from editor_app.gui.panels.source.source_view import SourcePanel
from editor_app.gui.session import Session


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
