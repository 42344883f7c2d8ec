"""Sources of the findings list: rules that look at the document after each edit, and what others
report.

feed.report("mesh", findings)          # pushed: replaces the last report of "mesh"
feed.register_remedy("MESH001", "Locate…", locate)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.state import State
from editor_app.core.document.texts import PresentTexts
from editor_app.core.model.findings import Finding
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply, Change, TextChange
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.settings import MeshFolders
from editor_app.window.timers import Wait, after

#: What the rules say of a state, for a program. Texts come from the document; folders: package or
#: prefix -> where its meshes were located. Rules look in another thread: no Qt, and nothing
#: mutable.
Rules = Callable[[State, Profile, PresentTexts, FrozenDict[str, Path]], Iterable[Finding]]
#: Why a fix is refused, "" for a good one. Raises CannotApply.
Refuse = Callable[[Change | TextChange, State, Profile, FrozenDict[str, Path]], str]
_NO_PACKAGES: FrozenDict[str, Path] = FrozenDict()
#: Who says what the rules find, beside those that report.
RULES = "rules"


class Remedy(NamedTuple):
    """A way out of a finding: one of its `fixes`, or something that the window does."""

    label: str
    run: Callable[[], object]


class FindingsFeed(QObject):
    """Merges what the rules and others say into `session.findings`."""

    #: What was found so far counts no longer: the profile is another one, or meshes lie elsewhere.
    refreshed = Signal()

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        parent: QObject | None = None,
        *,
        folders: MeshFolders | None = None,
        rules: Rules = lambda *_: (),
    ) -> None:
        super().__init__(parent)
        #: Given by the feature that has rules.
        self.rules = rules
        self.refuse_fix: Refuse = lambda *_: ""
        self._session = session
        self._folders = folders
        self._packages = _NO_PACKAGES
        #: Who says something -> what it is.
        self.said: dict[str, tuple[Finding, ...]] = {}
        #: Shows what a code means; None where no manual is at hand.
        self.explain: Callable[[str], object] | None = None
        #: Code -> label, and what does it.
        self._remedies: defaultdict[str, list[tuple[str, Callable[[Finding], object]]]] = (
            defaultdict(list)
        )
        self._work = JobSlot(jobs, self._on_work, quiet=True)
        #: There was an edit while something else was looked at.
        self._stale = False
        #: Others that look, and take longer.
        self._awaited: set[str] = set()
        self._recent = _RecentFindings()
        self._timer = after(self, self._look, Wait.FINDINGS)
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(self._on_settled)
        if folders is not None:
            folders.changed.connect(self.refresh)

    def expect(self, name: str) -> None:
        """Says that `name` looks at the last edit, and will `report`."""
        self._awaited.add(name)
        self._tell(True)

    def report(self, name: str, findings: Iterable[Finding], about: State | None = None) -> None:
        """Says what `name` knows now; an empty list takes it back. What is `about` a state comes
        back with it."""
        self.said[name] = tuple(findings)
        if about is not None:
            self._recent.keep(about, name, self.said[name])
        self._awaited.discard(name)
        self._publish()
        self._tell(not self.is_known)

    def register_remedy(self, code: str, label: str, run: Callable[[Finding], object]) -> None:
        """Offers `label` on the findings of a code."""
        self._remedies[code].append((label, run))

    def remedies(self, finding: Finding) -> list[Remedy]:
        """Wherever a finding is shown, it offers these, as the same step. What the window does
        comes first: a fit cures a link, where a change alone can only cut its spheres."""
        by_window = [
            Remedy(label, partial(run, finding)) for label, run in self._remedies[finding.code]
        ]
        return by_window + [
            Remedy(change.label, partial(self.fix, change)) for change in finding.fixes
        ]

    def fix(self, change: Change | TextChange) -> bool:
        """Executes a fix, unless it would add an error or a collision of the default position,
        which is said then."""
        document = self._session.document
        try:
            refusal = self.refuse_fix(change, document.state, document.profile, self._packages)
        except CannotApply as error:
            refusal = str(error)
        if refusal:
            self._session.refused.emit(refusal)
            return False
        return self._session.execute(change)

    @property
    def is_busy(self) -> bool:
        """True if an edit has not been looked at yet."""
        is_behind = not self._session.is_settled
        return is_behind or self._work.is_running or self._stale or self._timer.isActive()

    @property
    def is_known(self) -> bool:
        """True if all findings of the present robot have come: only then an empty list means that
        nothing is wrong."""
        return not self.is_busy and not self._awaited

    def remembers(self, name: str, state: State) -> bool:
        """Return whether what `name` says about `state` is there: then it is shown with it, and
        nobody has to look."""
        return name in self._recent.of(state)

    def refresh(self) -> None:
        """Looks again now, as after another target profile was chosen."""
        self._timer.stop()
        self._recent.clear()
        self.refreshed.emit()
        self._look()

    # -- inside

    def _tell(self, busy: bool) -> None:
        self._session.set_findings_known(not busy)

    def _look_soon(self) -> None:
        self._timer.start()
        self._tell(True)

    def _on_settled(self, *_: object) -> None:
        """Undo and redo show what was found of that state at once; any other is looked at."""
        recent = self._recent.of(self._session.document.state)
        if RULES not in recent:
            self._look_soon()
            return
        self._timer.stop()
        self._work.drop()
        self._stale = False
        self.said.update(recent)
        self._awaited.difference_update(recent)
        self._publish()
        self._tell(not self.is_known)

    def _on_opened(self, document: object) -> None:
        self._timer.stop()
        self._stale = False
        self._recent.clear()
        self._awaited.clear()
        self.said.clear()
        self._work.drop()
        self._look()

    def _look(self) -> None:
        document = self._session.document
        if not self._session.has_robot:
            return
        if self._work.is_running:
            self._stale = True
            return
        packages = (
            FrozenDict(self._folders.of(document.urdf_path))
            if self._folders is not None
            else _NO_PACKAGES
        )
        # The same object as long as it says the same: then rules about it are not asked again.
        self._packages = self._packages if packages == self._packages else packages
        rules, given = (
            self.rules,
            (document.state, document.profile, document.present_texts, self._packages),
        )
        take = partial(self._take, document.state)
        # A rule that fails is a defect of this program: it is told with its traceback.
        self._work.run("Checking", lambda _: tuple(rules(*given)), take, in_thread=True)

    def _take(self, state: State, findings: tuple[Finding, ...]) -> None:
        self.said[RULES] = findings
        self._recent.keep(state, RULES, findings)
        self._publish()

    def _on_work(self) -> None:
        if self._stale and not self._work.is_running:
            self._stale = False
            self._timer.start()
        self._tell(not self.is_known)

    def _publish(self) -> None:
        if not self._session.has_robot:
            return
        merged: dict[tuple[object, ...], Finding] = {}
        # What the rules say of a place goes before what others say of it.
        for name in sorted(self.said, key=lambda name: name != RULES):
            for finding in self.said[name]:
                merged.setdefault(
                    (finding.code, finding.message, finding.path, finding.location), finding
                )
        self._session.set_findings(tuple(merged.values()))


class _RecentFindings:
    """Findings by who says them, of the last `SIZE` states that were looked at."""

    SIZE = 32

    def __init__(self) -> None:
        #: The states are held so that the identities of their parts, the keys, are not given to
        #: others.
        self._by_parts: dict[tuple[int, ...], tuple[State, dict[str, tuple[Finding, ...]]]] = {}

    def of(self, state: State) -> dict[str, tuple[Finding, ...]]:
        entry = self._by_parts.get(self._parts(state))
        return entry[1] if entry is not None else {}

    def keep(self, state: State, name: str, findings: tuple[Finding, ...]) -> None:
        parts = self._parts(state)
        self._by_parts[parts] = (state, {**self.of(state), name: findings})
        while len(self._by_parts) > self.SIZE:
            del self._by_parts[next(iter(self._by_parts))]

    def clear(self) -> None:
        self._by_parts.clear()

    @staticmethod
    def _parts(state: State) -> tuple[int, ...]:
        """What rules look at: neither the obstacles nor the stored poses."""
        return tuple(map(id, (state.robot, state.parts, state.typed)))
