"""What a fit says of itself, where the test knows that it says something."""

from __future__ import annotations

from editor_app.fitting.results import Certificate, FitResult, Quality


def quality_of(result: FitResult) -> Quality:
    """Raises AssertionError for a mesh without a surface."""
    assert result.quality is not None
    return result.quality


def proof_of(result: FitResult) -> Certificate:
    """Raises AssertionError where nothing was to be covered."""
    assert result.certificate is not None
    return result.certificate
