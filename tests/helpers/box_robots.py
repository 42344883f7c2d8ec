"""Robots of boxes, for tests of masks: parts that reach over joints which they are not held by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.verbs.open import open_robot

#: Link -> size and middle of its box, metres; None for a link without shapes.
Boxes = Mapping[str, tuple[Sequence[float], Sequence[float]] | None]
#: Name, type, parent, child, place of the joint, axis, limits.
Joints = Sequence[tuple[str, str, str, str, Sequence[float], Sequence[float], tuple[float, float]]]

#: A camera mast on the base, behind the first link, which slews.
MAST: tuple[Boxes, Joints] = (
    {
        "base": ((0.6, 0.2, 0.02), (0.0, 0.0, 0.0)),
        "mast": ((0.05, 0.05, 0.5), (0.0, 0.0, 0.25)),
        "a": ((0.4, 0.05, 0.05), (0.2, 0.0, 0.1)),
        "b": ((0.2, 0.04, 0.04), (0.1, 0.0, 0.0)),
    },
    (
        ("bolt", "fixed", "base", "mast", (-0.25, 0.0, 0.0), (1, 0, 0), (0, 0)),
        ("j1", "revolute", "base", "a", (0.0, 0.0, 0.05), (0, 0, 1), (-3.1, 3.1)),
        ("j2", "revolute", "a", "b", (0.45, 0.0, 0.1), (0, 0, 1), (-1.0, 1.0)),
    ),
)
#: A bracket on the flange that reaches back beside the wrist, whose motor sticks out.
BRACKET: tuple[Boxes, Joints] = (
    {
        "base": ((0.1, 0.1, 0.1), (0.0, 0.0, -0.05)),
        "wrist": ((0.06, 0.24, 0.1), (0.0, 0.08, 0.06)),
        "flange": ((0.05, 0.05, 0.02), (0.0, 0.0, 0.01)),
        "bracket": ((0.02, 0.02, 0.12), (0.1, 0.0, -0.04)),
    },
    (
        ("j1", "revolute", "base", "wrist", (0.0, 0.0, 0.01), (0, 0, 1), (-2.0, 2.0)),
        ("j2", "revolute", "wrist", "flange", (0.0, 0.0, 0.115), (0, 0, 1), (-3.0, 3.0)),
        ("bolt", "fixed", "flange", "bracket", (0.0, 0.0, 0.01), (1, 0, 0), (0, 0)),
    ),
)
#: A camera on the last link of a wrist, that meets the forearm when the wrist bends.
CAMERA: tuple[Boxes, Joints] = (
    {
        "forearm": ((0.06, 0.06, 0.4), (0.0, 0.0, 0.2)),
        "wrist": ((0.05, 0.05, 0.05), (0.0, 0.0, 0.03)),
        "tool": None,
        "camera": ((0.04, 0.04, 0.1), (0.08, 0.0, -0.02)),
    },
    (
        ("j1", "revolute", "forearm", "wrist", (0.0, 0.0, 0.41), (0, 1, 0), (-1.9, 1.9)),
        ("mount", "fixed", "wrist", "tool", (0.0, 0.0, 0.06), (1, 0, 0), (0, 0)),
        ("bolt", "fixed", "tool", "camera", (0.0, 0.0, 0.0), (1, 0, 0), (0, 0)),
    ),
)
#: Two arms on a body without shapes: siblings, which are no parent and child.
TWO_ARMS: tuple[Boxes, Joints] = (
    {
        "body": None,
        "left": ((0.3, 0.04, 0.04), (0.15, 0.0, 0.0)),
        "right": ((0.3, 0.04, 0.04), (0.15, 0.0, 0.0)),
    },
    (
        ("j1", "revolute", "body", "left", (0.0, 0.1, 0.0), (0, 0, 1), (-1.5, 1.5)),
        ("j2", "revolute", "body", "right", (0.0, -0.1, 0.0), (0, 0, 1), (-1.5, 1.5)),
    ),
)
#: A hand whose fingers touch when it is closed.
HAND: tuple[Boxes, Joints] = (
    {
        "arm": ((0.1, 0.1, 0.1), (0.0, 0.0, 0.05)),
        "palm": ((0.1, 0.1, 0.04), (0.0, 0.0, 0.03)),
        "one": ((0.02, 0.02, 0.06), (0.0, 0.0, 0.03)),
        "other": ((0.02, 0.02, 0.06), (0.0, 0.0, 0.03)),
    },
    (
        ("turn", "revolute", "arm", "palm", (0.0, 0.0, 0.1), (0, 0, 1), (-3.0, 3.0)),
        ("j1", "prismatic", "palm", "one", (0.0, 0.0, 0.06), (0, 1, 0), (0.0, 0.03)),
        ("j2", "prismatic", "palm", "other", (0.0, 0.0, 0.06), (0, -1, 0), (0.0, 0.03)),
    ),
)


def box_urdf(boxes: Boxes, joints: Joints) -> str:
    """The text of a URDF."""

    def numbers(values: Sequence[float]) -> str:
        return " ".join(map(str, values))

    parts = []
    for name, box in boxes.items():
        shape = ""
        if box is not None:
            size, middle = box
            shape = f'<origin xyz="{numbers(middle)}"/><geometry><box size="{numbers(size)}"/></geometry>'
        parts.append(f'<link name="{name}">{f"<collision>{shape}</collision>" if shape else ""}</link>')
    for name, kind, parent, child, xyz, axis, (lower, upper) in joints:
        limit = f'<limit lower="{lower}" upper="{upper}" effort="9" velocity="1"/>'
        parts.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{numbers(xyz)}"/><axis xyz="{numbers(axis)}"/>{limit}</joint>'
        )
    return f'<robot name="boxes">{"".join(parts)}</robot>'


def box_xrdf(boxes: Boxes, joints: Joints, mask: str | None) -> str:
    """The text of an XRDF with one small sphere in the middle of each box; `mask`: the value of `ignore`, as YAML.

    None: there is no section self_collision.
    """
    names = [joint[0] for joint in joints if joint[1] != "fixed"]
    ones = ", ".join("1.0" for _ in names)
    spheres = "".join(
        f"      {name}: [{{center: [{', '.join(map(str, box[1]))}], radius: {0.5 * min(box[0])}}}]\n"
        for name, box in boxes.items()
        if box is not None
    )
    section = "" if mask is None else f"self_collision: {{geometry: g, ignore: {mask}}}\n"
    return (
        "format: xrdf\nformat_version: 1.0\n"
        f"cspace: {{joint_names: [{', '.join(names)}], acceleration_limits: [{ones}], jerk_limits: [{ones}]}}\n"
        f"tool_frames: [{list(boxes)[-1]}]\ncollision: {{geometry: g}}\n{section}"
        f"geometry:\n  g:\n    spheres:\n{spheres}"
    )


def box_files(folder: Path, robot: tuple[Boxes, Joints], mask: str | None = "{}") -> tuple[Path, Path]:
    """Writes URDF and XRDF."""
    urdf, xrdf = folder / "r.urdf", folder / "r.xrdf"
    urdf.write_text(box_urdf(*robot), encoding="utf-8")
    xrdf.write_text(box_xrdf(*robot, mask), encoding="utf-8")
    return urdf, xrdf


def box_robot(folder: Path, robot: tuple[Boxes, Joints], mask: str | None = "{}") -> Document:
    """The same, opened."""
    return open_robot(*box_files(folder, robot, mask))
