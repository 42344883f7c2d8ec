"""What a robot of a fleet costs, from one robot to many: variants of one arm, which differ in their
lengths.

`python -m tests.bench.bench_batch [--robots N] [--steps new,fit,…]`: CPU of all processes by the
number of robots. The start of the processes is paid once; the last column is what each further
robot costs.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from editor_app.plugins.fleets.verbs.run import batch

_LINK = (
    '<link name="{name}"><collision><origin xyz="0 0 {half}"/><geometry><box size="0.08 0.06 '
    '{length}"/></geometry>'
    "</collision></link>"
)
_JOINT = (
    '<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin '
    'xyz="0 0 {length}"/>'
    '<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>'
)


def variant(number: int) -> str:
    """A URDF of an arm with four links."""
    length = 0.2 + number * 1e-4
    names = ("base", "upper", "fore", "hand")
    links = "".join(_LINK.format(name=name, length=length, half=length / 2) for name in names)
    joints = "".join(
        _JOINT.format(name=f"j{k}", parent=names[k], child=names[k + 1], length=length * 1.1)
        for k in range(3)
    )
    return f'<robot name="arm{number}">{links}{joints}</robot>'


def cost(robots: int, steps: str, folder: Path) -> float:
    """CPU seconds of a whole run in one process beside this one."""
    fleet = folder / f"fleet-{robots}"
    fleet.mkdir()
    for number in range(robots):
        (fleet / f"arm{number:05}.urdf").write_text(variant(number))
    before = _cpu()
    settings = {"steps": steps, "effort": "fast", "samples": 2000, "queries": 3}
    report = batch(fleet, folder / f"out-{robots}", settings=settings, jobs=1, pictures=False)
    assert report.is_sound, [robot.record["steps"] for robot in report.robots if robot.problems][:1]
    return _cpu() - before


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--steps", default="new,check,convert")
    options = parser.parse_args()
    numbers = [n for n in (1, 10, 100, 1000) if n < options.robots] + [options.robots]
    with tempfile.TemporaryDirectory() as name:
        before: tuple[int, float] | None = None
        for robots in numbers:
            seconds = cost(robots, options.steps, Path(name))
            further = (
                ""
                if before is None
                else f"{(seconds - before[1]) / (robots - before[0]) * 1e3:9.1f} ms"
            )
            print(
                f"{robots:6} robots {seconds:8.2f} s {seconds / robots * 1e3:10.1f} ms each   "
                f"further: {further:>12}",
                flush=True,
            )
            before = robots, seconds


if __name__ == "__main__":
    main()
