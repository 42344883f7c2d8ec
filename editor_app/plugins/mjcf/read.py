"""An MJCF -> URDF, SRDF and XRDF: what MuJoCo's own compiler makes of it, and a report of what did not come along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.drafting import ControlPlan, ControlRequest, plan_control
from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.sphere_lists import spheres_on_links, with_spheres
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import urdf_text
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.write import patched_text
from editor_app.core.model.counting import counted, listed
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.srdf import CollisionPair, Group, GroupState, Srdf
from editor_app.core.model.urdf import Joint, JointType, Link, Urdf
from editor_app.core.model.xrdf import SelfCollisionSection, ignore_mapping
from editor_app.core.space.kinematics.transforms import origin_of
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.mjcf.bodies import Bodies, Drives
from editor_app.plugins.mjcf.compiled import Compiled, compiled, pose
from editor_app.plugins.mjcf.shapes import Shapes

_GROUP = "actuated"
_NEAR = 1e-9


def read_mjcf(path: Path) -> RobotFiles:
    """The robot of an MJCF. Raises FormatError: see `compiled`; and for a file without a body."""
    return _Reading(compiled(path)).files()


class _Reading:
    def __init__(self, source: Compiled) -> None:
        self.source, self.model = source, source.model
        self.out = Reporter("MJCF", "URDF, SRDF and XRDF")
        self.drives = Drives(source)
        self.bodies = Bodies(source, self.drives, self.out)
        stem = source.path.name.removesuffix(".xml").removesuffix(".mjcf")
        self.stem = stem
        self.shapes = Shapes(source, self.out, f"{stem}_meshes")
        #: Name of a keyframe -> the positions of all joints.
        self.keyframes: dict[str, dict[str, float]] = {}

    def files(self) -> RobotFiles:
        self.bodies.read()
        if not self.bodies.links:
            place = Location(str(self.source.path))
            raise FormatError("The file has no body that could be a robot", place, "Name the robot's file.")
        self.bodies.follow()
        links, joints = self._links(), list(self.bodies.joints)
        for link, joint in self._frames():
            links.append(link)
            joints.append(joint)
        name = str(self.source.spec.modelname or "").strip() or self.stem
        urdf = Urdf(name if name != "MuJoCo Model" else self.stem, "1.0", tuple(links), tuple(joints))
        spheres = {link: listed for body, link in self.bodies.links.items() if (listed := self.shapes.spheres(body))}
        srdf = self._srdf(urdf)
        self.shapes.tell()
        if spheres:
            self.out.taken("spheres of this editor", spheres_on_links(spheres))
        self._tell_rest()

        def source(text: str, kind: str) -> SourceText:
            return SourceText.from_text(text, self.source.path.with_suffix(f".{kind}"))

        urdf_source = read_urdf(source(urdf_text(urdf), "urdf"))
        xrdf = self._xrdf(urdf_source.value, srdf)
        stated = StatedValues(spheres=FrozenDict(spheres))
        if spheres:
            xrdf = read_xrdf(xrdf.source.with_text(patched_text(xrdf, with_spheres(xrdf.value, spheres))[0]))
        return RobotFiles(
            urdf=urdf_source,
            srdf=read_srdf(source(srdf_text(srdf), "srdf")),
            xrdf=xrdf,
            stated=stated,
            meshes=tuple(self.shapes.files.items()),
            report=self.out.report(),
            xrdf_is_draft=True,
        )

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
                "geoms of the world", f"{len(shapes.of_body(0))}: they belong to the surroundings, not the robot"
            )
        order = {joint.child: place for place, joint in enumerate(self.bodies.joints)}
        return sorted(links, key=lambda link: order.get(link.name, -1))

    def _frames(self) -> Iterable[tuple[Link, Joint]]:
        """A link without shape for each site that has a name and is not the body's own frame."""
        model, bodies = self.model, self.bodies
        unnamed, taken = 0, []
        for number in range(model.nsite):
            name, body = self.source.name("site", number), int(model.site_bodyid[number])
            place = pose(model.site_pos[number], model.site_quat[number])
            if not name or body not in bodies.links:
                unnamed += 1
                continue
            if np.abs(place - np.eye(4)).max() < _NEAR and name == bodies.links[body]:
                continue
            # A joint of that name would be mistaken for it.
            frame = bodies.free(f"{name}_site" if name in bodies.joint_names else name, bodies.names)
            taken.append(frame)
            joint = bodies.free(f"{frame}_fixed", bodies.joint_names)
            yield Link(frame), Joint(joint, JointType.FIXED, bodies.links[body], frame, origin_of(place))
        if taken:
            self.out.translated("site", f"{counted(len(taken), 'link')} without shape: {listed(taken, 8)}")
        if unnamed:
            self.out.lost("site", f"{unnamed} without a name, or not on the robot")

    # -- the SRDF

    def _srdf(self, urdf: Urdf) -> Srdf:
        free = [joint.name for joint in urdf.joints if joint.is_movable and joint.mimic is None]
        leaders = {joint.name: joint.mimic.joint for joint in urdf.joints if joint.mimic is not None}
        moved = (motion.name for motion in self.bodies.motions if motion.number in self.drives.driven)
        driven = {leaders.get(name, name) for name in moved}
        joints = tuple(name for name in free if name in driven) if driven else tuple(free)
        states = self._states(joints) if joints else ()
        passive = tuple(name for name in free if name not in joints)
        if states and passive:
            detail = f"a state has the joints of its group: {listed(passive, 8)} only start there, in the XRDF"
            self.out.lost("key of joints without an actuator", detail)
        return Srdf(
            name=urdf.name,
            groups=(Group(_GROUP, joints=joints),) if joints else (),
            states=states,
            passive_joints=passive,
            disabled_pairs=self._disabled(),
        )

    def _states(self, joints: Sequence[str]) -> tuple[GroupState, ...]:
        for number in range(self.model.nkey):
            name = self.source.name("key", number) or f"key_{number}"
            self.keyframes.setdefault(name, self._positions(self.model.key_qpos[number]))
        states = [
            GroupState(name, _GROUP, FrozenDict({joint: (positions[joint],) for joint in joints}))
            for name, positions in self.keyframes.items()
        ]
        if states:
            self.out.translated("key", f"states of the group {_GROUP}: {listed([s.name for s in states], 8)}")
        return tuple(states)

    def _positions(self, values: Sequence[float]) -> dict[str, float]:
        """The positions of all joints (rad, m) by a vector of MuJoCo's."""
        return {motion.name: self.bodies.position(motion, values) for motion in self.bodies.motions}

    def _disabled(self) -> tuple[CollisionPair, ...]:
        """Pairs of solid links that MuJoCo leaves out for what they are, not for the bits of their geoms."""
        links, filters = self.bodies.links, PairFilters(self.model, self.bodies.links)
        solid = sorted(body for body in links if self.shapes.solid(body) or self.shapes.spheres(body))
        filtered = filters.filtered(solid)
        disabled = [CollisionPair(links[one], links[other], filtered[one, other]) for one, other in sorted(filtered)]
        by_bits = self._count_apart(solid, filtered.keys() | filters.named)
        for rule, reason in (("parents, children and welded bodies", ADJACENT), ("contact/exclude", EXCLUDED)):
            count = sum(pair.reason == reason for pair in disabled)
            if count:
                self.out.translated(rule, f"{counted(count, 'pair')} not checked, in SRDF and XRDF")
        if by_bits:
            told = f"{counted(by_bits, 'pair')} checked anyway, although these bits prevent contacts in MuJoCo"
            self.out.lost("contype and conaffinity", told)
        return tuple(disabled)

    def _count_apart(self, solid: Collection[int], without: Iterable[tuple[int, int]]) -> int:
        """How many pairs of bodies never touch by the bits of their geoms, but for some pairs."""
        kind, affinity = self.model.geom_contype, self.model.geom_conaffinity
        bits = {
            body: frozenset((int(kind[geom]), int(affinity[geom])) for geom in self.shapes.of_body(body))
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

    # -- the XRDF

    def _xrdf(self, urdf: Urdf, srdf: Srdf) -> XrdfSource:
        """A draft that begins where the file does, and ignores what MuJoCo leaves out."""
        plan = self._begun(self._driven(plan_control(urdf, srdf), urdf, srdf), srdf)
        # Without a path: no such file was read.
        drafted = read_xrdf(SourceText.from_text(draft_xrdf(urdf, plan)))
        section = drafted.value.self_collision or SelfCollisionSection()
        pairs = dict.fromkeys(section.ignored_pairs(), "") | {p.pair: p.reason or "" for p in srdf.disabled_pairs}
        section = replace(section, ignore=ignore_mapping(pairs, [link.name for link in urdf.links]))
        wanted = replace(drafted.value, self_collision=section)
        text = patched_text(drafted, wanted, pairs)[0]
        self.out.invented(
            "XRDF", "drafted: which joints are controlled, tool frames, acceleration limits; see its comments"
        )
        return read_xrdf(drafted.source.with_text(text))

    def _driven(self, plan: ControlPlan, urdf: Urdf, srdf: Srdf) -> ControlPlan:
        """Without joints that no actuator moves: they close a loop, or hang on a spring."""
        joints = tuple(name for name in plan.joints if name not in srdf.passive_joints)
        if not joints or joints == plan.joints:
            return plan
        rest = plan_control(urdf, srdf, ControlRequest(joints=joints))
        return replace(rest, guessed=True, reason=f"{plan.reason}, restricted to joints with actuators")

    def _begun(self, plan: ControlPlan, srdf: Srdf) -> ControlPlan:
        """At a keyframe whose name says so, else at the first one, else where the file puts the joints (`ref`)."""
        states = plan.states or tuple(state.name for state in srdf.states[:1])
        at = self.keyframes[states[0]] if states else self._positions(self.model.qpos0)
        by_name = {joint.name: joint for joint in self.bodies.joints}
        positions = {name: by_name[name].clamped(at.get(name, value)) for name, value in plan.positions.items()}
        locked = tuple(replace(each, position=positions[each.joint]) for each in plan.locked)
        return replace(plan, positions=FrozenDict(positions), locked=locked, states=states)

    # -- what is told

    def _tell_rest(self) -> None:
        model, out = self.model, self.out
        for warning in self.source.warnings:
            out.lost("MuJoCo warns", warning)
        if model.nu:
            out.translated("actuator", f"{model.nu}: effort, velocity and position limits, if they have any")
        dropped = (
            ("tendon", model.ntendon, "the coupled joints are independent"),
            ("camera, light", model.ncam + model.nlight, "a URDF has none"),
            ("sensor", self.source.sources.left_out["sensor"], "MuJoCo's URDFs have none"),
            ("height field", model.nhfield, "not part of a robot"),
            ("skin, flex", self.source.sources.left_out["skin, flex"], "a URDF has no soft bodies"),
            ("stiffness", int(np.count_nonzero(model.jnt_stiffness)), "of joints: a URDF has no springs"),
            ("armature", int(np.count_nonzero(model.dof_armature)), "of joints: a URDF cannot store it"),
            ("plugin", getattr(model, "nplugin", 0), "a URDF cannot store it"),
            ("margin and gap", int(np.count_nonzero(model.geom_margin)), "of geoms: write them as buffers"),
        )
        for item, count, reason in dropped:
            if count:
                out.lost(item, f"{int(count)}: {reason}")


#: Why pairs are not checked, as an SRDF says it.
ADJACENT, EXCLUDED = "Adjacent", "contact/exclude of the MJCF"
#: mjDSBL_FILTERPARENT: switches off that parents and children never touch.
_NO_PARENT_FILTER = 1 << 10


class PairFilters:
    """Of a compiled model, by MuJoCo's numbers of bodies. `named`: pairs of which `contact/pair` names geoms."""

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
        is_family = self._filters_parents and a and b and (a == self._above[other] or b == self._above[one])
        if a == b or is_family:
            return ADJACENT
        return EXCLUDED if _pair(one, other) in self._excluded else None


def _pair(one: int, other: int) -> tuple[int, int]:
    return min(one, other), max(one, other)
