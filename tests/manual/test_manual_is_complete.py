"""The manual's pages about findings and commands say what the program has; its links lead
somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from mkdocs.utils.yaml import yaml_load

from editor_app import cli
from editor_app.core.resources import sample_robot
from editor_app.plugins.manual.content import Manual, page_of_finding, slug
from tests.helpers.finding_examples import PROSE, SAME_AS, codes_in_the_program, examples, titles
from tests.helpers.manual_pages import MANUAL, REMEDIES, page_of, pages

PAGES = sorted(MANUAL.rglob("*.md"))
#: Made from the program, whose texts are no examples of commands.
MADE = ("command-line.md", "xrdf.md", "urdf.md", "srdf.md", "meshes.md")
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize(
    "path",
    [
        *(Path("findings") / f"{n}.md" for n in ("xrdf", "urdf", "srdf", "meshes")),
        Path("formats.md"),
        Path("programs.md"),
    ],
    ids=str,
)
def test_the_pages_made_from_the_program_are_what_it_says(path: Path) -> None:
    written = (MANUAL / path).read_text(encoding="utf-8")
    assert written == pages()[path], "python -m tests.helpers.manual_pages writes it anew"


def test_the_page_of_commands_is_what_the_program_says() -> None:
    written = (MANUAL / "command-line.md").read_text(encoding="utf-8")
    assert written == pages()[Path("command-line.md")], (
        "python -m tests.helpers.manual_pages writes it anew"
    )
    for name in cli.list_commands():
        assert f"## xrdf-editor {name}\n" in written


def test_every_code_of_the_program_has_a_title_an_example_and_a_remedy() -> None:
    codes = codes_in_the_program()
    assert len(codes) > 150
    assert set(titles()) == codes
    assert set(examples()) | set(PROSE) | set(SAME_AS) == codes
    unmended = {
        code
        for code, example in examples().items()
        if not example.finding.fixes and code not in SAME_AS
    }
    assert {code for code in codes if code.startswith("TREE")} <= set(examples())
    assert unmended | set(PROSE) <= set(REMEDIES) <= codes
    for code in codes:
        page = (MANUAL / "findings" / f"{page_of(code)}.md").read_text(encoding="utf-8")
        assert f"\n## {code}\n" in page


def test_every_code_leads_to_its_heading() -> None:
    places = {place.target for place in Manual(MANUAL).places}
    assert [code for code in codes_in_the_program() if page_of_finding(code) not in places] == []


def test_slugs_are_those_of_the_web() -> None:
    assert slug("What it does not mean") == "what-it-does-not-mean"
    assert slug("XRDF 1.0 (NVIDIA)") == "xrdf-10-nvidia"


def anchors(text: str) -> set[str]:
    """What `#…` may follow a page's name: each heading as mkdocs and the window spell it."""
    return {slug(title) for title in re.findall(r"^#+ (.+)$", _without_code(text), re.MULTILINE)}


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(MANUAL)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for _, target in _LINK.findall(_without_code(page.read_text(encoding="utf-8"))):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.is_file(), f"{target} in {page}"
        assert file.is_relative_to(MANUAL), (
            f"{target} in {page}: the site holds the manual's folder alone"
        )
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), f"{target} in {page}"


def test_every_page_can_be_reached_from_the_first() -> None:
    seen, waiting = set[Path](), [MANUAL / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for _, target in _LINK.findall(_without_code(page.read_text(encoding="utf-8"))):
            file = (page.parent / target.partition("#")[0]).resolve()
            if file.suffix == ".md" and file.is_file():
                waiting.append(file)
    assert sorted(seen) == PAGES


def test_the_web_site_has_the_pages_of_the_window() -> None:
    site = yaml_load((MANUAL.parents[1] / "mkdocs.yml").read_text(encoding="utf-8"))
    assert MANUAL.parents[1] / site["docs_dir"] == MANUAL
    first, *groups = site["nav"]
    assert first == {"Manual": "index.md"}
    nav = tuple(
        (heading, tuple(next(iter(link.items())) for link in links))
        for group in groups
        for heading, links in group.items()
    )
    assert nav == Manual(MANUAL).contents
    assert site["strict"] is True


def test_every_picture_is_shown_and_together_they_are_small() -> None:
    pictures = set((MANUAL / "pictures").iterdir())
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for image, target in _LINK.findall(page.read_text(encoding="utf-8"))
        if image
    }
    assert pictures == shown
    assert sum(picture.stat().st_size for picture in pictures) < 3_000_000


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name not in MADE], ids=lambda p: str(p.relative_to(MANUAL))
)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    for words in re.findall(r"`xrdf-editor ([a-z][^`\n]*)`", page.read_text(encoding="utf-8")):
        name, *arguments = shlex.split(words)
        assert name in cli.list_commands(), words
        if arguments and "…" not in words and "--help" not in words:
            cli.parser_of(name).parse_args(arguments)


def test_the_examples_for_scripts_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(sample_robot().parent, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    text = (MANUAL / "scripting.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "scripting.md", "exec"), names)
    assert (tmp_path / "out.xrdf").is_file()
    assert (tmp_path / "out.srdf").is_file()
