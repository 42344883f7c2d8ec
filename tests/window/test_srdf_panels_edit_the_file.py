"""The panels of the SRDF: what is done in them by keys and mouse stands in the file, and nothing
else changes there."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.lists import RemoveItems, SetItems, set_item
from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.commands.srdf import (
    SetSrdf,
)
from editor_app.core.document.commands.tools import AllOf
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.features import FeatureKind, RobotFeature
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.srdf import Srdf, ToolCenterPoint
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.window.actions.action_tables import ActionSpec
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import NameBox
from editor_app.window.session import Session
from editor_app.window.srdf.file import ConfigsPanel, FilePanel
from editor_app.window.srdf.groups import GroupsPanel, JointsOfSrdfPanel
from editor_app.window.srdf.pairs import (
    GROUP,
    ContactMarginsPanel,
    DefaultsPanel,
    PairsPanel,
    SpheresOfSrdfPanel,
)
from editor_app.window.srdf.sections import srdf_section_specs
from editor_app.window.srdf.states import EffectorsPanel, StatesPanel, ToolsPanel
from editor_app.window.xrdf.section_stack import SectionStack
from tests.helpers.panels import changed_lines, click_cell, edit_cell, shown, type_into
from tests.helpers.robots import shared_robots
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

SRDF = """<robot name="small">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="gripper">
    <joint name="slide_a"/>
    <joint name="slide_b"/>
  </group>
  <group_state name="bent" group="arm">
    <joint name="j1" value="0.5"/>
    <joint name="j2" value="9.0"/>
  </group_state>
  <group_tcps group="arm"><tcp name="tip" xyz="0 0 0.10" wxyz="1 0 0 0"/></group_tcps>
  <end_effector name="claw" parent_link="hand" group="gripper"/>
  <passive_joint name="slide_b"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="fore" link2="finger_a" reason="Never"/>
  <disable_collisions link1="fore" link2="gone" reason="Never"/>
