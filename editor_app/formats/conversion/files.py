"""From files to files: which format a file is, one robot out of several of them, and the robot in another format.

Nothing is written here: a `Conversion` holds the files that would be. The command line and the window share it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from editor_app.formats.conversion.collada import beside, with_collada, without_guesses
from editor_app.formats.conversion.plain import load_plain
from editor_app.formats.conversion.report import ConversionReport, Reporter, counted
from editor_app.formats.conversion.srdf import (
    NeedsChoice,
    XrdfConversion,
    ignore_mapping,
    to_srdf,
    to_xrdf,
)
from editor_app.formats.conversion.xrdf_text import reasons_of, xrdf_text
from editor_app.formats.curobo import curobo_text, is_curobo, read_curobo
from editor_app.formats.lula import is_lula, lula_text, read_lula
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.sphere_lists import SphereList, is_sphere_list, read_sphere_list, spheres_in_urdf
from editor_app.formats.spheres_urdf import spheres_urdf_text
from editor_app.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.formats.urdf import UrdfSource, XacroFile, read_urdf
from editor_app.formats.urdf.patch import patch_urdf
from editor_app.formats.xrdf import XrdfSource, convert_version, draft_xrdf, patch_xrdf, read_xrdf
from editor_app.formats.xrdf.versions import CannotConvert
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Ball, Mesh, Urdf
from editor_app.model.xrdf import CollisionSection, GeometryGroup, LinkPair, SelfCollisionSection, Xrdf


class Kind(StrEnum):
    URDF = "urdf"
    XACRO = "xacro"
    XRDF = "xrdf"
    SRDF = "srdf"
    CUROBO = "curobo"
    LULA = "lula"
    SPHERES = "spheres"
    SPHERES_URDF = "spheres-urdf"
    COLLADA = "collada"


#: What can be written, as the option is called.
TARGETS = (Kind.XRDF, Kind.SRDF, Kind.CUROBO, Kind.LULA, Kind.SPHERES_URDF, Kind.URDF, Kind.COLLADA)
_YAML = (".yml", ".yaml", ".json")

#: The parts of a mesh in metres, scale applied: (vertices, triangles, colour), and where it has a picture (texture
#: coordinates, its path); empty when it is not there.
MeshParts = Callable[[Mesh], list[tuple[Any, ...]]]
ExpandXacro = Callable[[Path], SourceText]
#: What is to be done to the robot between reading and writing, and what that did.
Prepare = Callable[[RobotDescription], tuple[RobotDescription, ConversionReport]]


@dataclass(frozen=True)
class Options:
    """`group` and `state` name those of an SRDF, `link` that of a nameless list of spheres."""

    to: Kind | None = None
    group: str | None = None
    state: str | None = None
    link: str | None = None
    xrdf_version: str | None = None
    curobo_version: str = "2"
    tesseract: bool = False
    #: Bring a file that is there up to date by splices instead of writing a new one.
    update: bool = False
    #: None refuses xacro, which evaluates Python expressions.
    expand_xacro: ExpandXacro | None = None
    #: None leaves meshes out of COLLADA.
    mesh_parts: MeshParts | None = None
    #: Changes the robot between reading and writing.
    prepare: Prepare | None = None
    #: Which robot of a COLLADA file; "*" is all of them, None the first.
    robot: str | None = None
    #: Where the URDF really is, when the one that is read is a copy: meshes may be named from there.
    beside: Path | None = None


@dataclass(frozen=True)
class Conversion:
    """`files` in the order in which they should be written; the first is the one that was asked for."""

    files: tuple[tuple[Path, bytes], ...]
    reports: tuple[ConversionReport, ...]
    notes: tuple[str, ...] = ()


@dataclass
class _Inputs:
    first: Path
    urdf: UrdfSource | None = None
    expanded: bool = False
    xrdf: Xrdf | None = None
    xrdf_text: str | None = None
    xrdf_source: XrdfSource | None = None
    #: What was changed on the way to a URDF, and is written beside it.
    along: tuple[Kind, ...] = ()
    reasons: dict[LinkPair, str] = field(default_factory=dict)
    srdf: SrdfSource | None = None
    configs: list[tuple[Kind, SourceText]] = field(default_factory=list)
    lists: list[SourceText] = field(default_factory=list)
    spheres_of: UrdfSource | None = None
    collada: Any = None
    #: The XRDF's limits are placeholders, which no other file should take for the robot's own.
    drafted: bool = False
    notes: tuple[str, ...] = ()
    reports: list[ConversionReport] = field(default_factory=list)


def kind_of(path: Path) -> Kind:
    """What a file is, by its name and, where that does not tell, its content. Raises FormatError."""
    suffix = path.suffix.lower()
    named = {".xacro": Kind.XACRO, ".xrdf": Kind.XRDF, ".dae": Kind.COLLADA, ".zae": Kind.COLLADA, ".srdf": Kind.SRDF}
    if suffix in named:
        return named[suffix]
    source = SourceText.read(path)
    if suffix in _YAML:
        value = load_plain(source)
        if is_curobo(value):
            return Kind.CUROBO
        if is_lula(value):
            return Kind.LULA
        if isinstance(value, dict) and ("format_version" in value or str(value.get("format")).lower() == "xrdf"):
            return Kind.XRDF
        if is_sphere_list(value):
            return Kind.SPHERES
        raise FormatError(
            "This is no XRDF, cuRobo or Lula file, and no list of spheres", source.location(0), "Check its content."
        )
    head = source.text[:4000]
    if "<COLLADA" in head:
        return Kind.COLLADA
    if "<robot" in source.text and not any(t in source.text for t in ("<link", "<joint name", "xacro:")):
        return Kind.SRDF
    if "<robot" in source.text:
        return Kind.URDF
    raise FormatError("This file is of no format that can be converted", source.location(0))


def target_of(path: Path, options: Options, inputs: list[Kind]) -> Kind:
    """What the output's name, or `options.to`, asks for. Raises FormatError when neither tells."""
    if options.to is not None:
        return options.to
    name = path.name.lower()
    for ending, kind in (
        (".xrdf", Kind.XRDF),
        (".xrdf.yaml", Kind.XRDF),
        (".xrdf.yml", Kind.XRDF),
        (".srdf", Kind.SRDF),
        (".dae", Kind.COLLADA),
        (".zae", Kind.COLLADA),
        (".curobo.yml", Kind.CUROBO),
        (".curobo.yaml", Kind.CUROBO),
        (".lula.yaml", Kind.LULA),
        (".lula.yml", Kind.LULA),
    ):
        if name.endswith(ending):
            return kind
    if name.endswith(".urdf"):
        # With nothing that says where spheres are, the robot itself is meant.
        whole = {Kind.XACRO, Kind.COLLADA} & set(inputs) or inputs == [Kind.URDF]
        return Kind.URDF if whole else Kind.SPHERES_URDF
    names = ", ".join(TARGETS)
    raise FormatError("The name does not tell which format is meant", Location(str(path)), f"Say --to one of: {names}.")


