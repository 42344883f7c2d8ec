"""Pack the extension for Visual Studio Code: python3 packaging/extension.py [--out FOLDER] [--try]

Needs Node with npm; what packs it is pinned by `packaging/vscode/package-lock.json`. What was
packed is looked at: nothing that the extension loads may be missing. `--try` also loads it by Node.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "packaging" / "vscode"
_REQUIRED = re.compile(r"""\brequire\(["']([^"']+)["']\)""")
#: What Node brings along, of what a client for language servers loads.
_OF_NODE = frozenset({"child_process", "crypto", "fs", "net", "os", "path", "url", "util"})
_LOAD = """
const get = (target, name) => (name === "prototype" ? target.prototype : api);
const api = new Proxy(class {}, { get, apply: () => api });
const load = require("node:module")._load;
require("node:module")._load = (name, ...others) => (name === "vscode" ? api : load(name, ...others));
const { activate, deactivate } = require(process.argv[1]);
if (typeof activate !== "function" || typeof deactivate !== "function") throw new Error("nothing to activate");
"""


class NotWhole(RuntimeError):
    """The extension would not start where it is installed; the message says what it lacks."""


def pack(out: Path) -> Path:
    """`xrdf-editor-VERSION.vsix` in the folder. Raises subprocess.CalledProcessError,
    FileNotFoundError without npm."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is needed: https://nodejs.org")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "vscode"
        shutil.copytree(SOURCES, work, ignore=shutil.ignore_patterns("node_modules", "dist"))
        shutil.copy(ROOT / "LICENSE", work)
        path = (
            out.resolve()
            / f"xrdf-editor-{json.loads((work / 'package.json').read_text())['version']}.vsix"
        )
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=work, check=True)
        packing = [
            "exec",
            "--no",
            "--",
            "vsce",
            "package",
            "--no-dependencies",
            "--allow-missing-repository",
        ]
        subprocess.run([npm, *packing, "--out", str(path)], cwd=work, check=True)
    return path


def inspect(vsix: Path) -> str:
    """The path of the extension's program within its package. Raises NotWhole."""
    with zipfile.ZipFile(vsix) as packed:
        files = {
            name: packed.read(name) for name in packed.namelist() if name.startswith("extension/")
        }
    manifest = json.loads(files["extension/package.json"])
    contributed = manifest.get("contributes", {})
    named = [manifest["main"], *(entry["path"] for entry in contributed.get("grammars", ()))]
    named += [
        entry["configuration"]
        for entry in contributed.get("languages", ())
        if "configuration" in entry
    ]
    for name in named:
        if _within(name) not in files:
            raise NotWhole(f"{vsix.name} lacks {name}, which its package.json names")
    for name, content in files.items():
        if name.endswith((".js", ".cjs")):
            for module in _REQUIRED.findall(content.decode("utf-8")):
                if not _is_there(module, name, files):
                    raise NotWhole(
                        f"{vsix.name} lacks {module}, which {name.removeprefix('extension/')} loads"
                    )
    return _within(manifest["main"])


def _within(name: str) -> str:
    return str(PurePosixPath("extension") / name)


def _is_there(module: str, user: str, files: dict[str, bytes]) -> bool:
    if module == "vscode" or module.startswith("node:") or module in _OF_NODE:
        return True
    if module.startswith("."):
        beside = PurePosixPath(user).parent / module
        return any(f"{beside}{end}" in files for end in ("", ".js", ".json", "/index.js"))
    return any(name.startswith(f"extension/node_modules/{module}") for name in files)


def load(vsix: Path) -> None:
    """Loads the program by Node as the editor would, from its package alone. Raises NotWhole,
    FileNotFoundError."""
    program = inspect(vsix)
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(vsix) as packed:
            packed.extractall(folder)
        command = ["node", "-e", _LOAD, str(Path(folder) / program)]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
    if done.returncode != 0:
        raise NotWhole(f"{vsix.name} cannot be loaded: {done.stderr.strip()}")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="default: dist"
    )
    parser.add_argument("--try", action="store_true", dest="tried", help="load it by Node as well")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        vsix = pack(options.out)
        inspect(vsix)
        if options.tried:
            load(vsix)
    except (NotWhole, FileNotFoundError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{vsix}  {vsix.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
