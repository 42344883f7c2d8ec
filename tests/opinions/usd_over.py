"""Layers over USD files of robots, after edits of every kind: what usd-core composes of both, and
what is read back.

    nice python -P -m tests.opinions usd_over ROBOT.usd …

Each robot is imported, its masses, limits, dynamics, origins of joints, shapes, spheres, pairs and
colours are changed, and a layer is written over its USD. Prints what does not come back; 0 where
everything does and the bytes of the USD are the same.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Usd

from editor_app.core.document import commands
from editor_app.core.document.comparison import compare_urdf
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.model.urdf import Dynamics, Inertial, Joint, JointType, Material, Origin, Urdf
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.space.kinematics.transforms import build_origin, build_pose_matrix
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.convert import ConvertOptions, convert, write_conversion
from editor_app.plugins.usd.reading.stage import read_stage

#: Difference of numbers that single precision leaves, relative and in SI units.
PRECISION = 2e-5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="ROBOT.usd")


def run(options: argparse.Namespace) -> int:
    wrong = 0
    for path in options.files:
        try:
            faults, counts = faults_of(path)
        except FormatError as error:
            print(f"no robot {path}: {str(error)[:120]}", flush=True)
            continue
        wrong += bool(faults)
        print(
            f"{'differs' if faults else 'same   '} {path}: {counts}",
            *faults[:12],
            sep="\n    ",
            flush=True,
        )
    return 1 if wrong else 0


def faults_of(path: Path) -> tuple[list[str], str]:
    """Return what is not as it was edited after a round through a layer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "asset")
        shutil.copytree(path.parent, folder)
        stage = folder / path.name
        before = {
            each: hashlib.sha256(each.read_bytes()).hexdigest()
            for each in folder.rglob("*")
            if each.is_file()
        }
        imported = folder / "imported.urdf"
        write_conversion(convert([stage], imported))
        document = open_document(imported)
        _edit(document)
        output = folder / "changed_layer.usda"
        conversion = convert(document, output, ConvertOptions.of(to="usd", usd_form="layer"))
        write_conversion(conversion)
        lost = [str(e) for report in conversion.reports for e in report.entries if e.fate == "lost"]
        faults = [
            line for line in lost if not line.startswith(("lost: cspace", "lost: tool_frames"))
        ]
        faults += [f"bytes of {each.name}" for each, digest in before.items()
                   if hashlib.sha256(each.read_bytes()).hexdigest() != digest]  # fmt: skip
        composed, bare = Usd.Stage.Open(str(output)), Usd.Stage.Open(str(stage))
        if len(composed.GetCompositionErrors()) > len(bare.GetCompositionErrors()):
            faults.append("usd-core does not compose the layer")
        undefined = {str(prim.GetPath()) for prim in bare.TraverseAll() if not prim.IsDefined()}
        faults += [f"no prim {prim.GetPath()}" for prim in composed.TraverseAll()
                   if not prim.IsDefined() and str(prim.GetPath()) not in undefined]  # fmt: skip
        read = read_stage(output)
        faults += _differences(document, read.urdf)
        wanted = {
            n: s
            for n, s in document.robot.xrdf.spheres_of(document.robot.xrdf.self_group).items()
            if s
        }
        for link in {*wanted, *read.spheres}:
            rows = [
                np.array([[*s.center, s.radius] for s in each.get(link, ())])
                for each in (wanted, read.spheres)
            ]
            if rows[0].shape != rows[1].shape or np.abs(rows[0] - rows[1]).max(initial=0.0) > 1e-6:
                faults.append(f"spheres of {link}: {rows[0].tolist()} became {rows[1].tolist()}")
        pairs = {LinkPair.of(each.pair.first, each.pair.second) for each in read.pairs}
        ours, solid = (
            document.robot.xrdf.ignored_pairs(),
            {link.name for link in read.urdf.links if link.collisions},
        )
        missing = [p for p in ours - pairs if p.first in solid and p.second in solid]
        faults += [f"pairs {missing} are checked"] if missing else []
        over = composed.GetRootLayer()
        counts = (
            f"{len(document.robot.urdf.links)} links, {len(document.robot.urdf.joints)} joints, "
        )
        return (
            faults,
            counts
            + (
                f"{len(over.ExportToString().splitlines())} lines of layer, {len(wanted)} with "
                "spheres"
            ),
        )


