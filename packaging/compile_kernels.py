"""Compile what fits, masks and motions run: PYTHON -P packaging/compile_kernels.py [--portable]
FOLDER

Run by the Python of an environment with the editor's libraries. FOLDER is replaced: it gets the
compiled kernels and the list that `editor_app/core/kernel_store/files.py` reads. `--portable`
compiles for processors since about 2013 (x86-64-v3) instead of this one, for bundles and wheels.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

#: Processor and features, as LLVM names them.
PORTABLE = {
    "x86_64": (
        "x86-64-v3",
        "+avx,+avx2,+bmi,+bmi2,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,"
        "+sse4.2,+ssse3,+xsave",
    ),
    "arm64": ("apple-m1", "+neon"),
    "aarch64": ("generic", "+neon"),
}
PORTABLE["amd64"] = PORTABLE["x86_64"]


def _compile_fits() -> None:
    from editor_app.core.tasks.task import SILENT
    from editor_app.features.spheres.verbs.link_fits import prepare_fitting

    prepare_fitting(SILENT)


def _compile_distances() -> None:
    from editor_app.features.masks.engine.warmup import warm_up

    # Not `prepare_distances`, which is content with any signature on disk.
    warm_up()


def _compile_motion() -> None:
    from editor_app.plugins.motion.engine.warmup import warm_up_motion

    warm_up_motion()


#: Each takes one core for half a minute.
PARTS = {"fits": _compile_fits, "distances": _compile_distances, "motion": _compile_motion}


def compile_all(folder: Path, made_from: str) -> None:
    """Compile every part in a process, and put the results and their list in the place of `folder`.

    What is there is compiled again only if its code has changed. Ends the program if that fails.
    """
    from editor_app.core.kernel_store import digest, files

    folder.parent.mkdir(parents=True, exist_ok=True)
    # Next to its place, so that it can be moved there at once.
    with tempfile.TemporaryDirectory(prefix="kernels-", dir=folder.parent) as temporary:
        kept, made = Path(temporary) / "kept", Path(temporary) / "made"
        kept.mkdir(mode=0o700)
        made.mkdir()
        for name, content in _unchanged(folder / files.LIST_NAME):
            (kept / name).touch(mode=0o600)
            (kept / name).write_bytes(content)
        # Nothing that is shipped elsewhere: it would not be in the folder.
        env = os.environ | {files.FOLDER_VARIABLE: str(kept), files.SHIPPED_VARIABLE: str(made)}
        command = [sys.executable, "-P", __file__, str(folder), "--part"]
        processes = [
            subprocess.Popen([*command, part], env=env, stdout=subprocess.PIPE, text=True)
            for part in PARTS
        ]
        names = {name for process in processes for name in process.communicate()[0].split()}
        if any(process.returncode for process in processes):
            sys.exit("Compiling failed: the lines above say why.")
        digests = {}
        for name in sorted(names):
            content = (kept / name).read_bytes()
            digests[name] = hashlib.sha256(content).hexdigest()
            # With the usual rights: the user's folder has files that nobody else can read.
            (made / name).write_bytes(content)
        listed = {"made_from": made_from, "target": digest.local_target(), "digests": digests}
        (made / files.LIST_NAME).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        made.replace(folder)


def _unchanged(list_path: Path) -> Iterator[tuple[str, bytes]]:
    """Names and contents of files that are as the list says."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        for name, listed in json.loads(list_path.read_text(encoding="utf-8"))["digests"].items():
            content = (list_path.parent / name).read_bytes()
            if hashlib.sha256(content).hexdigest() == listed:
                yield name, content


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--portable", action="store_true", help="compile for other machines of this kind as well"
    )
    parser.add_argument("--made-from", default="", help="kept in the list: a digest of the sources")
    parser.add_argument(
        "--part", choices=PARTS, help="compile one part into the user's folder, and print its files"
    )
    options = parser.parse_args(arguments)
    if options.part:
        PARTS[options.part]()
        from editor_app.core.kernel_store.store import current_names

        print("\n".join(current_names()))
        return 0
    if options.portable:
        # Read when numba is imported, here and in the processes.
        os.environ["NUMBA_CPU_NAME"], os.environ["NUMBA_CPU_FEATURES"] = PORTABLE[
            platform.machine().lower()
        ]
    compile_all(options.folder.resolve(), options.made_from)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