def convert_files(paths: list[Path], output: Path, options: Options | None = None) -> Conversion:
    """Raises FormatError, NeedsChoice and CannotConvert with sentences for the user."""
    options = options or Options()
    kinds = [kind_of(p) for p in paths]
    target = target_of(output, options, kinds)
    inputs = _read(paths, kinds, target, options)
    robot = _robot(inputs, target, options)
    if options.prepare is not None:
        robot = _prepared(robot, inputs, target, options.prepare)
    return _write(robot, inputs, target, output, options)


def _prepared(robot: RobotDescription, inputs: _Inputs, target: Kind, prepare: Prepare) -> RobotDescription:
    # What a draft guesses is no reason for anything in a file that it does not go into.
    bare = inputs.drafted and target == Kind.URDF and inputs.collada is None
    start = robot.with_xrdf(Xrdf()) if bare else robot
    robot, report = prepare(start)
    inputs.reports.append(report)
    if target == Kind.URDF and inputs.collada is None:
        inputs.reports.append(_along(robot, start, inputs))
    if robot.urdf is not start.urdf and inputs.urdf is not None:
        patched = patch_urdf(inputs.urdf, robot.urdf)
        inputs.urdf, inputs.notes = patched.written, (*inputs.notes, *patched.notes)
        if target not in (Kind.URDF, Kind.SPHERES_URDF, Kind.COLLADA):
            inputs.notes = (*inputs.notes, "The URDF was changed too: convert to URDF with the same choices as well.")
    return robot


