"""The manual becomes a web site in which every link and anchor leads somewhere and no page is left out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import environment


def build(configuration: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(configuration), "--site-dir", str(site)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment.clean_environment(), cwd=site.parent
    )


def test_the_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    answer = build(environment.ROOT / "mkdocs.yml", tmp_path / "site")
    assert answer.returncode == 0, answer.stderr
    start = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<(?:script|link rel="stylesheet")[^>]*(?:src|href)="https?://', start) == []


def test_a_broken_link_fails_the_build(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("[gone](nowhere.md)\n", encoding="utf-8")
    text = (environment.ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    text = re.sub(r"docs_dir: .*", f"docs_dir: {pages}", text)
    text = text[: text.index("\nnav:")]
    configuration = tmp_path / "mkdocs.yml"
    configuration.write_text(text, encoding="utf-8")
    answer = build(configuration, tmp_path / "site")
    assert answer.returncode != 0
    assert "nowhere.md" in answer.stderr
