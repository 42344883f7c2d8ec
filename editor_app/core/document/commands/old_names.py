"""Commands of release 0.9 under their names and arguments of then; release 0.11 drops them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from editor_app.core.document.commands.fields import OfSrdf, SetField
from editor_app.core.document.commands.lists import (
    InsertItem,
    MoveItem,
    RemoveItems,
    RenameItem,
    SetItems,
    set_item,
)
from editor_app.core.document.commands.repairs import CorrectReference
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.document.commands.tools import AllOf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.srdf import ToolCenterPoint
from editor_app.core.model.xrdf import CollisionSphere, LinkPair


def _copy_spheres(group: str, to_frame: str, spheres: tuple[CollisionSphere, ...]) -> AddSpheres:
    return AddSpheres(group, to_frame, spheres)


def _name_srdf(name: str) -> SetField:
    return SetField(OfSrdf(), "name", name, f"Set the robot name of the SRDF to {name}")


def _rename_ignored_frame(old: str, new: str) -> CorrectReference:
    return CorrectReference("xrdf", Named.LINK, "ignore", old, new)


def _forget_ignored_frame(frame: str) -> CorrectReference:
    return CorrectReference("xrdf", Named.LINK, "ignore", frame, None)


def _unmask_pairs(pairs: tuple[LinkPair, ...]) -> SetMask:
    return SetMask(checked=pairs)


def _set_srdf_pairs(
    ignored: Mapping[LinkPair, str] = FrozenDict(),
    checked: tuple[LinkPair, ...] = (),
    label: str = "",
) -> SetMask:
    return SetMask(MaskFile.SRDF, tuple(ignored), FrozenDict(ignored), checked, label)


def _edit_list(make: Callable[..., Any], path: str, names: str, *args: Any, **by_name: Any) -> Any:
    """Make a change of a list from the arguments of an old command, whose parameters are
    `names`."""
    values = dict(zip(names.split(), args, strict=False)) | by_name
    path = path.format(values.pop("section", ""))
    return make(path, *(values[name] for name in names.split() if name in values))


def _insert_or_set(path: str, item: Any, old: str | None = None) -> Any:
    return InsertItem(path, item) if old is None else set_item(path, old, item)


def _insert_or_remove(path: str, name: str, is_in: bool = True) -> Any:
    return InsertItem(path, name) if is_in else RemoveItems(path, (name,))


def _set_passive_joint(joint: str, passive: bool = True) -> Any:
    change = _insert_or_remove("srdf.passive_joints", joint, passive)
    return change if passive else AllOf((change,), f"Make {joint} active")


def _remove_item(path: str, key: str) -> RemoveItems:
    return RemoveItems(path, (key,))


def _delete_state(name: str, group: str) -> RemoveItems:
    return RemoveItems("srdf.states", ((name, group),))


def _set_tcp(tcp: ToolCenterPoint) -> SetItems:
    return set_item("srdf.tcps", (tcp.name, tcp.group), tcp)


def _set_joint_property(joint: str, name: str, value: str | None) -> SetItems:
    return set_item("srdf.joint_properties", (joint, name), value)


def _set_reasons(path: str, pairs: tuple[LinkPair, ...], reason: str | None = None) -> SetItems:
    return SetItems(path, FrozenDict(dict.fromkeys(pairs, reason)))


def _disable_pairs(pairs: tuple[LinkPair, ...], reason: str | None = "User") -> SetItems:
    return _set_reasons("srdf.disabled_pairs", pairs, reason)


def _delete_srdf_parts(**keys: tuple[Any, ...]) -> Any:
    paths = {"sphere_links": "sphere_approximations", "margins": "margins.pairs"}
    changes = tuple(
        RemoveItems(f"srdf.{paths.get(kind, kind)}", gone) for kind, gone in keys.items() if gone
    )
    number = sum(len(change.keys) for change in changes)
    return (
        changes[0] if len(changes) == 1 else AllOf(changes, f"Delete {number} entries of the SRDF")
    )


_BUFFERS = "xrdf.{}.buffer_distance"
#: Old command -> (what makes the command of now, path of its list, its parameters).
_LISTS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "AddModifier": (InsertItem, "xrdf.modifiers", "modifier index"),
    "SetModifier": (set_item, "xrdf.modifiers", "index modifier"),
    "DeleteModifiers": (RemoveItems, "xrdf.modifiers", "indices"),
    "MoveModifier": (MoveItem, "xrdf.modifiers", "index to"),
    "RenameAddedFrame": (RenameItem, "xrdf.modifiers", "index name"),
    "AddToolFrame": (InsertItem, "xrdf.tool_frames", "frame index"),
    "SetToolFrame": (set_item, "xrdf.tool_frames", "index frame"),
    "RemoveToolFrames": (RemoveItems, "xrdf.tool_frames", "indices"),
    "MoveToolFrame": (MoveItem, "xrdf.tool_frames", "index to"),
    "SetDefaultPositions": (SetItems, "xrdf.default_joint_positions", "positions"),
    "DeleteDefaultPositions": (RemoveItems, "xrdf.default_joint_positions", "joints"),
    "RenameDefaultPosition": (RenameItem, "xrdf.default_joint_positions", "old new"),
    "SetBuffer": (SetItems, _BUFFERS, "section distances"),
    "DeleteBuffers": (RemoveItems, _BUFFERS, "section frames"),
    "RenameBufferFrame": (RenameItem, _BUFFERS, "section old new"),
    "RenameGroup": (RenameItem, "xrdf.geometry", "old new"),
    "DeleteGroup": (_remove_item, "xrdf.geometry", "name"),
    "SetSrdfGroup": (_insert_or_set, "srdf.groups", "group old"),
    "DeleteSrdfGroup": (_remove_item, "srdf.groups", "name"),
    "EnablePairs": (RemoveItems, "srdf.disabled_pairs", "pairs"),
    "LeaveLinkOut": (_insert_or_remove, "srdf.default_disabled_links", "link out"),
    "CheckAllTheSame": (_set_reasons, "srdf.enabled_pairs", "pairs reason"),
    "DeleteExceptions": (RemoveItems, "srdf.enabled_pairs", "pairs"),
    "SetEndEffector": (_insert_or_set, "srdf.end_effectors", "effector old"),
    "SetVirtualJoint": (_insert_or_set, "srdf.virtual_joints", "joint old"),
    "SetPairMargin": (set_item, "srdf.margins.pairs", "pair margin"),
    "SetSphereApproximation": (set_item, "srdf.sphere_approximations", "link spheres"),
    "SetConfig": (set_item, "srdf.configs", "tag filename"),
    "AddSensor": (InsertItem, "urdf.sensors", "sensor"),
}
#: Makers of a command of now that is not called as they are.
_NOW: dict[Callable[..., Any], str] = {
    _insert_or_set: "InsertItem",
    _insert_or_remove: "InsertItem",
    _remove_item: "RemoveItems",
    _set_reasons: "SetItems",
}
#: Old name -> (name now, a function that takes the old arguments and makes the command of now).
OLD_NAMES: dict[str, tuple[str, Callable[..., Any]]] = {
    "CopySpheres": ("AddSpheres", _copy_spheres),
    "NameSrdf": ("SetField", _name_srdf),
    "RenameIgnoredFrame": ("CorrectReference", _rename_ignored_frame),
    "ForgetIgnoredFrame": ("CorrectReference", _forget_ignored_frame),
    "MaskPairs": ("SetMask", partial(SetMask, MaskFile.XRDF)),
    "UnmaskPairs": ("SetMask", _unmask_pairs),
    "SetSrdfPairs": ("SetMask", _set_srdf_pairs),
    "SetPassiveJoint": ("InsertItem", _set_passive_joint),
    "DeleteState": ("RemoveItems", _delete_state),
    "SetTcp": ("set_item", _set_tcp),
    "SetJointProperty": ("set_item", _set_joint_property),
    "DisablePairs": ("SetItems", _disable_pairs),
    "DeleteSrdfParts": ("RemoveItems", _delete_srdf_parts),
    **{
        old: (_NOW.get(row[0], row[0].__name__), partial(_edit_list, *row))
        for old, row in _LISTS.items()
    },
}


def find_old_command(name: str) -> Callable[..., Any]:
    """Return what takes the arguments of an old command, with a DeprecationWarning. Raises
    AttributeError."""
    if name not in OLD_NAMES:
        raise AttributeError(
            f"module {__package__!r} has no attribute {name!r}",
            name=name,
            obj=sys.modules[__package__],
        )
    now, make = OLD_NAMES[name]
    # The caller of the package's __getattr__.
    warnings.warn(f"commands.{name} is commands.{now} now", DeprecationWarning, stacklevel=3)
    return make
