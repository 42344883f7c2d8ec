"""Plans for the modifiers."""

from __future__ import annotations

from editor_app.formats.xrdf.planning import Planner, Want
from editor_app.formats.yaml.nodes import Mapping, Node, child, effective_entries
from editor_app.formats.yaml.plan import Entry, FlowMap, Fresh, MappingEdit, Plan, Spelled
from editor_app.model.xrdf import AddFrame, Modifier, RemoveMimicAttributes, SetBaseFrame


class ModifierPlanner(Planner):
    """The modifiers section."""

    def modifiers(self, node: Node | None) -> Plan:
        return self.listing(
            node,
            self.old.modifiers,
            self.new.modifiers or (),
            self._modifier,
            lambda modifier: Fresh(_modifier_value(modifier)),
            _modifier_likeness,
        )

    def _modifier(self, node: Node, old: Modifier, new: Modifier) -> Plan:
        if type(old) is not type(new):
            return Fresh(_modifier_value(new), None, node)

        def plan(target: Node) -> Plan:
            if not isinstance(target, Mapping) or len(target.entries) != 1:
                return Fresh(_modifier_value(new), None, target)
            kind, (_, inner) = next(iter(effective_entries(target).items()))
            inner_plan: Plan
            if isinstance(new, SetBaseFrame):
                inner_plan = self.scalar(new.frame, inner)
            elif isinstance(new, AddFrame) and isinstance(old, AddFrame):
                inner_plan = self._add_frame(inner, old, new)
            elif isinstance(new, RemoveMimicAttributes) and isinstance(old, RemoveMimicAttributes):
                inner_plan = self._remove_mimic(inner, old, new)
            else:
                return Fresh(_modifier_value(new), None, target)
            return MappingEdit(target, (Entry(kind, inner_plan, 0),))

        return self.through(node, plan)

    def _add_frame(self, node: Node, old: AddFrame, new: AddFrame) -> Plan:
        wants = [
            Want(key, lambda n, k=key: self.scalar(getattr(new, k), n, old=getattr(old, k)), key)  # type: ignore[misc]
            for key in ("frame_name", "parent_frame_name", "joint_name")
        ]
        managed = set()
        if new.joint_type is not None:
            has_joint_type = child(node, "joint_type") is not None
            wants.append(
                Want(
                    "joint_type",
                    lambda n: (
                        self.scalar(new.joint_type, n, old=old.joint_type)
                        if n is not None
                        else Fresh(_joint_type(new.joint_type or "FIXED"))
                    ),
                    "joint_type" if has_joint_type else None,
                )
            )
        elif old.joint_type is not None:
            managed.add("joint_type")
        wants.append(Want("fixed_transform", lambda n: self._transform(n, old, new), "fixed_transform"))
        return self.mapping(node, wants, managed)

    def _transform(self, node: Node | None, old: AddFrame, new: AddFrame) -> Plan:
        before, after = old.fixed_transform, new.fixed_transform
        if node is not None and before == after:
            return node

        def orientation(node_now: Node | None) -> Plan:
            w, *xyz = after.orientation_wxyz
            old_w, *old_xyz = before.orientation_wxyz
            return self.mapping(
                node_now,
                [
                    Want("w", lambda n: self.scalar(w, n, old=old_w), "w"),
                    Want("xyz", lambda n: self.numbers(xyz, n, old_xyz), "xyz"),
                ],
                set(),
            )

        return self.mapping(
            node,
            [
                Want("position", lambda n: self.numbers(after.position, n, before.position), "position"),
                Want("orientation", orientation, "orientation"),
            ],
            set(),
        )

    def _remove_mimic(self, node: Node, old: RemoveMimicAttributes, new: RemoveMimicAttributes) -> Plan:
        wants = [
            Want("joint_name", lambda n: self.scalar(new.joint_name, n, old=old.joint_name), "joint_name"),
            Want(
                "position_limits",
                lambda n: self.numbers(new.position_limits, n, old.position_limits),
                "position_limits",
            ),
        ]
        managed = set()
        has_velocity = child(node, old.velocity_key) is not None
        if new.velocity_limit is not None:
            wants.append(
                Want(
                    new.velocity_key,
                    lambda n: self.scalar(new.velocity_limit, n, old=old.velocity_limit),
                    old.velocity_key if has_velocity else None,
                )
            )
        elif old.velocity_limit is not None:
            managed.add(old.velocity_key)
        return self.mapping(node, wants, managed)


def _modifier_likeness(a: Modifier, b: Modifier) -> int:
    if type(a) is not type(b):
        return 0
    if isinstance(a, AddFrame) and isinstance(b, AddFrame):
        return 1 + 2 * (a.frame_name == b.frame_name)
    return 1


def _joint_type(text: str) -> object:
    """FIXED stands without quotes, as in the specification."""
    return Spelled(text, text) if text == "FIXED" else text


def _modifier_value(modifier: Modifier) -> dict[str, object]:
    if isinstance(modifier, SetBaseFrame):
        return {"set_base_frame": modifier.frame}
    if isinstance(modifier, RemoveMimicAttributes):
        inner: dict[str, object] = {
            "joint_name": modifier.joint_name,
            "position_limits": list(modifier.position_limits),
        }
        if modifier.velocity_limit is not None:
            inner[modifier.velocity_key] = modifier.velocity_limit
        return {"remove_mimic_attributes": inner}
    w, x, y, z = modifier.fixed_transform.orientation_wxyz
    frame: dict[str, object] = {
        "frame_name": modifier.frame_name,
        "parent_frame_name": modifier.parent_frame_name,
        "joint_name": modifier.joint_name,
    }
    if modifier.joint_type is not None:
        frame["joint_type"] = _joint_type(modifier.joint_type)
    frame["fixed_transform"] = {
        "position": list(modifier.fixed_transform.position),
        "orientation": FlowMap({"w": w, "xyz": [x, y, z]}),
    }
    return {"add_frame": frame}
