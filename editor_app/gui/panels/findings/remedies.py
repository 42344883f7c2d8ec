"""The ways out of a finding: changes of the document, and what else the window can do about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from editor_app.gui.panels.findings.feed import FindingsFeed
from editor_app.gui.session import Session
from editor_app.model.findings import Finding

#: Label, and what carries it out.
RunnableRemedy = tuple[str, Callable[[], object]]


def remedies_of(session: Session, feed: FindingsFeed, finding: Finding) -> list[RunnableRemedy]:
    """Wherever a finding is shown, it offers these, as the same step. What the window does comes first: a fit cures a
    link, where a change alone can only cut its spheres."""
    by_window: list[RunnableRemedy] = [(each.label, partial(each.run, finding)) for each in feed.remedies(finding)]
    return by_window + [(change.label, partial(session.execute, change)) for change in finding.fixes]
