"""Lula's robot description (YAML) of Isaac Sim: in and out."""

from editor_app.formats.foreign.lula.lula import is_lula, lula_text, read_lula

__all__ = ["is_lula", "lula_text", "read_lula"]
