"""Runs in an environment that has Drake, and uses nothing of the editor: reads an SDF and poses it.

Reads one JSON object {"sdf": path, "packages": {name: folder}, "poses": count}; the last line that
it prints has the bodies with mass and spatial inertia, and for each random pose the joints'
positions and the bodies' frames.
"""

from __future__ import annotations

import json
import logging
import math
import sys
from typing import Any


def main() -> None:
    from pydrake.math import RollPitchYaw
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, JointIndex

    logging.getLogger("drake").setLevel(logging.ERROR)
    task = json.load(sys.stdin)
    plant = MultibodyPlant(0.001)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    for name, folder in task["packages"].items():
        if not parser.package_map().Contains(name):
            parser.package_map().Add(name, folder)
    parser.AddModels(task["sdf"])
    plant.Finalize()
    context = plant.CreateDefaultContext()

    def full_name(part: Any) -> str:
        return f"{plant.GetModelInstanceName(part.model_instance())}::{part.name()}"

    bodies = [plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies())]
    joints = [plant.get_joint(JointIndex(k)) for k in range(plant.num_joints())]
    answer: dict[str, Any] = {
        "bodies": {
            full_name(body): {
                "mass": body.default_mass(),
                "inertia": body.default_spatial_inertia().CopyToFullMatrix6().tolist(),
            }
            for body in bodies
        },
        "poses": [],
    }
    random = __import__("random").Random(1)
    for _ in range(task["poses"]):
        at: dict[str, float] = {}
        positions = plant.GetPositions(context)
        for joint in joints:
            kind, name = joint.type_name(), full_name(joint)
            values = [random.uniform(-1, 1) for _ in range(joint.num_positions())]
            if kind in ("revolute", "prismatic"):
                at[name] = values[0]
            elif kind == "universal":
                at[f"{name}_axis"], at[f"{name}_axis2"] = values
            elif kind == "screw":
                at[name], at[f"{name}_slide"] = (
                    values[0],
                    values[0] * joint.screw_pitch() / (2 * math.pi),
                )
            elif kind == "ball_rpy":
                # As angles about x, y and z one after the other.
                r = RollPitchYaw(values).ToRotationMatrix().matrix()
                at[f"{name}_x"], at[f"{name}_z"] = (
                    math.atan2(-r[1, 2], r[2, 2]),
                    math.atan2(-r[0, 1], r[0, 0]),
                )
                at[f"{name}_y"] = math.asin(max(-1.0, min(1.0, r[0, 2])))
            else:
                continue
            positions[joint.position_start() : joint.position_start() + len(values)] = values
        plant.SetPositions(context, positions)
        frames = {
            full_name(body): plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4().tolist()
            for body in bodies
        }
        answer["poses"].append({"joints": at, "frames": frames})
    print(json.dumps(answer))


main()
