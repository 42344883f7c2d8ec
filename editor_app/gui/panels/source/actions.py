"""The actions of the text: in menus, in its context menu, in the search, each with its key."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.gui.actions import ActionRegistry
from editor_app.gui.panels.source.source_view import SourcePanel
from editor_app.gui.session import Session


def register_source_actions(registry: ActionRegistry, session: Session, panel: SourcePanel) -> None:
    """Keys count in the text alone."""
    editor, folding = panel.editor, panel.editor.folding

    def needs_text() -> str | None:
        return None if session.document is not None else "Open a robot first."

    def needs_writable() -> str | None:
        return needs_text() or ("This text cannot be edited." if editor.isReadOnly() else None)

    def in_text(run: Callable[[], object]) -> Callable[[], None]:
        def shown() -> None:
            panel.show_text()
            run()

        return shown

    def line() -> int:
        return editor.textCursor().blockNumber() + 1

    def fold() -> None:
        around = folding.around(line())
        if around is not None:
            folding.fold(around)
        else:
            session.message.emit("Nothing can be folded at this line.")

    def unfold() -> None:
        if folding.is_folded(line()):
            folding.unfold(line())
        else:
            session.message.emit("Nothing is folded at this line.")

    def fold_all() -> None:
        before = folding.folded
        folding.fold_all()
        if folding.folded == before:
            session.message.emit("Every section is folded." if before else "No section can be folded yet.")

    def unfold_all() -> None:
        if folding.folded:
            folding.unfold_all()
        else:
            session.message.emit("Nothing is folded.")

    actions = [
        registry.register(
            f"source.{name}",
            text,
            in_text(run),
            shortcut=key,
            icon=sign,
            menu="Edit/Source text",
            section=section,
            tooltip=tip,
            context=editor,
            enabled=needs_writable if name == "complete" else needs_text,
            keywords="source xrdf yaml editor",
        )
        for name, text, run, key, sign, section, tip in (
            ("complete", "&Complete the word", panel.helper.complete, "Ctrl+Space", "text-aa", "help",
             "Offer the sections, frames, joints and groups that may stand at the cursor"),
            ("remedies", "&Remedies at this line…", panel.fixes.show_menu, "Ctrl+.", "lightbulb", "help",
             "Offer what mends the findings at the cursor's line"),
            ("explain", "&What is at the cursor", panel.helper.explain, "Ctrl+I", "info", "help",
             "Say what is wrong at the cursor, and what the key or name there means, as the mouse shows it"),
            ("definition", "&Go to definition", lambda: panel.helper.go_to_definition(), "F12", "crosshair", "help",
             "Select the frame or joint that is named at the cursor, or go to the group's definition (Ctrl+click)"),
            ("fold", "&Fold", fold, "Ctrl+Shift+[", "caret-right", "fold",
             "Hide what belongs to the section or mapping at the cursor"),
            ("unfold", "&Unfold", unfold, "Ctrl+Shift+]", "caret-down", "fold",
             "Show what is hidden below the cursor's line"),
            ("fold_all", "Fold &all sections", fold_all, None, None, "fold",
             "Show the sections' first lines alone"),
            ("unfold_all", "U&nfold all", unfold_all, None, None, "fold", "Show every line"),
        )
    ]  # fmt: skip
    editor.offer(actions)
