"""A tighter fit for planning is shown with its figures, taken as one step or left; Blocking leads
to pair, sphere and pose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from editor_app.core.document.commands import SetSpheres
from editor_app.core.model.findings import Finding, FindingSubject, Severity, SphereRef
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.window.main_window import MainWindow
from editor_app.window.widgets import PlainLabel
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    window,
)
from tests.helpers.kept_jobs import Answer
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def _open(window: MainWindow, tmp_path: Path) -> tuple[Any, str]:
    open_in(window, copy_of_sample(tmp_path / "robot"))
    context = window.fitting.context
    wait_until(lambda: not window.meshes.is_loading and bool(context.links_with_mesh()), LONG)
    document = window.session.document
    return document, document.xrdf_text


def _close(window: MainWindow) -> None:
    window.session.open(None)
    settle(window)


def test_a_tighter_fit_is_shown_with_its_figures_left_and_taken_as_one_step(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, text = _open(window, tmp_path)
    tighter = window.planning.tighter
    window.registry.trigger("fit.planning")
    assert tighter.refusal() == "The search for a tighter fit is running."
    wait_until(lambda: tighter.strip is not None, LONG)
    strip = tighter.strip
    assert strip is not None
    assert strip.isVisible()
    result = strip.result
    assert result.after.cost.needless.value < 0.5 * result.before.cost.needless.value
    assert "False collisions " in strip.figures.text()
    assert f"Spheres {result.before.spheres} → {result.after.spheres}" in strip.figures.text()
    # Buffers decide, too, and are not drawn.
    assert "self-collision buffer" in strip.figures.text()
    # Also in a narrow view, and with long names, all of it is in sight.
    strip.figures.setText("\n".join("forearm_link 12 → 24, " * 20 for _ in range(2)))
    strip.show_up()
    over = strip.parentWidget()
    assert over is not None
    assert over.rect().contains(strip.geometry())
    for widget in (strip.figures, strip.accept_button, strip.discard_button):
        assert strip.rect().contains(widget.geometry())
    assert strip.figures.height() >= strip.figures.heightForWidth(strip.figures.width())
    # The view shows what would come; the document has nothing of it.
    assert dict(window.fitting.context.proposed) == dict(result.spheres)
    assert document.xrdf_text == text
    # Discarded, it leaves nothing.
    QTest.mouseClick(strip.discard_button, Qt.MouseButton.LeftButton)
    assert tighter.strip is None
    assert not window.fitting.context.proposed
    assert document.xrdf_text == text
    # Buffers alone are a proposal, too, before which the card of a first file has no next step.
    monkeypatch.setattr(
        tighter, "job", lambda document: Answer(replace(result, fit=replace(result.fit, links=())))
    )
    window.registry.trigger("fit.planning")
    wait_until(lambda: tighter.strip is not None, LONG)
    steps = window.fitting.first_steps
    assert not window.fitting.context.proposed
    assert steps._step_actions.is_busy()
    tighter.drop()
    assert not steps._step_actions.is_busy()
    # What gains nothing is told in the same place, and Return takes nothing.
    no_gain = replace(result, after=result.before)
    monkeypatch.setattr(tighter, "job", lambda document: Answer(no_gain))
    window.registry.trigger("fit.planning")
    wait_until(lambda: tighter.strip is not None, LONG)
    assert tighter.strip is not None
    assert [label.text() for label in tighter.strip.findChildren(PlainLabel)][1:] == [
        "No tighter fit found"
    ]
    assert "false collisions" in tighter.strip.figures.text()
    assert not tighter.strip.accept_button.isVisible()
    assert tighter.strip.discard_button.hasFocus()
    QTest.keyClick(tighter.strip, Qt.Key.Key_Return)
    assert tighter.strip is None
    assert len(document.history) == 1
    # The same search again would take as long, and find the same. A passage asks for its own links
    # alone.
    monkeypatch.setattr(tighter, "job", lambda document: Answer(result))
    finding = Finding(
        "XRDF515",
        Severity.WARNING,
        "x",
        subject=FindingSubject(links=("forearm_link", "flange_link")),
    )
    [remedy] = [r for r in window.feed.remedies(finding) if r.label == "Free this passage…"]
    remedy.run()
    assert tighter._links == ("forearm_link", "flange_link")
    wait_until(lambda: tighter.strip is not None, LONG)
    assert tighter.strip is not None
    QTest.keyClick(tighter.strip, Qt.Key.Key_Return)
    assert tighter.strip is None
    assert not window.fitting.context.proposed
    assert len(document.history) == 2
    for link, spheres in result.spheres.items():
        assert document.robot.xrdf.spheres_of(result.fit.group)[link] == spheres
    assert "set against the meshes" in document.xrdf_text
    # The proofs are of the spheres that were taken.
    proofs = [f for f in window.session.findings if f.code == "FIT001"]
    assert {f.subject.links[0] for f in proofs} == set(result.spheres)
    window.session.undo()
    assert document.xrdf_text == text
    # Another robot takes it away.
    remedy.run()
    wait_until(lambda: tighter.strip is not None, LONG)
    group = window.session.active_group
    assert group is not None
    spheres = document.robot.xrdf.spheres_of(group)["hand_link"]
    window.session.execute(
        SetSpheres(
            (
                (
                    SphereRef(group, "hand_link", 0),
                    CollisionSphere(spheres[0].center, spheres[0].radius * 1.01),
                ),
            )
        )
    )
    assert tighter.strip is None
    assert not window.fitting.context.proposed
    window.session.undo()
    _close(window)


def test_pairs_that_no_fit_decides_are_told_and_nothing_is_shown(
    window: MainWindow, tmp_path: Path
) -> None:
    _open(window, tmp_path)
    told: list[str] = []
    window.session.refused.connect(told.append)
    group = window.session.active_group
    assert group is not None
    ref = SphereRef(group, "hand_link", 0)
    assert window.session.execute(SetSpheres(((ref, CollisionSphere((0.0, 0.0, 0.0), 1.5)),)))
    window.registry.trigger("fit.planning")
    wait_until(lambda: bool(told), LONG)
    assert "no fit changes this" in told[0]
    assert window.planning.tighter.strip is None
    window.session.refused.disconnect(told.append)
    window.session.undo()
    _close(window)


def test_blocking_leads_from_the_pair_to_its_spheres_and_to_a_pose(
    window: MainWindow, tmp_path: Path
) -> None:
    document, _ = _open(window, tmp_path)
    session, panel = window.session, window.self_collision.show_panel()
    page = panel.show_added("Blocking")
    assert not page.free_button.isEnabled()
    QTest.mouseClick(page.button, Qt.MouseButton.LeftButton)
    assert not page.button.isEnabled()
    wait_until(lambda: page.cost is not None, LONG)
    assert page.cost is not None
    assert page.text.text().startswith("False collisions: ")
    worst = page.cost.too_fat[0]

    def click(item: QTreeWidgetItem | None) -> QTreeWidgetItem:
        assert item is not None
        page.tree.scrollToItem(item)
        place = page.tree.visualItemRect(item).center()
        QTest.mouseClick(page.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
        return item

    top = page.tree.topLevelItem(0)
    assert top is not None
    pair = click(top.child(0))
    assert pair.text(0) == " – ".join(worst.names)
    assert session.selection.pairs == (LinkPair.of(*worst.names),)
    assert all(
        session.pose[joint] == value
        for joint, value in worst.witness.items()
        if joint in session.pose
    )
    pair.setExpanded(True)
    sphere = click(pair.child(0))
    assert session.selection.spheres == (worst.spheres[0][0],)
    sphere.setExpanded(True)
    # The deepest pose of the sphere is the first, and the one that a click on the sphere shows.
    poses = [pose for row in range(sphere.childCount()) if (pose := sphere.child(row)) is not None]
    depths = [float(pose.text(2).split()[0]) for pose in poses]
    assert depths == sorted(depths, reverse=True)
    assert sphere.text(2) == poses[0].text(2)
    click(poses[0])
    assert worst.spheres[0][0] in session.selection.spheres
    # From there to tighter spheres of this pair.
    asked: list[tuple[str, ...]] = []
    given, page._free = page._free, asked.append
    assert page.free_button.isEnabled()
    QTest.mouseClick(page.free_button, Qt.MouseButton.LeftButton)
    page._free = given
    assert asked == [worst.names]
    # Figures of a robot that was changed since say so; undo makes them right again.
    figures, ref = page.text.text(), worst.spheres[0][0]
    smaller = CollisionSphere(
        document.robot.xrdf.spheres_of(ref.group)[ref.frame][ref.index].center, 0.001
    )
    session.execute(SetSpheres(((ref, smaller),)))
    wait_until(lambda: page.text.text() == f"The robot changed. Compare again. {figures}")
    session.undo()
    wait_until(lambda: page.text.text() == figures)
    _close(window)
    assert page.cost is None
    assert page.tree.topLevelItemCount() == 0
