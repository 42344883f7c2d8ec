"""The robot as a whole: name and version, the world it stands in, links without mass, linked bodies, first pose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QLabel, QPushButton

from editor_app.edit.commands import urdf_robot
from editor_app.edit.commands.default_positions import NO_POSITIONS, SetDefaultPositions
from editor_app.edit.commands.fields import OfRobot
from editor_app.edit.commands.urdf_merging import MergeLinks, MergePlan, merge_plan
from editor_app.gui.bindings.forms import Choice, Form, Text
from editor_app.gui.bindings.name_box import TextField
from editor_app.gui.bindings.panel import compact, heading, muted_label
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.widgets import dress, plain
from editor_app.model.change import CannotApply
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Urdf
from editor_app.operations.link_inertias import bare_links, compute_inertias


class RobotPanel(UrdfPanel):
    """What a simulator's reader does by its settings (world, merging, ignoring, first pose), done in the files."""

    def build(self) -> None:
        self._plan: tuple[RobotDescription, MergePlan] | None = None
        version = Choice(
            "URDF version",
            "version",
            lambda *_: urdf_robot.VERSIONS,
            name="Version of URDF",
            noun="version",
            title="Set URDF version {value}",
            help="1.1 knows capsules and quaternions, 1.2 limits of acceleration and jerk",
        )
        Form(self, (Text("Name", "name", name="Name of the robot", title="Rename the robot"), version), OfRobot)
        # Not in the form, which cuts off the second line.
        self.about = self.put(muted_label(""))
        self.world, self.world_note = self._action("World", "", self._toggle_world)
        self.merge, self.merge_note = self._action(
            "Links without inertial", "Merge into their parents", lambda: self.execute(MergeLinks())
        )
        tip = "Mass and inertia of all links that have shapes, filled with 1,000 kg/m³"
        compute = dress(QPushButton("Compute from their shapes"), tip=tip, run=lambda: self._compute())
        self.compute = self.put(compact(compute))
        self.ignore, self.ignore_note = self._action(
            "Linked bodies", "Ignore their collisions", lambda: self.execute(urdf_robot.IgnoreLinkedBodies())
        )
        self.put(heading("Initial joint positions"))
        self.positions = self.put(dress(TextField("Initial joint positions"), hint="0.5, 0, … or joint=0.5"))
        self.positions.edited.connect(self._set_positions)
        self.positions_note = self.put(muted_label(""))
        self.free += [self.ignore, self.positions]
        self.bind(self._show)

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        xrdf = robot.xrdf
        parts = (xrdf.tool_frames, xrdf.modifiers, xrdf.geometry, xrdf.world_collision, xrdf.self_collision)
        return robot.urdf, robot.srdf, *parts, xrdf.default_joint_positions

    def nothing(self) -> str | None:
        return None if self.session.robot is not None else super().nothing()

    def _action(self, title: str, text: str, run: Callable[[], object]) -> tuple[QPushButton, QLabel]:
        """A button, and the sentence above it that says what it is about."""
        button, note = compact(dress(QPushButton(text), run=lambda: run())), muted_label("")
        self.put(heading(title), note, button)
        return button, note

    # -- showing

    def _show(self, robot: RobotDescription) -> None:
        urdf = robot.urdf
        self.about.setText(described(urdf))
        self._show_world(urdf)
        plan = self.plan(robot)
        self.merge_note.setText(_merging(plan, urdf))
        self.merge_note.setToolTip(plain("\n".join(f"{link}: {reason}" for link, reason in plan.kept)))
        self.merge.setEnabled(bool(plan.merged))
        self.merge.setToolTip(plain("\n".join(f"{link} → {parent}" for link, parent in plan.merged)))
        self.compute.setEnabled(self._reading is not None and bool(bare_links(urdf)))
        self._show_linked(robot)
        movable = [j for j in urdf.joints if j.is_movable]
        given = robot.xrdf.default_joint_positions or NO_POSITIONS
        free = [j.name for j in movable if j.mimic is None]
        have = sum(name in given for name in free)
        self.positions_note.setText(
            f"{have} of {len(free)} joints have one in the XRDF. In radians and metres; one number for each of the "
            f"{len(movable)} joints that move, in the order of the file, or by name."
        )
        self.positions_note.setToolTip(plain("\n".join(f"{j.name}{' (follows)' if j.mimic else ''}" for j in movable)))

    def plan(self, robot: RobotDescription) -> MergePlan:
        """What merging would do, computed once for a robot."""
        if self._plan is None or self._plan[0] is not robot:
            self._plan = (robot, merge_plan(robot))
        return self._plan[1]

    def _show_world(self, urdf: Urdf) -> None:
        root, joint = urdf_robot.root_of(urdf), urdf_robot.world_joint(urdf)
        self.world.setEnabled(root is not None)
        if joint is not None:
            self.world.setText(f"Detach from {joint.parent}")
            self.world.setToolTip(plain(f"Remove the link {joint.parent} and the joint {joint.name}"))
            self.world_note.setText(f"{joint.child} stands in {joint.parent} by the fixed joint {joint.name}.")
            return
        self.world.setText("Attach to world")
        self.world.setToolTip("Add a link “world” and a fixed joint from it to the root")
        self.world_note.setText(f"The root is {root.name}." if root is not None else "There is no root link.")

    def _show_linked(self, robot: RobotDescription) -> None:
        section = robot.xrdf.self_collision
        pairs = urdf_robot.linked_pairs(robot.urdf)
        masked = section.ignored_pairs() if section is not None else frozenset()
        missing = [pair for pair in pairs if pair not in masked]
        self.ignore.setEnabled(bool(missing) and section is not None)
        self.ignore.setToolTip(
            plain("\n".join(f"{p.first} – {p.second}" for p in missing[:20]) + ("\n…" * (len(missing) > 20)))
        )
        told = f"All {len(pairs)} pairs that a joint connects are ignored."
        if missing:
            told = f"{len(missing)} of {len(pairs)} pairs that a joint connects are not ignored."
        self.ignore_note.setText(told if section is not None else "The XRDF has no section self-collision.")

    # -- changes

    def _compute(self) -> None:
        document, robot = self.session.document, self.robot
        if document is None or self._reading is None:
            return
        links, path, packages = bare_links(robot.urdf), document.urdf_path, document.packages
        self._reading.run(
            "Computing inertias",
            lambda _: compute_inertias(robot, links, path, packages),
            self.execute,
            in_thread=True,
            failed=lambda error: self.tell(error.message),
            about=lambda: self.session.robot,
        )

    def _toggle_world(self) -> None:
        self.execute(
            urdf_robot.DetachFromWorld()
            if urdf_robot.world_joint(self.robot.urdf) is not None
            else urdf_robot.AttachToWorld()
        )

    def _set_positions(self, text: str) -> None:
        if not text:
            return
        # Names and values one by one; numbers alone are one list.
        texts = [part for part in text.replace(";", ",").split(",") if part.strip()] if "=" in text else [text]
        try:
            positions = urdf_robot.parse_positions(self.robot.urdf, texts)
        except CannotApply as error:
            self.tell(str(error))
            return
        if positions and self.execute(SetDefaultPositions(positions)):
            self.session.go_to(FrozenDict({**self.session.pose, **positions}))


