"""An MJCF -> URDF, SRDF and XRDF: what MuJoCo's own compiler makes of it, and a report of what did
not come along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.drafted_documents import WholeRobot, drafted_documents
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Location
from editor_app.core.model.srdf import CollisionPair
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.space.kinematics.transforms import build_origin
from editor_app.core.text.source import FormatError
from editor_app.plugins.mjcf.bodies import Drives, MjcfBodies
from editor_app.plugins.mjcf.compiled import CompiledModel, build_pose, compile_model
from editor_app.plugins.mjcf.shapes import MjcfShapes

_GROUP = "actuated"
_NEAR = 1e-9


def read_mjcf(path: Path) -> RobotFiles:
    """The robot of an MJCF. Raises FormatError: see `compiled`; and for a file without a body."""
    return _Reading(compile_model(path)).files()


class _Reading:
    def __init__(self, source: CompiledModel) -> None:
        self.source, self.model = source, source.model
        self.out = Reporter("MJCF", "URDF, SRDF and XRDF")
        self.drives = Drives(source)
        self.bodies = MjcfBodies(source, self.drives, self.out)
        stem = source.path.name.removesuffix(".xml").removesuffix(".mjcf")
        self.stem = stem
        self.shapes = MjcfShapes(source, self.out, f"{stem}_meshes")

    def files(self) -> RobotFiles:
        self.bodies.read()
        if not self.bodies.links:
            place = Location(str(self.source.path))
            raise FormatError(
                "The file has no body that could be a robot", place, "Name the robot's file."
            )
        self.bodies.follow()
        links, joints = self._links(), list(self.bodies.joints)
        for link, joint in self._frames():
            links.append(link)
            joints.append(joint)
        name = str(self.source.spec.modelname or "").strip() or self.stem
        urdf = Urdf(
            name if name != "MuJoCo Model" else self.stem, "1.0", tuple(links), tuple(joints)
        )
        spheres = {
            link: balls
            for body, link in self.bodies.links.items()
            if (balls := self.shapes.spheres(body))
        }
        robot = WholeRobot(
            urdf,
            driven=[
                motion.name for motion in self.bodies.motions if motion.number in self.drives.driven
            ],
            states=self._keyframes(),
            state_item="key",
            start=self._positions(self.model.qpos0),
            pairs=self._disabled(),
            spheres=spheres,
            meshes=self.shapes.files,
        )
        self.shapes.tell()
        self._tell_rest()
        return drafted_documents(robot, self.source.path, self.out)

    # -- the URDF

    def _links(self) -> list[Link]:
        shapes = self.shapes
        links = []
        for body, name in self.bodies.links.items():
            inertial = shapes.inertial(body) if body else None
            links.append(Link(name, inertial, shapes.visuals(body), shapes.collisions(body)))
        links += [Link(name, inertial) for name, inertial in self.bodies.between.items()]
        if 0 not in self.bodies.links and shapes.of_body(0):
            self.out.lost(
                "geoms of the world",
                f"{len(shapes.of_body(0))}: they belong to the surroundings, not the robot",
            )
        order = {joint.child: place for place, joint in enumerate(self.bodies.joints)}
        return sorted(links, key=lambda link: order.get(link.name, -1))

    def _frames(self) -> Iterable[tuple[Link, Joint]]:
        """A link without shape for each site that has a name and is not the body's own frame."""
        model, bodies = self.model, self.bodies
        unnamed, taken = 0, []
        for number in range(model.nsite):
            name, body = self.source.name("site", number), int(model.site_bodyid[number])
            place = build_pose(model.site_pos[number], model.site_quat[number])
            if not name or body not in bodies.links:
                unnamed += 1
                continue
            if np.abs(place - np.eye(4)).max() < _NEAR and name == bodies.links[body]:
                continue
            # A joint of that name would be mistaken for it.
            frame = bodies.free(
                f"{name}_site" if name in bodies.joint_names else name, bodies.names
            )
            taken.append(frame)
            joint = bodies.free(f"{frame}_fixed", bodies.joint_names)
            yield (
                Link(frame),
                Joint(joint, JointType.FIXED, bodies.links[body], frame, build_origin(place)),
            )
        if taken:
            self.out.translated(
                "site", f"{format_count(len(taken), 'link')} without shape: {format_list(taken, 8)}"
            )
        if unnamed:
            self.out.lost("site", f"{unnamed} without a name, or not on the robot")

    # -- positions and pairs

    def _keyframes(self) -> dict[str, dict[str, float]]:
        """Name of a keyframe -> the positions of all joints; the first of a name counts."""
        keyframes: dict[str, dict[str, float]] = {}
        for number in range(self.model.nkey):
            name = self.source.name("key", number) or f"key_{number}"
            keyframes.setdefault(name, self._positions(self.model.key_qpos[number]))
        return keyframes

    def _positions(self, values: Sequence[float]) -> dict[str, float]:
        """The positions of all joints (rad, m) by a vector of MuJoCo's."""
        return {motion.name: self.bodies.position(motion, values) for motion in self.bodies.motions}

    def _disabled(self) -> tuple[CollisionPair, ...]:
        """Pairs of solid links that MuJoCo leaves out for what they are, not for the bits of their
        geoms."""
        links, filters = self.bodies.links, PairFilters(self.model, self.bodies.links)
        solid = sorted(
            body for body in links if self.shapes.solid(body) or self.shapes.spheres(body)
        )
        filtered = filters.filtered(solid)
        disabled = [
            CollisionPair(links[one], links[other], filtered[one, other])
            for one, other in sorted(filtered)
        ]
        by_bits = self._count_apart(solid, filtered.keys() | filters.named)
        for rule, reason in (
            ("parents, children and welded bodies", ADJACENT),
            ("contact/exclude", EXCLUDED),
        ):
            count = sum(pair.reason == reason for pair in disabled)
            if count:
                self.out.translated(
                    rule, f"{format_count(count, 'pair')} not checked, in SRDF and XRDF"
                )
        if by_bits:
            told = (
                f"{format_count(by_bits, 'pair')} checked anyway, although these bits prevent "
                "contacts in MuJoCo"
            )
            self.out.lost("contype and conaffinity", told)
        return tuple(disabled)

    def _count_apart(self, solid: Collection[int], without: Iterable[tuple[int, int]]) -> int:
        """How many pairs of bodies never touch by the bits of their geoms, but for some pairs."""
        kind, affinity = self.model.geom_contype, self.model.geom_conaffinity
        bits = {
            body: frozenset(
                (int(kind[geom]), int(affinity[geom])) for geom in self.shapes.of_body(body)
            )
            for body in solid
        }
        # Bodies of equal bits are alike: there are few kinds of them.
        kinds = Counter(bits.values())
        apart = {
            (one, other)
            for one, other in product(kinds, repeat=2)
            if not any(a & d or c & b for a, b in one for c, d in other)
        }
        ordered = sum(kinds[one] * (kinds[other] - (one == other)) for one, other in apart)
        skipped = sum((bits[a], bits[b]) in apart for a, b in without if a in bits and b in bits)
        return ordered // 2 - skipped

    # -- what is told

    def _tell_rest(self) -> None:
        model, out = self.model, self.out
        for warning in self.source.warnings:
            out.lost("MuJoCo warns", warning)
        if model.nu:
            out.translated(
                "actuator", f"{model.nu}: effort, velocity and position limits, if they have any"
            )
        dropped = (
            ("tendon", model.ntendon, "the coupled joints are independent"),
            ("camera, light", model.ncam + model.nlight, "a URDF has none"),
            ("sensor", self.source.sources.left_out["sensor"], "MuJoCo's URDFs have none"),
            ("height field", model.nhfield, "not part of a robot"),
            ("skin, flex", self.source.sources.left_out["skin, flex"], "a URDF has no soft bodies"),
            (
                "stiffness",
                int(np.count_nonzero(model.jnt_stiffness)),
                "of joints: a URDF has no springs",
            ),
            (
                "armature",
                int(np.count_nonzero(model.dof_armature)),
                "of joints: a URDF cannot store it",
            ),
            ("plugin", getattr(model, "nplugin", 0), "a URDF cannot store it"),
            (
                "margin and gap",
                int(np.count_nonzero(model.geom_margin)),
                "of geoms: write them as buffers",
            ),
        )
        for item, count, reason in dropped:
            if count:
                out.lost(item, f"{int(count)}: {reason}")


