"""The context menu of the selected pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from editor_app.gui.icons import icon
from editor_app.gui.self_collision.controller import MaskController

Entry = tuple[str, str, Callable[[], object], bool]


def make_pair_menu(controller: MaskController, parent: QWidget) -> QMenu:
    """What can be done with the selected pairs; the keys are those of `pair_keys`."""
    chosen = controller.selected
    menu = QMenu(parent)
    n = f" {len(chosen)} pairs" if len(chosen) > 1 else ""
    file = f" in {controller.file_name()}" if controller.has_srdf else ""
    some = bool(chosen)
    masked = [pair in controller.ignored for pair in chosen]
    conflicts = {e.pair for e in controller.conflicts()}
    sections: tuple[tuple[Entry, ...], ...] = (
        (
            ("eye-slash", f"Mask{n}{file}\tM", lambda: controller.mask(chosen), not all(masked)),
            ("eye", f"Check{n}{file}\tU", lambda: controller.unmask(chosen), any(masked)),
            (
                "arrow-counter-clockwise",
                f"Reset{n}\tR",
                lambda: controller.reset(chosen),
                not controller.as_opened(chosen),
            ),
        ),
        (
            ("robot", "Show on the robot\tEnter", lambda: controller.show_witness(chosen[-1]), some),
            ("magnifying-glass", "Search closer", lambda: controller.search_closer(chosen[-1]), some),
            ("circles-three", "Select the nearest spheres", lambda: controller.select_spheres(chosen[-1]), some),
            (
                "arrows-in",
                "Shrink the spheres that overlap here\tS",
                lambda: controller.shrink(chosen[-1]),
                controller.shown is not None,
            ),
        ),
        (
            ("warning-circle", "Next conflict\tN", controller.next_conflict, bool(conflicts - controller.left)),
            (
                "skip-forward",
                "Leave it, next conflict\tL",
                controller.leave_and_go_on,
                bool(conflicts.intersection(chosen)),
            ),
            ("arrow-u-up-left", "Back to my pose\tB", controller.back, controller.can_go_back),
        ),
    )
    for section in sections:
        if menu.actions():
            menu.addSeparator()
        for name, text, run, on in section:
            action = menu.addAction(icon(name), text)
            action.setEnabled(on)
            action.triggered.connect(partial(_call, run))
    return menu


def _call(run: Callable[[], object], *_: object) -> None:
    run()
