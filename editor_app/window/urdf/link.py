"""The robot as a whole, and a link: its mass and inertia, from geometry and a density where the
file gives none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton

from editor_app.core.document.commands import urdf_robot
from editor_app.core.document.commands.cspace import NO_POSITIONS
from editor_app.core.document.commands.fields import OfLink, OfRobot, SetField
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.urdf import RenameLink
from editor_app.core.document.commands.urdf_merging import MergeLinks, MergePlan, merge_plan
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import Inertial, Link, Urdf
from editor_app.core.space.geometry.mass import (
    USUAL_DENSITY,
    SolidProperties,
    compute_link_solid,
    fill_solid,
    impossible,
)
from editor_app.core.verbs.new_link import bare_links, compute_inertias
from editor_app.window.bindings.choice_box import TextField
from editor_app.window.bindings.forms import ChoiceField, Field, Form, Number, Text
from editor_app.window.bindings.number_field import (
    NumberInput,
    NumberSource,
    ScrubLabel,
    ShownNumber,
)
from editor_app.window.bindings.panel import compact, heading, muted_label
from editor_app.window.bindings.quantity import NUMBER
from editor_app.window.mesh_store import WindowMeshes
from editor_app.window.session import Session
from editor_app.window.urdf.overlay import InertiaOverlay
from editor_app.window.urdf.panel import RENAMING, UrdfPanel, pose_rows
from editor_app.window.widgets import PlainLabel, dress, plain_text


class LinkPanel(UrdfPanel):
    """The name; a new one goes through URDF, XRDF and SRDF."""

    def build(self) -> None:
        self.parts = dress(PlainLabel(), wrap=True)
        Form(
            self,
            (
                Text("Name", "name", name="Name of the link", help=RENAMING, write=self._rename),
                Field("Has", beside=(self.parts,)),
            ),
            lambda: OfLink(self.link.name) if self.link is not None else None,
        )
        self.bind(self._show)

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        counts = [
            "an inertial" if link.inertial is not None else "no inertial",
            format_count(len(link.visuals), "visual"),
            format_count(len(link.collisions), "collision"),
        ]
        self.parts.setText(", ".join(counts))
        self.tell_place(lambda source: source.link_location(link.name))

    def _rename(self, name: str) -> None:
        link = self.link
        if link is not None:
            selection = replace(self.session.selection, links=(name,), spheres=())
            self.execute(RenameLink(link.name, name), selection=selection)


class InertialPanel(UrdfPanel):
    """Computed numbers are marked as such, and stand in the file only when the user writes them
    there."""

    def __init__(
        self, session: Session, meshes: WindowMeshes | None, overlay: InertiaOverlay | None
    ) -> None:
        self._meshes = meshes
        self._overlay = overlay
        self._solids: dict[int, tuple[object, SolidProperties | None]] = {}
        super().__init__(session)
        if meshes is not None:
            meshes.geometry_changed.connect(self._on_geometry)

    def build(self) -> None:
        self.computed = self.put(muted_label(""))
        form = self.form()
        self.density = NumberInput(
            self.session, NUMBER, "Density", self.refresh, value=USUAL_DENSITY, limits=(1e-6, None)
        )
        self.density.rejected.connect(self.tell)
        self.density_label = ScrubLabel("Density kg/m³", self.density)
        form.addRow(self.density_label, self.density)
        self.free += [self.density, self.density_label]
        self._form(
            Number("Mass kg", "inertial.mass"),
            *pose_rows("Centre", "inertial.origin", name="Centre of mass"),
        )
        self.put(heading("Inertia about the centre, kg m²"))
        # Two beside each other: moments of small links have many digits, and cut ones would be
        # other numbers.
        self._form(
            Number("xx, xy", "inertial.inertia", NUMBER, ("xx", "xy"), places=(0, 1)),
            Number("yy, xz", "inertial.inertia", NUMBER, ("yy", "xz"), places=(3, 2)),
            Number("zz, yz", "inertial.inertia", NUMBER, ("zz", "yz"), places=(5, 4)),
        )
        tip = "Add an inertial element with these computed numbers"
        self.write = dress(QPushButton("Write into the URDF"), tip=tip, run=self._write)
        tip = "Remove the inertial element; the link then has no mass"
        self.remove = dress(QPushButton("Remove from the URDF"), tip=tip, run=self._remove)
        self.show_box = dress(
            QCheckBox("Show ellipsoid and centre of mass"),
            tip="Draw them in the view for the selected link",
        )
        self.show_box.setVisible(self._overlay is not None)
        self.show_box.toggled.connect(self._toggle)
        self.free.append(self.show_box)
        self.warning = muted_label("")
        self.put(self.write, self.remove, self.show_box, self.warning)
        self.bind(self._show)

    def _form(self, *rows: Field) -> None:
        Form(
            self,
            rows,
            lambda: OfLink(self.link.name) if self.link is not None else None,
            thing=self._with_computed,
            reading=self._marked,
            title="Edit inertial of {name}",
        )

    # -- the inertial, of the file or computed

    def current(self) -> tuple[Inertial | None, bool]:
        """The inertial of the link, and whether it is computed."""
        link = self.link
        if link is None:
            return None, False
        if link.inertial is not None:
            return link.inertial, False
        solid = self._solid(link)
        if solid is None:
            return None, True
        return fill_solid(solid, solid.volume * (self.density.value or USUAL_DENSITY)), True

    def _with_computed(self) -> Link | None:
        """The link, with the computed inertial where the file has none."""
        link = self.link
        return replace(link, inertial=self.current()[0]) if link is not None else None

    def _marked(self, reading: ShownNumber) -> ShownNumber:
        computed = self.current()[1]
        return (
            replace(reading, origin=NumberSource.GUESSED, note="Computed, not in the file.")
            if computed
            else reading
        )

    def _solid(self, link: Link) -> SolidProperties | None:
        if self._meshes is None:
            return None
        for kind in ("visual", "collision"):
            geometry = self._meshes.geometry(link.name, kind)
            if geometry is None or not geometry.parts:
                continue
            cached = self._solids.get(id(geometry))
            if cached is None or cached[0] is not geometry:
                self._solids = {id(geometry): (geometry, compute_link_solid(geometry))}
                cached = self._solids[id(geometry)]
            if cached[1] is not None:
                return cached[1]
        return None

    # -- showing

    def _show(self, robot: RobotDescription) -> None:
        link = self.link
        if link is None:
            return
        inertial, computed = self.current()
        for widget in (self.density, self.density_label, self.computed, self.write):
            widget.setVisible(computed)
        self.remove.setVisible(not computed)
        self.write.setEnabled(inertial is not None)
        if computed and inertial is None:
            has_shapes = bool(link.visuals or link.collisions)
            why = (
                "its geometry is not loaded or encloses no volume" if has_shapes else "no geometry"
            )
            self.computed.setText(f"{link.name} has no inertial: {why}.")
        elif computed:
            solid = self._solid(link)
            closed = solid is not None and solid.closed
            open_ = (
                ""
                if closed
                else " Its surface has gaps or flipped triangles, so these are estimates."
            )
            self.computed.setText(
                f"{link.name} has no inertial. Computed from geometry and density; not in the "
                f"file.{open_}"
            )
        for field in self.fields.values():
            field.setEnabled(not computed)
        self.warning.setText(impossible(inertial) if inertial is not None else "")
        self.warning.setVisible(bool(self.warning.text()))
        if self._overlay is not None:
            self.show_box.setChecked(self._overlay.is_shown)
            self._overlay.show(link.name, inertial)
        self.tell_place(lambda source: None if computed else source.inertial_location(link.name))

    # -- changes

    def _write(self) -> None:
        link, (inertial, computed) = self.link, self.current()
        if link is not None and inertial is not None and computed:
            self.execute(
                SetField(OfLink(link.name), "inertial", inertial, f"Add inertial to {link.name}")
            )

    def _remove(self) -> None:
        link = self.link
        if link is not None and link.inertial is not None:
            self.execute(
                SetField(OfLink(link.name), "inertial", None, f"Remove inertial of {link.name}")
            )

    def _toggle(self, shown: bool) -> None:
        if self._overlay is not None:
            self._overlay.set_shown(shown)

    def _on_geometry(self, links: tuple[str, ...]) -> None:
        if self.link is not None and self.link.name in links:
            self._later.start()


class RobotPanel(UrdfPanel):
    """Settings of a simulator's reader (world, merging, ignoring, first pose), applied to the
    files."""

    shows = (
        "urdf srdf xrdf.tool_frames xrdf.modifiers xrdf.geometry xrdf.world_collision "
        "xrdf.self_collision "
        "xrdf.default_joint_positions"
    )

    def build(self) -> None:
        self._plan: tuple[RobotDescription, MergePlan] | None = None
        version = ChoiceField(
            "URDF version",
            "version",
            lambda *_: urdf_robot.VERSIONS,
            name="Version of URDF",
            noun="version",
            title="Set URDF version {value}",
            help="1.1 adds capsules and quaternions, 1.2 limits of acceleration and jerk",
        )
        Form(
            self,
            (Text("Name", "name", name="Name of the robot", title="Rename the robot"), version),
            OfRobot,
        )
        # Not in the form, which cuts off the second line.
        self.about = self.put(muted_label(""))
        self.world, self.world_note = self._action("World", "", self._toggle_world)
        self.merge, self.merge_note = self._action(
            "Links without inertial", "Merge into their parents", lambda: self.execute(MergeLinks())
        )
        tip = "Mass and inertia of all links that have shapes but no inertial, with 1,000 kg/m³"
        compute = dress(
            QPushButton("Compute inertia from shapes"), tip=tip, run=lambda: self.compute_inertias()
        )
        self.compute = self.put(compact(compute))
        self.ignore, self.ignore_note = self._action(
            "Linked bodies",
            "Ignore linked bodies",
            lambda: self.execute(urdf_robot.IgnoreLinkedBodies()),
        )
        self.put(heading("Initial joint positions"))
        self.positions = self.put(
            dress(TextField("Initial joint positions"), hint="0.5, 0, … or joint=0.5")
        )
        self.positions.edited.connect(self._set_positions)
        self.positions_note = self.put(muted_label(""))
        self.free += [self.ignore, self.positions]
        self.bind(self._show)

    def nothing(self) -> None:
        return None

    def _action(
        self, title: str, text: str, run: Callable[[], object]
    ) -> tuple[QPushButton, QLabel]:
        """A button, and the sentence above it that says what it is about."""
        button, note = compact(dress(QPushButton(text), run=lambda: run())), muted_label("")
        self.put(heading(title), note, button)
        return button, note

    # -- showing

    def _show(self, robot: RobotDescription) -> None:
        urdf = robot.urdf
        self.about.setText(describe_mass(urdf))
        self._show_world(urdf)
        plan = self.plan(robot)
        self.merge_note.setText(_merging(plan, urdf))
        self.merge_note.setToolTip(
            plain_text("\n".join(f"{link}: {reason}" for link, reason in plan.kept))
        )
        self.merge.setEnabled(bool(plan.merged))
        self.merge.setToolTip(
            plain_text("\n".join(f"{link} → {parent}" for link, parent in plan.merged))
        )
        self.compute.setEnabled(self._reading is not None and bool(bare_links(urdf)))
        section = robot.xrdf.self_collision
        pairs = urdf_robot.linked_pairs(robot.urdf)
        masked = robot.xrdf.ignored_pairs()
        missing = [pair for pair in pairs if pair not in masked]
        self.ignore.setEnabled(bool(missing) and section is not None)
        self.ignore.setToolTip(
            plain_text(
                "\n".join(f"{p.first} – {p.second}" for p in missing[:20])
                + ("\n…" * (len(missing) > 20))
            )
        )
        told = f"All {len(pairs)} pairs that a joint connects are ignored."
        if missing:
            told = f"{len(missing)} of {len(pairs)} pairs that a joint connects are not ignored."
        self.ignore_note.setText(
            told if section is not None else "The XRDF has no self-collision section."
        )
        movable = [j for j in urdf.joints if j.is_movable]
        given = robot.xrdf.default_joint_positions or NO_POSITIONS
        free = [j.name for j in movable if j.mimic is None]
        have = sum(name in given for name in free)
        self.positions_note.setText(
            f"The XRDF has {have} of {len(free)} positions. Enter radians and metres, by name or "
            f"as {len(movable)} "
            f"numbers in the order of the file."
        )
        self.positions_note.setToolTip(
            plain_text("\n".join(f"{j.name}{' (follows)' if j.mimic else ''}" for j in movable))
        )

    def plan(self, robot: RobotDescription) -> MergePlan:
        """Return the plan of merging, computed once for a robot."""
        if self._plan is None or self._plan[0] is not robot:
            self._plan = (robot, merge_plan(robot))
        return self._plan[1]

    def _show_world(self, urdf: Urdf) -> None:
        root, joint = urdf_robot.find_root_link(urdf), urdf_robot.world_joint(urdf)
        self.world.setEnabled(root is not None)
        if joint is not None:
            self.world.setText(f"Detach from {joint.parent}")
            self.world.setToolTip(
                plain_text(f"Remove the link {joint.parent} and the joint {joint.name}")
            )
            self.world_note.setText(
                f"{joint.child} is attached to {joint.parent} by the fixed joint {joint.name}."
            )
            return
        self.world.setText("Attach to world")
        self.world.setToolTip("Add a link “world” and a fixed joint from it to the root")
        self.world_note.setText(
            f"The root is {root.name}." if root is not None else "No root link."
        )

    # -- changes

    def compute_inertias(self) -> None:
        """Fill in mass and inertia of the links without them."""
        document, robot = self.session.document, self.robot
        if self._reading is None:
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
        texts = (
            [part for part in text.replace(";", ",").split(",") if part.strip()]
            if "=" in text
            else [text]
        )
        try:
            positions = urdf_robot.parse_positions(self.robot.urdf, texts)
        except CannotApply as error:
            self.tell(str(error))
            return
        if positions and self.execute(SetItems("xrdf.default_joint_positions", positions)):
            self.session.go_to(FrozenDict({**self.session.pose, **positions}))


def describe_mass(urdf: Urdf) -> str:
    """How many links and joints, and what they weigh together."""
    moving = sum(j.is_movable for j in urdf.joints)
    masses = [link.inertial.mass for link in urdf.links if link.inertial is not None]
    parts = [
        f"{len(urdf.links)} links, {len(urdf.joints)} joints ({moving} move)",
        f"{sum(masses):.4g} kg",
    ]
    without = len(urdf.links) - len(masses)
    return ", ".join(parts) + (f" ({without} without inertial)" if without else "")


def _merging(plan: MergePlan, urdf: Urdf) -> str:
    if not plan.merged and not plan.kept:
        root = urdf_robot.find_root_link(urdf)
        only_root = root is not None and root.inertial is None
        return (
            "Every link has an inertial."
            if not only_root
            else "Every link but the root has an inertial."
        )
    sentences = []
    if plan.merged:
        names = ", ".join(link for link, _ in plan.merged[:3]) + (
            ", …" if len(plan.merged) > 3 else ""
        )
        verb = (
            "becomes part of its parent"
            if len(plan.merged) == 1
            else "become parts of their parents"
        )
        sentences.append(f"{len(plan.merged)} {verb}: {names}.")
    if plan.kept:
        link, reason = plan.kept[0]
        more = f" (and {len(plan.kept) - 1} more)" if len(plan.kept) > 1 else ""
        sentences.append(f"{link} stays: {reason}{more}.")
    return " ".join(sentences)
