"""Bare URDFs through `new --fit --mask` and `repair`, loaded by cuRobo's own parser and loader on
the CPU.

What it needs is told by `tests/helpers/curobo.py`. A robot counts as loaded when cuRobo has the
joints of the c-space and as many spheres as the XRDF.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.document.document import Document
from editor_app.features.draft.verbs.new import NewSettings, new
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.plugins.consumers.verbs.repair import repair, write_repaired
from tests.helpers.curobo import Curobo, curobo
from tests.helpers.robots import example_mappings, example_urdfs, sample_urdf

#: Robots of example-robot-data whose shapes are there: arms, hands, legs, bodies with two arms.
NAMES = (
    "a1", "panda", "ur3_robot", "ur5_robot", "ur10_robot", "xarm7", "z1", "kinova", "so100", "so101", "double_pendulum",
    "double_pendulum_continuous", "allegro_left_hand", "finger_edu", "tiago_no_hand", "talos_left_arm", "ur5_gripper",
    "ur3_gripper", "go1", "solo12", "b1-z1", "baxter",
)  # fmt: skip


def bare_urdfs(count: int, only: list[str]) -> Iterator[Path]:
    """The sample robot and robots of example-robot-data, as many as asked for (0: all)."""
    by_name = {path.stem: path for path in example_urdfs()}
    paths = [sample_urdf(), *(by_name[name] for name in NAMES if name in by_name)]
    chosen = [path for path in paths if not only or path.stem in only]
    yield from chosen[: count or None]


def first_file(urdf: Path, folder: Path) -> tuple[Document, tuple[Path, ...], str]:
    """The robot with its first XRDF, the repaired files in `folder`, and what the repair had to
    do."""
    settings = NewSettings(
        True, True, choices=FitChoices(effort="fast"), samples=4096, certify=1.0, cost_samples=0
    )
    made = new(urdf, settings=settings, packages=example_mappings())
    repaired = repair(made.document)
    files = write_repaired(made.document, repaired, folder, overwrite=True)
    told = (
        f"{len(repaired.steps)} fixed, {len(repaired.invented)} invented, "
        f"{len(repaired.remaining)} left"
    )
    made.document.replace_texts(repaired.texts, repaired.label)
    return made.document, files, told


def asked(loader: Curobo, document: Document, files: tuple[Path, ...]) -> str:
    """ "" when cuRobo has the same joints and spheres, else what it says."""
    urdf, xrdf = files
    answer: dict[str, Any] = loader.load(urdf=str(urdf), xrdf=str(xrdf))
    if answer["error"] is not None:
        return str(answer["error"])[:300]
    robot = document.robot.xrdf
    spheres = sum(map(len, robot.spheres_of(robot.world_group).values()))
    names = (robot.cspace.joint_names if robot.cspace is not None else None) or ()
    if sorted(answer["joints"]) != sorted(names):
        return f"has the joints {answer['joints']} instead of {list(names)}"
    return (
        ""
        if answer["spheres"] == spheres
        else f"has {answer['spheres']} spheres instead of {spheres}"
    )


def run(options: argparse.Namespace) -> int:
    """0 when all load."""
    refused, loaded = 0, 0
    try:
        with curobo() as loader, tempfile.TemporaryDirectory() as folder:
            for urdf in bare_urdfs(options.count, options.only):
                start = time.perf_counter()
                document, files, told = first_file(urdf, Path(folder) / urdf.stem)
                spent = time.perf_counter() - start
                fault = asked(loader, document, files)
                refused, loaded = refused + bool(fault), loaded + (not fault)
                robot = document.robot.xrdf
                spheres = sum(map(len, robot.spheres_of(robot.world_group).values()))
                print(
                    f"{urdf.stem}: {fault or 'loaded'}; {spheres} spheres; {told}; {spent:.1f} s",
                    flush=True,
                )
    except pytest.skip.Exception as missing:
        print(missing)
        return 2
    print(f"{loaded} loaded, {refused} refused")
    return 1 if refused else 0
