"""Robots that are put together from several kinematics models: an arm, and two instances of one
gripper."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.urdf import Mimic, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.plugins.collada.read import read_collada_robot
from tests.helpers.robots import text_of
from tests.helpers.urdfdom import assert_urdfdom_takes


def _joint(sid: str, axis: str = "0 0 1") -> str:
    return (
        f'<joint name="{sid}" sid="{sid}"><revolute '
        f'sid="axis0"><axis>{axis}</axis></revolute></joint>'
    )


def _bind(instance: str, joint: str, target: str) -> str:
    return f"""<bind_joint_axis target="{target}"><axis><param>{instance}_{joint}</param></axis>
<value><float>0</float></value></bind_joint_axis>"""


GRIPPER = """<node id="{0}_palm" sid="{0}_palm" name="palm"><translate>0 0 0.05</translate>
<node sid="{0}_left"><translate>0.02 0 0</translate><rotate sid="left_axis">0 0 1 0</rotate></node>
<node sid="{0}_right"><translate>-0.02 0 0</translate><rotate sid="right_axis">0 0 1 0</rotate></node></node>"""
FORMULA = """<formula sid="f"><newparam sid="leader"><SIDREF>gripper/left</SIDREF></newparam>
<target><param>gripper/right</param></target><technique_common><math><apply><times/><cn>-1</cn>
<csymbol encoding="COLLADA">leader</csymbol></apply></math></technique_common></formula>"""
AXES = "".join(
    f'<newparam sid="{i}_{j}"><SIDREF>{m}/{j}/axis0</SIDREF></newparam>'
    for i, m, j in (
        ("arm_inst", "arm", "turn"),
        ("g1", "gripper", "left"),
        ("g1", "gripper", "right"),
        ("g2", "gripper", "left"),
        ("g2", "gripper", "right"),
    )
)


def _instance(sid: str, model: str, joints: tuple[str, ...]) -> str:
    inner = "".join(
        f'<newparam sid="{sid}_{j}"><SIDREF>{model}/{j}/axis0</SIDREF></newparam>' for j in joints
    )
    return (
        f'<instance_kinematics_model url="#{model}" sid="{sid}">{inner}</instance_kinematics_model>'
    )


def _info(instance: str, joint: str, high: float) -> str:
    return f"""<axis_info sid="{instance}_{joint}_info" axis="{instance}/{joint}/axis0">
<newparam sid="high"><float>{high}</float></newparam>
<limits><min><float>-5</float></min><max><param>high</param></max></limits></axis_info>"""


ROBOT = f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_visual_scenes><visual_scene id="vs"><node id="v0" sid="v0"><translate>1 0 0</translate>
<node sid="n_base" name="base"><node sid="n_hand" name="hand"><translate>0 0 0.3</translate>
<rotate sid="turn_axis">0 0 1 0</rotate>
<node><translate>0.1 0 0</translate>{GRIPPER.format("one")}</node>
<node><translate>-0.1 0 0</translate><rotate>1 0 0 180</rotate>{GRIPPER.format("two")}</node>
</node></node></node></visual_scene></library_visual_scenes>
<library_kinematics_models>
<kinematics_model id="arm" name="arm"><technique_common>{_joint("turn")}<link sid="base" name="base">
<attachment_full joint="arm/turn"><translate>0 0 0.3</translate><link sid="hand" name="hand"/></attachment_full></link>
</technique_common></kinematics_model>
<kinematics_model id="gripper" name="gripper"><technique_common>{_joint("left")}{_joint("right")}
<link sid="palm" name="palm">
<attachment_full joint="gripper/left"><translate>0.02 0 0</translate><link sid="l" name="finger_l"/></attachment_full>
<attachment_full joint="gripper/right"><translate>-0.02 0 0</translate><link sid="r" name="finger_r"/></attachment_full>
</link>{FORMULA}</technique_common></kinematics_model>
</library_kinematics_models>
<library_articulated_systems><articulated_system id="sys" name="cell"><kinematics>
{_instance("arm_inst", "arm", ("turn",))}
{_instance("g1", "gripper", ("left", "right"))}
{_instance("g2", "gripper", ("left", "right"))}
<technique_common>{_info("arm_inst", "turn", 90.0)}{_info("g1", "left", 10.0)}{_info("g2", "left", 20.0)}
</technique_common></kinematics></articulated_system></library_articulated_systems>
<library_kinematics_scenes><kinematics_scene id="ks"><instance_articulated_system url="#sys" sid="sys_inst">
<bind symbol="k_arm"><param ref="sys/arm_inst"/></bind></instance_articulated_system></kinematics_scene>
</library_kinematics_scenes>
<scene><instance_visual_scene url="#vs"/><instance_kinematics_scene url="#ks">
<bind_kinematics_model node="v0/n_base"><SIDREF>sys/arm_inst</SIDREF></bind_kinematics_model>
<bind_kinematics_model node="v0/one_palm"><SIDREF>sys/g1</SIDREF></bind_kinematics_model>
<bind_kinematics_model node="v0/two_palm"><SIDREF>sys/g2</SIDREF></bind_kinematics_model>
{_bind("arm_inst", "turn", "v0/n_hand/turn_axis")}
{_bind("g1", "left", "one_left/left_axis")}{_bind("g2", "left", "two_left/left_axis")}
{_bind("g1", "right", "one_right/right_axis")}{_bind("g2", "right", "two_right/right_axis")}
</instance_kinematics_scene></scene></COLLADA>
"""


def _read(folder: Path) -> Urdf:
    path = folder / "cell.dae"
    path.write_text(ROBOT, encoding="utf-8")
    text = text_of(read_collada_robot(path, ALL_ROBOTS).urdf)
    (folder / "cell.urdf").write_text(text, encoding="utf-8")
    return read_urdf(SourceText.from_text(text)).value


def test_grippers_hang_on_the_link_that_the_scene_puts_them_in(tmp_path: Path) -> None:
    urdf = _read(tmp_path)
    carried = {j.child: j.parent for j in urdf.joints}
    assert carried["palm"] == carried["palm_2"] == "hand"
    assert carried["base"] == "world"
    tree = build_tree(urdf)
    poses = compute_forward(tree, {"turn": math.pi / 2})
    at = {name: poses[tree.index[name]][:3, 3] for name in ("palm", "palm_2", "finger_l_2")}
    # The arm stands at x = 1, and has turned by a quarter: what was in front of it is beside it.
    assert np.allclose(at["palm"], (1, 0.1, 0.35), atol=1e-12)
    assert np.allclose(at["palm_2"], (1, -0.1, 0.25), atol=1e-12)
    assert np.allclose(at["finger_l_2"], (1, -0.08, 0.25), atol=1e-12)
    assert_urdfdom_takes(tmp_path / "cell.urdf")


def test_each_instance_has_limits_and_formulas_of_its_own(tmp_path: Path) -> None:
    urdf = _read(tmp_path)
    upper = {
        j.name: round(math.degrees(j.limit.upper or 0), 9)
        for j in urdf.joints
        if j.limit and j.mimic is None
    }
    assert upper == {"turn": 90.0, "left": 10.0, "left_2": 20.0}
    mimics = {j.name: j.mimic for j in urdf.joints if j.mimic is not None}
    assert mimics == {"right": Mimic("left", -1.0, 0.0), "right_2": Mimic("left_2", -1.0, 0.0)}
