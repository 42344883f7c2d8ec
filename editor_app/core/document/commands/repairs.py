"""Small changes that only make sense as the remedy of a finding: a name put right in its place, an entry taken out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from editor_app.core.document.commands.tools import at, the_group, with_xrdf
from editor_app.core.document.commands.urdf_parts import with_urdf
from editor_app.core.model.counting import counted
from editor_app.core.model.references import DocumentName, Named, changed_at, with_renamed
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import Material


@dataclass(frozen=True, slots=True)
class RenameCSpaceJoint:
    """Another name at one place of `joint_names`; its limits stay."""

    index: int
    name: str
    label = Label("Write {name} in the c-space")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        cspace = robot.xrdf.cspace
        if cspace is None or cspace.joint_names is None:
            raise CannotApply("The XRDF has no c-space.")
        at(cspace.joint_names, self.index, "joint")
        names = tuple(self.name if i == self.index else name for i, name in enumerate(cspace.joint_names))
        return with_xrdf(robot, cspace=replace(cspace, joint_names=names))


@dataclass(frozen=True, slots=True)
class MoveFrameSpheres:
    """Gives the spheres of one frame of a group to another frame, as they are, in the same place of the file."""

    group: str
    old: str
    new: str
    label = Label("Attach the spheres of {old} to {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        group = the_group(robot, self.group)
        if self.old not in group.spheres:
            raise CannotApply(f"{self.old} has no spheres in {self.group}.")
        if self.new in group.spheres:
            raise CannotApply(f"{self.new} already has spheres in {self.group}.")
        moved = replace(group, spheres=group.spheres.renamed(self.old, self.new))
        return robot.with_xrdf(robot.xrdf.with_group(moved))


@dataclass(frozen=True, slots=True)
class CorrectReference:
    """Another name wherever the field `field` of a document (see core/model/references.py) refers to `old`.

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
        return with_renamed(robot, self.named, self.old, self.new, (self.document,), title=self.field)


@dataclass(frozen=True, slots=True)
class MapNames:
    """Give names in some documents the spelling of the URDF: pairs of old and new.

    A pair stays where a document has both of its names.
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
                return f"Add the prefix {prefixes.pop()} to {counted(len(pairs), 'name')}"
        return f"Map {counted(len(pairs), 'name')}: {old} → {new}, …"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        for kind, pairs in ((Named.LINK, self.links), (Named.JOINT, self.joints)):
            for old, new in pairs:
                for document in self.documents:
                    with suppress(CannotApply):
                        robot = with_renamed(robot, kind, old, new, (document,))
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
        return with_urdf(robot, materials=materials)


@dataclass(frozen=True, slots=True)
class UseMaterial:
    """Another name wherever a shape refers to a material that is not defined."""

    old: str
    new: str
    label = Label("Replace {old} by {new}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old, new = Material(self.old), Material(self.new)
        urdf = changed_at(robot.urdf, "links.*.visuals.*.material", lambda each: new if each == old else each)
        return robot if urdf is robot.urdf else robot.with_urdf(urdf)
