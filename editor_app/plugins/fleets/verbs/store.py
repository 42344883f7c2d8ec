"""The results of a fleet in its folder: one folder a robot, each result whole or not there, and the
last full run.

The folder may come from somebody else: a cache, a share, an archive. What its records say is
believed only where it could have been written here, no name in them leads out of the robot's
folder, and no link is followed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.replacing import SaveError
from editor_app.core.document.writing import ChangedOnDiskError, write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.regular_file import read_regular
from editor_app.core.tasks.work import Refused
from editor_app.plugins.fleets.verbs.fleet import MAX_BYTES
from editor_app.plugins.fleets.verbs.report import FIGURES
from editor_app.plugins.fleets.verbs.robot_job import RobotResult, failed

#: In each robot's folder, and of the whole run.
RESULT, FLEET, PICTURE, PAGE = "result.json", "fleet.json", "picture.png", "index.html"
_TAKEN = (RESULT, FLEET, PICTURE, PAGE)
_EMPTY = hashlib.sha256(b"").hexdigest()
#: No figure of a robot is larger; a number of a thousand digits cannot even be shown.
_MOST = 1e15


@dataclass(frozen=True, slots=True)
class Stored:
    """`key`: of the inputs that it was made from; empty for what should be tried again."""

    key: str
    record: dict[str, Any]
    seconds: dict[str, float]
    files: dict[str, str]


class Store:
    """`notes`: records that made no sense and are made anew. `overwrite` replaces results that
    somebody changed.

    Raises Refused for a folder that is no folder of results, SaveError where it cannot be written.
    """

    def __init__(self, folder: Path, *, overwrite: bool = False) -> None:
        self.folder = folder
        self._overwrite = overwrite
        self.notes: list[str] = []
        if folder.exists() and not folder.is_dir():
            raise Refused(f"{folder} is not a folder")
        is_new = not os.path.lexists(folder / FLEET)
        if is_new and folder.is_dir() and any(folder.iterdir()):
            raise Refused(
                f"{folder} is not empty, and has no results of a fleet: name a separate folder "
                "with -o"
            )
        folder.mkdir(parents=True, exist_ok=True)
        self.last_run: dict[str, Any] = self._last_run()
        if is_new:
            self.finish({})

    def home(self, name: str) -> Path:
        """The folder of a robot's results. Raises SaveError for a name that cannot have one."""
        home = self.folder
        for part in name.split("/"):
            if not _is_plain(part) or part.casefold() in _TAKEN:
                raise SaveError(
                    f"{name!r} is not a valid robot name: it cannot be used as a folder name."
                )
            home = home / part
            if home.is_symlink():
                raise SaveError(
                    f"{home} is a link: results are not written through links. Delete it, or "
                    "choose another -o."
                )
        return home

    def sound(self, name: str, key: str) -> Stored | None:
        """The result of a robot if it was made from these inputs, and none of its files is missing
        or changed.

        Raises SaveError for a name that can have no results.
        """
        home = self.home(name)
        stored = self._result(home)
        if stored is None or stored.key != key:
            return None
        return (
            stored
            if all(_digest(home, file) == digest for file, digest in stored.files.items())
            else None
        )

    def put(self, result: RobotResult, key: str) -> Stored:
        """Writes a result; what an earlier one had beyond it goes. What cannot be written comes
        back as failed.

        Raises SaveError where the folder cannot be written at all.
        """
        try:
            return self._put(result, key)
        except (SaveError, OSError, ValueError) as error:
            # With a full disk, robots would be worked on in vain.
            self.finish(self.last_run)
            return Stored("", failed(result.name, "store", str(error)).record, {}, {})

    def has_picture(self, name: str) -> bool:
        """Return whether the robot has a picture; a link to one does not count."""
        try:
            return stat.S_ISREG(os.lstat(self.home(name) / PICTURE).st_mode)
        except (SaveError, OSError, ValueError):
            return False

    def put_picture(self, name: str, png: bytes) -> None:
        """A picture that cannot be written is left out."""
        with contextlib.suppress(SaveError, OSError):
            _write([(self.home(name) / PICTURE, png)])

    def finish(self, records: Mapping[str, Any]) -> None:
        """Makes this run the last one, which the next is compared with. Raises SaveError."""
        _write([(self.folder / FLEET, _json({"robots": records}))])

    def put_page(self, page: str) -> Path:
        """Raises SaveError."""
        _write([(self.folder / PAGE, page.encode("utf-8", "replace"))])
        return self.folder / PAGE

    # -- inside

    def _last_run(self) -> dict[str, Any]:
        value = self._read(self.folder / FLEET)
        robots = value.get("robots") if isinstance(value, dict) else {} if value is None else None
        if isinstance(robots, dict):
            records = {name: record for name, record in robots.items() if _is_record(record)}
            if len(records) == len(robots):
                return records
            self._tell_damaged(self.folder / FLEET)
            return records
        self._tell_damaged(self.folder / FLEET)
        return {}

    def _result(self, home: Path) -> Stored | None:
        """What is stored of a robot, whatever it was made from."""
        value = self._read(home / RESULT)
        if value is None:
            return None
        if (
            isinstance(value, dict)
            and isinstance(value.get("key"), str)
            and _is_record(value.get("record"))
            and _is_mapping_of(value.get("seconds"), float)
            and _is_mapping_of(value.get("files"), str)
            and all(all(map(_is_plain, name.split("/"))) for name in value["files"])
        ):
            return Stored(value["key"], value["record"], value["seconds"], value["files"])
        self._tell_damaged(home / RESULT)
        return None

    def _put(self, result: RobotResult, key: str) -> Stored:
        home = self.home(result.name)
        before = self._result(home)
        files = {
            name: hashlib.sha256(data).hexdigest() for name, data in sorted(result.files.items())
        }
        stored = Stored(key, result.record, result.seconds, files)
        told = {"key": key, "record": stored.record, "seconds": stored.seconds, "files": files}
        recorded = {} if before is None else before.files
        # What somebody has changed, or put there, is theirs; an empty file is what a crash of the
        # system leaves.
        replaceable = [
            home / name
            for name in files
            if _digest(home, name) in (None, _EMPTY, recorded.get(name), files[name])
        ]
        results = [(home / name, data) for name, data in result.files.items()]
        _write([*results, (home / RESULT, _json(told))], replaceable, overwrite=self._overwrite)
        for name, digest in before.files.items() if before is not None else ():
            # What somebody has changed, or put in its place, is his.
            if name not in files and _digest(home, name) == digest:
                (home / name).unlink(missing_ok=True)
        (home / PICTURE).unlink(missing_ok=True)
        return stored

    def _read(self, path: Path) -> object:
        """None for a file that is not there; what cannot be read is False, which is no record."""
        try:
            if not os.path.lexists(path):
                return None
            value: object = (
                False if path.is_symlink() else json.loads(read_regular(path, MAX_BYTES))
            )
        except (OSError, ValueError, RecursionError):
            return False
        return False if value is None else value

    def _tell_damaged(self, path: Path) -> None:
        sentence = f"{path} has no results of a fleet; it is recreated."
        if sentence not in self.notes:
            self.notes.append(sentence)


