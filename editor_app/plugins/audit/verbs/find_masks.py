"""Which masks lie in folders, each with the URDF of its robot."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.formats.moveit_package import find_srdf, find_xrdf
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.pairing import names_in, robot_beside, robots_for

_KINDS: Mapping[str, MaskFile] = {".srdf": MaskFile.SRDF, ".xrdf": MaskFile.XRDF}


@dataclass(frozen=True, slots=True)
class MaskToAudit:
    """A file with a mask and the URDF of its robot; None, and `why`, where no robot near it has its
    names."""

    path: Path
    kind: MaskFile
    urdf: Path | None
    why: str = ""


def find_masks(sources: Sequence[Path]) -> tuple[MaskToAudit, ...]:
    """Return the masks of folders and files.

    In a folder every SRDF and XRDF counts. A file is an SRDF or XRDF, which belongs to the URDF
    named before it, or a URDF, whose XRDF and SRDF in the same folder count when none is named
    after it. Raises Refused without any.
    """
    masks: list[MaskToAudit] = []
    for number, path in enumerate(sources):
        if path.is_dir():
            masks += (_paired(each) for each in _files_in(path))
        elif path.suffix.lower() in _KINDS:
            named = next(
                (each for each in reversed(sources[:number]) if each.suffix.lower() not in _KINDS),
                None,
            )
            is_robot = named is not None and not named.is_dir()
            masks.append(
                MaskToAudit(path, _KINDS[path.suffix.lower()], named) if is_robot else _paired(path)
            )
        elif number + 1 == len(sources) or sources[number + 1].suffix.lower() not in _KINDS:
            masks += (
                MaskToAudit(each, _KINDS[each.suffix.lower()], path)
                for each in (find_xrdf(path), find_srdf(path))
                if each is not None and each.suffix.lower() in _KINDS
            )
    if not masks:
        raise Refused(f"no SRDF and no XRDF in {', '.join(map(str, sources))}")
    return tuple(dict.fromkeys(masks))


def _files_in(folder: Path) -> Iterator[Path]:
    # Links are not followed: a loop of them would have no end.
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (
            Path(where) / name for name in sorted(files) if Path(name).suffix.lower() in _KINDS
        )


def _paired(path: Path) -> MaskToAudit:
    """Pair a mask with the URDF of its name, else with the URDF that has most of its links and
    joints."""
    kind = _KINDS[path.suffix.lower()]
    try:
        names = names_in(path)
    except (FormatError, OSError) as error:
        return MaskToAudit(path, kind, None, str(error))
    beside = robot_beside(path)
    if beside is not None and beside.suffix.lower() in (".urdf", ".xml"):
        return MaskToAudit(path, kind, beside)
    matches = robots_for(path, names)
    fitting = [each for each in matches if each.fits and each.present and each.urdf is not None]
    if fitting:
        named = next(
            (each for each in fitting if each.urdf is not None and each.urdf.stem == path.stem),
            fitting[0],
        )
        return MaskToAudit(path, kind, named.urdf)
    nearest = f"; {matches[0].urdf} has {matches[0].described()}" if matches else ""
    return MaskToAudit(path, kind, None, f"no URDF near it has its links and joints{nearest}")
