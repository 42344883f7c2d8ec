"""Make the sample robot's meshes and URDF: python tools/make_sample.py [FOLDER] (default
resources/sample)

Heron, a six-axis arm of 0.8 m reach with a two-finger gripper. Run it with the environment's
Python. The XRDF and the SRDF beside the URDF are written by hand and not touched.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh
from sample_shapes import (
    Array,
    Material,
    Part,
    bar,
    blend,
    box,
    casting,
    cone,
    cut,
    cylinder,
    disc,
    drum,
    hulls,
    joined,
    ring,
    turned,
    write_collada,
)

SHELL = Material("shell", (0.88, 0.89, 0.90))
DARK = Material("graphite", (0.17, 0.18, 0.20), 20)
ACCENT = Material("amber", (0.95, 0.50, 0.10))
METAL = Material("steel", (0.62, 0.64, 0.67), 80)
RUBBER = Material("rubber", (0.08, 0.08, 0.09), 5)

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass
class Body:
    """A link: what is seen of it, what it collides with, and its mass in kg."""

    name: str
    mass: float
    parts: list[Part]
    collision: trimesh.Trimesh


def base() -> Body:
    pedestal = blend(
        0.016,
        cone((0, 0, 0.012), (0, 0, 0.128), 0.083, 0.071, 0.006),
        cylinder((0, 0, 0.0), (0, 0, 0.020), 0.116, 0.004),
        box((-0.082, 0, 0.055), (0.032, 0.042, 0.030), 0.010),
    )
    sockets = [
        turned(disc(0.0105, 0.010, 0.001), (-0.112, y, 0.062), (-1, 0, 0), 28)
        for y in (-0.022, 0.022)
    ]
    bolts = [
        turned(disc(0.0078, 0.0075, 0.001), (0.101 * np.cos(a), 0.101 * np.sin(a), 0.0195), Z, 6)
        for a in np.radians([35, 90, 145, 215, 270, 325])
    ]
    plate = trimesh.creation.box(
        (0.004, 0.060, 0.036), trimesh.transformations.translation_matrix((-0.1135, 0, 0.056))
    )
    parts = [
        Part(SHELL, casting(pedestal, (-0.125, -0.125, -0.006), (0.125, 0.125, 0.14), 3000)),
        Part(DARK, joined([turned(ring(0.05, 0.0745, 0.022), (0, 0, 0.128), Z), plate])),
        Part(METAL, joined([*sockets, *bolts])),
    ]
    collision = hulls(
        drum((0, 0, 0), (0, 0, 0.028), 0.117),
        drum((0, 0, 0.0), (0, 0, 0.15), 0.089, 0.0745),
        box_corners((-0.086, 0, 0.055), (0.037, 0.043, 0.031)),
    )
    return Body("base_link", 6.2, parts, collision)


def shoulder() -> Body:
    housing = blend(
        0.035,
        cone((0, 0, 0.003), (0, 0, 0.10), 0.078, 0.068, 0.008),
        cylinder((0.03, -0.062, 0.17), (0.03, 0.060, 0.17), 0.070, 0.010),
        box((0.015, 0, 0.11), (0.055, 0.048, 0.05), 0.02),
    )
    housing = cut(
        housing, box((0, -0.16, 0.17), (0.3, 0.0965, 0.3)), box((0, 0.16, 0.17), (0.3, 0.0985, 0.3))
    )
    parts = [
        Part(SHELL, casting(housing, (-0.095, -0.09, -0.004), (0.115, 0.09, 0.255), 3400)),
        Part(ACCENT, turned(disc(0.046, 0.007, 0.003), (0.03, -0.062, 0.17), (0, -1, 0))),
        Part(
            DARK,
            joined(
                [
                    turned(ring(0.03, 0.0655, 0.012), (0.03, 0.057, 0.17), Y),
                    turned(ring(0.046, 0.053, 0.004), (0.03, -0.062, 0.17), (0, -1, 0)),
                ]
            ),
        ),
    ]
    collision = hulls(
        drum((0, 0, 0), (0, 0, 0.12), 0.079, 0.072),
        drum((0.03, -0.067, 0.17), (0.03, 0.067, 0.17), 0.0715),
        box_corners((0.015, 0, 0.125), (0.068, 0.058, 0.065)),
    )
    return Body("shoulder_link", 4.6, parts, collision)


UPPER = 0.36
SIDE = 0.098


def upper_arm() -> Body:
    """Hangs on the shoulder's left side and carries the elbow on its right: its centre plane is y =
    SIDE."""
    body = blend(
        0.045,
        cylinder((0, 0.071, 0), (0, 0.127, 0), 0.069, 0.012),
        cylinder((0, 0.071, UPPER), (0, 0.127, UPPER), 0.058, 0.011),
        bar((0, SIDE, 0.0), (0, SIDE, UPPER), 0.056, 0.045, (1, 0.45, 1)),
    )
    body = cut(
        body,
        box((0, 0.229, UPPER / 2), (0.2, 0.1, 0.5)),
        box((0, -0.031, UPPER / 2), (0.2, 0.1, 0.5)),
        edge=0.006,
    )
    groove = cut(
        body,
        bar((0, 0.130, 0.105), (0, 0.128, UPPER - 0.09), 0.019, 0.015, (1, 0.9, 1)),
        edge=0.005,
    )
    parts = [
        Part(SHELL, casting(groove, (-0.1, 0.06, -0.1), (0.1, 0.14, UPPER + 0.09), 3800)),
        Part(
            ACCENT,
            joined(
                [
                    turned(disc(0.047, 0.008, 0.003), (0, 0.128, 0), Y),
                    turned(disc(0.039, 0.008, 0.003), (0, 0.128, UPPER), Y),
                ]
            ),
        ),
        Part(
            DARK,
            joined(
                [
                    turned(ring(0.047, 0.054, 0.005), (0, 0.128, 0), Y),
                    turned(ring(0.039, 0.045, 0.005), (0, 0.128, UPPER), Y),
                ]
            ),
        ),
    ]
    collision = hulls(
        drum((0, 0.069, 0), (0, 0.136, 0), 0.081),
        drum((0, 0.069, UPPER), (0, 0.136, UPPER), 0.070),
        np.vstack(
            [
                box_corners((0, SIDE, 0.0), (0.060, 0.029, 0.005)),
                box_corners((0, SIDE, UPPER), (0.049, 0.028, 0.005)),
            ]
        ),
    )
    return Body("upper_arm_link", 5.4, parts, collision)


ROLL = (0.115, 0.0, 0.035)


def elbow() -> Body:
    """Elbow housing with the motor of the forearm's roll behind it."""
    body = blend(
        0.035,
        cylinder((0, -0.060, 0), (0, 0.058, 0), 0.058, 0.010),
        cone((-0.045, 0, 0.035), (0.105, 0, 0.035), 0.054, 0.052, 0.008),
    )
    body = cut(body, box((0, -0.16, 0), (0.2, 0.1, 0.2)), box((0, 0.158, 0), (0.2, 0.1, 0.2)))
    parts = [
        Part(SHELL, casting(body, (-0.075, -0.075, -0.07), (0.115, 0.075, 0.105), 3000)),
        Part(
            DARK,
            joined(
                [
                    turned(ring(0.03, 0.0545, 0.015), (0, 0.057, 0), Y),
                    turned(ring(0.038, 0.045, 0.0045), (0, -0.059, 0), (0, -1, 0)),
                    turned(motor_profile(), (-0.040, 0, 0.035), (-1, 0, 0), 36),
                    turned(ring(0.03, 0.0495, 0.013), (0.103, 0, 0.035), X),
                ]
            ),
        ),
        Part(ACCENT, turned(disc(0.038, 0.008, 0.003), (0, -0.059, 0), (0, -1, 0))),
    ]
    collision = hulls(
        drum((0, -0.067, 0), (0, 0.069, 0), 0.0595),
        drum((-0.105, 0, 0.035), (0.116, 0, 0.035), 0.0545),
        box_corners((0.005, 0, 0.005), (0.062, 0.054, 0.054)),
    )
    return Body("elbow_link", 3.1, parts, collision)


