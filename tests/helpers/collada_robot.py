"""COLLADA robots: with every extension of the specification, for composing other files, and with a
repeated system."""

from __future__ import annotations

from pathlib import Path

TRIANGLE = """<mesh>
      <source id="{0}_p"><float_array id="{0}_a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
        <accessor source="#{0}_a" count="3" stride="3"/></technique_common></source>
      <vertices id="{0}_v"><input semantic="POSITION" source="#{0}_p"/></vertices>
      <triangles count="1" material="m"><input offset="0" semantic="VERTEX" source="#{0}_v"/><p>0 1 2</p></triangles>
    </mesh>"""


def geometry(name: str, extra: str = "") -> str:
    """A triangle, or with an `extra` what that says."""
    return f'<geometry id="{name}">{TRIANGLE.format(name)}{extra}</geometry>'


def info(shape: str) -> str:
    """Geometry that has no triangles, for a primitive."""
    return f'<extra type="geometry_info"><technique profile="OpenRAVE">{shape}</technique></extra>'


#: Nine types with every parameter that the specification names; and one in the style of its
#: example.
SENSORS = """
    <sensor type="base_pinhole_camera" id="cam">
      <image_dimensions>640 480 3</image_dimensions><format>uint8</format><measurement_time>0.04</measurement_time>
      <intrinsic>500 0 320 0 501 240</intrinsic><distortion>0.1 0.01 0 0 0.001</distortion>
      <interface_type><technique profile="OpenRAVE"><interface>BaseCamera</interface><plugin>cam.so</plugin></technique>
      </interface_type></sensor>
    <sensor type="base_stereo_camera" id="stereo">
      <instance_sensor url="#cam"><rectification>1 0 0 0 1 0 0 0 1</rectification></instance_sensor>
      <instance_sensor url="#lonely"><rectification>1 0 0.5 0 1 0 0 0 1</rectification></instance_sensor></sensor>
    <sensor type="base_laser2d" id="laser">
      <angle_range>-90 90</angle_range><distance_range>0.01 4</distance_range><angle_increment>1</angle_increment>
      <time_increment>0.0005</time_increment><measurement_time>0.025</measurement_time></sensor>
    <sensor type="base_laser2d" id="ExampleLaser1">
      <angle_min><float>-90</float></angle_min><angle_max><float>90</float></angle_max>
      <range_min><float>0.01</float></range_min><range_max><float>4.0</float></range_max>
      <angle_increment><float>1</float></angle_increment><time_increment><float>0.0005</float></time_increment>
      <measurement_time><float>0.025</float></measurement_time></sensor>
    <sensor type="base_laser3d" id="laser3"><distance_range>0.2 30</distance_range><rings>16</rings></sensor>
    <sensor type="base_flash_laser" id="flash"><distance_range>0.5 8</distance_range></sensor>
    <sensor type="base_encoder" id="encoder"><resolution>4096</resolution></sensor>
    <sensor type="base_force6d" id="force"><load_range_force>100 100 200</load_range_force>
      <load_range_torque>5 5 5</load_range_torque></sensor>
    <sensor type="base_imu" id="imu"><measurement_time>0.005</measurement_time>
      <rotation_covariance>1 0 0 0 2 0 0 0 3</rotation_covariance>
      <angular_velocity_covariance>4 0 0 0 5 0 0 0 6</angular_velocity_covariance>
      <linear_acceleration_covariance>7 0 0 0 8 0 0 0 9</linear_acceleration_covariance></sensor>
    <sensor type="base_odometry" id="odometry"><measurement_time>0.02</measurement_time><target>base</target></sensor>
    <sensor type="base_pinhole_camera" id="lonely"><image_dimensions>320 240 1</image_dimensions></sensor>"""
ATTACHED = (
    "cam",
    "stereo",
    "laser",
    "ExampleLaser1",
    "laser3",
    "flash",
    "encoder",
    "force",
    "imu",
    "odometry",
)

ATTACHMENTS = "".join(
    f'<extra type="attach_sensor" name="my_{name}"><technique profile="OpenRAVE"><instance_sensor '
    f'url="#{name}"/>'
    f'<frame_origin link="k/hand"><translate>0 {i} 0</translate><rotate>0 1 0 '
    "90</rotate></frame_origin>"
    "</technique></extra>"
    for i, name in enumerate(ATTACHED)
)

