"""AGX Dynamics' UrdfReader: its settings, and its table of features with what it leaves out."""

from __future__ import annotations

#: Setting -> what does it here, and the command.
AGX_SETTINGS = (
    ("attachToWorld", "Robot > Attach to the world", "AttachToWorld"),
    ("disableLinkedBodies", "Robot > Ignore linked bodies", "IgnoreLinkedBodies"),
    ("mergeKinematicLink", "Robot > Merge links", "MergeLinks"),
    ("initial joint positions", "the joints panel; `convert --joint`", "SetItems"),
)

#: What its table of features marks as not supported, in its order; rows of the URDF's document hold
#: each here.
AGX_LEAVES_OUT = (
    "joint: "
    "calibration", "joint: dynamics: damping", "joint: limit: velocity", "joint: safety_controller",
    "transmission", "gazebo", "sensor", "model_state",
)  # fmt: skip

#: What its document says of features that its table marks as supported -> the rows of `--profile
#: agx` that report it.
AGX_STATEMENTS = (
    ("A floating joint is ignored: the part moves freely", ("floating",)),
    ("A material in a collision is ignored", ("collision_material",)),
    (
        "The mass of a link without `<inertial>` comes only from its visual shapes",
        ("massless", "unweighed"),
    ),
    (
        "A link without `<inertial>` becomes part of its parent with `mergeKinematicLink`",
        ("massless", "unweighed"),
    ),
    ("Only revolute, continuous and prismatic joints can have a `<mimic>`", ("fixed_mimic",)),
    ("A rotating joint cannot mimic a sliding joint, and vice versa", ("geared_mimic",)),
    ("`<limit>` is read only for revolute and prismatic joints", ("unlimited",)),
    ("A texture is lost when a stored scene is loaded without its image file", ("texture",)),
    ("The base is free unless `attachToWorld` is set", ("free",)),
    ("One folder replaces `package://`", ("package", "visual_package")),
)
