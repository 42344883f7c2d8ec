"""All formats that can be read or written; a new one is a plug-in with a module `codec`."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from editor_app.core.feature import features
from editor_app.core.formats import native
from editor_app.core.formats.exchange.codec import Choice, Codec, ConvertOptions, Sample
from editor_app.core.formats.misnamed_files import HEAD, refuse_unread_kind
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError, SourceText


def codecs() -> tuple[Codec, ...]:
    """Every codec: first for the editor's own documents, then for other programs' files, by their
    titles."""
    return (*native.CODECS, *foreign_codecs())


@cache
def foreign_codecs() -> tuple[Codec, ...]:
    """Return the codecs of the plug-ins, by their titles."""
    modules = [module for feature in features() if (module := feature.module("codec")) is not None]
    read: list[Codec] = [importlib.import_module(module.name).CODEC for module in modules]
    return tuple(sorted(read, key=lambda codec: codec.plain_title.lower()))


def writable() -> tuple[Codec, ...]:
    """The formats that a robot can be written in."""
    return tuple(codec for codec in codecs() if codec.writer is not None)


def codec_named(name: str) -> Codec:
    """Raises KeyError for an unknown name."""
    return {codec.name: codec for codec in codecs()}[name]


def choices() -> tuple[Choice, ...]:
    """Return the choices that formats offer the user, each name once."""
    listed: dict[str, Choice] = {}
    for codec in codecs():
        for choice in (*codec.choices, *(codec.writer.choices if codec.writer is not None else ())):
            listed.setdefault(choice.name, choice)
    return tuple(listed.values())


def recognise_format(path: Path, source: SourceText | None = None) -> Codec:
    """The format of a file, by its name and, where that does not tell, its content.

    Raises FormatError; as UnreadKind, which names it, for a kind that is not read.
    """
    sample = Sample(path, source)
    try:
        return _recognised(sample)
    except FormatError:
        refuse_unread_kind(path, source.text[:HEAD].encode() if source is not None else None)
        raise


def _recognised(sample: Sample) -> Codec:
    name = sample.path.name.lower()
    # The editor's own documents first: what they tell by name or content needs no codec of another
    # program. A .srdf.xacro is an SRDF before it is a .xacro.
    for codec in reversed(native.CODECS):
        if codec.endings and name.endswith(codec.endings):
            return codec
    for codec in native.CODECS if name.endswith(".urdf") else ():
        if codec.recognise is not None and codec.recognise(sample):
            return codec
    for codec in codecs():
        if codec.endings and name.endswith(codec.endings):
            return codec
    for codec in sorted(codecs(), key=lambda c: c.vague):
        if codec.recognise is not None and codec.recognise(sample):
            return codec
    if sample.is_yaml:
        place = sample.source.location(0)
        raise FormatError(
            "This is not an XRDF, cuRobo or Lula file, nor a list of spheres",
            place,
            "Check its content.",
        )
    fix = (
        "Choose a URDF, xacro, XRDF, SRDF, SDF, MJCF or USD, or another file of the manual's page "
        "of formats."
    )
    raise FormatError("The format of this file is not supported", sample.source.location(0), fix)


def foreign_codec(source: SourceText) -> Codec | None:
    """Which other format a YAML text is of, though it could be taken for an XRDF; None where no
    other is known."""
    sample = Sample(Path("text.yaml"), source)
    try:
        value = sample.value
    except FormatError:
        return None
    if not isinstance(value, dict | list) or (
        isinstance(value, dict) and str(value.get("format")).lower() == "xrdf"
    ):
        return None
    versioned = isinstance(value, dict) and "format_version" in value
    for codec in sorted(foreign_codecs(), key=lambda c: c.vague):
        # What an XRDF says of its version is no list of spheres, whatever else it has.
        if (
            codec.recognise is not None
            and not (codec.vague and versioned)
            and codec.recognise(sample)
        ):
            return codec
    return None


class ForeignFormatError(FormatError):
    """A file that would be read as an XRDF is of another format: `codec`."""

    def __init__(self, source: SourceText, codec: Codec) -> None:
        remedy = "Import it (File, Import)."
        super().__init__(f"This is not an XRDF but {codec.plain_title}", source.location(0), remedy)
        self.codec = codec


def target(output: Path, options: ConvertOptions) -> Codec:
    """The format that `options.to`, or the output's name, asks for.

    Raises FormatError when neither tells, or the two contradict each other.
    """
    names = ", ".join(codec.name for codec in writable())
    fits = [
        codec
        for codec in writable()
        if codec.writer and output.name.lower().endswith(codec.writer.endings)
    ]
    if options.to is not None:
        asked = next((codec for codec in writable() if codec.name == options.to), None)
        if asked is None:
            raise FormatError(
                f"Unknown format {options.to!r}", Location(str(output)), f"Choose one of: {names}."
            )
        if fits and asked not in fits:
            assert asked.writer is not None
            claimed = " or ".join(codec.name for codec in fits)
            raise FormatError(
                f"The name belongs to a {claimed} file, but {asked.name} is requested",
                Location(str(output)),
                f"Name it *{asked.writer.endings[0]}, or request {claimed}.",
            )
        return asked
    meant = [codec for codec in fits if codec.writer is not None and not codec.writer.is_named]
    if meant:
        return meant[0]
    raise FormatError(
        "The name does not identify the format",
        Location(str(output)),
        f"Name the format (--to; in a script, ConvertOptions(to=…)), one of: {names}.",
    )
