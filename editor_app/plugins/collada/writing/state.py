"""State shared by all parts of an exported document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.meshes import MeshParts
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Joint,
)
from editor_app.core.text.xml.morph import build_piece, format_document, format_xml_numbers
from editor_app.core.text.xml.splices import NewElement
from editor_app.plugins.collada.transforms import (
    EXTRA,
    OWN_PROFILE,
    Kept,
    Matrix,
    axis_angle,
    build_origin,
    build_pose_matrix,
    unique_sids,
    with_sids,
)

E = NewElement
#: Id of the only kinematics model.
MODEL = "kmodel0"
_KEPT = re.compile(
    rf'<{EXTRA} where="([^"]*)"(?: of="([^"]*)")?[^>]*>(.*)</{EXTRA}>\s*\Z', re.DOTALL
)
_PLACEHOLDERS = {
    "effort": (PLACEHOLDER_EFFORT,),
    "velocity": (PLACEHOLDER_TURNING_SPEED, PLACEHOLDER_SLIDING_SPEED),
}
_PLACE = re.compile(r'<kept-here number="(\d+)"/>')


@dataclass(eq=False)
class Writing:
    """`links` and `joints` are name -> SID, `number` the place of a link in the URDF."""

    robot: RobotDescription
    mesh_parts: MeshParts | None
    out: Reporter
    #: Folder beside the document.
    pictures: str = "textures"
    structure: KinematicGraph = field(init=False)
    root: str = field(init=False)
    number: dict[str, int] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    world: dict[str, Matrix] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    #: Files beside the document, by their name from there.
    beside: dict[str, bytes] = field(default_factory=dict)
    unwritten: list[tuple[str, str, int]] = field(default_factory=list)
    _raw: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        urdf = self.robot.urdf
        self.structure = KinematicGraph(urdf)
        self.root = self.structure.root or ""
        self.number = {link.name: i for i, link in enumerate(urdf.links)}
        taken: set[str] = set()
        self.links = unique_sids([link.name for link in urdf.links], taken, "_link")
        # URDF keeps the names of links and joints apart, SIDs are of one kind.
        self.joints = unique_sids([joint.name for joint in urdf.joints], taken, "_joint")
        for extension in urdf.extensions:
            match = _KEPT.match(extension.text) if extension.tag == EXTRA else None
            if match is not None:
                self.kept.append(Kept(match.group(1), match.group(3), match.group(2) or ""))
        #: The links of the tree, each before those that hang on it.
        self.order = self.structure.below(self.root)
        for name in self.order:
            joint = self.structure.incoming.get(name)
            place = (
                self.world[joint.parent] @ build_pose_matrix(joint.origin)
                if joint is not None
                else np.eye(4)
            )
            self.world[name] = place

    def depths(self) -> dict[str, int]:
        """How many joints each link of the tree is away from the root."""
        depths: dict[str, int] = {}
        for name in self.order:
            joint = self.structure.incoming.get(name)
            depths[name] = depths[joint.parent] + 1 if joint is not None else 0
        return depths

    @cached_property
    def invented(self) -> list[tuple[str, str]]:
        """(joint, limit) for the limits that an import invented, and that still are what it
        wrote."""
        joints = {j.name: j.limit for j in self.robot.urdf.joints}
        standing: list[tuple[str, str]] = []
        for kept in self.kept:
            limit = joints.get(kept.owner) if kept.where == "invented" else None
            for key in kept.text.split() if limit is not None else ():
                if key in ("lower", "upper") or getattr(limit, key, None) in _PLACEHOLDERS.get(
                    key, ()
                ):
                    standing.append((kept.owner, key))
        return standing

    def used(self) -> list[Joint]:
        """The joints that lead to links of the tree, in the order of the URDF."""
        incoming = self.structure.incoming
        return [
            j
            for j in self.robot.urdf.joints
            if j.child in self.world and incoming.get(j.child) is j
        ]

    def position(self, joint: Joint) -> float:
        """The default position of a joint (rad, m); for a mimic joint, the one that its leader
        gives it."""
        factor, offset, passed = 1.0, 0.0, {joint.name}
        while joint.mimic is not None and joint.name not in self.robot.xrdf.freed_joints:
            leader = self.structure.joints.get(joint.mimic.joint)
            if leader is None or leader.name in passed:
                break
            factor, offset = factor * joint.mimic.multiplier, offset + factor * joint.mimic.offset
            passed.add(leader.name)
            joint = leader
        positions: Mapping[str, float] = self.robot.xrdf.default_joint_positions or {}
        return factor * positions.get(joint.name, 0.0) + offset

    def link_path(self, name: str) -> str:
        return f"{MODEL}/{self.links[name]}"

    def joint_path(self, name: str) -> str:
        return f"{MODEL}/{self.joints[name]}"

    def pieces(self, where: str, owner: str | None = None) -> list[E]:
        """Return the kept elements of a place, and of a link or joint."""
        return [
            self.raw(k.text)
            for k in self.kept
            if k.where == where and (owner is None or k.owner == owner)
        ]

    def raw(self, text: str) -> E:
        """An element that stands for a text with names, which gets SIDs and is written word for
        word."""
        self._raw.append(with_sids(text, self.links, self.joints, MODEL))
        return build_piece("kept-here", number=str(len(self._raw) - 1))

    def document(self, root: E) -> str:
        """The text of the document, with what was kept in its places."""
        return _PLACE.sub(
            lambda m: self._raw[int(m.group(1))], format_document(root, encoding="utf-8")
        )


def write_pose(matrix: Matrix, always: bool = False) -> tuple[E, ...]:
    """A translate and a rotate; nothing for no motion unless `always`."""
    origin = build_origin(matrix)
    if origin == Origin() and not always:
        return ()
    return build_piece("translate", text=format_xml_numbers(origin.xyz)), build_piece(
        "rotate", text=format_xml_numbers(axis_angle(matrix))
    )


def truth(value: bool) -> E:
    return build_piece("bool", text="true" if value else "false")


def own_extra(kind: str, *elements: E) -> E:
    """An <extra> for this editor alone."""
    return build_piece("extra", build_piece("technique", *elements, profile=OWN_PROFILE), type=kind)


def openrave_extra(kind: str, elements: Sequence[E], name: str | None = None) -> E:
    named = {} if name is None else {"name": name}
    return build_piece(
        "extra", build_piece("technique", *elements, profile="OpenRAVE"), type=kind, **named
    )
