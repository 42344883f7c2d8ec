"""A pose: session state, outside the document and outside undo."""

from __future__ import annotations

from editor_app.core.model.frozen import FrozenDict

#: Joint name -> position in radians or metres. Joints that are missing stand at their default;
#: mimic joints follow.
Pose = FrozenDict[str, float]

EMPTY_POSE: Pose = FrozenDict()
