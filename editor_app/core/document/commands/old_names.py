"""Commands of release 0.9 under their names and arguments of then; release 0.11 drops them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from editor_app.core.document.commands.fields import OfSrdf, SetField
from editor_app.core.document.commands.repairs import CorrectReference
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
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
    ignored: Mapping[LinkPair, str] = FrozenDict(), checked: tuple[LinkPair, ...] = (), label: str = ""
) -> SetMask:
    return SetMask(MaskFile.SRDF, tuple(ignored), FrozenDict(ignored), checked, label)


#: Old name -> (name now, a function that takes the old arguments and makes the command of now).
OLD_NAMES: dict[str, tuple[str, Callable[..., Any]]] = {
    "CopySpheres": ("AddSpheres", _copy_spheres),
    "NameSrdf": ("SetField", _name_srdf),
    "RenameIgnoredFrame": ("CorrectReference", _rename_ignored_frame),
    "ForgetIgnoredFrame": ("CorrectReference", _forget_ignored_frame),
    "MaskPairs": ("SetMask", partial(SetMask, MaskFile.XRDF)),
    "UnmaskPairs": ("SetMask", _unmask_pairs),
    "SetSrdfPairs": ("SetMask", _set_srdf_pairs),
}


def find_old_command(name: str) -> Callable[..., Any]:
    """Return what takes the arguments of an old command, with a DeprecationWarning. Raises AttributeError."""
    if name not in OLD_NAMES:
        raise AttributeError(
            f"module {__package__!r} has no attribute {name!r}", name=name, obj=sys.modules[__package__]
        )
    now, make = OLD_NAMES[name]
    # The caller of the package's __getattr__.
    warnings.warn(f"commands.{name} is commands.{now} now", DeprecationWarning, stacklevel=3)
    return make
