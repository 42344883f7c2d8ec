"""What the formats have in common, and what is lost between them: pure translations of models, with a report."""

from editor_app.formats.conversion.report import ConversionReport, Entry, Fate, Reporter

__all__ = ["ConversionReport", "Entry", "Fate", "Reporter"]
