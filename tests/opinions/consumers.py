"""What simulators make of each feature of a URDF, beside the table
`editor_app.features.checks.engine.readers`.

Each row of the table has two small URDFs here, without the feature and with it, or with two values.
What a program holds of the two tells whether it reads, ignores or refuses the feature; a difference
without the number that was written is a change. pinocchio is asked as cricket does for VAMP, in the
environment of the tests; the others are asked in environments of their own, and the missing ones
are named and left out:

    python3 -m venv V && V/bin/pip install mujoco | drake | newton[importers] | urdf-usd-converter
    XRDF_EDITOR_MUJOCO_PYTHON, …_DRAKE_PYTHON, …_NEWTON_PYTHON, …_ISAAC_PYTHON = V/bin/python
    XRDF_EDITOR_SDF_COMMAND = "gz sdf -p"

MoveIt and AGX Dynamics have no wheel: their columns were read.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trimesh
from PIL import Image
from trimesh.exchange.gltf import export_gltf

from editor_app.core.model.profile import Profile
from editor_app.features.checks.engine.readers import FEATURES, SOURCES, FormatFeature, Treatment

INERTIAL = (
    '<inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" '
    'izz="0.02"/></inertial>'
)
BOX = '<box size="0.1 0.2 0.3"/>'
TRANSMISSION = (
    '<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j">'
    "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
    '<actuator name="m"><mechanicalReduction>1</mechanicalReduction></actuator></transmission>'
)
DRAKE = 'xmlns:drake="http://drake.mit.edu"'
WORLD = (
    '<link name="world"/><joint name="w" type="fixed"><parent link="world"/><child '
    'link="a"/></joint>'
)


@dataclass(frozen=True)
class Robot:
    """Three links and two joints, as texts of their elements."""

    head: str = ""
    inertial: str = INERTIAL
    shapes: str = ""
    first: str = "revolute"
    first_limit: str = '<limit lower="-1" upper="1" effort="40" velocity="2"/>'
    first_more: str = ""
    second: str = "revolute"
    second_limit: str = '<limit lower="-1" upper="1" effort="40" velocity="2"/>'
    second_more: str = ""
    turn: str = ""
    more: str = ""

    @property
    def text(self) -> str:
        return f"""<robot name="r" {self.head}>
