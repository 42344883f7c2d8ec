"""RMPflow's configuration, which Isaac Sim and cuMotion take beside the XRDF (`rmp_flow.yaml`).

Spheres against obstacles are the XRDF's. This file has what RMPflow takes for self-collision
instead of pairs: `body_capsules`, which stand in the robot's base frame, and
`body_collision_controllers`, spheres at the origins of frames near the tool, which keep away from
them; and `joint_limit_buffers`, one for each joint of the c-space. Sources: NVIDIA's tutorials
*Configuring RMPflow for a New Manipulator* and *Generating an XRDF file* of Isaac Sim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Sample,
    Subject,
    Writer,
    get_source,
)
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.plain_values import read_mappings, report_repeated
from editor_app.core.formats.exchange.sphere_lists import (
    SphereList,
    added_places,
    count_spheres_on_links,
    find_carrier,
    spheres_of_links,
    tell_strangers,
)
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere, Xrdf
from editor_app.core.space.kinematics.transforms import Matrix, build_pose_matrix
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import with_changes
from editor_app.core.text.yaml.plain import (
    fail,
    load_plain,
    read_finite_number,
    read_finite_numbers,
)
from editor_app.core.text.yaml.plan import Flow
from editor_app.core.text.yaml.writing import yaml_text

CAPSULES, CONTROLLERS, BUFFERS = (
    "body_capsules",
    "body_collision_controllers",
    "joint_limit_buffers",
)
#: What older files call capsules.
_CYLINDERS = "body_cylinders"
#: Radians or metres from a limit at which RMPflow stops, and the share of the top speed in which it
#: brakes.
_BUFFER, _DAMPED = 0.01, 0.3
#: As many joints before the tool move the bodies that are kept away from the base.
_LAST_JOINTS = 2
#: Of NVIDIA's file for the UR10, with which its tuning guide says to begin.
_GAINS: dict[str, dict[str, float | bool]] = {
    "cspace_target_rmp": {
        "metric_scalar": 50.0,
        "position_gain": 100.0,
        "damping_gain": 50.0,
        "robust_position_term_thresh": 0.5,
        "inertia": 1.0,
    },
    "cspace_trajectory_rmp": {"p_gain": 80.0, "d_gain": 10.0, "ff_gain": 0.25, "weight": 50.0},
    "cspace_affine_rmp": {"final_handover_time_std_dev": 0.25, "weight": 2000.0},
    "joint_limit_rmp": {
        "metric_scalar": 1000.0,
        "metric_length_scale": 0.01,
        "metric_exploder_eps": 0.001,
        "metric_velocity_gate_length_scale": 0.01,
        "accel_damper_gain": 200.0,
        "accel_potential_gain": 1.0,
        "accel_potential_exploder_length_scale": 0.1,
        "accel_potential_exploder_eps": 0.01,
    },
    "joint_velocity_cap_rmp": {"damping_gain": 300.0, "metric_weight": 100.0},
    "target_rmp": {
        "accel_p_gain": 80.0,
        "accel_d_gain": 120.0,
        "accel_norm_eps": 0.075,
        "metric_alpha_length_scale": 0.05,
        "min_metric_alpha": 0.01,
        "max_metric_scalar": 10000.0,
        "min_metric_scalar": 2500.0,
        "proximity_metric_boost_scalar": 20.0,
        "proximity_metric_boost_length_scale": 0.02,
        "accept_user_weights": False,
    },
    "axis_target_rmp": {
        "accel_p_gain": 200.0,
        "accel_d_gain": 40.0,
        "metric_scalar": 10.0,
        "proximity_metric_boost_scalar": 3000.0,
        "proximity_metric_boost_length_scale": 0.05,
        "accept_user_weights": False,
    },
    "collision_rmp": {
        "damping_gain": 50.0,
        "damping_std_dev": 0.04,
        "damping_robustness_eps": 0.01,
        "damping_velocity_gate_length_scale": 0.01,
        "repulsion_gain": 1000.0,
        "repulsion_std_dev": 0.01,
        "metric_modulation_radius": 0.5,
        "metric_scalar": 500.0,
        "metric_exploder_std_dev": 0.02,
        "metric_exploder_eps": 0.001,
    },
    "damping_rmp": {"accel_d_gain": 30.0, "metric_scalar": 50.0, "inertia": 100.0},
}
_RESOLVE: dict[str, float | bool] = {
    "max_acceleration_norm": 50.0,
    "projection_tolerance": 0.01,
    "verbose": False,
}


def _recognise(sample: Sample) -> bool:
    value = sample.value
    return isinstance(value, dict) and isinstance(value.get("rmp_params"), dict)


# -- in


def read_rmpflow(source: SourceText, urdf: Urdf | None = None) -> SphereList:
    """The spheres of the controllers, and rows of spheres in the place of capsules. Raises
    FormatError."""
    repeated: list[str] = []
    value = load_plain(source, repeated)
    if not isinstance(value, dict) or not isinstance(value.get("rmp_params"), dict):
        raise fail(source, "rmp_params is missing", "Is this a configuration of RMPflow?")
    out = Reporter("RMPflow", "XRDF 1.0")
    report_repeated(repeated, out)
    spheres: dict[str, tuple[CollisionSphere, ...]] = {}
    for entry in read_mappings(value.get(CONTROLLERS), CONTROLLERS, out):
        name, radius = entry.get("name"), read_finite_number(entry.get("radius"))
        if not isinstance(name, str) or radius is None:
            out.unread(CONTROLLERS, f"{str(entry)[:60]} has no name and radius")
            continue
        spheres[name] = (*spheres.get(name, ()), CollisionSphere((0.0, 0.0, 0.0), radius))
    if spheres:
        out.taken(CONTROLLERS, count_spheres_on_links(spheres))
    graph = KinematicGraph(urdf) if urdf is not None else None
    key = CAPSULES if value.get(CAPSULES) else _CYLINDERS
    for entry in read_mappings(value.get(key), key, out):
        row = _row(entry)
        if not row:
            out.unread(
                f"{key} {entry.get('name')}",
                "pt1, pt2 (3 numbers each) and a radius above 0 are needed",
            )
            continue
        if graph is None or graph.root is None:
            out.lost(f"{key} {entry.get('name')}", "it is in the base frame: name the URDF too")
            continue
        spheres[graph.root] = (*spheres.get(graph.root, ()), *row)
        detail = (
            f"{format_count(len(row), 'sphere')} on {graph.root}, inside it by up to 4 % of its "
            "radius"
        )
        out.translated(f"{key} {entry.get('name')}", detail)
    tell_strangers(spheres, graph, out, CONTROLLERS)
    for key in value:
        if key not in (CAPSULES, _CYLINDERS, CONTROLLERS, "format", "api_version"):
            out.lost(str(key), "XRDF cannot store it")
    return SphereList(FrozenDict(spheres), out.report())


def _row(capsule: Mapping[str, Any]) -> tuple[CollisionSphere, ...]:
    """Spheres of the capsule's radius along its axis, half a radius apart at most; () for what is
    no capsule."""
    ends, radius = (
        [read_finite_numbers(capsule.get(key), 3) for key in ("pt1", "pt2")],
        read_finite_number(capsule.get("radius")),
    )
    if radius is None or radius <= 0 or ends[0] is None or ends[1] is None:
        return ()
    first, last = np.array(ends[0]), np.array(ends[1])
    length = float(np.linalg.norm(last - first))
    steps = max(1, int(np.ceil(length / (radius / 2)))) if length > 0 else 0
    shares = np.linspace(0, 1, steps + 1)
    centres = (tuple(float(v) for v in first + (last - first) * share) for share in shares)
    return tuple(CollisionSphere((x, y, z), radius) for x, y, z in centres)


# -- out


def rmpflow_text(
    robot: RobotDescription, existing: SourceText | None = None
) -> tuple[str, ConversionReport]:
    """A new file, or the one that is there with what the robot says otherwise. Raises FormatError
    for another file."""
    out = Reporter(f"XRDF {robot.xrdf.format_version}", "RMPflow")
    graph, controlled = KinematicGraph(robot.urdf), robot.xrdf.controlled
    spheres = spheres_of_links(robot.xrdf, robot.urdf, out)
    base = robot.xrdf.base_frame or graph.root or ""
    capsules = _capsules(graph, base, spheres, out)
    controllers = _controllers(robot.xrdf, graph, base, spheres, out)
    _tell(robot.xrdf, spheres, out)
    if existing is not None:
        return _patched(existing, len(controlled), capsules, controllers, out), out.report()
    params: dict[str, Any] = {name: dict(gains) for name, gains in _GAINS.items()}
    speeds = [
        joint.limit.velocity
        for name in controlled
        if (joint := graph.joints.get(name)) and joint.limit
    ]
    top = min((speed for speed in speeds if speed), default=1.0)
    cap = {"max_velocity": top, "velocity_damping_region": _DAMPED * top}
    params["joint_velocity_cap_rmp"] = {**cap, **params["joint_velocity_cap_rmp"]}
    out.translated(
        "limits of velocity",
        f"max_velocity {top:g}, of the slowest joint: RMPflow has one value for all joints",
    )
    out.invented(
        "rmp_params",
        "NVIDIA's values for the UR10, the starting point in its guide: tune them for this robot",
    )
    document = {
        "format": "rmpflow",
        "api_version": 2.0,
        BUFFERS: Flow([_BUFFER] * len(controlled)),
        "rmp_params": params,
        "canonical_resolve": dict(_RESOLVE),
        CAPSULES: [
            {**entry, "pt1": Flow(entry["pt1"]), "pt2": Flow(entry["pt2"])} for entry in capsules
        ],
        CONTROLLERS: controllers,
    }
    blank = ("joint_limit_buffers", "rmp_params", "canonical_resolve", CAPSULES, CONTROLLERS)
    return yaml_text(document, "<new RMPflow configuration>", blank), out.report()


def _patched(
    existing: SourceText,
    count: int,
    capsules: Sequence[dict[str, Any]],
    controllers: Sequence[dict[str, Any]],
    out: Reporter,
) -> str:
    value = load_plain(existing)
    if not isinstance(value, dict) or not isinstance(value.get("rmp_params"), dict):
        raise fail(
            existing,
            "rmp_params is missing: this is not an RMPflow configuration",
            "Write to another file.",
        )
    key = _CYLINDERS if _CYLINDERS in value and CAPSULES not in value else CAPSULES
    before: dict[str, Any] = {
        name: value[name] for name in (BUFFERS, key, CONTROLLERS) if name in value
    }
    after: dict[str, Any] = {
        key: _merged(value.get(key), capsules, ("pt1", "pt2")),
        CONTROLLERS: _merged(value.get(CONTROLLERS), controllers),
    }
    buffers = read_finite_numbers(value.get(BUFFERS)) or ()
    if len(buffers) == count:
        out.kept(BUFFERS, "as in the file")
        after[BUFFERS] = before.get(BUFFERS)
    else:
        after[BUFFERS] = Flow([*buffers, *[buffers[-1] if buffers else _BUFFER] * count][:count])
        out.translated(
            BUFFERS,
            f"{count} numbers, one for each joint of the c-space; the file had {len(buffers)}",
        )
    out.kept("rmp_params and everything else", "as in the file, comments included")
    return with_changes(existing, before, after).source.text


def _merged(
    old: object, new: Sequence[dict[str, Any]], on_one_line: Iterable[str] = ()
) -> list[Any]:
    """The entries of the file, those that the robot has by the same name as the robot has them;
    further ones last."""
    by_name = {
        entry["name"]: {k: Flow(v) if k in on_one_line else v for k, v in entry.items()}
        for entry in new
    }
    merged: list[Any] = []
    for entry in old if isinstance(old, list) else []:
        again = by_name.pop(entry.get("name"), None) if isinstance(entry, dict) else None
        merged.append(entry if again is None else {**entry, **again})
    return [*merged, *by_name.values()]


def _capsules(
    graph: KinematicGraph,
    base: str,
    spheres: Mapping[str, Sequence[CollisionSphere]],
    out: Reporter,
) -> list[dict[str, Any]]:
    """One around all spheres of the base, and of links that are fixed to it, in its frame."""
    # Link -> its place (4, 4) in the base's frame, for the base and links that hang on it without
    # moving.
    places = {base: np.eye(4)}
    for name in graph.below(base) if base in graph.links else ():
        joint = graph.incoming.get(name)
        if name != base and joint is not None and joint.parent in places and not joint.is_movable:
            places[name] = places[joint.parent] @ build_pose_matrix(joint.origin)
    centres = [
        (places[f] @ (*s.center, 1.0))[:3] for f, of in spheres.items() if f in places for s in of
    ]
    radii = [s.radius for frame, of in spheres.items() if frame in places for s in of]
    if not centres:
        out.lost(CAPSULES, f"no spheres on {base or 'the base'}: the tool does not avoid it")
        return []
    first, last, radius = capsule_around(np.array(centres), np.array(radii))
    out.translated(
        f"spheres of {base}",
        f"a capsule around {format_count(len(radii), 'sphere')}, radius {radius:.3f} m",
    )
    # Outwards: no sphere stands out by rounding.
    pt1, pt2 = ([round(float(v), 6) for v in end] for end in (first, last))
    return [{"name": base, "pt1": pt1, "pt2": pt2, "radius": round(radius + 2e-6, 6)}]


def capsule_around(centres: Matrix, radii: Matrix) -> tuple[Matrix, Matrix, float]:
    """(end, end, radius) in metres of a small capsule that holds spheres with `centres` (n, 3) and
    `radii` (n,).

    Of the three axes of the frame and the principal ones, the axis that gives the least volume. A
    sphere with radius r at d from the axis is inside where its centre is at most R - r from the
    segment.
    """
    spread = centres - centres.mean(axis=0)
    axes = [*np.eye(3), *np.linalg.svd(spread, full_matrices=True)[2]]
    candidates = []
    for axis in axes:
        along = centres @ axis
        across = centres - along[:, None] * axis
        middle = ((across - radii[:, None]).min(axis=0) + (across + radii[:, None]).max(axis=0)) / 2
        middle -= (middle @ axis) * axis
        away = np.linalg.norm(across - middle, axis=1)
        radius = float((away + radii).max())
        slack = np.sqrt(np.maximum((radius - radii) ** 2 - away**2, 0.0))
        low, high = float((along + slack).min()), float((along - slack).max())
        low, high = (low, high) if low <= high else ((low + high) / 2,) * 2
        volume = np.pi * radius**2 * (high - low) + 4 / 3 * np.pi * radius**3
        candidates.append((volume, middle + low * axis, middle + high * axis, radius))
    _, first, last, radius = min(candidates, key=lambda candidate: candidate[0])
    return first, last, radius


def _controllers(
    xrdf: Xrdf,
    graph: KinematicGraph,
    base: str,
    spheres: Mapping[str, Sequence[CollisionSphere]],
    out: Reporter,
) -> list[dict[str, Any]]:
    """A sphere at the origin of each link that the last joints before a tool move, around the
    spheres of the link."""
    controlled, last = set(xrdf.controlled), set()
    for tool in xrdf.tool_frames or ():
        link, _ = find_carrier(tool, added_places(xrdf), graph.links)
        chain = graph.chain(base, link or tool) or ()
        last |= set([joint.name for joint in chain if joint.name in controlled][-_LAST_JOINTS:])
    if not last:
        out.lost(
            CONTROLLERS,
            "no tool frame is below a controlled joint: links near the tool are unknown",
        )
    controllers = []
    for link, of in spheres.items():
        above = [joint.name for joint in graph.chain(base, link) or () if joint.name in controlled]
        if above and above[-1] in last:
            radius = max(float(np.linalg.norm(s.center)) + s.radius for s in of)
            controllers.append({"name": link, "radius": round(radius + 5e-7, 6)})
    if controllers:
        told = ", ".join(f"{entry['name']} {entry['radius']:.3f} m" for entry in controllers)
        out.translated(
            "spheres near the tool",
            f"a sphere at the origin of each link, around all its spheres: {told}",
        )
    return controllers


def _tell(xrdf: Xrdf, spheres: Mapping[str, object], out: Reporter) -> None:
    if spheres:
        out.kept(
            "geometry", "spheres for obstacles are read from the XRDF; keep it next to this file"
        )
    if xrdf.self_collision is not None and xrdf.self_collision.ignore:
        out.lost(
            "self_collision.ignore",
            "RMPflow checks control points against capsules, not pairs of links",
        )
    if xrdf.cspace is not None:
        out.translated(
            "cspace", f"{BUFFERS}, one for each joint; acceleration limits stay in the XRDF"
        )


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    text, report = rmpflow_text(subject.robot, subject.existing)
    data = subject.existing.with_text(text).data if subject.existing is not None else text
    return subject.written([(output, data)], report)


CODEC = Codec(
    name="rmpflow",
    title="&RMPflow configuration",
    pattern="*.yaml *.yml",
    recognise=_recognise,
    read=lambda file, context: read_rmpflow(get_source(file), context.urdf),
    joins=True,
    writer=Writer(
        _write,
        endings=("rmpflow.yaml", "rmpflow.yml", "rmp_flow.yaml"),
        proposal=".rmpflow.yaml",
        holds=frozenset({Part.SPHERES}),
        patches=True,
    ),
)