def _along(robot: RobotDescription, start: RobotDescription, inputs: _Inputs) -> ConversionReport:
    """Notes what of XRDF and SRDF has to be written beside a changed URDF, because it changed with it."""
    out = Reporter("XRDF and SRDF", "URDF")
    for kind, old, new, given in (
        (Kind.XRDF, start.xrdf, robot.xrdf, inputs.xrdf_source is not None),
        (Kind.SRDF, start.srdf, robot.srdf, inputs.srdf is not None),
    ):
        if old == new:
            continue
        if given:
            inputs.along = (*inputs.along, kind)
            out.translated(kind.upper(), "changed with the URDF: written beside it")
        else:
            out.lost("positions and ignored pairs", "a URDF has no place for them: name the XRDF among the inputs")
    return out.report()


def _read(paths: list[Path], kinds: list[Kind], target: Kind, options: Options) -> _Inputs:
    inputs = _Inputs(paths[0])
    for path, kind in zip(paths, kinds, strict=True):
        if kind == Kind.COLLADA:
            _read_collada(inputs, path, options)
        elif kind in (Kind.URDF, Kind.XACRO):
            source = _read_urdf(path, kind, options, inputs)
            if inputs.urdf is None:
                inputs.urdf = source
            else:
                # A second URDF is one of spheres, as other tools write it.
                inputs.spheres_of = source
        elif kind == Kind.XRDF:
            xrdf = read_xrdf(SourceText.read(path))
            if inputs.xrdf is not None:
                raise FormatError("There are two XRDF files", Location(str(path)), "Name one.")
            inputs.xrdf, inputs.reasons = xrdf.xrdf, dict(reasons_of(xrdf))
            inputs.xrdf_text, inputs.xrdf_source = xrdf.source.text, xrdf
        elif kind == Kind.SRDF:
            inputs.srdf = read_srdf(SourceText.read(path))
        elif kind == Kind.SPHERES:
            inputs.lists.append(SourceText.read(path))
        else:
            inputs.configs.append((kind, SourceText.read(path)))
    return inputs


def _read_urdf(path: Path, kind: Kind, options: Options, inputs: _Inputs) -> UrdfSource:
    source = SourceText.read(path)
    try:
        if kind == Kind.URDF:
            return read_urdf(source)
        raise XacroFile("its name ends in .xacro", source.location(0))
    except XacroFile:
        if options.expand_xacro is None:
            raise
        expanded = read_urdf(options.expand_xacro(path))
        inputs.expanded = True
        out = Reporter("xacro", "URDF")
        links, joints = counted(len(expanded.urdf.links), "link"), counted(len(expanded.urdf.joints), "joint")
        out.translated("macros and expressions", f"expanded to {links} and {joints}")
        inputs.reports.append(out.report())
        return expanded


def _read_collada(inputs: _Inputs, path: Path, options: Options) -> None:
    from editor_app.formats.collada import read_collada_robot

    found = read_collada_robot(path, options.robot)
    inputs.collada = found
    inputs.urdf = read_urdf(SourceText.from_text(found.urdf_text, path.with_suffix(".urdf")))
    if found.srdf_text is not None:
        inputs.srdf = read_srdf(SourceText.from_text(found.srdf_text, path.with_suffix(".srdf")))
    if found.xrdf_text is not None and inputs.xrdf is None:
        xrdf = read_xrdf(SourceText.from_text(found.xrdf_text, path.with_suffix(".xrdf")))
        inputs.xrdf, inputs.reasons, inputs.xrdf_text = xrdf.xrdf, dict(reasons_of(xrdf)), found.xrdf_text
    inputs.reports.append(found.report)


