"""Runs in an environment that has MuJoCo, and uses nothing of the editor: loads URDFs and poses
them.

Reads one JSON object {"urdf": text, "poses": [{joint: value}]} per line, answers {"error": text or
null, "bodies": {name: [[x, y, z, r00 … r22] for each pose]}} per line.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def answer(task):
    import mujoco

    compiler = (
        '<mujoco><compiler fusestatic="false" discardvisual="false" balanceinertia="true" '
        'boundmass="0.001" '
        'boundinertia="0.000001"/></mujoco></robot>'
    )
    text = task["urdf"]
    end = text.rindex("</robot>")
    model = mujoco.MjModel.from_xml_string(text[:end] + compiler)
    data = mujoco.MjData(model)
    placements: dict[str, Any] = {}
    for pose in task["poses"]:
        data.qpos[:] = model.qpos0
        for name, value in pose.items():
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name)
            if number < 0:
                raise ValueError(f"MuJoCo has no joint {name}")
            data.qpos[model.jnt_qposadr[number]] = value
        mujoco.mj_kinematics(model, data)
        for body in range(model.nbody):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, body)
            placements.setdefault(name, []).append(
                [*data.xpos[body].tolist(), *data.xmat[body].tolist()]
            )
    return {"error": None, "bodies": placements}


for line in sys.stdin:
    try:
        told = answer(json.loads(line))
    except Exception as error:
        told = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(told), flush=True)
