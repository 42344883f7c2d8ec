"""Actions of audits."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
AUDIT = under("Mask", "compute",
    A("mask.audit", "A&udit the mask", "run", "", "shield-check",
      "List wrong entries of the mask in Findings, each confirmed by a second collision engine",
      "never default hidden collision verify srdf", when="robot no_mask no_audit"),
)
