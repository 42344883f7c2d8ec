"""Messages of findings have a capital and a full stop, whatever file they are about; names stay as
they are written."""

from __future__ import annotations

import pytest

from editor_app.core.model.findings import Finding, Severity


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("the robot has no name", "The robot has no name."),
        ("joint 'j' mimics itself", "Joint 'j' mimics itself."),
        ("Sphere 1 of 'tool0' has radius 0.", "Sphere 1 of 'tool0' has radius 0."),
        ("format_version is missing", "format_version is missing."),
        ("the_link is unknown", "the_link is unknown."),
        ("<orgin> is unknown; is <origin> meant?", "<orgin> is unknown; is <origin> meant?"),
        ("", ""),
    ],
)
def test_a_message_is_a_sentence(message: str, shown: str) -> None:
    finding = Finding("URDF001", Severity.ERROR, message)
    assert finding.message == shown
    assert Finding("URDF001", Severity.ERROR, finding.message) == finding, "said twice, it stays"
