"""A COLLADA file whose scene has one articulated system twice, with other parameters."""

from __future__ import annotations

from pathlib import Path


def _instance(sid: str, name: str, top: float, speed: float) -> str:
    return f"""<instance_articulated_system url="#t" sid="{sid}"{name}>
<newparam sid="{sid}_model"><SIDREF>s/k_inst</SIDREF></newparam>
<newparam sid="{sid}_axis"><SIDREF>k/j0/axis0</SIDREF></newparam>
<setparam ref="t/speed"><float>{speed}</float></setparam>
<setparam ref="s/high"><float>{top}</float></setparam></instance_articulated_system>"""


def _node(sid: str, y: float) -> str:
    return f"""<node id="{sid}_base" sid="{sid}_base" name="base"><translate>0 {y} 0</translate>
<node id="{sid}_tip" sid="{sid}_tip" name="tip"><rotate sid="turn">0 0 1 0</rotate></node></node>"""


def _binds(sid: str, value: float) -> str:
    return f"""<bind_kinematics_model node="all/{sid}_base"><param>{sid}_model</param></bind_kinematics_model>
<bind_joint_axis target="all/{sid}_base/{sid}_tip/turn"><axis><param>{sid}_axis</param></axis>
<value><float>{value}</float></value></bind_joint_axis>"""


def twins(folder: Path, names: tuple[str, str] = ("", "")) -> Path:
    """Two of one arm, at y = 1 m (upper limit 60°, 10 °/s, at 20°) and y = -1 m (80°, 30 °/s, at -30°)."""
    path = folder / "twins.dae"
    path.write_text(
        f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_visual_scenes><visual_scene id="vs"><node id="all" sid="all">{_node("a", 1)}{_node("b", -1)}</node>
</visual_scene></library_visual_scenes>
<library_kinematics_models><kinematics_model id="k" name="arm"><technique_common>
<joint name="turn" sid="j0"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>
<link sid="base" name="base"><attachment_full joint="k/j0"><link sid="tip" name="tip"/></attachment_full></link>
</technique_common></kinematics_model></library_kinematics_models>
<library_articulated_systems>
<articulated_system id="s" name="arm"><kinematics>
<instance_kinematics_model url="#k" sid="k_inst"/>
<technique_common><axis_info sid="i0" axis="k/j0/axis0"><newparam sid="high"><float>170</float></newparam>
<limits><min><float>-90</float></min><max><param>high</param></max></limits></axis_info></technique_common></kinematics>
<extra type="manipulator" name="whole"><technique profile="OpenRAVE"><frame_origin link="k/base"/>
<frame_tip link="k/tip"/></technique></extra></articulated_system>
<articulated_system id="t"><motion><instance_articulated_system url="#s" sid="s_inst"/><technique_common>
<axis_info axis="s/i0"><newparam sid="speed"><float>100</float></newparam><speed><param>speed</param></speed>
</axis_info></technique_common></motion></articulated_system>
</library_articulated_systems>
<library_kinematics_scenes><kinematics_scene id="ks">{_instance("a", names[0], 60, 10)}
{_instance("b", names[1], 80, 30)}
</kinematics_scene></library_kinematics_scenes>
<scene><instance_kinematics_scene url="#ks">{_binds("a", 20)}{_binds("b", -30)}</instance_kinematics_scene></scene>
</COLLADA>""",
        encoding="utf-8",
    )
    return path