def _is_plain(part: str) -> bool:
    """Whether it is the name of a file or folder, and of no other place, on every system."""
    return part not in ("", ".", "..") and part == part.strip() and not set(part) & set("/\\:\0")


def _is_mapping_of(value: object, kind: type) -> bool:
    if not isinstance(value, dict):
        return False
    return all(
        _is_number(each) if kind is float else isinstance(each, kind) for each in value.values()
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and abs(value) < _MOST


def _is_record(value: object) -> bool:
    """Whether the page, and the comparison with the last run, can be made of it."""
    if not isinstance(value, dict):
        return False
    steps, figures, findings = (value.get(key) for key in ("steps", "figures", "findings"))
    return (
        isinstance(steps, list)
        and all(_has_texts(step, "step", "state", "message") for step in steps)
        and isinstance(figures, dict)
        and all(_is_figure(key, each) for key, each in figures.items())
        and isinstance(findings, list)
        and all(_has_texts(each, "code", "severity", "message") for each in findings)
        and all(
            isinstance(each.get("file"), str | None) and isinstance(each.get("line"), int | None)
            for each in findings
        )
    )


def _has_texts(value: object, *keys: str) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in keys)


def _is_figure(key: str, value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return value is None or _is_number(value) or (isinstance(value, str) and key not in FIGURES)


def _write(
    files: list[tuple[Path, bytes]], replaceable: Collection[Path] = (), *, overwrite: bool = False
) -> None:
    """Raises SaveError. A link, or a pipe, in the place of a file goes: what it leads to stays as
    it is.

    The records of the fleet and the `replaceable` results are replaced; other files that exist only
    with `overwrite`.
    """
    for path, _ in files:
        with contextlib.suppress(OSError):
            mode = os.lstat(path).st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                path.unlink()
    in_place = [*replaceable, *(path for path, _ in files if path.name in _TAKEN)]
    for is_last in (False, False, True):
        try:
            write_files(files, Inputs.of(in_place), in_place=in_place, overwrite=overwrite)
            return
        except ChangedOnDiskError as error:
            # Another batch of the same fleet wrote its record.
            if is_last or error.path.name not in _TAKEN:
                raise


def _json(value: Any) -> bytes:
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    # Names of files that are no UTF-8 are read again as they are.
    return text.encode("utf-8", "surrogatepass")


def _digest(home: Path, name: str) -> str | None:
    """None for what is missing, no file, or a link, also on the way to it."""
    path = home
    try:
        for part in name.split("/"):
            path = path / part
            if path.is_symlink():
                return None
        return hashlib.sha256(read_regular(path, MAX_BYTES)).hexdigest()
    except (OSError, ValueError):
        return None
