"""Runs in an environment that has Newton, and uses nothing of the editor: opens a USD stage and
poses it.

Reads one JSON object {"stage": path, "poses": [{path of a joint: rad or m}]}; the last line that it
prints is a list of {path of a body: [x, y, z]} for each pose.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    import newton

    task = json.load(sys.stdin)
    builder = newton.ModelBuilder()
    builder.add_usd(task["stage"])
    model = builder.finalize(device="cpu")
    starts, state, answers = model.joint_q_start.numpy(), model.state(), []
    for pose in task["poses"]:
        positions = model.joint_q.numpy()
        for joint, value in pose.items():
            positions[starts[builder.joint_label.index(joint)]] = value
        model.joint_q.assign(positions)
        newton.eval_fk(model, model.joint_q, model.joint_qd, state)
        places = state.body_q.numpy()[:, :3].tolist()
        answers.append(dict(zip(builder.body_label, places, strict=True)))
    print(json.dumps(answers))


main()