</robot>
"""


def small_session(srdf: str | None = SRDF) -> Session:
    session = Session()
    session.open(
        Document(
            read_urdf(SourceText.from_text(URDF_TEXT)),
            read_xrdf(SourceText.from_text(XRDF_TEXT)),
            read_srdf(SourceText.from_text(srdf)) if srdf is not None else None,
        )
    )
    return session


def text(session: Session) -> str:
    return session.document.srdf_text or ""


def test_each_section_says_for_itself_what_it_would_hold(qtbot: QtBot) -> None:
    session = small_session(None)
    window = Window(session)
    qtbot.addWidget(window)
    stack = shown(
        qtbot, SectionStack(session, srdf_section_specs(window.registry), name="SRDF", setting="x")
    )
    said = []
    for name, section in stack.sections.items():
        stack.reveal(name)
        assert section.panel.add_button.isVisible(), name
        said.append(section.panel.purpose)
    assert len(set(said)) == len(said) == 11


def test_going_to_a_state_poses_its_joints_alone(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, StatesPanel(session))
    session.set_joint("slide_a", 0.03)
    assert not panel.go_to.isEnabled()
    click_cell(qtbot, panel.view, 0)
    qtbot.mouseClick(panel.go_to, Qt.MouseButton.LeftButton)
    assert session.pose["j1"] == 0.5
    assert session.pose["j2"] == 9.0
    assert session.pose["slide_a"] == 0.03
    assert not session.document.is_modified, "looking is no edit"


def test_the_present_pose_becomes_a_state_of_the_groups_joints(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, StatesPanel(session))
    session.set_joint("j1", -0.25)
    session.set_joint("j2", 0.125)
    qtbot.keyClicks(panel.name, "home")
    qtbot.mouseClick(panel.store, Qt.MouseButton.LeftButton)
    assert changed_lines(SRDF, text(session)) == [
        '+  <group_state name="home" group="arm">',
        '+    <joint name="j1" value="-0.25"/>',
        '+    <joint name="j2" value="0.125"/>',
        "+  </group_state>",
    ]
    session.set_joint("j1", 1.5)
    qtbot.mouseClick(panel.update_state, Qt.MouseButton.LeftButton)
    assert '<joint name="j1" value="1.5"/>' in text(session)
    qtbot.keyClicks(panel.name, "home")
    qtbot.mouseClick(panel.store, Qt.MouseButton.LeftButton)
    assert "already" in panel.messages.text
    edit_cell(qtbot, panel.view, 0, 0, "folded")
    assert '<group_state name="folded" group="arm">' in text(session)
    while session.document.undo():
        pass
    assert text(session) == SRDF


def test_what_was_typed_for_something_new_stays_when_the_field_is_left(qtbot: QtBot) -> None:
    session = small_session()
    states = shown(qtbot, StatesPanel(session))
    type_into(qtbot, states.name, "home", enter=False)
    states.store.setFocus()
    assert not states.name.hasFocus()
    qtbot.mouseClick(states.store, Qt.MouseButton.LeftButton)
    assert '<group_state name="home" group="arm">' in text(session)
    tools = shown(qtbot, ToolsPanel(session))
    type_into(qtbot, tools.name, "probe", enter=False)
    type_into(qtbot, tools.group, "gripper")
    qtbot.mouseClick(tools.add, Qt.MouseButton.LeftButton)
    assert '<group_tcps group="gripper">' in text(session)
    joints = shown(qtbot, JointsOfSrdfPanel(session))
    type_into(qtbot, joints.joint, "j1")
    type_into(qtbot, joints.property_name, "motion_model", enter=False)
    type_into(qtbot, joints.value, "holonomic")
    assert 'property_name="motion_model" value="holonomic"' in text(session)
    # Esc takes it back.
    type_into(qtbot, joints.value, "planar", enter=False)
    qtbot.keyClick(joints.value, Qt.Key.Key_Escape)
    assert joints.value.text() == ""


def test_a_state_with_what_the_robot_cannot_take_says_so(qtbot: QtBot) -> None:
    session = small_session(SRDF.replace('"j2" value="9.0"', '"gone" value="9.0"'))
    panel = shown(qtbot, StatesPanel(session))
    click_cell(qtbot, panel.view, 0)
    qtbot.mouseClick(panel.go_to, Qt.MouseButton.LeftButton)
    assert "gone" in panel.messages.text
    session = small_session(SRDF.replace('"j1" value="0.5"', '"j1" value="99"'))
    panel = shown(qtbot, StatesPanel(session))
    click_cell(qtbot, panel.view, 0)
    panel.pose_robot()
    assert "j1: outside" in panel.messages.text


def test_members_that_do_not_exist_are_marked_and_fixed_joints_show_their_link(
    qtbot: QtBot,
) -> None:
    members = (
        '<joint name="slide_a"/><joint name="wrist"/><joint name="gone"/><link name="hand"/><group '
        'name="nobody"/>'
    )
    session = small_session(
        SRDF.replace('<joint name="slide_a"/>\n    <joint name="slide_b"/>', members)
    )
    panel = shown(qtbot, GroupsPanel(session))
    click_cell(qtbot, panel.view, 1)
    rows, problem = panel.members.rows_model.items, panel.members.rows_model.columns[1].problem
    assert problem is not None
    marked = {row.names[0]: problem(row) for row in rows if problem(row)}
    assert marked == {"gone": "No joint named gone.", "nobody": "No group named nobody."}
    click_cell(qtbot, panel.members, 0)
    assert session.selection.joints == ("slide_a",)
    click_cell(qtbot, panel.members, 1)
    assert session.selection.links == ("hand",)


def test_the_name_and_the_version_of_the_file(qtbot: QtBot) -> None:
    base = SRDF.replace('"small"', '"other"', 1)
    session = small_session(base)
    panel = shown(qtbot, FilePanel(session))
    assert panel.match.text() == "Use the URDF's name, small"
    qtbot.mouseClick(panel.match, Qt.MouseButton.LeftButton)
    assert text(session) == SRDF
    assert not panel.match.isVisible()
    type_into(qtbot, panel.fields["version"], "1.0.0")
    assert text(session) == SRDF.replace('name="small"', 'name="small" version="1.0.0"', 1)
    type_into(qtbot, panel.fields["version"], "")
    assert text(session) == SRDF
    type_into(qtbot, panel.fields["name"], "")
    assert "needs a name" in panel.messages.text
    assert "Tesseract" in panel.flavour.text()
    while session.document.undo():
        pass
    assert text(session) == base


def add_name(qtbot: QtBot, panel: QWidget, name: str, text: str) -> None:
    """Types into the box of that name, and presses its button."""
    box = next(b for b in panel.findChildren(NameBox) if b.accessibleName() == name)
    type_into(qtbot, box, text)
    button = next(b for b in panel.findChildren(QToolButton) if b.accessibleName() == name)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_positions_of_a_state_are_typed_added_and_taken_out(qtbot: QtBot) -> None:
    virtual = (
        '  <virtual_joint name="float" type="floating" parent_frame="world" '
        'child_link="base"/>\n</robot>'
    )
    base = SRDF.replace("</robot>", virtual)
    session = small_session(base)
    panel = shown(qtbot, StatesPanel(session))
    assert not panel.positions.isVisible()
    click_cell(qtbot, panel.view, 0)
    assert [r.joint for r in panel.positions.rows_model.items] == ["j1", "j2"]
    edit_cell(qtbot, panel.positions, 0, 1, "90 deg")
    assert changed_lines(base, text(session))[1] == f'+    <joint name="j1" value="{math.pi / 2}"/>'
    session.undo()
    add_name(qtbot, panel, "Add joint to the state", "float")
    edit_cell(qtbot, panel.positions, 2, 1, "0 0 1.5 0 0 0 1")
    assert changed_lines(base, text(session)) == [
        '+    <joint name="float" value="0 0 1.5 0 0 0 1"/>'
    ]
    edit_cell(qtbot, panel.positions, 2, 1, "up")
    assert "separated by spaces" in panel.messages.text
    # The pose knows nothing of a floating joint: what it has stays.
    session.set_joint("j1", -0.5)
    qtbot.mouseClick(panel.update_state, Qt.MouseButton.LeftButton)
    assert '<joint name="j1" value="-0.5"/>' in text(session)
    assert '<joint name="float" value="0 0 1.5 0 0 0 1"/>' in text(session)
    click_cell(qtbot, panel.positions, 2)
    qtbot.keyClick(panel.positions, Qt.Key.Key_Delete)
    assert "float" not in text(session).replace(virtual, "")
    while session.document.undo():
        pass
    assert text(session) == base


def test_a_group_gets_another_name_and_members(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, GroupsPanel(session))
    edit_cell(qtbot, panel.view, 1, 0, "fingers")
    assert changed_lines(SRDF, text(session)) == [
        '-  <group name="gripper">',
        '+  <group name="fingers">',
        '-  <end_effector name="claw" parent_link="hand" group="gripper"/>',
        '+  <end_effector name="claw" parent_link="hand" group="fingers"/>',
    ]
    before = text(session)
    click_cell(qtbot, panel.view, 1)
    assert session.selection.joints == ("slide_a",), "the other one follows"
    assert [(m.kind, *m.names) for m in panel.members.rows_model.items] == [
        ("joint", "slide_a"),
        ("joint", "slide_b"),
    ]
    click_cell(qtbot, panel.members, 1)
    qtbot.keyClick(panel.members, Qt.Key.Key_Delete)
    assert changed_lines(before, text(session)) == ['-    <joint name="slide_b"/>']
    panel.base.set_value("base")
    panel.tip.set_value("fore")
    qtbot.mouseClick(panel.add_chain, Qt.MouseButton.LeftButton)
    assert '<chain base_link="base" tip_link="fore"/>' in text(session)
    assert "j1, j2" in panel.moves.text()
    qtbot.keyClicks(panel.new_name, "camera")
    qtbot.keyClick(panel.new_name, Qt.Key.Key_Return)
    assert '<group name="camera"/>' in text(session)
    assert panel.title.text() == "Members of camera"


class Window(QWidget):
    """Stands for the main window, whose actions take pairs over after a look."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.registry = ActionRegistry(session, self)
        self.asked: list[str] = []
        names = ("mask.from_srdf", "mask.to_srdf")
        self.registry.add(
            (ActionSpec(n, n, "asked.append", menu="Mask", given=(n,)) for n in names), self
        )


