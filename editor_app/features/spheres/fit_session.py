"""States of a fit in the window, without Qt: which links are ticked, which fits are proposed, and
their end.

Each event is a method of `FitSession`, which replaces its frozen `FitState`. The panel shows the
state, and runs the fit whose inputs the state names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.spheres.engine.links import LinkFit, LinkMesh
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.verbs.fit import FitProgress
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.link_fits import round_spheres

#: Up to so many links are fitted again at each change of the inputs.
LIVE = 4
#: Spheres that are proposed for a link without spheres.
USUAL_SPHERES = 16

#: Link -> its accepted fit, its spheres, and the mesh of the window that the figures are of, or
#: None.
Accepted = Mapping[str, tuple[FitResult, tuple[CollisionSphere, ...], LinkMesh | None]]


class FitStage(Enum):
    """Stages of a fit; `FitState` names the links and fits."""

    #: Nothing is fitted or proposed.
    IDLE = "idle"
    #: A fit was asked for; it begins when collision and visual shapes are compared.
    WAITING = "waiting"
    #: The inputs changed: a proposal is of the inputs before, and a fit of the new ones follows.
    STALE = "stale"
    #: A few links are fitted, which are fitted again at each change.
    PREVIEWING = "previewing"
    #: Many links are fitted.
    FITTING = "fitting"
    #: A proposal is up to date. It can be accepted or discarded.
    SHOWN = "shown"
    #: The last proposal was accepted, and nothing else was done since: the next step is offered.
    ACCEPTED = "accepted"
    #: The fit failed and left nothing to accept.
    FAILED = "failed"


_COMPUTING = frozenset({FitStage.PREVIEWING, FitStage.FITTING})
_RUNNING = _COMPUTING | {FitStage.WAITING, FitStage.STALE}


@dataclass(frozen=True, slots=True, eq=False)
class FitInputs:
    """Inputs of one run; its results are taken as long as the session has these very inputs.

    `total`: spheres to share out; None: every mesh gets the settings as they are. `surfaces`: link
    -> words for the shapes that its figures describe.
    """

    robot: PlacedRobot
    meshes: tuple[LinkMesh, ...]
    settings: FitSettings
    total: int | None
    choices: FitChoices
    surfaces: Mapping[str, str] = FrozenDict()

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(mesh.link for mesh in self.meshes)

    def spheres(self, fit: LinkFit) -> tuple[CollisionSphere, ...]:
        """Return the spheres that a fit proposes: those that stay, then its own."""
        kept = (self.choices.locked or {}).get(fit.link, ())
        return (*kept, *round_spheres(fit.result.spheres, self.settings.mode))

    def measured_mesh(self, link: str) -> LinkMesh | None:
        """Return the mesh that the figures of a fit describe; None where a plane clips the link."""
        if (self.choices.clips or {}).get(link):
            return None
        return next((mesh for mesh in self.meshes if mesh.link == link), None)


@dataclass(frozen=True, slots=True)
class FitState:
    """State of a fit. `inputs`: of the run, or of the proposal; `fits`, `proposed`: link -> fit,
    spheres."""

    stage: FitStage = FitStage.IDLE
    ticked: tuple[str, ...] = ()
    inputs: FitInputs | None = None
    fits: Mapping[str, LinkFit] = FrozenDict()
    proposed: Mapping[str, tuple[CollisionSphere, ...]] = FrozenDict()
    message: str = ""
    #: Fits of several links ended just now: a click on Cancel that comes too late must not discard
    #: them.
    is_guarded: bool = False

    @property
    def one(self) -> str | None:
        """The only link that is ticked."""
        return self.ticked[0] if len(self.ticked) == 1 else None

    @property
    def is_computing(self) -> bool:
        """True while a run of `inputs` computes."""
        return self.stage in _COMPUTING

    @property
    def is_running(self) -> bool:
        """True while links are fitted, or a fit follows."""
        return self.stage in _RUNNING

    @property
    def is_idle(self) -> bool:
        """True if nothing is fitted and nothing waits to be accepted."""
        return not self.is_running and not self.fits

    @property
    def is_ready(self) -> bool:
        """True if a proposal is up to date and can be accepted."""
        return bool(self.fits) and not self.is_running

    @property
    def is_live(self) -> bool:
        """True if so few links are fitted or proposed that they follow each change."""
        return not self.is_idle and 0 < len(self.ticked) <= LIVE

    @property
    def is_large(self) -> bool:
        """True if many links are fitted or proposed: a selection must not end that."""
        return not self.is_idle and len(self.ticked) > LIVE

    @property
    def keeps_any(self) -> bool:
        """True if the fits leave spheres as they are."""
        return self.inputs is not None and any((self.inputs.choices.locked or {}).values())


class FitSession:
    """One fit after the other, and the state of the present one. `changed` is called with the
    states before and after.

    An event that does not apply to the present stage changes nothing.
    """

    def __init__(
        self, changed: Callable[[FitState, FitState], object] = lambda old, new: None
    ) -> None:
        self._changed = changed
        self._state = FitState()
        #: Spheres that were accepted last, of the links that still have these very spheres: their
        #: figures are shown.
        self.accepted: Mapping[str, tuple[CollisionSphere, ...]] = FrozenDict()

    @property
    def state(self) -> FitState:
        return self._state

    def _set(self, state: FitState) -> None:
        old, self._state = self._state, state
        self._changed(old, state)

    def _clear(
        self, stage: FitStage, message: str = "", ticked: tuple[str, ...] | None = None
    ) -> None:
        """Forget run and proposal; `ticked`: other links that are ticked now."""
        self._set(
            FitState(stage, self._state.ticked if ticked is None else ticked, message=message)
        )

    def discard(self, reason: str = "") -> None:
        """Discard run and proposal; `reason`: why no run can begin."""
        self._clear(FitStage.FAILED if reason else FitStage.IDLE, reason)

    # -- links and inputs

    def tick(self, links: Iterable[str]) -> bool:
        """Tick other links. A proposal of a few links is discarded; return whether a fit of the new
        ones follows."""
        ticked, old = tuple(links), self._state
        if ticked == old.ticked:
            return False
        if not old.is_live:
            self._set(replace(old, ticked=ticked))
            return False
        self._clear(FitStage.IDLE, ticked=ticked)
        return 0 < len(ticked) <= LIVE

    def change_inputs(self, *, begins: bool = False, message: str = "") -> None:
        """Settings, shapes or planes changed: a fit of a few links follows; `begins`: also the
        first one of a link."""
        state = self._state
        if state.stage is not FitStage.WAITING and (state.is_live or (begins and state.one)):
            self._set(
                replace(
                    state, stage=FitStage.STALE, message=message or state.message, is_guarded=False
                )
            )

    def change_robot(self) -> None:
        """Withdraw the offer of the next step: the user went on."""
        if self._state.stage is FitStage.ACCEPTED:
            self._clear(FitStage.IDLE)

    def change_spheres(
        self, present: Callable[[str], tuple[CollisionSphere, ...]]
    ) -> frozenset[str]:
        """Return the accepted links that have other spheres now, after an edit or undo. `present`:
        of a link."""
        if not self._state.is_idle:
            return frozenset()
        lost = frozenset(
            link for link, spheres in self.accepted.items() if present(link) != spheres
        )
        self.accepted = FrozenDict(
            {link: each for link, each in self.accepted.items() if link not in lost}
        )
        return lost

    def change_kept_spheres(self) -> None:
        """The present spheres of ticked links changed: a proposal that keeps some is fitted
        again."""
        if self._state.fits and self._state.keeps_any:
            self.change_inputs(message="The current spheres changed; refitting around them.")

    def change_links(self) -> None:
        """The robot has other links or shapes: end the run, but keep the fits that it has."""
        if self._state.is_computing:
            self._set(
                replace(self._state, stage=FitStage.SHOWN if self._state.fits else FitStage.IDLE)
            )

    def close(self) -> None:
        """Forget everything: another robot is open, or none."""
        self.accepted = FrozenDict()
        self._clear(FitStage.IDLE, ticked=())

    # -- a run

    def wait_for_shapes(self) -> None:
        """A fit was asked for, which begins when collision and visual shapes are compared."""
        message = "Comparing collision and visual shapes…"
        self._set(replace(self._state, stage=FitStage.WAITING, message=message))

    def begin(self, inputs: FitInputs) -> None:
        """Begin a run. The fit of the only link stays proposed until there is a new one."""
        state = self._state
        fits = FrozenDict({link: fit for link, fit in state.fits.items() if link == state.one})
        stage = FitStage.PREVIEWING if len(inputs.meshes) <= LIVE else FitStage.FITTING
        self._set(FitState(stage, state.ticked, inputs, fits, state.proposed))

    def receive(self, inputs: FitInputs, progress: FitProgress) -> bool:
        """Add the fits of a running fit to the proposal; False if the progress is of other
        inputs."""
        state = self._state
        if not state.is_computing or inputs is not state.inputs:
            return False
        state = replace(state, message=progress.sentence)
        if progress.fits:
            fits = {fit.link: fit for fit in progress.fits}
            proposed = {
                k: each for k, each in state.proposed.items() if k in state.fits and k not in fits
            }
            proposed |= {link: each for link, fit in fits.items() if (each := inputs.spheres(fit))}
            state = replace(
                state, fits=FrozenDict({**state.fits, **fits}), proposed=FrozenDict(proposed)
            )
        self._set(state)
        return True

    def finish(self, inputs: FitInputs, seconds: float) -> None:
        """Show the proposal of a run that ended after so many seconds."""
        state = self._state
        if not state.is_computing or inputs is not state.inputs:
            return
        where = state.one or format_count(len(state.proposed), "link")
        spheres = format_count(sum(map(len, state.proposed.values())), "sphere")
        lost = (
            (link, 100 * fit.result.given_up)
            for link, fit in state.fits.items()
            if fit.result.given_up > 0
        )
        cost = "; ".join(f"{share:.1f} % of {link}" for link, share in lost)
        message = f"{spheres} on {where} in {seconds:.1f} s."
        if cost:
            message += (
                f" {cost} below the mounting plane is uncovered; untick Keep base above mounting "
                "plane to cover it."
            )
        self._set(
            replace(state, stage=FitStage.SHOWN, message=message, is_guarded=state.one is None)
        )

    def fail(self, message: str, inputs: FitInputs | None = None) -> None:
        """End the run with an error. Of several links, finished fits can still be accepted.

        `inputs`: of the run that failed; None: the present one.
        """
        state = self._state
        if inputs is not None and inputs is not state.inputs:
            return
        if state.fits and not state.one:
            self._set(replace(state, stage=FitStage.SHOWN, message=message))
        else:
            self._clear(FitStage.FAILED, message)

    def cancel(self) -> None:
        """End the run. Of several links, finished fits can still be accepted; without a run they
        are discarded."""
        state = self._state
        is_several = state.is_computing and len(state.ticked) > 1
        if is_several and state.fits and state.inputs is not None:
            count = f"{len(state.fits)} of {len(state.inputs.meshes)}"
            message = f"Cancelled. {count} links are fitted: accept or discard them."
            self._set(replace(state, stage=FitStage.SHOWN, message=message))
        else:
            is_told = is_several or state.stage is FitStage.WAITING
            self._clear(FitStage.IDLE, "Cancelled; no link was fitted." if is_told else "")

    def end_guard(self) -> None:
        """Let the proposal be discarded from now on."""
        if self._state.is_guarded:
            self._set(replace(self._state, is_guarded=False))

    # -- a proposal

    def accept(
        self, execute: Callable[[Mapping[str, tuple[CollisionSphere, ...]], str], bool]
    ) -> Accepted:
        """Accept the proposal. Return the accepted fits; none if there is no proposal or `execute`
        refuses it.

        `execute`: makes the spheres of the links one step of the history, with its label; False if
        it is refused.
        """
        state, inputs = self._state, self._state.inputs
        if not state.is_ready or not state.proposed or inputs is None:
            return {}
        spheres = state.proposed
        where = next(iter(spheres)) if len(spheres) == 1 else format_count(len(spheres), "link")
        given = f"{format_count(sum(map(len, spheres.values())), 'sphere')} to {where}"
        self.accepted = spheres
        self._clear(FitStage.ACCEPTED)
        if not execute(spheres, f"Fit {given}"):
            self._clear(FitStage.IDLE)
            return {}
        rest = len(state.ticked) - len(state.fits)
        # After a cancel the user goes on with the links that have no fit.
        stay = f" {format_count(rest, 'link')} without a fit stay ticked." if rest > 0 else ""
        self._clear(FitStage.ACCEPTED, f"Added {given}.{stay}")
        return {
            link: (state.fits[link].result, each, inputs.measured_mesh(link))
            for link, each in spheres.items()
        }


class UsualAmount:
    """The amount of a fit until the user chooses one: as many spheres as a link has, or the usual
    budget of several.

    A number belongs to its link. A budget and the kind of amount stay as chosen.
    """

    def __init__(self) -> None:
        self._is_kind_usual = self.is_budget_usual = True
        self._numbers: dict[str, float] = {}

    def choose(self, kind: str, value: float, one: str | None) -> None:
        """Remember the choice of the user; `one`: the only link that is ticked."""
        self._is_kind_usual = self._is_kind_usual and kind == ("number" if one else "budget")
        if kind == "budget":
            self.is_budget_usual = False
        elif kind == "number" and one:
            self._numbers[one] = value

    def kind(self, one: str | None) -> str | None:
        """Return "number" or "budget"; None if the user chose another kind."""
        if not self._is_kind_usual:
            return None
        return "number" if one else "budget"

    def number(self, link: str, present: int) -> float:
        """Return the number of spheres for a link that has so many to replace."""
        return self._numbers.get(link) or max(0, present) or USUAL_SPHERES
