"""Compare a USD with the URDF and XRDF of the same robot: differences with prims, lines and
fixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.comparison import Difference
from editor_app.core.formats.exchange.import_notes import read_import_note
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Finding, Location
from editor_app.core.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
)
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw
from editor_app.plugins.comparison.verbs.diff import RobotDiff, RobotSide, diff
from editor_app.plugins.usd.over_names import StageNames, match_names
from editor_app.plugins.usd.over_stage import StageBelow, read_stage_of
from editor_app.plugins.usd.reading.values import ReadStage

#: Random configurations, metres or radians between frames, and shares of numbers, which single
#: precision leaves.
_SAMPLES, _FAR, _SHARE = 256, 5e-6, 2e-6
_MOST = 6
_UNSTATED = (PLACEHOLDER_EFFORT, PLACEHOLDER_SLIDING_SPEED, PLACEHOLDER_TURNING_SPEED)
_LAYER = "To bring the URDF's value into the USD, export a layer over it (convert --usd-form layer)"


def stage_differences(context: CheckContext, usd: Path) -> Iterator[Finding]:
    """Yield what differs between the robot of a context and a USD. Raises FormatError for one that
    cannot be read."""
    source = context.urdf_source.source if context.urdf_source is not None else None
    note = read_import_note(source) if source is not None else None
    choices = note.choices if note is not None and note.path.resolve() == usd.resolve() else {}
    below = StageBelow(usd, usd.name, choices.get("robot"), choices.get("usd_variants"))
    read = read_stage_of(below, context.urdf, context.mappings)
    try:
        names = match_names(context.urdf, read, Location(str(usd)))
    except FormatError as error:
        yield flaw(ERROR, error.message, code="ISAAC001", location=error.location)
        return
    yield from _Comparison(context, usd, read, names).findings()


@dataclass(frozen=True)
class _Comparison:
    context: CheckContext
    usd: Path
    read: ReadStage
    names: StageNames

    def findings(self) -> Iterator[Finding]:
        pairs = (*self.names.links.items(), *self.names.joints.items())
        renamed = [f"{theirs}={ours}" for ours, theirs in dict.fromkeys(pairs) if ours != theirs]
        sides = (
            RobotSide(self.usd, {"urdf": self.read.urdf}),
            RobotSide(self._urdf_path, {"urdf": self.context.urdf}),
        )
        result = diff(*sides, names=renamed, samples=_SAMPLES)
        moved = []
        for difference in result.differences["urdf"]:
            kind, _, rest = difference.path.partition(".")
            # A part that only one of the two has: its name is the value.
            rest = rest or str(difference.old or difference.new)
            if kind == "links":
                yield from self._of_link(difference, rest)
            elif kind == "joints":
                name = _name_in(rest, {joint.name: joint for joint in self.context.urdf.joints})
                if rest.removeprefix(f"{name}.").startswith(("origin", "axis")):
                    moved.append(name)
                else:
                    yield from self._of_joint(difference, rest, name)
        yield from self._of_frames(result, moved)
        yield from self._of_mask()

    @property
    def _urdf_path(self) -> Path:
        return self.context.urdf_path or Path("robot.urdf")

    def _of_link(self, difference: Difference, rest: str) -> Iterator[Finding]:
        links = {link.name: link for link in self.context.urdf.links}
        name, source = _name_in(rest, links), self.context.urdf_source
        place = source.link_location(name) if source is not None else None
        is_part = difference.path == "links"
        if is_part and difference.new is None and rest in self.read.places.bodies:
            prim = self.read.places.links[rest].prim.path
            message = (
                f"{self.usd.name} has the body {prim}, which is no link of the URDF. Add the link, "
                "or remove the body"
            )
            yield flaw(WARNING, message, code="ISAAC001", location=Location(str(self.usd)))
        elif is_part and difference.old is None:
            link = links[name]
            severity = WARNING if link.inertial is not None or link.shapes else INFO
            message = (
                f"{self.usd.name} has no prim for the link {name!r}. Importers that merge fixed "
                "joints leave such "
                "links out: import the URDF again without merging, or leave the link out of "
                "spheres and mask"
            )
            yield flaw(severity, message, links=(name,), code="ISAAC001", location=place)
        elif (
            not is_part
            and rest.removeprefix(f"{name}.").startswith("inertial")
            and not _is_small(difference)
        ):
            place = source.inertial_location(name) or place if source is not None else None
            message = (
                f"{self._field(rest, name)} of {name!r} ({self._prim(name)}): USD, then URDF: "
                f"{difference.sentence}"
            )
            yield flaw(
                WARNING, f"{message}. {_LAYER}", links=(name,), code="ISAAC003", location=place
            )

    def _of_joint(self, difference: Difference, rest: str, name: str) -> Iterator[Finding]:
        source = self.context.urdf_source
        place = source.joint_location(name) if source is not None else None
        theirs = self.names.joints.get(name, name)
        joint = self.read.places.joints.get(theirs)
        is_part = difference.path == "joints"
        if is_part and difference.old is None:
            carries = self.context.urdf_joints[name].child in self.names.links
            message = f"{self.usd.name} has no joint {name!r}. Import the URDF again"
            yield flaw(
                ERROR if carries else INFO, message, joints=(name,), code="ISAAC001", location=place
            )
        elif is_part:
            joint = self.read.places.joints.get(rest)
            if joint is not None:
                message = (
                    f"{self.usd.name} has the joint {joint.prim.path}, which the URDF has not. "
                    "Import the URDF again"
                )
                yield flaw(WARNING, message, code="ISAAC001", location=Location(str(self.usd)))
        elif not _is_small(difference):
            field = self._field(rest, name)
            at = f" ({joint.prim.path})" if joint is not None else ""
            if difference.old in _UNSTATED and field.endswith(("effort", "velocity")):
                message = (
                    f"{self.usd.name} states no {field.rpartition('.')[2]} limit of {name!r}{at}. "
                    f"{_LAYER}"
                )
                yield flaw(INFO, message, joints=(name,), code="ISAAC002", location=place)
                return
            severity = ERROR if field.startswith(("type", "mimic", "parent", "child")) else WARNING
            severity = INFO if field.startswith(("dynamics", "safety", "calibration")) else severity
            message = f"{field} of {name!r}{at}: USD, then URDF: {difference.sentence}. {_LAYER}"
            yield flaw(severity, message, joints=(name,), code="ISAAC002", location=place)

    def _of_frames(self, result: RobotDiff, moved: list[str]) -> Iterator[Finding]:
        deviations = result.deviations
        frames = deviations.frames if deviations is not None else ()
        apart = [frame for frame in frames if max(frame.distance, frame.angle) > _FAR]
        if not apart or deviations is None:
            return
        worst, source = apart[0], self.context.urdf_source
        joints = tuple(dict.fromkeys(moved))
        place = source.joint_location(joints[0]) if source is not None and joints else None
        at = " ".join(f"{joint}={worst.farthest[joint]:.4g}" for joint in deviations.moved)
        where = f" at {at}" if at else ""
        prims = [
            p.prim.path
            for j in joints
            if (p := self.read.places.joints.get(self.names.joints.get(j, j))) is not None
        ]
        causes = (
            f" Their joints have other origins or axes: {format_list(prims, _MOST)}."
            if prims
            else ""
        )
        count = format_count(len(apart), "frame")
        differ = (
            f"{count} of {self.usd.name} and the URDF differ in {deviations.configurations:,} "
            "configurations"
        )
        largest = f"{worst.frame} by up to {worst.told} and {worst.told_turn}{where}"
        message = (
            f"{differ}: {largest}.{causes} Import the URDF again, or correct the origins that "
            "changed"
        )
        names = tuple(frame.frame for frame in apart)
        yield flaw(ERROR, message, links=names, joints=joints, code="ISAAC002", location=place)

    def _of_mask(self) -> Iterator[Finding]:
        xrdf = self.context.xrdf
        if not self.context.has_xrdf or xrdf.self_collision is None:
            return
        if any(entry.item == "self collisions" for entry in self.read.report.entries):
            # The simulation leaves out all pairs of the robot.
            return
        solid, apart = self._solid_and_apart()
        ignored = xrdf.ignored_pairs()
        touching = sorted(p for p in ignored - apart if p.first in solid and p.second in solid)
        modelled = {
            name
            for name, spheres in xrdf.spheres_of(xrdf.self_group or xrdf.world_group).items()
            if spheres
        }
        checked = sorted(p for p in apart - ignored if p.first in modelled and p.second in modelled)
        if touching:
            message = (
                f"the XRDF ignores {format_count(len(touching), 'pair')} that may touch in "
                f"{self.usd.name}: "
                f"{_told(touching)}. Export the mask in a layer over the USD (convert --usd-form "
                "layer)"
            )
            yield flaw(WARNING, message, code="ISAAC004", location=Location(str(self.usd)))
        if checked:
            message = (
                f"the XRDF checks {format_count(len(checked), 'pair')} that cannot touch in "
                f"{self.usd.name}: "
                f"{_told(checked)}. Ignore these pairs, if the robot cannot bring them together"
            )
            yield flaw(INFO, message, code="ISAAC004", location=Location(str(self.usd)))

    def _solid_and_apart(self) -> tuple[set[str], set[LinkPair]]:
        """Return the links with colliders in the USD, and the pairs that cannot touch there."""
        ours = {theirs: name for name, theirs in self.names.links.items()}
        solid = {
            ours[link.name]
            for link in self.read.urdf.links
            if link.collisions and link.name in ours
        }
        apart = {
            LinkPair.of(ours[each.pair.first], ours[each.pair.second])
            for each in self.read.pairs
            if each.pair.first in ours and each.pair.second in ours
        }
        return solid, apart

    def _prim(self, name: str) -> str:
        link = self.read.places.links.get(self.names.links.get(name, name))
        return link.prim.path if link is not None else "no prim"

    def _field(self, rest: str, name: str) -> str:
        return rest.removeprefix(f"{name}.")


def _name_in(rest: str, names: Mapping[str, object]) -> str:
    """The name at the beginning of the rest of a path; names may have dots."""
    fitting = (name for name in names if rest == name or rest.startswith(f"{name}."))
    return max(fitting, key=len, default=rest)


def _is_small(difference: Difference) -> bool:
    """Whether two values differ by single precision alone."""
    values: list[Any] = [difference.old, difference.new]
    try:
        old, new = (np.asarray(value, dtype=float) for value in values)
    except (TypeError, ValueError):
        return False
    return old.shape == new.shape and bool(
        np.abs(old - new).max(initial=0.0) <= _SHARE * np.abs(new).max(initial=0.0) + 1e-9
    )


def _told(pairs: list[LinkPair]) -> str:
    return format_list([f"{pair.first} and {pair.second}" for pair in pairs], _MOST)