ROBOT = f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
  <asset><contributor><authoring_tool>by hand</authoring_tool></contributor><unit meter="1"/><up_axis>Z_UP</up_axis>
  </asset>
  <library_images><image id="pic"><init_from><ref>wood%20grain.png</ref></init_from></image></library_images>
  <library_effects>
    <effect id="red"><profile_COMMON><technique sid="common"><phong><diffuse><color>0.8 0.1 0.1 1</color></diffuse>
      </phong></technique></profile_COMMON></effect>
    <effect id="wood"><profile_COMMON>
      <newparam sid="s"><sampler2D><instance_image url="#pic"/></sampler2D></newparam>
      <technique sid="common"><lambert><diffuse><texture texture="s" texcoord="UV0"/></diffuse></lambert></technique>
    </profile_COMMON></effect>
  </library_effects>
  <library_materials>
    <material id="red_m"><instance_effect url="#red"/></material>
    <material id="wood_m"><instance_effect url="#wood"/></material>
  </library_materials>
  <library_geometries>
    <geometry id="two"><mesh>
      <source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 0 1 0 1 1 0</float_array><technique_common>
        <accessor source="#pa" count="4" stride="3"/></technique_common></source>
      <source id="n"><float_array id="na" count="3">0 0 1</float_array><technique_common>
        <accessor source="#na" count="1" stride="3"/></technique_common></source>
      <source id="t"><float_array id="ta" count="6">0 0 1 0 0 1</float_array><technique_common>
        <accessor source="#ta" count="3" stride="2"/></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="1" material="a"><input offset="0" semantic="VERTEX" source="#v"/>
        <input offset="1" semantic="NORMAL" source="#n"/><p>0 0 1 0 2 0</p></triangles>
      <polylist count="1" material="b"><input offset="0" semantic="VERTEX" source="#v"/>
        <input offset="1" semantic="NORMAL" source="#n"/><input offset="2" semantic="TEXCOORD" source="#t" set="0"/>
        <vcount>3</vcount><p>1 0 0 3 0 1 2 0 2</p></polylist>
    </mesh></geometry>
    {geometry("env")}
    {geometry("self")}
    <geometry id="ball">{info("<translate>0.1 0 0</translate><sphere><radius>0.2</radius></sphere>")}</geometry>
    <geometry id="box">
      {info("<box><half_extents>0.1 0.2 0.3</half_extents></box><translate>0 0 0.5</translate>")}</geometry>
  </library_geometries>
  <library_visual_scenes><visual_scene id="vs"><node id="root" sid="root">
    <node id="n0" sid="n0" name="base"><instance_geometry url="#two"><bind_material><technique_common>
      <instance_material symbol="a" target="#red_m"/><instance_material symbol="b" target="#wood_m"/>
    </technique_common></bind_material></instance_geometry>
    <node id="n1" sid="n1" name="arm"><rotate sid="j0axis">0 0 1 0</rotate><instance_geometry url="#box"/>
    <node id="n2" sid="n2" name="hand"><rotate sid="j1axis">0 0 1 0</rotate></node></node></node></node></visual_scene>
  </library_visual_scenes>
  <library_kinematics_models><kinematics_model id="k" name="complete"><technique_common>
    <joint name="turn" sid="j0"><revolute sid="axis0"><axis>0 0 1</axis>
      <limits><min>-170</min><max>170</max></limits></revolute></joint>
    <joint name="bend" sid="j1"><revolute sid="axis0"><axis>0 1 0</axis>
      <limits><min>-90</min><max>90</max></limits></revolute>
      <extra type="joint_info"><technique profile="OpenRAVE"><float_array name="p">1 2</float_array></technique></extra>
      </joint>
    <joint name="finger" sid="j2"><prismatic sid="axis0"><axis>0 1 0</axis>
      <limits><min>0</min><max>0.04</max></limits></prismatic></joint>
    <joint name="second" sid="j3"><prismatic sid="axis0"><axis>0 -1 0</axis>
      <limits><min>0</min><max>0.04</max></limits></prismatic></joint>
    <joint name="odd" sid="j4"><revolute sid="axis0"><axis>0 1 0</axis></revolute></joint>
    <link sid="base" name="base"><attachment_full joint="k/j0"><translate>0 0 0.3</translate>
      <link sid="arm" name="arm"><attachment_full joint="k/j1"><translate>0 0 0.4</translate>
        <link sid="hand" name="hand">
          <attachment_full joint="k/j2"><link sid="f0" name="finger_a"/></attachment_full>
          <attachment_full joint="k/j3"><link sid="f1" name="finger_b"/></attachment_full>
          <attachment_full joint="k/j4"><link sid="f2" name="wheel"/></attachment_full>
    </link></attachment_full></link></attachment_full></link>
    <formula sid="f"><target><param>k/j3/axis0</param></target>
      <technique profile="OpenRAVE"><equation type="position"><math><csymbol encoding="COLLADA">k/j2</csymbol></math>
      </equation><equation type="first_partial" target="k/j2"><math><cn>1</cn></math></equation></technique></formula>
    <formula sid="g"><target><param>k/j4/axis0</param></target><technique_common><math><apply><sin/>
      <csymbol encoding="COLLADA">k/j0</csymbol></apply></math></technique_common></formula>
  </technique_common>
  <extra type="collision"><technique profile="OpenRAVE">
    <bind_instance_geometry type="environment" link="base" url="#env"/>
    <bind_instance_geometry type="environment" link="arm" url="#box"/>
    <bind_instance_geometry type="self" link="base" url="#self"/>
    <bind_instance_geometry type="self" link="k/arm" url="#ball"/>
    <ignore_link_pair link0="k/base" link1="arm"/><ignore_link_pair link0="arm" link1="hand"/>
    <link_collision_state link="f2"><bool>false</bool></link_collision_state></technique></extra>
  <extra type="interface_type"><technique profile="OpenRAVE"><interface>MyBody</interface></technique></extra>
  </kinematics_model></library_kinematics_models>
  <library_articulated_systems>
    <articulated_system id="s" name="complete"><kinematics>
      <instance_kinematics_model url="#k" sid="k_inst">
        <newparam sid="p0"><SIDREF>k/j0/axis0</SIDREF></newparam>
        <newparam sid="p0_value"><float>30</float></newparam></instance_kinematics_model>
      <technique_common>
        <axis_info sid="i0" axis="k/j0/axis0"><newparam sid="circular"><bool>true</bool></newparam>
          <newparam sid="planning_weight"><float>2</float></newparam><active><bool>true</bool></active>
          <locked><bool>false</bool></locked><index><int>1</int></index>
          <limits><min><float>-160</float></min><max><float>160</float></max></limits></axis_info>
        <axis_info sid="i1" axis="k/j1/axis0"><active><bool>true</bool></active><index><int>0</int></index></axis_info>
        <axis_info sid="i2" axis="k/j2/axis0"><active><bool>false</bool></active></axis_info>
        <frame_origin link="base"/><frame_tip link="hand"/><frame_tcp link="hand"><translate>0 0 0.1</translate>
        </frame_tcp></technique_common></kinematics>
    <extra type="interface_type"><technique profile="OpenRAVE"><interface type="robot">MyRobot</interface>
      <plugin>myplugin.so</plugin></technique></extra>
    <extra type="manipulator" name="whole"><technique profile="OpenRAVE"><frame_origin link="base"/>
      <frame_tip link="hand"><translate>0 0 0.22</translate><rotate>0 1 0 90</rotate><direction>0 0 1</direction>
      </frame_tip><gripper_joint joint="j2"><closing_direction axis="axis0"><float>-1</float></closing_direction>
      </gripper_joint><iksolver type="Transform6D"><free_joint joint="j1" stepsize="0.01"/><interface_type>
      <technique profile="OpenRAVE"><interface>ik</interface><plugin>ik.so</plugin></technique></interface_type>
      </iksolver><iksolver type="Translation3D"><free_joint joint="j0"/></iksolver></technique></extra>
    <extra type="manipulator" name="upper"><technique profile="OpenRAVE"><frame_origin link="k/arm"/>
      <frame_tip link="k/hand"/></technique></extra>
    {ATTACHMENTS}
    <extra type="attach_actuator" name="motor0"><technique profile="OpenRAVE"><instance_actuator url="#motor"/>
      <bind_actuator joint="k/j0"/></technique></extra>
    </articulated_system>
    <articulated_system id="t"><motion><instance_articulated_system url="#s"/><technique_common>
      <axis_info axis="s/i0"><speed><float>90</float></speed><acceleration><float>180</float></acceleration>
        <deceleration><float>200</float></deceleration><jerk><float>1800</float></jerk></axis_info>
      <axis_info axis="s/i1"><speed><float>45</float></speed></axis_info>
      <effector_info><speed><float>1</float></speed></effector_info>
    </technique_common></motion></articulated_system>
  </library_articulated_systems>
  <library_kinematics_scenes><kinematics_scene id="ks"><instance_articulated_system url="#t" sid="t_inst">
    <bind symbol="axis"><param ref="s/p0"/></bind><bind symbol="value"><param ref="s/p0_value"/></bind>
  </instance_articulated_system></kinematics_scene></library_kinematics_scenes>
  <library_physics_models><physics_model id="pm"><rigid_body sid="rb" name="x"><technique_common><mass>1</mass>
    <inertia>0.1 0.2 0.3</inertia></technique_common></rigid_body></physics_model></library_physics_models>
  <library_physics_scenes><physics_scene id="ps"><instance_physics_model url="#pm">
    <instance_rigid_body body="rb" target="#n1"><technique_common><mass>2.5</mass></technique_common>
    </instance_rigid_body></instance_physics_model></physics_scene></library_physics_scenes>
  <scene><instance_kinematics_scene url="#ks">
    <bind_joint_axis target="root/n1/j0axis"><axis><param>axis</param></axis><value><param>value</param></value>
    </bind_joint_axis></instance_kinematics_scene></scene>
  <extra type="library_sensors" id="libsensors"><technique profile="OpenRAVE">{SENSORS}</technique></extra>
  <extra type="library_actuators" id="libactuators"><technique profile="OpenRAVE">
    <actuator type="electric_motor" id="motor"><gear_ratio>100</gear_ratio></actuator></technique></extra>
