"""What the first plan is to be for robots that nobody tuned for: joints, tools, what is locked as
what.

Rows: (URDF stem, number of joints in the c-space, tool frames, roles of the locked joints). Where
the robot's SRDF has arms, `SRDF_ARMS` names the groups whose joints together are the c-space that
is guessed without it.
"""

from __future__ import annotations

LEGS = ("FL_foot", "RL_foot", "FR_foot", "RR_foot")
ANYMAL = ("LF_FOOT", "LH_FOOT", "RF_FOOT", "RH_FOOT")
TALOS = ("wrist_left_ft_tool_link", "wrist_right_ft_tool_link")

CONTROL: tuple[tuple[str, int, tuple[str, ...], dict[str, int]], ...] = (
    ("a1", 12, LEGS, {}),
    ("alex_nub_hands", 17, ("LeftGripperYawLink", "RightGripperYawLink"), {"head": 2}),
    ("alex_psyonic_hands", 17, ("Left_thumb_base", "Right_thumb_base"), {"head": 2, "finger": 12}),
    ("alex_sake_hands", 17, ("LeftSakePalmLink", "RightSakePalmLink"), {"head": 2, "finger": 4}),
    ("alexander_v1.lowerBodyOnly", 12, ("LEFT_FOOT", "RIGHT_FOOT"), {"side branch": 1}),
    (
        "allegro_left_hand",
        16,
        ("link_11.0_tip", "link_7.0_tip", "link_3.0_tip", "link_15.0_tip"),
        {},
    ),
    (
        "allegro_right_hand",
        16,
        ("link_15.0_tip", "link_3.0_tip", "link_7.0_tip", "link_11.0_tip"),
        {},
    ),
    ("anymal-kinova", 6, ("j2s6s200_end_effector",), {"leg": 12}),
    ("anymal_b_simple_description/anymal", 12, ANYMAL, {}),
    ("anymal_c_simple_description/anymal", 12, ANYMAL, {}),
    ("TwoDofs", 2, ("Tip",), {}),
    ("b1-z1", 6, ("gripperStator",), {"leg": 12, "finger": 1}),
    ("b1", 12, LEGS, {}),
    ("baxter", 14, ("left_gripper_base_link", "right_gripper_base_link"), {"head": 1, "finger": 2}),
    ("bolt", 6, ("FL_FOOT", "FR_FOOT"), {}),
    ("borinot_flying_arm_2", 2, ("flying_arm_2__ee",), {}),
    ("centauro", 13, ("ball1_tip", "ball2_tip"), {"head": 2, "wheel": 4, "leg": 20}),
    ("double_pendulum", 2, ("link2",), {}),
    ("double_pendulum_continuous", 2, ("link2",), {}),
    ("double_pendulum_simple", 2, ("link3",), {}),
    ("finger_edu", 3, ("finger_tip_link",), {}),
    ("g1_29dof_rev_1_0", 17, ("left_rubber_hand", "right_rubber_hand"), {"leg": 12}),
    (
        "g1_29dof_with_hand_rev_1_0",
        17,
        ("left_hand_palm_link", "right_hand_palm_link"),
        {"leg": 12, "finger": 14},
    ),
    ("go1", 12, LEGS, {}),
    ("go2", 12, LEGS, {}),
    ("quadrotor_base", 0, (), {}),
    ("hextilt_flying_arm_5", 5, ("flying_arm_5__gripper",), {}),
    ("human", 21, ("left_hand", "right_hand"), {"leg": 12, "head": 3}),
    ("hyq_no_sensors", 12, ("lf_foot", "lh_foot", "rf_foot", "rh_foot"), {}),
    ("icub", 17, ("l_gripper", "r_gripper"), {"head": 3, "leg": 12}),
    ("icub_reduced", 17, ("l_gripper", "r_gripper"), {"leg": 12}),
    ("iris", 0, (), {"wheel": 4}),
    ("iris_simple", 0, (), {}),
    ("kinova", 6, ("j2s6s200_end_effector",), {}),
    ("laikago", 12, LEGS, {}),
    ("panda", 7, ("panda_hand_tcp",), {"finger": 1}),
    ("panda_collision", 7, ("panda_hand_tcp",), {"finger": 1}),
    ("pr2", 15, ("l_gripper_tool_frame", "r_gripper_tool_frame"), {"head": 3, "finger": 2}),
    (
        "quadruped",
        4,
        ("FL_upperleg", "BL_upperleg", "BR_upperleg", "FR_upperleg"),
        {"not on the chosen chain": 4},
    ),
    ("romeo", 15, ("l_wrist", "r_wrist"), {"head": 4, "leg": 12, "finger": 2}),
    ("romeo_laas_small", 15, ("l_wrist", "r_wrist"), {"finger": 2, "head": 4, "leg": 12}),
    ("romeo_small", 15, ("l_gripper", "r_gripper"), {"head": 4, "leg": 12}),
    ("simple_humanoid", 17, ("l_wrist", "r_wrist"), {"leg": 12}),
    ("simple_humanoid_classical", 17, ("l_wrist", "r_wrist"), {"leg": 12}),
    ("so100", 5, ("gripper",), {"finger": 1}),
    ("so101", 5, ("gripper_frame_link",), {"finger": 1}),
    ("solo", 8, ("FL_FOOT", "HL_FOOT", "HR_FOOT", "FR_FOOT"), {}),
    ("solo12", 12, ("FL_FOOT", "HL_FOOT", "HR_FOOT", "FR_FOOT"), {}),
    ("talos_full_v2", 16, TALOS, {"head": 2, "finger": 2, "leg": 12}),
    ("talos_full_v2_box", 16, TALOS, {"head": 2, "finger": 2, "leg": 12}),
    ("talos_left_arm", 6, ("wrist_left_ft_tool_link",), {"finger": 1}),
    ("talos_reduced", 16, TALOS, {"head": 2, "finger": 2, "leg": 12}),
    ("talos_reduced_box", 16, TALOS, {"head": 2, "finger": 2, "leg": 12}),
    ("talos_reduced_corrected", 16, TALOS, {"head": 2, "finger": 2, "leg": 12}),
    ("tiago", 8, ("hand_grasping_frame",), {"wheel": 2, "head": 2, "finger": 36}),
    (
        "tiago_dual",
        15,
        ("hand_left_grasping_frame", "hand_right_grasping_frame"),
        {"wheel": 12, "head": 2, "finger": 72},
    ),
    ("tiago_no_hand", 8, ("wrist_ft_tool_link",), {"wheel": 2, "head": 2}),
    (
        "tiago_pro",
        15,
        ("arm_left_tool_link", "arm_right_tool_link"),
        {"wheel": 4, "head": 2, "finger": 2},
    ),
    ("ur10_joint_limited_robot", 6, ("tool0",), {}),
    ("ur10_robot", 6, ("tool0",), {}),
    ("ur3", 0, (), {}),
    ("ur3_gripper", 6, ("tool0",), {}),
    ("ur3_joint_limited_robot", 6, ("tool0",), {}),
    ("ur3_robot", 6, ("tool0",), {}),
    ("ur5_gripper", 6, ("tool0",), {}),
    ("ur5_joint_limited_robot", 6, ("tool0",), {}),
    ("ur5_robot", 6, ("tool0",), {}),
    ("xarm7", 7, ("link_eef",), {}),
    ("z1", 6, ("gripperStator",), {"finger": 1}),
)

#: Stem -> groups of the SRDF beside it.
SRDF_ARMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a1": ("a1", ("all_legs",)),
    "anymal-kinova": ("anymal-kinova", ("arm",)),
    "alexander_v1.lowerBodyOnly": ("alexander", ("left_leg", "right_leg")),
    "b1": ("b1", ("all_legs",)),
    "go1": ("go1", ("all_legs",)),
    "go2": ("go2", ("all_legs",)),
    "icub": ("icub", ("l_arm_torso", "r_arm_torso")),
    "panda": ("panda", ("arm",)),
    "pr2": ("pr2_manipulation", ("left_arm_and_torso", "right_arm_and_torso")),
    "solo": ("solo", ("lf_leg", "rf_leg", "lh_leg", "rh_leg")),
    "talos_reduced": ("talos", ("l_arm_torso", "r_arm_torso")),
    "xarm7": ("xarm7", ("xarm7",)),
    "kinova": ("kinova", ("end_effector",)),
}
