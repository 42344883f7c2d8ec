"""XRDF951 and 952: what programs that read no XRDF have to be told otherwise, and what VAMP asks
for."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Finding
from editor_app.core.model.profile import Profile
from editor_app.features.checks.engine.readers import SOURCES
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

#: What `convert` writes for a program.
WAYS = {
    Profile.MUJOCO: "convert … OUT.mjcf.xml",
    Profile.DRAKE: "convert … OUT.urdf --to spheres-urdf --drake",
    Profile.NEWTON: "convert … OUT.usda",
    Profile.GAZEBO: "convert … OUT.urdf --to spheres-urdf",
    Profile.MOVEIT: "convert … OUT.srdf",
    Profile.ISAAC: "convert … OUT.usda",
    Profile.VAMP: "convert … OUT.cricket.json",
    Profile.AGX: "convert … OUT.urdf --to spheres-urdf",
}


@rule("XRDF951", "The program does not read XRDFs", "file", "geometry world self_collision profile")
def another_way(c: CheckContext) -> Iterable[Finding]:
    if c.profile not in SOURCES:
        return
    spheres = sum(len(of_link) for of_link in c.xrdf.spheres_of(c.xrdf.world_group).values())
    pairs = len(c.self_collision.ignored_pairs()) if c.self_collision is not None else 0
    if spheres or pairs:
        told = f"{format_count(spheres, 'sphere')} and {format_count(pairs, 'ignored pair')}"
        yield flaw(
            INFO,
            f"{c.profile.program} does not read XRDFs: export {told} with {WAYS[c.profile]!r}.",
        )


@rule(
    "XRDF952",
    "Input of VAMP's kernels",
    "file",
    "geometry world self_collision tool_frames profile",
    profile=Profile.VAMP,
)
def kernels(c: CheckContext) -> Iterable[Finding]:
    if not c.xrdf.has_spheres:
        yield flaw(
            ERROR,
            "The XRDF has no spheres: cricket generates kernels from spheres only.",
            ("geometry",),
        )
    tools = c.tool_frames or ()
    if not tools:
        yield flaw(
            WARNING,
            "The XRDF has no tool frame: cricket uses the last frame of the robot.",
            ("tool_frames",),
        )
    elif len(tools) > 1:
        message = (
            f"cricket has one end effector: it uses {tools[0]!r}, not "
            f"{', '.join(map(repr, tools[1:]))}."
        )
        yield flaw(INFO, message, ("tool_frames",))
    if c.self_collision is None or not c.self_collision.ignored_pairs():
        message = "No pairs are ignored: linked bodies overlap, so every configuration collides."
        yield flaw(WARNING, message, ("self_collision",))
