"""Signatures of ignored pairs: who decided, when and why, and digests of everything that the
decision rests on.

    - cable_guide  # touches on purpose; signed A. Meyer 2026-11-29 sha:0a1b2c3d-…-0a1b2c3d

The signature is part of the reason of a pair: a comment in an XRDF, an attribute in an SRDF. The
four digests are of the joints between the two links, of their limits, and of the spheres and
collision shapes of the two links. A digest that differs withdraws the signature. Names of joints,
comments and the spelling of numbers do not matter.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.document import Document
from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.model.inputs import digest_of
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Collision, Mesh
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.space.kinematics.tree import KinematicTree, get_tree
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.masks.engine.model import collect_self_spheres

#: The parts of a digest, in their order, as sentences name them.
PARTS = (
    "the joints between them",
    "joint limits",
    "spheres or buffers",
    "collision shapes or meshes",
)
#: Hexadecimal digits of each part.
_DIGITS = 8
_SIGNED = re.compile(
    r"\bsigned\b[ :]*(?P<name>.*?)[ ,]*\b(?P<date>\d{4}-\d{2}-\d{2})\b(?P<rest>.*)", re.IGNORECASE
)
_DIGEST = re.compile(
    rf"\bsha:(?P<parts>[0-9a-f]{{{_DIGITS}}}(?:-[0-9a-f]{{{_DIGITS}}}){{{len(PARTS) - 1}}})(?![0-9a-f-])"
)


@dataclass(frozen=True, slots=True)
class Signature:
    """`date`: as 2026-11-29. `digests`: one per part of `PARTS`; empty if the signature has none or
    damaged ones."""

    name: str
    date: str
    reason: str
    digests: tuple[str, ...] = ()
    is_damaged: bool = False

    @property
    def text(self) -> str:
        """The reason of a pair with the signature, as files have it."""
        reason = f"{self.reason}; " if self.reason else ""
        digests = f" sha:{'-'.join(self.digests)}" if self.digests else ""
        return f"{reason}signed {self.name} {self.date}{digests}"

    @property
    def told(self) -> str:
        return f"signed by {self.name or 'nobody'} on {self.date}"

    def changed_parts(self, digests: tuple[str, ...]) -> tuple[str, ...]:
        """Return the parts that changed since; empty for a signature without digests, which holds
        for any state."""
        if self.is_damaged:
            return ("the signature itself",)
        if not self.digests:
            return ()
        return tuple(
            part for part, old, new in zip(PARTS, self.digests, digests, strict=True) if old != new
        )


def read_signature(reason: str) -> Signature | None:
    """Return the signature in the reason of a pair; None without one."""
    signed = _SIGNED.search(reason)
    if signed is None:
        return None
    digest = _DIGEST.search(signed["rest"])
    more = signed["rest"] if digest is None else signed["rest"][: digest.start()]
    is_damaged = digest is None and "sha:" in signed["rest"]
    words = reason[: signed.start()].rstrip(" ;,") or more.partition("sha:")[0].strip(" ;,")
    digests = () if digest is None else tuple(digest["parts"].split("-"))
    return Signature(signed["name"].strip(), signed["date"], words, digests, is_damaged)


def pair_reasons(document: Document, file: MaskFile) -> Mapping[LinkPair, str]:
    """Return the reasons of the ignored pairs of a file."""
    if file is MaskFile.XRDF:
        return read_reasons(document.xrdf_now)
    pairs = () if document.robot.srdf is None else document.robot.srdf.disabled_pairs
    return {each.pair: each.reason or "" for each in pairs}


def usual_mask_file(robot: RobotDescription) -> MaskFile:
    """Return the file whose mask counts: the XRDF, or the SRDF of a robot whose XRDF has no
    mask."""
    has_srdf_only = robot.xrdf.self_collision is None and robot.srdf is not None
    return MaskFile.SRDF if has_srdf_only else MaskFile.XRDF


def pair_digests(placed: PlacedRobot, pair: LinkPair) -> tuple[str, ...]:
    """Return the digests of the present state of a pair, one per part of `PARTS`."""
    tree = get_tree(placed.robot)
    # In the order of the tree, which other names do not change.
    names = sorted((pair.first, pair.second), key=lambda name: tree.index.get(name, -1))
    parts = (*_chain(tree, names), _spheres(placed.robot, names), _shapes(placed, names))
    return tuple(
        hashlib.sha256(repr(part).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        for part in parts
    )


def _chain(tree: KinematicTree, names: Sequence[str]) -> tuple[object, object]:
    """Return the joints from one link to the other without their names, and the limits of the
    joints that move them."""
    if any(name not in tree.index for name in names):
        return "missing", "missing"
    joints, limits = [], []
    leaders: dict[str, int] = {}
    for joint in tree.path(*names):
        follow = tree.follows.get(joint.name)
        mover: tuple[object, ...] = ()
        if follow is not None:
            leader = (
                -1 if follow.source is None else leaders.setdefault(follow.source, len(leaders))
            )
            mover = (leader, _number(follow.multiplier), _number(follow.offset))
            span = (
                None
                if follow.source is None
                else tree.joints[tree.joint_index[follow.source]].limits
            )
            limits.append(None if span is None else tuple(map(_number, span)))
        is_fixed = not joint.is_movable
        axis = () if is_fixed else tuple(map(_number, joint.axis.tolist()))
        places = tuple(_number(value) for value in joint.origin[:3].ravel().tolist())
        joints.append((joint.type.value, places, axis, mover))
    return joints, limits


def _spheres(robot: RobotDescription, names: Sequence[str]) -> object:
    """Return the spheres of both links with their buffers, in no order."""
    by_frame = collect_self_spheres(robot.xrdf, names)
    return [
        sorted(
            (*map(_number, sphere.center), _number(radius))
            for _, sphere, radius in by_frame.get(frame, ())
        )
        for frame in names
    ]


def _shapes(placed: PlacedRobot, names: Sequence[str]) -> object:
    """Return the collision shapes of both links, meshes by their content."""
    links = map(placed.robot.urdf.link, names)
    return [
        () if link is None else sorted(map(repr, _shapes_of(placed, link.collisions)))
        for link in links
    ]


def _shapes_of(placed: PlacedRobot, shapes: tuple[Collision, ...]) -> Iterator[object]:
    for shape in shapes:
        content: Any = shape.geometry
        if isinstance(content, Mesh):
            path = resolve_mesh_path(content.filename, placed.urdf_path, placed.packages)
            content = (_content(path), content.scale)
        yield shape.origin, content


def _content(path: Path | None) -> str | None:
    """Return the digest of a mesh file; None for one that cannot be read."""
    try:
        return None if path is None else digest_of(path)
    except (OSError, ValueError):
        return None


def _number(value: float) -> float:
    """Return a number without the digits that rounding changes: nanometres and nanoradians stay."""
    return round(value, 9) + 0.0
