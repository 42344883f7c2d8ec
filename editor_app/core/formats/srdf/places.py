"""Links of the groups of an SRDF in its URDF, and where the groups begin and end; Tesseract's
calibration files.

Those are other origins for joints, by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.srdf_groups import list_group_links
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain, read_finite_number


def group_tip(srdf: Srdf, urdf: Urdf, name: str) -> str | None:
    """The link to which the poses of a group's tools refer; None when there is no single one.

    The tip of the last chain, else the link that is furthest down and has no other branch of the
    group beside it.
    """
    structure = KinematicGraph(urdf)
    return _tip(srdf, structure, name, frozenset())


def group_base(srdf: Srdf, urdf: Urdf, name: str) -> str | None:
    """The link that a group begins at: the base of its first chain, else its uppermost link."""
    group = srdf.group(name)
    structure = KinematicGraph(urdf)
    if group is not None and group.chains and group.chains[0][0] in structure.links:
        return group.chains[0][0]
    links = list_group_links(srdf, group, structure) if group is not None else ()
    return min(links, key=lambda link: len(structure.path_up(link)), default=None)


def _tip(srdf: Srdf, structure: KinematicGraph, name: str, within: frozenset[str]) -> str | None:
    group = srdf.group(name)
    if group is None or name in within:
        return None
    for _, tip in reversed(group.chains):
        if tip in structure.links:
            return tip
    direct_links = [structure.joints[j].child for j in group.joints if j in structure.joints]
    direct_links += [link for link in group.links if link in structure.links]
    if direct_links:
        # What no other link of the group hangs on.
        ends = [
            link
            for link in dict.fromkeys(direct_links)
            if {*structure.below(link)} & {*direct_links} == {link}
        ]
        return ends[0] if len(ends) == 1 else None
    tips = dict.fromkeys(_tip(srdf, structure, inner, within | {name}) for inner in group.subgroups)
    return next(iter(tips)) if len(tips) == 1 else None


@dataclass(frozen=True, slots=True)
class CalibratedOrigins:
    """Joint -> its calibrated origin in its parent link. `notes` say what could not be read."""

    origins: FrozenDict[str, Origin]
    notes: tuple[str, ...] = ()

    def applied(self, urdf: Urdf) -> Urdf:
        """The robot with the calibrated origins, for showing; joints that it does not have do not
        matter."""
        joints = tuple(
            replace(j, origin=self.origins[j.name]) if j.name in self.origins else j
            for j in urdf.joints
        )
        return urdf if joints == urdf.joints else replace(urdf, joints=joints)


def read_calibration(source: SourceText) -> CalibratedOrigins:
    """`calibration: joints: NAME: {position: {x, y, z}, orientation: {x, y, z, w}}`. Raises
    FormatError."""
    value = load_plain(source)
    outer = value.get("calibration") if isinstance(value, dict) else None
    joints = outer.get("joints") if isinstance(outer, dict) else None
    if not isinstance(joints, dict):
        raise FormatError(
            "calibration.joints is missing",
            source.location(0),
            "Is this a calibration file of Tesseract?",
        )
    origins: dict[str, Origin] = {}
    notes: list[str] = []
    for name, entry in joints.items():
        position = _parts(entry, "position", "xyz")
        turn = _parts(entry, "orientation", "xyzw")
        if position is None or turn is None or not any(turn):
            notes.append(
                f"joint {name}: position (x, y, z) and orientation (x, y, z, w) are needed; it is "
                "ignored"
            )
            continue
        x, y, z = position
        qx, qy, qz, qw = turn
        origins[str(name)] = Origin((x, y, z), quat_xyzw=(qx, qy, qz, qw))
    return CalibratedOrigins(FrozenDict(origins), tuple(notes))


def _parts(entry: object, key: str, names: str) -> tuple[float, ...] | None:
    inner = entry.get(key) if isinstance(entry, dict) else None
    values = (
        [read_finite_number(inner.get(n)) for n in names] if isinstance(inner, dict) else [None]
    )
    return None if None in values else tuple(v for v in values if v is not None)
