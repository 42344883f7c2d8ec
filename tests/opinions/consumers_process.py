"""Runs in the environment of one simulator, and uses nothing of the editor: what it holds of a
URDF, as lines of text.

`consumers_process.py PROGRAM` reads the path of a URDF per line, answers {"error": text or null,
"lines": [text], "told": text} per line. What stands in the lines is what the program would
simulate; `told` is what it warned of.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def of_mujoco(path: str) -> Iterator[str]:
    import mujoco

    spec = mujoco.MjSpec.from_file(path)
    model = spec.compile()
    yield from spec.to_xml().splitlines()
    for number in range(model.nbody):
        yield (
            f"body {model.body(number).name} mass {model.body_mass[number]:g} "
            f"{model.body_inertia[number].tolist()}"
        )
    for number in range(model.njnt):
        joint = model.joint(number)
        yield (
            f"joint {joint.name} type {joint.type} limited {model.jnt_limited[number]} range "
            f"{joint.range.tolist()}"
        )
        yield (
            f"joint {joint.name} effort {model.jnt_actfrcrange[number].tolist()} damping "
            f"{joint.damping.tolist()}"
        )
    for number in range(model.nmesh):
        yield f"mesh {number} vertices {model.mesh_vertnum[number]}"


def of_drake(path: str) -> Iterator[str]:
    from pydrake.geometry import Role
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.multibody.tree import JointIndex
    from pydrake.systems.framework import DiagramBuilder

    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.001)
    [robot] = Parser(plant).AddModels(path)
    plant.Finalize()
    for number in range(plant.num_joints()):
        joint = plant.get_joint(JointIndex(number))
        yield (
            f"joint {joint.name()} {joint.type_name()} {joint.parent_body().name()} "
            f"{joint.child_body().name()}"
        )
        for limits in ("position_lower", "position_upper", "velocity_upper", "acceleration_upper"):
            yield f"joint {joint.name()} {limits} {getattr(joint, limits + '_limits')().tolist()}"
        yield f"joint {joint.name()} damping {joint.default_damping_vector().tolist()}"
    for actuator in plant.GetJointActuatorIndices():
        motor = plant.get_joint_actuator(actuator)
        yield f"actuator {motor.joint().name()} effort {motor.effort_limit()}"
    yield f"constraints {plant.num_constraints()}"
    for body in plant.GetFloatingBaseBodies():
        yield f"free {plant.get_body(body).name()}"
    inspector = scene.model_inspector()
    for index in plant.GetBodyIndices(robot):
        body = plant.get_body(index)
        yield f"body {body.name()} mass {body.default_mass():g}"
        for row in body.default_spatial_inertia().CopyToFullMatrix6()[:3, :3].tolist():
            yield f"body {body.name()} inertia {[round(value, 9) for value in row]}"
        for role in (Role.kProximity, Role.kIllustration):
            for shape in inspector.GetGeometries(plant.GetBodyFrameIdOrThrow(index), role):
                yield (
                    f"body {body.name()} {role} {inspector.GetShape(shape)} "
                    f"{inspector.GetPoseInFrame(shape)}"
                )
                if role == Role.kIllustration:
                    yield f"body {body.name()} {inspector.GetIllustrationProperties(shape)}"
                else:
                    touch = inspector.GetProximityProperties(shape).GetPropertyOrDefault(
                        "material", "coulomb_friction", None
                    )
                    yield (
                        f"body {body.name()} friction "
                        f"{touch and (touch.static_friction(), touch.dynamic_friction())}"
                    )


def of_newton(path: str) -> Iterator[str]:
    import newton

    builder = newton.ModelBuilder()
    builder.add_urdf(path)
    for name, value in sorted(vars(builder).items()):
        if not name.startswith(
            ("joint_", "body_", "shape_", "constraint_", "mimic")
        ) or not isinstance(value, list):
            continue
        for number, item in enumerate(value):
            text = f"{len(item.vertices)} vertices" if hasattr(item, "vertices") else _numbers(item)
            yield f"{name} {number} {text}"
    builder.finalize(device="cpu")


def of_isaac(path: str) -> Iterator[str]:
    import urdf_usd_converter
    from pxr import Usd

    with tempfile.TemporaryDirectory() as folder:
        converter = urdf_usd_converter.Converter(layer_structure=False, scene=False)
        stage = Usd.Stage.Open(converter.convert(path, folder).path)
        # As Isaac Sim's importer does; and no solver reads soft limits.
        for prim in [prim.GetPath() for prim in stage.Traverse() if prim.GetName() == "custom"]:
            stage.RemovePrim(prim)
        text = stage.Flatten().ExportToString().replace(folder, "")
    yield from (
        line
        for line in text.splitlines()
        if "doc =" not in line and "safety_controller" not in line
    )


def of_gazebo(path: str) -> Iterator[str]:
    command = os.environ.get("XRDF_EDITOR_SDF_COMMAND", "gz sdf -p").split()
    done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    print(done.stderr, file=sys.stderr)
    # What it could convert is printed although it would not load.
    if done.returncode or "Error Code" in done.stderr:
        raise ValueError(done.stderr)
    yield from done.stdout.splitlines()


def of_vamp(path: str) -> Iterator[str]:
    """As cricket does: by pinocchio, spheres alone."""
    import coal
    import pinocchio as pin

    model = pin.buildModelFromUrdf(path)
    folders = [str(Path(path).parent), str(Path(path).parent.parent)]
    shapes = pin.buildGeomFromUrdf(model, path, pin.GeometryType.COLLISION, package_dirs=folders)
    for shape in shapes.geometryObjects:
        if not isinstance(shape.geometry, coal.Sphere):
            raise ValueError(f"Invalid non-sphere geometry in URDF {shape.name}")
        yield f"sphere {shape.name} {shape.geometry.radius} {shape.placement.translation.tolist()}"
    if model.nq != model.nv:
        raise ValueError(
            "a joint has more positions than velocities: cricket reads one bound for each position"
        )
    for number, joint in enumerate(model.joints):
        yield f"joint {model.names[number]} {joint.shortname()}"
    yield f"range {model.lowerPositionLimit.tolist()} {model.upperPositionLimit.tolist()}"
    if not all(abs(model.upperPositionLimit - model.lowerPositionLimit) < 1e6):
        raise ValueError("a joint without bounds: the measure of the joint space is not finite")
    for frame in model.frames:
        yield f"frame {frame.name} {frame.placement.translation.tolist()}"


def _numbers(item: Any) -> str:
    text = str(item)
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda match: f"{float(match[0]):.6g}", text)


def answer(read: Callable[[str], Iterator[str]], path: str) -> dict[str, Any]:
    """What is printed by libraries in C goes past `sys.stderr`: it is taken at the file
    descriptors."""
    told = io.StringIO()
    handler = logging.StreamHandler(told)
    logging.getLogger().addHandler(handler)
    with tempfile.TemporaryFile() as raw:
        before = os.dup(1), os.dup(2)
        os.dup2(raw.fileno(), 1)
        os.dup2(raw.fileno(), 2)
        try:
            with (
                warnings.catch_warnings(),
                contextlib.redirect_stderr(told),
                contextlib.redirect_stdout(told),
            ):
                warnings.simplefilter("always")
                lines, error = list(read(path)), None
        except Exception as failure:
            lines, error = [], f"{type(failure).__name__}: {failure}"
        finally:
            os.dup2(before[0], 1)
            os.dup2(before[1], 2)
            logging.getLogger().removeHandler(handler)
        raw.seek(0)
        printed = raw.read().decode(errors="replace")
    return {"error": error, "lines": lines, "told": told.getvalue() + printed}


if __name__ == "__main__":
    reader = globals()[f"of_{sys.argv[1]}"]
    for line in sys.stdin:
        print(json.dumps(answer(reader, line.strip())), flush=True)
