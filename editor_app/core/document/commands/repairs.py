"""Small changes that only fixes of findings make: a name is corrected, an entry is removed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from editor_app.core.document.commands.urdf_parts import replace_urdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.keys import Named
from editor_app.core.model.references import (
    DocumentName,
    change_at,
    reference_fields,
    rename_references,
)
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import Material


@dataclass(frozen=True, slots=True)
class ReplaceName:
    """Another name wherever a document (see core/model/references.py) refers to `old`.

    A field keeps `old` where the new name would unite two entries. Raises CannotApply where no
    field can change.
    """

    document: DocumentName
    named: Named
    old: str
    new: str
    label = Label("Replace {old} by {new} everywhere")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        replaced, refusal = robot, None
        for field in reference_fields(self.named, (self.document,)):
            try:
                replaced = rename_references(
                    replaced, self.named, self.old, self.new, (self.document,), title=field.title
                )
            except CannotApply as error:
                refusal = error
        if replaced is robot and refusal is not None:
            raise refusal
        return replaced


@dataclass(frozen=True, slots=True)
class CorrectReference:
    """Another name wherever the field `field` of a document (see core/model/references.py) refers
    to `old`.

    `new` None: what refers to it goes.
    """

    document: DocumentName
    named: Named
    field: str
    old: str
    new: str | None

    @property
    def label(self) -> str:
        place = f"<{self.field}>" if self.document in ("urdf", "srdf") else self.field
        if self.new is None:
            return f"Delete {self.old} from {place}"
        return f"Replace {self.old} by {self.new} in {place}"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return rename_references(
            robot, self.named, self.old, self.new, (self.document,), title=self.field
        )


@dataclass(frozen=True, slots=True)
class MapNames:
    """Give names in some documents the spelling of the URDF: pairs of old and new.

    A pair stays where a field has both of its names.
    """

    links: tuple[tuple[str, str], ...]
    joints: tuple[tuple[str, str], ...]
    documents: tuple[DocumentName, ...] = ("xrdf",)

    @property
    def label(self) -> str:
        pairs = (*self.links, *self.joints)
        old, new = pairs[0]
        if all(each_new.endswith(each_old) for each_old, each_new in pairs):
            prefixes = {each_new.removesuffix(each_old) for each_old, each_new in pairs}
            if len(prefixes) == 1:
                return f"Add the prefix {prefixes.pop()} to {format_count(len(pairs), 'name')}"
        return f"Map {format_count(len(pairs), 'name')}: {old} → {new}, …"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for kind, pairs in ((Named.LINK, self.links), (Named.JOINT, self.joints)):
            for old, new in pairs:
                for document in self.documents:
                    with suppress(CannotApply):
                        robot = ReplaceName(document, kind, old, new).apply(robot)
        return robot


@dataclass(frozen=True, slots=True)
class DropRepeatedMaterial:
    """Keeps the first definition of a material of the robot; the others must say the same."""

    name: str
    label = Label("Keep one definition of {name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        first = robot.urdf.material(self.name)
        if any(m.name == self.name and m != first for m in robot.urdf.materials):
            raise CannotApply(f"The definitions of {self.name} differ: delete one by hand.")
        materials = tuple(m for m in robot.urdf.materials if m.name != self.name or m is first)
        return replace_urdf(robot, materials=materials)


@dataclass(frozen=True, slots=True)
class UseMaterial:
    """Another name wherever a shape refers to a material that is not defined."""

    old: str
    new: str
    label = Label("Replace {old} by {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old, new = Material(self.old), Material(self.new)
        urdf = change_at(
            robot.urdf, "links.*.visuals.*.material", lambda each: new if each == old else each
        )
        return robot if urdf is robot.urdf else robot.with_urdf(urdf)
