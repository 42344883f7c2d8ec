"""Scenes of obstacles: the editor's own YAML, cuRobo's world files, MoveIt's `.scene` files; read
and written."""

from editor_app.core.formats.scenes.files import SceneFormat, read_scene, scene_text

__all__ = ["SceneFormat", "read_scene", "scene_text"]
