"""The README's table of systems is the one that the wheels in uv.lock give."""

from __future__ import annotations

import environment
import pytest
import verify_wheels
from locked import Package, marker_values, packages
from verify_wheels import describe_system

LOCK = {
    "package": [
        {
            "name": "xrdf-editor",
            "dependencies": [
                {"name": "numpy", "version": "2.4.6", "marker": "python_full_version < '3.12'"},
                {"name": "numpy", "version": "2.5.5", "marker": "python_full_version >= '3.12'"},
                {"name": "colorama", "marker": "sys_platform == 'win32'"},
            ],
            "optional-dependencies": {"lsp": [{"name": "pygls", "extra": ["ws"]}]},
            "dev-dependencies": {"test": [{"name": "pytest"}]},
        },
        *({"name": "numpy", "version": version} for version in ("2.4.6", "2.5.5")),
        {"name": "colorama", "version": "0.4.6"},
        {
            "name": "pygls",
            "version": "2.0",
            "dependencies": [{"name": "attrs"}],
            "optional-dependencies": {"ws": [{"name": "websockets"}]},
        },
        *({"name": name, "version": "1"} for name in ("attrs", "websockets", "pytest")),
    ]
}


def pinned(python: str, system: str = "Linux", **chosen: tuple[str, ...]) -> dict[str, str]:
    return {
        each.name: each.version for each in packages(LOCK, marker_values(python, system), **chosen)
    }


def test_each_python_and_system_gets_its_packages() -> None:
    assert pinned("3.11") == {"numpy": "2.4.6"}
    assert pinned("3.12", "Windows") == {"numpy": "2.5.5", "colorama": "0.4.6"}
    assert pinned("3.12", extras=("lsp",)) == {
        "numpy": "2.5.5",
        "pygls": "2.0",
        "attrs": "1",
        "websockets": "1",
    }
    assert pinned("3.12", groups=("test",)) == {"numpy": "2.5.5", "pytest": "1"}


def package(*wheels: str) -> Package:
    return Package("a", "1", tuple(f"a-1-{tags}.whl" for tags in wheels), ())


@pytest.mark.parametrize(
    ("system", "wheels", "text"),
    [
        ("Linux x86_64", ["py3-none-any"], "glibc 2.28"),
        ("Linux x86_64", ["cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64"], "glibc 2.28"),
        ("Linux x86_64", ["cp312-cp312-manylinux_2_31_x86_64"], "glibc 2.34"),
        ("Linux x86_64", ["cp39-abi3-manylinux_2_39_x86_64"], "glibc 2.39"),
        ("Linux x86_64", ["cp312-cp312-manylinux_2_41_x86_64"], "no a"),
        ("Linux x86_64", ["cp313-abi3-manylinux_2_17_x86_64"], "no a"),
        ("Linux x86_64", ["cp312-cp312-musllinux_1_2_x86_64"], "no a"),
        ("Linux aarch64", ["cp312-cp312-manylinux_2_17_x86_64"], "no a"),
        ("Windows x86_64", ["cp312-cp312-win32", "cp312-cp312-win_arm64"], "no a"),
        ("Windows x86_64", ["cp312-cp312-win_amd64"], "yes"),
        ("macOS arm64", ["cp312-cp312-macosx_10_13_universal2"], "yes"),
        ("macOS arm64", ["cp312-cp312-macosx_11_0_arm64"], "yes"),
        ("macOS arm64", ["cp312-cp312-macosx_26_0_arm64"], "no a"),
        ("macOS x86_64", ["cp312-cp312-macosx_11_0_arm64"], "no a"),
        ("macOS x86_64", [], "no a"),
    ],
)
def test_the_oldest_system_with_a_wheel_of_each_package_is_named(
    system: str, wheels: list[str], text: str
) -> None:
    assert describe_system(system, "3.12", [package("py3-none-any"), package(*wheels)]) == text


def test_the_page_about_installation_has_this_table() -> None:
    page = environment.ROOT / "resources" / "manual" / "install.md"
    assert verify_wheels.table() in page.read_text(encoding="utf-8")
