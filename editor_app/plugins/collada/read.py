"""A COLLADA robot -> URDF, SRDF, XRDF and meshes.

Degrees and the file's unit become radians and metres. What has no place in a URDF, SRDF or XRDF
stays in the URDF as `<collada_extra>`, word for word, and is written back on export.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from editor_app.core.formats.exchange.codec import ALL_ROBOTS, RobotFiles
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.joint_lists import independent_positions
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf, urdf_text
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Capsule, Joint, JointType, Link, Urdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.splices import NewElement, render, with_last_children
from editor_app.plugins.collada.documents import ColladaDocuments
from editor_app.plugins.collada.embedded import (
    Embedded,
    read_embedded_urdf,
    reconciled,
    stored_shapes,
)
from editor_app.plugins.collada.embedded_masks import reconciled_srdf, reconciled_xrdf
from editor_app.plugins.collada.reading.bodies import BodyReader, StoredShapes, weigh_links
from editor_app.plugins.collada.reading.extensions import Extensions
from editor_app.plugins.collada.reading.kinematics import (
    controlled,
    keep_rest,
    passive,
    read_formulas,
    read_model,
)
from editor_app.plugins.collada.reading.parameters import Parameters
from editor_app.plugins.collada.reading.robots import (
    Candidate,
    candidates,
    complete_limits,
    find_scene_node,
    mount,
    still,
)
from editor_app.plugins.collada.reading.state import ColladaReading, Model
from editor_app.plugins.collada.transforms import (
    EXTRA,
    Kept,
    build_origin,
    each,
    inner,
    is_rigid,
    product,
    with_names,
)


@dataclass(frozen=True)
class Overview:
    """Names of groups and models to choose from; `complete` when the file holds an XRDF of its
    own."""

    robots: tuple[str, ...]
    manipulators: tuple[str, ...]
    complete: bool


def overview(path: Path | str) -> Overview:
    """Return the content of a file, without reading its geometry. Raises FormatError for what is no
    COLLADA file."""
    documents = ColladaDocuments(Path(path))
    robots = candidates(documents)
    systems = [s for c in robots for s in (c.kinematics, c.motion) if s is not None]
    extras = [e for s in systems for e in s.all("extra") if e.get("type") == "manipulator"]
    names = dict.fromkeys(e.get("name") or "" for e in extras)
    complete = len(robots) == 1 and read_embedded_urdf(documents.main.root).xrdf is not None
    return Overview(tuple(c.name for c in robots), tuple(n for n in names if n), complete)


def read_collada_robot(path: Path | str, robot: str | None = None) -> RobotFiles:
    """The robot with its meshes, their names relative to the URDF. Angles in radians, lengths in
    metres.

    The XRDF is that which this editor put into the file; there is no SRDF where nothing is to be
    said. `robot` is the name of one of several, or "*" for all of them; without it the first one is
    read.

    A file with a visual scene alone becomes one rigid link for each tree of nodes.

    Raises FormatError for what is no COLLADA file, shows nothing, or has not that robot.
    """
    path = Path(path)
    documents = ColladaDocuments(path)
    out = Reporter(
        f"COLLADA {documents.main.root.get('version') or ''}".strip(), "URDF, SRDF and XRDF"
    )
    robots = candidates(documents)
    rigid_name, trees = scenery(documents) if not robots else ("", [])
    state = ColladaReading(documents, out, Parameters(documents))
    embedded = read_embedded_urdf(documents.main.root) if len(robots) == 1 else Embedded()
    shapes = stored_shapes(embedded.urdf.value) if embedded.urdf is not None else StoredShapes()
    if trees:
        name = rigid_name or path.stem
        bodies = BodyReader(state, shapes, read_scenery(state, trees))
    else:
        name = _read_kinematics(state, _chosen(documents, robots, robot, out), path)
        bodies = BodyReader(state, shapes)
        mount(state, bodies.tops, bodies.nodes)
    bodies.fill()
    weigh_links(state, bodies.nodes)
    extensions = Extensions(state)
    state.srdf = passive(state, Srdf(name=name))
    extensions.read()
    state.tell_units()
    state.tell_parameters()
    tell_numbers(documents, out)
    for url, reason in documents.problems.items():
        out.lost(f"reference {url}", reason)
    out.translated(
        "kinematics",
        f"{format_count(len(state.links), 'link')}, {format_count(len(state.joints), 'joint')}",
    )
    urdf = Urdf(
        name,
        _version(state),
        tuple(state.links),
        tuple(state.joints),
        sensors=tuple(extensions.sensors),
    )
    return _files(state, urdf, embedded, path)


def _read_kinematics(state: ColladaReading, chosen: list[Candidate], path: Path) -> str:
    """Links, joints, formulas of the chosen robots; gives the name of what they are together."""
    name = (
        (None if chosen[0].is_twin else chosen[0].models[0][1].get("name"))
        or chosen[0].name
        or path.stem
    )
    if len(chosen) == 1 and len(chosen[0].models) == 1:
        _add_models(state, chosen[0])
        state.follow(chosen[0].route, state.models[0])
        read_model(
            state, state.models[0], np.eye(4), state.documents.of(state.models[0].element).up()
        )
    else:
        name = path.stem
        _join(state, chosen)
    for model in state.models:
        state.follow(model.route, model)
        read_formulas(state, model)
    for model in state.models:
        state.follow(model.route)
        keep_rest(state, model)
    state.unfollow()
    still(state)
    return name


def _chosen(
    documents: ColladaDocuments, robots: list[Candidate], name: str | None, out: Reporter
) -> list[Candidate]:
    root = documents.main.root
    place = documents.location(root)
    if not robots:
        problems = "".join(f" {url}: {reason}." for url, reason in documents.problems.items())
        raise FormatError(
            f"No kinematics_model, and no visual_scene with content.{problems}", place
        )
    if name == ALL_ROBOTS:
        return robots
    chosen = [c for c in robots if c.name == name] if name is not None else robots[:1]
    if not chosen:
        raise FormatError(
            f"The file has no robot {name!r}",
            place,
            f"Robots in the file: {', '.join(c.name for c in robots)}.",
        )
    for other in robots:
        if other is not chosen[0]:
            out.lost(f"robot {other.name}", "one robot of several was read; choose another, or all")
    return chosen


def _add_models(state: ColladaReading, candidate: Candidate) -> None:
    for instance, element in candidate.models:
        names = frozenset(
            k for k in (element.get("id"), element.get("sid"), element.get("name")) if k
        )
        sid = instance.get("sid") if instance is not None else None
        # The element's own names mean its first instance; another one is called by its SID.
        route = candidate.route
        again = bool(sid) and any(
            m.element is element and (m.route == route or m.kinematics is not candidate.kinematics)
            for m in state.models
        )
        keys = frozenset() if again else names
        if instance is not None and not again:
            keys |= {(instance.get("url") or "").rpartition("#")[2]}
        keys |= {sid} if sid else set()
        model = Model(
            element, keys - {""}, candidate.kinematics, candidate.motion, names, route, instance
        )
        state.models.append(model)


def _join(state: ColladaReading, chosen: list[Candidate]) -> None:
    """Several models as one robot: a link for the world, to which each is fixed where the scene
    puts it."""
    world = state.free("world", "link")
    state.links.append(Link(world))
    state.link_transforms[world] = state.world[world] = np.eye(4)
    for candidate in chosen:
        start = len(state.models)
        _add_models(state, candidate)
        for model in state.models[start:]:
            scene_up = state.documents.main.up()
            state.follow(model.route)
            up = np.linalg.inv(scene_up) @ state.documents.of(model.element).up()
            _, pose = find_scene_node(state, model.keys)
            top = inner(model.element, "technique_common", "link")
            top_transform = (
                product(top.children, state.documents.unit(top)) if top is not None else np.eye(4)
            )
            frame = scene_up @ pose @ up @ np.linalg.inv(top_transform)
            place = len(state.joints)
            state.follow(model.route, model)
            root = read_model(state, model, frame, np.eye(4))
            name = state.free(f"{world}_to_{root}", "joint")
            state.joints.insert(
                place, Joint(name, JointType.FIXED, world, root, build_origin(frame))
            )
    state.out.translated(
        "robots",
        f"{format_count(len(state.models), 'model')} fixed to the link {world} where the scene "
        "places them",
    )


def _version(state: ColladaReading) -> str:
    shapes = (shape.geometry for link in state.links for shape in link.shapes)
    return "1.1" if any(isinstance(geometry, Capsule) for geometry in shapes) else "1.0"


def _files(state: ColladaReading, urdf: Urdf, embedded: Embedded, path: Path) -> RobotFiles:
    """The three documents, those that the file holds itself brought up to date with what its
    COLLADA says."""

    def source(text: str, kind: str) -> SourceText:
        return SourceText.from_text(text, path.with_suffix(f".{kind}"))

    out, order = state.out, controlled(state)
    text: str | None = None
    if embedded.urdf is not None:
        urdf = reconciled(embedded.urdf.value, urdf, state.slots, embedded)
    told = embedded.urdf.value.joints if embedded.urdf is not None else ()
    urdf = complete_limits(
        state, urdf, frozenset(j.name for j in told if j.is_movable), sorted(embedded.invented)
    )
    state.tell_invented(urdf.joints)
    freed = embedded.xrdf.value.freed_joints if embedded.xrdf is not None else ()
    state.positions = independent_positions(state.positions, KinematicGraph(urdf), freed, out)
    if embedded.urdf is not None:
        try:
            text = patch_urdf(embedded.urdf, urdf).text
            out.taken("URDF", _UP_TO_DATE)
        except FormatError as error:
            out.lost("comments of the URDF", f"it was rewritten: {error.message}")
    if text is None:
        text = urdf_text(urdf)
    srdf, srdf_out, xrdf_out = reconciled_srdf(embedded, state.srdf, urdf), None, None
    if srdf is not None and embedded.srdf is not None:
        srdf_out = read_srdf(source(patch_srdf(embedded.srdf, srdf).text, "srdf"))
        out.taken("SRDF", _UP_TO_DATE)
    elif srdf is not None:
        srdf_out = read_srdf(source(srdf_text(srdf), "srdf"))
    if embedded.xrdf is not None:
        xrdf = reconciled_xrdf(embedded, state, order, urdf)
        xrdf_out = read_xrdf(source(patch_xrdf(embedded.xrdf, xrdf).text, "xrdf"))
        out.taken("XRDF", _UP_TO_DATE)
    stated = StatedValues(
        FrozenDict(state.acceleration),
        FrozenDict(state.jerk),
        FrozenDict(state.positions),
        order,
        FrozenDict(state.self_spheres),
    )
    urdf_out = read_urdf(source(_with_kept(text, state), "urdf"))
    return RobotFiles(urdf_out, xrdf_out, srdf_out, stated, tuple(state.files), report=out.report())


_UP_TO_DATE = "the copy in the file, updated from the COLLADA elements"


def _with_kept(text: str, state: ColladaReading) -> str:
    """The URDF with what is kept word for word, its references by name."""
    if not state.kept:
        return text
    # By their places, so that a second import gives the same order.
    return with_last_children(text, [_kept(k, state) for k in sorted(state.kept, key=_place)])


def _place(kept: Kept) -> tuple[str, bool]:
    return kept.where, 'type="manipulator"' not in kept.text[:100]


def _kept(kept: Kept, state: ColladaReading) -> str:
    attributes = (("where", kept.where), *((("of", kept.owner),) if kept.owner else ()))
    # What is said in URDF's words has no references of COLLADA in it.
    inner = (
        kept.text
        if kept.where == "self_collision"
        else with_names(kept.text, state.link, state.joint)
    )
    return render(NewElement(EXTRA, attributes, raw=inner))


#: Tag -> how many numbers it has; 0 for one or in a wrapper of its own.
_COUNTS = {
    "translate": 3,
    "rotate": 4,
    "matrix": 16,
    "scale": 3,
    "lookat": 9,
    "inertia": 3,
    "mass": 1,
    "min": 0,
    "max": 0,
    "float": 1,
}
#: Who has more has heard enough.
_MOST = 20


def tell_numbers(documents: ColladaDocuments, out: Reporter) -> None:
    """Reports what stands where numbers should, with its line."""
    unreadable = 0
    for document in documents.all:
        for element in document.root.walk():
            reason = _wrong(element)
            if reason is None:
                continue
            unreadable += 1
            if unreadable <= _MOST:
                out.lost(f"{element.tag}", f"{document.xml.location(element)}: {reason}")
    if unreadable > _MOST:
        out.lost("numbers", f"{unreadable - _MOST} more that are not numbers")


def _wrong(element: XmlElement) -> str | None:
    joint_axis = (
        element.tag == "axis"
        and element.parent is not None
        and element.parent.tag in ("revolute", "prismatic")
    )
    count = 3 if joint_axis else _COUNTS.get(element.tag)
    if count is None:
        return None
    pieces = element.text.split()
    for piece in pieces:
        try:
            value = float(piece)
        except ValueError:
            return f"{piece[:30]!r} is not a number; it was left out"
        if not math.isfinite(value):
            return f"{piece[:30]} is not a finite number; 0 is used"
    if count and len(pieces) != count and not element.children:
        return f"{len(pieces)} numbers instead of {count}; it was left out"
    return None


_SHOWN = ("instance_geometry", "instance_node", "instance_controller")


def scenery(documents: ColladaDocuments) -> tuple[str, list[XmlElement]]:
    """(name, trees of nodes that show something) of the scene that the file shows, else of its
    first one."""
    instances = documents.main.all_of("instance_visual_scene")
    shown = (documents.find(instance.get("url"), instance) for instance in instances)
    scene = next(
        (e for e in chain(shown, documents.main.all_of("visual_scene")) if e is not None), None
    )
    trees = [n for n in each(scene, "node") if any(e.tag in _SHOWN for e in n.walk())]
    names = [e.get("name") for e in (scene, *(trees if len(trees) == 1 else ())) if e is not None]
    return next((name for name in names if name), ""), trees


def read_scenery(
    state: ColladaReading, trees: Sequence[XmlElement]
) -> dict[str, tuple[XmlElement, int]]:
    """Adds a link for each tree; gives their nodes. Several are fixed to a link for the world,
    where they stand."""
    nodes: dict[str, tuple[XmlElement, int]] = {}
    several = len(trees) > 1
    world = state.free("world", "link") if several else ""
    if several:
        state.links.append(Link(world))
        state.link_transforms[world] = state.world[world] = np.eye(4)
    for place, tree in enumerate(trees):
        called = tree.get("name") or tree.get("id") or tree.get("sid") or f"link{place}"
        name = state.free(called, "link")
        pose = state.documents.of(tree).up() @ product(tree.children, state.documents.unit(tree))
        frame = pose if several and is_rigid(pose) else np.eye(4)
        state.links.append(Link(name))
        state.link_transforms[name], state.world[name] = np.linalg.inv(frame) @ pose, frame
        nodes[name] = (tree, -1)
        if several:
            joint = state.free(f"{world}_to_{name}", "joint")
            origin = build_origin(frame) if frame is pose else Origin()
            state.joints.append(Joint(joint, JointType.FIXED, world, name, origin))
    state.out.translated(
        "visual_scene",
        f"no kinematics: {format_count(len(nodes), 'rigid link')}, one per tree of nodes",
    )
    return nodes
