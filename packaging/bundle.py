"""Make what is handed out for this system: python3 packaging/bundle.py [--out FOLDER] [--try]

On Linux an archive, a Debian package and, where appimagetool is on the path, an AppImage; on
Windows an installer (Inno Setup's iscc on the path) or else a zip; on macOS a disk image.
SHA256SUMS holds their digests. `--try` also starts the program from the folder that all are made
of, as on a system without Python: every command on the sample robot, and a fit, a mask and a saved
copy in the window. Needs nothing but Python 3.11 or newer; the environment it is made of is
`build/bundle-env`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python is told so
    sys.exit(
        f"Python 3.11 or newer is needed; this is {sys.version.split()[0]} ({sys.executable})."
    )

import environment
import system_packages
import virtual_display
from bundling import linux, trial

SPEC = environment.ROOT / "packaging" / "bundling" / "xrdf_editor.spec"
WORK = environment.ROOT / "build"
#: Symbol tables are half of these libraries or more; the others have none, or do not stand it.
_STRIPPED = (
    *(
        "vtkmodules/*.so*",
        "llvmlite/binding/*.so",
        "libpython3*.so*",
        "fcl/*.so",
        "python_fcl.libs/libfcl*",
    ),
    *("PIL/*.so", "kiwisolver/*.so"),
)

_HANDED_OUT = (".xz", ".deb", ".AppImage", ".exe", ".zip", ".dmg", ".whl", ".gz", ".vsix")


def version() -> str:
    """The version, from its one place."""
    text = (environment.ROOT / "editor_app" / "version.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    assert match is not None
    return match[1]


def build_tree(out: Path) -> Path:
    """The folder that runs by itself. Raises SetupFailed, subprocess.CalledProcessError."""
    made = environment.Environment(WORK / "bundle-env")
    python = made.prepare(environment.BUNDLE)
    if not made.compile_kernels(WORK / "kernels", "--portable"):
        raise environment.SetupFailed("The kernels could not be compiled: the lines above say why.")
    env = environment.clean_environment() | {"PYTHONPATH": str(environment.ROOT / "packaging")}
    notices = [str(python), "-P", "-m", "bundling.third_party"]
    text = subprocess.run(
        notices, check=True, capture_output=True, text=True, encoding="utf-8", env=env
    ).stdout
    (environment.ROOT / "THIRD_PARTY.md").write_text(text, encoding="utf-8")
    command = [str(python), "-P", "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(out), "--workpath", str(WORK / "work"), str(SPEC)]
    subprocess.run(command, check=True, env=env)
    tree = out / "xrdf-editor"
    if sys.platform == "linux" and shutil.which("strip"):
        for pattern in _STRIPPED:
            for library in (tree / "_internal").glob(pattern):
                subprocess.run(["strip", "--strip-unneeded", str(library)], check=True)
    if sys.platform == "linux":
        linux.drop_unneeded(tree / "_internal")
    return tree


def packages(tree: Path, out: Path) -> list[Path]:
    """Everything that this system hands out, made of `tree`."""
    if sys.platform == "linux":
        made = [linux.archive(tree, out, version()), linux.app_image(tree, out, version())]
        if shutil.which("dpkg-deb"):
            made.append(linux.debian_package(tree, out, version()))
        return [path for path in made if path is not None]
    if sys.platform == "win32":
        return [_windows_installer(tree, out)]
    return [_disk_image(out)]


def _windows_installer(tree: Path, out: Path) -> Path:
    compiler = shutil.which("iscc")
    if compiler is None:
        return Path(
            shutil.make_archive(str(out / f"xrdf-editor-{version()}-windows-x64"), "zip", tree)
        )
    recipe = SPEC.parent / "windows.iss"
    defines = [f"/DVersion={version()}", f"/DTree={tree.resolve()}", f"/DOut={out.resolve()}"]
    subprocess.run([compiler, *defines, str(recipe)], check=True)
    return out / f"xrdf-editor-{version()}-windows-x64.exe"


def _disk_image(out: Path) -> Path:
    application = out / "XRDF Editor.app"
    identity = os.environ.get("MACOS_SIGNING_IDENTITY")
    if identity:
        command = [
            "codesign",
            "--force",
            "--deep",
            "--options",
            "runtime",
            "--timestamp",
            "--sign",
            identity,
        ]
        subprocess.run([*command, str(application)], check=True)
    path = out / f"xrdf-editor-{version()}-macos-{os.uname().machine}.dmg"
    command = [
        "hdiutil",
        "create",
        "-volname",
        "XRDF Editor",
        "-srcfolder",
        str(application),
        "-ov",
        "-format",
        "UDZO",
    ]
    subprocess.run([*command, str(path)], check=True)
    return path


def write_sums(made: list[Path], out: Path) -> Path:
    """SHA256SUMS, as `sha256sum --check` reads it."""
    lines = []
    for path in made:
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    sums = out / "SHA256SUMS"
    sums.write_text("".join(lines), encoding="utf-8")
    return sums


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "--out",
        type=Path,
        default=environment.ROOT / "dist",
        metavar="FOLDER",
        help="default: dist",
    )
    parser.add_argument(
        "--try", action="store_true", dest="tried", help="start the program afterwards"
    )
    parser.add_argument(
        "--try-only",
        type=Path,
        metavar="FOLDER",
        help="try the program xrdf-editor in there, make none",
    )
    parser.add_argument(
        "--tree-only", action="store_true", help="only the folder that runs by itself"
    )
    parser.add_argument(
        "--sums-only",
        action="store_true",
        help="SHA256SUMS of what was made before, and nothing else",
    )
    options = parser.parse_args(arguments)
    if options.sums_only:
        write_sums(
            [path for path in sorted(options.out.iterdir()) if path.suffix in _HANDED_OUT],
            options.out,
        )
        return 0
    if (options.tried or options.try_only) and not virtual_display.display_available():
        needed = [*system_packages.WINDOW, *system_packages.VIRTUAL_DISPLAY]
        if not system_packages.ensure(needed):
            return 1
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        tree = options.try_only.resolve() if options.try_only else build_tree(options.out)
        if options.tried or options.try_only:
            trial.try_tree(tree, options.out)
        made = [] if options.tree_only or options.try_only else packages(tree, options.out)
    except (
        environment.SetupFailed,
        trial.TrialFailed,
        subprocess.CalledProcessError,
        FileNotFoundError,
    ) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{tree}  {linux.unpacked_bytes(tree) / 1e6:.0f} MB unpacked")
    for path in [*made, *([write_sums(made, options.out)] if made else [])]:
        print(f"{path}  {path.stat().st_size / 1e6:.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
