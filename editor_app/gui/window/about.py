"""About the program: versions and licence."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QMessageBox, QWidget

from editor_app.gui.dialogs import show_title_whole
from editor_app.version import __version__


def show_about(parent: QWidget) -> QMessageBox:
    """Versions and licence; returns at once."""
    box = QMessageBox(parent)
    box.setObjectName("about")
    box.setOption(QMessageBox.Option.DontUseNativeDialog)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About XRDF Editor")
    box.setText(f"<b>XRDF Editor {__version__}</b>")
    box.setInformativeText(
        "Edits robot descriptions: XRDF beside URDF, with collision spheres and lossless saving.\n\n"
        f"Python {platform.python_version()}, Qt {qVersion()}. Licence: Apache-2.0.\n"
        "Icons: Phosphor (MIT)."
    )
    show_title_whole(box)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.open()
    return box
