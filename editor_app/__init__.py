"""Editor for robot descriptions: XRDF beside URDF and SRDF.

The scripting interface of a page; no Qt is imported:

    document = editor_app.open_robot("ur10e.urdf")
    document.execute(change)          # any value of editor_app.edit.commands
    document.undo()
    editor_app.save(document)
"""

# Nothing is imported here, not even `typing`: `python -m editor_app` has the current folder on the path until
# __main__ takes it off, and what lies there under such a name would be run.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from editor_app.edit.document import Document
    from editor_app.edit.opening import open_robot
    from editor_app.edit.saving import save

__version__ = "0.1.0"
__all__ = ["Document", "__version__", "open_robot", "save"]

_HOMES = {
    "Document": "editor_app.edit.document",
    "open_robot": "editor_app.edit.opening",
    "save": "editor_app.edit.saving",
}


def __getattr__(name: str) -> "Any":
    # Lazy, so that `xrdf-editor --help` answers at once.
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