</COLLADA>
"""

#: A small model for scenes; `{0}` is its id.
PART = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
  <asset><unit meter="{1}"/><up_axis>{2}</up_axis></asset>
  <library_geometries><geometry id="{0}_g">{3}</geometry></library_geometries>
  <library_visual_scenes><visual_scene id="{0}_vs"><node id="{0}_n" sid="{0}_n" name="{0}_body">
    <instance_geometry url="#{0}_g"/></node></visual_scene></library_visual_scenes>
  <library_kinematics_models><kinematics_model id="{0}" name="{0}"><technique_common>
    <joint name="hinge" sid="j0"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>
    <link sid="l0" name="{0}_body"><attachment_full joint="{0}/j0"><translate>10 0 0</translate>
      <link sid="l1" name="lid"/></attachment_full></link></technique_common></kinematics_model>
  </library_kinematics_models>
  <library_articulated_systems><articulated_system id="{0}_s" name="{0}"><kinematics>
    <instance_kinematics_model url="#{0}" sid="inst"/><technique_common/></kinematics></articulated_system>
  </library_articulated_systems>
</COLLADA>
"""


def part(name: str, unit: str = "1", up: str = "Z_UP") -> str:
    """A document with a robot `name`: two links, a joint `hinge` 10 units along x."""
    return PART.format(name, unit, up, TRIANGLE.format(f"{name}_g"))


