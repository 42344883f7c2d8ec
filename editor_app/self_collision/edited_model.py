"""The sphere model of a robot of which spheres were moved, from that before: a drag changes one frame of many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import GeometryGroup, Xrdf
from editor_app.self_collision.model import SphereModel, ball_around, build_sphere_model, self_spheres

#: What the model works out from its frames and bodies, which an edited sphere leaves as they are.
_KEPT = ("index", "pair_index", "link_pairs", "body_path")


def edited_sphere_model(model: SphereModel, old: RobotDescription, new: RobotDescription) -> SphereModel:
    """What `build_sphere_model(new, model.options)` gives, where `model` is that of `old`.

    Frames whose spheres are the same objects are taken over. Where more than numbers of spheres differs, everything is
    built anew. The result shares `starts`, `pairs` and `bodies` with `model` where they did not change.
    """
    frames = _edited_frames(old, new)
    if frames is None:
        return build_sphere_model(new, model.options)
    listed = self_spheres(new.xrdf, frames)
    spheres, bounds = model.spheres.copy(), model.bounds.copy()
    for frame in frames:
        rows = listed.get(frame, [])
        place = model.index.get(frame)
        if place is None:
            if rows:
                return build_sphere_model(new, model.options)
            continue
        first, last = model.starts[place : place + 2].tolist()
        if model.refs[first:last] != tuple(ref for ref, _, _ in rows):
            # One has no radius any more, or has one now.
            return build_sphere_model(new, model.options)
        if not rows:
            continue
        values = np.array([(*sphere.center, radius) for _, sphere, radius in rows], float)
        pose = model.frame_pose[place]
        values[:, :3] = np.einsum("ij,nj->ni", pose[:, :3], values[:, :3]) + pose[:, 3]
        spheres[first:last] = values
        bounds[place] = ball_around(spheres[first:last])
    edited = replace(model, spheres=spheres, bounds=bounds)
    edited.__dict__.update({name: value for name, value in model.__dict__.items() if name in _KEPT})
    return edited


def _edited_frames(old: RobotDescription, new: RobotDescription) -> set[str] | None:
    """Frames whose spheres differ in numbers; None when more than that is different."""
    a, b = old.xrdf, new.xrdf
    if not moves_alike(old, new) or a.self_group != b.self_group:
        return None
    before, now = a.geometry or (), b.geometry or ()
    if len(before) != len(now):
        return None
    frames: set[str] = set()
    for one, other in zip(before, now, strict=True):
        moved = _moved(one, other)
        if moved is None:
            return None
        frames |= moved
    return frames


def moves_alike(old: RobotDescription, new: RobotDescription) -> bool:
    """Whether an edit changed no more than spheres and mask of what self-collision is computed from."""
    a, b = old.xrdf, new.xrdf
    return (
        new.urdf is old.urdf
        and b.modifiers is a.modifiers
        and b.cspace is a.cspace
        and b.default_joint_positions is a.default_joint_positions
        and (a.self_collision is b.self_collision or _without_mask(a) == _without_mask(b))
    )


def _without_mask(xrdf: Xrdf) -> object:
    section = xrdf.self_collision
    return replace(section, ignore=None) if section is not None else None


def _moved(one: GeometryGroup, other: GeometryGroup) -> set[str] | None:
    if one is other:
        return set()
    if one.name != other.name or one.clone != other.clone or tuple(one.spheres) != tuple(other.spheres):
        return None
    moved = {frame for frame, spheres in other.spheres.items() if spheres is not one.spheres[frame]}
    return moved if all(len(one.spheres[frame]) == len(other.spheres[frame]) for frame in moved) else None
