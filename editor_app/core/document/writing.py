"""The one function through which every command, script and window writes files of the user.

A file that the result was made from is replaced only where it is edited in place, and only while it
holds what was read. Another file that exists is replaced only where the user said so: `--force`,
`overwrite=True`, or the question of a file dialog. A file that holds the result already is not
written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from editor_app.core.document.atomic_files import write_together
from editor_app.core.document.replacing import SaveError
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import Inputs, real_path

NO_INPUTS = Inputs()


class ChangedOnDiskError(SaveError):
    """Another program changed the file `path` since it was opened or saved.

    `is_target`: it is a file that was to be written; else the result was made from it.
    """

    def __init__(self, path: Path, *, is_target: bool = True) -> None:
        rest = (
            ""
            if is_target
            else "; the result is based on the old content and was not written. Run it again"
        )
        super().__init__(f"{path} was changed by another program since it was opened{rest}.")
        self.path = path
        self.is_target = is_target


def write_files(
    files: Sequence[tuple[Path, bytes]],
    inputs: Inputs = NO_INPUTS,
    *,
    in_place: Collection[Path] = (),
    overwrite: bool = False,
    make_folders: bool = True,
) -> tuple[Path, ...]:
    """Writes all files that do not hold their content already, or none of them. Returns the written
    paths.

    `inputs` are the files that the contents were made from; `in_place` are the inputs that may be
    replaced. `overwrite` replaces other files that exist.

    Raises ChangedOnDiskError when another program changed one of `inputs`; SaveError when a file
    exists, is one of `inputs`, or cannot be written. All files are as they were then.
    """
    refuse_targets([path for path, _ in files], inputs, in_place=in_place, overwrite=overwrite)
    present = Inputs.of(path for path, _ in files)
    needed = [
        (path, data)
        for path, data in files
        if present.digests.get(real_path(path)) != _digest(data)
    ]
    targets = {real_path(path): _digest(data) for path, data in files}
    # A file that another program makes meanwhile is not replaced either, unless all may be
    # overwritten.
    compared = Inputs(
        FrozenDict(each for each in inputs.digests.items() if each[1] or each[0] not in targets)
    )
    compared = compared if overwrite else inputs | present

    def look() -> None:
        try:
            changed = compared.changed()
        except OSError as error:
            raise SaveError(
                f"{error.filename} could not be read: {error.strerror or error}."
            ) from error
        for path, now in changed.items():
            # Another process may have written the same result.
            if now != targets.get(path):
                raise ChangedOnDiskError(path, is_target=path in targets)

    if needed:
        folders = [path.parent for path in compared.digests]
        write_together(needed, make_folders=make_folders, look=look, folders=folders)
    else:
        look()
    return tuple(path for path, _ in needed)


def write_scratch_files(files: Iterable[tuple[Path, bytes]]) -> None:
    """Write files into a temporary folder of this process, without waiting until the disk has them.

    Raises SaveError.
    """
    for path, data in files:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise SaveError(f"{path} could not be written: {error.strerror or error}.") from error


def refuse_targets(
    paths: Iterable[Path],
    inputs: Inputs = NO_INPUTS,
    *,
    in_place: Collection[Path] = (),
    overwrite: bool = False,
) -> None:
    """Raises SaveError for a file that must not be written. Commands also ask before long work."""
    replaceable = {real_path(path) for path in in_place}
    for path in paths:
        if path in inputs and real_path(path) not in replaceable:
            raise SaveError(f"{path} is one of the inputs: name another file")
        if path not in inputs and not overwrite and path.exists():
            raise SaveError(
                f"{path} already exists: --force (in a script, overwrite=True) replaces it"
            )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
