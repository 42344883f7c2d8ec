"""Every command, path and code in README and CONTRIBUTING is run, or is there; every finding code is in the manual."""

from __future__ import annotations

import keyword
import re
import shlex
import shutil
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.resources import sample_robot

ROOT = Path(__file__).resolve().parents[2]
README, CONTRIBUTING = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))


def blocks(text: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    """The lines of code blocks that start the program, without their comments."""
    lines = [line.partition("  #")[0].strip() for block in blocks(text) for line in block.splitlines()]
    return [line for line in lines if line.startswith("xrdf-editor ")]


@pytest.mark.parametrize("line", commands(README))
def test_every_command_of_the_readme_runs(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(sample_robot().parent / "meshes", tmp_path / "meshes")
    for suffix in (".urdf", ".srdf", ".xrdf"):
        shutil.copy(sample_robot().with_suffix(suffix), tmp_path / f"ROBOT{suffix}")
    for name in ("OLD.urdf", "NEW.urdf", "VENDOR.urdf"):
        shutil.copy(tmp_path / "ROBOT.urdf", tmp_path / name)
    for name in ("ARM.urdf", "HAND.urdf") if line.startswith("xrdf-editor compose ") else ():
        shutil.copy(tmp_path / "ROBOT.urdf", tmp_path / name)
    if line.startswith("xrdf-editor new "):
        (tmp_path / "ROBOT.xrdf").unlink()
    (tmp_path / "path.csv").write_text("shoulder_pitch_joint\n0.0\n0.3\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"j1=": "base_yaw_joint=", "j2=": "elbow_pitch_joint=", "tool0": "flange_link"}
    for name, own_name in names.items():
        line = line.replace(name, own_name)
    words = shlex.split(line)[1:]
    if words[0] == "collide" and "WAY.yaml" in words:
        assert main(["plan", "ROBOT.urdf", "--from", "default", "--to", "upright", "-o", "WAY.yaml"]) == 0
    if words[0] == "detach":
        base = ["ROBOT.urdf", "ROBOT.urdf", "--at", "flange_link", "--prefix", "a_", "--certify", "0"]
        assert main(["compose", *base, "--samples", "50", "-o", "OUT.urdf"]) in (0, 1)
    # What takes a planner or a fit long is asked for in little: the words stay the same.
    quick = {
        "plan": ["--queries", "2"] if "--from" not in words else [],
        "cost": ["--samples", "50"],
        "fit": ["--effort", "fast", "--links", "flange_link"],
        "collision": ["--links", "flange_link"],
        "new": ["--effort", "fast", "--samples", "500", "--certify", "0", "--cost-samples", "0", "--jobs", "1"],
        "compose": ["--samples", "50", "--certify", "0"],
        "mask": ["--samples", "500", "--certify", "0"],
        # The last one counts: processes are started in test_cli_fit, and by fleets.
        "batch": ["--steps", "check", "--no-pictures", "--jobs", "1"],
    }
    assert main([*words, *quick.get(words[0], [])]) in (0, 1, 3, 4)
    for output in re.findall(r"\bOUT\.\w+", line):
        assert (tmp_path / output).is_file(), f"{output} was not written"


def test_every_path_that_is_named_is_there() -> None:
    named = re.findall(
        r"`((?:editor_app|resources|packaging|tests|\.github)/[\w./{},-]*[\w}/])`", README + CONTRIBUTING
    )
    assert len(named) > 10
    paths = [variant for name in named for variant in spelled_out(name) if "NAME" not in name]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def where_a_change_goes() -> str:
    return CONTRIBUTING.partition("## Where a change goes")[2].partition("\n## ")[0]


def test_every_module_of_a_change_is_there_also_where_its_folder_is_left_out() -> None:
    modules = re.findall(r"`([a-z_]+/[\w/]+\.py)`", where_a_change_goes())
    assert "window/bindings/forms.py" in modules
    homes = (ROOT, ROOT / "editor_app")
    missing = [name for name in modules if not any((home / name).is_file() for home in homes)]
    assert [name for name in missing if "NAME" not in name] == []


def test_every_name_of_a_change_is_defined_somewhere() -> None:
    names = {
        name
        for dotted in re.findall(r"`@?([A-Za-z_][\w.]*)[`(=]", where_a_change_goes())
        if not dotted.endswith((".py", ".toml"))
        for name in dotted.split(".")
        if not keyword.iskeyword(name)
    }
    assert {"rule", "CheckContext", "field_column", "Workbench", "CODEC", "JobSlot", "run"} <= names
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "editor_app").rglob("*.py"))
    defined = set(re.findall(r"(?:def|class)[ ]+(\w+)|(?:^|[(,])[ ]*(\w+)[ ]*[:=]", text, re.MULTILINE))
    assert sorted(names - {name for pair in defined for name in pair}) == []


def spelled_out(name: str) -> list[str]:
    """`a/{b,c}/d` as `a/b/d` and `a/c/d`."""
    match = re.search(r"\{([^}]*)\}", name)
    if match is None:
        return [name]
    return [name[: match.start()] + part + name[match.end() :] for part in match[1].split(",")]


def test_every_module_that_is_run_is_there() -> None:
    modules = re.findall(r"python -m (tests[\w.]*)", README + CONTRIBUTING)
    assert modules
    for module in modules:
        folder = ROOT / Path(*module.split("."))
        assert folder.with_suffix(".py").is_file() or (folder / "__main__.py").is_file(), module


def test_every_file_that_is_linked_is_there() -> None:
    links = re.findall(r"\]\(([^)#:\s]+)\)", README + CONTRIBUTING)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).is_file()] == []
