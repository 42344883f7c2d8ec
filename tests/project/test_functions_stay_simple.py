"""No function decides, says or takes too much: compiled kernels are excepted, by name or by their
decorator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

radon = pytest.importorskip("radon.complexity")

EDITOR = Path(__file__).resolve().parents[2] / "editor_app"
MOST = 20
#: Loops over numbers that numba compiles; a call between their steps costs more than the step.
KERNELS = {
    "features/spheres/engine/inside.py: _fill",
    "features/spheres/engine/optimiser.py: optimise",
    "features/spheres/engine/voxels.py: _dilate",
    "plugins/motion/engine/kernels.py: shortcut",
    "plugins/motion/engine/kernels.py: worst_on_line",
    "features/masks/engine/kernels_chain.py: _plane_bound",
    "features/masks/engine/kernels_chain.py: descend",
    "features/masks/engine/kernels_chain.py: search_boxes",
    "features/masks/engine/kernels_sampling.py: sample_blocks",
}


#: Each way that radon counts has one of these words, so that a block with fewer need not be taken
#: apart.
WAYS = re.compile(r"\b(?:def|if|elif|for|while|except|assert|and|or|case|else)\b")
BLOCKS = re.compile(r"\n(?=(?:async def|def|class)\b|@)")


def too_complex(source: str) -> set[str]:
    suspects = [block for block in BLOCKS.split(source) if len(WAYS.findall(block)) >= MOST]
    return {
        each.fullname
        for block in suspects
        for each in radon.cc_visit(block)
        if each.complexity > MOST
    }


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


#: Lines of a function, of 100 columns, and parameters beside self; more of them are settings, which
#: are a value of their own.
MOST_LINES, MOST_PARAMETERS = 96, 12
COMPILED = (
    "compile_cached",
    "kernel",
    "helper",
    "inlined_helper",
    "borrower",
    "fast_helper",
    "fast_part",
    "fast_kernel",
    "compile_cached",
)


def _blocks(node: ast.AST) -> Iterator[ast.AST]:
    """All statements; what is within expressions is most of a tree, and no function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from _blocks(child)


def functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Name, lines and parameters of every function that is not compiled."""
    for node in _blocks(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            decorators = {
                ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in node.decorator_list
            }
            if not decorators & set(COMPILED):
                args = node.args
                names = [each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
                count = len(names) - (names[:1] in (["self"], ["cls"]))
                yield (
                    node.name,
                    node.end_lineno - node.lineno + 1,
                    count + sum(map(bool, (args.vararg, args.kwarg))),
                )


def test_functions_stay_short_and_take_few_parameters() -> None:
    above = {
        f"{path.relative_to(EDITOR).as_posix()}: {name}"
        for path in sorted(EDITOR.rglob("*.py"))
        for name, lines, parameters in functions(path.read_text("utf-8"))
        if lines > MOST_LINES or parameters > MOST_PARAMETERS
    }

    assert above == set()


def test_a_function_that_is_too_long_or_takes_too_much_is_seen() -> None:
    names = ", ".join(f"a{i}" for i in range(MOST_PARAMETERS))
    long = "def long(self):\n" + "    pass\n" * MOST_LINES

    assert [*functions(long)] == [("long", MOST_LINES + 1, 0)]
    assert [*functions(f"def wide({names}, *more): ...")] == [("wide", 1, MOST_PARAMETERS + 1)]
    assert [*functions(f"@compile_cached(fastmath=True)\ndef kernel({names}, *more): ...")] == []
