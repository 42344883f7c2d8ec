"""AGX Dynamics' UrdfReader: its settings, and its table of features with what it leaves out."""

from __future__ import annotations

#: Setting -> what does it here, and the command.
AGX_SETTINGS = (
    ("attachToWorld", "Robot > Attach to the world", "AttachToWorld"),
    ("disableLinkedBodies", "Robot > Ignore linked bodies", "IgnoreLinkedBodies"),
    ("mergeKinematicLink", "Robot > Merge links", "MergeLinks"),
    ("initial joint positions", "the joints panel; `convert --joint`", "SetDefaultPositions"),
)

#: What its table of features marks as not supported, in its order; rows of the URDF's document hold each here.
AGX_LEAVES_OUT = (
    "joint: calibration", "joint: dynamics: damping", "joint: limit: velocity", "joint: safety_controller",
    "transmission", "gazebo", "sensor", "model_state",
)  # fmt: skip
