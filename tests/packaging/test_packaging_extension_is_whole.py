"""The extension for Visual Studio Code brings along all that it loads."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import extension
import pytest

from editor_app.core.model.profile import Profile

_MAIN = (
    "const "
    'client=require("vscode-languageclient/node");require("vscode");require("path");require("node:net")'
)


def _vsix(folder: Path, main: str, files: dict[str, str]) -> Path:
    manifest = json.loads((extension.SOURCES / "package.json").read_text(encoding="utf-8"))
    path = folder / "tried.vsix"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("extension/package.json", json.dumps(manifest | {"main": main}))
        for name in ("language-configuration.json", "syntaxes/xrdf.tmLanguage.json"):
            packed.write(extension.SOURCES / name, f"extension/{name}")
        for name, text in files.items():
            packed.writestr(f"extension/{name}", text)
    return path


def test_the_extension_offers_every_profile_and_an_icon() -> None:
    manifest = json.loads((extension.SOURCES / "package.json").read_text(encoding="utf-8"))
    offered = manifest["contributes"]["configuration"]["properties"]["xrdfEditor.profile"]["enum"]
    assert offered == [profile.value for profile in Profile]
    assert manifest["icon"] in manifest["files"]
    header = (extension.SOURCES / manifest["icon"]).read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    assert int.from_bytes(header[16:20], "big") >= 128


def test_a_package_without_the_library_of_its_program_is_refused(tmp_path: Path) -> None:
    """As it was: a list of files that left out `node_modules`."""
    with pytest.raises(
        extension.NotWhole, match=r"lacks vscode-languageclient/node, which extension\.js loads"
    ):
        extension.inspect(_vsix(tmp_path, "./extension.js", {"extension.js": _MAIN}))
    with pytest.raises(
        extension.NotWhole, match=r"lacks \./dist/extension.js, which its package.json names"
    ):
        extension.inspect(_vsix(tmp_path, "./dist/extension.js", {"extension.js": ""}))
    with pytest.raises(extension.NotWhole, match=r"lacks \./other"):
        extension.inspect(_vsix(tmp_path, "main.js", {"main.js": 'require("./other")'}))


def test_a_package_with_all_that_it_loads_is_taken(tmp_path: Path) -> None:
    library = {
        "node_modules/vscode-languageclient/node.js": 'require("./lib/main")',
        "node_modules/vscode-languageclient/lib/main.js": "",
    }
    assert (
        extension.inspect(_vsix(tmp_path, "./main.js", {"main.js": _MAIN, **library}))
        == "extension/main.js"
    )
    assert (
        extension.inspect(_vsix(tmp_path, "main.js", {"main.js": 'require("vscode")'}))
        == "extension/main.js"
    )


def test_the_program_that_is_packed_is_the_one_that_has_its_library_in_it() -> None:
    """Where the bundle goes, where it starts and what is packed; nothing is loaded beside it."""
    manifest = json.loads((extension.SOURCES / "package.json").read_text(encoding="utf-8"))
    bundling = manifest["scripts"]["vscode:prepublish"].split()
    assert bundling[:3] == ["esbuild", "extension.js", "--bundle"]
    assert f"--outfile={manifest['main'].removeprefix('./')}" in bundling
    assert manifest["main"].removeprefix("./") in manifest["files"]
    assert not manifest.get("dependencies"), "vsce is told to pack none"
    locked = json.loads((extension.SOURCES / "package-lock.json").read_text(encoding="utf-8"))[
        "packages"
    ]
    assert locked[""]["devDependencies"] == manifest["devDependencies"]
    assert locked[""]["version"] == manifest["version"]
    assert all("integrity" in entry or entry.get("link") for name, entry in locked.items() if name)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_says_what_a_program_lacks(tmp_path: Path) -> None:
    whole = (
        "exports.activate = exports.deactivate = () => "
        "require('vscode').window.showErrorMessage('x');"
    )
    extension.load(_vsix(tmp_path, "main.js", {"main.js": whole}))
    for text in ("exports.activate = 1;", whole + "throw new Error('no');"):
        with pytest.raises(extension.NotWhole, match="cannot be loaded"):
            extension.load(_vsix(tmp_path, "main.js", {"main.js": text}))