def _edit(document: Document) -> None:
    random = np.random.default_rng(1)
    urdf = document.robot.urdf
    bodies = [link for link in urdf.links if link.inertial is not None and link.shapes]
    for link in bodies[::2]:
        if link.inertial is not None:
            document.execute(
                commands.SetLink(link.name, replace(link, inertial=_heavier(link.inertial)))
            )
    for joint in urdf.joints:
        if joint.is_movable:
            document.execute(commands.SetJoint(joint.name, _changed_joint(joint)))
    for name in [
        joint.name for joint in urdf.joints if joint.parent in {link.name for link in bodies}
    ][::2]:
        moved = document.robot.urdf.joint(name)
        assert moved is not None
        matrix = build_pose_matrix(moved.origin) @ build_pose_matrix(_MOVE)
        document.execute(commands.SetJoint(name, replace(moved, origin=build_origin(matrix))))
    for link in bodies[1::2]:
        here = document.robot.urdf.link(link.name)
        assert here is not None
        shown, solid = tuple(map(_moved, here.visuals)), tuple(map(_moved, here.collisions))
        document.execute(
            commands.SetLink(link.name, replace(here, visuals=shown, collisions=solid))
        )
    group = document.robot.xrdf.self_group or ""
    names = [link.name for link in bodies]
    added = tuple(
        LinkPair.of(first, second) for first, second in zip(names, names[3:], strict=False)
    )
    document.execute(commands.SetMask(pairs=added))
    for number, link in enumerate(bodies[::2]):
        colour = Material(f"paint {number}", (0.9, 0.1, round(number / 100, 2), 0.5))
        seen = document.robot.urdf.link(link.name)
        assert seen is not None
        if seen.visuals:
            visuals = tuple(replace(visual, material=colour) for visual in seen.visuals)
            document.execute(commands.SetLink(link.name, replace(seen, visuals=visuals)))
        spheres = [
            CollisionSphere(tuple(random.uniform(-0.1, 0.1, 3).tolist()), 0.05) for _ in range(2)
        ]
        document.execute(commands.AddSpheres(group, link.name, tuple(spheres)))


#: Metres and radians by which joints and shapes are moved.
_MOVE = Origin((0.02, -0.03, 0.01), (0.2, -0.1, 0.3))


def _moved(shape: Any) -> Any:
    matrix = build_pose_matrix(_MOVE) @ build_pose_matrix(shape.origin)
    return replace(shape, origin=build_origin(matrix))


def _heavier(inertial: Inertial) -> Inertial:
    x, y, z = inertial.origin.xyz
    origin = replace(inertial.origin, xyz=(x + 0.01, y, z - 0.02))
    return Inertial(inertial.mass * 1.25, tuple(1.5 * v for v in inertial.inertia), origin)  # type: ignore[arg-type]


def _changed_joint(joint: Joint) -> Joint:
    limit = joint.limit
    assert limit is not None
    limit = replace(
        limit, velocity=(limit.velocity or 1.0) * 0.5, effort=(limit.effort or 1.0) * 0.5
    )
    if joint.position_limits is not None and joint.type is not JointType.CONTINUOUS:
        lower, upper = joint.position_limits
        if np.isfinite([lower, upper]).all():
            limit = replace(
                limit, lower=lower + 0.1 * (upper - lower), upper=upper - 0.2 * (upper - lower)
            )
    return replace(joint, limit=limit, dynamics=Dynamics(0.25, 0.125))


def _differences(document: Document, read: Urdf) -> list[str]:
    """Return the differences of the URDF, but for names of mesh files."""
    differences = compare_urdf(document.robot.urdf, read, PRECISION)
    return [
        f"{d.path}: {d.sentence}"
        for d in differences
        if "filename" not in d.path and not _is_small(d.old, d.new)
    ]


def _is_small(old: object, new: object) -> bool:
    try:
        ours, theirs = np.asarray(old, dtype=float), np.asarray(new, dtype=float)
    except (TypeError, ValueError):
        return False
    return ours.shape == theirs.shape and bool(np.allclose(ours, theirs, rtol=PRECISION, atol=1e-7))
