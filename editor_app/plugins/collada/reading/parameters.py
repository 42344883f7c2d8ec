"""Parameters of the kinematics: what `<param>`, `<SIDREF>`, `<newparam>`, `<setparam>` and `<bind>`
lead to.

COLLADA 1.5 lets almost every value of its kinematics be a reference to a parameter
(`common_float_or_param_type` and its like), and OpenRAVE's and Debian's writers make use of it
everywhere: "create a newparam for every element so that it could be overwritten in the future". A
reference is an SID address: the SID of a parameter nearby, or a path of SIDs and ids that ends in
one, with a member (`.X`, `(2)`) behind it. What an instance says by `setparam` or `bind` beats what
the instantiated element says; the outermost instance has the last word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.documents import ColladaDocuments
from editor_app.plugins.collada.transforms import floats

#: Elements that give a parameter its value for what they instantiate.
_SETTERS = ("setparam", "bind")
#: Elements that are an instance of another by their `url`.
_INSTANCES = (
    "instance_articulated_system",
    "instance_kinematics_model",
    "instance_kinematics_scene",
    "instance_formula",
    "instance_joint",
)
_INFOS = ("axis_info", "effector_info")
_LITERALS = ("float", "int", "bool")
#: How far a chain of references is followed.
_LONGEST = 32
_MEMBER = re.compile(r"(?:\.([A-Za-z]+)|\((\d+)\))\Z")
#: Names of the numbers of a vector, a colour, a texture place, an axis with its angle.
_PLACES = {
    **dict(zip("XYZW", range(4), strict=True)),
    **dict(zip("RGBA", range(4), strict=True)),
    **dict(zip("STPQ", range(4), strict=True)),
    **dict(zip("UV", range(2), strict=True)),
    "ANGLE": 3,
    "TIME": 0,
}


def literal_in(element: XmlElement) -> str | None:
    """The value that stands in an element that defines or sets a parameter; None where a reference
    takes its place."""
    literal = next((c for c in element.children if c.tag in _LITERALS), None)
    return literal.text.strip() if literal is not None else None


def reference_in(element: XmlElement) -> str | None:
    """Return the target of a child of `element`: the text of <SIDREF>, the text or `ref` of <param>
    and <connect_param>."""
    for child in element.children:
        if child.tag in ("SIDREF", "param", "connect_param"):
            return (child.text.strip() or child.get("ref") or "").strip() or None
    return None


class Parameters:
    """`problems`: reference -> where it stands, for those that lead nowhere.

    `meant`: the instances by way of which values are read just now. What other instances of the
    same elements say does not count then.
    """

    def __init__(self, documents: ColladaDocuments) -> None:
        self.documents = documents
        self.problems: dict[str, XmlElement] = {}
        self.meant: tuple[XmlElement, ...] = ()
        self._definitions: dict[str, list[XmlElement]] = {}
        self._named: dict[str, list[XmlElement]] = {}
        self._instances: dict[int, list[XmlElement]] = {}
        #: (id of an element, the last name of a reference) -> the setters in the element that have
        #: such a reference.
        self._setters: dict[tuple[int, str], list[XmlElement]] = {}
        # It grows: an instance may lead into a file that was not read yet.
        for document in documents.all:
            for element in document.root.walk():
                self._remember(element)

    def _remember(self, element: XmlElement) -> None:
        tag = element.tag
        name = element.get("symbol") if tag == "bind" else element.get("sid")
        if tag in ("newparam", "bind") and name:
            self._definitions.setdefault(name, []).append(element)
        for key in {element.get("sid"), element.get("id")} - {None}:
            self._named.setdefault(str(key), []).append(element)
        if tag in _SETTERS and element.parent is not None:
            self._setters.setdefault((id(element.parent), _set_path(element)[-1]), []).append(
                element
            )
        if tag in _INSTANCES:
            target = self.documents.find(element.get("url"), element)
            if target is not None:
                self._instances.setdefault(id(target), []).append(element)

    def named(self, name: str) -> list[XmlElement]:
        """The elements with this SID or id."""
        return self._named.get(name, [])

    # -- values

    def text(self, element: XmlElement | None) -> str | None:
        """The value of an element that has a literal, or a reference in the place of one; None for
        nothing.

        The literal may stand in <float>, <int>, <bool>, or in the element itself.
        """
        if element is None:
            return None
        if (literal := literal_in(element)) is not None:
            return literal
        reference = reference_in(element)
        if reference is None:
            return element.text.strip() or None
        return self.value(reference, element)

    def number(self, element: XmlElement | None) -> float | None:
        """The finite number that `text` is; None for what is none."""
        text = self.text(element)
        values = floats(text) if text is not None else []
        if not values or text is None:
            return None
        # `floats` puts 0 for what is not finite; a limit of 0 would be a statement.
        return values[0] if math.isfinite(float(text.split()[0])) else None

    def truth(self, element: XmlElement | None) -> bool | None:
        text = self.text(element)
        return None if text is None else text.lower() in ("true", "1")

    def value(self, reference: str, at: XmlElement) -> str | None:
        """The text at the end of a reference that stands at `at`; None, and a problem, when it
        leads nowhere."""
        for step, parameter in self._steps(reference, at):
            text = self._targeted(step) if parameter is None else literal_in(parameter)
            if text is not None:
                return text
            if parameter is not None and reference_in(parameter) is None:
                return parameter.text.strip() or None
        self.problems.setdefault(reference, at)
        return None

    def address(self, reference: str, at: XmlElement | None = None) -> str:
        """The SID path at the end of a reference; the reference itself when it is no parameter.

        A path that stands in an instance of a kinematics model gets the instance's SID before it,
        so that two instances of one model can be told apart.
        """
        for step, parameter in self._steps(reference, at):
            reference = step
            owner = (
                parameter.parent if parameter is not None and parameter.tag == "newparam" else None
            )
            if parameter is None or owner is None or owner.tag != "instance_kinematics_model":
                continue
            if (
                parameter.child("SIDREF") is not None
                and owner.get("sid")
                and (path := reference_in(parameter))
            ):
                return f"{owner.get('sid')}/{path}"
        return reference

    def constant(self, reference: str, at: XmlElement) -> float | None:
        """The number that a parameter has; None, without a word, when there is no such
        parameter."""
        parameter = self._parameter(reference, at)
        return self.number(parameter)

    def is_of_another(self, reference: str, at: XmlElement) -> bool:
        """Return whether a reference goes by way of another instance of what the meant ones
        instantiate."""
        others = self._others()
        sids = {e.get("sid") for e in others}
        return any(
            sids & set(step.split("/"))
            or (parameter is not None and any(_is_within(parameter, other) for other in others))
            for step, parameter in self._steps(reference, at)
        )

    # -- inside

    def _steps(
        self, reference: str, at: XmlElement | None
    ) -> Iterator[tuple[str, XmlElement | None]]:
        """(reference, the parameter that it means): one that stands at `at`, and those that it
        leads on to."""
        following: str | None = reference
        for _ in range(_LONGEST):
            if following is None:
                return
            parameter = self._parameter(following, at)
            yield following, parameter
            following, at = reference_in(parameter) if parameter is not None else None, parameter

    def _others(self) -> list[XmlElement]:
        """Other instances of the same elements. An instance of the same SID says nothing: it is
        left out."""
        sids = {e.get("sid") for e in self.meant}
        targets = [self.documents.find(e.get("url"), e) for e in self.meant]
        beside = [i for t in targets if t is not None for i in self._instances.get(id(t), ())]
        return [
            e
            for e in beside
            if e not in self.meant and (e.get("sid") is None or e.get("sid") not in sids)
        ]

    def _instances_of(self, element: XmlElement) -> list[XmlElement]:
        """The one that is meant, else all."""
        every = self._instances.get(id(element), [])
        return [e for e in every if e in self.meant] or every

    def _parameter(self, reference: str, at: XmlElement | None) -> XmlElement | None:
        """The definition that a reference means from `at`, or what sets it for the instance."""
        definition = self._defined(reference.split("/"), at)
        return None if definition is None else self._override(definition) or definition

    def _defined(self, parts: list[str], at: XmlElement | None) -> XmlElement | None:
        named = self._definitions.get(parts[-1], [])
        if not named:
            return None
        if len(parts) == 1:
            # The nearest enclosing element that has it. A definition does not stand for itself.
            above = at
            while above is not None:
                for candidate in named:
                    if candidate is not at and _owner(candidate) is above:
                        return candidate
                above = above.parent
        fitting = [e for e in named if e is not at and self._leads(parts[:-1], e)]
        home = self.documents.of(at) if at is not None else self.documents.main
        fitting.sort(key=lambda e: self.documents.of(e) is not home)
        if len(parts) == 1:
            # The speed of another axis is none of this one's; instances call their parameters by
            # names of their own.
            fitting = [
                e for e in fitting if (owner := _owner(e)) is not None and owner.tag not in _INFOS
            ]
        return fitting[0] if fitting else None

    def _leads(self, path: list[str], element: XmlElement) -> bool:
        """Whether all names of a path stand above an element, in their order, through instances
        too."""
        rest = list(path)
        for above in self._above(element):
            if rest and rest[-1] in above:
                rest.pop()
        return not rest

    def _above(self, element: XmlElement) -> Iterator[set[str]]:
        """Names of each element above, the nearest one first; an instance's SID counts for what it
        instantiates."""
        at = element.parent
        while at is not None:
            names = {n for n in (at.get("sid"), at.get("id")) if n}
            names |= {str(i.get("sid")) for i in self._instances_of(at) if i.get("sid")}
            yield names
            at = at.parent

    def _override(self, definition: XmlElement) -> XmlElement | None:
        """What an instance says of a parameter, that of the outermost one."""
        if definition.tag != "newparam":
            return None
        setting = None
        seen: set[int] = set()
        at: XmlElement | None = definition
        while at is not None:
            if id(at) in seen:
                break
            seen.add(id(at))
            following = at.parent
            for instance in self._instances_of(at):
                setters = self._setters.get((id(instance), definition.get("sid") or ""), ())
                setter = next(
                    (setter for setter in setters if self._sets(setter, definition, at)), None
                )
                setting = setter if setter is not None else setting
                # What instantiates the system around the instance may say something, too.
                following = instance
            at = following
        return setting

    def _sets(self, setter: XmlElement, definition: XmlElement, scope: XmlElement) -> bool:
        """Whether a setter, whose reference ends with the name of a parameter, means this
        definition of it."""
        parts = _set_path(setter)
        if len(parts) == 1:
            inside = [
                e
                for e in self._definitions[parts[-1]]
                if e.tag == "newparam" and _is_within(e, scope)
            ]
            return _owner(definition) is scope or len(inside) == 1
        return self._leads(parts[:-1], definition)

    def _targeted(self, reference: str) -> str | None:
        """The number of an element that an address means: a limit, a value of a transform."""
        member = _MEMBER.search(reference)
        path = (
            reference[: member.start()]
            if member is not None and reference not in self._named
            else reference
        )
        parts = path.split("/")
        for element in self.named(parts[-1]):
            if element.tag == "newparam" or not self._leads(parts[:-1], element):
                continue
            inside = element.text.strip()
            values = floats(inside or "")
            if member is None or path == reference:
                return inside or None
            place = (
                int(member.group(2)) if member.group(2) else _PLACES.get(member.group(1).upper())
            )
            return repr(values[place]) if place is not None and place < len(values) else None
        return None


def _set_path(setter: XmlElement) -> list[str]:
    """The path of names by which a setter refers to its parameter."""
    return (setter.get("ref") or setter.get("symbol") or "").split("/")


def _owner(definition: XmlElement) -> XmlElement | None:
    """The element that a definition belongs to: what is common to all techniques belongs to the
    element around them."""
    parent = definition.parent
    while parent is not None and parent.tag in ("technique_common", "kinematics", "motion"):
        parent = parent.parent
    return parent


def _is_within(element: XmlElement, scope: XmlElement) -> bool:
    at: XmlElement | None = element
    while at is not None and at is not scope:
        at = at.parent
    return at is scope
