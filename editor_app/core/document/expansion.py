"""How a URDF came out of a xacro file: from which files, with which arguments, and whether they
changed since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.model.inputs import digest_of


@dataclass(frozen=True, slots=True)
class Expansion:
    """`output` is the file that the URDF would be, or is; `digests`: what each file that was read
    held then."""

    source: Path
    output: Path
    arguments: tuple[tuple[str, str], ...]
    digests: tuple[tuple[Path, str], ...]

    @staticmethod
    def of(
        source: Path, output: Path, arguments: Mapping[str, str], read: tuple[Path, ...]
    ) -> Expansion:
        """Record the files as they are now; `read` are those that the source includes."""
        files = dict.fromkeys((source.absolute(), *(path.absolute() for path in read)))
        digests = tuple((path, digest) for path in files if (digest := _digest(path)) is not None)
        return Expansion(source.absolute(), output.absolute(), tuple(arguments.items()), digests)

    @property
    def message(self) -> str:
        """Why the URDF cannot be edited."""
        way = "expanded" if self.source.suffix.lower() == ".xacro" else "imported"
        return f"This URDF was {way} from {self.source.name}"

    @property
    def reason(self) -> str:
        """`message` with the fix."""
        return f"{self.message}: save it as a URDF to edit it."

    def changed(self) -> tuple[Path, ...]:
        """The files that hold something else now; one that is gone has not changed."""
        return tuple(path for path, old in self.digests if _digest(path) not in (None, old))

    def now(self) -> Expansion:
        """Return the expansion with the files as they are now, so that a change is reported
        once."""
        digests = tuple((path, _digest(path) or old) for path, old in self.digests)
        return replace(self, digests=digests)

    def to_json(self) -> str:
        return json.dumps(
            {
                "source": str(self.source),
                "output": str(self.output),
                "arguments": dict(self.arguments),
                "digests": {str(path): digest for path, digest in self.digests},
            }
        )

    @staticmethod
    def from_json(text: str) -> Expansion | None:
        """Parse the JSON that `to_json` wrote; None for any other text."""
        try:
            value = json.loads(text)
            return Expansion(
                Path(value["source"]),
                Path(value["output"]),
                tuple((str(k), str(v)) for k, v in value["arguments"].items()),
                tuple((Path(k), str(v)) for k, v in value["digests"].items()),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None


def _digest(path: Path) -> str | None:
    try:
        return digest_of(path)
    except OSError:
        return None