def motor_profile() -> list[tuple[float, float]]:
    """A finned motor: radius and height along its axis."""
    profile = [(0.0, 0.0), (0.047, 0.0), (0.047, 0.012)]
    for k in range(5):
        z = 0.012 + 0.0085 * k
        profile += [
            (0.0415, z + 0.0012),
            (0.0415, z + 0.0038),
            (0.046, z + 0.005),
            (0.046, z + 0.0085),
        ]
    return [*profile, (0.044, 0.060), (0.039, 0.0635), (0.0, 0.0635)]


WRIST = 0.235


def forearm() -> Body:
    tube = blend(
        0.03,
        cone((0.003, 0, 0), (0.165, 0, 0), 0.049, 0.037, 0.006),
        bar((0.13, 0.0, 0), (0.17, 0, 0), 0.040, 0.046, (1, 1, 0.8)),
        box((0.205, 0.0405, 0), (0.048, 0.0105, 0.030), 0.008),
        box((0.205, -0.0405, 0), (0.048, 0.0105, 0.030), 0.008),
        cylinder((WRIST, 0.030, 0), (WRIST, 0.052, 0), 0.036, 0.006),
        cylinder((WRIST, -0.052, 0), (WRIST, -0.030, 0), 0.036, 0.006),
    )
    tube = cut(
        tube,
        box((WRIST, 0.1515, 0), (0.08, 0.1, 0.1)),
        box((WRIST, -0.1515, 0), (0.08, 0.1, 0.1)),
        edge=0.004,
    )
    gap = box((WRIST + 0.01, 0, 0), (0.052, 0.0312, 0.08), 0.006)
    parts = [
        Part(SHELL, casting(cut(tube, gap), (-0.004, -0.06, -0.06), (0.285, 0.06, 0.06), 4000)),
        Part(
            ACCENT,
            joined(
                [
                    turned(disc(0.024, 0.006, 0.002), (WRIST, 0.051, 0), Y),
                    turned(disc(0.024, 0.006, 0.002), (WRIST, -0.051, 0), (0, -1, 0)),
                    turned(ring(0.03, 0.0489, 0.006, 0.0015), (0.017, 0, 0), X),
                ]
            ),
        ),
        Part(
            DARK,
            joined(
                [
                    turned(ring(0.024, 0.029, 0.004), (WRIST, 0.051, 0), Y),
                    turned(ring(0.024, 0.029, 0.004), (WRIST, -0.051, 0), (0, -1, 0)),
                ]
            ),
        ),
    ]
    cheeks = [
        np.vstack(
            [
                drum((WRIST, y - 0.013, 0), (WRIST, y + 0.013, 0), 0.037),
                box_corners((0.16, y, 0), (0.01, 0.014, 0.038)),
            ]
        )
        for y in (0.0435, -0.0435)
    ]
    collision = hulls(drum((0, 0, 0), (0.185, 0, 0), 0.051, 0.050), *cheeks)
    return Body("forearm_link", 2.4, parts, collision)


