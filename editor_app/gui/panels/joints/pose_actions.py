"""Actions for poses by name: store, go to, rename, delete, copy, paste."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QGuiApplication

from editor_app.gui.actions import ActionRegistry, Reason
from editor_app.gui.panels.joints.pose_book import Kind, PoseBook
from editor_app.gui.session import Session

#: Actions of the list of poses, in the order of its buttons.
LIST_ACTIONS = (
    "pose.go",
    "pose.store",
    "pose.rename",
    "pose.delete",
    "pose.bring_back",
    "pose.copy_yaml",
    "pose.copy_python",
    "pose.paste",
)


def register(registry: ActionRegistry, session: Session, book: PoseBook, show_list: Callable[[], object]) -> None:
    """Adds the actions. `show_list`: brings the list of poses to the front, where a name is typed."""

    def no_joints() -> Reason:
        if session.tree is None:
            return "Open a robot first."
        return None if session.tree.independent else "No joint of this robot can be moved."

    def no_chosen() -> Reason:
        return no_joints() or (None if len(book.chosen) == 1 else "Select one pose in the Joints panel.")

    def no_own() -> Reason:
        if no_joints() is not None or any(entry.kind is Kind.STORED for entry in book.chosen):
            return no_joints()
        return "Select a pose that you stored; the default and the states of the SRDF are edited in their own panels."

    def no_deleted() -> Reason:
        return no_joints() or (None if book.deleted else "No pose of this robot was deleted since it was opened.")

    def rename() -> None:
        show_list()
        book.rename_asked.emit()

    def store() -> None:
        if book.store() is not None:
            rename()

    def paste() -> None:
        book.paste(QGuiApplication.clipboard().text())

    def copy(kind: str) -> None:
        QGuiApplication.clipboard().setText(book.text(kind))
        session.message.emit(f"The pose is in the clipboard as {'Python' if kind == 'python' else 'YAML'}.")

    for name, text, slot, sign, reason, tip in (
        ("go", "&Go to the selected pose", lambda: book.go_to(book.chosen[0]), "arrow-right", no_chosen,
         "A double-click in the list does the same"),
        ("store", "&Store this pose", store, "plus", no_joints,
         "Kept for this robot in your own settings, not in its files"),
        ("rename", "Re&name the pose", rename, "pencil-simple", lambda: no_chosen() or no_own(), ""),
        ("delete", "&Delete the pose", lambda: book.delete(book.chosen), "trash", no_own, ""),
        ("bring_back", "&Bring the deleted pose back", book.bring_back, "arrow-u-up-left", no_deleted, ""),
        ("copy_yaml", "Copy as &YAML", partial(copy, "yaml"), "copy", no_joints, "Radians and metres"),
        ("copy_python", "Copy as P&ython", partial(copy, "python"), "code", no_joints, "A dict, radians and metres"),
        ("paste", "&Paste joint values", paste, "clipboard-text", no_joints,
         "From a terminal, a JointState message, CSV, YAML, or bare numbers in the order of the c-space"),
    ):  # fmt: skip
        registry.register(
            f"pose.{name}", text, slot, icon=sign, menu="Robot/Pose", section="named", enabled=reason, tooltip=tip,
            keywords="joint positions values state clipboard message",
        )  # fmt: skip
    book.chosen_changed.connect(registry.refresh_later)
