"""End effectors, virtual and passive joints, and the configs that an SRDF names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.edit.commands.srdf import SetSrdf
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import heading
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf import SrdfPanel
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import EndEffector


@dataclass(frozen=True, slots=True)
class _Row:
    kind: str
    name: str
    detail: str
    link: str | None = None


class OthersPanel(SrdfPanel):
    """Lists what has no section of its own; end effectors can be added, everything can be deleted."""

    def build(self) -> None:
        columns: list[Column[_Row]] = [
            Column("Kind", lambda row: row.kind),
            Column("Name", lambda row: row.name, stretch=True, note=lambda row: row.detail),
            Column("", lambda row: row.detail, stretch=True, note=lambda row: row.detail),
        ]
        self.view = self.table("End effectors and joints", columns, self._rows, delete=self._delete, most_rows=12)
        self.view.rows_selected.connect(self._select)
        self.body.addWidget(self.view)
        passive = self.adder("Add passive joint", "joint", self._free, self._add_passive, "Passive joint to add…")
        self.body.addWidget(self.under(self.view, passive))
        self.body.addWidget(heading("End effector"))
        self.body.addWidget(
            self.adder("Add end effector", "group", self._effector_groups, self._add_effector, "Group of the effector…")
        )

    def _rows(self, robot: RobotDescription) -> list[_Row]:
        srdf = self.srdf
        rows = [
            _Row("end effector", e.name, f"{e.group} on {e.parent_link}", e.parent_link) for e in srdf.end_effectors
        ]
        rows += [
            _Row("virtual joint", v.name, f"{v.type}: {v.parent_frame} → {v.child_link}", v.child_link)
            for v in srdf.virtual_joints
        ]
        rows += [_Row("passive joint", name, "") for name in srdf.passive_joints]
        rows += [_Row("config", tag, file) for tag, file in srdf.configs.items()]
        rows += [_Row("property", f"{p.joint}.{p.name}", p.value) for p in srdf.joint_properties]
        return rows

    def _free(self, robot: RobotDescription) -> list[str]:
        return [j.name for j in robot.urdf.joints if j.is_movable and j.name not in self.srdf.passive_joints]

    def _add_passive(self, joint: str) -> Change:
        srdf = self.srdf
        return SetSrdf(replace(srdf, passive_joints=(*srdf.passive_joints, joint)), f"Make {joint} passive")

    def _effector_groups(self, robot: RobotDescription) -> list[str]:
        taken = {e.group for e in self.srdf.end_effectors}
        return [g.name for g in self.srdf.groups if g.name not in taken]

    def _add_effector(self, group: str) -> Change:
        """The link that carries the group is its parent."""
        robot = self.session.robot
        assert robot is not None
        srdf = self.srdf
        found = srdf.group(group)
        assert found is not None
        joints = {j.name: j for j in robot.urdf.joints}
        parents = {j.child: j.parent for j in robot.urdf.joints}
        inside = {*found.links, *(joints[j].child for j in found.joints if j in joints)}
        first = next((joints[j].parent for j in found.joints if j in joints), None)
        first = first or next((parents[x] for x in found.links if parents.get(x) not in (*inside, None)), None)
        first = first or next((base for base, _ in found.chains), None)
        parent = first or (robot.urdf.links[-1].name if robot.urdf.links else "")
        effector = EndEffector(group, parent, group)
        return SetSrdf(replace(srdf, end_effectors=(*srdf.end_effectors, effector)), f"Add end effector {group}")

    def _delete(self, rows: list[_Row]) -> Change:
        srdf = self.srdf

        def gone(kind: str) -> set[str]:
            return {row.name for row in rows if row.kind == kind}

        changed = replace(
            srdf,
            end_effectors=tuple(e for e in srdf.end_effectors if e.name not in gone("end effector")),
            virtual_joints=tuple(v for v in srdf.virtual_joints if v.name not in gone("virtual joint")),
            passive_joints=tuple(p for p in srdf.passive_joints if p not in gone("passive joint")),
            configs=FrozenDict((k, v) for k, v in srdf.configs.items() if k not in gone("config")),
            joint_properties=tuple(p for p in srdf.joint_properties if f"{p.joint}.{p.name}" not in gone("property")),
        )
        what = f"{rows[0].kind} {rows[0].name}" if len(rows) == 1 else f"{len(rows)} entries"
        return SetSrdf(changed, f"Delete {what}")

    def _select(self, rows: tuple[int, ...]) -> None:
        found = [self.view.rows_model.rows[i] for i in rows if i < len(self.view.rows_model.rows)]
        links = tuple(row.link for row in found if row.link is not None)
        joints = tuple(row.name for row in found if row.kind == "passive joint")
        if links or joints:
            self.session.select(Selection(links=links, joints=joints))
