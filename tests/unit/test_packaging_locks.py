"""The lock files pin everything that pyproject.toml asks for, agree with each other, and name no server."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import check_types
import environment
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = tomllib.loads((environment.ROOT / "pyproject.toml").read_text())


def pins(lock: Path) -> dict[str, set[str]]:
    """Canonical name -> versions (several when they depend on Python's version)."""
    pinned: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", lock.read_text(), re.MULTILINE):
        pinned.setdefault(canonicalize_name(name), set()).add(version)
    return pinned


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        (environment.RUN_LOCK, PROJECT["project"]["dependencies"]),
        (
            environment.TEST_LOCK,
            [
                *PROJECT["project"]["dependencies"],
                *PROJECT["project"]["optional-dependencies"]["samples"],
                *PROJECT["dependency-groups"]["test"],
            ],
        ),
        (
            environment.BUNDLE_LOCK,
            [
                *PROJECT["project"]["dependencies"],
                # The bundle serves text editors, too.
                *PROJECT["project"]["optional-dependencies"]["lsp"],
                *PROJECT["dependency-groups"]["bundle"],
            ],
        ),
        (environment.UV_LOCK, PROJECT["dependency-groups"]["installer"]),
        (environment.DOCS_LOCK, PROJECT["dependency-groups"]["docs"]),
        (environment.RELEASE_LOCK, PROJECT["dependency-groups"]["release"]),
    ],
    ids=["run", "test", "bundle", "uv", "docs", "release"],
)
def test_every_dependency_is_pinned_within_its_bounds(lock: Path, wanted: list[str]) -> None:
    pinned = pins(lock)
    for text in wanted:
        requirement = Requirement(text)
        versions = pinned.get(canonicalize_name(requirement.name), set())
        assert versions, f"{requirement.name} is not in {lock.name}: run packaging/lock.py"
        assert all(Version(v) in requirement.specifier for v in versions), f"{text} does not allow {versions}"


def test_the_tests_use_the_versions_that_users_get() -> None:
    test = pins(environment.TEST_LOCK)
    assert {name: test.get(name) for name in pins(environment.RUN_LOCK)} == pins(environment.RUN_LOCK)


@pytest.mark.parametrize(
    ("lock", "least"),
    [(environment.RUN_LOCK, 31), (environment.TEST_LOCK, 31), (environment.UV_LOCK, 1)],
    ids=["run", "test", "uv"],
)
def test_locks_carry_hashes_and_no_server(lock: Path, least: int) -> None:
    text = lock.read_text()
    assert "://" not in text
    assert not re.search(r"^\s*--(?:extra-)?(?:index|find)", text, re.MULTILINE)
    blocks = re.split(r"^(?=\S+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) >= least
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", block), block.splitlines()[0]


def test_types_are_checked_once_for_each_set_of_pins() -> None:
    lock = (
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:bb\n    # via scipy\n"
        "backports-zstd==1.8 ; python_full_version < '3.14' \\\n    --hash=sha256:ee\n"
        "pin==3.7 ; sys_platform == 'linux' \\\n    --hash=sha256:cc\n"
        "zipp==4.1 \\\n    --hash=sha256:dd\n"
    )
    assert check_types.resolutions(lock) == {"3.11": ("3.11",), "3.12": ("3.12", "3.13", "3.14")}
    assert check_types.resolutions(lock.replace("3.12", "3.10")) == {"3.11": ("3.11", "3.12", "3.13", "3.14")}
    assert "".join(check_types.pins_by_python(lock)) == lock.partition("backports")[0]


def test_the_locks_numpy_decides_which_pythons_are_checked_apart() -> None:
    lock = environment.TEST_LOCK.read_text(encoding="utf-8")
    assert len(check_types.resolutions(lock)) >= len(pins(environment.TEST_LOCK)["numpy"])
