"""The providers that are always there: what could not be read, what the structure lacks, and the rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from editor_app.gui.panels.findings.feed import FeedInput, FindingsFeed
from editor_app.model.findings import Finding, Location, Severity

if TYPE_CHECKING:
    from editor_app.checks.runner import Checker
    from editor_app.formats.xrdf import XrdfSource


def register_providers(feed: FindingsFeed) -> None:
    """URDF, structure, SRDF, and XRDF with its rules."""
    feed.register("urdf", _urdf)
    feed.register("kinematics", _kinematics)
    feed.register("srdf", _srdf)
    feed.register("xrdf", _XrdfProvider())


def _urdf(given: FeedInput) -> Iterable[Finding]:
    from editor_app.edit.texts import urdf_now
    from editor_app.formats.source import FormatError

    try:
        return urdf_now(given.state).findings
    except FormatError as error:
        return (Finding("SAVE003", Severity.ERROR, f"The URDF cannot be saved like this: {error}", (), error.location),)


def _srdf(given: FeedInput) -> Iterable[Finding]:
    """What reading reports, and names that the URDF does not have."""
    if given.state.robot.srdf is None:
        return ()
    from editor_app.edit.texts import srdf_now
    from editor_app.formats.source import FormatError
    from editor_app.formats.srdf import reference_findings

    try:
        now = srdf_now(given.state)
    except FormatError as error:
        return (Finding("SAVE002", Severity.ERROR, f"The SRDF cannot be saved like this: {error}", (), error.location),)
    return (*now.findings, *reference_findings(now, given.state.robot.urdf)) if now is not None else ()


def _kinematics(given: FeedInput) -> Iterable[Finding]:
    from editor_app.kinematics.tree import tree_of

    return tree_of(given.state.robot).problems


class _XrdfProvider:
    """Looks at the text as it would be saved; remembers what rules found while their inputs stay the same."""

    def __init__(self) -> None:
        self._checker: Checker | None = None

    def __call__(self, given: FeedInput) -> Iterable[Finding]:
        from editor_app.checks.context import CheckContext
        from editor_app.checks.runner import Checker, located
        from editor_app.formats.source import FormatError
        from editor_app.formats.xrdf import ReadOnlyPart

        try:
            now = _present(given)
        except (FormatError, ReadOnlyPart) as error:
            path = given.state.xrdf_source.source.path
            place = getattr(error, "location", None) or Location(str(path or "the XRDF"))
            return (Finding("SAVE001", Severity.ERROR, f"The XRDF cannot be saved like this: {error}", (), place),)
        if self._checker is None:
            self._checker = Checker()
        urdf_path = given.state.urdf_source.source.path
        context = CheckContext(given.state.robot, now, given.profile, True, urdf_path)
        # What the reader reports is among them, with its remedies.
        return located(self._checker.check(context), now)


def _present(given: FeedInput) -> XrdfSource:
    """The XRDF as saving would write it, read again for the places."""
    from editor_app.formats.xrdf import patch_xrdf

    return patch_xrdf(given.state.xrdf_source, given.state.robot.xrdf).written
