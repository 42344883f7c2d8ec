"""Frames as three coloured axes with their names, tool frames marked, and the axes that joints move about or along."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from vtkmodules.vtkRenderingCore import vtkRenderer

from editor_app.gui.viewport.layers.labels import at_one_place
from editor_app.gui.viewport.layers.line_look import LineLook
from editor_app.gui.viewport.palette import AXES
from editor_app.gui.viewport.vtk_tools import Array, Lines, across, circle
from editor_app.kinematics.structure import KinematicTree, TreeJoint
from editor_app.model.urdf import JointType


class FrameLayer:
    """Drawn over the meshes: frames lie inside of links."""

    def __init__(self, renderer: vtkRenderer) -> None:
        self._joints, self._axes, self._tools = (Lines(renderer, width) for width in (2.0, 3.0, 3.0))
        self.look = LineLook(renderer, self._draw)
        self._shown: tuple[bool, bool, bool] = (False, False, False)
        self._tree: KinematicTree | None = None
        self._poses: Array = np.zeros((0, 4, 4))
        self._tool_frames: tuple[str, ...] = ()
        self._marked_links: frozenset[str] = frozenset()
        self._marked_joints: frozenset[str] = frozenset()
        self._is_empty = False

    def set_display(self, frames: bool, names: bool, joints: bool) -> None:
        if (frames, names, joints) != self._shown:
            self._shown = (frames, names, joints)
            self._draw()

    def set_robot(self, tree: KinematicTree | None, tool_frames: Sequence[str]) -> None:
        if tree is not self._tree or tuple(tool_frames) != self._tool_frames:
            self._tree, self._tool_frames = tree, tuple(tool_frames)
            self._draw()

    def set_poses(self, poses: Array) -> None:
        self._poses = poses
        self._draw()

    def set_marks(self, links: frozenset[str], joints: frozenset[str]) -> None:
        """What is selected or hovered: its axes are drawn even when the others are not."""
        if (links, joints) != (self._marked_links, self._marked_joints):
            self._marked_links, self._marked_joints = links, joints
            self._draw()

    # -- drawing

    def _draw(self) -> None:
        frames, names, joints = self._shown
        is_empty = not (frames or joints or self._marked_links or self._marked_joints)
        if is_empty and self._is_empty:
            return
        self._is_empty = is_empty
        tree = self._tree
        if tree is None or self.look.colours is None or len(self._poses) != len(tree.frames):
            shown, tools, moving = np.zeros(0, int), np.zeros(0, int), []
        else:
            shown, tools = self._drawn_frames(tree)
            moving = [
                j
                for j in tree.joints
                if j.is_movable and (joints or j.name in self._marked_joints) and j.child not in self.look.hidden
            ]
        self._draw_axes(self._axes, shown, 1.0)
        self._draw_axes(self._tools, tools, 1.5, ring=True)
        everything = np.sort(np.concatenate([shown, tools])) if names and frames else np.zeros(0, int)
        self._draw_names(everything, frozenset(tools.tolist()))
        self._draw_joints(moving)

    def _drawn_frames(self, tree: KinematicTree) -> tuple[Array, Array]:
        """The numbers of the frames whose axes are drawn: usual ones, and tool frames."""
        visible = [
            i
            for i, frame in enumerate(tree.frames)
            if frame not in self.look.hidden and (self._shown[0] or frame in self._marked_links)
        ]
        is_tool = np.array([tree.frames[i] in self._tool_frames for i in visible], bool)
        index = np.array(visible, int)
        return index[~is_tool], index[is_tool]

    def _draw_axes(self, lines: Lines, index: Array, scale: float, ring: bool = False) -> None:
        poses = self._poses[index]
        origins = poses[:, :3, 3]
        length = self.look.length * scale
        ends = origins[:, None, :] + length * poses[:, :3, :3].transpose(0, 2, 1)
        segments = [np.stack([np.repeat(origins[:, None, :], 3, axis=1), ends], axis=2).reshape(-1, 2, 3)]
        rgba = [np.tile(np.column_stack([np.array(AXES), np.ones(3)]), (len(index), 1))]
        if ring and self.look.colours is not None:
            shape = circle(32) * (0.45 * length)
            rings = np.einsum("nij,ksj->nksi", poses[:, :3, :3], shape) + origins[:, None, None, :]
            segments.append(rings.reshape(-1, 2, 3))
            rgba.append(np.tile([*self.look.colours.tool, 1.0], (len(segments[1]), 1)))
        lines.set(np.concatenate(segments), np.concatenate(rgba))

    def _draw_names(self, index: Array, tools: frozenset[int]) -> None:
        frames = self._tree.frames if self._tree is not None else ()
        places = [self._poses[i, :3, 3] for i in index]
        names = [f"{frames[i]} (tool)" if int(i) in tools else frames[i] for i in index]
        together = at_one_place(places)
        for labels, wanted in ((self.look.names, False), (self.look.tool_names, True)):
            chosen = [k for k in together if any(int(index[i]) in tools for i in k) is wanted]
            labels.set([places[k[0]] for k in chosen], [[names[i] for i in k] for k in chosen])

    def _draw_joints(self, joints: Sequence[TreeJoint]) -> None:
        length = self.look.length
        segments: list[Array] = [np.zeros((0, 2, 3))]
        rgba: list[Array] = [np.zeros((0, 4))]
        for joint in joints:
            assert self._tree is not None
            assert self.look.colours is not None
            pose = self._poses[self._tree.index[joint.child]]
            axis = pose[:3, :3] @ joint.axis
            origin = pose[:3, 3]
            one, two = across(axis)
            pieces = [np.array([[origin - 1.1 * length * axis, origin + 1.1 * length * axis]])]
            if joint.type is JointType.PRISMATIC:
                for end in (-1.1, 1.1):
                    tip = origin + end * length * axis
                    back = tip - np.sign(end) * 0.2 * length * axis
                    pieces.append(np.array([[tip, back + s * 0.1 * length * one] for s in (-1, 1)]))
            else:
                ring = circle(32) * (0.5 * length)
                pieces.append(ring[..., :1] * one + ring[..., 1:2] * two + origin)
            lines = np.concatenate(pieces)
            marked = joint.name in self._marked_joints
            colour = self.look.colours.accent if marked else self.look.colours.ink
            segments.append(lines)
            rgba.append(np.tile([*colour, 1.0 if marked else 0.85], (len(lines), 1)))
        self._joints.set(np.concatenate(segments), np.concatenate(rgba))
