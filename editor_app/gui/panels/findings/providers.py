"""The provider that is always there: the verb check, which remembers what rules found while their inputs stay."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.gui.panels.findings.feed import FeedInput, FindingsFeed
from editor_app.model.findings import Finding
from editor_app.operations.check import StateChecker


def register_providers(feed: FindingsFeed) -> None:
    """All rules but the slow ones, and texts that could not be saved."""
    feed.register("rules", _Rules())


class _Rules:
    def __init__(self) -> None:
        self._checker: StateChecker | None = None

    def __call__(self, given: FeedInput) -> Iterable[Finding]:

        if self._checker is None:
            self._checker = StateChecker()
        return self._checker.check(given.state, given.profile, given.texts, given.packages)
