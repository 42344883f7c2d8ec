"""Compare a USD with the URDF that is checked with it: are both the same mechanism?"""

from editor_app.plugins.stages.verbs.stage_differences import stage_differences as stage_differences
