"""Puts parts of robots into a window: attaching, exchanging, open and closed grippers, example
robots."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMenu

from editor_app.core.document.state import FileKind
from editor_app.core.document.texts import compute_text
from editor_app.core.libraries import install_command
from editor_app.core.model.refusal import Refusal
from editor_app.core.text.xml.attached_block import parts_in
from editor_app.plugins.assembly.verbs import hand_variants
from editor_app.plugins.assembly.verbs.known_parts import example_robots
from editor_app.plugins.assembly.window.actions import PARTS
from editor_app.plugins.assembly.window.attach_dialog import (
    detach_selected,
    show_attaching,
    show_replacing,
)
from editor_app.window.files.disk_watch import read_only
from editor_app.window.link_tree.link_model import selected_frames
from editor_app.window.widgets import icon, no_mnemonic, plain_text
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench


class AssemblyTools(WindowPart):
    """One per window."""

    order = 80
    attaches = True

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        #: A URDF, and whether it has parts that were attached.
        self._looked_at: tuple[object, bool] = None, False
        #: A URDF with its modifiers, and whether it has fingers that close.
        self._fingers_of: tuple[object, object, bool] = None, None, False
        workbench.registry.add(PARTS, self)
        menu = QMenu("Open &example robot", workbench.qt_window)
        menu.setIcon(icon("robot"))
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(_fill_examples, workbench, menu))
        workbench.menus.insert_menu("File", "open", menu)

    def attach(self, link: str, robot: Path) -> None:
        show_attaching(self._workbench, link, robot)

    def show_attaching(self) -> None:
        show_attaching(self._workbench)

    def show_replacing(self) -> None:
        show_replacing(self._workbench)

    def detach(self) -> None:
        detach_selected(self._workbench)

    def read_only_urdf(self) -> str | None:
        return read_only(self._workbench.session)

    def no_part(self) -> str | None:
        """Asked after each change: the text is looked at once."""
        state = self._workbench.session.document.state
        if self._looked_at[0] is not state.urdf_source:
            self._looked_at = (
                state.urdf_source,
                bool(parts_in(compute_text(state, FileKind.URDF) or "")),
            )
        return (
            None if self._looked_at[1] else "No part was attached to this robot with Attach a part."
        )

    def no_fingers(self) -> str | None:
        """Asked after each change: a structure is looked at once."""
        robot = self._workbench.session.robot
        if self._fingers_of[0] is not robot.urdf or self._fingers_of[1] is not robot.xrdf.modifiers:
            self._fingers_of = (
                robot.urdf,
                robot.xrdf.modifiers,
                bool(hand_variants.finger_joints(robot)),
            )
        return None if self._fingers_of[2] else "This robot has no gripper."

    def set_gripper(self, name: str) -> None:
        """Set the variant of the hand of the selected link, or of all hands."""
        session = self._workbench.session
        robot, links = session.robot, selected_frames(session)
        try:
            link = hand_variants.hand_of(robot, links[-1]) if links else None
            session.execute(hand_variants.with_variant(robot, name, link))
        except Refusal as error:
            session.refused.emit(f"{str(error)[:1].upper()}{str(error)[1:]}.")


def _fill_examples(workbench: Workbench, menu: QMenu) -> None:
    if not menu.isEmpty():
        return
    samples = example_robots()
    if not samples:
        hint = menu.addAction("Install the extra “samples” for 69 real robots")
        hint.setToolTip(plain_text(install_command("samples")))
        hint.triggered.connect(lambda: QApplication.clipboard().setText(hint.toolTip()))
    families: dict[str, QMenu] = {}
    for sample in samples:
        if sample.family not in families:
            families[sample.family] = menu.addMenu(no_mnemonic(sample.family))
        action = families[sample.family].addAction(no_mnemonic(sample.title))
        action.triggered.connect(partial(workbench.files.open_recent, str(sample.urdf), None))


PART = AssemblyTools
