"""The verb make_collision: collision elements of the URDF, made from the meshes of links.

Decided here, for every caller: which links, which of their geometry, which solid is the best one,
how a capsule is written, what mesh files are called, and what the made shapes do to verdicts on
self-collision.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.urdf import SetCollisions
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import compute_text, written_source
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.drafting.bodies import link_rank
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.inputs import Inputs, digest_of
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.refusal import Refusal
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.model.urdf import Ball, Capsule, Collision, Cylinder, Mesh
from editor_app.core.space.geometry.link_geometry import Kind
from editor_app.core.space.geometry.mesh import MeshPart, merge_parts
from editor_app.core.space.geometry.obj_and_stl import stl_bytes
from editor_app.core.space.geometry.paths import explain_mesh_path, written_name
from editor_app.core.space.kinematics.transforms import build_origin_matrix
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    run_jobs,
    scale_progress,
    silent,
)
from editor_app.core.verbs.reading_notes import list_reading_notes
from editor_app.core.verbs.robot_texts import place_document
from editor_app.features.masks.engine.meshes import MeshModel
from editor_app.features.spheres.engine import shape_quality, shapes
from editor_app.features.spheres.engine.links import LinkMesh, mesh_digest
from editor_app.features.spheres.engine.results import Refusals
from editor_app.features.spheres.engine.settings import FittingError, ShapeKind
from editor_app.features.spheres.engine.shapes import ConvexShape
from editor_app.features.spheres.verbs.fit import chosen_links
from editor_app.features.spheres.verbs.link_figures import LinkFigures
from editor_app.features.spheres.verbs.link_fits import prepare_solid
from editor_app.features.spheres.verbs.link_meshes import LinkMeshes, SkippedLink, link_meshes
from editor_app.plugins.collision_shapes.verbs.shape_choices import (
    BEST_RULE,
    SIMPLEST,
    USUAL_CHOICES,
    USUAL_SAMPLES,
    ShapeChoices,
    parts_available,
    refuse_missing_extras,
)
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.verdicts import MUCH_NEEDLESS, mesh_touches
from editor_app.plugins.planning.verbs.model_cost import MeshVerdicts

#: Where mesh files go, below the folder of the URDF.
FOLDER = Path("meshes", "collision")
#: Of the whole work, the share after which verdicts are compared.
_MADE = 0.7
#: Cosine of the angle between two triangles whose common edge is not drawn.
_FLAT = 0.9998
#: Balls of a capsule that is written as three shapes are larger by what rounding moves their
#: centres; metres.
_ROUNDED = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class LinkShapes:
    """`kind`: of `shapes`, the solids in the frame of the link; `collisions`: the same as the URDF
    has them.

    `figures`: as of spheres, where "sphere" is a solid. `geometry`: which shapes of the link they
    were made from. `tried`: figures of every kind that was looked at for the best one. `files`:
    meshes that `collisions` name.
    """

    link: str
    kind: ShapeKind
    shapes: tuple[ConvexShape, ...]
    collisions: tuple[Collision, ...]
    figures: LinkFigures
    geometry: Kind
    tried: Mapping[ShapeKind, LinkFigures]
    files: tuple[tuple[Path, bytes], ...] = ()

    __repr__ = brief


@dataclass(frozen=True, slots=True, eq=False)
class MadeCollision:
    """`change` gives the shapes to the robot, as one step: `document.execute(made.change)`, then
    `save(document)`.

    `files`: meshes that go beside the URDF `urdf_path` when it is saved. `verdict`: what the shapes
    refuse needlessly and accept wrongly against the meshes that they were made from, None where
    that was not asked or cannot be told.
    """

    urdf_path: Path
    links: tuple[LinkShapes, ...]
    skipped: tuple[SkippedLink, ...]
    files: tuple[tuple[Path, bytes], ...]
    change: SetCollisions
    verdict: Refusals | None
    notes: tuple[str, ...]
    wall_seconds: float

    __repr__ = brief

    @property
    def is_open(self) -> bool:
        """True if a surface is not proven to be covered."""
        return any(
            each.figures.proof is None or not each.figures.proof.holds for each in self.links
        )

    @property
    def verdict_text(self) -> str:
        """One sentence; empty without a verdict."""
        if self.verdict is None:
            return ""
        needless, wrong = self.verdict.needless, self.verdict.wrong
        return (
            f"Compared with the meshes: false collisions in {needless} of {needless.of:,} free "
            "configurations, "
            f"missed collisions in {wrong} of {wrong.of:,} configurations in which meshes touch."
        )


@check_arguments
def make_collision(
    robot: Described,
    links: Iterable[str] | None = None,
    choices: ShapeChoices = USUAL_CHOICES,
    *,
    output: Path | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> MadeCollision:
    """Simple collision shapes for links (default: all that have geometry); the robot is left as it
    is.

    `output`: the URDF that they are for, default the one that is open. Raises Refused, Cancelled.
    """
    started, placed = time.perf_counter(), locate_robot(robot)
    target = output if output is not None else placed.urdf_path
    if target is None:
        raise Refused(
            "the robot has no file yet: save it first, because mesh files are written next to it"
        )
    target = target.absolute()
    refuse_missing_extras(choices)
    progress(0.0, "Loading the geometry")
    loaded = link_meshes(placed, chosen_links(placed.robot, links), choices.geometry)
    names = _Names(placed, target)
    made = _links(placed.robot, names, loaded, _solids(loaded.meshes, choices, progress, cancel))
    if not made:
        raise Refused(
            "; ".join(f"{each.link}: {each.reason}" for each in loaded.skipped)
            or "no link has a mesh"
        )
    notes = [*list_reading_notes(robot), *loaded.notes]
    if choices.kind == "best":
        without = (
            "" if parts_available() else "; parts need the extra 'parts', which is not installed"
        )
        notes.append(BEST_RULE.format(100 * choices.excess) + without)
    verdict = None
    if choices.samples is not None:
        verdict = _verdict(
            placed,
            made,
            choices,
            make_stoppable(scale_progress(progress, _MADE, 1.0), cancel),
            notes,
        )
        if verdict is not None and verdict.needless.value > MUCH_NEEDLESS:
            notes.append(
                "The shapes cause many false collisions: try a smaller excess, hulls or convex "
                "parts"
            )
    progress(1.0, "Done")
    files = {path: data for each in made for path, data in each.files}
    by_name = FrozenDict({str(path): data for path, data in files.items()})
    change = SetCollisions(
        FrozenDict({each.link: each.collisions for each in made}), choices.add, by_name
    )
    seconds, told = time.perf_counter() - started, tuple(dict.fromkeys(notes))
    return MadeCollision(
        target,
        tuple(made),
        tuple(loaded.skipped),
        tuple(files.items()),
        change,
        verdict,
        told,
        seconds,
    )


def _links(
    robot: RobotDescription,
    names: _Names,
    loaded: LinkMeshes,
    solids: Mapping[str, LinkShapes | str],
) -> list[LinkShapes]:
    """From the base to the tools, as the URDF has them; links without a solid are skipped."""
    rank, made = link_rank(robot.urdf), []
    for mesh in sorted(loaded.meshes, key=lambda mesh: rank(mesh.link)):
        solid = solids[mesh.link]
        if isinstance(solid, str):
            loaded.skipped.append(SkippedLink(mesh.link, solid))
            continue
        collisions, files = names.collisions(mesh.link, solid.shapes)
        made.append(
            replace(
                solid,
                link=mesh.link,
                collisions=collisions,
                files=files,
                geometry=loaded.kinds[mesh.link],
            )
        )
    return made


def _verdict(
    placed: PlacedRobot,
    made: Sequence[LinkShapes],
    choices: ShapeChoices,
    tick: Progress,
    notes: list[str],
) -> Refusals | None:
    """What they refuse needlessly and accept wrongly, where two links can touch."""
    seen = [each.link for each in made if each.geometry == "visual"]
    robot, samples = placed.robot, choices.samples or USUAL_SAMPLES
    try:
        fine = MeshVerdicts.of(placed, scale_progress(tick, 0.0, 0.5), seen, samples)
    except (ImportError, Refusal) as error:
        notes.append(f"Not compared with the meshes: {error}")
        return None
    meshes = dict(fine.meshes.meshes.shapes)
    convex = []
    for each in made:
        bodies = [MeshPart(solid.vertices, solid.faces) for solid in each.shapes]
        if choices.add and each.link in meshes:
            bodies.append(MeshPart(*meshes[each.link]))
        elif len(bodies) == 1:
            convex.append(each.link)
        meshes[each.link] = merge_parts(bodies)
    coarse = MeshMotion(robot, MeshModel(robot, meshes, convex=convex), EMPTY_SCENE, None)
    touches, _ = mesh_touches(coarse, fine.values, tick=scale_progress(tick, 0.5, 1.0))
    return fine.against(np.asarray(touches.any(axis=1)))


def write_collision(
    document: Document, made: MadeCollision, *, overwrite: bool = False, inputs: Inputs = NO_INPUTS
) -> tuple[Path, ...]:
    """Writes `made` as a second URDF, the `output` that it was made for, with its meshes; gives the
    written paths.

    Meshes that are named relative to the URDF that is open are named from there. `inputs` are files
    beyond the document's that the shapes were made from. Raises ChangedOnDiskError when one of
    these files changed since it was read; SaveError when the URDF exists and `overwrite` is not
    set, it is the one that is open, or writing fails; Refused while text is being typed.
    """
    path = made.urdf_path
    state = place_document(document, path).changed_by(made.change)
    text = compute_text(state, FileKind.URDF)
    assert text is not None
    # A mesh that is there already, of these shapes or others, is shared.
    meshes = [
        (file, data)
        for file, data in made.files
        if digest_of(file) != hashlib.sha256(data).hexdigest()
    ]
    files = [*meshes, (path, written_source(state, FileKind.URDF, text, path).data)]
    written = write_files(files, document.inputs | inputs, overwrite=overwrite)
    return tuple(sorted(written, key=lambda file: file != path))


# -- solids


def make_shapes(reporter: TaskReporter, mesh: LinkMesh, choices: ShapeChoices) -> LinkShapes | str:
    """A job: the LinkShapes of a mesh, without collisions yet; or the sentence that says why there
    are none."""
    kinds = (
        (choices.kind,)
        if choices.kind != "best"
        else SIMPLEST
        if parts_available()
        else SIMPLEST[:-1]
    )
    tried: dict[ShapeKind, LinkFigures] = {}
    made: dict[ShapeKind, tuple[ConvexShape, ...]] = {}
    try:
        solid = prepare_solid(mesh)
        for number, kind in enumerate(kinds):
            reporter.progress(number / len(kinds), f"{mesh.link}: {kind}")
            solids = made[kind] = shapes.made_shapes(
                kind, mesh.vertices, mesh.faces, most_faces=choices.faces, most_parts=choices.parts
            )
            quality = shape_quality.measure_shapes(solid, solids)
            tried[kind] = LinkFigures.of(quality, shape_quality.certify_shapes(solid, solids))
            if (ratio := tried[kind].excess_ratio) is not None and ratio <= choices.excess:
                break
    except FittingError as error:
        return str(error)
    # Of equal ones, the simplest.
    chosen = min(
        tried, key=lambda kind: (max(_excess(tried[kind]), choices.excess), SIMPLEST.index(kind))
    )
    return LinkShapes(mesh.link, chosen, made[chosen], (), tried[chosen], "collision", tried)


def _excess(figures: LinkFigures) -> float:
    """By the volume of the link; of a surface, which has none, in cubic millimetres."""
    return (
        1e9 * (figures.excess_volume or 0.0)
        if figures.excess_ratio is None
        else figures.excess_ratio
    )


def _solids(
    meshes: Sequence[LinkMesh], choices: ShapeChoices, progress: Progress, cancel: Cancel
) -> dict[str, LinkShapes | str]:
    """By link; made once for equal meshes."""
    groups: dict[str, list[LinkMesh]] = {}
    for mesh in meshes:
        groups.setdefault(mesh_digest(mesh), []).append(mesh)
    shares = dict.fromkeys(range(len(groups)), 0.0)

    def tell(number: int, share: float, sentence: str) -> None:
        shares[number] = max(shares[number], share)
        progress(_MADE * sum(shares.values()) / len(shares), sentence)

    made = run_jobs(
        [Task(make_shapes, group[0], choices) for group in groups.values()],
        executor=None,
        cancel=cancel,
        on_progress=tell,
        on_done=lambda number, _: tell(number, 1.0, "Creating shapes"),
    )
    return {
        mesh.link: solid
        for group, solid in zip(groups.values(), made, strict=True)
        for mesh in group
    }


# -- how they are written


class _Names:
    """What the shapes of links are in a URDF, and the files that they need; no other content is
    under their names."""

    def __init__(self, placed: PlacedRobot, urdf_path: Path) -> None:
        self._urdf_path = urdf_path
        self._has_capsules = placed.robot.urdf.version != "1.0"
        shapes_there = [
            shape.geometry for link in placed.robot.urdf.links for shape in link.collisions
        ]
        names = {shape.filename for shape in shapes_there if isinstance(shape, Mesh)}
        places = (explain_mesh_path(name, placed.urdf_path, placed.packages) for name in names)
        #: Files that wait for the URDF to be saved.
        self._waiting = {
            place.belongs_at: place.path for place in places if place.belongs_at is not None
        }
        self._taken: dict[str, bytes] = {}

    def collisions(
        self, link: str, solids: Sequence[ConvexShape]
    ) -> tuple[tuple[Collision, ...], tuple[tuple[Path, bytes], ...]]:
        """The elements of a link, and (path, content) of their files."""
        written: list[Collision] = []
        files: list[tuple[Path, bytes]] = []
        for number, solid in enumerate(solids, 1):
            if isinstance(solid.geometry, Capsule) and not self._has_capsules:
                written += _as_three(solid.geometry, solid.origin)
            elif solid.geometry is not None:
                written.append(Collision(solid.geometry, solid.origin))
            else:
                ending = "hull" if solid.kind == "hull" else f"part{number}"
                data = stl_bytes(solid.vertices, solid.faces)
                files.append((path := self._place(f"{link}_{ending}", data), data))
                written.append(Collision(Mesh(written_name(path, self._urdf_path)), IDENTITY))
        return tuple(written), tuple(files)

    def _place(self, name: str, data: bytes) -> Path:
        stem = re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip(".")
        folder = self._urdf_path.parent / FOLDER
        path = folder / f"{stem}.stl"
        if not self._is_free(path, data):
            path = folder / f"{stem}_{hashlib.sha256(data).hexdigest()[:8]}.stl"
        self._taken[path.name.lower()] = data
        return path

    def _is_free(self, path: Path, data: bytes) -> bool:
        present = path if path.exists() else self._waiting.get(path)
        try:
            same = present is None or digest_of(present) == hashlib.sha256(data).hexdigest()
        except OSError:
            same = False
        return same and self._taken.get(path.name.lower(), data) == data


def _as_three(capsule: Capsule, origin: Origin) -> list[Collision]:
    """A cylinder and two balls: URDF 1.0 knows no capsule."""
    matrix = build_origin_matrix(origin)
    balls = []
    for end in (-0.5, 0.5):
        x, y, z = (np.round(matrix[:3, 3] + end * capsule.length * matrix[:3, 2], 6) + 0.0).tolist()
        balls.append(Collision(Ball(round(capsule.radius + _ROUNDED, 6)), Origin((x, y, z))))
    return [Collision(Cylinder(capsule.radius, capsule.length), origin), *balls]


def edges(shape: ConvexShape) -> F64:
    """(n, 2, 3) ends of the edges at which a solid bends, of round ones its outlines; frame of the
    link."""
    corners = shape.vertices[shape.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-18)
    sides = np.sort(shape.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    face = np.repeat(np.arange(len(shape.faces)), 3)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, face = sides[order], face[order]
    pair = np.flatnonzero((sides[1:] == sides[:-1]).all(axis=1))
    bends = np.einsum("ij,ij->i", normals[face[pair]], normals[face[pair + 1]]) < _FLAT
    return np.asarray(shape.vertices[sides[pair[bends]]])
