"""Runs in an environment of its own, beside cuRobo's published sources: loads robots on the CPU as
cuRobo does.

`python curobo_process.py SOURCES` reads one JSON object {"urdf": path, "xrdf": path} (or {"yml":
path}) per line, and answers with {"error": null or text, "spheres": n, "joints": […]} per line.
cuRobo's own parser and loader do the work. Three things are replaced, since they want a GPU: the
default device, the device that tensors are made on, and the forward kinematics that finds where
locked joints stand (here in numpy). This file uses nothing of the editor.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def _patched(sources: str):
    sys.path.insert(0, sources)
    import numpy as np
    import torch

    made = torch.as_tensor

    def on_cpu(data, *args, **options):
        if "device" in options:
            options["device"] = "cpu"
        return made(data, *args, **options)

    torch.as_tensor = on_cpu
    from curobo._src.types import device_cfg

    cpu = torch.device("cpu")

    def stay_on_cpu(self):
        object.__setattr__(self, "device", cpu)

    device_cfg.DeviceCfg.__post_init__ = stay_on_cpu
    from curobo._src.robot.loader import kinematics_loader
    from curobo._src.robot.loader.kinematics_loader_cfg import KinematicsLoaderCfg
    from curobo._src.types.content_path import ContentPath
    from curobo._src.types.pose import Pose
    from curobo._src.util.xrdf_util import convert_xrdf_to_curobo

    def motion(kind: str, value: float):
        result = np.eye(4)
        axis = "XYZ".index(kind[0])
        if kind.endswith("PRISM"):
            result[axis, 3] = value
            return result
        a, b = (axis + 1) % 3, (axis + 2) % 3
        result[a, a] = result[b, b] = np.cos(value)
        result[b, a], result[a, b] = np.sin(value), -np.sin(value)
        return result

    def link_poses(self, q, names, config):
        values = dict(zip(self.joint_names, q.reshape(-1).tolist(), strict=True))
        poses: dict[str, Any] = {}
        for body in self._bodies:
            matrix = np.eye(4)
            matrix[:3, :4] = np.asarray(body.fixed_transform)[:3, :4]
            if body.joint_type.name != "FIXED":
                factor, offset = body.joint_offset
                matrix = matrix @ motion(
                    body.joint_type.name, factor * values[body.joint_name] + offset
                )
            parent = poses.get(body.parent_link_name, np.eye(4))
            poses[body.link_name] = parent @ matrix
        stack = torch.tensor(np.stack([poses[n] for n in names]), dtype=torch.float32)
        pose = Pose.from_matrix(stack)
        return Pose(position=pose.position.unsqueeze(0), quaternion=pose.quaternion.unsqueeze(0))

    kinematics_loader.KinematicsLoader._get_link_poses = link_poses

    def load(task):
        if "fields" in task:
            import dataclasses

            from curobo._src.robot.types.cspace_params import CSpaceParams

            asked = {"fields": KinematicsLoaderCfg, "cspace": CSpaceParams}
            return {
                name: [field.name for field in dataclasses.fields(of)] for name, of in asked.items()
            }
        if "yml" in task:
            import yaml

            with open(task["yml"], encoding="utf-8") as file:
                told = yaml.safe_load(file)
        else:
            path = ContentPath(
                robot_urdf_absolute_path=task["urdf"],
                robot_xrdf_absolute_path=task["xrdf"],
                robot_asset_absolute_path="",
            )
            told = convert_xrdf_to_curobo(path)
        kinematics = told.get("robot_cfg", told)["kinematics"]
        loader = kinematics_loader.KinematicsLoader(KinematicsLoaderCfg(**kinematics))
        config = loader.kinematics_config
        return {
            "error": None,
            "spheres": int(config.total_spheres),
            "joints": list(config.joint_names),
            "positions": config.joint_limits.position.T.tolist(),
            "velocities": config.joint_limits.velocity[1].tolist(),
            "tools": list(config.tool_frames),
            "centres": config.link_spheres.reshape(-1, 4).tolist(),
        }

    return load


def main() -> None:
    load = _patched(sys.argv[1])
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = load(json.loads(line))
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
