"""Recipes for package managers ask for what the program needs, and for files that a release has."""

from __future__ import annotations

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from datetime import date
from pathlib import Path

import environment
import pytest
import recipe
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from editor_app import __version__

PROJECT = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
#: As bundling/linux.py, bundle.py and the build backend name what they make, on the systems of
#: release.yml.
HANDED_OUT = (
    *(f"xrdf-editor-{__version__}-linux-{machine}.tar.xz" for machine in ("x86_64", "aarch64")),
    f"xrdf-editor-{__version__}-windows-x64.exe",
    f"xrdf-editor-{__version__}-macos-arm64.dmg",
    f"xrdf_editor-{__version__}.tar.gz",
)


def test_recipes_are_filled_in_from_a_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = tmp_path / "SHA256SUMS"
    sums.write_text(
        "".join(f"{number:064x}  {name}\n" for number, name in enumerate(HANDED_OUT)),
        encoding="utf-8",
    )
    assert recipe.main(["them/editor", str(sums), str(tmp_path / "out")]) == 0
    made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out").iterdir()}
    assert set(made) == {path.name for path in recipe.RECIPES.iterdir()} - {"README.md"}
    metainfo = ElementTree.fromstring(made.pop("org.xrdf_editor.XrdfEditor.metainfo.xml"))
    release = metainfo.find("releases/release")
    assert release is not None
    assert (release.get("version"), release.get("date")) == (__version__, date.today().isoformat())
    for text in made.values():
        assert not re.search(r"\b(VERSION|DATE)\b|OWNER|SHA256:", text)
        assert __version__ in text
        for variable in ("#{version}", "{{ version }}"):
            text = text.replace(variable, __version__)
        fetched = re.findall(rf"/releases/download/v{re.escape(__version__)}/([^\s\"]+)", text)
        assert fetched
        assert set(fetched) <= set(HANDED_OUT)
    for name in ("winget.yaml", "org.xrdf_editor.XrdfEditor.yaml"):
        assert isinstance(yaml.safe_load(made[name]), dict)
    assert recipe.main(["them/editor", "/dev/null", str(tmp_path / "none")]) == 1
    assert "the release has no" in capsys.readouterr().err


def test_the_data_for_software_centres_agree_with_the_menu_entry_and_the_manifest() -> None:
    metainfo = ElementTree.parse(
        recipe.RECIPES / "org.xrdf_editor.XrdfEditor.metainfo.xml"
    ).getroot()
    manifest = yaml.safe_load(
        (recipe.RECIPES / "org.xrdf_editor.XrdfEditor.yaml").read_text(encoding="utf-8")
    )
    entry = (environment.ROOT / "packaging" / "bundling" / "xrdf-editor.desktop").read_text(
        encoding="utf-8"
    )
    fields = dict(line.split("=", 1) for line in entry.splitlines() if "=" in line)
    assert metainfo.findtext("id") == manifest["id"]
    assert metainfo.findtext("launchable") == f"{manifest['id']}.desktop"
    assert metainfo.findtext("name") == fields["Name"]
    assert metainfo.findtext("summary") == fields["Comment"]
    assert [each.text for each in metainfo.iterfind("provides/mediatype")] == fields[
        "MimeType"
    ].rstrip(";").split(";")
    commands = "\n".join(manifest["modules"][0]["build-commands"])
    assert f"{manifest['id']}.metainfo.xml -t /app/share/metainfo" in commands


def test_the_recipe_for_conda_asks_for_what_the_project_asks_for() -> None:
    text = (recipe.RECIPES / "meta.yaml").read_text(encoding="utf-8")
    run = re.search(r"  run:\n((?:    - .*\n)+)", text)
    assert run is not None
    asked = {line.split()[1]: "".join(line.split()[2:]) for line in run[1].splitlines()}
    [oldest] = re.findall(r'set python_min = "([\d.]+)"', text)
    assert asked.pop("python") == ">={{python_min}}"
    assert PROJECT["requires-python"] == f">={oldest}"
    needed = {
        canonicalize_name(r.name): r.specifier for r in map(Requirement, PROJECT["dependencies"])
    }
    # One package there, several on PyPI.
    needed[canonicalize_name("pyside6")] = needed.pop(canonicalize_name("pyside6-essentials"))
    assert {canonicalize_name(name) for name in asked} == set(needed)
    for name, bounds in asked.items():
        assert Requirement(f"{name}{bounds}").specifier == needed[canonicalize_name(name)], name
