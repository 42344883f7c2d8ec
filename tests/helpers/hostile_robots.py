"""A folder of robots that somebody made to do harm: python -P -m tests.helpers.hostile_robots
FOLDER

Pipes and links to /dev/zero: open them under `ulimit -v` and a time limit when the program may be
broken.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LINK = '<robot name="r"><link name="a"><visual><geometry>{}</geometry>{}</visual></link></robot>'
_PLY = (
    "ply\nformat ascii 1.0\nelement vertex 900000000\nproperty float x\nproperty float y\nproperty "
    "float z\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 0\n"
)
_POSTSCRIPT = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\n(pwn) print\n"

#: Robot -> the code of the finding, or words of the message, that it ends in. None: it is shown,
#: its name as it stands.
ENDS = {
    "image_for_a_name": None,
    "robot_is_a_pipe": "it is a pipe, not a file",
    "robot_is_endless": "it is a device, not a file",
    "robot_is_a_folder": "has no URDF and is no MoveIt config package",
    "robot_of_4_gigabytes": "more than 256 MB",
    "xrdf_is_a_pipe": "XRDF001",
    "srdf_is_a_pipe": "SRDF000",
    "mesh_is_a_pipe": "MESH001",
    "mesh_is_endless": "MESH001",
    "manifest_is_a_pipe": "MESH001",
    "ply_with_a_wrong_count": "MESH003",
    "off_without_a_vertex": "MESH003",
    "library_is_endless": "MESH007",
    "buffer_is_endless": "MESH003",
    "texture_is_postscript": "MESH007",
    "texture_is_a_pipe": "MESH007",
}


#: A glTF of one triangle, whose corners are in m.bin.
_TRIANGLE = """{"asset": {"version": "2.0"}, "buffers": [{"uri": "m.bin", "byteLength": 36}],
"bufferViews": [{"buffer": 0, "byteLength": 36}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}]}"""


def make(folder: Path) -> list[Path]:
    """Writes the robots, each in a folder of its own; what to open."""
    robots: list[Path] = []

    def robot(name: str, text: str | None = None) -> Path:
        (folder / name).mkdir(parents=True)
        path = folder / name / "r.urdf"
        if text is not None:
            path.write_text(text)
        robots.append(path)
        return path.parent

    def mesh(name: str, file: str) -> Path:
        return robot(name, _LINK.format(f'<mesh filename="{file}"/>', ""))

    robot(
        "image_for_a_name",
        _LINK.format('<box size="1 1 1"/>', "").replace('"r"', "\"&lt;img src='/dev/zero'&gt;\""),
    )
    os.mkfifo(robot("robot_is_a_pipe") / "r.urdf")
    (robot("robot_is_endless") / "r.urdf").symlink_to("/dev/zero")
    (robot("robot_is_a_folder") / "r.urdf").mkdir()
    with (robot("robot_of_4_gigabytes") / "r.urdf").open("wb") as file:
        file.truncate(4 << 30)
    os.mkfifo(robot("xrdf_is_a_pipe", _LINK.format('<box size="1 1 1"/>', "")) / "r.xrdf")
    os.mkfifo(robot("srdf_is_a_pipe", _LINK.format('<box size="1 1 1"/>', "")) / "r.srdf")
    os.mkfifo(mesh("mesh_is_a_pipe", "m.stl") / "m.stl")
    (mesh("mesh_is_endless", "m.stl") / "m.stl").symlink_to("/dev/zero")
    os.mkfifo(mesh("manifest_is_a_pipe", "package://p/m.stl") / "package.xml")
    (mesh("ply_with_a_wrong_count", "m.ply") / "m.ply").write_text(_PLY)
    (mesh("off_without_a_vertex", "m.off") / "m.off").write_text("OFF\n0 0 0\n")
    library = mesh("library_is_endless", "m.obj")
    (library / "m.obj").write_text("mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (library / "m.mtl").symlink_to("/dev/zero")
    buffer = mesh("buffer_is_endless", "m.gltf")
    (buffer / "m.gltf").write_text(_TRIANGLE)
    (buffer / "m.bin").symlink_to("/dev/zero")
    material = '<material name="m"><texture filename="t.png"/></material>'
    texture = robot("texture_is_postscript", _LINK.format('<box size="1 1 1"/>', material))
    (texture / "t.png").write_text(_POSTSCRIPT)
    os.mkfifo(robot("texture_is_a_pipe", _LINK.format('<box size="1 1 1"/>', material)) / "t.png")
    return robots


if __name__ == "__main__":
    for path in make(Path(sys.argv[1])):
        print(path)
