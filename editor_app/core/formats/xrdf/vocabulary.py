"""What each place of an XRDF means: its keys, the unit of its value, and which names belong there.

Completion, hover and the JSON Schema say it from here. A place is a path of keys, in which `*` stands for a name that
the file chooses and `#` for an index.
"""

from __future__ import annotations

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.references import Named
from editor_app.core.text.yaml.vocabulary import Step, Vocabulary, VocabularyEntry

_METRES, _POSITION = "m", "rad or m"


def _section(means: str, version: str | None = None) -> VocabularyEntry:
    return VocabularyEntry(means, "mapping", version=version)


_FRAME = VocabularyEntry("A frame of the robot: a link of the URDF, or a frame that a modifier adds.", names=Named.LINK)
_JOINT = VocabularyEntry("A joint of the URDF.", names=Named.JOINT)
_GROUP = VocabularyEntry("Name of the geometry group whose spheres are used here.", names=Named.GEOMETRY_GROUP)


def _collision(section: str, purpose: str) -> dict[tuple[Step, ...], VocabularyEntry]:
    buffer = f"Added to the radius of every sphere of this frame for {purpose}; may be negative."
    return {
        (section, "geometry"): _GROUP,
        (section, "buffer_distance"): VocabularyEntry(
            f"Frame -> distance added to its spheres for {purpose}.", "mapping", _METRES
        ),
        (section, "buffer_distance", "*"): VocabularyEntry(buffer, unit=_METRES, key_names=Named.LINK),
    }


#: In the order in which XRDF files customarily have them.
PLACES: dict[tuple[Step, ...], VocabularyEntry] = {
    ("format",): VocabularyEntry("The file's format: always xrdf.", values=("xrdf",)),
    ("format_version",): VocabularyEntry("Version of the format.", values=("1.0", "2.0")),
    ("modifiers",): VocabularyEntry("Changes to the URDF, applied before everything else.", "list"),
    ("modifiers", "#", "add_frame"): VocabularyEntry("Adds a frame that is fixed to another frame.", "mapping"),
    ("modifiers", "#", "add_frame", "frame_name"): VocabularyEntry("Name of the new frame: no link may have it."),
    ("modifiers", "#", "add_frame", "parent_frame_name"): VocabularyEntry(
        "The frame that the new one is fixed to.", names=Named.LINK
    ),
    ("modifiers", "#", "add_frame", "joint_name"): VocabularyEntry(
        "Name of the new joint: no joint of the URDF may have it."
    ),
    ("modifiers", "#", "add_frame", "joint_type"): VocabularyEntry(
        "How the frame is attached: only FIXED.", values=("FIXED",)
    ),
    ("modifiers", "#", "add_frame", "fixed_transform"): VocabularyEntry(
        "Pose in the parent: metres, unit quaternion.", "mapping"
    ),
    ("modifiers", "#", "add_frame", "fixed_transform", "position"): VocabularyEntry(
        "x, y, z in the parent.", "list", _METRES
    ),
    ("modifiers", "#", "add_frame", "fixed_transform", "orientation"): VocabularyEntry("Unit quaternion.", "mapping"),
    ("modifiers", "#", "add_frame", "fixed_transform", "orientation", "w"): VocabularyEntry(
        "Real part of the quaternion."
    ),
    ("modifiers", "#", "add_frame", "fixed_transform", "orientation", "xyz"): VocabularyEntry(
        "Imaginary part of the quaternion.", "list"
    ),
    ("modifiers", "#", "set_base_frame"): VocabularyEntry(
        "The frame that becomes the base; links that are not below it are cut off.", names=Named.LINK
    ),
    ("modifiers", "#", "remove_mimic_attributes"): VocabularyEntry(
        "Frees a mimic joint, so that it moves independently (2.0).", "mapping", version="2.0"
    ),
    ("modifiers", "#", "remove_mimic_attributes", "joint_name"): VocabularyEntry("The mimic joint.", names=Named.JOINT),
    ("modifiers", "#", "remove_mimic_attributes", "position_limits"): VocabularyEntry(
        "Lower and upper limit of the freed joint.", "list", _POSITION
    ),
    ("modifiers", "#", "remove_mimic_attributes", "velocity_limit"): VocabularyEntry(
        "Maximum speed of the freed joint.", unit="rad/s or m/s"
    ),
    ("default_joint_positions",): VocabularyEntry("Joint -> position.", "mapping", _POSITION),
    ("default_joint_positions", "*"): VocabularyEntry(
        "Default position of the joint: motion begins here, and joints outside the c-space stay here.",
        unit=_POSITION,
        key_names=Named.JOINT,
    ),
    ("cspace",): _section("The controlled joints and their limits."),
    ("cspace", "joint_names"): VocabularyEntry("The controlled joints, in the order of all vectors.", "list"),
    ("cspace", "joint_names", "#"): _JOINT,
    ("cspace", "acceleration_limits"): VocabularyEntry("One per joint, in their order.", "list", "rad/s² or m/s²"),
    ("cspace", "jerk_limits"): VocabularyEntry("One per joint, in their order.", "list", "rad/s³ or m/s³"),
    ("tool_frames",): VocabularyEntry("Frames of interest; the first one is the end effector.", "list"),
    ("tool_frames", "#"): _FRAME,
    ("collision",): _section("Spheres and buffers (m) for obstacles.", "1.0"),
    **_collision("collision", "collision with obstacles"),
    ("world_collision",): _section("Spheres and buffers (m) for obstacles.", "2.0"),
    **_collision("world_collision", "collision with obstacles"),
    ("self_collision",): _section("Spheres, buffers (m) and mask for self-collision."),
    **_collision("self_collision", "self-collision"),
    ("self_collision", "ignore"): VocabularyEntry("Frame -> frames never checked against it.", "mapping"),
    ("self_collision", "ignore", "*"): VocabularyEntry(
        "Frames never checked against this one.", "list", key_names=Named.LINK
    ),
    ("self_collision", "ignore", "*", "#"): _FRAME,
    ("geometry",): VocabularyEntry("Named groups of spheres.", "mapping"),
    ("geometry", "*"): VocabularyEntry("A group of spheres.", "mapping", key_names=Named.GEOMETRY_GROUP),
    ("geometry", "*", "spheres"): VocabularyEntry("Frame -> spheres.", "mapping"),
    ("geometry", "*", "spheres", "*"): VocabularyEntry("The spheres of this frame.", "list", key_names=Named.LINK),
    ("geometry", "*", "spheres", "*", "#", "center"): VocabularyEntry("x, y, z in the frame.", "list", _METRES),
    ("geometry", "*", "spheres", "*", "#", "radius"): VocabularyEntry("Radius, before buffers.", unit=_METRES),
    ("geometry", "*", "clone"): VocabularyEntry("Groups whose spheres this one includes (2.0).", "list", version="2.0"),
    ("geometry", "*", "clone", "#"): VocabularyEntry("A geometry group of this file.", names=Named.GEOMETRY_GROUP),
}


XRDF_VOCABULARY = Vocabulary(FrozenDict(PLACES))