FLANGE = 0.078


def wrist() -> Body:
    body = blend(
        0.02,
        cylinder((0, -0.0285, 0), (0, 0.0285, 0), 0.031, 0.005),
        cone((0, 0, 0), (0.066, 0, 0), 0.028, 0.031, 0.004),
    )
    parts = [
        Part(SHELL, casting(body, (-0.04, -0.04, -0.04), (0.075, 0.04, 0.04), 2000, 0.0015)),
        Part(DARK, turned(ring(0.015, 0.0295, 0.014), (0.064, 0, 0), X)),
    ]
    collision = hulls(
        drum((0, -0.029, 0), (0, 0.029, 0), 0.032), drum((0, 0, 0), (FLANGE, 0, 0), 0.031)
    )
    return Body("wrist_link", 1.1, parts, collision)


def flange() -> Body:
    bolts = [
        turned(disc(0.003, 0.0022, 0.0006), (0.0115, 0.0235 * np.cos(a), 0.0235 * np.sin(a)), X, 6)
        for a in np.radians(np.arange(30, 390, 60))
    ]
    plate = [
        (0.0, 0.0),
        (0.031, 0.0),
        (0.031, 0.009),
        (0.029, 0.012),
        (0.018, 0.012),
        (0.018, 0.016),
        (0.0, 0.016),
    ]
    parts = [
        Part(METAL, turned(plate, (0, 0, 0), X)),
        Part(DARK, joined(bolts)),
        Part(ACCENT, turned(ring(0.02, 0.0318, 0.004, 0.001), (0.003, 0, 0), X)),
    ]
    return Body("flange_link", 0.25, parts, hulls(drum((0, 0, 0), (0.016, 0, 0), 0.032)))


