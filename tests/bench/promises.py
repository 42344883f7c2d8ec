"""What is told of a budget before a fit, beside what whole fits of robots give: `python -m
tests.bench.promises`.

A row for each robot with half, once and twice the usual budget: how far the spheres of a link stand
out at most, and on average, told and come (mm), and the CPU time of the telling, with the meshes
prepared (s). Names of URDFs of example-robot-data may be given, or paths; by default, `ROBOTS`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import editor_app
from editor_app.core.tasks.task import SILENT
from editor_app.features.spheres.engine.budget import estimate_budget
from editor_app.features.spheres.verbs.budget_outlook import budget_outlook
from editor_app.features.spheres.verbs.link_fits import compute_loss_curve
from tests.helpers.robots import example_robots, shared_robots

#: Robots of the second line were not looked at when the rule was made.
ROBOTS = (
    "ur10e so100 so101 z1 xarm7 panda fanuc kinova ur3_robot ur5_robot ur10_robot ur5_gripper "
    "talos_left_arm a1 go2",
    "ur3_gripper allegro_right_hand laikago go1 hyq_no_sensors anymal iris double_pendulum_simple "
    "solo asr_twodof",
)


def urdf_of(name: str) -> Path | None:
    if Path(name).is_file():
        return Path(name)
    for folder in (shared_robots(), example_robots()):
        for path in sorted(folder.rglob("*.urdf")):
            if path.stem == name:
                return path
    return None


def main(names: list[str]) -> None:
    errors: list[tuple[float, str]] = []
    for name in names:
        path = urdf_of(name)
        if path is None:
            print(f"{name}: not here")
            continue
        document = editor_app.open_robot(path)
        probe = editor_app.fit(document, choices=editor_app.FitChoices(effort="fast"))
        meshes = [each.mesh for each in probe.links]
        usual = estimate_budget(len(meshes))
        for mesh in meshes:
            compute_loss_curve(SILENT, mesh, 2 * usual)
        totals = [total for total in (usual // 2, usual, 2 * usual) if total >= len(meshes)]
        began = time.process_time()
        told = budget_outlook(meshes, totals)
        seconds = time.process_time() - began
        for total in totals:
            fits = editor_app.fit(document, budget=total).links
            depths = [
                1000 * each.result.quality.protrusion_max
                for each in fits
                if each.result.quality is not None
            ]
            most, mean = max(depths), sum(depths) / len(depths)
            figures = told[total]
            errors += [
                (1000 * figures.most / most, f"{name} {total}"),
                (1000 * figures.mean / mean, f"{name} {total} mean"),
            ]
            print(
                f"| {name} | {total} | {1000 * figures.most:.1f} | {most:.1f} | "
                f"{1000 * figures.most / most:.2f} "
                f"| {1000 * figures.mean:.1f} | {mean:.1f} | {1000 * figures.mean / mean:.2f} | "
                f"{seconds:.1f} |",
                flush=True,
            )
    near = sum(0.8 <= ratio <= 1.2 for ratio, _ in errors) / max(1, len(errors))
    print(
        f"{100 * near:.0f} % of {len(errors)} within 20 %; worst {sorted(errors)[0]}, "
        f"{sorted(errors)[-1]}"
    )


if __name__ == "__main__":
    main(sys.argv[1:] or " ".join(ROBOTS).split())
