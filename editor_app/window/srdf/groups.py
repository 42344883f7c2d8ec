"""Groups and joints of the SRDF: what is planned for together; virtual and passive joints, and
properties of joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtWidgets import QWidget

from editor_app.core.document.commands import srdf_parts
from editor_app.core.document.commands.field_paths import with_field
from editor_app.core.document.commands.fields import OfItem
from editor_app.core.document.commands.lists import InsertItem, SetItems, set_item
from editor_app.core.document.selection import Selection
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.srdf import Group, JointProperty, VirtualJoint
from editor_app.window.bindings.choice_box import TextField
from editor_app.window.bindings.forms import ChoiceField, Field, Text, field_column
from editor_app.window.bindings.panel import (
    NewItemField,
    heading,
    link_pair,
    muted_label,
    row_of,
    tool_button,
)
from editor_app.window.bindings.rows_model import Column
from editor_app.window.srdf.panel import (
    SrdfPanel,
    group_names,
    list_link_names,
    planned_joint_names,
)
from editor_app.window.widgets import dress


@dataclass(frozen=True, slots=True)
class _Row:
    group: Group
    joints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Member:
    """`place` is the number within its kind; a chain has two names."""

    kind: str
    names: tuple[str, ...]
    place: int


class GroupsPanel(SrdfPanel):
    """The groups above, the members of the chosen one below."""

    purpose = "Groups of joints, links and chains to plan for, for example an arm."

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column(
                "Group",
                "group.name",
                write=lambda cells: _set_group(
                    cells[0][0].group.name, replace(cells[0][0].group, name=cells[0][1])
                ),
                stretch=True,
            ),
            Column(
                "Joints",
                lambda row: str(len(row.joints)),
                right=True,
                note=lambda row: ", ".join(row.joints),
            ),
        ]
        self.view = self.list_table(
            "srdf.groups",
            "Groups",
            columns,
            self._rows,
            key=attrgetter("group.name"),
            # The joints show in the tree and in the view what the group moves.
            chosen=lambda rows: (
                Selection(joints=rows[-1].joints, features=(_feature(rows[-1]),)) if rows else None
            ),
            feature=_feature,
            leads=True,
        )
        self.new_name = dress(TextField("Name of a new group"), hint="New group…")
        self.new_name.edited.connect(self._add)
        self.under(self.view, self.new_name)
        self.title = self.put(heading(""))
        members: list[Column[_Member]] = [
            Column("Member", "kind"),
            Column("", lambda m: " → ".join(m.names), problem=self._problem, stretch=True),
        ]
        self.members = self.table(
            "Members of the group", members, self._members, delete=self._remove, chosen=self._shown
        )
        member_line = self.adder(
            self.members,
            "Add member",
            "joint, link or group",
            self._choices,
            self._add_member,
            "Joint, link, group…",
        )
        tip = "Add the joints and links that are selected in the tree or the 3D view"
        self.add_selected = tool_button("plus", "Add selected", tip=tip, run=self._add_selected)
        tip = "Add the chain between two selected links, or from the base to the selected link"
        self.chain_selected = tool_button(
            "path", "Chain to selected", tip=tip, run=self._chain_selected
        )
        selected_line = self.put(row_of(self.add_selected, self.chain_selected))
        self.add_chain = tool_button("plus", "Add", name="Add chain")
        needs = "A chain needs a base link and a tip link."
        self.base, self.tip = self.entries(
            link_pair(
                ("Base of a chain", "Tip of a chain"),
                list_link_names,
                needs,
                ("Chain from…", "to…"),
            ),
            lambda *ends: self.execute(
                self._edited(lambda g: replace(g, chains=(*g.chains, ends)))
            ),
            self.add_chain,
        )
        chain_line = self.put(row_of(self.base, self.tip, self.add_chain))
        self.moves = self.put(muted_label(""))
        self._details: list[QWidget] = [
            self.title,
            self.members,
            member_line,
            selected_line,
            chain_line,
            self.moves,
        ]
        self.bind(self._show_details)

    @property
    def _chosen(self) -> str:
        """The name of the group in the chosen row, "" for none: by its place, so that it follows a
        new name."""
        row: _Row | None = self.view.last_chosen
        return row.group.name if row is not None else ""

    # -- what is shown

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        return [
            _Row(g, planned_joint_names(self.srdf, robot.urdf, g.name)) for g in self.srdf.groups
        ]

    def _members(self, robot: RobotDescription) -> list[_Member]:
        group = self.srdf.group(self._chosen)
        if group is None:
            return []
        members = [_Member("chain", chain, i) for i, chain in enumerate(group.chains)]
        for kind, names in (
            ("joint", group.joints),
            ("link", group.links),
            ("group", group.subgroups),
        ):
            members += [_Member(kind, (name,), i) for i, name in enumerate(names)]
        return members

    def _problem(self, member: _Member) -> str | None:
        """Why a member is none."""
        unknown = {"joint": self.unknown_joint, "group": self.unknown_group}.get(
            member.kind, self.unknown_link
        )
        return next(filter(None, map(unknown, member.names)), None)

    def _show_details(self, robot: RobotDescription) -> None:
        group = self.srdf.group(self._chosen)
        for widget in self._details:
            widget.setVisible(group is not None)
        if group is None:
            return
        self.title.setText(f"Members of {group.name}")
        joints = planned_joint_names(self.srdf, robot.urdf, group.name)
        self.moves.setText(f"Moves {', '.join(joints)}." if joints else "Moves no joint yet.")

    def _shown(self, chosen: list[_Member]) -> Selection:
        links = tuple(m.names[0] for m in chosen if m.kind == "link")
        chosen_joints = [self.robot.urdf.joint(m.names[0]) for m in chosen if m.kind == "joint"]
        # A joint that does not move is no choice of its own: the link that it holds shows where it
        # is.
        joints = tuple(j.name for j in chosen_joints if j is not None and j.is_movable)
        links += tuple(j.child for j in chosen_joints if j is not None and not j.is_movable)
        return Selection(links=links, joints=joints)

    # -- changes

    def _add(self, name: str) -> None:
        if name and self.execute(InsertItem("srdf.groups", Group(name))):
            self.view.select_row(len(self.srdf.groups) - 1)

    def _choices(self, robot: RobotDescription) -> list[str]:
        group = self.srdf.group(self._chosen)
        if group is None:
            return []
        joints = [f"joint {j.name}" for j in robot.urdf.joints if j.name not in group.joints]
        links = [f"link {name}" for name in list_link_names(robot) if name not in group.links]
        groups = [
            f"group {name}"
            for name in group_names(robot)
            if name not in (group.name, *group.subgroups)
        ]
        return [*joints, *links, *groups]

    def _add_member(self, text: str) -> Change:
        kind, _, name = text.partition(" ")
        return self._edited(
            lambda g: with_field(g, _FIELDS[kind], (*getattr(g, _FIELDS[kind]), name))
        )

    def _add_selected(self) -> None:
        """The selected joints and links that are not members yet."""
        group, selection, urdf = (
            self.srdf.group(self._chosen),
            self.session.selection,
            self.robot.urdf,
        )
        if group is None:
            return
        joints = tuple(
            j for j in selection.joints if urdf.joint(j) is not None and j not in group.joints
        )
        links = tuple(
            link
            for link in selection.frames
            if urdf.link(link) is not None and link not in group.links
        )
        if not joints and not links:
            self.tell(
                "Select links or joints that are not members yet, in the tree or the 3D view."
            )
            return
        self.execute(
            self._edited(
                lambda g: replace(g, joints=(*g.joints, *joints), links=(*g.links, *links))
            )
        )

    def _chain_selected(self) -> None:
        """The chain between two selected links, whichever was selected first, or to one from the
        base."""
        tree, links = (
            self.session.tree,
            [f for f in self.session.selection.frames if f in self.session.tree.index],
        )
        # A chain begins at the link that is nearer to the base.
        ends = sorted(links if len(links) > 1 else [tree.root, *links], key=tree.index.__getitem__)
        if len(ends) != 2 or ends[0] == ends[1]:
            self.tell("Select the two links at the ends of the chain, or its last link.")
            return
        self.execute(self._edited(lambda g: replace(g, chains=(*g.chains, (ends[0], ends[1])))))

    def _remove(self, rows: list[_Member]) -> Change:
        def without(group: Group) -> Group:
            for kind, field in _FIELDS.items():
                gone = {m.place for m in rows if m.kind == kind}
                kept = tuple(x for i, x in enumerate(getattr(group, field)) if i not in gone)
                group = with_field(group, field, kept)
            return group

        return self._edited(without)

    def _edited(self, change: Callable[[Group], Group]) -> Change:
        group = self.srdf.group(self._chosen)
        assert group is not None
        return _set_group(group.name, change(group))


_set_group = partial(set_item, "srdf.groups")


def _feature(row: _Row) -> RobotFeature:
    return RobotFeature(FeatureKind.GROUP, row.group.name)


_FIELDS = {"chain": "chains", "joint": "joints", "link": "links", "group": "subgroups"}


_EDIT = "Edit virtual joint {name}"


class JointsOfSrdfPanel(SrdfPanel):
    """Three tables under each other."""

    purpose = "Virtual joints to the world, passive joints, and joint properties."

    def build(self) -> None:
        self._build_virtual()
        self.put(heading("Passive joints"))
        self.passive = self.list_table(
            "srdf.passive_joints",
            "Passive joints",
            [Column("Joint", str, unknown=self.unknown_joint, stretch=True)],
            chosen=lambda rows: Selection(joints=tuple(rows)),
        )
        self.adder(
            self.passive,
            "Add passive joint",
            "joint",
            self._movable,
            "srdf.passive_joints",
            "Passive joint…",
        )
        self._build_properties()

    # -- virtual joints

    def _build_virtual(self) -> None:
        self.put(heading("Virtual joints"))

        def column(row: Field, **looks: Any) -> Column[VirtualJoint]:
            return field_column(
                row,
                lambda v: OfItem("srdf.virtual_joints", v.name),
                robot=lambda: self.robot,
                **looks,
            )

        columns = [
            column(Text("Joint", "name", title=_EDIT), stretch=True),
            column(
                ChoiceField("Type", "type", lambda robot, v: srdf_parts.VIRTUAL_TYPES, title=_EDIT),
                problem=lambda v: (
                    None
                    if v.type in srdf_parts.VIRTUAL_TYPES
                    else "MoveIt does not support this type."
                ),
            ),
            column(Text("From frame", "parent_frame", title=_EDIT), stretch=True),
            column(
                ChoiceField("To link", "child_link", list_link_names, title=_EDIT),
                unknown=self.unknown_link,
                stretch=True,
            ),
        ]
        self.virtual = self.list_table(
            "srdf.virtual_joints",
            "Virtual joints",
            columns,
            chosen=lambda rows: Selection(links=tuple(v.child_link for v in rows)),
        )
        self.adder(
            self.virtual,
            "Add virtual joint",
            "link",
            list_link_names,
            self._add_virtual,
            "To link…",
        )
        self.put(muted_label("Connects a world frame to a link of the robot."))

    def _add_virtual(self, link: str) -> Change:
        taken = {v.name for v in self.srdf.virtual_joints} | {
            j.name for j in self.robot.urdf.joints
        }
        return InsertItem(
            "srdf.virtual_joints",
            VirtualJoint(find_free_name("virtual_joint", taken), "fixed", "world", link),
        )

    # -- passive joints

    def _joints(self, robot: RobotDescription) -> list[str]:
        return [*(v.name for v in self.srdf.virtual_joints), *(j.name for j in robot.urdf.joints)]

    def _movable(self, robot: RobotDescription) -> list[str]:
        return [joint.name for joint in robot.urdf.joints if joint.is_movable]

    # -- properties

    def _build_properties(self) -> None:
        self.put(heading("Properties of joints"))
        columns: list[Column[JointProperty]] = [
            Column("Joint", "joint", unknown=self.unknown_joint, stretch=True),
            Column("Property", "name", stretch=True),
            Column("Value", "value", write=self._write_value),
        ]
        self.properties = self.list_table("srdf.joint_properties", "Properties of joints", columns)
        needs = "A property needs a joint and a name, such as angular_distance_weight."
        entries = (
            NewItemField(
                "Joint of a new property", "Joint…", "joint", self._joints, needs, stays=True
            ),
            NewItemField("Name of a new property", "Property…", missing=needs),
            NewItemField("Value of a new property", "Value…"),
        )
        add = tool_button("plus", "Add", name="Add property of a joint")
        self.joint, self.property_name, self.value = self.entries(entries, self._add_property, add)
        self.under(self.properties, row_of(self.joint, self.property_name))
        self.put(row_of(self.value, add))

    def _add_property(self, joint: str, name: str, value: str) -> bool:
        return self.execute(set_item("srdf.joint_properties", (joint, name), value))

    def _write_value(self, cells: list[tuple[JointProperty, Any]]) -> Change:
        return SetItems(
            "srdf.joint_properties",
            FrozenDict({(p.joint, p.name): str(value) for p, value in cells}),
        )
