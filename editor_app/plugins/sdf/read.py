"""An SDF -> URDF, SRDF and XRDF, and a report of everything that a URDF cannot store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from editor_app.core.drafting import plan_control
from editor_app.core.formats.exchange.codec import MODEL, ReadContext, RobotFiles
from editor_app.core.formats.exchange.conversion import ADJACENT, Reporter
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf, urdf_text
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.write import patch_text
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.srdf import CollisionPair, Group, GroupState, Srdf
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, ignore_mapping
from editor_app.core.space.kinematics.transforms import build_origin
from editor_app.core.text.source import SourceText
from editor_app.plugins.sdf.frames import WORLD
from editor_app.plugins.sdf.joints import Joints
from editor_app.plugins.sdf.models import Models
from editor_app.plugins.sdf.shapes import SdfShapes
from editor_app.plugins.sdf.sources import SdfSources

_GROUP, _STATE = "actuated", "initial"
#: Why pairs are not checked, as an SRDF says it.
_SWITCHED_OFF = "self_collide of the SDF"


def read_sdf(path: Path, context: ReadContext) -> RobotFiles:
    """The robot of an SDF, its meshes named relative to the URDF.

    Raises FormatError for what is no SDF, a missing included model of the robot, and several robots
    without a choice.
    """
    return _Reading(path, context).files()


def model_names(path: Path, packages: Mapping[str, Path]) -> tuple[str, ...]:
    """The models to choose from. Raises FormatError."""
    return Models(SdfSources(path, packages), Reporter("SDF", "URDF")).names()


class _Reading:
    def __init__(self, path: Path, context: ReadContext) -> None:
        self.path, self.choice = path, context.options.text(MODEL.name)
        self.out = Reporter("SDF", "URDF, SRDF and XRDF")
        self.models = Models(SdfSources(path, context.surroundings.packages), self.out)
        self.joints = Joints(self.models, self.out)
        load = context.surroundings.load_mesh
        self.shapes = SdfShapes(
            self.models,
            self.out,
            None if load is None else lambda mesh: load(mesh, path),
            f"{path.stem}_meshes",
        )

    def files(self) -> RobotFiles:
        self.models.read(self.choice)
        self.joints.read()
        urdf = self._urdf()
        srdf = self._srdf(urdf)
        self.shapes.tell()
        self.models.tell()

        def source(text: str, kind: str) -> SourceText:
            return SourceText.from_text(text, self.path.with_suffix(f".{kind}"))

        urdf_source = read_urdf(source(urdf_text(urdf), "urdf"))
        if self.shapes.sensors:
            with_sensors = replace(urdf_source.value, extensions=tuple(self.shapes.sensors))
            urdf_source = patch_urdf(urdf_source, with_sensors).written
        return RobotFiles(
            urdf=urdf_source,
            srdf=read_srdf(source(srdf_text(srdf), "srdf")),
            xrdf=self._xrdf(urdf_source.value, srdf),
            stated=StatedValues(),
            meshes=tuple(self.shapes.files.items()),
            report=self.out.report(),
            xrdf_is_draft=True,
        )

    # -- the URDF

    def _urdf(self) -> Urdf:
        models, made = self.models, self.joints
        links = [self.shapes.link(part) for part in models.links.values()]
        links += made.between.values()
        joints = list(made.joints)
        taken = set(made.names)
        on_world = any(joint.parent == WORLD for joint in joints)
        if on_world or len(made.roots) > 1 or models.static:
            links.insert(0, Link(WORLD))
            for root in made.roots:
                name = find_free_name(f"{root}_to_world", taken)
                taken.add(name)
                place = models.frames.pose(root, models.links[root].node)
                joints.insert(0, Joint(name, JointType.FIXED, WORLD, root, build_origin(place)))
            if made.roots:
                detail = (
                    "no joint carries them: they are fixed to the world where the file puts them"
                )
                reason = (
                    "the model is static: it is fixed to the world" if models.static else detail
                )
                self.out.translated("link", f"{format_list(made.roots, 8)}: {reason}")
        elif made.roots:
            self.out.translated(
                "pose of the model", f"left out: {made.roots[0]} is the root of the URDF"
            )
        for link, joint in self._frames(taken, {link.name for link in links}):
            links.append(link)
            joints.append(joint)
        detail = (
            f"{format_count(len(models.links), 'link')}, "
            f"{format_count(len(models.joints), 'joint')}"
        )
        self.out.translated("model", detail)
        return Urdf(models.name or self.path.stem, "1.0", tuple(links), tuple(joints))

    def _frames(self, joint_names: set[str], link_names: set[str]) -> list[tuple[Link, Joint]]:
        """A link without shape for each <frame>.

        A frame that is only there to carry another one is the joint of that one: so are URDFs
        written as SDFs.
        """
        frames, parts = self.models.frames, self.models.shown_frames
        carriers = self._carrying_frames()
        made: list[tuple[Link, Joint]] = []
        #: A frame -> the link that it becomes.
        links: dict[str, str] = {}
        for part in parts.values():
            if part.name in carriers.values():
                continue
            joint_frame = carriers.get(part.name, part.name)
            body = frames.body(part.name, part.node)
            parent = frames.frames[joint_frame].carrier or body
            parent = links.get(parent, parent if parent in self.models.links else body)
            if parent == WORLD and WORLD not in link_names:
                self.out.lost(
                    "frame",
                    f"{part.name}: it is attached to the world, which is no link of this robot",
                )
                continue
            taken = part.name in joint_names or part.name in link_names
            name = links[part.name] = find_free_name(
                f"{part.name}_frame" if taken else part.name, link_names
            )
            link_names.add(name)
            joint = find_free_name(
                f"{name}_fixed" if joint_frame == part.name else joint_frame, joint_names
            )
            joint_names.add(joint)
            # The frame of a link that was made of a frame is that frame.
            base = next((frame for frame, link in links.items() if link == parent), parent)
            origin = build_origin(frames.relative(part.name, base, part.node))
            made.append((Link(name), Joint(joint, JointType.FIXED, parent, name, origin)))
        if made:
            names = format_list([link.name for link, _ in made], 8)
            self.out.translated(
                "frame", f"{format_count(len(made), 'link')} without shape: {names}"
            )
        return made

    def _carrying_frames(self) -> dict[str, str]:
        """Frames that are another frame under a second name -> that frame, which carries nothing
        else."""
        frames, parts = self.models.frames, self.models.shown_frames
        used = Counter(frame.carrier for frame in frames.frames.values())
        used.update(frame.base for frame in frames.frames.values() if frame.base != frame.carrier)
        at = {name: frames.frames[name] for name in parts}
        return {
            name: frame.carrier
            for name, frame in at.items()
            if frame.carrier in at
            and frame.base == frame.carrier
            and used[frame.carrier] == 1
            and (frame.pose == np.eye(4)).all()
        }

    # -- the SRDF

    def _srdf(self, urdf: Urdf) -> Srdf:
        free = tuple(
            joint.name for joint in urdf.joints if joint.is_movable and joint.mimic is None
        )
        by_name = {joint.name: joint for joint in urdf.joints}
        starts = {name: by_name[name].clamped(self.joints.starts.get(name, 0.0)) for name in free}
        states: list[GroupState] = []
        if self.joints.starts:
            positions: dict[str, tuple[float, ...]] = {
                name: (value,) for name, value in starts.items()
            }
            states.append(GroupState(_STATE, _GROUP, FrozenDict(positions)))
            self.out.translated(
                "initial_position", f"the state {_STATE} of the group {_GROUP}, and the XRDF"
            )
        groups = (Group(_GROUP, joints=free),) if free else ()
        return Srdf(
            name=urdf.name, groups=groups, states=tuple(states), disabled_pairs=self._disabled(urdf)
        )

    def _disabled(self, urdf: Urdf) -> tuple[CollisionPair, ...]:
        solid = [link.name for link in urdf.links if link.collisions]
        chosen = set(solid)
        reasons: dict[LinkPair, str] = {}
        for parent, child in self.joints.neighbours:
            if parent in chosen and child in chosen:
                reasons[LinkPair.of(parent, child)] = ADJACENT
        if reasons:
            self.out.translated(
                "joints",
                f"{format_count(len(reasons), 'pair')} of neighbours not checked, in SRDF and XRDF",
            )
        off: list[str] = []
        unsaid: list[str] = []
        for name in solid:
            part = self.models.links.get(name)
            if part is None or part.node.is_on("self_collide", bool(part.self_collide)):
                continue
            (off if part.self_collide else unsaid).append(name)
        before = len(reasons)
        for name in off:
            for other in chosen - {name}:
                reasons.setdefault(LinkPair.of(name, other), _SWITCHED_OFF)
        if off:
            detail = (
                f"{format_count(len(reasons) - before, 'pair')} not checked: it is switched off "
                "for "
                f"{format_list(off, 8)}"
            )
            self.out.translated("self_collide", detail)
        if len(unsaid) > 1:
            detail = (
                f"{format_count(len(unsaid), 'link')} checked with each other anyway, although it "
                "is off in the SDF"
            )
            self.out.lost("self_collide", detail)
        return tuple(
            CollisionPair(pair.first, pair.second, reason)
            for pair, reason in sorted(reasons.items())
        )

    # -- the XRDF

    def _xrdf(self, urdf: Urdf, srdf: Srdf) -> XrdfSource:
        """A draft that begins where the file does, and ignores the pairs of the SRDF."""
        plan = plan_control(urdf, srdf)
        if self.joints.starts:
            at = dict(next(iter(srdf.states)).positions)
            positions = {
                name: at[name][0] if name in at else value for name, value in plan.positions.items()
            }
            locked = tuple(replace(each, position=positions[each.joint]) for each in plan.locked)
            plan = replace(plan, positions=FrozenDict(positions), locked=locked, states=(_STATE,))
        # Without a path: no such file was read.
        drafted = read_xrdf(SourceText.from_text(draft_xrdf(urdf, plan)))
        section = drafted.value.self_collision or SelfCollisionSection()
        pairs = dict.fromkeys(section.ignored_pairs(), "") | {
            p.pair: p.reason or "" for p in srdf.disabled_pairs
        }
        section = replace(section, ignore=ignore_mapping(pairs, [link.name for link in urdf.links]))
        text = patch_text(drafted, replace(drafted.value, self_collision=section), pairs)[0]
        detail = (
            "drafted: which joints are controlled, tool frames, acceleration limits; see its "
            "comments"
        )
        self.out.invented("XRDF", detail)
        return read_xrdf(drafted.source.with_text(text))
