"""The readers that are fuzzed: seeds of each, and what is done with one case."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Hashable
from pathlib import Path

import numpy as np

from editor_app.edit.opening import open_robot
from editor_app.formats.foreign.collada.read import read_collada_robot
from editor_app.formats.foreign.curobo.read import read_curobo
from editor_app.formats.foreign.lula import lula_text, read_lula
from editor_app.formats.foreign.sphere_lists import read_sphere_list
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.geometry.loading import load_mesh
from tests.helpers.documents import CLEAN, URDF, V2
from tests.helpers.robots import sample_urdf

#: Reads one case; returns a value that tells ways through the reader apart.
Case = Callable[[bytes], Hashable]
CUROBO = """robot_cfg:
  kinematics:
    urdf_path: arm.urdf
    base_link: base
    ee_link: hand
    collision_link_names: [base, upper]
    collision_spheres:
      base: [{center: [0.0, 0.0, 0.1], radius: 0.1}]
      upper: [{center: [0.0, 0.0, 0.2], radius: 0.05}]
    self_collision_ignore: {base: [upper]}
    self_collision_buffer: {base: 0.01}
    cspace: {joint_names: [shoulder, elbow, grip], retract_config: [0.0, 0.5, 0.2], max_jerk: 500.0}
"""
_SPHERE = {"center": [0, 0, 0.1], "radius": 0.1}
SPHERES = (
    {"collision_spheres": {"base": [_SPHERE, _SPHERE], "upper": [_SPHERE]}, "metadata": {"total": 3}},
    {"spheres": {"base::primitive0": {"8": {"spheres": [_SPHERE], "mean_error": 0.1}}}},
    [{"spheres": [{"origin": [0, 0, 0], "radius": 0.1}], "mean_error": 0.1}],
)


def told(error: FormatError) -> Hashable:
    """The lines of code that the error came through. An error without a sentence is one that nobody understands."""
    if not str(error):
        raise AssertionError("an error without words") from error
    return tuple((frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__, limit=-4))


def findings_of(result: object) -> Hashable:
    """Codes of what a reader found fault with; its notes without their names and numbers, where it has no codes."""
    findings = getattr(result, "findings", None)
    if findings is None:
        return tuple(sorted({re.sub(r"[^a-z ]", "", str(note).lower())[:24] for note in getattr(result, "notes", ())}))
    return tuple(sorted({(finding.code, finding.message.partition(" ")[0]) for finding in findings}))


def readers(folder: Path) -> dict[str, tuple[list[bytes], Case]]:
    """By name: seeds, and a function that reads one case; it raises only what no reader may let out."""
    urdf = read_urdf(SourceText.from_text(URDF)).urdf
    sample = sample_urdf()
    (folder / "arm.urdf").write_text(URDF)
    (folder / "arm.xrdf").write_text(CLEAN)
    robot = open_robot(folder / "arm.urdf").robot

    def text(read: Callable[[SourceText], object]) -> Case:
        def case(data: bytes) -> Hashable:
            try:
                return findings_of(read(SourceText.from_bytes(data)))
            except FormatError as error:
                return told(error)

        return case

    def mesh(suffix: str) -> Case:
        path = folder / f"mesh.{suffix}"

        def case(data: bytes) -> Hashable:
            path.write_bytes(data)
            loaded = load_mesh(path)
            assert loaded.parts or loaded.findings
            return len(loaded.parts), findings_of(loaded)

        return case

    def collada(data: bytes) -> Hashable:
        path = folder / "robot.dae"
        path.write_bytes(data)
        try:
            return findings_of(read_collada_robot(path))
        except FormatError as error:
            return told(error)

    by_format: dict[str, tuple[list[bytes], Case]] = {
        "urdf": ([URDF.encode(), sample.read_bytes()], text(read_urdf)),
        "xrdf": ([CLEAN.encode(), V2.encode()], text(read_xrdf)),
        "srdf": ([sample.with_suffix(".srdf").read_bytes()], text(read_srdf)),
        "curobo": ([CUROBO.encode()], text(lambda source: read_curobo(source, urdf))),
        "lula": ([lula_text(robot).text.encode()], text(lambda source: read_lula(source, urdf))),
        "spheres": (
            [json.dumps(value).encode() for value in SPHERES],
            text(lambda source: read_sphere_list(source, ("base", "upper"))),
        ),
        "collada": (_collada_seeds(), collada),
    }
    for suffix, seeds in _mesh_seeds(folder, sample.parent / "meshes").items():
        for seed in seeds:
            (folder / f"seed.{suffix}").write_bytes(seed)
            assert load_mesh(folder / f"seed.{suffix}").parts, f"a seed of {suffix} is not read"
        by_format[suffix] = (seeds, mesh(suffix))
    return by_format


def _collada_seeds() -> list[bytes]:
    from tests.helpers import collada_robot

    return [collada_robot.ROBOT.encode()]


def _mesh_seeds(folder: Path, meshes: Path) -> dict[str, list[bytes]]:
    import logging

    import trimesh

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)
    box = trimesh.creation.box((1, 1, 1))
    box.visual.vertex_colors = np.full((8, 4), 200, np.uint8)
    seeds = {}
    for kind in ("stl", "ply", "off", "obj", "glb", "dae"):
        data = box.export(file_type=kind)
        seeds[kind] = [data if isinstance(data, bytes) else data.encode()]
    seeds["stl"].append(box.export(file_type="stl_ascii").encode())
    seeds["ply"].append(box.export(file_type="ply", encoding="ascii"))
    seeds["dae"] += [min(meshes.rglob("*.dae"), key=lambda path: path.stat().st_size).read_bytes()]
    (folder / "m.mtl").write_text("newmtl a\nKd 1 0 0\nd 0.5\n")
    seeds["obj"].append(b"mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n")
    files = box.scene().export(file_type="gltf")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    seeds["gltf"] = [next(data for name, data in files.items() if name.endswith(".gltf"))]
    return seeds
