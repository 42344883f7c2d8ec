"""Pictures of robots for lists and pages, made in a process of their own: what draws may crash."""

from __future__ import annotations

import base64
import contextlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import MAX_BYTES
from editor_app.core.model.pose import Pose
from editor_app.core.model.regular_file import read_regular
from editor_app.core.space.geometry import cache
from editor_app.core.tasks.executor import ProcessExecutor
from editor_app.core.verbs.open import open_robot
from editor_app.core.verbs.pages import Markup
from editor_app.core.verbs.pages import mark_text as in_element

_MOST_PICTURE_BYTES = 1 << 26
#: Pixels of pictures on pages, and the CSS that they need.
_SIZE = (640, 400)
FIGURE_STYLE = "figure { width: 640px; } figure img { width: 100%; }"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture to be drawn: a robot by its files at a pose (joint -> rad or m).

    The links `marked` are in colour, the others are transparent. `spheres`: whether spheres are
    drawn, too.
    """

    urdf: Path
    xrdf: Path | None = None
    packages: FrozenDict[str, Path] = FrozenDict()
    pose: Pose | None = None
    marked: tuple[str, ...] = ()
    spheres: bool = True

    @classmethod
    def of(cls, document: Document, *, spheres: bool = True) -> Drawing | None:
        """Return the drawing of a document by its files; None without a URDF file."""
        if document.urdf_path is None:
            return None
        # An XRDF that was only drafted has a path, and no file.
        xrdf = document.xrdf_path if document.xrdf_digest is not None else None
        return cls(document.urdf_path, xrdf, FrozenDict(document.packages), spheres=spheres)

    def at(self, pose: Pose, marked: tuple[str, ...]) -> Drawing:
        """Return the drawing of another configuration."""
        return replace(self, pose=pose, marked=marked)


def draw_all(drawings: Mapping[str, Drawing], on_fault: Callable[[str], None]) -> dict[str, bytes]:
    """Return name -> PNG, drawn in another process. `on_fault` receives why pictures are
    missing."""
    pictures: dict[str, bytes] = {}
    if not drawings:
        return pictures
    try:
        with ProcessExecutor(1) as executor:
            for name, each in drawings.items():
                xrdf = None if each.xrdf is None else each.xrdf.absolute()
                files, view = (
                    (each.urdf.absolute(), xrdf, each.packages),
                    (each.pose, each.marked, each.spheres),
                )
                pictures[name] = executor.submit(draw_robot, *files, _SIZE, False, *view).result()
    except Exception as error:
        # A machine without a renderer: a report is complete without pictures.
        on_fault(f"no pictures could be drawn: {error}")
    return pictures


def render_figure(png: bytes, caption: str) -> Markup:
    """Return a picture with its caption for a page, whose style needs `FIGURE_STYLE`."""
    image = Markup(
        f'<img alt="" src="data:image/png;base64,{base64.b64encode(png).decode("ascii")}">'
    )
    return in_element(Markup(image + in_element(caption, tag="figcaption")), "drawn", "figure")


def draw_robot(
    urdf: Path,
    xrdf: Path | None = None,
    packages: FrozenDict[str, Path] = FrozenDict(),
    size: tuple[int, int] = (800, 500),
    keeps: bool = False,
    pose: Pose | None = None,
    marked: tuple[str, ...] = (),
    spheres: bool = True,
) -> bytes:
    """The PNG of a robot with its spheres, from its files; `size` in pixels, `pose`: joint -> rad
    or m.

    The links `marked` are in colour, the others are transparent. With `keeps`, the picture is
    stored with the decoded meshes, and read from there while the URDF has the same content.
    """
    key = (
        cache.digest(str((urdf, size, pose, marked)).encode(), read_regular(urdf, MAX_BYTES))
        if keeps
        else ""
    )
    kept = cache.cache_folder() / f"{key}.robot.png"
    if key:
        with contextlib.suppress(OSError):
            return read_regular(kept, _MOST_PICTURE_BYTES)
    files = [urdf] if xrdf is None else [urdf, xrdf]
    document = open_robot(*files, packages=packages)
    # By its name: the verbs know nothing of what draws.
    show = importlib.import_module("editor_app.plugins.pictures.view").show
    png = show(document, pose, interactive=False, size=size, marked=marked, spheres=spheres).png
    assert isinstance(png, bytes)
    if key:
        cache.write_file(kept, png)
    return png
