"""The editor's STL and OBJ readers beside trimesh's: `python tests/bench/bench_meshes.py [MESH…]`.

Without arguments: every mesh of the sample robot and up to 40 of each kind of example-robot-data.
Both give welded triangles; a ratio above 1 is how often the editor's reader is as fast. The import
of trimesh comes on top of its figure, once for a process.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from editor_app.core.space.geometry.mesh import MeshError, weld_vertices
from editor_app.core.space.geometry.obj_and_stl import read_obj, read_stl
from tests.bench.timing import best_of, report
from tests.helpers.robots import example_robots

MOST = 40


def examples() -> list[Path]:
    """The bundled meshes, and the largest of the example robots."""
    paths = [*(Path(__file__).parents[2] / "resources").rglob("*.*")]
    for kind in ("stl", "obj"):
        files = [p for p in example_robots().rglob("*.*") if p.suffix.lower() == f".{kind}"]
        paths += sorted(files, key=lambda p: -p.stat().st_size)[:MOST]
    return [p for p in paths if p.suffix.lower() in (".stl", ".obj")]


def readers(
    kind: str, path: Path, data: bytes
) -> tuple[Callable[[], object], Callable[[], object]]:
    """The editor's reader and trimesh's, for the bytes of one file."""
    import trimesh

    def ours() -> object:
        return read_stl(data) if kind == "stl" else read_obj(data, lambda name: None)

    def theirs() -> object:
        scene = trimesh.load_scene(
            io.BytesIO(data), file_type=kind, process=False, skip_materials=True
        )
        return [weld_vertices(mesh.vertices, mesh.faces) for mesh in scene.geometry.values()]

    return ours, theirs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="*", type=Path)
    begun = time.process_time()
    import trimesh  # noqa: F401

    report("import of trimesh", time.process_time() - begun)
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for path in parser.parse_args().meshes or examples():
        kind, data = path.suffix.lower()[1:], path.read_bytes()
        ours, theirs = readers(kind, path, data)
        try:
            ours_seconds, other = best_of(ours, 2), best_of(theirs, 2)
        except (MeshError, ValueError, IndexError) as error:
            print(f"{path.name}: {error}")
            continue
        for i, value in enumerate((1.0, ours_seconds, other)):
            totals[kind][i] += value
    for kind, (number, ours_seconds, other) in totals.items():
        report(f"{kind}: the editor's reader, {number:.0f} files", ours_seconds)
        report(f"{kind}: trimesh, × is how many times the editor's", other, ours_seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
