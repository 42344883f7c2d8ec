"""A free default position: the search for it, and the step that writes it."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.document import Document
from editor_app.core.drafting.standing import floor_of
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import Progress, Refused, silent
from editor_app.core.text.source import SourceText
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.free_pose import find_free_pose
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings, FreePose, PairClass
from editor_app.features.masks.verbs.robot_pairs import has_pairs

#: Configurations of the quick look that finds the pairs that overlap whatever the joints do.
_QUICK = 8192


@dataclass(frozen=True, slots=True)
class ChoosePositions:
    """The step that writes the default positions of a search. Guessed positions stay guesses.

    `positions`: joint -> radians or metres.
    """

    robot: RobotDescription
    positions: FrozenDict[str, float]

    @property
    def label(self) -> str:
        return SetItems("xrdf.default_joint_positions", self.positions).label

    def apply_text(self, text: str) -> str:
        """Return the text with the positions."""
        xrdf = SetItems("xrdf.default_joint_positions", self.positions).apply(self.robot).xrdf
        return patch_xrdf(read_xrdf(SourceText.from_text(text)), xrdf).text


def free_default(
    robot: RobotDescription,
    *,
    keep: bool = True,
    progress: Progress = silent,
    often: float | None = None,
) -> tuple[FreePose, tuple[LinkPair, ...]]:
    """Find a default position without self-collision, near the present one.

    Also return the checked pairs that the search left out although they overlap: at every position,
    or neighbours at the present one. `keep`: a present position that is free stays, even at a
    limit. `often`: pairs that overlap in this share of the configurations (0..1) do not count.
    Raises Refused.
    """
    if not has_pairs(robot):
        raise Refused("fewer than two links have collision spheres: fit spheres first")
    model = build_sphere_model(robot)
    quick = analyse(model, AnalysisSettings(_QUICK, 0, 0.0, search_starts=0), progress)
    now = robot.xrdf.ignored_pairs()
    certain = {
        e.pair for e in quick if e.kind in (PairClass.ALWAYS, PairClass.ADJACENT, PairClass.RIGID)
    }
    # Fingers whose joint is locked touch always, or never: it is the position that decides.
    moving = set(robot.xrdf.controlled)
    passing = {
        e.pair
        for e in quick
        if often is not None
        and (e.probability or 0.0) >= often
        and moving & {model.variables[k] for k in model.path_variables(model.pair_index[e.pair])}
    }
    ignored = frozenset(now | certain | passing)
    pose = find_free_pose(robot, ignored=ignored, keep_start=keep, floor=floor_of(robot.urdf))
    # Neighbours share a joint: the search leaves them alone, so what of them overlaps goes on doing
    # so.
    stay = {
        e.pair
        for e in quick
        if e.pair in certain and (e.kind is PairClass.ALWAYS or e.clearance_default < 0.0)
    }
    return pose, tuple(sorted(stay - now))


def pose_step(document: Document, pose: FreePose) -> ChoosePositions | None:
    """Return the step that makes the pose of a search the default, or None if it is the default
    already."""
    if not pose.changed:
        return None
    return ChoosePositions(
        document.robot, FrozenDict({name: pose.positions[name] for name in pose.changed})
    )
