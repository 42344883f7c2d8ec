"""The verb margin_buffers: buffers that keep a robot with deviations as free as its nominal spheres
are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.document.commands.collision import Section
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Described, Refused, check_arguments, describe_robot
from editor_app.core.text.source import SourceText
from editor_app.features.masks.verbs.mask_changes import with_key_comment
from editor_app.plugins.margins.engine.bounds import BufferedSpheres
from editor_app.plugins.margins.engine.buffers import displacement, share_among_links
from editor_app.plugins.margins.engine.columns import Columns
from editor_app.plugins.margins.tolerances import Tolerances
from editor_app.plugins.margins.verbs.margins import checked_pairs, frame_spheres
from editor_app.plugins.motion.verbs.collide import comparing_model

#: Buffers are rounded up to this, metres.
_STEP = 1e-5
#: The comment behind the key of the buffers begins so.
_NOTE = "proven margin for"
LABEL = "Set buffers for tolerances"
#: Section of the model -> its keys in files of the two versions.
_KEYS: dict[Section, tuple[str, ...]] = {
    "world_collision": ("collision", "world_collision"),
    "self_collision": ("self_collision",),
}


@dataclass(frozen=True)
class MarginBuffers:
    """Frame -> buffer in metres. `itself`: the buffers of a checked pair are together at least as
    long as deviations move the two links against each other, in any configuration. `world`: the
    same of each link against the base. `needs`: pair -> metres. `changes`: the part of both that is
    larger than the present buffers.
    """

    robot: RobotDescription
    tolerances: Tolerances
    itself: FrozenDict[str, float]
    world: FrozenDict[str, float]
    needs: FrozenDict[tuple[str, str], float]
    changes: FrozenDict[Section, FrozenDict[str, float]]

    __repr__ = brief

    @property
    def note(self) -> str:
        """One line that says for which tolerances the buffers are proven."""
        return (
            f"{_NOTE} {'; '.join(self.tolerances.sentences(get_tree(self.robot)))}; in any "
            "configuration"
        )

    @property
    def change(self) -> WriteMarginBuffers:
        """The step that writes the larger buffers, with `note` as a comment behind their keys."""
        return WriteMarginBuffers(self.robot, self.changes, self.note)


@dataclass(frozen=True, slots=True)
class WriteMarginBuffers:
    """Sets buffers of both collision sections in the XRDF's text, with the reason as a comment."""

    robot: RobotDescription
    buffers: FrozenDict[Section, FrozenDict[str, float]]
    note: str
    label: str = LABEL

    def apply_text(self, text: str) -> str:
        """Raises CannotApply when the text cannot take the buffers."""
        for section, distances in self.buffers.items():
            source = read_xrdf(SourceText.from_text(text))
            robot = SetItems(f"xrdf.{section}.buffer_distance", distances).apply(
                replace(self.robot, xrdf=source.value)
            )
            written = patch_xrdf(source, robot.xrdf).written
            text = written.source.text
            for key in _KEYS[section]:
                node = written.node((key, "buffer_distance"))
                if node is not None:
                    text = with_key_comment(text, "buffer_distance", node.start, self.note, _NOTE)
                    break
        return text


@check_arguments
def margin_buffers(
    robot: Described, tolerances: Tolerances, *, mask: MaskFile | None = None
) -> MarginBuffers:
    """Compute the smallest sum of self-collision buffers, and the obstacle buffers, that make up
    for the tolerances.

    They hold in every configuration within the limits of sliding joints. Present buffers that are
    larger stay. Raises Refused where a section is missing, has one buffer for all frames, or a
    joint slides without limits.
    """
    description = describe_robot(robot)
    tree = get_tree(description)
    tolerances.check(tree)
    xrdf = description.xrdf
    sections = {"world_collision": xrdf.world_collision, "self_collision": xrdf.self_collision}
    for name, section in sections.items():
        if section is not None and section.single_buffer is not None:
            raise Refused(
                f"{name} has one buffer for all frames: write buffer_distance per frame first"
            )
    if xrdf.self_collision is None:
        raise Refused("the XRDF has no section self_collision: add it first")
    model = comparing_model(description, file=mask)
    columns, spheres = Columns.of(tree, tolerances), frame_spheres(description, tree)
    needs: dict[tuple[str, str], float] = {}
    for first, second in checked_pairs(model):
        one, other = spheres[first], spheres[second]
        ancestor = columns.common(one.frame, other.frame)
        needs[first, second] = sum(
            displacement(columns, each, columns.chain(each.frame, ancestor))
            for each in (one, other)
        )
    itself = share_among_links(needs, list(spheres))
    world_frames = [frame for frame in xrdf.spheres_of(xrdf.world_group) if frame in tree.index]
    world = {
        frame: displacement(columns, each, columns.chain(each.frame))
        for frame in world_frames
        if (each := _world_spheres(description, frame, tree.index[frame])) is not None
    }
    rounded = {"world_collision": _rounded(world), "self_collision": _rounded(itself)}
    changes: dict[Section, FrozenDict[str, float]] = {}
    for name in _KEYS:
        section = sections[name]
        larger = {
            f: b for f, b in rounded[name].items() if section is not None and b > section.buffer(f)
        }
        if larger:
            changes[name] = FrozenDict(larger)
    return MarginBuffers(
        description,
        tolerances,
        rounded["self_collision"],
        rounded["world_collision"],
        FrozenDict(needs),
        FrozenDict(changes),
    )


def _world_spheres(robot: RobotDescription, frame: str, index: int) -> BufferedSpheres | None:
    spheres = robot.xrdf.spheres_of(robot.xrdf.world_group).get(frame, ())
    if not spheres:
        return None
    return BufferedSpheres(
        index, np.array([s.center for s in spheres], float), np.array([s.radius for s in spheres])
    )


def _rounded(buffers: dict[str, float]) -> FrozenDict[str, float]:
    """Rounded up, so that the proof holds for the number in the file."""
    return FrozenDict(
        {f: round(math.ceil(b / _STEP - 1e-9) * _STEP, 6) for f, b in buffers.items() if b > 0.0}
    )