def pairs_panel(qtbot: QtBot, session: Session) -> tuple[PairsPanel, Window]:
    window = Window(session)
    qtbot.addWidget(window)
    return shown(qtbot, PairsPanel(session, window.registry)), window


def test_pairs_are_taken_over_by_the_actions_of_the_matrix(qtbot: QtBot) -> None:
    session = small_session()
    document = session.document
    before = document.robot.xrdf.self_collision
    assert before is not None
    panel, window = pairs_panel(qtbot, session)
    assert [row.masked for row in panel.view.rows_model.items] == [
        LinkPair.of(*pair) in before.ignored_pairs()
        for pair in (("base", "upper"), ("fore", "finger_a"), ("fore", "gone"))
    ]
    qtbot.mouseClick(panel.to_xrdf, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.from_xrdf, Qt.MouseButton.LeftButton)
    assert window.asked == ["mask.from_srdf", "mask.to_srdf"]
    assert document.position == 0, "nothing happens before the look"
    session.execute(
        AllOf(
            (
                SetItems(
                    "srdf.disabled_pairs",
                    FrozenDict(dict.fromkeys(tuple(before.ignored_pairs()), "User")),
                ),
                RemoveItems("srdf.disabled_pairs", (LinkPair.of("fore", "gone"),)),
                SetMask(pairs=(LinkPair.of("base", "upper"), LinkPair.of("fore", "finger_a"))),
            ),
            "as one",
        )
    )
    assert panel.differences.text() == "The XRDF ignores the same pairs."
    assert not panel.to_xrdf.isEnabled()


