"""URDF as it is, byte for byte unless the robot was changed on the way."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from editor_app.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Part,
    ReadContext,
    RobotFiles,
    Sample,
    Subject,
    Writer,
    path_of,
    source_of,
)
from editor_app.formats.exchange.report import ConversionReport, Reporter
from editor_app.formats.misnamed_files import is_srdf_text
from editor_app.formats.native.srdf import srdf_bytes
from editor_app.formats.native.xacro import expanded
from editor_app.formats.source import FormatError
from editor_app.formats.urdf import UrdfSource, XacroFile, read_urdf
from editor_app.formats.xrdf.write import patched_text, xrdf_text
from editor_app.model.counting import counted
from editor_app.model.findings import Location
from editor_app.model.regular_file import read_regular
from editor_app.model.urdf import Mesh

#: Of a mesh that is copied.
_MOST_BYTES = 512 << 20


def _recognise(sample: Sample) -> bool:
    text = "" if sample.is_yaml else sample.source.text
    return "<robot" in text and not is_srdf_text(text)


def _read(file: InputFile, context: ReadContext) -> RobotFiles:
    source = source_of(file)
    try:
        return RobotFiles(urdf=read_urdf(source))
    except XacroFile:
        if context.surroundings.expand_xacro is None:
            raise
        return expanded(path_of(file), context)


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    assert source is not None
    files = [(output, source.source.data), *_beside(subject, output)]
    if subject.files.stated is not None:
        files += meshes_along(source, output, {name for name, _ in subject.files.meshes})
        return Conversion(tuple(files), subject.reports, subject.notes)
    if subject.takes_meshes:
        files += meshes_along(source, output, ())
        return Conversion(tuple(files), _reports(subject), subject.notes)
    notes = (*subject.notes, *left_behind(source, output))
    return Conversion(tuple(files), _reports(subject), notes)


def _beside(subject: Subject, output: Path) -> list[tuple[Path, bytes]]:
    """The other documents of a robot that came as a whole, or changed with the URDF; and the meshes of the former."""
    robot, sources, is_whole = subject.robot, subject.files, subject.files.stated is not None
    files: list[tuple[Path, bytes]] = []
    if sources.srdf is not None and robot.srdf is not None and (is_whole or "srdf" in subject.changed_beside):
        files.append((output.with_suffix(".srdf"), srdf_bytes(robot.srdf, sources.srdf)))
    if is_whole or "xrdf" in subject.changed_beside:
        if sources.xrdf is None:
            data = xrdf_text(robot.xrdf, subject.reasons).encode()
        else:
            data = sources.xrdf.source.with_text(patched_text(sources.xrdf, robot.xrdf)[0]).data
        files.append((output.with_suffix(".xrdf"), data))
    # The meshes' names are relative to the URDF.
    return files + [(output.parent / name, data) for name, data in sources.meshes]


def _reports(subject: Subject) -> tuple[ConversionReport, ...]:
    """What was done to the URDF itself, and that nothing else goes into it."""
    reports = [r for r in subject.reports if r.source in ("xacro", "URDF") or r.target == "URDF"]
    out = Reporter("URDF", "URDF")
    if not reports:
        out.taken("everything", "byte for byte")
    stay = ["the XRDF"] if subject.files.xrdf is not None and "xrdf" not in subject.changed_beside else []
    stay += ["the SRDF"] if subject.files.srdf is not None and "srdf" not in subject.changed_beside else []
    stay += [f"the file of {name}" for name in subject.others]
    stay += ["spheres"] if subject.has_sphere_list else []
    for item in stay:
        out.kept(item, "not part of a URDF: it stays in its own file; a URDF with spheres is another format")
    new_losses = (out.report(),) if out.entries else ()
    return (*(r for r in reports if r.entries), *new_losses)


def meshes_along(source: UrdfSource, output: Path, held: Collection[str]) -> list[tuple[Path, bytes]]:
    """Copies of a new URDF's meshes, for a folder other than the one it was read from; but for `held`.

    Raises FormatError for meshes in folders above, which a copy would put anywhere.
    """
    home = source.source.path
    copies: list[tuple[Path, bytes]] = []
    for name in _gone(source, output):
        if name in held or home is None or not (home.parent / name).is_file():
            continue
        if ".." in Path(name).parts:
            remedy = f"Write the URDF into {home.parent}."
            raise FormatError(f"The mesh {name} cannot be copied along", Location(str(output)), remedy)
        copies.append((output.parent / name, read_regular(home.parent / name, _MOST_BYTES)))
    return copies


def _gone(source: UrdfSource, output: Path) -> list[str]:
    """The names of meshes, relative to the URDF's folder, that mean nothing in the folder of `output`."""
    home = source.source.path
    shapes = [v.geometry for link in source.urdf.links for v in link.visuals]
    shapes += [c.geometry for link in source.urdf.links for c in link.collisions]
    names = dict.fromkeys(s.filename for s in shapes if isinstance(s, Mesh) and s.filename and ":" not in s.filename)
    if home is None or output.parent.resolve() == home.parent.resolve():
        return []
    return [n for n in names if not Path(n).is_absolute() and not (output.parent / n).exists()]


def left_behind(source: UrdfSource, output: Path) -> tuple[str, ...]:
    """What to say of meshes that are named relative to a URDF which is written to another folder."""
    home, gone = source.source.path, _gone(source, output)
    if not gone or home is None:
        return ()
    return (
        f"{counted(len(gone), 'mesh', 'meshes')} named relative to {home.parent} will not be found from "
        f"{output.parent}, {gone[0]} for one: copy them along, or write the URDF beside the original.",
    )


CODEC = Codec(
    name="urdf",
    title="UR&DF",
    pattern="*.urdf *.xml",
    recognise=_recognise,
    read=_read,
    writer=Writer(
        _write,
        endings=(".urdf",),
        proposal=".urdf",
        holds=frozenset({Part.LINKS, Part.SHAPES}),
        takes=("world", "merge"),
    ),
)
