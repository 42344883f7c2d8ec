"""What the actions for poses by name do: store, go to, rename, delete, copy, paste."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from editor_app.gui.action_tables import NAMED_POSES
from editor_app.gui.actions import Reason
from editor_app.gui.panels.joints.pose_book import Kind

if TYPE_CHECKING:
    from editor_app.gui.workbench import Workbench

#: Actions of the list of poses, in the order of its buttons.
LIST_ACTIONS = tuple(spec.id for spec in NAMED_POSES)


class PoseActions:
    """The names that the table of named poses uses."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self.book = workbench.poses
        workbench.registry.add(NAMED_POSES, self)
        self.book.chosen_changed.connect(workbench.registry.refresh_later)

    def one_pose(self) -> bool:
        return len(self.book.chosen) == 1

    def no_stored(self) -> Reason:
        if any(entry.kind is Kind.STORED for entry in self.book.chosen):
            return None
        return "Select a pose that you stored; the default and the states of the SRDF are edited in their own panels."

    def go(self) -> None:
        self.book.go_to(self.book.chosen[0])

    def rename(self) -> None:
        """The name is typed in the list of poses."""
        self._workbench.docks.show("joints")
        self.book.rename_asked.emit()

    def store(self) -> None:
        if self.book.store() is not None:
            self.rename()

    def delete(self) -> None:
        self.book.delete(self.book.chosen)

    def paste(self) -> None:
        self.book.paste(QGuiApplication.clipboard().text())

    def copy(self, kind: str) -> None:
        QGuiApplication.clipboard().setText(self.book.text(kind))
        self._workbench.session.message.emit(
            f"The pose is in the clipboard as {'Python' if kind == 'python' else 'YAML'}."
        )