def test_pairs_of_links_that_are_left_out_count_as_different(qtbot: QtBot) -> None:
    session = small_session('<robot name="small"><disable_default_collisions link="hand"/></robot>')
    panel, _ = pairs_panel(qtbot, session)
    section = session.robot.xrdf.self_collision
    assert section is not None
    links = {link.name for link in session.robot.urdf.links} - {"hand"}
    fresh = {LinkPair.of("hand", name) for name in links} - section.ignored_pairs()
    assert len(fresh) > 1
    assert panel.differences.text().startswith(f"{len(fresh)} pairs only here")
    assert panel.to_xrdf.isEnabled()


def test_pairs_are_filtered_by_words(qtbot: QtBot) -> None:
    session = small_session()
    panel, _ = pairs_panel(qtbot, session)
    qtbot.keyClicks(panel.filter, "never fin")
    assert [(r.link1, r.link2) for r in panel.view.rows_model.items] == [("fore", "finger_a")]
    click_cell(qtbot, panel.view, 0)
    assert session.selection.pairs == (LinkPair.of("fore", "finger_a"),)
    panel.view.copy_rows()
    assert QGuiApplication.clipboard().text() == "fore – finger_a\tNever\t–"
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert changed_lines(SRDF, text(session)) == [
        '-  <disable_collisions link1="fore" link2="finger_a" reason="Never"/>'
    ]
    panel.filter.clear()
    assert len(panel.view.rows_model.items) == 2


def test_links_are_left_out_and_pairs_of_theirs_taken_in_again(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, DefaultsPanel(session))
    add_name(qtbot, panel, "Exclude link", "hand")
    assert '<disable_default_collisions link="hand"/>' in text(session)
    for field, name in ((panel.first, "hand"), (panel.second, "base")):
        type_into(qtbot, field, name)
    qtbot.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    edit_cell(qtbot, panel.pairs, 0, 1, "Close")
    assert changed_lines(SRDF, text(session)) == [
        '+  <disable_default_collisions link="hand"/>',
        '+  <enable_collisions link1="base" link2="hand" reason="Close"/>',
    ]
    click_cell(qtbot, panel.pairs, 0)
    assert session.selection.pairs == (LinkPair.of("base", "hand"),)
    # An exception without a rule, and one that a disabled pair overrules, are marked.
    problem = panel.pairs.rows_model.columns[0].problem
    assert problem is not None
    assert problem(panel.pairs.rows_model.items[0]) is None
    session.execute(RemoveItems("srdf.default_disabled_links", ("hand",)))
    assert "checked anyway" in (problem(panel.pairs.rows_model.items[0]) or "")
    session.undo()
    session.execute(set_item("srdf.disabled_pairs", LinkPair.of("base", "hand"), "User"))
    assert "has priority" in (problem(panel.pairs.rows_model.items[0]) or "")
    session.undo()
    qtbot.keyClick(panel.pairs, Qt.Key.Key_Delete)
    click_cell(qtbot, panel.links, 0)
    qtbot.keyClick(panel.links, Qt.Key.Key_Delete)
    assert text(session) == SRDF
    while session.document.undo():
        pass
    assert text(session) == SRDF


