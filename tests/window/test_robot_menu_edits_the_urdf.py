"""The Robot menu attaches, merges and ignores; each is one step, and is not offered when there is
nothing to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.helpers.windows import menu_action, open_window, settle

MASS = (
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" '
    'izz="1"/></inertial>'
)
URDF = f"""<robot name="arm">
  <link name="base">{MASS}</link>
  <link name="plate"/>
  <link name="upper">{MASS}</link>
  <joint name="bolts" type="fixed"><parent link="base"/><child link="plate"/></joint>
  <joint name="turn" type="continuous"><parent link="plate"/><child link="upper"/></joint>
</robot>
"""


def test_the_robot_menu_edits_the_urdf_and_undo_takes_it_back(tmp_path: Path, qapp: Any) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    with open_window(tmp_path, tmp_path / "arm.urdf") as window:
        document = window.session.document
        menu_action(window, "Robot", "Whole URDF", "Attach to world").trigger()
        settle(window)
        assert '<link name="world"/>' in document.urdf_text
        menu_action(window, "Robot", "Whole URDF", "Detach from world").trigger()
        settle(window)
        assert document.urdf_text == URDF
        menu_action(window, "Robot", "Whole URDF", "Ignore linked bodies").trigger()
        settle(window)
        section = document.robot.xrdf.self_collision
        assert section is not None
        assert len(section.ignored_pairs()) == 3
        assert not menu_action(window, "Robot", "Whole URDF", "Ignore linked bodies").isEnabled()
        menu_action(window, "Robot", "Whole URDF", "Merge links without inertial").trigger()
        settle(window)
        assert [link.name for link in document.robot.urdf.links] == ["base", "upper"]
        assert not menu_action(
            window, "Robot", "Whole URDF", "Merge links without inertial"
        ).isEnabled()
        assert document.undo_label == "Merge links without inertial"
        while document.undo():
            pass
        assert document.urdf_text == URDF
        settle(window)
