"""State of the reading of a robot."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Joint, Link
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.documents import ColladaDocuments
from editor_app.plugins.collada.reading.parameters import Parameters
from editor_app.plugins.collada.transforms import Kept, Matrix, with_unit

#: Of a URDF, in the order in which they are told.
_LIMITS = ("lower", "upper", "velocity", "effort")


@dataclass(eq=False)
class Model:
    """One kinematics model: SID -> name in the URDF, for links and joints. Paths begin with one of
    `keys`."""

    element: XmlElement
    keys: frozenset[str]
    kinematics: XmlElement | None = None
    motion: XmlElement | None = None
    #: Id and name of the element itself; several instances of it share them.
    names: frozenset[str] = frozenset()
    #: The robot's instances, from the scene's inwards; robots of one articulated system differ in
    #: them.
    route: tuple[XmlElement, ...] = ()
    #: Of this very model.
    instance: XmlElement | None = None
    links: dict[str, str] = field(default_factory=dict)
    joints: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, XmlElement] = field(default_factory=dict)
    #: SIDs of joints that lead to a link.
    used: set[str] = field(default_factory=set)
    #: `joint/axis` -> the joint of the URDF, where it is not that of the last axis.
    axes: dict[str, str] = field(default_factory=dict)
    #: `joint/axis` -> axis_info of the kinematics, and of the motion.
    infos: dict[str, tuple[XmlElement | None, XmlElement | None]] = field(default_factory=dict)


@dataclass(eq=False)
class ColladaReading:
    """The robot as read so far, part by part.

    `link_transforms` are the transforms of links themselves, `world` where their frames stand at
    rest, in the robot's frame.
    """

    documents: ColladaDocuments
    out: Reporter
    parameters: Parameters
    models: list[Model] = field(default_factory=list)
    #: The model whose own words are read just now; its id means itself, not another instance of it.
    inside: Model | None = None
    #: The route of the robot whose words are read just now, which other robots may share.
    route: tuple[XmlElement, ...] = ()
    #: Link -> its name in the file, which several instances of a model share.
    called: dict[str, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    link_transforms: dict[str, Matrix] = field(default_factory=dict)
    world: dict[str, Matrix] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(
        default_factory=lambda: {"link": set(), "joint": set(), "mesh": set()}
    )
    files: list[tuple[str, bytes]] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    srdf: Srdf = field(default_factory=Srdf)
    acceleration: dict[str, float] = field(default_factory=dict)
    jerk: dict[str, float] = field(default_factory=dict)
    positions: dict[str, float] = field(default_factory=dict)
    #: Joint that is held at its value -> whether it turns, its axis.
    locked: dict[str, tuple[bool, tuple[float, float, float]]] = field(default_factory=dict)
    #: Joint -> its place among the controlled ones; joints that nothing drives.
    index: dict[str, int] = field(default_factory=dict)
    active: dict[str, bool] = field(default_factory=dict)
    self_spheres: dict[str, tuple[CollisionSphere, ...]] = field(default_factory=dict)
    #: (link, "visual" or "collision") -> for each of its shapes the number that this editor gave it
    #: on export.
    slots: dict[tuple[str, str], list[int | None]] = field(default_factory=dict)

    #: Joint -> limits that the file does not say.
    invented: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: What was done about the unit of what is kept, the unit -> how often.
    other_units: dict[tuple[str, float], int] = field(default_factory=dict)

    _next: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def routes(self) -> tuple[tuple[XmlElement, ...], ...]:
        """The routes of the robots that are read, each once."""
        return tuple(dict.fromkeys(m.route for m in self.models)) or ((),)

    def follow(self, route: tuple[XmlElement, ...], model: Model | None = None) -> None:
        """Values and names are read for the robot of this route from here on, or for one of its
        models."""
        self.route, self.inside = route, model
        instance = model.instance if model is not None else None
        self.parameters.meant = route if instance is None else (*route, instance)

    def unfollow(self) -> None:
        """Names are looked for in every robot that is read from here on."""
        self.follow(self.routes[0] if len(self.routes) == 1 else ())

    def model_of(self, reference: str) -> Model | None:
        """The model that a SID path begins in."""
        parts = reference.split("/")[:-1]
        if self.inside is not None and self.inside.names & set(parts):
            return self.inside
        return next((m for part in parts for m in self._models if part in m.keys), None)

    @property
    def _models(self) -> list[Model]:
        """All models; the models of the robot that is read just now come first."""
        return sorted(self.models, key=lambda m: m.route != self.route)

    def link(self, reference: str | None) -> str | None:
        """Link by SID path or bare SID."""
        return self._named(reference, "links")

    def joint(self, reference: str | None) -> str | None:
        """Joint by SID path, with or without its axis, or bare SID."""
        return self._named(reference, "joints")

    def axis(self, reference: str) -> str | None:
        """Joint by the SID path of one of its axes."""
        inside = self.model_of(reference)
        key = "/".join(reference.split("/")[-2:])
        for model in [inside] if inside is not None else self._models:
            if key in model.axes:
                return model.axes[key]
        return self.joint(reference)

    def _named(self, reference: str | None, kind: str) -> str | None:
        if not reference:
            return None
        # As it stands, else as the parameter that it is leads on.
        for path in dict.fromkeys((reference, self.parameters.address(reference))):
            inside = self.model_of(path)
            for model in [inside] if inside is not None else self._models:
                table: dict[str, str] = getattr(model, kind)
                for part in reversed(path.split("/")):
                    if part in table:
                        return table[part]
        return None

    def number(self, element: XmlElement | None, tag: str) -> float | None:
        """The number in a child, or at the end of the parameter that the child names; None when
        there is none."""
        return self.parameters.number(element.child(tag)) if element is not None else None

    def flag(self, element: XmlElement | None, tag: str, default: bool) -> bool:
        """The truth in a child, or at the end of the parameter that the child names."""
        told = self.parameters.truth(element.child(tag)) if element is not None else None
        return default if told is None else told

    def tell_parameters(self) -> None:
        """Says which references lead nowhere."""
        for reference, element in self.parameters.problems.items():
            line = self.documents.location(element)
            self.out.lost(
                f"parameter {reference}",
                f"{line}: {element.tag} refers to it, but it does not exist",
            )

    def free(self, name: str, kind: str) -> str:
        """The name, with a number behind it when another of its kind has it."""
        candidate, taken = name, self.taken[kind]
        while candidate in taken:
            # From where the last one of this name was found.
            number = self._next[kind, name] = self._next.get((kind, name), 1) + 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        return candidate

    def keep(self, where: str, element: XmlElement, owner: str = "") -> None:
        """Keeps an element word for word, but that its lengths are in metres, or its unit is told
        with it."""
        text, unit = self.documents.text_of(element), self.documents.unit(element)
        if unit != 1:
            text, how = with_unit(text, element, unit)
            if how:
                self.other_units[how, unit] = self.other_units.get((how, unit), 0) + 1
        self.kept.append(Kept(where, _with_namespaces(text, element), owner))

    def invent(self, joint: str, limits: tuple[str, ...]) -> None:
        """Marks limits of a joint, in the URDF and for the report, that nothing in the file
        says."""
        if limits:
            self.invented[joint] = tuple(key for key in _LIMITS if key in limits)

    def tell_invented(self, joints: Iterable[Joint]) -> None:
        """One line for each set of limits, with the joints and the values that were written."""
        by_name = {j.name: j for j in joints}
        told: dict[str, list[str]] = {}
        for name, limits in self.invented.items():
            limit = by_name[name].limit if name in by_name else None
            values = ", ".join(
                f"{key} {getattr(limit, key):g}" for key in limits if limit is not None
            )
            told.setdefault(values, []).append(name)
            self.kept.append(Kept("invented", " ".join(limits), name))
        for values, names in told.items():
            few = format_list(names, 6)
            self.out.invented(
                f"limit of {format_count(len(names), 'joint')}",
                f"{values}: the file has no value; {few}",
            )

    def tell_units(self) -> None:
        """Says what became of the lengths of what is kept, where the file's unit is another than
        the metre."""
        for (how, unit), number in self.other_units.items():
            self.out.kept(
                f"unit of {unit:g} m",
                f"{format_count(number, 'piece')} that {'is' if number == 1 else 'are'} kept: "
                f"{how}",
            )


#: A namespace prefix of an element or an attribute.
_PREFIX = re.compile(r"(?:</?|\s)([\w.-]+):[\w.-]+[\s/>=]")


def _with_namespaces(text: str, element: XmlElement) -> str:
    """The text of an element, with the declarations of the prefixes in it that stand around the
    element."""
    missing = {f"xmlns:{prefix}" for prefix in _PREFIX.findall(text)} - {
        each.name for each in element.attributes
    }
    declared: dict[str, str] = {}
    above = element.parent
    while above is not None and missing:
        declared |= {each.name: each.value for each in above.attributes if each.name in missing}
        missing -= declared.keys()
        above = above.parent
    start = re.match(r"<[^\s/>]+", text)
    if start is None:
        return text
    added = "".join(f" {name}={quoteattr(uri)}" for name, uri in sorted(declared.items()))
    return text[: start.end()] + added + text[start.end() :]