def _robot(inputs: _Inputs, target: Kind, options: Options) -> RobotDescription:
    urdf = inputs.urdf.urdf if inputs.urdf is not None else None
    xrdf = inputs.xrdf
    for kind, source in inputs.configs:
        config = (read_curobo if kind == Kind.CUROBO else read_lula)(source, urdf)
        inputs.reports.append(config.report)
        if xrdf is not None:
            raise FormatError(
                "There are two files that say the same things as an XRDF", source.location(0), "Name one."
            )
        xrdf = config.xrdf
    if urdf is None:
        if target not in (Kind.XRDF,) or xrdf is None or inputs.srdf is not None:
            place = Location(str(inputs.first))
            raise FormatError("The robot's URDF is needed for this", place, "Name it among the inputs.")
        urdf = Urdf()
    if xrdf is None:
        xrdf = read_xrdf(SourceText.from_text(draft_xrdf(urdf))).xrdf
        if inputs.srdf is not None and inputs.srdf.srdf.groups:
            # What the SRDF says takes the place of guesses, placeholders alone stay.
            xrdf = replace(
                xrdf,
                tool_frames=None,
                default_joint_positions=None,
                self_collision=SelfCollisionSection(xrdf.self_group),
                cspace=None,
            )
        drafted = inputs.drafted = True
    else:
        drafted = False
    # The XRDF that was in a COLLADA file has been brought up to date already.
    complete = inputs.collada is not None and inputs.collada.xrdf_text is not None
    # These take both as they are.
    both = (target in (Kind.SRDF, Kind.COLLADA) and not drafted) or (target == Kind.URDF and inputs.collada is None)
    if inputs.srdf is not None and not complete and not both:
        made = _from_srdf(inputs, urdf, xrdf, target, options)
        if target != Kind.SRDF:
            inputs.reports.append(beside(made.report) if target in (Kind.URDF, Kind.COLLADA) else made.report)
        xrdf = made.xrdf
        inputs.reasons.update(made.reasons)
    if inputs.collada is not None and drafted:
        xrdf = with_collada(xrdf, inputs.collada, urdf, options.group is None)
    lists = [read_sphere_list(s, [link.name for link in urdf.links], options.link) for s in inputs.lists]
    if inputs.spheres_of is not None:
        found = spheres_in_urdf(inputs.spheres_of.urdf)
        if not found.spheres:
            place = inputs.spheres_of.source.location(0)
            raise FormatError("The second URDF has no spheres as collision geometry", place, "Name one URDF.")
        lists.append(found)
    elif drafted and not lists and target in (Kind.XRDF, Kind.CUROBO, Kind.LULA) and _all_spheres(urdf):
        # A URDF with spheres, by itself.
        lists.append(spheres_in_urdf(urdf))
    for found_list in lists:
        xrdf = with_spheres(xrdf, found_list, urdf)
        inputs.reports.append(found_list.report)
    robot = RobotDescription(urdf, xrdf, inputs.srdf.srdf if inputs.srdf is not None else None)
    if options.xrdf_version is not None and xrdf.format_version != options.xrdf_version:
        changed = convert_version(robot, options.xrdf_version)
        out = Reporter(f"XRDF {xrdf.format_version}", f"XRDF {options.xrdf_version}")
        for note in changed.notes:
            out.translated("version", note)
        inputs.reports.append(out.report())
        robot = robot.with_xrdf(changed.xrdf)
    return robot


def _all_spheres(urdf: Urdf) -> bool:
    shapes = [collision.geometry for link in urdf.links for collision in link.collisions]
    return bool(shapes) and all(isinstance(shape, Ball) for shape in shapes)


def _from_srdf(inputs: _Inputs, urdf: Urdf, xrdf: Xrdf, target: Kind, options: Options) -> XrdfConversion:
    assert inputs.srdf is not None
    srdf = inputs.srdf.srdf
    try:
        return to_xrdf(srdf, urdf, group=options.group, state=options.state, base=xrdf)
    except NeedsChoice:
        if target in (Kind.XRDF, Kind.CUROBO, Kind.LULA) or options.group is not None or options.state is not None:
            raise
        # The other files are what was asked for; a draft of the joints is as good a beginning as any.
        bare = replace(srdf, groups=(), states=(), tcps=())
        return to_xrdf(bare, urdf, base=read_xrdf(SourceText.from_text(draft_xrdf(urdf))).xrdf)


