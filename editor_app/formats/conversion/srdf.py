"""XRDF <-> SRDF: ignored pairs with their reasons, controlled joints, postures, tools, bases, spheres, margins.

What corresponds to what, and what is lost, is the table in the project's notes on formats; the model-level part is
here, so that it holds for files and for what is open in the window alike.
"""

from editor_app.formats.conversion.groups import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    NeedsChoice,
    SrdfConversion,
    XrdfConversion,
    choose_group,
    group_joints,
    ignore_mapping,
)
from editor_app.formats.conversion.towards_srdf import to_srdf
from editor_app.formats.conversion.towards_xrdf import fit_buffers, to_xrdf

__all__ = [
    "PLACEHOLDER_ACCELERATION",
    "PLACEHOLDER_JERK",
    "NeedsChoice",
    "SrdfConversion",
    "XrdfConversion",
    "choose_group",
    "fit_buffers",
    "group_joints",
    "ignore_mapping",
    "to_srdf",
    "to_xrdf",
]
