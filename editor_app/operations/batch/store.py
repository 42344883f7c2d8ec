"""The results of a fleet in its folder: one folder a robot, each result whole or not there, and the last full run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.edit.atomic_files import write_together
from editor_app.edit.saving import SaveError
from editor_app.operations.batch.robot_job import RobotResult
from editor_app.operations.work import Refused

__all__ = ["RESULT", "Store", "Stored"]

#: In each robot's folder, and of the whole run.
RESULT, FLEET, PICTURE, PAGE = "result.json", "fleet.json", "picture.png", "index.html"


@dataclass(frozen=True, slots=True)
class Stored:
    """`key`: of the inputs that it was made from; empty for what should be tried again."""

    key: str
    record: dict[str, Any]
    seconds: dict[str, float]
    files: dict[str, str]


class Store:
    """Raises Refused for a folder that is no folder of results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists() and not folder.is_dir():
            raise Refused(f"{folder} is not a folder")
        if folder.is_dir() and any(folder.iterdir()) and not (folder / FLEET).is_file():
            raise Refused(f"{folder} is not empty, and holds no results of a fleet: name a folder of its own with -o")
        folder.mkdir(parents=True, exist_ok=True)
        self.last_run: dict[str, Any] = (_read(folder / FLEET) or {}).get("robots", {})
        if not (folder / FLEET).is_file():
            self.finish({})

    def sound(self, name: str, key: str) -> Stored | None:
        """The result of a robot if it was made from these inputs, and none of its files is missing or changed."""
        stored = self.result(name)
        if stored is None or stored.key != key:
            return None
        home = self.folder / name
        return stored if all(_digest(home / file) == digest for file, digest in stored.files.items()) else None

    def result(self, name: str) -> Stored | None:
        """What is stored of a robot, whatever it was made from."""
        value = _read(self.folder / name / RESULT)
        try:
            return None if value is None else Stored(*(value[k] for k in ("key", "record", "seconds", "files")))
        except KeyError:
            return None

    def put(self, result: RobotResult, key: str) -> Stored:
        """Writes a result; what an earlier one had beyond it goes. Raises SaveError."""
        home = self.folder / result.name
        before = self.result(result.name)
        files = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(result.files.items())}
        stored = Stored(key, result.record, result.seconds, files)
        told = {"key": key, "record": stored.record, "seconds": stored.seconds, "files": files}
        outputs = [(home / name, data) for name, data in result.files.items()]
        write_together([*outputs, (home / RESULT, _json(told))], make_folders=True)
        for name in set(before.files if before is not None else ()) - set(files):
            (home / name).unlink(missing_ok=True)
        (home / PICTURE).unlink(missing_ok=True)
        return stored

    def picture(self, name: str) -> Path:
        return self.folder / name / PICTURE

    def put_picture(self, name: str, png: bytes) -> None:
        write_together([(self.picture(name), png)], make_folders=True)

    def finish(self, records: Mapping[str, Any]) -> None:
        """Makes this run the last one, which the next is compared with."""
        write_together([(self.folder / FLEET, _json({"robots": records}))])

    def put_page(self, page: str) -> Path:
        write_together([(self.folder / PAGE, page.encode())])
        return self.folder / PAGE


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _digest(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


STORE_ERRORS = (SaveError, OSError)
