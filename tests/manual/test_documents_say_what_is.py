"""Commands, paths and modules that README, CONTRIBUTING and the manual name run or exist."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: The pages for people who read or change the source.
PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md", "tests/README.md", "packaging/README.md")
}
README, CONTRIBUTING, ALL = PAGES["README.md"], PAGES["CONTRIBUTING.md"], "\n".join(PAGES.values())
#: A newcomer reads the README to its end.
MOST_LINES = 120
#: Someone who wants to change one thing reads CONTRIBUTING to its end.
MOST_CONTRIBUTING_LINES = 140


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_contributing_is_one_page() -> None:
    assert len(CONTRIBUTING.splitlines()) <= MOST_CONTRIBUTING_LINES


def test_every_path_that_is_named_is_there() -> None:
    named = re.findall(
        r"`((?:editor_app|resources|packaging|tests|\.github)/[\w./{},-]*[\w}/])`", ALL
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
    text = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "editor_app").rglob("*.py")
    )
    defined = set(
        re.findall(r"(?:def|class)[ ]+(\w+)|(?:^|[(,])[ ]*(\w+)[ ]*[:=]", text, re.MULTILINE)
    )
    assert sorted(names - {name for pair in defined for name in pair}) == []


def spelled_out(name: str) -> list[str]:
    """`a/{b,c}/d` as `a/b/d` and `a/c/d`."""
    match = re.search(r"\{([^}]*)\}", name)
    if match is None:
        return [name]
    return [name[: match.start()] + part + name[match.end() :] for part in match[1].split(",")]


def test_every_module_that_is_run_is_there() -> None:
    modules = re.findall(r"python (?:-P )?-m (tests[\w.]*)", ALL)
    assert modules
    for module in modules:
        folder = ROOT / Path(*module.split("."))
        assert folder.with_suffix(".py").is_file() or (folder / "__main__.py").is_file(), module


def test_every_file_that_is_linked_is_there() -> None:
    links = [
        (ROOT / page).parent / link
        for page, text in PAGES.items()
        for link in re.findall(r"\]\(([^)#:\s]+)\)", text)
    ]
    assert len(links) > 8
    assert [link for link in links if not link.is_file()] == []