def with_spheres(xrdf: Xrdf, found: SphereList, urdf: Urdf) -> Xrdf:
    """The XRDF with these spheres in the group for obstacles (and for itself, when that is the same)."""
    name = xrdf.world_group or xrdf.self_group or f"{urdf.name or 'robot'}_collision_spheres"
    group = xrdf.group(name) or GeometryGroup(name)
    for frame, spheres in found.spheres.items():
        group = group.with_spheres(frame, spheres)
    xrdf = xrdf.with_group(group)
    world = xrdf.world_collision or CollisionSection()
    own = xrdf.self_collision or SelfCollisionSection()
    if found.pairs:
        pairs = dict.fromkeys((*own.ignored_pairs(), *found.pairs), "")
        own = replace(own, ignore=ignore_mapping(pairs, urdf))
    return replace(
        xrdf,
        world_collision=replace(world, geometry=world.geometry or name),
        self_collision=replace(own, geometry=own.geometry or name),
    )


def _write(robot: RobotDescription, inputs: _Inputs, target: Kind, output: Path, options: Options) -> Conversion:
    reports = list(inputs.reports)
    notes = inputs.notes
    files: list[tuple[Path, bytes]] = []
    there = SourceText.read(output) if options.update and output.is_file() else None
    if target == Kind.XRDF:
        if there is not None:
            patch = patch_xrdf(read_xrdf(there), robot.xrdf)
            files, notes = [(output, there.with_text(patch.text).data)], (*notes, *patch.notes)
        elif inputs.drafted and inputs.srdf is None and inputs.collada is None and not inputs.reasons:
            # The draft says which of its numbers are guesses.
            draft = read_xrdf(SourceText.from_text(draft_xrdf(robot.urdf)))
            files = [(output, patch_xrdf(draft, robot.xrdf).text.encode())]
        else:
            files = [(output, xrdf_text(robot.xrdf, inputs.reasons).encode())]
        guessed = inputs.drafted and inputs.srdf is None and inputs.collada is None
        if not reports or guessed:
            reports.insert(0, _same_report(robot, drafted=inputs.drafted))
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
    elif target == Kind.URDF:
        files = _urdf_files(robot, inputs, output)
        if inputs.collada is None:
            reports = _reports_of_a_urdf(inputs)
    else:
        from editor_app.formats.collada import Sources, collada_files

        if inputs.drafted:
            robot = robot.with_xrdf(without_guesses(robot.xrdf, inputs.collada, inputs.srdf is not None))
        sources = Sources(
            inputs.urdf.source.text if inputs.urdf is not None else None,
            inputs.srdf.source.text if inputs.srdf is not None and robot.srdf is inputs.srdf.srdf else None,
            "" if inputs.drafted else inputs.xrdf_text if robot.xrdf is inputs.xrdf else None,
        )
        made_files, report = collada_files(robot, output, options.mesh_parts, sources)
        reports.append(report)
        files = made_files
    if target in (Kind.URDF, Kind.SPHERES_URDF) and inputs.collada is None:
        note = _left_behind(inputs, output, options.beside)
        notes = notes if note is None else (*notes, note)
    return Conversion(tuple(files), tuple(reports), notes)


def _reports_of_a_urdf(inputs: _Inputs) -> list[ConversionReport]:
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


def _urdf_files(robot: RobotDescription, inputs: _Inputs, output: Path) -> list[tuple[Path, bytes]]:
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


def _left_behind(inputs: _Inputs, output: Path, beside: Path | None) -> str | None:
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


def _same_report(robot: RobotDescription, *, drafted: bool = False) -> ConversionReport:
    spheres = counted(sum(len(s) for g in robot.xrdf.geometry or () for s in g.spheres.values()), "sphere")
    if drafted:
        out = Reporter("URDF", f"XRDF {robot.xrdf.format_version}")
        out.translated("joints", "default positions, c-space; limits that the URDF does not give are placeholders")
        out.translated("structure", "links that a joint connects are ignored; a tool frame is guessed")
        return out.report()
    out = Reporter("XRDF", f"XRDF {robot.xrdf.format_version}")
    out.taken("everything", spheres)
    return out.report()


__all__ = [
    "TARGETS",
    "CannotConvert",
    "Conversion",
    "Kind",
    "NeedsChoice",
    "Options",
    "convert_files",
    "kind_of",
    "target_of",
    "with_spheres",
]
