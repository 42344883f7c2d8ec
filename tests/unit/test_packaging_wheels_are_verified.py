"""The table of systems: what uv says of wheels is told as it is, and no answer is not taken for one."""

from __future__ import annotations

import environment
import pytest
import verify_wheels
from verify_wheels import CannotTell, Cell, cell, missing, table, without

LOCK = (
    "lxml==6.1.3 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via xrdf-editor\n"
    "llvmlite==0.50.0 \\\n    --hash=sha256:cc\n"
    'numpy==2.4.6 ; python_full_version < "3.12" \\\n    --hash=sha256:dd\n'
    'numpy==2.5.5 ; python_full_version >= "3.12" \\\n    --hash=sha256:ee\n'
)


class Index:
    """An index that lacks some wheels on some platforms, and complains as uv does: one package at a time."""

    def __init__(self, lacking: dict[str, tuple[str, ...]]) -> None:
        self.lacking = lacking
        self.asked = 0

    def __call__(self, pins: str, platform: str, python: str) -> str:
        self.asked += 1
        for name in self.lacking.get(platform, ()):
            if f"{name}==" in pins:
                kind = "usable wheels" if name == "llvmlite" else "wheels with a matching platform tag (e.g., `x`)"
                return (
                    "error: No solution found when resolving dependencies\n"
                    f"  cause: Because {name}==1.0 has no\n {kind} and you require {name}==1.0, we can conclude that\n"
                )
        return ""


def test_every_missing_package_is_named() -> None:
    index = Index({"mac": ("llvmlite", "numpy")})
    assert missing(LOCK, "mac", "3.12", index) == ("llvmlite", "numpy")
    assert index.asked == 3
    assert missing(LOCK, "windows", "3.12", index) == ()


def test_a_package_leaves_the_lock_with_all_its_versions_and_hashes() -> None:
    assert without(LOCK, "numpy") == LOCK[: LOCK.index("numpy")]
    assert without(LOCK, "LXML") == LOCK[LOCK.index("llvmlite") :]
    assert without(LOCK, "num") == LOCK


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        ({}, "glibc 2.28"),
        ({"x-manylinux_2_28": ("lxml",)}, "glibc 2.34"),
        ({"x-manylinux_2_28": ("lxml",), "x-manylinux_2_34": ("lxml", "llvmlite")}, "no lxml, llvmlite"),
    ],
)
def test_the_oldest_system_that_has_all_wheels_is_told(lacking: dict[str, tuple[str, ...]], told: str) -> None:
    assert str(cell(LOCK, ("x-manylinux_2_28", "x-manylinux_2_34"), "3.12", Index(lacking))) == told


def test_no_answer_is_no_missing_wheel() -> None:
    for platforms in (("old", "new"), ("new",)):
        with pytest.raises(CannotTell, match="dns error"):
            cell(LOCK, platforms, "3.12", lambda *_: "error: Failed to fetch https://example.org: dns error")
    # A complaint that taking the package away does not end, as of a lock that is not one: told, not repeated for ever.
    with pytest.raises(CannotTell):
        missing(LOCK, "mac", "3.12", lambda *_: "Because lxml==1 has no wheels and so on")


def test_the_index_is_not_asked_for_ever() -> None:
    names = tuple(f"package{number}" for number in range(50))
    index = Index({"mac": names})
    lock = "".join(f"{name}==1.0\n" for name in names)
    assert len(missing(lock, "mac", "3.12", index)) == verify_wheels.MOST_MISSING
    assert index.asked == verify_wheels.MOST_MISSING


def test_the_readme_has_the_table_s_systems_and_pythons() -> None:
    """Its figures are measured; its rows and columns are those that the script asks for."""
    readme = (environment.ROOT / "README.md").read_text(encoding="utf-8")
    empty = table({system: (Cell(),) * len(verify_wheels.PYTHONS) for system in verify_wheels.SYSTEMS}).splitlines()
    assert "\n".join(empty[:2]) in readme
    for row in empty[2:]:
        assert row.rpartition(" | yes")[0].split(" | ")[0] + " | " in readme