def described(urdf: Urdf) -> str:
    """How many links and joints, and what they weigh together."""
    moving = sum(j.is_movable for j in urdf.joints)
    masses = [link.inertial.mass for link in urdf.links if link.inertial is not None]
    parts = [f"{len(urdf.links)} links, {len(urdf.joints)} joints ({moving} move)", f"{sum(masses):.4g} kg"]
    without = len(urdf.links) - len(masses)
    return ", ".join(parts) + (f" ({without} without inertial)" if without else "")


def _merging(plan: MergePlan, urdf: Urdf) -> str:
    if not plan.merged and not plan.kept:
        root = urdf_robot.root_of(urdf)
        only_root = root is not None and root.inertial is None
        return "Every link has an inertial." if not only_root else "Every link but the root has an inertial."
    sentences = []
    if plan.merged:
        names = ", ".join(link for link, _ in plan.merged[:3]) + (", …" if len(plan.merged) > 3 else "")
        verb = "becomes part of its parent" if len(plan.merged) == 1 else "become parts of their parents"
        sentences.append(f"{len(plan.merged)} {verb}: {names}.")
    if plan.kept:
        link, reason = plan.kept[0]
        more = f" (and {len(plan.kept) - 1} more)" if len(plan.kept) > 1 else ""
        sentences.append(f"{link} stays: {reason}{more}.")
    return " ".join(sentences)
