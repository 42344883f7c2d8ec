"""Which URDF was expanded from which xacro file, remembered so that a change of the source is noticed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

from editor_app.gui.disk_watch import DiskWatch
from editor_app.gui.session import Session

_KEY = "expansions"


@dataclass(frozen=True, slots=True)
class Expansion:
    """`digests`: what each file that was read (the source first) held then; `written`: what the URDF held."""

    source: Path
    output: Path
    arguments: tuple[tuple[str, str], ...]
    digests: tuple[tuple[Path, str], ...]
    written: str = ""

    @staticmethod
    def of(source: Path, output: Path, arguments: Mapping[str, str], read: tuple[Path, ...]) -> Expansion:
        """As the files are now."""
        files = dict.fromkeys((source.absolute(), *(path.absolute() for path in read)))
        digests = tuple((path, digest) for path in files if (digest := _digest(path)) is not None)
        return Expansion(source.absolute(), output.absolute(), tuple(arguments.items()), digests, _digest(output) or "")

    def changed(self) -> tuple[Path, ...]:
        """The files that hold something else now; one that is gone has not changed."""
        return tuple(path for path, old in self.digests if _digest(path) not in (None, old))

    def is_edited(self) -> bool:
        """Whether the URDF holds something else than what came out of the source."""
        return _digest(self.output) not in (None, self.written)

    def now(self) -> Expansion:
        """The same, with the files as they are now: what is known is told once."""
        digests = tuple((path, _digest(path) or old) for path, old in self.digests)
        return replace(self, digests=digests)

    def to_json(self) -> str:
        return json.dumps(
            {
                "source": str(self.source),
                "output": str(self.output),
                "arguments": dict(self.arguments),
                "digests": {str(path): digest for path, digest in self.digests},
                "written": self.written,
            }
        )

    @staticmethod
    def from_json(text: str) -> Expansion | None:
        """None for what was not written by `to_json`."""
        try:
            value = json.loads(text)
            return Expansion(
                Path(value["source"]),
                Path(value["output"]),
                tuple((str(k), str(v)) for k, v in value["arguments"].items()),
                tuple((Path(k), str(v)) for k, v in value["digests"].items()),
                str(value.get("written", "")),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


class Expansions(QObject):
    """Remembers expansions, and watches the sources of the URDF that is open."""

    #: (Expansion): its source, or what that includes, has another content now. Once for each content.
    outdated = Signal(object)

    def __init__(self, session: Session, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._store = store
        self._open: Expansion | None = None
        self._watch = DiskWatch(self)
        self._watch.touched.connect(self.look)
        session.document_opened.connect(self._on_document)

    def remember(self, expansion: Expansion) -> None:
        """From now on a change of the source is told while its URDF is open; forgets those whose URDF is gone."""
        known = {path: text for path, text in self._known().items() if Path(path).is_file()}
        known[str(expansion.output)] = expansion.to_json()
        self._store.setValue(_KEY, json.dumps(known))

    def of(self, urdf: Path) -> Expansion | None:
        """How a URDF came out of a xacro file, when it did."""
        text = self._known().get(str(urdf.absolute()))
        return Expansion.from_json(text) if isinstance(text, str) else None

    def look(self) -> None:
        """Tells when a source of the open URDF changed since it was expanded, or since that was told."""
        if self._open is not None and self._open.changed():
            found, self._open = self._open, self._open.now()
            self.outdated.emit(found)

    def _on_document(self, _: object) -> None:
        document = self._session.document
        path = document.urdf_path if document is not None else None
        self._open = self.of(path) if path is not None else None
        self._watch.watch(path for path, _ in (self._open.digests if self._open is not None else ()))
        self.look()

    def _known(self) -> dict[str, str]:
        try:
            found = json.loads(str(self._store.value(_KEY, "{}")))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def _digest(path: Path) -> str | None:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
