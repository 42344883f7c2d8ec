"""The window's mask tells of a pair whose bare spheres overlap always, though its meshes touch only
sometimes; unticked, buffers part it as `new` does. Where a maker's mask ignores what touches, the
choice is put."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import editor_app
from editor_app.core.document.commands import ReplaceSpheres
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.tasks.work import locate_robot
from editor_app.features.masks.engine.results import AnalysisSettings, PairClass
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.features.masks.window.pairs_dialog import WriteMaskDialog
from editor_app.plugins.planning.verbs.hidden_pairs import decide_hidden
from editor_app.plugins.planning.verbs.self_buffers import SAMPLES
from editor_app.window.main_window import MainWindow
from tests.draft.test_maker_and_meshes_are_weighed import COSTS, SRDF
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.windows import settle, wait_until
from tests.masks.test_pairs_whose_spheres_always_overlap_are_decided import PAIR, URDF, XRDF

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def _first(folder: Path, *srdf: str) -> Document:
    """A new XRDF, not on disk yet, with the spheres of the other tests."""
    folder.mkdir()
    urdf, given = folder / "barrier.urdf", folder / "given.xrdf"
    urdf.write_text(URDF)
    given.write_text(XRDF)
    for text in srdf:
        urdf.with_suffix(".srdf").write_text(text)
    document = editor_app.open_robot(urdf, new_xrdf=True)
    spheres = editor_app.open_robot(urdf, given).robot.xrdf.spheres_of("spheres")
    group = document.robot.xrdf.self_group
    assert group is not None
    document.execute(ReplaceSpheres(group, FrozenDict(spheres)))
    document.execute(
        SetItems("xrdf.default_joint_positions", FrozenDict({"turn": 0.0, "lift": -0.5}))
    )
    return document


def _dialog(window: MainWindow, document: Document) -> WriteMaskDialog:
    window.session.open(document)
    controller = window.self_collision.controller
    controller.masks.settings = AnalysisSettings(2_000, 0, 0.0)
    controller.compute()
    wait_until(
        lambda: (
            controller.state.analysis is not None
            and not (controller.state.is_analysing or controller.is_asking)
        ),
        LONG,
    )
    evidence = controller.state.evidence(PAIR)
    assert evidence is not None
    assert evidence.kind is PairClass.ALWAYS
    dialog = WriteMaskDialog(controller, window)
    dialog.show()
    assert not dialog.take_button.isEnabled()
    wait_until(lambda: controller.state.look is not None and not controller.is_asking, LONG)
    return dialog


def _sections(dialog: WriteMaskDialog) -> dict[str, list[Any]]:
    return {title: [line.pair for line in lines] for title, lines in dialog.sections()}


def test_unticked_it_is_parted_by_buffers_with_the_buffers_of_new(
    window: MainWindow, tmp_path: Path
) -> None:
    other = _first(tmp_path / "verb")
    rules = MaskRules(keep=False, mask_always=True, compare_meshes=True)
    judged = mask(other, samples=2_000, certify=0.0, rules=rules)
    hidden = {each.pair for each in judged.look.hidden}
    assert hidden == {PAIR}
    decision = decide_hidden(locate_robot(other), judged.proposal.pairs, hidden, samples=SAMPLES)
    assert decision.checked == {PAIR}
    # As new writes it.
    pairs = judged.checking(decision.checked).proposal.pairs
    other.execute(SetMask.exactly(other.robot, MaskFile.XRDF, pairs, anew=True))
    other.execute(replace(decision.buffers, robot=other.robot).change)

    document = _first(tmp_path / "window")
    before, steps = document.xrdf_text, len(document.history)
    dialog = _dialog(window, document)
    controller = window.self_collision.controller
    title = (
        "Added to the mask: the spheres always overlap, so collisions are missed unless buffers "
        "separate them"
    )
    assert _sections(dialog)[title] == [PAIR]
    dialog.tick(PAIR, False)
    settle(window)
    dialog.reasons.setChecked(False)
    assert not dialog.take_button.isEnabled(), "the mask ignores neighbours alone, as it did"
    dialog.reject()
    window.planning.self_buffers.run()
    wait_until(lambda: len(document.history) == steps + 1, LONG)
    buffered, wanted = (each.robot.xrdf.self_collision for each in (document, other))
    assert buffered is not None
    assert wanted is not None
    assert buffered.buffer_distance == wanted.buffer_distance
    assert decision.buffers.note.split(",")[0] in document.xrdf_text
    # What the matrix says of the pair is true of the spheres with their buffers.
    wait_until(lambda: (e := controller.state.evidence(PAIR)) is not None and not e.stale, LONG)
    evidence = controller.state.evidence(PAIR)
    assert evidence is not None
    assert evidence.kind is PairClass.CAN_COLLIDE
    window.session.undo()
    assert document.xrdf_text == before
    window.session.open(None)
    settle(window)


def test_mesh_or_maker_is_the_users_choice(window: MainWindow, tmp_path: Path) -> None:
    document = _first(tmp_path / "window", SRDF)
    dialog = _dialog(window, document)
    title = "Please decide: the manufacturer ignores the pair, but its meshes touch"
    assert _sections(dialog)[title] == [PAIR]
    look = window.self_collision.controller.state.look
    assert look is not None
    (disputed,) = look.disputed
    assert disputed.passed_ignored.value == 1.0
    assert disputed.refused_checked.value > 0.5, "no buffers part the spheres yet"
    # The sentence has the room of a wide dialog, which stays on the screen.
    room = dialog.screen().availableGeometry()
    dialog.move(room.right() - 100, room.top())
    dialog._on_look()
    assert (
        room.left()
        <= dialog.frameGeometry().left()
        <= dialog.frameGeometry().right()
        <= room.right()
    )
    dialog.tick(PAIR, True)
    settle(window)
    proposal = dialog.proposal
    assert proposal is not None
    assert PAIR in proposal.pairs
    QTest.mouseClick(dialog.take_button, Qt.MouseButton.LeftButton)
    assert f"# ignored by hand; {COSTS}" in document.xrdf_text
    assert "buffer_distance" not in document.xrdf_text
    window.session.undo()
    dialog.deleteLater()
    window.session.open(None)
    settle(window)
