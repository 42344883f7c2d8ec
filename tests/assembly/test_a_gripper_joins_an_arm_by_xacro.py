"""A gripper joins an arm by xacro: two URDFs, one xacro file, and the arm's XRDF as it was."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.commands import AddSpheres
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import save_all, save_expansion_as
from editor_app.core.formats.urdf.xacro import expand_xacro
from editor_app.core.model.xrdf import CollisionSphere
from tests.helpers.documents import CLEAN, URDF

GRIPPER = """<robot name="gripper">
  <link name="gripper_base"/><link name="finger"/>
  <joint name="slide" type="prismatic">
    <parent link="gripper_base"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04" effort="1" velocity="1"/>
  </joint>
</robot>
"""


CELL = """<robot name="cell" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="arm.urdf"/>
  <xacro:include filename="gripper.urdf"/>
  <joint name="gripper_mount" type="fixed">
    <parent link="hand"/>
    <child link="gripper_base"/>
    <origin xyz="0 0 0" rpy="0 0 1.5708"/>
  </joint>
</robot>
"""


def test_the_arm_keeps_its_xrdf_and_the_gripper_gets_spheres(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "gripper.urdf").write_text(GRIPPER)
    (tmp_path / "cell.xrdf").write_text(CLEAN)
    source = tmp_path / "cell.xacro"
    source.write_text(CELL)
    expanded = expand_xacro(source)
    assert expanded.path is not None
    document = open_document(
        expanded, tmp_path / "cell.xrdf", expansion=Expansion.of(source, expanded.path, {}, ())
    )
    links = [link.name for link in document.robot.urdf.links]
    assert {"base", "hand", "gripper_base", "finger"} <= set(links)
    mount = document.robot.urdf.joint("gripper_mount")
    assert mount is not None
    assert (mount.parent, mount.child) == ("hand", "gripper_base")
    group = document.robot.xrdf.world_group
    assert group is not None
    document.execute(AddSpheres(group, "finger", (CollisionSphere((0.0, 0.0, 0.0), 0.01),)))
    save_expansion_as(document, tmp_path / "cell.urdf")
    save_all(document)
    written = (tmp_path / "cell.xrdf").read_text()
    kept = [line for line in CLEAN.splitlines() if line not in written.splitlines()]
    assert not kept, "lines of the arm that are gone"
    assert "finger:" in written
    again = open_document(tmp_path / "cell.urdf", tmp_path / "cell.xrdf")
    assert [link.name for link in again.robot.urdf.links] == links