def hand() -> Body:
    shell = blend(
        0.012,
        box((0.047, 0, 0), (0.029, 0.056, 0.026), 0.010),
        cylinder((0.002, 0, 0), (0.03, 0, 0), 0.030, 0.004),
    )
    shell = cut(shell, box((0.079, 0, 0), (0.009, 0.08, 0.0125), 0.001), edge=0.002)
    rail = trimesh.creation.box(
        (0.006, 0.100, 0.016), trimesh.transformations.translation_matrix((0.0715, 0, 0))
    )
    covers = [
        hulls(
            np.vstack(
                [
                    box_corners((0.048, 0, z), (0.016, 0.034, 0.002)),
                    box_corners((0.048, 0, z), (0.0145, 0.0325, 0.0035)),
                ]
            )
        )
        for z in (-0.0255, 0.0255)
    ]
    parts = [
        Part(DARK, casting(shell, (-0.004, -0.065, -0.04), (0.085, 0.065, 0.04), 2600, 0.0015)),
        Part(ACCENT, joined(covers)),
        Part(METAL, rail),
    ]
    collision = hulls(
        drum((0, 0, 0), (0.022, 0, 0), 0.0345),
        np.vstack(
            [
                box_corners((0.047, 0, 0), (0.024, 0.056, 0.026)),
                box_corners((0.047, 0, 0), (0.029, 0.051, 0.024)),
            ]
        ),
    )
    return Body("hand_link", 0.85, parts, collision)


def finger(side: int) -> Body:
    """One finger; `side` is +1 for the left one (moving towards +y) and -1 for the right one, its
    mirror image."""
    y = 0.013 * side
    body = blend(
        0.008,
        box((0.006, y, 0), (0.0075, 0.0125, 0.0115), 0.0025),
        box((0.018, 0.0105 * side, 0), (0.016, 0.0055, 0.0105), 0.003),
        bar((0.024, 0.0115 * side, 0), (0.066, 0.0085 * side, 0), 0.0098, 0.0085, (1, 0.45, 1)),
    )
    pad = box((0.053, 0.0033 * side, 0), (0.016, 0.0023, 0.0085), 0.0018)
    name = "left" if side > 0 else "right"
    parts = [
        Part(METAL, casting(body, (-0.006, -0.03, -0.016), (0.082, 0.03, 0.016), 1300, 0.001)),
        Part(RUBBER, casting(pad, (0.03, -0.01, -0.012), (0.075, 0.01, 0.012), 400, 0.0008)),
    ]
    collision = hulls(
        box_corners((0.006, y, 0), (0.008, 0.013, 0.012)),
        np.vstack(
            [
                box_corners((0.010, 0.0105 * side, 0), (0.006, 0.006, 0.0115)),
                box_corners((0.053, 0.0072 * side, 0), (0.0215, 0.0062, 0.0095)),
            ]
        ),
    )
    return Body(f"{name}_finger_link", 0.08, parts, collision)


def box_corners(center: tuple[float, float, float], half: tuple[float, float, float]) -> Array:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners: Array = np.asarray(center) + signs * np.asarray(half)
    return corners


