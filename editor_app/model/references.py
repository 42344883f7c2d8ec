"""Which fields of URDF, XRDF and SRDF name a link (or frame), a joint, a geometry group, a group of the SRDF.

One row for each field, in references_urdf.py, references_xrdf.py and references_srdf.py. Renaming, deleting, repairing
and merging go through these rows, so that a field that is added to the model is added there, and followed everywhere. A
name that a thing has itself (the name of a link, of an added frame, of a group) is no reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from editor_app.model.change import CannotApply
from editor_app.model.reference_field import DOCUMENTS, Clash, DocumentName, Named, ReferenceField
from editor_app.model.references_srdf import SRDF_FIELDS
from editor_app.model.references_urdf import URDF_FIELDS
from editor_app.model.references_xrdf import XRDF_FIELDS
from editor_app.model.robot import RobotDescription

__all__ = [
    "DOCUMENTS",
    "FIELDS",
    "DocumentName",
    "Named",
    "ReferenceField",
    "mentions",
    "reference_fields",
    "with_renamed",
]

FIELDS: tuple[ReferenceField[Any], ...] = (*URDF_FIELDS, *XRDF_FIELDS, *SRDF_FIELDS)


def reference_fields(named: Named, documents: Iterable[DocumentName] = DOCUMENTS) -> list[ReferenceField[Any]]:
    """The rows for one kind of thing, in the order of the documents."""
    wanted = frozenset(documents)
    return [field for field in FIELDS if field.named is named and field.document in wanted]


def mentions(robot: RobotDescription, named: Named, name: str) -> Iterator[tuple[ReferenceField[Any], str]]:
    """(field, what names it) of all that refers to a name."""
    for field in reference_fields(named):
        document = getattr(robot, field.document)
        if document is not None:
            yield from ((field, sentence) for other, sentence in field.mentions(document) if other == name)


def with_renamed(
    robot: RobotDescription,
    named: Named,
    old: str,
    new: str | None,
    documents: Iterable[DocumentName] = DOCUMENTS,
    *,
    title: str | None = None,
) -> RobotDescription:
    """The robot with `new` wherever `old` is referred to; None deletes the references. What says neither is shared.

    `title` is the one field that is meant. Raises CannotApply where something speaks of `new` already, so that two
    entries would become one.
    """

    def rename(name: str) -> str | None:
        return new if name == old else name

    for field in reference_fields(named, documents):
        document = getattr(robot, field.document)
        if document is None or (title is not None and field.title != title):
            continue
        if all(name != old for name, _ in field.mentions(document)):
            continue
        try:
            changed = field.renamed(document, rename)
        except Clash:
            raise CannotApply(f"{field.title} mentions both {old} and {new}. Delete one of them first.") from None
        robot = _with_document(robot, field.document, changed)
    return robot


def _with_document(robot: RobotDescription, name: DocumentName, document: Any) -> RobotDescription:
    if name == "urdf":
        return robot.with_urdf(document)
    return robot.with_xrdf(document) if name == "xrdf" else robot.with_srdf(document)
