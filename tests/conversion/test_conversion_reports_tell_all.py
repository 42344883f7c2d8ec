"""What a conversion loses, keeps or guesses is in its report; what is not lost is not called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert
from tests.helpers.documents import URDF

XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {shoulder: 0.1, elbow: 0.2}
cspace:
  joint_names: [shoulder, elbow]
  acceleration_limits: [1.0, 2.0]
  jerk_limits: [3.0, 4.0]
tool_frames: [hand]
collision: {geometry: balls, buffer_distance: {upper: 0.02}}
self_collision: {geometry: balls}
geometry:
  balls:
    spheres:
      upper:
        - {center: [0.0, 0.0, 0.1], radius: 0.1}
        - {center: [0.0, 0.0, 0.2], radius: 0.1}
      hand:
        - {center: [0.0, 0.0, 0.0], radius: -0.01}
"""
SRDF = """<robot name="arm">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="lift"><joint name="grip"/></group>
  <group_state name="up" group="arm"><joint name="shoulder" value="0.25"/><joint name="elbow" value="0"/></group_state>
  <end_effector name="gripper" parent_link="hand" group="lift"/>
</robot>
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.xrdf").write_text(XRDF)
    return [tmp_path / "arm.urdf", tmp_path / "arm.xrdf"]


def told(conversion: Conversion) -> dict[str, dict[str, str]]:
    """Fate -> item -> detail."""
    details: dict[str, dict[str, str]] = {}
    for report in conversion.reports:
        for entry in report.entries:
            details.setdefault(entry.fate.name, {})[entry.item] = entry.detail
    return details


@pytest.mark.parametrize("kind", ["srdf", "lula", "spheres-urdf"])
def test_buffers_against_obstacles_are_lost_aloud(files: list[Path], kind: str) -> None:
    fates = told(convert(files, files[0].with_name("out"), ConvertOptions.of(to=kind)))
    assert "collision.buffer_distance" in fates["LOST"]
    # Nothing was said about the robot itself.
    assert "self_collision.buffer_distance" not in fates["LOST"]


def test_radii_that_no_sphere_can_have_are_told_of(files: list[Path]) -> None:
    out = files[0].with_name("out")
    assert "spheres of hand" in told(convert(files, out, ConvertOptions.of(to="lula")))["LOST"]
    assert "spheres of hand" in told(convert(files, out, ConvertOptions.of(to="srdf")))["KEPT"]
    fates = told(convert(files, out, ConvertOptions.of(to="spheres-urdf")))
    assert "spheres of hand" in fates["LOST"]
    assert fates["TRANSLATED"]["geometry"] == "2 spheres as collision geometry of 1 link"


@pytest.mark.parametrize("kind", ["curobo", "lula"])
def test_joints_are_told_of_and_nothing_is_taken_over_where_there_is_nothing(
    files: list[Path], kind: str
) -> None:
    out = files[0].with_name("out")
    fates = told(convert(files, out, ConvertOptions.of(to=kind)))
    assert fates["TAKEN"]["cspace.joint_names"] == "2 joints"
    files[1].write_text(XRDF[: XRDF.index("collision:")])
    assert not {"geometry", "self_collision.ignore"} & set(
        told(convert(files, out, ConvertOptions.of(to=kind)))["TAKEN"]
    )


def test_what_we_wrote_for_curobo_comes_back_without_a_loss(files: list[Path]) -> None:
    out = files[0].with_name("out.yml")
    converted = convert(files, out, ConvertOptions.of(to="curobo"))
    assert (
        "collision_sphere_buffer of 1 link" in told(converted)["TAKEN"]["collision.buffer_distance"]
    )
    out.write_bytes(converted.files[0][1])
    back = files[0].with_name("back.xrdf")
    fates = told(convert([files[0], out], back, ConvertOptions.of(to="xrdf")))
    assert "LOST" not in fates
    assert "cspace.null_space_weight" in fates["KEPT"]
    out.write_text(
        out.read_text().replace("null_space_weight: [1.0, 1.0", "null_space_weight: [2.0, 1.0")
    )
    fates = told(convert([files[0], out], back, ConvertOptions.of(to="xrdf")))
    assert list(fates["LOST"]) == ["cspace.null_space_weight"]


def test_a_urdf_with_spheres_by_itself_gives_them_and_says_what_is_guessed(
    files: list[Path],
) -> None:
    out = files[0].with_name("spheres.urdf")
    out.write_bytes(convert(files, out, ConvertOptions.of(to="spheres-urdf")).files[0][1])
    back = files[0].with_name("back.xrdf")
    conversion = convert([out], back, ConvertOptions.of(to="xrdf"))
    xrdf = read_xrdf(SourceText.from_text(conversion.files[0][1].decode())).value
    assert [len(s) for s in xrdf.spheres_of(xrdf.world_group).values() if s] == [2]
    fates = told(conversion)
    assert fates["TAKEN"]["collision spheres"] == "2 spheres on 1 link"
    assert "placeholders" in fates["TRANSLATED"]["joints"]


def test_a_urdf_with_spheres_needs_some(files: list[Path]) -> None:
    files[1].write_text(XRDF[: XRDF.index("collision:")])
    with pytest.raises(FormatError, match="No spheres"):
        convert(files, files[0].with_name("out.urdf"), ConvertOptions.of(to="spheres-urdf"))


def test_an_srdf_that_goes_along_into_a_collada_file_loses_nothing(files: list[Path]) -> None:
    srdf = files[0].with_name("arm.srdf")
    srdf.write_text(SRDF)
    out = files[0].with_name("out.dae")
    fates = told(
        convert([files[0], srdf], out, ConvertOptions.of(to="collada", group="arm", state="up"))
    )
    assert "LOST" not in fates
    assert {"group lift", "end_effector"} <= set(fates["KEPT"])
    out = out.with_suffix(".xrdf")
    fates = told(
        convert([files[0], srdf], out, ConvertOptions.of(to="xrdf", group="arm", state="up"))
    )
    assert {"group lift", "end_effector"} <= set(fates["LOST"])


def test_a_missing_urdf_is_told_at_the_file_that_needs_it(tmp_path: Path) -> None:
    config = tmp_path / "list.json"
    config.write_text('{"spheres": {"a": [{"center": [0, 0, 0], "radius": 0.1}]}}')
    with pytest.raises(FormatError, match=r"list\.json: The robot's URDF is needed"):
        convert([config], tmp_path / "out.xrdf", ConvertOptions.of(to="xrdf"))
