"""The states of a fit in the window, without a window: each transition, and results whose inputs
changed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere, Xrdf
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.spheres.engine.links import LinkFit, LinkMesh
from editor_app.features.spheres.engine.results import FitResult
from editor_app.features.spheres.engine.settings import FitSettings, Plane
from editor_app.features.spheres.fit_session import (
    LIVE,
    USUAL_SPHERES,
    FitInputs,
    FitSession,
    FitStage,
    FitState,
    UsualAmount,
)
from editor_app.features.spheres.verbs.fit import FitProgress
from editor_app.features.spheres.verbs.fit_choices import FitChoices

FEW, MANY = ("hand",), tuple(f"link{n}" for n in range(LIVE + 2))
BALL = CollisionSphere((0.0, 0.0, 0.5), 0.1)

Spheres = Mapping[str, tuple[CollisionSphere, ...]]


def inputs_of(links: tuple[str, ...], choices: FitChoices | None = None) -> FitInputs:
    meshes = tuple(LinkMesh(link, np.zeros((0, 3)), np.zeros((0, 3), np.int32)) for link in links)
    return FitInputs(
        PlacedRobot(RobotDescription(Urdf("robot"), Xrdf())),
        meshes,
        FitSettings(number=1),
        None,
        choices or FitChoices(),
    )


def fit_of(link: str, count: int = 1, given_up: float = 0.0) -> LinkFit:
    rows = np.array([(0.0, 0.0, n, 0.1) for n in range(count)], float).reshape(-1, 4)
    return LinkFit(link, FitResult(rows, None, (), None, 0.0, 0.0, given_up))


def news(*fits: LinkFit) -> FitProgress:
    return FitProgress("Fitting", 0.5, tuple(fit.link for fit in fits), 1.0, fits)


def begun(
    links: tuple[str, ...], choices: FitChoices | None = None
) -> tuple[FitSession, FitInputs]:
    session, inputs = FitSession(), inputs_of(links, choices)
    session.tick(links)
    session.begin(inputs)
    return session, inputs


def shown(links: tuple[str, ...], choices: FitChoices | None = None) -> FitSession:
    session, inputs = begun(links, choices)
    session.receive(inputs, news(*map(fit_of, links)))
    session.finish(inputs, 2.0)
    return session


def stage_of(session: FitSession) -> FitStage:
    return session.state.stage


def test_few_links_are_previewed_and_many_are_fitted() -> None:
    assert stage_of(begun(FEW)[0]) is FitStage.PREVIEWING
    assert stage_of(begun(MANY[:LIVE])[0]) is FitStage.PREVIEWING
    session, _ = begun(MANY)
    assert stage_of(session) is FitStage.FITTING
    assert session.state.is_running
    assert session.state.is_large
    assert not session.state.is_ready


def test_fits_are_proposed_as_they_come_and_shown_at_the_end() -> None:
    states: list[FitState] = []
    session, inputs = FitSession(lambda old, new: states.append(new)), inputs_of(MANY)
    session.tick(MANY)
    session.begin(inputs)
    assert session.receive(inputs, news(fit_of(MANY[0], 2)))
    assert session.state.proposed.keys() == {MANY[0]}
    assert session.state.message == "Fitting"
    assert session.receive(inputs, news(*map(fit_of, MANY[1:])))
    session.finish(inputs, 1.25)
    assert stage_of(session) is FitStage.SHOWN
    assert session.state.message == f"{len(MANY) + 1} spheres on {len(MANY)} links in 1.2 s."
    assert states[-1] is session.state
    assert [state.stage for state in states[1:-1]] == [FitStage.FITTING] * 3


def test_the_end_of_several_is_guarded_against_a_late_click() -> None:
    session = shown(MANY)
    assert session.state.is_guarded
    session.end_guard()
    assert not session.state.is_guarded
    assert not shown(FEW).state.is_guarded


def test_the_cost_of_the_mounting_plane_is_reported() -> None:
    session, inputs = begun(FEW)
    session.receive(inputs, news(fit_of("hand", given_up=0.125)))
    session.finish(inputs, 1.0)
    assert "12.5 % of hand below the mounting plane is uncovered" in session.state.message


def test_a_change_makes_a_preview_stale_until_the_next_run() -> None:
    session = shown(FEW)
    before = session.state.fits
    session.change_inputs()
    assert stage_of(session) is FitStage.STALE
    assert session.state.fits is before, "the figures stay until there are others"
    assert not session.state.is_ready
    again = inputs_of(FEW)
    session.begin(again)
    assert session.state.fits.keys() == before.keys()
    session.receive(again, news(fit_of("hand", 3)))
    session.finish(again, 1.0)
    assert len(session.state.proposed["hand"]) == 3


def test_results_of_inputs_that_changed_are_dropped() -> None:
    session, old = begun(FEW)
    session.change_inputs()
    assert stage_of(session) is FitStage.STALE
    assert not session.receive(old, news(fit_of("hand")))
    session.finish(old, 1.0)
    assert stage_of(session) is FitStage.STALE
    assert not session.state.fits
    new = inputs_of(FEW)
    session.begin(new)
    assert not session.receive(old, news(fit_of("hand")))
    session.finish(old, 1.0)
    session.fail("of the run before", old)
    assert stage_of(session) is FitStage.PREVIEWING
    assert session.receive(new, news(fit_of("hand")))


def test_a_fit_of_many_links_does_not_follow_changes() -> None:
    for session in (begun(MANY)[0], shown(MANY)):
        stage = stage_of(session)
        session.change_inputs(begins=True)
        assert stage_of(session) is stage


def test_settings_begin_a_fit_of_the_only_link_but_not_of_several() -> None:
    for links, stage in ((FEW, FitStage.STALE), (MANY[:2], FitStage.IDLE), (MANY, FitStage.IDLE)):
        session = FitSession()
        session.tick(links)
        session.change_inputs()
        assert stage_of(session) is FitStage.IDLE
        session.change_inputs(begins=True)
        assert stage_of(session) is stage


def test_a_fit_waits_until_shapes_are_compared() -> None:
    session = FitSession()
    session.tick(FEW)
    session.wait_for_shapes()
    assert stage_of(session) is FitStage.WAITING
    session.change_inputs(begins=True)
    assert stage_of(session) is FitStage.WAITING
    session.begin(inputs_of(FEW))
    assert stage_of(session) is FitStage.PREVIEWING
    session.wait_for_shapes()
    session.cancel()
    assert stage_of(session) is FitStage.IDLE
    assert session.state.message == "Cancelled; no link was fitted."


def test_a_cancel_keeps_finished_fits_of_several_links() -> None:
    session, inputs = begun(MANY)
    session.receive(inputs, news(fit_of(MANY[0])))
    session.cancel()
    assert stage_of(session) is FitStage.SHOWN
    assert session.state.is_ready
    assert session.state.message.startswith(f"Cancelled. 1 of {len(MANY)} links are fitted")
    assert not session.receive(inputs, news(fit_of(MANY[1]))), "the run is over"
    session.cancel()
    assert stage_of(session) is FitStage.IDLE
    assert not session.state.proposed


def test_a_cancel_without_fits_leaves_nothing() -> None:
    session, _ = begun(MANY)
    session.cancel()
    assert session.state.is_idle
    assert session.state.message == "Cancelled; no link was fitted."
    session, _ = begun(FEW)
    session.cancel()
    assert session.state.is_idle
    assert not session.state.message


def test_a_failure_keeps_finished_fits_of_several_links() -> None:
    session, inputs = begun(MANY)
    session.receive(inputs, news(fit_of(MANY[0])))
    session.fail("no memory", inputs)
    assert (stage_of(session), session.state.message) == (FitStage.SHOWN, "no memory")
    for links in (FEW, MANY):
        session, inputs = begun(links)
        session.fail("no memory", inputs)
        assert (stage_of(session), session.state.message) == (FitStage.FAILED, "no memory")
        assert session.state.is_idle


def test_contradicting_settings_leave_nothing_to_accept() -> None:
    session = shown(FEW)
    session.change_inputs()
    session.discard("the largest radius is below the smallest")
    assert stage_of(session) is FitStage.FAILED
    assert session.accept(lambda spheres, label: True) == {}


@pytest.mark.parametrize(
    ("links", "other", "follows"),
    [(FEW, ("arm",), True), (FEW, (), False), (FEW, MANY, False), (MANY, FEW, False)],
)
def test_other_links_replace_a_proposal_of_few_links(
    links: tuple[str, ...], other: tuple[str, ...], follows: bool
) -> None:
    session = shown(links)
    assert session.tick(other) is follows
    assert session.state.ticked == other
    assert bool(session.state.fits) is (links is MANY), "many links are not thrown away by a tick"
    assert session.tick(other) is False, "the same links change nothing"


def test_an_accepted_proposal_is_one_step_of_the_history() -> None:
    session, steps = shown(MANY), list[tuple[Spheres, str]]()

    def execute(spheres: Spheres, label: str) -> bool:
        assert session.state.is_idle, "the proposal is gone before the robot changes"
        steps.append((spheres, label))
        return True

    assert session.accept(execute).keys() == set(MANY)
    [(spheres, label)] = steps
    assert spheres.keys() == set(MANY)
    assert label == f"Fit {len(MANY)} spheres to {len(MANY)} links"
    assert stage_of(session) is FitStage.ACCEPTED
    assert session.state.message == f"Added {len(MANY)} spheres to {len(MANY)} links."
    assert session.accept(execute) == {}, "once"
    session.change_robot()
    assert (stage_of(session), session.state.message) == (FitStage.IDLE, "")


def test_links_without_a_fit_stay_after_a_cancelled_fit_was_accepted() -> None:
    session, inputs = begun(MANY)
    session.receive(inputs, news(fit_of(MANY[0])))
    session.cancel()
    assert session.accept(lambda spheres, label: True).keys() == {MANY[0]}
    assert f"{len(MANY) - 1} links without a fit stay ticked." in session.state.message


def test_a_refused_step_is_not_accepted() -> None:
    session = shown(FEW)
    assert session.accept(lambda spheres, label: False) == {}
    assert stage_of(session) is FitStage.IDLE


def test_a_fit_without_spheres_proposes_none_in_place_of_the_one_before() -> None:
    session = shown(FEW)
    session.change_inputs()
    again = inputs_of(FEW)
    session.begin(again)
    session.receive(again, news(fit_of("hand", 0)))
    session.finish(again, 1.0)
    assert session.state.is_ready
    assert not session.state.proposed
    assert session.accept(lambda spheres, label: True) == {}
    assert session.state.is_ready, "nothing is lost"


def test_undo_ends_the_figures_of_accepted_spheres() -> None:
    session = shown(MANY)
    session.accept(lambda spheres, label: True)
    accepted = dict(session.accepted)
    assert session.change_spheres(lambda link: accepted[link]) == frozenset()
    undone = {**accepted, MANY[0]: (BALL,)}
    assert session.change_spheres(lambda link: undone[link]) == {MANY[0]}
    assert session.accepted.keys() == set(MANY[1:])
    # While something is proposed, its figures are shown.
    session.begin(inputs_of(MANY))
    assert session.change_spheres(lambda link: ()) == frozenset()


def test_kept_spheres_come_first_and_a_change_of_them_refits() -> None:
    session = shown(FEW, FitChoices(locked={"hand": (BALL,)}))
    assert session.state.keeps_any
    assert session.state.proposed["hand"][0] == BALL
    assert len(session.state.proposed["hand"]) == 2
    session.change_kept_spheres()
    assert stage_of(session) is FitStage.STALE
    assert "refitting around them" in session.state.message
    free = shown(FEW)
    free.change_kept_spheres()
    assert stage_of(free) is FitStage.SHOWN


def test_figures_of_a_clipped_link_are_of_no_mesh_of_the_window() -> None:
    plane = Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    clipped = shown(FEW, FitChoices(clips={"hand": (plane,)})).accept(lambda spheres, label: True)
    assert clipped["hand"][2] is None
    session = shown(FEW)
    mesh = session.state.inputs.meshes[0] if session.state.inputs is not None else None
    assert session.accept(lambda spheres, label: True)["hand"][2] is mesh


@pytest.mark.parametrize("has_fit", [False, True])
def test_a_closed_robot_ends_the_fit_and_its_results_are_dropped(has_fit: bool) -> None:
    session, inputs = begun(MANY)
    if has_fit:
        session.receive(inputs, news(fit_of(MANY[0])))
    session.close()
    assert session.state == FitState()
    assert not session.receive(inputs, news(fit_of(MANY[1])))
    session.finish(inputs, 1.0)
    session.fail("too late", inputs)
    assert session.state == FitState()
    session = shown(FEW)
    session.accept(lambda spheres, label: True)
    session.close()
    assert not session.accepted


def test_other_shapes_end_a_run_and_keep_its_fits() -> None:
    session, inputs = begun(MANY)
    session.receive(inputs, news(fit_of(MANY[0])))
    session.change_links()
    assert stage_of(session) is FitStage.SHOWN
    session, inputs = begun(MANY)
    session.change_links()
    assert stage_of(session) is FitStage.IDLE
    stale = shown(FEW)
    stale.change_inputs()
    stale.change_links()
    assert stage_of(stale) is FitStage.STALE


def test_the_usual_amount_follows_the_links_until_the_user_chooses() -> None:
    amount = UsualAmount()
    assert (amount.kind("hand"), amount.kind(None)) == ("number", "budget")
    assert (amount.number("hand", 5), amount.number("hand", -1)) == (5, USUAL_SPHERES)
    amount.choose("number", 7, "hand")
    assert amount.kind("hand") == "number"
    assert (amount.number("hand", 5), amount.number("arm", 5)) == (7, 5)
    amount.choose("tolerance", 0.01, "hand")
    assert amount.kind("hand") is amount.kind(None) is None
    assert amount.is_budget_usual
    amount.choose("budget", 40, None)
    assert not amount.is_budget_usual