#: Why pairs are not checked, as an SRDF says it.
ADJACENT, EXCLUDED = "Adjacent", "contact/exclude of the MJCF"
#: mjDSBL_FILTERPARENT: switches off that parents and children never touch.
_NO_PARENT_FILTER = 1 << 10


class PairFilters:
    """The pair filters of a compiled model, by MuJoCo's body numbers. `named`: pairs of which
    `contact/pair` names geoms."""

    def __init__(self, model: Any, bodies: Iterable[int]) -> None:
        weld, parents = model.body_weldid, model.body_parentid
        self._weld = {body: int(weld[body]) for body in bodies}
        self._above = {body: int(weld[parents[number]]) for body, number in self._weld.items()}
        self._filters_parents = not int(model.opt.disableflags) & _NO_PARENT_FILTER
        self._excluded = {_pair(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
        geoms = zip(model.pair_geom1, model.pair_geom2, strict=True)
        self.named = {_pair(*(int(model.geom_bodyid[geom]) for geom in pair)) for pair in geoms}

    def filtered(self, bodies: Sequence[int]) -> dict[tuple[int, int], str]:
        """The pairs of some bodies that never touch, the smaller number first, and why."""
        welded: dict[int, list[int]] = {}
        for body in bodies:
            welded.setdefault(self._weld[body], []).append(body)
        near = [pair for group in welded.values() for pair in combinations(group, 2)]
        near += [(body, other) for body in bodies for other in welded.get(self._above[body], ())]
        excluded = [pair for pair in self._excluded if self._weld.keys() >= set(pair)]
        pairs = {_pair(one, other) for one, other in (*near, *excluded) if one != other}
        chosen = frozenset(bodies)
        reasons = {pair: self.reason(*pair) for pair in pairs if chosen.issuperset(pair)}
        return {pair: reason for pair, reason in reasons.items() if reason is not None}

    def reason(self, one: int, other: int) -> str | None:
        """Why a pair never touches; None for one that may."""
        if _pair(one, other) in self.named:
            return None
        a, b = self._weld[one], self._weld[other]
        # What stands on the world is no parent to MuJoCo.
        is_family = (
            self._filters_parents and a and b and (a == self._above[other] or b == self._above[one])
        )
        if a == b or is_family:
            return ADJACENT
        return EXCLUDED if _pair(one, other) in self._excluded else None


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