def test_a_reason_and_a_pair_are_edited_in_the_table(qtbot: QtBot) -> None:
    session = small_session()
    panel, _ = pairs_panel(qtbot, session)
    edit_cell(qtbot, panel.view, 1, 1, "User")
    line = '  <disable_collisions link1="fore" link2="finger_a" reason="{}"/>'
    assert changed_lines(SRDF, text(session)) == [
        "-" + line.format("Never"),
        "+" + line.format("User"),
    ]
    click_cell(qtbot, panel.view, 0)
    assert session.selection.pairs == (LinkPair.of("base", "upper"),)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert "Adjacent" not in text(session)
    panel.first.set_value("base")
    panel.second.set_value("hand")
    qtbot.mouseClick(panel.add, Qt.MouseButton.LeftButton)
    assert '<disable_collisions link1="base" link2="hand" reason="User"/>' in text(session)


def test_a_tool_is_moved_by_its_numbers(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, ToolsPanel(session))
    assert not panel.fields["xyz.2"].isVisible()
    click_cell(qtbot, panel.view, 0)
    assert panel.title.text() == "Pose of tip on hand"
    type_into(qtbot, panel.fields["xyz.2"], "125 mm")
    assert changed_lines(SRDF, text(session)) == [
        '-  <group_tcps group="arm"><tcp name="tip" xyz="0 0 0.10" wxyz="1 0 0 0"/></group_tcps>',
        '+  <group_tcps group="arm"><tcp name="tip" xyz="0 0 0.125" wxyz="1 0 0 0"/></group_tcps>',
    ]
    type_into(qtbot, panel.fields["rpy.2"], "90")
    srdf = session.robot.srdf
    assert srdf is not None
    assert srdf.tcps[0].wxyz is None
    assert srdf.tcps[0].rpy == pytest.approx((0.0, 0.0, 1.5707963267948966))


def test_a_tool_gets_another_name_and_group(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, ToolsPanel(session))
    edit_cell(qtbot, panel.view, 0, 0, "pen")
    edit_cell(qtbot, panel.view, 0, 1, "gripper")
    assert '<group_tcps group="gripper">' in text(session)
    assert '<tcp name="pen" xyz="0 0 0.10" wxyz="1 0 0 0"/>' in text(session)
    assert 'group_tcps group="arm"' not in text(session)
    session.execute(set_item("srdf.tcps", ("pen", "arm"), ToolCenterPoint("pen", "arm")))
    edit_cell(qtbot, panel.view, 1, 1, "gripper")
    assert "already" in panel.messages.text
    while session.document.undo():
        pass
    assert text(session) == SRDF


