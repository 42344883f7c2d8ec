"""The link on the other side of a robot is known by its name, and what lies on one lies mirrored on
the other."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Origin, Urdf
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.features.spheres.verbs.sphere_tools import (
    FrameSpheres,
    apply_tool,
    names_on_the_other_side,
    other_side,
)

#: A body that is symmetric about no plane.
BODY = np.array(
    [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.05), (0.2, 0.06, 0.02)]
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("left_finger", "right_finger"),
        ("finger_right", "finger_left"),
        ("l_arm_link", "r_arm_link"),
        ("LHipYaw", "RHipYaw"),
        ("LeftArm", "RightArm"),
        ("LF_foot", "RF_foot"),
        ("finger_1", "finger_2"),
        ("leftfinger", ""),
    ],
)
def test_names_say_which_link_is_the_other(name: str, other: str) -> None:
    names = {
        name,
        "base",
        "upper_link",
        "right_finger",
        "finger_left",
        "r_arm_link",
        "RHipYaw",
        "RightArm",
        "RF_foot",
    }
    assert names_on_the_other_side(name, {*names, "finger_2"}) == ([other] if other else [])


def two_limbs(turned: float) -> Urdf:
    """Left and right on a base at x = 0.5; the frame of the right one is turned about z."""
    limits = Limit(lower=-1.0, upper=1.0, effort=1.0, velocity=1.0)
    joints = tuple(
        Joint(f"{side}_joint", JointType.REVOLUTE, "base", f"{side}_limb", Origin((0.5, y, 0.0), (0.0, 0.0, yaw)),
              (0.0, 0.0, 1.0), limits)
        for side, y, yaw in (("left", 0.2, 0.3), ("right", -0.2, turned))
    )  # fmt: skip
    return Urdf(
        name="limbs", links=(Link("base"), Link("left_limb"), Link("right_limb")), joints=joints
    )


@pytest.mark.parametrize("turned", [-0.3, 1.2, math.pi])
def test_spheres_lie_mirrored_on_the_other_link_whatever_its_frame(turned: float) -> None:
    tree = build_tree(two_limbs(turned))

    def rotation(yaw: float) -> np.ndarray:
        c, s = math.cos(yaw), math.sin(yaw)
        return np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])

    flip = np.diag([1.0, -1.0, 1.0])
    # In the base, the right body is the image of the left one.
    onto = rotation(turned).T @ flip @ rotation(0.3)
    bodies = {"left_limb": BODY, "right_limb": BODY @ onto.T}
    side = other_side(tree, "left_limb", ["right_limb"], bodies.get)
    assert side is not None
    assert side.is_image
    assert side.apart == pytest.approx(0.0, abs=1e-9)
    spheres = np.column_stack([BODY, np.arange(1.0, 6.0)])
    images = side.placement.spheres(spheres)
    assert images == pytest.approx(np.column_stack([BODY @ onto.T, spheres[:, 3]]), abs=1e-9)
    back = other_side(tree, "right_limb", ["left_limb"], bodies.get)
    assert back is not None
    assert back.placement.spheres(images) == pytest.approx(spheres, abs=1e-9)


def test_a_link_of_another_form_is_no_mirror_image() -> None:
    tree = build_tree(two_limbs(-0.3))
    bodies = {"left_limb": BODY, "right_limb": 2.0 * BODY}
    side = other_side(tree, "left_limb", ["right_limb"], bodies.get)
    assert side is not None
    assert not side.is_image
    assert other_side(tree, "left_limb", [], bodies.get) is None


def test_of_two_names_the_link_that_lies_there_is_the_other() -> None:
    urdf = two_limbs(-0.3)
    extra = replace(
        urdf.joints[1],
        name="far",
        child="left_far",
        origin=Origin((0.5, -0.9, 0.4), (0.0, 0.0, 0.0)),
    )
    urdf = replace(urdf, links=(*urdf.links, Link("left_far")), joints=(*urdf.joints, extra))
    side = other_side(build_tree(urdf), "left_limb", ["left_far", "right_limb"], lambda _: None)
    assert side is not None
    assert side.link == "right_limb", "without shapes the origins say it"


def test_images_take_the_place_of_rows_that_are_not_kept_and_come_once() -> None:
    rows = np.array([(0.0, 0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.2), (2.0, 0.0, 0.0, 0.3)])
    images = np.array([(1.0, 0.0, 0.0, 0.2), (5.0, 0.0, 0.0, 0.5)])
    result = apply_tool("mirror", FrameSpheres("a", rows, ()), {"images": images, "kept": (1,)})
    assert result.rows.tolist() == [[1.0, 0.0, 0.0, 0.2], [5.0, 0.0, 0.0, 0.5]]
    assert result.source == (1, -1)
    assert result.selected == (1,)
    result = apply_tool("mirror", FrameSpheres("a", rows, ()), {"images": images, "kept": ()})
    assert result.rows.tolist() == images.tolist()
    assert result.source == (-1, -1)
