"""`FilePart`: one file of a robot as it was read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from editor_app.core.model.findings import Finding
from editor_app.core.text.source import SourceText

Value = TypeVar("Value", covariant=True)


@dataclass(frozen=True, eq=False)
class FilePart(ABC, Generic[Value]):
    """One file of a robot as read: `value` is the model of what was understood, `findings` report
    the rest.

    `findings` come in the order of the file. Each format adds its tree, by which saving splices
    differences in.
    """

    source: SourceText
    value: Value
    findings: tuple[Finding, ...]

    @property
    @abstractmethod
    def kind(self) -> str:
        """The field of `RobotDescription` that holds the value."""
