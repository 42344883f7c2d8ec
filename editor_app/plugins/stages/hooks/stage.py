"""What `check` asks for where a USD is named with a URDF: whether both are the same mechanism."""

from editor_app.plugins.stages.verbs.stage_differences import stage_differences as stage_differences
