"""Notes of a verb about the files behind its figures: parts that no reader understood, and a
calibration."""

from __future__ import annotations

from collections.abc import Mapping

from editor_app.core.document import document
from editor_app.core.formats.exchange.unread import unread_note
from editor_app.core.model.findings import Severity
from editor_app.core.tasks.work import Described
from editor_app.core.verbs.calibration import calibration_note

_SHAPES = ("collision", "visual")


def list_reading_notes(robot: Described) -> tuple[str, ...]:
    """Sentences for the user of a verb; () for a robot without files, whose readers are not
    known."""
    if not isinstance(robot, document.Document):
        return ()
    state = robot.state
    notes = [unread_note(part.source.name, part.findings) for part in state.parts.values()]
    faults = [each for each in robot.opening_findings if each.severity is Severity.ERROR]
    notes += [f"{each.location}: {each.message}" for each in faults]
    return tuple(note for note in (*notes, calibration_note(robot)) if note)


def unread_shapes(robot: document.Document) -> Mapping[str, str]:
    """Link -> why it has no geometry, for links of which the reader left shapes out."""
    lost = {
        f"{kind} of link {link.name}": link.name
        for link in robot.robot.urdf.links
        for kind in _SHAPES
    }
    findings = robot.state.urdf_source.findings
    faults = [(lost[each.lost], each) for each in findings if each.lost in lost]
    return {
        link: f"its shapes cannot be read ({each.location}: {each.message.rstrip('.')})"
        for link, each in faults
    }
