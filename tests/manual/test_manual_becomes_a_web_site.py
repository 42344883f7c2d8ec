"""The manual becomes a web site: links lead somewhere, no page is left out, search finds the entry
points."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import environment
import pytest
from lunr import lunr
from lunr.index import Index


def build(configuration: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(configuration), "--site-dir", str(site)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment.clean_environment(),
        cwd=site.parent,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    answer = build(environment.ROOT / "mkdocs.yml", folder / "site")
    assert answer.returncode == 0, answer.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def search_index(site: Path) -> Index:
    """The site's index, weighted as its pages weigh it."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    fields = [{"field_name": name, **index["config"]["fields"][name]} for name in ("title", "text")]
    return lunr(ref="location", fields=fields, documents=index["docs"])


def test_the_site_builds_strictly_and_fetches_nothing(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<(?:script|link rel="stylesheet")[^>]*(?:src|href)="https?://', start) == []


def test_the_first_page_says_how_to_install_and_has_four_cards(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert (
        start.index('id="install"')
        < start.index('class="grid cards"')
        < start.index('id="first-steps"')
    )
    cards = start.partition('class="grid cards"')[2].partition("</div>")[0]
    links = dict(re.findall(r'<strong><a href="([^"]+)">([^<]+)</a></strong>', cards))
    assert list(links.values()) == [
        "Make an XRDF for my robot",
        "Check a file",
        "Fit spheres",
        "Use in CI",
    ]
    for target in links:
        page, _, anchor = target.partition("#")
        text = (site / page / "index.html").read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in text


def test_findings_are_listed_by_their_titles_and_keep_their_anchors(site: Path) -> None:
    page = (site / "findings" / "xrdf" / "index.html").read_text(encoding="utf-8")
    listed = re.findall(
        r'<a href="#(xrdf\d+)" class="md-nav__link">\s*<span class="md-ellipsis">([^<]*)<', page
    )
    assert len(listed) > 80
    for anchor, title in listed:
        code, _, words = title.strip().partition(": ")
        assert (code.lower(), bool(words)) == (anchor, True)
        assert f'<h2 id="{anchor}">' in page


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ("install", {"#install", "install/"}),
        ("make an XRDF", {"journeys/#make-an-xrdf-for-my-robot"}),
        ("fit spheres", {"journeys/#fit-spheres"}),
        ("check a file", {"journeys/#check-a-file"}),
        ("use in CI", {"ci/"}),
        ("pre-commit", {"ci/#pre-commit"}),
        ("XRDF001", {"findings/xrdf/#xrdf001"}),
    ],
)
def test_the_search_finds_the_right_page_first(
    search_index: Index, words: str, pages: set[str]
) -> None:
    hits = search_index.search(words)
    assert hits[0]["ref"] in pages


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("[gone](nowhere.md)\n", encoding="utf-8")
    text = (environment.ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    text = re.sub(r"docs_dir: .*", f"docs_dir: {pages}", text)
    text = text.replace("  - packaging/", f"  - {environment.ROOT}/packaging/")
    text = text[: text.index("\nnav:")]
    configuration = tmp_path / "mkdocs.yml"
    configuration.write_text(text, encoding="utf-8")
    answer = build(configuration, tmp_path / "site")
    assert answer.returncode != 0
    assert "nowhere.md" in answer.stderr
