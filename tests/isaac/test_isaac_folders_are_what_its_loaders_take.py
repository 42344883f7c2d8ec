"""The folder that Isaac Sim and Isaac ROS load a robot from, and that opens as the same robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import SaveError
from editor_app.core.formats.registry import recognise_format
from editor_app.core.verbs.convert import ConvertOptions, convert, write_conversion
from tests.helpers.documents import CLEAN, URDF

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"


def loaded_as_lula_is(folder: Path, robot: str) -> dict[str, str]:
    """What Isaac Sim gives to LulaKinematicsSolver: the map, then the configuration with its
    relative paths."""
    path = folder / json.loads((folder / "policy_map.json").read_text())[robot]["RMPflow"]
    config = json.loads(path.read_text())
    return {
        key: str(path.parent / name) for key, name in config["relative_asset_paths"].items()
    } | {"frame": config.get("end_effector_frame_name", "")}


def test_a_folder_has_what_each_loader_asks_for_and_opens_as_the_robot(tmp_path: Path) -> None:
    document = open_document(SAMPLE)
    folder = tmp_path / "heron.isaac"
    conversion = convert(document, folder)
    write_conversion(conversion)
    # cuMotion in Isaac Sim: these two names.
    again = open_document(folder / "robot.urdf")
    assert again.xrdf_path == folder / "robot.xrdf"
    assert again.robot.urdf == document.robot.urdf
    assert again.robot.xrdf == document.robot.xrdf
    mesh = "meshes/collision/base_link.stl"
    assert (folder / mesh).read_bytes() == (SAMPLE.parent / mesh).read_bytes()
    lula = loaded_as_lula_is(folder, "heron")
    assert Path(lula["urdf_path"]).samefile(folder / "robot.urdf")
    assert recognise_format(Path(lula["robot_description_path"])).name == "lula"
    assert recognise_format(Path(lula["rmpflow_config_path"])).name == "rmpflow"
    # The tool of the sample is an added frame, of which Lula knows nothing.
    assert lula["frame"] == ""
    parameters = json.loads((folder / "isaac_ros_cumotion.yaml").read_text())["/**"][
        "ros__parameters"
    ]
    assert Path(parameters["robot"]).samefile(folder / "robot.xrdf")
    assert parameters["tool_frame"] == "grasp_frame"
    # Nothing is lost: what Lula has no room for stands in the XRDF.
    assert all(report.is_lossless for report in conversion.reports)
    with pytest.raises(SaveError):
        write_conversion(conversion)


def test_a_folder_of_any_name_can_be_asked_for(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF, encoding="utf-8")
    xrdf = CLEAN.replace("tool_frames: [tool]", "tool_frames: [hand, tool]")
    (tmp_path / "arm.xrdf").write_text(xrdf, encoding="utf-8")
    folder = tmp_path / "OUT"
    options = ConvertOptions(to="isaac-folder")
    conversion = convert([tmp_path / "arm.urdf", tmp_path / "arm.xrdf"], folder, options)
    assert {path.parent for path, _ in conversion.files} == {folder}
    write_conversion(conversion)
    assert loaded_as_lula_is(folder, "arm")["frame"] == "hand"
    assert any(
        entry.item == "tool frame tool" for report in conversion.reports for entry in report.entries
    )
    assert (folder / "robot.xrdf").read_text(encoding="utf-8") == xrdf
