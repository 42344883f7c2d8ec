"""The meaning of each place of an XRDF: its keys, the unit of its value, and which names belong
there.

Completion, hover and the JSON Schema read it from here. The fields of the model describe their
keys. A place is a path of keys, in which `*` represents a name that the file chooses and `#` an
index.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyDescription, Named, key_fields
from editor_app.core.model.xrdf import (
    FRAME,
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    FixedTransform,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.text.yaml.vocabulary import Step, Vocabulary

Places = dict[tuple[Step, ...], KeyDescription]


def _keys(model: type[Any], *place: Step) -> Places:
    """Return the places of the keys in a mapping that `model` represents, and of the items of their
    values."""
    places: Places = {}
    for each in key_fields(model):
        path = (*place, each.name)
        places[path] = each.description
        if each.item is not None:
            places[(*path, "#" if each.description.shape == "list" else "*")] = each.item
    return places


def _sections() -> Places:
    """Return the places of `Xrdf`; 1.0 calls the section for obstacles `collision`."""
    places: Places = {}
    for path, description in _keys(Xrdf).items():
        if path == ("world_collision",):
            places[("collision",)] = replace(description, version="1.0")
        places[path] = description
    return places


_ADDED = ("modifiers", "#", "add_frame")
_ORIENTATION = (*_ADDED, "fixed_transform", "orientation")
_FREED = ("modifiers", "#", "remove_mimic_attributes")
#: The sections in the order in which XRDF files customarily have them.
PLACES: Places = {
    **_sections(),
    _ADDED: KeyDescription("Adds a frame that is fixed to another frame.", "mapping"),
    **_keys(AddFrame, *_ADDED),
    **_keys(FixedTransform, *_ADDED, "fixed_transform"),
    _ORIENTATION: KeyDescription("Unit quaternion.", "mapping"),
    (*_ORIENTATION, "w"): KeyDescription("Real part of the quaternion."),
    (*_ORIENTATION, "xyz"): KeyDescription("Imaginary part of the quaternion.", "list"),
    ("modifiers", "#", "set_base_frame"): KeyDescription(
        "The frame that becomes the base; links that are not below it are cut off.",
        names=Named.LINK,
    ),
    _FREED: KeyDescription(
        "Frees a mimic joint, so that it moves independently (2.0).", "mapping", version="2.0"
    ),
    **_keys(RemoveMimicAttributes, *_FREED),
    **_keys(CSpace, "cspace"),
    **_keys(CollisionSection, "collision"),
    **_keys(CollisionSection, "world_collision"),
    **_keys(SelfCollisionSection, "self_collision"),
    ("self_collision", "ignore", "*", "#"): FRAME,
    **_keys(GeometryGroup, "geometry", "*"),
    **_keys(CollisionSphere, "geometry", "*", "spheres", "*", "#"),
}


XRDF_VOCABULARY = Vocabulary(FrozenDict(PLACES))
