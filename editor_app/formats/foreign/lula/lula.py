"""Lula robot description <-> XRDF.

`cspace` lists the joints, `default_q` their values in that order; joints that stand still, or follow a fixed value,
are in `cspace_to_urdf_rules`; spheres are a list of one-key mappings.
"""

from __future__ import annotations

from editor_app.formats.exchange.groups import XrdfConversion
from editor_app.formats.exchange.plain_values import (
    fail,
    load_plain,
    names,
    number,
    numbers,
    spheres_of_lists,
    tell_strange_joints,
    tell_strangers,
)
from editor_app.formats.exchange.report import Reporter, counted
from editor_app.formats.exchange.updating import BASE, FRAMES, IGNORE, SELF_BUFFER, SPHERES, TOOLS, WORLD_BUFFER
from editor_app.formats.foreign.curobo.write import TextConversion
from editor_app.formats.source import SourceText
from editor_app.formats.xrdf.write import finite_or_refuse
from editor_app.formats.yaml.scalars import format_number, format_string
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    AddFrame,
    CollisionSection,
    CSpace,
    GeometryGroup,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

GROUP = "collision_spheres"
_READ = frozenset(
    {
        "api_version",
        "cspace",
        "root_link",
        "default_q",
        "acceleration_limits",
        "jerk_limits",
        "cspace_to_urdf_rules",
        "collision_spheres",
    }
)


def is_lula(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("cspace"), list) and "default_q" in value


def read_lula(source: SourceText, urdf: Urdf | None = None) -> XrdfConversion:
    """The XRDF of a Lula description. Raises FormatError when it is none."""
    value = load_plain(source)
    if not isinstance(value, dict) or not isinstance(value.get("cspace"), list):
        raise fail(source, "There is no list cspace", "Is this a robot description of Lula?")
    out = Reporter("Lula", "XRDF 1.0")
    joints = names(value["cspace"]) or ()
    out.taken("cspace", counted(len(joints), "joint"))
    structure = KinematicGraph(urdf) if urdf is not None else None
    defaults: dict[str, float] = {}
    given = numbers(value.get("default_q"))
    if value["cspace"] and len(joints) != len(value["cspace"]):
        out.lost("cspace", "entries that are no names")
    if given is not None and len(given) == len(joints):
        defaults.update(zip(joints, given, strict=True))
        out.translated("default_q", "default_joint_positions, by name")
    else:
        defaults.update({n: structure.clamped(n) if structure is not None else 0.0 for n in joints})
        out.lost("default_q", f"it does not have one number for each of the {len(joints)} joints")
    rules = value.get("cspace_to_urdf_rules")
    if rules is not None and not isinstance(rules, list):
        out.lost("cspace_to_urdf_rules", "no list of rules")
    for rule in rules if isinstance(rules, list) else ():
        fixed = number(rule.get("value", rule.get("default"))) if isinstance(rule, dict) else None
        name = rule.get("name") if isinstance(rule, dict) else None
        if isinstance(name, str) and rule.get("rule") == "fixed" and fixed is not None:
            defaults[name] = fixed
            out.translated(f"cspace_to_urdf_rules {name}", f"default position {fixed:g}, outside of the c-space")
        else:
            out.lost(f"cspace_to_urdf_rules {name}", "only fixed values can be said in XRDF")
    silent = {FRAMES, TOOLS, WORLD_BUFFER, SELF_BUFFER, IGNORE}
    limits = []
    for key, placeholder in (("acceleration_limits", PLACEHOLDER_ACCELERATION), ("jerk_limits", PLACEHOLDER_JERK)):
        one, many = number(value.get(key)), numbers(value.get(key), len(joints))
        if many is not None:
            out.taken(key)
        elif one is not None:
            out.translated(key, f"{one:g} for each joint")
            many = (one,) * len(joints)
        else:
            if value.get(key) is None:
                out.translated(key, f"absent: {placeholder:g} is a placeholder")
            else:
                out.lost(
                    key,
                    f"there is not one number for each of the {len(joints)} joints; {placeholder:g} is a placeholder",
                )
            silent.add(f"cspace.{key}")
            many = (placeholder,) * len(joints)
        limits.append(many)
    spheres = {f: s for f, s in spheres_of_lists(value.get("collision_spheres"), "collision_spheres", out).items() if s}
    total = counted(sum(map(len, spheres.values())), "sphere")
    if spheres:
        out.taken("collision_spheres", f"{total} on {counted(len(spheres), 'link')}")
    else:
        silent.add(SPHERES)
    tell_strangers(spheres, structure, out, "collision_spheres")
    tell_strange_joints((*joints, *defaults), structure, out)
    root = value.get("root_link")
    modifiers = None
    if isinstance(root, str) and (structure is None or root != structure.root):
        modifiers = (SetBaseFrame(root),)
        out.translated(f"root_link {root}", "set_base_frame")
    elif isinstance(root, str):
        out.taken("root_link", "the root of the URDF")
    else:
        silent.add(BASE)
        if root is not None:
            out.lost("root_link", f"{root!r} is no name of a link")
    for key, rest in value.items():
        if key not in _READ and rest not in (None, [], {}):
            out.lost(str(key), "XRDF has no place for it")
    xrdf = Xrdf(
        modifiers=modifiers,
        default_joint_positions=FrozenDict(defaults),
        cspace=CSpace(joints, limits[0], limits[1]),
        world_collision=CollisionSection(GROUP),
        self_collision=SelfCollisionSection(GROUP),
        geometry=(GeometryGroup(GROUP, FrozenDict(spheres)),),
    )
    return XrdfConversion(xrdf, out.report(), silent=frozenset(silent))


