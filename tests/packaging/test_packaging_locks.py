"""uv.lock pins everything that pyproject.toml asks for, by PyPI's addresses and with digests."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import check_types
import environment
import locked
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = locked.read_lock()


def asked() -> dict[str, list[str]]:
    """Return the project's lists of requirements: `dependencies`, and each extra and group by its
    name."""
    project = PROJECT["project"]
    return {
        "dependencies": project["dependencies"],
        **project["optional-dependencies"],
        **PROJECT["dependency-groups"],
    }


@pytest.mark.parametrize("name", asked())
def test_every_requirement_is_pinned_within_its_bounds(name: str) -> None:
    extras, groups = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
    for python in locked.PYTHONS:
        pinned = {
            package.name: package.version
            for package in locked.packages(
                LOCK,
                locked.marker_values(python),
                extras=[name] if name in extras else (),
                groups=[name] if name in groups else (),
            )
        }
        for text in asked()[name]:
            requirement = Requirement(text)
            version = pinned.get(canonicalize_name(requirement.name))
            assert version is not None, f"{text} is not in uv.lock: run `uv lock`"
            assert version in requirement.specifier, (
                f"{text} does not allow {version}: run `uv lock`"
            )


def test_the_lock_states_the_requirements_as_pyproject_does() -> None:
    """What `uv sync --locked` compares, for machines without uv."""
    [project] = [entry for entry in LOCK["package"] if entry["name"] == "xrdf-editor"]
    metadata = project["metadata"]

    def as_locked(texts: list[str]) -> set[tuple[str, SpecifierSet]]:
        return {(canonicalize_name(each.name), each.specifier) for each in map(Requirement, texts)}

    def stated(entries: list[dict[str, Any]]) -> set[tuple[str, SpecifierSet]]:
        return {(entry["name"], SpecifierSet(entry.get("specifier", ""))) for entry in entries}

    texts = asked()
    runtime = [
        text
        for name, each in texts.items()
        if name not in PROJECT["dependency-groups"]
        for text in each
    ]
    assert stated(metadata["requires-dist"]) == as_locked(runtime)
    for name in PROJECT["dependency-groups"]:
        assert stated(metadata["requires-dev"][name]) == as_locked(texts[name])


def test_every_file_has_a_digest_and_an_address_of_pypi() -> None:
    text = environment.LOCK.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^/\"]+(?:/simple)?", text)) == {
        "https://pypi.org/simple",
        "https://files.pythonhosted.org",
    }
    for entry in LOCK["package"]:
        if entry["name"] == "xrdf-editor":
            continue
        assert entry["source"] == {"registry": "https://pypi.org/simple"}
        files = [*entry.get("wheels", ()), *([entry["sdist"]] if "sdist" in entry else [])]
        assert files
        for file in files:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", file["hash"]), file["url"]


def test_pip_gets_the_same_uv_as_the_lock_pins() -> None:
    [uv] = [
        package
        for package in locked.packages(LOCK, locked.marker_values("3.11"), groups=["installer"])
        if package.name == "uv"
    ]
    text = environment.UV_LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    assert re.findall(r"^(\S+)==(\S+)", text, re.MULTILINE) == [("uv", uv.version)]
    assert sorted(re.findall(r"--hash=(\S+)", text)) == sorted(uv.digests)


def test_types_are_checked_once_for_each_set_of_pins() -> None:
    groups = check_types.resolutions(LOCK)
    assert sorted(python for shared in groups.values() for python in shared) == sorted(
        locked.PYTHONS
    )
    texts = [check_types.pins(LOCK, python) for python in groups]
    assert len({*texts}) == len(texts)
    for python, shared in groups.items():
        assert {check_types.pins(LOCK, each) for each in shared} == {check_types.pins(LOCK, python)}
    numpy = {entry["version"] for entry in LOCK["package"] if entry["name"] == "numpy"}
    assert len(groups) >= len(numpy)
    for text in texts:
        assert {line.partition("==")[0] for line in text.splitlines()} >= {"numpy", "scipy-stubs"}
        assert all("--hash=sha256:" in line for line in text.splitlines())