<link name="a">{INERTIAL}<collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="j" type="{self.first}"><parent link="a"/><child link="b"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
{self.first_limit}{self.first_more}</joint>
<link name="b">{INERTIAL}</link>
<joint name="k" type="{self.second}"><parent link="b"/><child link="c"/><origin xyz="0 0 0.3" {self.turn}/>
<axis xyz="0 1 0"/>{self.second_limit}{self.second_more}</joint>
<link name="c">{self.inertial}{self.shapes}</link>
{self.more}</robot>
"""


@dataclass(frozen=True)
class Case:
    """`written`: a number or name that stands in what is held where the feature is read. `is_lack`:
    the second robot lacks something, so that a program that does without it holds the same of both,
    and one that leaves a part out does not. `hollow`: programs whose difference says that the
    feature is ignored: an empty prim stands where the mesh would be, or a scope that no solver
    reads. `older`: programs that read it in a later version than the one that was measured."""

    without: Robot
    having: Robot
    written: str = ""
    is_lack: bool = False
    hollow: tuple[Profile, ...] = ()
    older: tuple[Profile, ...] = ()


def limit(**values: float) -> str:
    texts = {"lower": -1, "upper": 1, "effort": 40, "velocity": 2} | values
    return f"<limit {' '.join(f'{key}={str(value)!r}' for key, value in texts.items())}/>"


def collision(geometry: str, drake: str = "") -> str:
    touch = f"<drake:proximity_properties>{drake}</drake:proximity_properties>" if drake else ""
    return f"<collision><geometry>{geometry}</geometry>{touch}</collision>"


def visual(geometry: str, material: str = "") -> str:
    return f"<visual><geometry>{geometry}</geometry>{material}</visual>"


def mesh(name: str, more: str = "") -> str:
    return f'<mesh filename="{name}" {more}/>'


def of_format(ending: str, **more: Any) -> Case:
    return Case(Robot(), Robot(shapes=collision(mesh(f"m.{ending}"))), **more)


PLAIN = Robot()
CASES: dict[str, Case] = {
    "damping": Case(PLAIN, Robot(first_more='<dynamics damping="1.5"/>'), "1.5"),
    "friction": Case(PLAIN, Robot(first_more='<dynamics friction="0.375"/>'), "0.375"),
    "mimic": Case(
        PLAIN,
        Robot(second_more='<mimic joint="j" multiplier="-0.7" offset="0.1"/>'),
        older=(Profile.GAZEBO,),
    ),
    "geared_mimic": Case(
        Robot(second="prismatic"),
        Robot(second="prismatic", second_more='<mimic joint="j" multiplier="-0.7"/>'),
        older=(Profile.GAZEBO,),
    ),
    "unlimited": Case(
        Robot(first="continuous", first_limit="", more=TRANSMISSION),
        Robot(
            first="continuous", first_limit='<limit effort="43.5" velocity="2"/>', more=TRANSMISSION
        ),
        "43.5",
    ),
    "fixed_mimic": Case(
        Robot(second="fixed", second_limit=""),
        Robot(second="fixed", second_limit="", second_more='<mimic joint="j"/>'),
    ),
    "effort": Case(
        Robot(more=TRANSMISSION), Robot(more=TRANSMISSION, first_limit=limit(effort=43.5)), "43.5"
    ),
    "no_effort": Case(PLAIN, Robot(first_limit=limit(effort=0)), is_lack=True),
    "velocity": Case(PLAIN, Robot(first_limit=limit(velocity=2.75))),
    "range": Case(PLAIN, Robot(first_limit=limit(upper=1.25))),
    "acceleration": Case(PLAIN, Robot(first_limit=limit(acceleration=7.75)), "7.75"),
    "continuous": Case(
        PLAIN, Robot(first="continuous", first_limit='<limit effort="40" velocity="2"/>')
    ),
    "planar": Case(PLAIN, Robot(second="planar")),
    "floating": Case(PLAIN, Robot(second="floating", second_limit="")),
    "calibration": Case(PLAIN, Robot(first_more='<calibration rising="0.3125"/>'), "0.3125"),
    "safety": Case(
        PLAIN,
        Robot(first_more='<safety_controller soft_lower_limit="-0.8" k_velocity="3"/>'),
        "-0.8",
    ),
    "no_soft": Case(PLAIN, Robot(first_more='<safety_controller k_velocity="3"/>')),
    "undriven": Case(Robot(more=TRANSMISSION), PLAIN, is_lack=True),
    "visual": Case(PLAIN, Robot(shapes=visual(BOX))),
    "colour": Case(
        Robot(shapes=visual(BOX)),
        Robot(
            shapes=visual(BOX, '<material name="q"><color rgba="0.8125 0.25 0.5 0.75"/></material>')
        ),
    ),
    "collision_material": Case(
        Robot(shapes=collision(BOX)),
        Robot(shapes=collision(BOX).replace("</coll", '<material name="q"/></coll')),
        hollow=(Profile.ISAAC,),
    ),
    "texture": Case(
        Robot(shapes=visual(mesh("m.obj"))),
        Robot(
            shapes=visual(
                mesh("m.obj"), '<material name="q"><texture filename="t.png"/></material>'
            )
        ),
    ),
    "massless": Case(PLAIN, Robot(inertial=""), is_lack=True),
    "unweighed": Case(
        Robot(shapes=collision(BOX)), Robot(shapes=collision(BOX), inertial=""), is_lack=True
    ),
    "inertia": Case(PLAIN, Robot(inertial=INERTIAL.replace('izz="0.02"', 'izz="0.9"'))),
    "capsule": Case(
        PLAIN, Robot('version="1.1"', shapes=collision('<capsule radius="0.11" length="0.4"/>'))
    ),
    "mesh": Case(PLAIN, Robot(shapes=collision(mesh("m.obj")))),
    "shapes": Case(PLAIN, Robot(shapes=collision(BOX))),
    "stl": of_format("stl"),
    "obj": of_format("obj"),
    "dae": of_format("dae"),
    "gltf": of_format("gltf", hollow=(Profile.ISAAC,)),
    "ply": of_format("ply", hollow=(Profile.ISAAC,)),
    "scale": Case(
        Robot(shapes=collision(mesh("m.obj"))),
        Robot(shapes=collision(mesh("m.obj", 'scale="1 1 2.5"'))),
    ),
    "package": Case(PLAIN, Robot(shapes=collision(mesh("package://pack/urdf/m.obj")))),
    "visual_package": Case(PLAIN, Robot(shapes=visual(mesh("package://pack/urdf/m.obj")))),
    "fixed": Case(PLAIN, Robot(second="fixed", second_limit="")),
    "free": Case(Robot(more=WORLD), PLAIN, is_lack=True),
    "transmission": Case(PLAIN, Robot(more=TRANSMISSION)),
    "proximity": Case(
        Robot(DRAKE, shapes=collision(BOX)),
        Robot(
            DRAKE,
            shapes=collision(
                BOX, '<drake:mu_static value="0.8125"/><drake:mu_dynamic value="0.8125"/>'
            ),
        ),
        "0.8125",
        hollow=(Profile.ISAAC,),
    ),
    "bad_proximity": Case(
        Robot(DRAKE, shapes=collision(BOX)),
        Robot(
            DRAKE,
            shapes=collision(
                BOX, '<drake:mu_static value="0.25"/><drake:mu_dynamic value="0.8125"/>'
            ),
        ),
        hollow=(Profile.ISAAC,),
    ),
    "gazebo": Case(
        Robot(shapes=collision(BOX)),
        Robot(shapes=collision(BOX), more='<gazebo reference="c"><mu1>0.8125</mu1></gazebo>'),
        "0.8125",
    ),
    "ros2_control": Case(
        PLAIN, Robot(more='<ros2_control name="x" type="system"><joint name="j"/></ros2_control>')
    ),
    "sensor": Case(
        PLAIN, Robot(more='<sensor name="s"><parent link="b"/><origin xyz="0 0 0"/></sensor>')
    ),
    "model_state": Case(
        PLAIN,
        Robot(
            more='<model_state model="r"><joint_state joint="j" position="0.8125"/></model_state>'
        ),
        "0.8125",
    ),
    "quaternion": Case(
        Robot('version="1.1"'), Robot('version="1.1"', turn='quat_xyzw="0 0 0.6 0.8"'), "0.6"
    ),
}


def written(folder: Path) -> Path:
    """A package with the URDFs of all cases, and the meshes and the picture that they name."""
    place = folder / "pack" / "urdf"
    place.mkdir(parents=True)
    (folder / "pack" / "package.xml").write_text("<package><name>pack</name></package>")
    box = trimesh.creation.box((0.1, 0.2, 0.3))
    for ending in ("stl", "obj", "dae", "ply"):
        box.export(place / f"m.{ending}")
    (place / "m.gltf").write_bytes(export_gltf(box.scene(), embed_buffers=True)["model.gltf"])
    Image.new("RGB", (4, 4), (200, 10, 10)).save(place / "t.png")
    for key, case in CASES.items():
        (place / f"{key}_0.urdf").write_text(case.without.text)
        (place / f"{key}_1.urdf").write_text(case.having.text)
    return place


def python_of(profile: Profile) -> str | None:
    """The Python that asks a program; None where it is missing, or has no wheel."""
    if SOURCES[profile].startswith("read"):
        return None
    if profile is Profile.GAZEBO:
        command = os.environ.get("XRDF_EDITOR_SDF_COMMAND", "gz").split()[0]
        return sys.executable if shutil.which(command) else None
    return (
        sys.executable
        if profile is Profile.VAMP
        else os.environ.get(f"XRDF_EDITOR_{profile.name}_PYTHON")
    )


def asked(python: str, profile: Profile, files: list[Path]) -> list[dict[str, Any]]:
    """What the program says of each file."""
    command = [python, str(Path(__file__).with_name("consumers_process.py")), profile.value]
    paths = "".join(f"{path}\n" for path in files)
    done = subprocess.run(command, input=paths, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def differing(key: str, without: dict[str, Any], having: dict[str, Any]) -> list[str]:
    """The lines that only the second one has."""
    old, new = (
        [line.replace(f"{key}_{n}", key) for line in told["lines"]]
        for n, told in enumerate((without, having))
    )
    lines = difflib.unified_diff(old, new, lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def verdict(
    key: str, profile: Profile, without: dict[str, Any], having: dict[str, Any]
) -> tuple[set[Treatment], str]:
    """The treatments that the answers allow, and what was seen."""
    case = CASES[key]
    if having["error"]:
        return {Treatment.REFUSED}, having["error"].strip().splitlines()[0]
    lines = differing(key, without, having)
    if not lines:
        also = (
            {Treatment.READ}
            if case.is_lack
            else {Treatment.CHANGED}
            if profile in case.older
            else set()
        )
        return {Treatment.IGNORED, *also}, "the same"
    if case.is_lack:
        return {Treatment.READ, Treatment.CHANGED, Treatment.IGNORED}, lines[0]
    if profile in case.hollow:
        return {Treatment.IGNORED}, lines[0]
    is_written = any(case.written in line for line in lines)
    return {Treatment.CHANGED, *({Treatment.READ} if is_written else ())}, lines[0]


def judged(
    profile: Profile, python: str, place: Path
) -> Iterator[tuple[FormatFeature, bool | None, str]]:
    """For each row whether the table is right; None where the program takes neither robot."""
    files = [place / f"{key}_{n}.urdf" for key in CASES for n in (0, 1)]
    answers = asked(python, profile, files)
    by_key = dict(zip(CASES, zip(answers[::2], answers[1::2], strict=True), strict=True))
    for feature in FEATURES:
        without, having = by_key[feature.key]
        if without["error"]:
            yield feature, None, "not asked: it refuses the robot without the feature, too"
            continue
        allowed, seen = verdict(feature.key, profile, without, having)
        yield feature, feature.fact(profile).treatment in allowed, seen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    programs = [profile.value for profile in SOURCES]
    parser.add_argument(
        "--only", action="append", choices=programs, help="only this program; repeatable"
    )


def run(options: argparse.Namespace) -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        place = written(Path(folder))
        for profile in SOURCES:
            python = python_of(profile)
            if options.only and profile.value not in options.only:
                continue
            if python is None:
                print(f"{profile.program}: not asked, it is not there")
                continue
            rows = list(judged(profile, python, place))
            for feature, is_right, seen in rows:
                if is_right is False:
                    print(
                        f"{profile.program}, {feature.key}: the table says "
                        f"{feature.fact(profile).treatment}; {seen[:150]}"
                    )
            wrong += sum(is_right is False for _, is_right, _ in rows)
            counts = [sum(each is state for _, each, _ in rows) for state in (True, False, None)]
            print(
                f"{profile.program}: {counts[0]} rows right, {counts[1]} wrong, {counts[2]} not "
                "asked"
            )
    return 1 if wrong else 0
