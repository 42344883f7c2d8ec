"""No function decides too much: cyclomatic complexity as radon counts it, the compiled kernels excepted by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

radon = pytest.importorskip("radon.complexity")

EDITOR = Path(__file__).resolve().parents[2] / "editor_app"
MOST = 20
#: Loops over numbers that numba compiles; a call between their steps costs more than the step.
KERNELS = {
    "fitting/inside.py: _fill",
    "fitting/optimiser.py: optimise",
    "fitting/voxels.py: _dilate",
    "motion/kernels.py: shortcut",
    "motion/kernels.py: worst_on_line",
    "self_collision/kernels_chain.py: descend",
    "self_collision/kernels_chain.py: search_boxes",
    "self_collision/kernels_sampling.py: sample_blocks",
}


#: Each way that radon counts has one of these words, so that a block with fewer need not be taken apart.
WAYS = re.compile(r"\b(?:def|if|elif|for|while|except|assert|and|or|case|else)\b")
BLOCKS = re.compile(r"\n(?=(?:async def|def|class)\b)")


def too_complex(source: str) -> set[str]:
    if all(len(WAYS.findall(block)) < MOST for block in BLOCKS.split(source)):
        return set()
    return {block.fullname for block in radon.cc_visit(source) if block.complexity > MOST}


def test_functions_and_classes_stay_below_the_limit() -> None:
    above = {
        f"{path.relative_to(EDITOR).as_posix()}: {name}"
        for path in sorted(EDITOR.rglob("*.py"))
        for name in too_complex(path.read_text("utf-8"))
    }

    assert above == KERNELS


def test_a_function_with_too_many_ways_is_seen() -> None:
    branches = "\n".join(f"    if a == {i}:\n        return {i}" for i in range(MOST))

    assert too_complex(f"def simple(a):\n    return a\n\ndef long(a):\n{branches}\n") == {"long"}
