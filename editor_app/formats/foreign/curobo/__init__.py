"""cuRobo's robot configuration (YAML), of its versions 1 and 2: in and out."""

from editor_app.formats.foreign.curobo.codec import CODEC
from editor_app.formats.foreign.curobo.read import is_curobo, read_curobo
from editor_app.formats.foreign.curobo.write import curobo_text

__all__ = ["CODEC", "curobo_text", "is_curobo", "read_curobo"]
