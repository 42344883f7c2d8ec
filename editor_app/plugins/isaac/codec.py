"""A folder that the loaders of Isaac Sim and Isaac ROS take a robot from.

- cuMotion in Isaac Sim: `load_cumotion_robot(FOLDER)` wants `robot.urdf` and `robot.xrdf` in it.
- Lula and RMPflow in Isaac Sim: `load_supported_motion_policy_config(NAME, "RMPflow", FOLDER)`
  wants `policy_map.json`, and behind it a `config.json` with `relative_asset_paths` and the
  arguments of `RmpFlow`.
- Isaac ROS: the nodes of isaac_ros_cumotion have the parameters `robot` and `urdf_path`; they are
  in a file for `--params-file`.

Read in isaac-sim/IsaacSim 045ca8b (`configuration_loader.py`, `interface_config_loader.py`) and
NVIDIA-ISAAC-ROS/isaac_ros_cumotion (`update_kinematics.py`).
"""

from __future__ import annotations

import json
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
)
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.printable import printable_json

_ENDING = ".isaac"
_URDF, _XRDF, _LULA, _RMPFLOW = (
    "robot.urdf",
    "robot.xrdf",
    "robot_description.yaml",
    "robot_rmpflow.yaml",
)
#: As in the configurations that Isaac Sim comes with: seconds of one step of RMPflow.
_STEP = 0.00334


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    """What stands beside the URDF, XRDF and Lula description of the layout. `output` is the
    folder."""
    out = Reporter("the robot", "folder for Isaac")
    tools = subject.robot.xrdf.tool_frames or ()
    name = subject.robot.urdf.name or output.name.removesuffix(_ENDING)
    # Lula knows the frames of the URDF alone.
    is_link = bool(tools) and subject.robot.urdf.link(tools[0]) is not None
    config: dict[str, object] = {"end_effector_frame_name": tools[0]} if is_link else {}
    config |= {"maximum_substep_size": _STEP, "ignore_robot_state_updates": False}
    config["relative_asset_paths"] = {
        "robot_description_path": f"./{_LULA}",
        "urdf_path": f"./{_URDF}",
        "rmpflow_config_path": f"./{_RMPFLOW}",
    }
    parameters: dict[str, str] = {
        "robot": str(output.absolute() / _XRDF),
        "urdf_path": str(output.absolute() / _URDF),
    }
    if tools:
        who = (
            "Lula and of Isaac ROS"
            if is_link
            else "Isaac ROS; Lula supports only frames of the URDF"
        )
        out.translated(f"tool frame {tools[0]}", f"end effector of {who}")
        parameters["tool_frame"] = tools[0]
    for tool in tools[1:]:
        out.kept(f"tool frame {tool}", "in the XRDF only: Lula and Isaac ROS have one end effector")
    out.invented("maximum_substep_size", "as in Isaac Sim's configurations")
    files = (
        (output / "policy_map.json", _json({name: {"RMPflow": "./config.json"}})),
        (output / "config.json", _json(config)),
        (output / "isaac_ros_cumotion.yaml", _json({"/**": {"ros__parameters": parameters}})),
    )
    note = "isaac_ros_cumotion.yaml contains absolute paths: convert again after moving the folder."
    return subject.written(files, out.report(), notes=(note,))


def _json(value: object) -> bytes:
    """JSON, which is YAML as well where it escapes what YAML takes for the end of a line."""
    return (printable_json(json.dumps(value, indent=4, ensure_ascii=False)) + "\n").encode()


CODEC = Codec(
    name="isaac-folder",
    title="&Folder for Isaac Sim and Isaac ROS",
    pattern="*.isaac",
    writer=Writer(
        _write,
        endings=(_ENDING,),
        proposal=_ENDING,
        holds=frozenset({Part.LINKS, Part.SHAPES, Part.XRDF, Part.SPHERES}),
        takes=("world", "merge", "ignore", "positions"),
        layout=(("urdf", _URDF), ("xrdf", _XRDF), ("lula", _LULA), ("rmpflow", _RMPFLOW)),
    ),
)
