"""Every command with a report prints it as text, and as JSON with --format json; --report is the
former name."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from editor_app import cli
from editor_app.core.verbs.page_texts import text_of_page, text_table
from editor_app.core.verbs.pages import DRAWN, build_list, build_page, build_table, mark_text
from tests.helpers.robots import copy_of_sample

QUICK = ("--samples", "64")
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "batch": (("--steps", "new", "--no-pictures", "--jobs", "1", "-o", "OUT"), ("robots", "page")),
    "collide": (("--state", "default"), ("configurations",)),
    "cost": (QUICK, ("false_collisions", "passages")),
    "edit": (("--rename-link", "hand_link=palm"), ("changes", "written")),
    "fit": (("--links", "hand_link", "--spheres", "2", "--effort", "fast"), ("links", "total")),
    "margins": (("--turning", "0.1deg"), ("pairs", "safe")),
    "mask": ((*QUICK, "--certify", "0"), ("pairs",)),
    "repair": ((), ("steps", "left")),
    "new": (("-o", "OUT.xrdf"), ("output",)),
    "plan": (("--queries", "1"), ("solved",)),
    "sign": (("--samples", "500", "--certify", "0"), ("pairs", "summary")),
    "pose": ((), ("xyz",)),
    "variant": ((), ("variants",)),
}
#: Their output is for programs as it is, or a file.
WITHOUT_REPORT = {"completion", "lsp", "schema"}
#: `check` has other formats; of the others, their own tests read both.
ELSEWHERE = {
    "audit",
    "check",
    "cloud",
    "collision",
    "compose",
    "convert",
    "detach",
    "diff",
    "sweep",
    "test",
}


def test_every_command_is_looked_at() -> None:
    assert set(cli.list_commands()) == {*COMMANDS, *WITHOUT_REPORT, *ELSEWHERE}


@pytest.mark.parametrize("name", sorted({*COMMANDS, *ELSEWHERE}))
def test_text_is_the_default_and_report_the_former_name(name: str) -> None:
    parser = argparse.ArgumentParser()
    cli.module_of(name).add_arguments(parser)
    (action,) = [each for each in parser._actions if "--format" in each.option_strings]
    assert action.default == "text"
    assert {"text", "json"} <= set(action.choices or ())


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_report_is_text_unless_json_is_asked_for(name: str, tmp_path: Path, capsys: Any) -> None:
    arguments, keys = COMMANDS[name]
    urdf = copy_of_sample(tmp_path / "sample")
    source = str(urdf.parent) if name == "batch" else str(urdf)

    def run(*more: str) -> str:
        places = [str(tmp_path / word) if word.startswith("OUT") else word for word in arguments]
        assert cli.run_command(name, [source, *places, *more]) in (0, 1, 3, 4)
        return str(capsys.readouterr().out)

    force = ["--force"] if name in ("batch", "new") else []
    text = run(*force)
    assert text.strip()
    assert not text.lstrip().startswith(("{", "<"))
    assert set(keys) <= json.loads(run(*force, "--format", "json")).keys()


def test_the_former_option_still_chooses_the_kind(tmp_path: Path, capsys: Any) -> None:
    urdf = str(copy_of_sample(tmp_path / "sample"))
    for name in ("pose", "collide"):
        more = ["--state", "default"] if name == "collide" else []
        cli.run_command(name, [urdf, *more, "--format", "json"])
        now = capsys.readouterr().out
        cli.run_command(name, [urdf, *more, "--report", "json"])
        assert capsys.readouterr().out == now
        assert json.loads(now)


def test_the_text_of_a_page_has_its_tables_in_columns_and_no_drawing() -> None:
    table = build_table("Links", ("Link", "Spheres"), (("a <b>", 5), ("long_name", 12)))
    parts = [
        "Two & more.",
        table,
        build_list("Notes", ("one", "two")),
        mark_text("for the page", DRAWN, "p"),
    ]
    assert text_of_page(build_page("Robot", parts)) == (
        "Robot\nTwo & more.\n\nLinks\nLink       Spheres\na <b>            5\nlong_name       12\n"
        "\nNotes\n  one\n  two\n"
    )


def test_rows_of_different_lengths_are_one_table() -> None:
    assert text_table([["a", "b"], ["long"]]) == ["a     b", "long"]
    assert text_table([]) == []
