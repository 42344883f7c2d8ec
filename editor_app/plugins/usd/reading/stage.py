"""A USD asset as a robot: read in a process of its own, because a damaged file can end the process
that reads it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pxr import Tf, Usd, UsdUtils

from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.sphere_lists import count_spheres_on_links
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Location
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import Link, Urdf
from editor_app.core.tasks.worker import MemoryBound
from editor_app.core.text.source import FormatError, MissingFileError
from editor_app.plugins.usd.reading.isaac import read_isaac
from editor_app.plugins.usd.reading.joints import UsdJoint, read_usd_joint
from editor_app.plugins.usd.reading.layers import Layers
from editor_app.plugins.usd.reading.links import Links
from editor_app.plugins.usd.reading.masses import Masses
from editor_app.plugins.usd.reading.pairs import disabled_pairs
from editor_app.plugins.usd.reading.places import find_places
from editor_app.plugins.usd.reading.robots import (
    Robot,
    choose_robot,
    find_robots,
    likely_robots,
    spanning_tree,
)
from editor_app.plugins.usd.reading.scene import UsdScene, value
from editor_app.plugins.usd.reading.shapes import UsdShapes
from editor_app.plugins.usd.reading.values import ReadStage

#: Names that a sentence lists, and how often variants may bring further variants.
_MOST, _ROUNDS = 8, 4


def read_stage(
    path: Path,
    robot: str | None = None,
    variants: str | None = None,
    packages: Mapping[str, Path] | None = None,
    scratch: Path | None = None,
) -> ReadStage:
    """The robot of that name in a USD asset; `variants`: "SET=NAME,SET=NAME"; `packages`: as
    `Layers`.

    `scratch`: a folder for copies, which its owner removes where this process ends before it can.

    Raises FormatError for a file that is no USD, without a robot, or larger than the limits.
    """
    with _open_layers(path, packages, scratch) as layers:
        stage = Usd.Stage.Open(layers.root, Usd.Stage.LoadAll)
        chosen = _choose_variants(stage, variants, path)
        read = _Reading(path, layers, stage, robot).read()
        return replace(read, places=replace(read.places, variants=chosen))


def list_layers(path: Path, scratch: Path | None = None) -> tuple[Path, ...]:
    """Return the files that an asset is composed of, all variants included. Raises FormatError."""
    with _open_layers(path, None, scratch) as layers:
        return layers.files


@contextmanager
def _open_layers(
    path: Path, packages: Mapping[str, Path] | None, scratch: Path | None
) -> Iterator[Layers]:
    """The layers of an asset while they are composed, within a bound of memory. Raises
    FormatError."""
    delegate = UsdUtils.CoalescingDiagnosticDelegate()
    with (
        tempfile.TemporaryDirectory(prefix="xrdf-editor-", dir=scratch) as folder,
        MemoryBound() as memory,
    ):
        try:
            yield Layers(path, Path(folder), packages, memory)
        except Tf.ErrorException as error:
            message = " ".join(str(error).split())[:300]
            raise FormatError(
                f"USD cannot compose this asset: {message}", Location(str(path))
            ) from None
        except MemoryError:
            sentence = (
                "The asset needs more memory than its size explains: it is damaged, or far too "
                "large"
            )
            raise FormatError(
                sentence, Location(str(path)), "Export it again from the program it is from."
            ) from None
        except UnicodeDecodeError:
            raise FormatError("A name in this asset is not UTF-8", Location(str(path))) from None
        finally:
            delegate.TakeUncoalescedDiagnostics()


def _choose_variants(
    stage: Any, variants: str | None, path: Path
) -> tuple[tuple[str, str, str], ...]:
    """Return (prim, set, variant) of each choice that was made. Raises FormatError."""
    wanted = {}
    for text in (variants or "").split(","):
        name, mark, variant = text.strip().partition("=")
        if text.strip() and not mark:
            raise FormatError(f"{text!r} is no variant", Location(str(path)), "Write SET=NAME.")
        if mark:
            wanted[name.strip()] = variant.strip()
    if not wanted:
        return ()
    stage.SetEditTarget(stage.GetSessionLayer())
    present: dict[str, set[str]] = {}
    choices: dict[tuple[str, str], str] = {}
    for _ in range(_ROUNDS):
        changed = False
        for prim in list(stage.Traverse()):
            for name in prim.GetVariantSets().GetNames() if prim.HasVariantSets() else ():
                chosen = prim.GetVariantSet(name)
                present.setdefault(name, set()).update(chosen.GetVariantNames())
                if (
                    wanted.get(name, "") in present[name]
                    and chosen.GetVariantSelection() != wanted[name]
                ):
                    chosen.SetVariantSelection(wanted[name])
                    choices[str(prim.GetPath()), name] = wanted[name]
                    changed = True
        if not changed:
            break
    for name, variant in wanted.items():
        if variant not in present.get(name, ()):
            every = ", ".join(
                f"{each}={n}" for each, names in sorted(present.items()) for n in sorted(names)
            )
            raise FormatError(
                f"The file has no variant {name}={variant}",
                Location(str(path)),
                f"It has: {every}.",
            )
    return tuple((prim, name, variant) for (prim, name), variant in choices.items())


class _Reading:
    def __init__(self, path: Path, layers: Layers, stage: Any, robot: str | None) -> None:
        self.path, self.layers, self.wanted = path, layers, robot
        self.out = Reporter("USD", "URDF, SRDF and XRDF")
        self.scene = UsdScene(stage, Location(str(path)))

    def read(self) -> ReadStage:
        scene, out = self.scene, self.out
        joints = self._joints()
        robots = find_robots(scene, joints)
        try:
            robot = choose_robot(scene, robots, self.wanted, out)
        except FormatError as error:
            if not robots and self.layers.dropped:
                first, *rest = self.layers.dropped.values()
                more = f", and {format_count(len(rest), 'other layer')}" if rest else ""
                sentence = f"{error.message}; a layer is missing{more}: {first.name}: {first}"
                names = tuple(each.name for each in (first, *rest) if each.can_be_located)
                raise MissingFileError(sentence, error.location, None, names) from None
            raise
        links = Links(scene, spanning_tree(robot, self.wanted == ALL_ROBOTS), out)
        shapes = UsdShapes(scene, out, f"{self.path.name.partition('.')[0]}_meshes", links.names)
        shapes.read()
        pairs = disabled_pairs(scene, links.names, robot.joints, robot.articulation, out)
        urdf = self._urdf(robot, links, shapes)
        spheres = {links.names[body]: tuple(balls) for body, balls in shapes.spheres.items()}
        if spheres:
            out.taken("spheres of an editor", count_spheres_on_links(spheres))
        isaac = read_isaac(scene, links, out)
        states, start = self._positions(links, isaac.poses)
        self._tell(robot)
        files = self.layers.files
        return ReadStage(
            urdf,
            find_places(scene, links, shapes, robot.joints, files),
            out.report(),
            shapes.files,
            pairs,
            tuple(links.driven),
            states,
            start,
            spheres,
            tuple(each.name for each in robots),
            tuple(each.name for each in likely_robots(robots)),
            dict(scene.variants),
            isaac.tools,
            isaac.order,
        )

    def _joints(self) -> list[UsdJoint]:
        joints, off = [], []
        for prim in self.scene.joints:
            if not value(prim, "physics:jointEnabled", True):
                off.append(prim.GetName())
                continue
            joint = read_usd_joint(self.scene, prim)
            if joint is not None:
                joints.append(joint)
        if off:
            self.out.lost("joint", f"{format_list(off, _MOST)}: switched off in the file")
        return joints

    def _urdf(self, robot: Robot, links: Links, shapes: UsdShapes) -> Urdf:
        masses = Masses(self.scene, shapes, self.out)
        by_name = {
            name: self._link(body, name, shapes, masses) for body, name in links.names.items()
        }
        by_name |= {name: Link(name, inertial) for name, inertial in links.between.items()}
        for name in (links.root, *links.mark_names.values()):
            by_name.setdefault(name, Link(name))
        masses.tell()
        order = [links.root, *(joint.child for joint in links.joints)]
        return Urdf(robot.name, "1.0", tuple(by_name[name] for name in order), tuple(links.joints))

    def _link(self, body: Any, name: str, shapes: UsdShapes, masses: Masses) -> Link:
        visuals, collisions = (
            tuple(table.get(body, ())) for table in (shapes.visuals, shapes.collisions)
        )
        return Link(name, masses.inertial(body, name), visuals, collisions)  # type: ignore[arg-type]

    def _positions(
        self, links: Links, poses: Mapping[str, Mapping[str, float]]
    ) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
        """The states of the robot, and where it starts: by its state, else by the targets of
        drives, else as placed."""
        states = {}
        for name, table in (("state", links.stated), ("drive_targets", links.targets)):
            if any(table.values()):
                states[name] = {**links.start, **table}
                self.out.translated(
                    f"{name.replace('_', ' ')} of joints",
                    f"the state {name}, where the XRDF starts",
                )
        for name, pose in poses.items():
            states[find_free_name(name, states)] = {**links.start, **pose}
            self.out.translated(f"IsaacNamedPose {name}", "a state")
        placed = {name: value for name, value in links.start.items() if abs(value) > 1e-6}
        if placed and not states:
            self.out.translated("pose of the bodies", "where the XRDF starts")
        return states, next(
            iter(states.values()), {n: v if abs(v) > 1e-6 else 0.0 for n, v in links.start.items()}
        )

    def _tell(self, robot: Robot) -> None:
        out, scene = self.out, self.scene
        for name, dropped in list(self.layers.dropped.items())[:_MOST]:
            out.unread(
                "layer", f"{dropped.name}: {dropped}", (name,) if dropped.can_be_located else ()
            )
        if len(self.layers.dropped) > _MOST:
            out.unread("layer", f"{len(self.layers.dropped) - _MOST} more are missing")
        for name, (chosen, every) in scene.variants.items():
            out.kept(
                f"variant set {name}", f"{chosen or 'none'} is used, of {format_list(every, _MOST)}"
            )
        if scene.disabled:
            out.lost("body", f"{format_list(scene.disabled, _MOST)}: switched off in the file")
        for kind, count in sorted(scene.others.items()):
            out.lost(kind, f"{count}: a URDF has none")
        if self.layers.textures:
            out.lost(
                "texture",
                f"{format_count(self.layers.textures, 'file')} that is no layer: textures, "
                "materials, sounds",
            )
        if robot.articulation is None and len(robot.bodies) > 1:
            out.invented(
                "articulation",
                "the file has no articulation root: all bodies that joints connect are used",
            )
