"""A robot as files of another format, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from editor_app.formats.conversion.inputs import Inputs
from editor_app.formats.conversion.kinds import Conversion, Kind, MeshParts, Options
from editor_app.formats.exchange.report import ConversionReport, Entry, Fate, Reporter, counted
from editor_app.formats.exchange.srdf_to_xrdf import REASONS
from editor_app.formats.exchange.stated_values import without_guesses
from editor_app.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.formats.foreign.curobo import curobo_text
from editor_app.formats.foreign.lula import lula_text
from editor_app.formats.foreign.spheres_urdf import spheres_urdf_text
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.formats.xrdf import draft_xrdf, patch_xrdf, read_xrdf
from editor_app.formats.xrdf.write import patched_text, xrdf_text
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Mesh


def write_robot(robot: RobotDescription, inputs: Inputs, target: Kind, output: Path, options: Options) -> Conversion:
    reports = list(inputs.reports)
    notes = inputs.notes
    guessed = inputs.drafted and inputs.srdf is None and inputs.collada is None
    if guessed and target in (Kind.XRDF, Kind.SRDF, Kind.CUROBO, Kind.LULA):
        reports.insert(0, _draft_report(robot))
    before = len(reports)
    files: list[tuple[Path, bytes]] = []
    there = SourceText.read(output) if options.update and output.is_file() else None
    if target == Kind.XRDF:
        base = read_xrdf(there) if there is not None else inputs.xrdf_source
        if base is not None:
            # Comments and order of the file stay.
            patched, told, unsaid = patched_text(base, robot.xrdf, inputs.reasons)
            files, notes = [(output, base.source.with_text(patched).data)], (*notes, *told)
            reports = [_without_comments(r) for r in reports] if unsaid else reports
        elif inputs.drafted and inputs.srdf is None and inputs.collada is None and not inputs.reasons:
            # The draft says which of its numbers are guesses.
            draft = read_xrdf(SourceText.from_text(draft_xrdf(robot.urdf)))
            files = [(output, patch_xrdf(draft, robot.xrdf).text.encode())]
        else:
            files = [(output, xrdf_text(robot.xrdf, inputs.reasons).encode())]
        if not reports:
            reports.append(_same_report(robot))
    elif target == Kind.SRDF:
        existing = read_srdf(there) if there is not None else inputs.srdf
        made = to_srdf(robot, inputs.reasons, base=existing.srdf if existing else None, tesseract=options.tesseract)
        reports.append(made.report)
        files = [(output, _srdf_bytes(made.srdf, existing))]
    elif target == Kind.CUROBO:
        path = inputs.urdf.source.path if inputs.urdf is not None else None
        text = curobo_text(robot, path.name if path else "", "1" if options.curobo_version == "1" else "2")
        reports.append(text.report)
        files = [(output, text.text.encode())]
    elif target == Kind.LULA:
        text = lula_text(robot)
        reports.append(text.report)
        files = [(output, text.text.encode())]
    elif target == Kind.SPHERES_URDF:
        assert inputs.urdf is not None
        if not any(robot.xrdf.spheres_of(robot.xrdf.world_group or robot.xrdf.self_group).values()):
            raise FormatError(
                "There are no spheres that could become collision geometry",
                Location(str(inputs.first)),
                "Name an XRDF with spheres, or write the URDF as it is (--to urdf).",
            )
        text = spheres_urdf_text(inputs.urdf, robot.xrdf)
        reports.append(text.report)
        files = [(output, inputs.urdf.source.with_text(text.text).data)]
        # What is seen stays as it is.
        for name, data in inputs.collada.meshes if inputs.collada is not None else ():
            if _is_used(name, text.text):
                files.append((output.parent / name, data))
    elif target == Kind.URDF:
        files = _urdf_files(robot, inputs, output)
        if inputs.collada is None:
            reports = _reports_of_a_urdf(inputs)
    else:
        from editor_app.formats.foreign.collada import Sources, collada_files

        if inputs.drafted:
            listed = bool(inputs.lists) or inputs.spheres_of is not None
            listed = listed or (inputs.srdf is not None and bool(inputs.srdf.srdf.sphere_approximations))
            robot = robot.with_xrdf(without_guesses(robot.xrdf, inputs.collada, inputs.srdf is not None, listed))
        sources = Sources(
            inputs.urdf.source.text if inputs.urdf is not None else None,
            inputs.srdf.source.text if inputs.srdf is not None and robot.srdf is inputs.srdf.srdf else None,
            "" if inputs.drafted else inputs.xrdf_text if robot.xrdf is inputs.xrdf else None,
        )
        with _meshes_at_hand(inputs, options) as mesh_parts:
            made_files, report = collada_files(robot, output, mesh_parts, sources)
        reports.append(report)
        files = made_files
    if inputs.drafted and target in (Kind.SRDF, Kind.CUROBO, Kind.LULA):
        known = inputs.collada is not None and bool(inputs.collada.accelerations)
        guesses: tuple[str, ...] = () if known else ("cspace.acceleration_limits",)
        guesses += ("self_collision.ignore", "tool_frames", "default_joint_positions") if guessed else ()
        reports[before:] = [_without_losses(r, guesses) for r in reports[before:]]
    if target == Kind.CUROBO and inputs.collada is not None:
        notes = (*notes, "The cuRobo file names a URDF that is not there yet: convert to it as well (--to urdf).")
    if target in (Kind.URDF, Kind.SPHERES_URDF) and inputs.collada is None:
        note = _left_behind(inputs, output, options.beside)
        notes = notes if note is None else (*notes, note)
    return Conversion(tuple(files), tuple(reports), notes)


def _reports_of_a_urdf(inputs: Inputs) -> list[ConversionReport]:
    """What was done to the URDF itself, and that nothing else goes into it."""
    reports = [r for r in inputs.reports if r.source in ("xacro", "URDF") or r.target == "URDF"]
    out = Reporter("URDF", "URDF")
    if not reports:
        out.taken("everything", "byte for byte")
    left = [("the XRDF", inputs.xrdf is not None and Kind.XRDF not in inputs.along)]
    left += [("the SRDF", inputs.srdf is not None and Kind.SRDF not in inputs.along)]
    left += [(f"the file of {kind}", True) for kind, _ in inputs.configs]
    left += [("spheres", bool(inputs.lists) or inputs.spheres_of is not None)]
    for what, there in left:
        if there:
            out.kept(what, "not part of a URDF: it stays in its own file; a URDF with spheres is another format")
    return [*(r for r in reports if r.entries), *([out.report()] if out.entries else [])]


def _urdf_files(robot: RobotDescription, inputs: Inputs, output: Path) -> list[tuple[Path, bytes]]:
    assert inputs.urdf is not None
    files = [(output, inputs.urdf.source.data)]
    whole = inputs.collada is not None
    if inputs.srdf is not None and robot.srdf is not None and (whole or Kind.SRDF in inputs.along):
        same = robot.srdf == inputs.srdf.srdf
        data = inputs.srdf.source.data if same else _srdf_bytes(robot.srdf, inputs.srdf)
        files.append((output.with_suffix(".srdf"), data))
    if whole:
        same = inputs.xrdf_text is not None and robot.xrdf is inputs.xrdf
        text = inputs.xrdf_text if same and inputs.xrdf_text is not None else xrdf_text(robot.xrdf, inputs.reasons)
        files.append((output.with_suffix(".xrdf"), text.encode()))
        # The meshes' names are relative to the URDF.
        files += [(output.parent / name, data) for name, data in inputs.collada.meshes]
    elif Kind.XRDF in inputs.along and inputs.xrdf_source is not None:
        patched = patch_xrdf(inputs.xrdf_source, robot.xrdf).text
        files.append((output.with_suffix(".xrdf"), inputs.xrdf_source.source.with_text(patched).data))
    return files


def _is_used(name: str, urdf: str) -> bool:
    """Whether a URDF names a mesh; its materials and pictures go with the meshes of its folder."""
    if name.endswith(".obj"):
        return f'"{name}"' in urdf
    return f'"{name.rpartition("/")[0]}/' in urdf


@contextmanager
def _meshes_at_hand(inputs: Inputs, options: Options) -> Iterator[MeshParts | None]:
    """Meshes out of a COLLADA file are files while they are needed."""
    given = options.mesh_parts
    if given is None or inputs.collada is None or not inputs.collada.meshes:
        yield given
        return
    with TemporaryDirectory(prefix="xrdf-editor-") as folder:
        for name, data in inputs.collada.meshes:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        def parts(mesh: Mesh) -> list[tuple[Any, ...]]:
            path = Path(folder, mesh.filename)
            # Pictures are read while the file is written.
            return given(replace(mesh, filename=str(path)) if path.is_file() else mesh)

        yield parts


def _left_behind(inputs: Inputs, output: Path, beside: Path | None) -> str | None:
    """What to say of meshes that are named relative to a URDF which is written to another folder."""
    assert inputs.urdf is not None
    home = beside or inputs.urdf.source.path
    links = inputs.urdf.urdf.links
    shapes = [v.geometry for link in links for v in link.visuals]
    shapes += [c.geometry for link in links for c in link.collisions]
    names = dict.fromkeys(s.filename for s in shapes if isinstance(s, Mesh) and s.filename and ":" not in s.filename)
    gone = [n for n in names if not Path(n).is_absolute() and not (output.parent / n).exists()]
    if not gone or home is None or output.parent.resolve() == home.parent.resolve():
        return None
    return (
        f"{counted(len(gone), 'mesh', 'meshes')} named relative to {home.parent} will not be found from "
        f"{output.parent}, {gone[0]} for one: copy them along, or write the URDF beside the original."
    )


def _srdf_bytes(srdf: Srdf, existing: SrdfSource | None) -> bytes:
    if existing is None:
        return srdf_text(srdf).encode()
    return existing.source.with_text(patch_srdf(existing, srdf).text).data


def _same_report(robot: RobotDescription) -> ConversionReport:
    spheres = counted(sum(len(s) for g in robot.xrdf.geometry or () for s in g.spheres.values()), "sphere")
    out = Reporter("XRDF", f"XRDF {robot.xrdf.format_version}")
    out.taken("everything", spheres)
    return out.report()


def _draft_report(robot: RobotDescription) -> ConversionReport:
    """What a URDF alone gives, and what is guessed."""
    out = Reporter("URDF", f"XRDF {robot.xrdf.format_version}")
    out.translated("joints", "default positions, c-space; limits that the URDF does not give are placeholders")
    out.translated("structure", "links that a joint connects are ignored; a tool frame is guessed")
    return out.report()


def _without_losses(report: ConversionReport, guesses: tuple[str, ...]) -> ConversionReport:
    """What was only guessed cannot be lost."""
    kept = (e for e in report.entries if e.fate != Fate.LOST or not e.item.startswith(guesses))
    return replace(report, entries=tuple(kept)) if guesses else report


def _without_comments(report: ConversionReport) -> ConversionReport:
    """Where a file has no room for reasons."""
    lost = Entry(Fate.LOST, REASONS, "XRDF has no place for them, and the list of this file none for comments")
    return replace(report, entries=tuple(lost if e.item == REASONS else e for e in report.entries))
