"""A file that holds another format than its name says, or one that is not read: told in a sentence
by every reader."""

from __future__ import annotations

import re
from pathlib import Path

from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import other_kind
from editor_app.core.text.source import FormatError, SourceText

_XRDF = re.compile(r"^format:\s*['\"]?xrdf", re.MULTILINE | re.IGNORECASE)
_OF_A_URDF = re.compile(r"<(?:visual|collision|inertial|joint\s[^>]*\btype\s*=)")
#: An element that is in an SRDF and in no URDF.
OF_AN_SRDF = re.compile(
    r"<(?:disable_collisions|enable_collisions|disable_default_collisions|group_state|group|end_effector"
    r"|virtual_joint|passive_joint|link_sphere_approximation|collision_margins)\b"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: Any element below the root.
_ELEMENT = re.compile(r"<(?!robot\b)[A-Za-z_]")
_OF_EITHER = ("<link", "<joint name", "xacro:")

_OPEN_THE_URDF = "Open the URDF of the robot."
_MJCF = (
    "This is an MJCF file of MuJoCo",
    "Import it: File, Import, or xrdf-editor convert FILE.xml ROBOT.urdf. Or open the URDF from "
    "which it was "
    "generated.",
)
_SDF = (
    "This is an SDF file of Gazebo",
    "Import it: File, Import, or xrdf-editor convert FILE.sdf ROBOT.urdf. Or open the URDF from "
    "which it was "
    "generated.",
)
_PART_OF_MJCF = (
    "This is part of an MJCF that another file includes",
    "Import the file that includes it, or open the URDF from which it was generated.",
)
_USD = (
    "This is a USD scene",
    "Name it .usd and import it: File, Import, or xrdf-editor convert FILE.usd ROBOT.urdf. Or open "
    "the URDF from which "
    "it was generated.",
)
_ROOTS = {
    "sdf": _SDF,
    "gazebo": ("This is an SDF file of an old version", _OPEN_THE_URDF),
    "mujoco": _MJCF,
    "mujocoinclude": _PART_OF_MJCF,
    "launch": ("This is a ROS launch file", "Open the URDF or xacro file that it loads."),
    "package": ("This is the manifest of a ROS package", "Open the URDF in its folder."),
}
_MESH = (
    "This is a mesh, not a robot",
    "Open the URDF of the robot and drop the mesh onto a link. File, New robot creates a robot "
    "with one link.",
)
_CAD = ("This is a CAD model", "Export the robot as a URDF from the CAD program.")
#: What the bytes of a file begin with.
_MARKS = (
    (b"#usda ", _USD),
    (b"PXR-USDC", _USD),
    (b"ISO-10303-21", _CAD),
    (b"glTF", _MESH),
    (b"ply\n", _MESH),
    (b"ply\r\n", _MESH),
    (b"OFF\n", _MESH),
)
#: What has no mark of its own. A COLLADA file (.dae) may be a robot.
_SUFFIXES = {
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), _USD),
    **dict.fromkeys((".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf", ".fbx"), _MESH),
    **dict.fromkeys((".step", ".stp", ".iges", ".igs", ".sldprt", ".sldasm", ".f3d"), _CAD),
}
#: Atomic groups: a file of many comments and no element does not take for ever.
_FIRST_ELEMENT = re.compile(
    r"\s*(?>(?><\?.*?\?>|<!--.*?-->|<!(?!--)[^>]*>)\s*)*+<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL
)
#: Bytes of a file that are looked at.
HEAD = 65_536


class UnreadKind(FormatError):
    """A file of a kind that robots or their parts come in, but that is not read: named, with the
    way to go."""


def refuse_unread_kind(path: Path, head: bytes | None = None) -> None:
    """Raises UnreadKind for MJCF, USD, SDF, meshes and CAD models: by their content, then by their
    names.

    `head` is the beginning of the file, in UTF-8 where it is text, if it is at hand. What cannot be
    opened is no kind.
    """
    if head is None:
        if other_kind(path) is not None:
            return
        try:
            with path.open("rb") as file:
                head = file.read(HEAD)
        except (OSError, ValueError):
            return
    kind = next((kind for mark, kind in _MARKS if head.startswith(mark)), None)
    root = find_root_tag(head.decode("utf-8", "replace")) if kind is None else ""
    if root:
        kind = _ROOTS.get(root)
    elif kind is None:
        kind = _SUFFIXES.get(path.suffix.lower())
    if kind is not None:
        message, remedy = kind
        raise UnreadKind(message, Location(str(path)), remedy)


def find_root_tag(text: str) -> str:
    """The tag of the first element of an XML text, without its prefix; "" where none is seen at its
    beginning."""
    root = _FIRST_ELEMENT.match(text[:HEAD].lstrip("\ufeff"))
    return root.group(1) if root is not None else ""


def is_srdf_text(text: str) -> bool:
    """Return whether an XML text is an SRDF by its elements: the members of groups are called as
    the elements of a URDF.

    A robot without any element could be either; it is no SRDF here, so that it is told to have no
    link.
    """
    if "<robot" not in text:
        return False
    text = _COMMENT.sub("", text)
    if _OF_A_URDF.search(text):
        return False
    if OF_AN_SRDF.search(text) is not None:
        return True
    return _ELEMENT.search(text) is not None and not any(mark in text for mark in _OF_EITHER)


def refuse_xrdf(source: SourceText, wanted: str, remedy: str) -> None:
    """Raises FormatError where an XRDF stands in the place of XML; `wanted`: "a URDF"."""
    if not source.text[:400].lstrip().startswith("<") and _XRDF.search(source.text):
        raise FormatError(f"This is an XRDF file, not {wanted}", source.location(0), remedy)


def refuse_xml(source: SourceText, wanted: str) -> None:
    """Raises FormatError where a URDF, SRDF or COLLADA file stands in the place of YAML; `wanted`:
    "an XRDF"."""
    text = source.text
    if not text[:400].lstrip("\ufeff \t\r\n").startswith("<"):
        return
    if "<COLLADA" in text[:4000]:
        file_kind = "a COLLADA file"
    elif is_srdf_text(text):
        file_kind = "an SRDF file"
    elif "<robot" in text:
        file_kind = "a URDF file"
    else:
        file_kind = "an XML file"
    raise FormatError(
        f"This is {file_kind}, not {wanted}",
        source.location(0),
        "Pass it as the robot, and open the XRDF of the robot here.",
    )
