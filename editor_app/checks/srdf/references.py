"""What an SRDF says about a robot that the URDF does not bear out.

SRDF010 E a link that does not exist
SRDF011 E a joint that does not exist
SRDF012 E a group that does not exist
SRDF013 E a chain whose tip is not below its base
SRDF014 W a group that Tesseract refuses: its members are of several kinds, or subgroups
SRDF015 W a posture outside of the joint's limits
SRDF016 E two groups, or two states of one group, have one name
SRDF017 W the name of the robot is not that of the URDF
"""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import rule
from editor_app.checks.srdf import fixes
from editor_app.formats.srdf.read import SrdfSource
from editor_app.model.findings import Finding, Severity, Subject
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf


@rule(
    "SRDF010",
    "A link that does not exist",
    "srdf",
    "srdf_source urdf",
    file="srdf",
    also={
        "SRDF011": "A joint that does not exist",
        "SRDF012": "A group that does not exist",
        "SRDF013": "A chain whose tip is not below its base",
        "SRDF014": "A group that Tesseract refuses",
        "SRDF015": "A posture outside of the joint's limits",
        "SRDF016": "Two groups, or two states of one group, have one name",
        "SRDF017": "The name of the robot is not that of the URDF",
    },
)
def references(c: CheckContext) -> Iterable[Finding]:
    if c.srdf_source is None or not c.has_urdf:
        return ()
    return reference_findings(c.srdf_source, c.urdf)


def reference_findings(source: SrdfSource, urdf: Urdf) -> tuple[Finding, ...]:
    """Everything that does not fit, with the line of the element where it stands."""
    return tuple(_Check(source, urdf).run())


class _Check:
    def __init__(self, source: SrdfSource, urdf: Urdf) -> None:
        self.source = source
        self.srdf: Srdf = source.srdf
        self.structure = KinematicGraph(urdf)
        self.urdf = urdf
        self.groups = {g.name for g in self.srdf.groups}

    def run(self) -> Iterable[Finding]:
        srdf, structure = self.srdf, self.structure
        if srdf.name and srdf.name != self.urdf.name:
            yield self._finding(
                "SRDF017", f"the SRDF is of {srdf.name!r}, the URDF of {self.urdf.name!r}", "robot", srdf.name, False
            )
        yield from self._groups()
        for state in srdf.states:
            yield from self._group(state.group, "group_state", state.name)
            for joint, values in state.positions.items():
                if joint not in structure.joints and not any(v.name == joint for v in srdf.virtual_joints):
                    yield self._joint(joint, "group_state", state.name)
                elif len(values) == 1 and abs(structure.clamped(joint, values[0]) - values[0]) > 1e-9:
                    message = f"the state {state.name!r} has {joint!r} at {values[0]:g}, outside of its limits"
                    yield self._finding("SRDF015", message, "group_state", state.name, False, joints=(joint,))
        for tcp in srdf.tcps:
            yield from self._group(tcp.group, "tcp", tcp.name)
        for effector in srdf.end_effectors:
            yield from self._group(effector.group, "end_effector", effector.name)
            yield from self._links((effector.parent_link,), "end_effector", effector.name)
        for virtual in srdf.virtual_joints:
            yield from self._links((virtual.child_link,), "virtual_joint", virtual.name)
        for joint in srdf.passive_joints:
            if joint not in structure.joints and not any(v.name == joint for v in srdf.virtual_joints):
                yield self._joint(joint, "passive_joint", joint)
        pairs = {"disable_collisions": srdf.disabled_pairs, "enable_collisions": srdf.enabled_pairs}
        delete = {"disable_collisions": fixes.delete_disabled_pair, "enable_collisions": fixes.delete_enabled_pair}
        for tag, found in pairs.items():
            for element, pair in zip(self.source.items(self.source.document.root, tag), found, strict=True):
                for link in (pair.link1, pair.link2):
                    if link not in structure.links:
                        yield Finding(
                            "SRDF010",
                            Severity.ERROR,
                            f"<{tag}> names the link {link!r}, which does not exist",
                            location=self.source.document.location(element),
                            subject=Subject(links=(link,), section="srdf"),
                            fixes=(delete[tag](pair),),
                        )
        yield from self._margins()
        yield from self._links(srdf.default_disabled_links, "disable_default_collisions", None)
        yield from self._links(srdf.sphere_approximations, "link_sphere_approximation", None)

    def _margins(self) -> Iterable[Finding]:
        elements = [e for e in self.source.document.root.walk() if e.tag == "pair_margin"]
        for margin in self.srdf.margins.pairs if self.srdf.margins is not None else ():
            for link in (margin.link1, margin.link2):
                if link in self.structure.links:
                    continue
                named = (e for e in elements if link in (e.get("link1"), e.get("link2")))
                element = next(named, self.source.document.root)
                yield Finding(
                    "SRDF010",
                    Severity.ERROR,
                    f"<pair_margin> names the link {link!r}, which does not exist",
                    location=self.source.document.location(element),
                    subject=Subject(links=(link,), section="srdf"),
                )

    def _groups(self) -> Iterable[Finding]:
        names: set[str] = set()
        for group in self.srdf.groups:
            if group.name in names:
                yield self._finding("SRDF016", f"two groups are called {group.name!r}", "group", group.name)
            names.add(group.name)
            kinds = [bool(group.chains), bool(group.joints), bool(group.links)]
            if self.srdf.is_tesseract and (sum(kinds) != 1 or group.subgroups or len(group.chains) > 1):
                message = f"Tesseract refuses the group {group.name!r}: it must be one chain, or joints, or links"
                yield self._finding("SRDF014", message, "group", group.name, False)
            for base, tip in group.chains:
                yield from self._links((base, tip), "group", group.name)
                known = base in self.structure.links and tip in self.structure.links
                if known and self.structure.chain(base, tip) is None:
                    message = f"the chain of the group {group.name!r}: {tip!r} is not below {base!r}"
                    yield self._finding("SRDF013", message, "group", group.name, links=(base, tip))
            yield from self._links(group.links, "group", group.name)
            for joint in group.joints:
                if joint not in self.structure.joints and all(v.name != joint for v in self.srdf.virtual_joints):
                    yield self._joint(joint, "group", group.name)
            for inner in group.subgroups:
                yield from self._group(inner, "group", group.name)

    def _links(self, links: Iterable[str], tag: str, name: str | None) -> Iterable[Finding]:
        for link in links:
            if link not in self.structure.links:
                message = f"<{tag}> names the link {link!r}, which does not exist"
                yield self._finding("SRDF010", message, tag, name or link, links=(link,))

    def _joint(self, joint: str, tag: str, name: str) -> Finding:
        message = f"<{tag}> names the joint {joint!r}, which does not exist"
        return self._finding("SRDF011", message, tag, name, joints=(joint,))

    def _group(self, group: str, tag: str, name: str) -> Iterable[Finding]:
        if group not in self.groups:
            yield self._finding("SRDF012", f"<{tag}> names the group {group!r}, which does not exist", tag, name)

    def _finding(
        self,
        code: str,
        message: str,
        tag: str,
        name: str,
        error: bool = True,
        links: tuple[str, ...] = (),
        joints: tuple[str, ...] = (),
    ) -> Finding:
        place = self.source.location(tag, name) or self.source.document.location(self.source.document.root)
        subject = Subject(links=links, joints=joints, section="srdf")
        return Finding(code, Severity.ERROR if error else Severity.WARNING, message, location=place, subject=subject)
