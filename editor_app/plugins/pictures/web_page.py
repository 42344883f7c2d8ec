"""A filled plotter as one HTML page, which shows it in 3D with vtk.js and needs no server and no
network.

pyvista's own export does the same with a server of trame; its serialiser and its viewer are enough.
Importing this module raises ImportError without trame-vtk.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from trame_vtk.modules.vtk.serializers import (
    SynchronizationContext,
    extract_array_hash,
    initialize_serializers,
    reference_id,
    serialize,
)
from trame_vtk.tools.vtksz2html import write_html


def web_page(plotter: Any) -> str:
    """The page. The scene has to be drawn once before."""
    initialize_serializers()
    context = SynchronizationContext()
    context.set_ignore_last_dependencies(True)
    window = plotter.render_window
    scene = serialize(None, window, reference_id(window), context, 1)
    # Whichever way the window draws off screen, the browser has its own.
    scene["type"] = "vtkOpenGLRenderWindow"
    camera = plotter.camera
    scene["extra"] = {
        "vtkRefId": reference_id(window),
        "centerOfRotation": camera.GetFocalPoint(),
        "camera": reference_id(camera),
    }
    arrays = {
        entry["hash"]: {**entry, "content": context.get_cached_data_array(entry["hash"], False)}
        for entry in extract_array_hash(scene)
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.json", json.dumps({"hashes": arrays, "scene": scene}))
    page = io.StringIO()
    write_html(packed.getvalue(), page)
    return page.getvalue()