def joints() -> str:
    """The kinematic chain. Positions in metres, limits here in degrees, efforts in N·m and N."""
    rows = [
        ("base_yaw_joint", "base_link", "shoulder_link", (0, 0, 0.150), Z, (-170, 170), 160, 3.1),
        (
            "shoulder_pitch_joint",
            "shoulder_link",
            "upper_arm_link",
            (0.030, 0, 0.170),
            Y,
            (-100, 130),
            160,
            2.8,
        ),
        (
            "elbow_pitch_joint",
            "upper_arm_link",
            "elbow_link",
            (0, 0, UPPER),
            Y,
            (-190, 70),
            90,
            3.3,
        ),
        ("forearm_roll_joint", "elbow_link", "forearm_link", ROLL, X, (-190, 190), 35, 5.6),
        ("wrist_pitch_joint", "forearm_link", "wrist_link", (WRIST, 0, 0), Y, (-120, 120), 25, 5.6),
        ("flange_roll_joint", "wrist_link", "flange_link", (FLANGE, 0, 0), X, (-360, 360), 15, 7.3),
    ]
    text = ""
    for name, parent, child, xyz, axis, (lower, upper), effort, velocity in rows:
        text += f"""
  <joint name="{name}" type="revolute">
    <parent link="{parent}"/>
    <child link="{child}"/>
    <origin xyz="{numbers(xyz)}" rpy="0 0 0"/>
    <axis xyz="{numbers(axis)}"/>
    <limit lower="{np.radians(lower):.6f}" upper="{np.radians(upper):.6f}" effort="{effort}" velocity="{velocity}"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
"""
    text += """
  <joint name="hand_mount_joint" type="fixed">
    <parent link="flange_link"/>
    <child link="hand_link"/>
    <origin xyz="0.016 0 0" rpy="0 0 0"/>
  </joint>

  <!-- The motor moves the left finger; a rack makes the right one follow. 0 is closed. -->
  <joint name="left_finger_joint" type="prismatic">
    <parent link="hand_link"/>
    <child link="left_finger_link"/>
    <origin xyz="0.0765 0 0" rpy="0 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="0.032" effort="60" velocity="0.15"/>
  </joint>

  <joint name="right_finger_joint" type="prismatic">
    <parent link="hand_link"/>
    <child link="right_finger_link"/>
    <origin xyz="0.0765 0 0" rpy="0 0 0"/>
    <axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.032" effort="60" velocity="0.15"/>
    <mimic joint="left_finger_joint" multiplier="1" offset="0"/>
  </joint>
"""
    return text


def numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in values)


def link(body: Body) -> str:
    """The URDF element; the inertia is that of the collision solid, filled evenly with the link's
    mass."""
    solid = body.collision.copy()
    solid.density = body.mass / solid.volume
    center = solid.center_mass
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = solid.moment_inertia
    values = {"ixx": ixx, "ixy": ixy, "ixz": ixz, "iyy": iyy, "iyz": iyz, "izz": izz}
    inertia = " ".join(
        f'{key}="{0 if abs(value) < 5e-8 else value:.3g}"' for key, value in values.items()
    )
    return f"""
  <link name="{body.name}">
    <inertial>
      <origin xyz="{" ".join(f"{0 if abs(v) < 5e-5 else v:.4f}".replace("0.0000", "0") for v in center)}" rpy="0 0 0"/>
      <mass value="{body.mass:g}"/>
      <inertia {inertia}/>
    </inertial>
    <visual>
      <geometry>
        <mesh filename="meshes/visual/{body.name}.dae"/>
      </geometry>
    </visual>
    <collision>
      <geometry>
        <mesh filename="meshes/collision/{body.name}.stl"/>
      </geometry>
    </collision>
  </link>
"""


def main(arguments: list[str]) -> int:
    folder = (
        Path(arguments[0])
        if arguments
        else Path(__file__).resolve().parent.parent / "resources" / "sample"
    )
    bodies = [
        base(),
        shoulder(),
        upper_arm(),
        elbow(),
        forearm(),
        wrist(),
        flange(),
        hand(),
        finger(1),
        finger(-1),
    ]
    for kind in ("visual", "collision"):
        (folder / "meshes" / kind).mkdir(parents=True, exist_ok=True)
    for body in bodies:
        write_collada(folder / "meshes" / "visual" / f"{body.name}.dae", body.parts)
        body.collision.export(folder / "meshes" / "collision" / f"{body.name}.stl")
        seen = sum(len(part.mesh.faces) for part in body.parts)
        print(
            f"{body.name:20} {seen:6} triangles seen, {len(body.collision.faces):5} to collide with"
        )
    header = (
        '<?xml version="1.0"?>\n'
        "<!-- Heron: a six-axis arm of 0.8 m reach with a two-finger gripper. Made by "
        "tools/make_sample.py. -->\n"
    )
    text = (
        header + '<robot name="heron">\n' + "".join(map(link, bodies)) + joints() + "\n</robot>\n"
    )
    (folder / "heron.urdf").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