def test_a_chosen_tool_is_selected_and_looked_at(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, ToolsPanel(session), 700)
    assert not panel.go_to.isEnabled()
    click_cell(qtbot, panel.view, 0)
    assert session.selection.features == (RobotFeature(FeatureKind.TCP, "tip", "arm"),)
    with qtbot.waitSignal(session.fit_requested, timeout=1000):
        qtbot.mouseClick(panel.go_to, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(panel.shown, Qt.MouseButton.LeftButton)
    assert not session.display.tools


def test_end_effectors_are_edited_cell_by_cell(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, EffectorsPanel(session), 600)
    click_cell(qtbot, panel.view, 0)
    assert session.selection.features == (RobotFeature(FeatureKind.END_EFFECTOR, "claw"),)
    edit_cell(qtbot, panel.view, 0, 0, "gripper_tool")
    edit_cell(qtbot, panel.view, 0, 2, "fore")
    edit_cell(qtbot, panel.view, 0, 3, "arm")
    assert changed_lines(SRDF, text(session)) == [
        '-  <end_effector name="claw" parent_link="hand" group="gripper"/>',
        '+  <end_effector name="gripper_tool" parent_link="fore" group="gripper" '
        'parent_group="arm"/>',
    ]
    edit_cell(qtbot, panel.view, 0, 3, "none")
    assert "parent_group" not in text(session)
    click_cell(qtbot, panel.view, 0)
    qtbot.keyClick(panel.view, Qt.Key.Key_Delete)
    assert "end_effector" not in text(session)


def test_virtual_and_passive_joints_and_properties(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, JointsOfSrdfPanel(session), 500)
    click_cell(qtbot, panel.passive, 0)
    assert session.selection.joints == ("slide_b",)
    qtbot.keyClick(panel.passive, Qt.Key.Key_Delete)
    assert changed_lines(SRDF, text(session)) == ['-  <passive_joint name="slide_b"/>']
    session.undo()
    assert panel.execute(panel._add_virtual("base"))
    edit_cell(qtbot, panel.virtual, 0, 1, "planar")
    edit_cell(qtbot, panel.virtual, 0, 0, "floor")
    qtbot.keyClicks(panel.property_name, "motion_model")
    panel.joint.set_value("floor")
    qtbot.keyClicks(panel.value, "diff_drive")
    qtbot.keyClick(panel.value, Qt.Key.Key_Return)
    assert changed_lines(SRDF, text(session)) == [
        '+  <virtual_joint name="floor" type="planar" parent_frame="world" child_link="base"/>',
        '+  <joint_property joint_name="floor" property_name="motion_model" value="diff_drive"/>',
    ]
    while session.document.undo():
        pass
    assert text(session) == SRDF


def test_margins_of_the_robot_and_of_pairs(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, ContactMarginsPanel(session), 500)
    assert not panel.remove.isVisible()
    type_into(qtbot, panel.fields["margins.default_margin"], "25 mm")
    assert '<collision_margins default_margin="0.025"/>' in text(session)
    assert session.execute(set_item("srdf.margins.pairs", LinkPair.of("base", "hand"), 0.01))
    edit_cell(qtbot, panel.view, 0, 2, "15")
    assert '<pair_margin link1="base" link2="hand" margin="0.015"/>' in text(session)
    click_cell(qtbot, panel.view, 0)
    assert session.selection.pairs == (LinkPair.of("base", "hand"),)
    qtbot.mouseClick(panel.remove, Qt.MouseButton.LeftButton)
    assert text(session) == SRDF


def test_spheres_of_links_come_from_the_xrdf_and_go_there(qtbot: QtBot) -> None:
    session = small_session()
    panel = shown(qtbot, SpheresOfSrdfPanel(session), 500)
    group = session.robot.xrdf.group(session.active_group)
    assert group is not None
    qtbot.mouseClick(panel.take, Qt.MouseButton.LeftButton)
    srdf = session.robot.srdf
    assert srdf is not None
    taken = srdf.sphere_approximations
    real = {
        frame: tuple(s for s in spheres if s.radius >= 0)
        for frame, spheres in group.spheres.items()
    }
    assert taken == {
        link: s for link, s in real.items() if s and session.robot.urdf.link(link) is not None
    }
    edit_cell(qtbot, panel.view, 0, 4, "77")
    assert 'radius="0.077"' in text(session)
    qtbot.mouseClick(panel.give, Qt.MouseButton.LeftButton)
    assert session.active_group == GROUP
    added = session.robot.xrdf.group(GROUP)
    assert session.robot.srdf is not None
    assert added is not None
    assert added.spheres == session.robot.srdf.sphere_approximations


def test_a_calibration_is_shown_without_a_change_and_written_when_asked(
    qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.srdf").write_text(
        SRDF.replace("</robot>", '  <calibration_config filename="cal.yaml"/>\n</robot>')
    )
    origin = (
        "{position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0.7071067811865476, w: "
        "0.7071067811865476}}"
    )
    (tmp_path / "cal.yaml").write_text(
        f"calibration:\n  joints:\n    j1: {origin}\n    gone: {origin}\n"
    )
    session = Session()
    panel = shown(qtbot, ConfigsPanel(session), 400)
    session.open(open_document(tmp_path / "small.urdf"))
    document, robot = session.document, session.robot
    assert "gone" in panel.note.text()
    child = next(j.child for j in robot.urdf.joints if j.name == "j1")
    session.set_joint("j1", 0.0)
    before = session.transform(child)
    qtbot.mouseClick(panel.shown, Qt.MouseButton.LeftButton)
    shown_at = session.transform(child)
    assert before is not None
    assert shown_at is not None
    assert tuple(shown_at[:3, 3]) != tuple(before[:3, 3])
    assert not document.modified_kinds or FileKind.URDF not in document.modified_kinds
    qtbot.mouseClick(panel.write, Qt.MouseButton.LeftButton)
    assert session.calibration is None
    assert FileKind.URDF in document.modified_kinds
    after = session.transform(child)
    assert after is not None
    assert after == pytest.approx(shown_at)
    session.undo()
    back = session.transform(child)
    assert back is not None
    assert back == pytest.approx(before)


def test_without_an_srdf_the_panels_offer_a_draft(qtbot: QtBot) -> None:
    session = small_session(None)
    panel = shown(qtbot, GroupsPanel(session))
    assert panel.add_button.isVisible()
    qtbot.mouseClick(panel.add_button, Qt.MouseButton.LeftButton)
    assert session.robot.srdf is not None
    assert not panel.add_button.isVisible()
    assert panel.view.rows_model.rowCount() == len(session.robot.srdf.groups) >= 1
    session.undo()
    assert session.robot.srdf is None
    assert panel.add_button.isVisible()


def test_selected_links_joints_and_chains_become_members_of_a_group(qtbot: QtBot) -> None:
    session = small_session(None)
    panel = shown(qtbot, GroupsPanel(session))
    qtbot.mouseClick(panel.new_button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(panel.new_name, "hand")
    qtbot.keyClick(panel.new_name, Qt.Key.Key_Return)
    tree = session.tree
    # A frame that the XRDF adds is no link.
    root, tip = (
        tree.root,
        next(frame for frame in reversed(tree.frames) if session.robot.urdf.link(frame)),
    )
    parent = tree.joint_to(tip)
    assert parent is not None
    joint = parent.name
    session.select(Selection(links=(tip,), joints=(joint,)))
    qtbot.mouseClick(panel.add_selected, Qt.MouseButton.LeftButton)
    group = session.robot.srdf.groups[0]  # type: ignore[union-attr]
    assert (group.links, group.joints) == ((tip,), (joint,))
    # What is a member is not added again.
    position = session.document.position
    qtbot.mouseClick(panel.add_selected, Qt.MouseButton.LeftButton)
    assert session.document.position == position
    assert panel.messages.isVisible()
    # To one link from the base; between two, whichever was selected first.
    for links in ((tip,), (tip, root), (root, tip)):
        session.select(Selection(links=links))
        qtbot.mouseClick(panel.chain_selected, Qt.MouseButton.LeftButton)
        assert session.robot.srdf.groups[0].chains == ((root, tip),)  # type: ignore[union-attr]
        session.undo()
    session.select(Selection(links=(root,)))
    position = session.document.position
    qtbot.mouseClick(panel.chain_selected, Qt.MouseButton.LeftButton)
    assert session.document.position == position


def test_a_new_srdf_has_the_name_of_the_robot_alone(qtbot: QtBot) -> None:
    session = small_session(None)
    panel = shown(qtbot, GroupsPanel(session))
    qtbot.mouseClick(panel.new_button, Qt.MouseButton.LeftButton)
    assert session.robot.srdf == Srdf(session.robot.urdf.name)
    qtbot.keyClicks(panel.new_name, "arm")
    qtbot.keyClick(panel.new_name, Qt.Key.Key_Return)
    assert '<group name="arm"/>' in text(session)


def test_all_sections_show_real_robots(qtbot: QtBot, sample_urdf: Path) -> None:
    _show_all(qtbot, open_document(sample_urdf))


def test_all_sections_show_the_panda(qtbot: QtBot) -> None:
    folder = shared_robots() / "panda"
    urdf = folder / "moveit_resources_panda_description" / "urdf" / "panda.urdf"
    _show_all(qtbot, open_document(urdf, srdf=folder / "panda.srdf"))


def _show_all(qtbot: QtBot, document: Document) -> None:
    session = Session()
    window = Window(session)
    qtbot.addWidget(window)
    stack = shown(
        qtbot,
        SectionStack(session, srdf_section_specs(window.registry), name="SRDF", setting="x"),
        360,
    )
    session.open(document)
    srdf = document.robot.srdf
    assert srdf is not None
    for section in stack.sections.values():
        section.set_open(True)
    names = ("srdf.groups", "srdf.states", "srdf.pairs")
    views = {name: stack.sections[name].panel.view.rows_model.rowCount() for name in names}  # type: ignore[attr-defined]
    assert views["srdf.groups"] == len(srdf.groups) > 1
    assert views["srdf.states"] == len(srdf.states) > 1
    assert views["srdf.pairs"] == len(srdf.disabled_pairs) > 5
    assert document.position == 0
    session.execute(SetSrdf(None))
    assert stack.sections["srdf.groups"].panel.nothing()
