"""False and missed collisions of spheres and mask: pairs, their spheres, and poses, which a click
shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_percent
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.pose import Pose
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import locate_robot
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.panel import AddedPage
from editor_app.plugins.motion.verbs.motion_jobs import motion_job
from editor_app.plugins.planning.verbs.model_cost import ModelCost, TooFat, model_cost
from editor_app.window.bindings.lists import Rows
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.widgets import PlainLabel, dress, fill_layout, icon, plain_text

TITLE = "Blocking"
_QUESTION = "False collisions of spheres, and collisions that spheres and mask miss"
_HINT = (
    "“Compare with the meshes” lists the pairs with most false collisions, with spheres and poses."
)
_PAST = "The robot changed. Compare again."
_TIP = "In 20,000 random configurations, with the obstacles of the scene"
#: Pairs that are listed, and poses of each.
_PAIRS, _POSES = 20, 6


class _Shown(NamedTuple):
    """What a row shows: two links, spheres of theirs, and a pose; `fat`: the pair that refuses what
    is free."""

    names: tuple[str, str]
    spheres: tuple[SphereRef, ...]
    pose: Pose
    fat: TooFat | None = None


class BlockingPage(AddedPage):
    """A click on a pair selects it, one on a sphere the sphere; both pose the robot where they
    overlap."""

    def __init__(
        self,
        controller: MaskController,
        jobs: Jobs,
        free: Callable[[tuple[str, ...]], object],
        parent: QWidget,
    ) -> None:
        """`free(links)`: looks for a tighter fit of the two links of a pair."""
        super().__init__(parent)
        self._controller = controller
        self._free = free
        self._work = JobSlot(jobs, self.refresh)
        self.cost: ModelCost | None = None
        #: The robot that the figures are of.
        self._weighed: object = None
        heads = ("Pair, sphere or pose", "Share", "Deepest overlap")
        name = "Pairs with false and missed collisions"
        self.tree = Rows(name, heads, 0, self, numbers=(1, 2), folds=True, words=_HINT)
        self.tree.currentItemChanged.connect(lambda *_: self._choose())
        self.tree.itemClicked.connect(lambda *_: self._choose())
        self.button = dress(
            QPushButton(icon("scales"), "Compare with the meshes", self), run=self.weigh
        )
        self.free_button = dress(
            QPushButton(icon("arrows-in-simple"), "Free this passage…", self),
            id="free-passage",
            run=self._free_pair,
        )
        self.stops = (self.button, self.free_button, self.tree)
        self.text = dress(PlainLabel(parent=self), look="muted", wrap=True)
        self._told = _QUESTION
        head = fill_layout(QHBoxLayout(), self.button, self.free_button, (self.text, 1))
        fill_layout(QVBoxLayout(self), head, (self.tree, 1), margins=0, spacing=3)
        controller.session.document_opened.connect(self._on_opened)
        # Spheres may have come or gone: then there is something to compare, or nothing any more.
        for signal in (
            controller.running_changed,
            controller.analysis_changed,
            controller.session.robot_settled,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        reason = self._controller.reason_not_to_compute
        self.button.setEnabled(reason is None and not self._work.is_running)
        self.button.setToolTip(plain_text(reason or _TIP))
        is_past = self.cost is not None and self._weighed is not self._controller.session.robot
        told = f"{_PAST} {self._told}" if is_past else self._told
        self.text.setText("Comparing with the meshes …" if self._work.is_running else told)
        pair = self._pair()
        self.free_button.setEnabled(pair is not None)
        self.free_button.setToolTip(
            plain_text(
                f"Search for tighter spheres of {pair.names[0]} and {pair.names[1]}, with a preview"
                if pair is not None
                else "Select a pair with false collisions"
            )
        )

    def weigh(self) -> None:
        """Compares spheres and mask with the meshes, in the background."""
        session = self._controller.session
        document = session.document
        if self._controller.reason_not_to_compute is not None:
            return
        self._work.run(
            "Comparing with the meshes",
            motion_job(model_cost, locate_robot(document), scene=document.beside.scene),
            self.show_cost,
            failed=lambda error: self._say(error.message[:1].upper() + error.message[1:]),
            about=lambda: session.robot,
            stale=partial(self._say, _PAST),
        )

    def show_cost(self, cost: ModelCost) -> None:
        self.cost, self._weighed = cost, self._controller.session.robot
        self._say(
            f"False collisions: {cost.needless} of the free configurations. "
            f"Missed collisions: {cost.wrong} of the real ones."
        )
        self.tree.clear()
        if cost.too_fat:
            top = self.tree.add(("False collisions", format_percent(cost.needless.value), ""))
            for fat in cost.too_fat[:_PAIRS]:
                self._add_pair(top, fat, cost.needless.of)
        if cost.hidden:
            top = self.tree.add(("Missed collisions", format_percent(cost.wrong.value, 2), ""))
            for hidden in cost.hidden[:_PAIRS]:
                why = (
                    "ignored"
                    if hidden.masked
                    else "no spheres"
                    if hidden.without_spheres
                    else "too thin"
                )
                text, share = (
                    f"{hidden.names[0]} – {hidden.names[1]} ({why})",
                    _share(hidden.count, cost.wrong.of),
                )
                self.tree.add((text, share, ""), _Shown(hidden.names, (), hidden.witness), top)

    # -- inside

    def _add_pair(self, top: QTreeWidgetItem, fat: TooFat, of: int) -> None:
        names, whole = fat.names, _Shown(fat.names, (), fat.witness, fat)
        row = self.tree.add(
            (f"{names[0]} – {names[1]}", _share(fat.count, of), _depth(fat.depth)), whole, top
        )
        for ref, count in fat.spheres:
            poses = sorted(
                (each for each in fat.witnesses if ref in each[1:3]), key=lambda each: -each[3]
            )
            pose, depth = (poses[0][0], poses[0][3]) if poses else (fat.witness, None)
            cells = (_name(ref), _share(count, of), _depth(depth))
            under = self.tree.add(cells, _Shown(names, (ref,), pose, fat), row)
            for number, (pose, one, other, depth) in enumerate(poses[:_POSES], 1):
                refs = tuple(each for each in (one, other) if each is not None)
                against = next((_name(each) for each in refs if each != ref), "an obstacle")
                cells = (f"pose {number}, against {against}", "", _depth(depth))
                self.tree.add(cells, _Shown(names, refs, pose, fat), under)

    def _pair(self) -> TooFat | None:
        shown: _Shown | None = self.tree.thing
        return None if shown is None else shown.fat

    def _free_pair(self) -> None:
        pair = self._pair()
        if pair is not None:
            self._free(pair.names)

    def _choose(self) -> None:
        shown: _Shown | None = self.tree.thing
        self.refresh()
        if shown is None:
            return
        links, refs, pose, _ = shown
        session = self._controller.session
        session.set_pose(pose)
        tree = session.tree
        frames = tuple(name for name in links if name in tree.index)
        pair = (LinkPair.of(*links),) if len(frames) == 2 else ()
        session.select(
            Selection(spheres=refs)
            if refs
            else Selection(pairs=pair)
            if pair
            else Selection(links=frames)
        )
        session.look_requested.emit()

    def _say(self, text: str) -> None:
        self._told = text
        self.refresh()

    def _on_opened(self, document: object) -> None:
        self._work.drop()
        self.cost = None
        self.tree.clear()
        self._say(_QUESTION)


def _name(ref: SphereRef) -> str:
    return f"sphere {ref.index + 1} of {ref.frame}"


def _depth(metres: float | None) -> str:
    return "" if metres is None else f"{metres * 1e3:.1f} mm"


def _share(count: int, samples: int) -> str:
    return f"{100.0 * count / samples:.2f} %"
