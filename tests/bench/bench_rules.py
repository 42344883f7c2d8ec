"""How long the rules take on 2,000 spheres: all of them, and again after one edit, against reading
the same file.

Run: python -m tests.bench.bench_rules
"""

from __future__ import annotations

from editor_app.core.document.commands import SetSpheres
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import Checker
from tests.bench.timing import best_of, report

LINKS, PER_LINK = 30, 67


def robot_texts() -> tuple[str, str]:
    """A chain of 30 links with 2,010 spheres."""
    links = "".join(f'<link name="l{i}"/>' for i in range(LINKS))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><origin '
        'xyz="0 0 1"/>'
        f'<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for i in range(LINKS - 1)
    )
    names = [f"j{i}" for i in range(LINKS - 1)]
    spheres = "".join(
        f"      l{i}:\n"
        + "".join(
            f"        - center: [{k * 0.01:.3f}, 0.0, 0.1]\n          radius: 0.05\n"
            for k in range(PER_LINK)
        )
        for i in range(LINKS)
    )
    ignore = "".join(f"    l{i}: [l{i + 1}]\n" for i in range(LINKS - 1))
    defaults = "".join(f"  {n}: 0.0\n" for n in names)
    xrdf = (
        "format: xrdf\nformat_version: 1.0\n"
        f"default_joint_positions:\n{defaults}"
        f"cspace:\n  joint_names: [{', '.join(names)}]\n"
        f"  acceleration_limits: [{', '.join(['10.0'] * len(names))}]\n"
        f"  jerk_limits: [{', '.join(['500.0'] * len(names))}]\n"
        f"tool_frames: [l{LINKS - 1}]\ncollision:\n  geometry: g\n"
        f"self_collision:\n  geometry: g\n  ignore:\n{ignore}geometry:\n  g:\n    "
        f"spheres:\n{spheres}"
    )
    return f'<robot name="chain">{links}{joints}</robot>', xrdf


def main() -> None:
    urdf_text, xrdf_text = robot_texts()
    urdf = read_urdf(SourceText.from_text(urdf_text)).value
    source = read_xrdf(SourceText.from_text(xrdf_text))
    robot = RobotDescription(urdf, source.value)
    reading = best_of(lambda: read_xrdf(SourceText.from_text(xrdf_text)), 7)
    everything = best_of(lambda: Checker().check(CheckContext(robot, source)), 7)
    checker = Checker()
    findings = checker.check(CheckContext(robot, source))
    assert not findings, findings[:3]

    steps = iter(range(1000))

    def after_an_edit() -> None:
        sphere = CollisionSphere((0.0, 0.0, 0.001 * next(steps)), 0.05)
        edited = SetSpheres(((SphereRef("g", "l3", 5), sphere),)).apply(robot)
        checker.check(CheckContext(edited, source))

    again = best_of(after_an_edit, 15)
    report("reading 2,010 spheres with positions", reading)
    report("all rules that need no geometry", everything, reading)
    report("the rules again after one sphere moved", again, reading)


if __name__ == "__main__":
    main()
