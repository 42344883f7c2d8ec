"""CPU seconds of the slow rules in a worker process: of a robot that was opened, and again after
edits of each kind.

    python -m tests.bench.bench_slow_rules [ROBOT | URDF XRDF]

ROBOT is one of ur10, g1, talos and pr2 (default: ur10), with spheres near its surfaces that are
made once.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from editor_app import commands, open_robot
from editor_app.core.document.commands.fields import OfJoint, SetField
from editor_app.core.document.document import Document
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import SILENT
from editor_app.core.tasks.work import locate_robot
from editor_app.features.checks.engine.memory import RuleMemory
from editor_app.features.checks.verbs.check import slow_findings
from tests.bench.bench_window import prepared


def grow_sphere(document: Document, number: int) -> None:
    """Enlarge the first sphere of a link in the middle of the robot, or of one `number` links
    further."""
    xrdf = document.robot.xrdf
    group = xrdf.group(xrdf.self_group)
    assert group is not None
    frame = list(group.spheres)[len(group.spheres) // 2 + number]
    sphere = group.spheres[frame][0]
    document.execute(
        commands.SetSpheres(
            ((SphereRef(group.name, frame, 0), replace(sphere, radius=1.01 * sphere.radius)),)
        )
    )


def toggle_pair(document: Document) -> None:
    """Check an ignored pair again, or ignore one of a robot that ignores none."""
    ignored = tuple(sorted(document.robot.xrdf.ignored_pairs()))
    frames = list(document.robot.xrdf.spheres_of(document.robot.xrdf.self_group))
    change = (
        commands.SetMask(checked=ignored[:1])
        if ignored
        else commands.SetMask(pairs=(LinkPair.of(*frames[:2]),))
    )
    document.execute(change)


def narrow_limit(document: Document) -> None:
    """Lower the upper limit of the last joint that has one."""
    joint = [
        each for each in document.robot.urdf.joints if each.is_movable and each.limit is not None
    ][-1]
    assert joint.limit is not None
    assert joint.limit.upper is not None
    narrower = replace(joint.limit, upper=joint.limit.upper - 0.01)
    document.execute(SetField(OfJoint(joint.name), "limit", narrower, "limit"))


def main() -> None:
    names = sys.argv[1:] or ["ur10"]
    urdf, xrdf = map(Path, names) if len(names) == 2 else prepared(names[0], None)
    document, memory = open_robot(*filter(None, (urdf, xrdf))), RuleMemory()
    edits: tuple[tuple[str, Callable[[], object]], ...] = (
        ("opened", lambda: None),
        ("one sphere larger", lambda: grow_sphere(document, 0)),
        ("the same sphere larger", lambda: grow_sphere(document, 0)),
        ("a sphere of another link larger", lambda: grow_sphere(document, 1)),
        ("a cell of the mask", lambda: toggle_pair(document)),
        ("a limit", lambda: narrow_limit(document)),
        ("undo", document.undo),
        ("a rest", memory.drop_large),
        ("one sphere, after a rest", lambda: grow_sphere(document, 0)),
    )
    for name, edit in edits:
        edit()
        # As a worker process gets it.
        placed = pickle.loads(pickle.dumps(locate_robot(document)))
        began = time.process_time()
        findings = slow_findings(SILENT, placed, Profile.SPECIFICATION, memory=memory)
        print(
            f"{name:<35}{time.process_time() - began:8.2f} s   {len(findings)} findings", flush=True
        )


if __name__ == "__main__":
    main()