def lula_text(robot: RobotDescription) -> TextConversion:
    """A whole file. Mimic joints stand in neither list. Raises FormatError for values that are not finite."""
    xrdf, structure = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", "Lula")
    root = structure.root or ""
    for modifier in xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            root = modifier.frame
            out.translated(f"set_base_frame {root}", "root_link")
        elif isinstance(modifier, AddFrame):
            out.lost(f"add_frame {modifier.frame_name}", "Lula takes its frames from the URDF")
        else:
            out.lost(f"remove_mimic_attributes of {modifier.joint_name}", "Lula cannot free a joint")
    joints = (xrdf.cspace.joint_names if xrdf.cspace is not None else None) or ()
    defaults = xrdf.default_joint_positions or FrozenDict()
    positions = [defaults.get(n, structure.clamped(n)) for n in joints]
    lines = ["api_version: 1.0", "", "cspace:" if joints else "cspace: []", *(f"  - {_text(n)}" for n in joints)]
    lines += [f"root_link: {_text(root)}", f"default_q: [{', '.join(map(format_number, positions))}]"]
    if joints:
        out.taken("cspace.joint_names", counted(len(joints), "joint"))
    out.translated("default_joint_positions", "default_q, in the order of the c-space")
    for key in ("acceleration_limits", "jerk_limits"):
        values = getattr(xrdf.cspace, key) if xrdf.cspace is not None else None
        if values:
            lines += [f"{key}: [{', '.join(map(format_number, values))}]"]
            out.taken(f"cspace.{key}")
    fixed = {n: defaults.get(n, structure.clamped(n)) for n in structure.movable(robot.urdf.joints) if n not in joints}
    lines += ["cspace_to_urdf_rules:" if fixed else "cspace_to_urdf_rules: []"]
    lines += [f"  - {{name: {_text(n)}, rule: fixed, value: {format_number(v)}}}" for n, v in fixed.items()]
    if fixed:
        out.translated("joints outside of the c-space", f"fixed by rules: {', '.join(fixed)}")
    lines += ["composite_task_spaces: []"]
    group = xrdf.world_group or xrdf.self_group
    added = {m.frame_name for m in xrdf.modifiers or () if isinstance(m, AddFrame)}
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s and f not in added}
    if len(spheres) != len([s for s in xrdf.spheres_of(group).values() if s]):
        out.lost("geometry", f"spheres on added frames: {', '.join(f for f in xrdf.spheres_of(group) if f in added)}")
    if xrdf.self_group not in (None, group):
        out.lost(f"geometry.{xrdf.self_group}", f"Lula has one set of spheres; {group} was taken")
    lines += ["collision_spheres:" if spheres else "collision_spheres: []"]
    for frame, found in spheres.items():
        lines += [f"  - {_key(frame)}:"]
        for s in found:
            radius = max(s.radius, 0.0)
            center = ", ".join(map(format_number, s.center))
            lines += [f"    - center: [{center}]", f"      radius: {format_number(radius)}"]
    if spheres:
        out.taken(
            "geometry", f"{counted(sum(map(len, spheres.values())), 'sphere')} on {counted(len(spheres), 'link')}"
        )
    shrunk = [frame for frame, found in spheres.items() if any(s.radius < 0 for s in found)]
    if shrunk:
        out.lost(f"spheres of {', '.join(shrunk)}", "radii below 0 are written as 0")
    for what, section in (("collision", xrdf.world_collision), ("self_collision", xrdf.self_collision)):
        if section is not None and any(section.buffer(frame) for frame in spheres):
            out.lost(f"{what}.buffer_distance", "Lula has no buffers")
    if xrdf.self_collision is not None and xrdf.self_collision.ignore:
        out.lost("self_collision.ignore", "Lula finds out itself which pairs to check")
    if xrdf.tool_frames:
        out.lost("tool_frames", "Lula's description has none; programs name theirs")
    return TextConversion(finite_or_refuse("\n".join(lines) + "\n", "<new Lula description>"), out.report())


def _text(text: str) -> str:
    return format_string(text)


def _key(text: str) -> str:
    return format_string(text, "")