def scene(*placed: tuple[str, str, str]) -> str:
    """A document that shows robots of others: (file, name of the robot, translation)."""
    instances = "".join(
        f'<instance_articulated_system url="{f}#{n}_s" sid="i_{n}"/>' for f, n, _ in placed
    )
    binds = "".join(f'<bind symbol="b_{n}"><param ref="{n}_s/inst"/></bind>' for _, n, _ in placed)
    nodes = "".join(
        f'<node id="at_{n}" sid="at_{n}"><translate>{at}</translate><instance_node '
        f'url="{f}#{n}_n"/></node>'
        for f, n, at in placed
    )
    models = "".join(
        f'<bind_kinematics_model node="all/at_{n}"><param>{n}</param></bind_kinematics_model>'
        for _, n, _ in placed
    )
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
  <asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
  <library_visual_scenes><visual_scene id="vs"><node id="all" sid="all">{nodes}</node></visual_scene>
  </library_visual_scenes>
  <library_kinematics_scenes><kinematics_scene id="ks">{instances}{binds}</kinematics_scene></library_kinematics_scenes>
  <scene><instance_visual_scene url="#vs"/><instance_kinematics_scene url="#ks">{models}</instance_kinematics_scene>
  </scene></COLLADA>
"""


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
    """Two of one arm, at y = 1 m (upper limit 60°, 10 °/s, at 20°) and y = -1 m (80°, 30 °/s, at
    -30°)."""
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
