"""What the viewport shows of a session: keeps the layers in step with its signals, and answers what is where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QPointF
from vtkmodules.vtkCommonDataModel import vtkPlane

from editor_app.edit.features import features_of, links_of
from editor_app.edit.selection import Selection
from editor_app.gui.session import DisplayOptions, Hover, Session
from editor_app.gui.viewport.aim import Aim, Pick
from editor_app.gui.viewport.camera import Array, Camera
from editor_app.gui.viewport.canvas import Canvas
from editor_app.gui.viewport.following import SelectionFollower
from editor_app.gui.viewport.gizmo import Gizmo, Handle
from editor_app.gui.viewport.layers.features import FeatureLayer
from editor_app.gui.viewport.layers.frames import FrameLayer
from editor_app.gui.viewport.layers.ghost import GhostLayer
from editor_app.gui.viewport.layers.grid import GridLayer
from editor_app.gui.viewport.layers.label_spread import LabelSpread
from editor_app.gui.viewport.layers.meshes import MeshLayer
from editor_app.gui.viewport.layers.mount import MountLayer
from editor_app.gui.viewport.layers.obstacles import ObstacleLayer, Surface
from editor_app.gui.viewport.layers.overlay import OverlayLayer
from editor_app.gui.viewport.layers.spheres import Marks, SphereLayer
from editor_app.gui.viewport.pace import Pace
from editor_app.gui.viewport.palette import SECTION_COLOUR, scene_colours
from editor_app.gui.viewport.section.half_space import HalfSpace
from editor_app.gui.viewport.sphere_table import SphereTable
from editor_app.model.features import FeatureKind
from editor_app.model.robot import RobotDescription

#: An obstacle that is so many times larger than the robot is a room.
_ROOM = 2.5


#: Points of what is selected that are asked whether something hides them.
_ASKED = 16


class Grip(Protocol):
    """What stands under the handles instead of the selected spheres: a tool of the robot, an obstacle."""

    name: str

    def place(self) -> tuple[Array, Array] | None: ...
    def drag(self, handle: Handle | None, start: QPointF) -> Any: ...


class Cuttable(Protocol):
    """A layer of surfaces; see MeshLayer."""

    def set_cut(self, plane: vtkPlane | None) -> None: ...
    def cap_by(self, half: HalfSpace, view: Array) -> None: ...


class Meshes(Protocol):
    """What the viewport needs of a mesh store; `geometry` gives an object with `parts`, or None."""

    geometry_changed: Any

    def geometry(self, link: str, kind: str) -> Any: ...


class Scene:
    """Owns the layers. Everything that changes what is drawn ends in `redraw`."""

    def __init__(self, session: Session, meshes: Meshes, canvas: Canvas) -> None:
        self._session = session
        self._meshes = meshes
        self._canvas = canvas
        self.redraw: Callable[[], None] = canvas.redraw
        self.camera = Camera(canvas.main.GetActiveCamera(), lambda: (canvas.width(), canvas.height()), self._on_camera)
        self.table = SphereTable()
        self.grid = GridLayer(canvas.main)
        self.visuals = MeshLayer(canvas.main, "visual")
        self.collisions = MeshLayer(canvas.main, "collision")
        self.spheres = SphereLayer(canvas.main, canvas.front, self.table)
        self.frames = FrameLayer(canvas.front)
        self.features = FeatureLayer(canvas.front)
        self.overlay = OverlayLayer(canvas.main, canvas.front)
        self._spread = LabelSpread(lambda: (*self.features.look.labels, *self.frames.look.labels, *self.overlay.labels))
        self.obstacles = ObstacleLayer(canvas.main)
        #: What a section cuts as it does meshes.
        self.cut_layers: list[Cuttable] = [self.visuals, self.collisions, self.obstacles]
        self.mount = MountLayer(canvas.main)
        self.ghost = GhostLayer(canvas.main, canvas.front)
        self.gizmo = Gizmo(canvas.front, self.camera)
        self.section_gizmo = Gizmo(
            canvas.front, self.camera, arrows=(2,), planes=(), rings=(0, 1), colour=SECTION_COLOUR
        )
        self.aim = Aim(
            session, self.camera, self.table, self.visuals, self.collisions, lambda: self._poses, self.features
        )
        self.pace = Pace((self.visuals, self.spheres, self.ghost), self._redraw_now, canvas)
        self.following = SelectionFollower(
            self.camera, lambda: (canvas.width(), canvas.height()), self.move_camera, canvas
        )
        #: Whether the gizmo stands in the frame of the link rather than in that of the base.
        self.gizmo_in_link = True
        #: Asked in this order; the first that has a grip gets the handles. `grip` is what they are at now.
        self.grips: list[Callable[[], Grip | None]] = []
        self.grip: Grip | None = None
        self._user_moved_camera = False
        self._marks_shown = True
        self._faded: frozenset[str] = frozenset()
        self._poses: dict[str, Array] = {}
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
            (session.fit_requested, self._on_fit),
            (session.look_requested, self._on_look),
            (meshes.geometry_changed, self._on_geometry),
        ):
            signal.connect(slot)
            self._connections.append((signal, slot))
        self.apply_theme()
        self._on_display(session.display)
        self._on_opened(session.document)

    def _redraw_now(self) -> None:
        self.redraw()

    def end(self) -> None:
        """No signal reaches this afterwards."""
        self.pace.end()
        self.following.stop()
        for signal, slot in self._connections:
            signal.disconnect(slot)
        self._connections = []
        self.redraw = lambda: None

    # -- questions

    def pose_of(self, frame: str) -> Array | None:
        return self._poses.get(frame)

    def pick(self, x: float, y: float) -> Pick:
        """What lies under the pixel; see Aim.pick."""
        return self.aim.pick(x, y)

    @property
    def poses(self) -> dict[str, Array]:
        return self._poses

    @property
    def transforms(self) -> Array:
        return self._session.transforms

    # -- the camera

    def move_camera(self, move: Callable[[], None]) -> None:
        """A move that a person asked for: from now on nothing else moves the camera."""
        self._user_moved_camera = True
        self.pace.moved()
        move()

    def _on_camera(self) -> None:
        self.gizmo.place()
        self.section_gizmo.place()
        self.redraw()

    def resized(self) -> None:
        """The canvas has another size: what was fitted to the old one is fitted again."""
        if self._user_moved_camera:
            self.camera.apply()
        else:
            self.fit_all()

    def set_covered_top(self, pixels: int) -> None:
        """Keeps so much at the upper edge free of what is fitted; a camera that a person moved stays."""
        if pixels != self.camera.covered_top:
            self.camera.covered_top = pixels
            if not self._user_moved_camera:
                self.fit_all()

    def fit_all(self) -> None:
        points = self._content_points()
        if points is None:
            return
        # Tables and posts are part of the picture; the room around the robot is not.
        size = float(np.ptp(points, axis=0).max())
        beside = [corners for corners in self.obstacles.points() if np.ptp(corners, axis=0).max() <= _ROOM * size]
        self.camera.fit_points(np.concatenate([points, *beside]))

    def fit_selection(self) -> None:
        points = self._selection_points()
        if points is not None:
            self.following.remember()
            self.camera.fit_points(points, margin=1.5)
        else:
            self.fit_all()

    def _selection_points(self) -> Array | None:
        """Around all that is selected; None when nothing of it has a place."""
        selection = self._session.selection
        points: list[Array] = []
        rows = self.table.rows_of(selection.spheres)
        if len(rows):
            points.append(_balls(self.table.world[rows], self.table.reach[rows] * 1.6))
        links = set(selection.links) | {n for p in selection.pairs for n in (p.first, p.second)}
        tree = self._session.tree
        if tree is not None:
            links |= {j.child for j in tree.joints if j.name in selection.joints}
        points.extend(self.aim.drawn_meshes.bounds_points(links))
        for feature in selection.features:
            feature_pose = self.features.pose_of(feature)
            if feature_pose is not None:
                points.append(_balls(feature_pose[None, :3, 3], np.array([0.1])))
        for link in links:
            pose = self._poses.get(link)
            if pose is not None and link not in self.aim.drawn_meshes.surfaces:
                points.append(_balls(pose[None, :3, 3], np.array([0.1])))
        return np.concatenate(points) if points else None

    def _on_look(self) -> None:
        if not self._session.display.follow_selection:
            return
        spheres = self.table.rows_of(self._session.selection.spheres)
        # Of a finding about spheres these are meant, not the links that they belong to.
        around = _balls(self.table.world[spheres], self.table.reach[spheres]) if len(spheres) else None
        points = around if around is not None else self._selection_points()
        if points is None:
            return
        selection = self._session.selection
        asked_frames = set(selection.frames) | {name for pair in selection.pairs for name in (pair.first, pair.second)}
        middles = self.table.world[spheres] if len(spheres) else 0.5 * (points + points.mean(axis=0))
        asked = middles[np.linspace(0, len(middles) - 1, min(len(middles), _ASKED), dtype=int)]
        self.following.look_at(points, lambda eye: self.aim.hidden_share(asked, asked_frames, eye))

    def holds_robot(self) -> bool:
        """Whether the whole robot lies in the view."""
        points = self._content_points()
        return points is not None and self.following.holds(points)

    def keep_in_view(self) -> None:
        """A robot that moves by itself, and leaves the view, is followed, where the view follows at all."""
        points = self._content_points()
        if points is not None and self._session.display.follow_selection:
            self.following.keep(points)

    def _on_fit(self) -> None:
        self.move_camera(self.fit_selection)

    def _content_points(self) -> Array | None:
        shown = self.table.visible
        points = [_balls(self.table.world[shown], np.maximum(self.table.shown[shown], 0.0))]
        for layer in (self.visuals, self.collisions):
            points.extend(layer.bounds_points(k for k in layer.links if k not in self._session.hidden))
        if len(self._session.transforms):
            points.append(self._session.transforms[:, :3, 3])
        content = np.concatenate(points)
        if not len(content):
            return None
        if float(np.ptp(content, axis=0).max()) < 1e-3:
            return _balls(content[:1], np.array([0.3]))
        return content

    def middle(self) -> tuple[Array, float]:
        """(3,) the middle of the robot, and half the longest edge of the box around it (metres)."""
        points = self._content_points()
        if points is None:
            return np.zeros(3), 0.5
        low, high = points.min(axis=0), points.max(axis=0)
        return (low + high) / 2, float((high - low).max()) / 2

    def _update_bounds(self) -> None:
        """Clipping planes and the sizes of grid and frames, from what is there."""
        points = self._content_points()
        if points is None:
            self.grid.set_size(1.0)
            self.camera.set_scene_bounds(np.zeros(3), 3.0)
            return
        low, high = points.min(axis=0), points.max(axis=0)
        reach = max(float(np.linalg.norm(points[:, :2], axis=1).max()), float(np.ptp(points[:, 2])) * 0.6, 0.02)
        # The grid only grows while a robot is posed: a ground that breathes would be a distraction.
        self._reach = reach if self._reach == 0.0 else max(self._reach, min(reach, self._reach * 1.5))
        self.grid.set_size(self._reach)
        for look in (self.frames.look, self.features.look):
            # To the millimetre: nothing is drawn anew for less while a robot stretches.
            look.set_length(round(float(np.clip(0.085 * self._reach, 0.006, 0.3)), 3))
        center = (low + high) / 2
        radius = float(np.linalg.norm(high - low)) / 2
        ground = self.grid.radius * 1.42 + float(np.linalg.norm(center))
        # What stands far away must not be cut off by the clipping planes either.
        away = [float(np.linalg.norm(corners - center, axis=1).max()) for corners in self.obstacles.points()]
        self.camera.set_scene_bounds(center, max(radius * 1.3, ground, *away))

    _reach = 0.0

    # -- following the session

    def _on_opened(self, document: object) -> None:
        session = self._session
        self.following.forget()
        self.visuals.clear()
        self.collisions.clear()
        self.overlay.clear()
        self._loaded = {}
        self._reach = 0.0
        self._user_moved_camera = False
        robot = session.robot
        self.spheres.set_links([link.name for link in robot.urdf.links] if robot else [])
        self._take_poses()
        if robot is not None:
            for link in robot.urdf.links:
                self._load(link.name)
        self._take_table(robot)
        self.features.set_features(features_of(robot) if robot else ())
        self._on_tree(session.tree)
        self._on_visibility(session.hidden)
        self._marks()
        self._place_gizmo()
        self._update_bounds()
        self.camera.look_from("iso")
        self.fit_all()
        self.redraw()

    def _take_table(self, robot: RobotDescription | None) -> None:
        session = self._session
        if robot is None or session.tree is None:
            self.table.clear()
            self.spheres.rebuild()
            return
        rows = self.table.update(
            robot.xrdf, session.active_group, session.tree, session.transforms, session.display.sphere_radius
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
            self.features.set_features(features_of(new))
            self.redraw()
        if new.xrdf is old.xrdf:
            return
        self._take_table(new)
        if (new.xrdf.world_collision, new.xrdf.self_collision) != (old.xrdf.world_collision, old.xrdf.self_collision):
            self.table.set_mode(new.xrdf, self._session.display.sphere_radius)
            self.spheres.move(None)
        if new.xrdf.tool_frames != old.xrdf.tool_frames:
            self.frames.set_robot(self._session.tree, new.xrdf.tool_frames or ())
        self._place_gizmo()
        self.redraw()

    def _on_group(self, group: object) -> None:
        self._take_table(self._session.robot)
        self._place_gizmo()
        self.redraw()

    def _on_tree(self, tree: Any) -> None:
        robot = self._session.robot
        self._take_poses()
        self.frames.set_robot(tree, (robot.xrdf.tool_frames or ()) if robot else ())
        if tree is not None:
            self.table.set_tree(tree, self._session.transforms)
            self.spheres.move(None)
        self.redraw()

    def _take_poses(self) -> None:
        tree, transforms = self._session.tree, self._session.transforms
        self._poses = dict(zip(tree.frames, transforms, strict=True)) if tree is not None else {}
        self.visuals.set_poses(self._poses)
        self.collisions.set_poses(self._poses)
        self.frames.set_poses(transforms)
        self.features.set_poses(self._poses)

    def _on_pose(self, pose: object) -> None:
        self.pace.moved()
        self._take_poses()
        self.table.set_transforms(self._session.transforms)
        self.spheres.move(None)
        self._place_gizmo()
        self._update_bounds()
        self.redraw()

    def _on_selection(self, selection: Selection) -> None:
        self._marks()
        self._place_gizmo()
        self.redraw()

    def _on_hover(self, hover: Hover) -> None:
        self._marks()
        self.redraw()

    def show_marks(self, shown: bool) -> None:
        """Whether what is selected, or pointed at, is drawn in other colours."""
        if shown is not self._marks_shown:
            self._marks_shown = shown
            self._marks()

    def _marks(self) -> None:
        selection, hover, tree = self._session.selection, self._session.hover, self._session.tree
        if not self._marks_shown:
            selection, hover = Selection(), Hover()
        pairs = {name for pair in selection.pairs for name in (pair.first, pair.second)}
        moved = {j.child for j in tree.joints if j.name in selection.joints} if tree else set()
        links = frozenset(selection.links) | pairs
        moved |= self._links_of_features(selection)
        # A sphere that is pointed at lights up itself, not its link as well.
        hovered = hover.link if hover.sphere is None else None
        if hovered is None and hover.joint is not None and tree is not None and tree.joint(hover.joint) is not None:
            hovered = tree.joint(hover.joint).child  # type: ignore[union-attr]
        for layer in (self.visuals, self.collisions):
            layer.set_marks(links | moved, hovered)
        self.spheres.set_marks(Marks(selection.spheres, hover.sphere, self._faded))
        joints = frozenset(selection.joints) | ({hover.joint} if hover.joint else set())
        self.frames.set_marks(frozenset(links), joints)
        self.features.set_marks(frozenset(selection.features), hover.feature)

    def _links_of_features(self, selection: Selection) -> set[str]:
        """What a selected group or end effector consists of."""
        robot = self._session.robot
        if robot is None or not selection.features:
            return set()
        chosen = (p for p in features_of(robot) if p.feature in selection.features)
        groups = (p for p in chosen if p.feature.kind in (FeatureKind.GROUP, FeatureKind.END_EFFECTOR))
        return {link for placed in groups for link in links_of(robot, placed)}

    def _on_visibility(self, hidden: frozenset[str]) -> None:
        self.visuals.set_hidden(hidden)
        self.collisions.set_hidden(hidden)
        self.frames.look.set_hidden(hidden)
        self.features.look.set_hidden(hidden)
        self.table.set_hidden(hidden)
        self.spheres.move(None)
        self._place_gizmo()
        self.redraw()

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
        if robot is not None and len(self.table):
            before = self.table.shown
            self.table.set_mode(robot.xrdf, display.sphere_radius)
            if not np.array_equal(before, self.table.shown):
                self.spheres.move(None)
                self.spheres.restyle()
        self._place_gizmo()
        self.redraw()

    def _on_geometry(self, link: str) -> None:
        self._load(link)
        self._update_bounds()
        if not self._user_moved_camera:
            self.fit_all()
        self.redraw()

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
        colours = scene_colours()
        self._canvas.set_theme(colours)
        for layer in (
            self.grid,
            self.visuals,
            self.collisions,
            self.spheres,
            self.frames.look,
            self.features.look,
            self.overlay,
            self.obstacles,
            self.mount,
            self.ghost,
            self.gizmo,
            self.section_gizmo,
        ):
            layer.set_theme(colours)
        self.redraw()

    @property
    def accent(self) -> tuple[float, float, float]:
        return scene_colours().accent

    def set_scale(self, scale: float) -> None:
        """Device pixels per pixel, for texts and lines."""
        for labels in (*self.frames.look.labels, *self.features.look.labels, self.grid.labels):
            labels.set_scale(scale)
        self.overlay.set_scale(scale)

    def arrange_labels(self) -> None:
        """Moves names apart that would be written through each other from where the camera is."""
        self._spread.arrange(self.camera, (self._canvas.width(), self._canvas.height()))

    def set_ghosted(self, links: frozenset[str]) -> None:
        """Draws these links faintly, so that others can be seen."""
        self.visuals.set_ghosted(links)
        self.collisions.set_ghosted(links)
        self.redraw()

    def set_replaced(self, links: frozenset[str]) -> None:
        """Leaves the meshes of these links to another layer."""
        self.visuals.set_replaced(links)
        self.collisions.set_replaced(links)
        self.redraw()

    def set_faded(self, frames: frozenset[str]) -> None:
        """Draws the spheres of these frames faintly, until it is called with others."""
        if frames != self._faded:
            self._faded = frames
            self._marks()
            self.redraw()

    def show_obstacles(self, surfaces: dict[str, tuple[Surface, Array]]) -> None:
        """See ObstacleLayer.show."""
        self.obstacles.show(surfaces)
        self._update_bounds()
        self.redraw()

    def place_gizmo(self) -> None:
        """What the handles are at may be something else now."""
        self._place_gizmo()
        self.redraw()

    def _place_gizmo(self) -> None:
        session = self._session
        wanted = next((grip for ask in self.grips if (grip := ask()) is not None), None)
        place = wanted.place() if wanted is not None else None
        self.grip = wanted if place is not None else None
        if place is not None:
            self.gizmo.show(*place, rings=True)
            return
        rows = self.table.rows_of(session.selection.spheres)
        rows = rows[self.table.visible[rows]] if len(rows) else rows
        if not len(rows) or not session.display.spheres:
            self.gizmo.hide()
            return
        axes = np.eye(3)
        if self.gizmo_in_link:
            pose = self._poses.get(session.selection.spheres[-1].frame)
            if pose is not None:
                axes = pose[:3, :3]
        self.gizmo.show(self.table.world[rows].mean(axis=0), axes)

    def set_gizmo_in_link(self, in_link: bool) -> None:
        self.gizmo_in_link = in_link
        self.place_gizmo()


def _balls(centers: Array, radii: Array) -> Array:
    """The six outermost points along the axes of each ball, (6 n, 3)."""
    steps = np.concatenate([np.eye(3), -np.eye(3)])
    points: Array = centers[:, None, :] + radii[:, None, None] * steps[None]
    return points.reshape(-1, 3)
