"""One function for all kinds of files with points."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.formats.trajectories.bags import is_bag
from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.cloud import MOST_BYTES, PointCloud
from editor_app.plugins.clouds.files.bag import read_bag_cloud
from editor_app.plugins.clouds.files.pcd import read_pcd
from editor_app.plugins.clouds.files.ply import read_ply


def read_cloud(
    path: str | Path, *, topic: str | None = None, number: int | None = None
) -> PointCloud:
    """Read the points of a PLY or PCD file, of a ROS bag or of an MCAP file.

    `topic`, `number`: which cloud of a bag; default the last one of the first topic with clouds.
    Raises FormatError (file, line, fix) for a file that holds no points, or more than 20 million or
    1 GB.
    """
    path = Path(path)
    place = Location(str(path))
    if is_bag(path):
        return read_bag_cloud(path, topic, number)
    try:
        data = read_regular(path, MOST_BYTES)
    except OSError as error:
        raise FormatError(
            f"The points cannot be read: {error.strerror or error}", place, "Check the path."
        ) from None
    if data.startswith((b"ply\n", b"ply\r\n")):
        return read_ply(data, path)
    if path.suffix.lower() == ".pcd" or b"\nFIELDS" in data[:2000] or data.startswith(b"# .PCD"):
        return read_pcd(data, path)
    raise FormatError(
        "The file is neither PLY nor PCD",
        Location(str(path), line=1),
        "Export the points as PLY or PCD.",
    )
