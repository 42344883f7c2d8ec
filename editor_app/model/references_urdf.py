"""The fields of the URDF that name a link, joint or group: see model/references.py."""

from __future__ import annotations

from dataclasses import replace

from editor_app.model.reference_field import (
    Mentions,
    Named,
    ReferenceField,
    Rename,
    all_say,
    names_of,
)
from editor_app.model.urdf import Extension, Urdf

LINK, JOINT, GEOMETRY_GROUP, SRDF_GROUP = Named


def _of_joints(urdf: Urdf) -> Mentions:
    for joint in urdf.joints:
        yield joint.parent, f"it is the parent of joint {joint.name!r}"
        yield joint.child, f"the joint {joint.name!r} carries it"


def _with_joint_ends(urdf: Urdf, rename: Rename) -> Urdf:
    joints = tuple(
        replace(j, parent=rename(j.parent) or j.parent, child=rename(j.child) or j.child) for j in urdf.joints
    )
    return replace(urdf, joints=joints)


def _sensor_links(urdf: Urdf, rename: Rename) -> Urdf:
    return replace(urdf, sensors=tuple(replace(s, parent=rename(s.parent) or s.parent) for s in urdf.sensors))


def _sensor_joints(urdf: Urdf, rename: Rename) -> Urdf:
    sensors = tuple(s if s.joint is None else replace(s, joint=rename(s.joint)) for s in urdf.sensors)
    return replace(urdf, sensors=sensors)


def _extensions(urdf: Urdf, rename: Rename) -> Urdf:
    def renamed(extension: Extension) -> Extension | None:
        if extension.reference is None:
            return extension
        new = rename(extension.reference)
        return None if new is None else replace(extension, reference=new)

    return replace(urdf, extensions=tuple(e for old in urdf.extensions if (e := renamed(old)) is not None))


def _extension_references(urdf: Urdf) -> Mentions:
    return all_say(
        (e.reference for e in urdf.extensions if e.reference is not None), "an extension of the URDF refers to it"
    )


def _mimics(urdf: Urdf, rename: Rename) -> Urdf:
    joints = []
    for joint in urdf.joints:
        leader = rename(joint.mimic.joint) if joint.mimic is not None else None
        mimic = replace(joint.mimic, joint=leader) if joint.mimic is not None and leader is not None else None
        joints.append(replace(joint, mimic=mimic))
    return replace(urdf, joints=tuple(joints))


def _transmissions(urdf: Urdf, rename: Rename) -> Urdf:
    return replace(urdf, transmissions=tuple(replace(t, joints=names_of(t.joints, rename)) for t in urdf.transmissions))


URDF_FIELDS: tuple[ReferenceField[Urdf], ...] = (
    ReferenceField("urdf", LINK, "joint", _of_joints, _with_joint_ends, moves_along=True),
    ReferenceField("urdf", LINK, "extensions", _extension_references, _extensions),
    ReferenceField(
        "urdf",
        LINK,
        "sensor",
        lambda urdf: ((s.parent, f"the sensor {s.name!r} sits on it") for s in urdf.sensors),
        _sensor_links,
    ),
    ReferenceField("urdf", JOINT, "extensions", _extension_references, _extensions),
    ReferenceField(
        "urdf",
        JOINT,
        "sensor",
        lambda urdf: ((s.joint, f"the sensor {s.name!r} sits on it") for s in urdf.sensors if s.joint is not None),
        _sensor_joints,
    ),
    ReferenceField(
        "urdf",
        JOINT,
        "transmission",
        lambda urdf: ((joint, "a transmission drives its joint") for t in urdf.transmissions for joint in t.joints),
        _transmissions,
    ),
    ReferenceField(
        "urdf",
        JOINT,
        "mimic",
        lambda urdf: ((j.mimic.joint, "a joint mimics its joint") for j in urdf.joints if j.mimic is not None),
        _mimics,
    ),
)
