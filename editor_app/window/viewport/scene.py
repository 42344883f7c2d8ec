"""Scene of a session in the viewport: keeps the layers in step with its signals, and locates
things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor

from editor_app.core.arrays import F64
from editor_app.core.document.selection import Selection, links_of, list_features
from editor_app.core.model.features import FeatureKind
from editor_app.core.model.robot import RobotDescription
from editor_app.window.session import DisplayOptions, Hover, Session
from editor_app.window.viewport.aim import Aim
from editor_app.window.viewport.camera import ViewCamera
from editor_app.window.viewport.canvas import Canvas, Pace
from editor_app.window.viewport.framing import Framing, SelectionFollower
from editor_app.window.viewport.gizmo import Gizmo, Grip
from editor_app.window.viewport.layers.features import FeatureLayer, FrameLayer
from editor_app.window.viewport.layers.grid import GridLayer, MountLayer
from editor_app.window.viewport.layers.labels import LabelSpread
from editor_app.window.viewport.layers.meshes import MeshLayer
from editor_app.window.viewport.layers.obstacles import DrawnSurface, ObstacleLayer
from editor_app.window.viewport.layers.overlay import GhostLayer, OverlayLayer
from editor_app.window.viewport.layers.spheres import SphereLayer
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.viewport.sphere_table import SphereTable


class Cuttable(Protocol):
    """A layer of surfaces that a section cuts: actors with `add_tint`."""

    @property
    def actors(self) -> Iterable[vtkActor]: ...


class Meshes(Protocol):
    """The interface of a mesh store for the viewport; `geometry` returns an object with `parts`, or
    None."""

    geometry_changed: Any

    def geometry(self, link: str, kind: str) -> Any: ...


class ViewScene:
    """Owns the layers. Everything that changes what is drawn ends in `redraw`."""

    def __init__(self, session: Session, meshes: Meshes, canvas: Canvas) -> None:
        self._session = session
        self._meshes = meshes
        self._is_grown = False
        self._canvas = canvas
        self.redraw = canvas.redraw
        self.camera = ViewCamera(
            canvas.main.GetActiveCamera(),
            lambda: (canvas.width(), canvas.height()),
            self._on_camera,
        )
        self.table = SphereTable()
        self.grid = GridLayer(canvas.main)
        self.visuals = MeshLayer(canvas.main, "visual")
        self.collisions = MeshLayer(canvas.main, "collision")
        self.spheres = SphereLayer(canvas.main, canvas.front, self.table)
        self.frames = FrameLayer(canvas.front)
        self.features = FeatureLayer(canvas.front)
        self.overlay = OverlayLayer(canvas.main, canvas.front, canvas.redraw)
        self._spread = LabelSpread(
            lambda: (*self.features.look.labels, *self.frames.look.labels, *self.overlay.labels)
        )
        self.obstacles = ObstacleLayer(canvas.main)
        #: What is shown before it is part of the robot: see gizmo.Guest.
        self.guests = MeshLayer(canvas.main, "visual")
        #: What a section cuts beside spheres.
        self.cut_layers: list[Cuttable] = [
            self.visuals,
            self.collisions,
            self.obstacles,
            self.guests,
        ]
        self.mount = MountLayer(canvas.main)
        self.ghost = GhostLayer(canvas.main, canvas.front)
        self.gizmo = Gizmo(canvas.front, self.camera)
        #: Handles of other things than the robot, and names of overlays: never in a picture.
        self.aids: list[Gizmo] = []
        self.aid_names: list[str] = []
        self.aim = Aim(session, self)
        self.pace = Pace(
            (self.visuals, self.spheres, self.ghost),
            self.visuals.coarse_work,
            canvas.redraw,
            canvas,
        )
        self.following = SelectionFollower(self.camera, self.move_camera, canvas)
        #: Whether the gizmo stands in the frame of the link rather than in that of the base.
        self.gizmo_in_link = True
        #: Asked in this order; the first that has a grip gets the handles. `grip` is what they are
        #: at now.
        self.grips: list[Callable[[], Grip | None]] = []
        self.grip: Grip | None = None
        self.framing = Framing(session, self)
        self._shows_marks = True
        #: (4, 4) in the base frame, by frame.
        self.poses: dict[str, F64] = {}
        self._loaded: dict[tuple[str, str], Any] = {}
        self._connections: list[tuple[Any, Any]] = []
        for signal, slot in (
            (session.document_opened, self._on_opened),
            (session.robot_changed, self._on_robot),
            (session.tree_changed, self._on_tree),
            (session.pose_changed, self._on_pose),
            (session.selection_changed, self._on_selection),
            (session.hover_changed, self._on_hover),
            (session.visibility_changed, self._on_visibility),
            (session.display_changed, self._on_display),
            (session.active_group_changed, self._on_group),
            (session.fit_requested, partial(self.move_camera, self.framing.fit_selection)),
            (session.look_requested, self.framing.look_at_selection),
            (meshes.geometry_changed, self._on_geometry),
        ):
            signal.connect(slot)
            self._connections.append((signal, slot))
        self.apply_theme()
        self._on_display(session.display)
        self._on_opened(session.document)

    def end(self) -> None:
        """No signal reaches this afterwards."""
        self.pace.end()
        self.following.stop()
        for signal, slot in self._connections:
            signal.disconnect(slot)
        self._connections = []

    # -- the camera

    def move_camera(self, move: Callable[[], None]) -> None:
        """A move that a person asked for: from now on nothing else moves the camera."""
        self.framing.is_moved_by_hand = True
        self.pace.moved()
        move()

    def _on_camera(self) -> None:
        for gizmo in (self.gizmo, *self.aids):
            gizmo.place()
        self.redraw()

    # -- following the session

    def _on_opened(self, document: object) -> None:
        session = self._session
        self.following.forget()
        self.visuals.clear()
        self.collisions.clear()
        self.overlay.clear()
        self._loaded = {}
        self.framing.forget()
        robot = session.robot
        self.spheres.set_links([link.name for link in robot.urdf.links])
        self._take_poses()
        for link in robot.urdf.links:
            self._load(link.name)
        self._take_table(robot)
        self.features.set_features(list_features(robot))
        self._on_tree(session.tree)
        self._on_visibility(session.hidden)
        self._mark()
        self.place_gizmo()
        self.framing.update_bounds()
        self.camera.look_from("iso")
        self.framing.fit_all()
        self.redraw()

    def _take_table(self, robot: RobotDescription) -> None:
        session = self._session
        rows = self.table.update(
            robot.xrdf,
            session.active_group,
            session.tree,
            session.transforms,
            session.display.sphere_radius,
        )
        if rows is None:
            self.table.set_hidden(session.hidden)
            self.spheres.rebuild()
        elif len(rows):
            self.spheres.move(rows)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.urdf is not old.urdf:
            self.spheres.set_links([link.name for link in new.urdf.links])
            for link in new.urdf.links:
                if old.urdf.link(link.name) is not link:
                    self._load(link.name)
        if new.urdf is not old.urdf or new.srdf is not old.srdf:
            self.features.set_features(list_features(new))
            self.redraw()
        if new.xrdf is old.xrdf:
            return
        self._take_table(new)
        if (new.xrdf.world_collision, new.xrdf.self_collision) != (
            old.xrdf.world_collision,
            old.xrdf.self_collision,
        ):
            self.table.set_mode(new.xrdf, self._session.display.sphere_radius)
            self.spheres.move(None)
        if new.xrdf.tool_frames != old.xrdf.tool_frames:
            self.frames.set_robot(self._session.tree, new.xrdf.tool_frames or ())
        self.place_gizmo()

    def _on_group(self, group: object) -> None:
        self._take_table(self._session.robot)
        self.place_gizmo()

    def _on_tree(self, tree: Any) -> None:
        robot = self._session.robot
        self._take_poses()
        self.frames.set_robot(tree, robot.xrdf.tool_frames or ())
        self.table.set_tree(tree, self._session.transforms)
        self.spheres.move(None)
        self.redraw()

    def _take_poses(self) -> None:
        tree, transforms = self._session.tree, self._session.transforms
        self.poses = dict(zip(tree.frames, transforms, strict=True))
        self.visuals.set_poses(self.poses)
        self.collisions.set_poses(self.poses)
        self.frames.set_poses(transforms)
        self.features.set_poses(self.poses)

    def _on_pose(self, pose: object) -> None:
        self.pace.moved()
        self._take_poses()
        self.table.set_transforms(self._session.transforms)
        self.spheres.move(None)
        self.place_gizmo()
        self.framing.update_bounds()

    def _on_selection(self, selection: Selection) -> None:
        self._mark()
        self.place_gizmo()

    def _on_hover(self, hover: Hover) -> None:
        self._mark()
        self.redraw()

    def show_marks(self, shown: bool) -> None:
        """Return whether what is selected, or pointed at, is drawn in other colours."""
        self._shows_marks = shown
        self._mark()

    def _mark(self) -> None:
        """Marks what is selected, and what the pointer is over, now."""
        selection, hover, tree = self._session.selection, self._session.hover, self._session.tree
        if not self._shows_marks:
            selection, hover = Selection(), Hover()
        pairs = {name for pair in selection.pairs for name in (pair.first, pair.second)}
        moved = {j.child for j in tree.joints if j.name in selection.joints}
        links = frozenset(selection.links) | pairs
        moved |= self._links_of_features(selection)
        # A sphere that is pointed at lights up itself, not its link as well.
        hovered = hover.link if hover.sphere is None else None
        pointed_at = tree.joint(hover.joint) if hover.joint is not None else None
        if hovered is None and pointed_at is not None:
            hovered = pointed_at.child
        for layer in (self.visuals, self.collisions):
            layer.set_marks(links | moved, hovered)
        self.spheres.set_marks(selection.spheres, frozenset(links | moved), hover.sphere)
        joints = frozenset(selection.joints) | ({hover.joint} if hover.joint else set())
        self.frames.set_marks(links, joints)
        self.features.set_marks(frozenset(selection.features), hover.feature)

    def _links_of_features(self, selection: Selection) -> set[str]:
        """What a selected group or end effector consists of."""
        robot = self._session.robot
        if not selection.features:
            return set()
        chosen = (p for p in list_features(robot) if p.feature in selection.features)
        groups = (
            p for p in chosen if p.feature.kind in (FeatureKind.GROUP, FeatureKind.END_EFFECTOR)
        )
        return {link for placed in groups for link in links_of(robot, placed)}

    def _on_visibility(self, hidden: frozenset[str]) -> None:
        self.visuals.set_hidden(hidden)
        self.collisions.set_hidden(hidden)
        self.frames.look.set_hidden(hidden)
        self.features.look.set_hidden(hidden)
        self.table.set_hidden(hidden)
        self.spheres.move(None)
        self.place_gizmo()

    def _on_display(self, display: DisplayOptions) -> None:
        self.visuals.set_display(display.visuals, display.mesh_opacity)
        self.collisions.set_display(display.collisions, 1.0)
        self.spheres.set_opacity(display.sphere_opacity)
        self.spheres.set_visible(display.spheres)
        self.frames.set_display(display.frames, display.frame_names, display.joint_axes)
        self.features.set_display(display.tools, display.sensors, display.frame_names)
        self.grid.set_visible(display.grid)
        self.camera.set_parallel(display.parallel_projection)
        robot = self._session.robot
        if len(self.table):
            before = self.table.shown
            self.table.set_mode(robot.xrdf, display.sphere_radius)
            if not np.array_equal(before, self.table.shown):
                self.spheres.move(None)
                self.spheres.restyle()
        self.place_gizmo()

    def _on_geometry(self, links: tuple[str, ...]) -> None:
        for link in links:
            self._load(link)
        self._is_grown = True
        self.redraw()

    def frame_meshes(self) -> None:
        """Before a frame: bounds and camera follow meshes that came since the last one, however
        many they were."""
        if not self._is_grown:
            return
        self._is_grown = False
        self.framing.update_bounds()
        if not self.framing.is_moved_by_hand:
            self.framing.fit_all()

    def _load(self, link: str) -> None:
        for layer, kind in ((self.visuals, "visual"), (self.collisions, "collision")):
            geometry = self._meshes.geometry(link, kind)
            if geometry is self._loaded.get((kind, link)):
                continue
            self._loaded[kind, link] = geometry
            layer.set_geometry(link, geometry.parts if geometry is not None else ())
            self.grid.draw_last()
            self.spheres.draw_last()

    # -- looks

    def apply_theme(self) -> None:
        for layer in (
            self._canvas,
            self.grid,
            self.visuals,
            self.collisions,
            self.spheres,
            self.frames.look,
            self.features.look,
            self.overlay,
            self.obstacles,
            self.guests,
            self.mount,
            self.ghost,
            self.gizmo,
        ):
            layer.restyle()
        for aid in self.aids:
            aid.restyle()
        self.redraw()

    def add_gizmo(self, **looks: Any) -> Gizmo:
        """Make handles of something else than the robot; `looks` as of `Gizmo`."""
        self.aids.append(Gizmo(self._canvas.front, self.camera, **looks))
        return self.aids[-1]

    @property
    def accent(self) -> tuple[float, float, float]:
        return scene_colours().accent

    def set_scale(self, scale: float) -> None:
        """Device pixels per pixel, for texts and lines."""
        for labels in (
            *self.frames.look.labels,
            *self.features.look.labels,
            self.grid.labels,
            self.mount.labels,
        ):
            labels.set_scale(scale)
        self.overlay.set_scale(scale)

    def arrange_labels(self) -> None:
        """Moves names apart that would be written through each other from where the camera is."""
        self._spread.arrange(self.camera)

    def set_ghosted(self, links: frozenset[str]) -> None:
        """Draws the meshes and spheres of these links faintly, so that others can be seen, until it
        is called again."""
        self.visuals.set_ghosted(links)
        self.collisions.set_ghosted(links)
        self.set_faded(links)

    def set_faded(self, frames: frozenset[str]) -> None:
        """Draws the spheres of these frames faintly, until it is called with others."""
        self.spheres.set_faded(frames)
        self.redraw()

    def set_replaced(self, links: frozenset[str]) -> None:
        """Leaves the meshes of these links to another layer."""
        self.visuals.set_replaced(links)
        self.collisions.set_replaced(links)
        self.redraw()

    def show_obstacles(self, shown: Mapping[str, DrawnSurface]) -> None:
        """See ObstacleLayer.show."""
        self.obstacles.show(shown)
        self.framing.update_bounds()
        self.redraw()

    def place_gizmo(self) -> None:
        """Move the handles to their present target."""
        self.redraw()
        session = self._session
        self.grip = next((grip for ask in self.grips if (grip := ask()) is not None), None)
        if self.grip is not None:
            pose = self.grip.pose
            self.gizmo.show(
                pose[:3, 3], pose[:3, :3] if self.gizmo_in_link else np.eye(3), rings=True
            )
            return
        rows = self.table.rows_of(session.selection.spheres)
        rows = rows[self.table.visible[rows]]
        if not len(rows) or not session.display.spheres:
            self.gizmo.hide()
            return
        link = self.poses.get(session.selection.spheres[-1].frame)
        axes = link[:3, :3] if link is not None and self.gizmo_in_link else np.eye(3)
        self.gizmo.show(self.table.world[rows].mean(axis=0), axes)

    def set_gizmo_in_link(self, in_link: bool) -> None:
        self.gizmo_in_link = in_link
        self.place_gizmo()
