"""Each row of each form and each cell of each table: it sets what it shows, is saved, and is taken
back to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.document.document import Document
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.core.formats.ros_settings import read_settings
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.text.source import SourceText
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import NameBox
from editor_app.window.bindings.forms import ChoiceField, Form, Number, Text
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.bindings.panel import Panel
from editor_app.window.bindings.rows_view import RowsView
from editor_app.window.session import Session
from editor_app.window.srdf.sections import srdf_section_specs as srdf_panels
from editor_app.window.urdf.panel import UrdfPanel
from editor_app.window.urdf.sections import urdf_section_specs as urdf_panels
from editor_app.window.xrdf.collision import CollisionPanel
from editor_app.window.xrdf.format import FormatPanel
from editor_app.window.xrdf.modifiers import ModifiersPanel
from editor_app.window.xrdf.section_stack import PanelSpec
from editor_app.window.xrdf.sections import SPECS as XRDF_PANELS
from tests.helpers.panels import shown

URDF = """<?xml version="1.0"?>
<robot name="walked" version="1.2" xmlns:drake="http://drake.mit.edu">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/><texture filename="grain.png"/></material>
  <link name="base">
    <inertial><origin xyz="0 0 0.1" quat_xyzw="0 0 0 1"/><mass value="2.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
    <visual name="body"><origin xyz="0 0 0.1" quat_xyzw="0 0 0 1"/><geometry><box size="0.1 0.2 0.3"/></geometry>
      <material name="grey"/></visual>
    <collision><geometry><mesh filename="package://x/base.stl" scale="1 1 1"/></geometry></collision>
    <collision><geometry><capsule radius="0.1" length="0.3"/></geometry>
      <drake:proximity_properties><drake:compliant_hydroelastic/><drake:mesh_resolution_hint value="0.01"/>
        <drake:hydroelastic_modulus value="1e7"/><drake:hunt_crossley_dissipation value="1.25"/>
        <drake:relaxation_time value="0.1"/><drake:point_contact_stiffness value="1e6"/>
        <drake:mu_dynamic value="0.5"/><drake:mu_static value="0.75"/></drake:proximity_properties></collision>
  </link>
  <link name="upper"/> <link name="fore"/> <link name="hand"/> <link name="finger_a"/> <link name="finger_b"/>
  <link name="finger_c"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.1" quat_xyzw="0 0 0 1"/><axis xyz="0 0 1"/>
    <calibration reference_position="0.1" rising="0.2" falling="0.3"/><dynamics damping="0.1" friction="0.2"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
    <safety_controller k_velocity="10" k_position="15" soft_lower_limit="-2" soft_upper_limit="2"/></joint>
  <joint name="j2" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0 0 0.3"/></joint>
  <joint name="slide_a" type="prismatic"><parent link="hand"/><child link="finger_a"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/></joint>
  <joint name="slide_b" type="prismatic"><parent link="hand"/><child link="finger_b"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/>
    <mimic joint="slide_a" multiplier="1" offset="0"/></joint>
  <joint name="slide_c" type="prismatic"><parent link="hand"/><child link="finger_c"/>
    <axis xyz="-1 0 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/><mimic joint="slide_a"/></joint>
  <sensor name="eye" type="camera" update_rate="20">
    <parent link="hand"/><origin xyz="0 0 0" rpy="0 0 0"/>
    <camera><image width="640" height="480" hfov="1.5" format="RGB8" near="0.01" far="5"/></camera>
  </sensor>
  <gazebo reference="fore">
    <sensor name="scan" type="ray"><update_rate>10</update_rate>
      <ray><scan><horizontal><samples>100</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal>
        <vertical><samples>4</samples><min_angle>-1</min_angle><max_angle>1</max_angle></vertical></scan></ray>
      <topic>/scan</topic>
    </sensor>
  </gazebo>
</robot>
"""
XRDF = """format: xrdf
format_version: 2.0
modifiers:
  - set_base_frame: "base"
  - add_frame:
      frame_name: tcp
      joint_name: tcp_joint
      joint_type: FIXED
      parent_frame_name: hand
      fixed_transform: {position: [0, 0, 0.1], orientation: {w: 1.0, xyz: [0, 0, 0]}}
  - remove_mimic_attributes:
      joint_name: slide_b
      position_limits: [0.0, 0.04]
      velocity_limit: 0.5
default_joint_positions: {j1: 0.5, j2: 1.0}
cspace:
  joint_names: ["j1", "j2"]
  acceleration_limits: [12.0, 10]
  jerk_limits: [500.0, 500.0]
tool_frames: ["tcp", hand]
world_collision:
  geometry: "spheres"
  buffer_distance: 0.05
self_collision:
  geometry: "spheres"
  buffer_distance: {fore: 0.01}
  ignore: {upper: ["fore"]}
geometry:
  spheres:
    spheres:
      upper:
        - {center: [0, 0, 0.1], radius: 0.08}
  coarse:
    spheres: {}
"""
SRDF = """<robot name="other" version="1.0">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="gripper"><joint name="slide_a"/><joint name="slide_b"/></group>
  <group_state name="bent" group="arm"><joint name="j1" value="0.5"/><joint name="j2" value="1.0"/></group_state>
  <group_tcps group="arm"><tcp name="tip" xyz="0 0 0.10" wxyz="1 0 0 0"/></group_tcps>
  <end_effector name="claw" parent_link="hand" group="gripper" parent_group="arm"/>
  <virtual_joint name="floor" type="fixed" parent_frame="world" child_link="base"/>
  <passive_joint name="slide_b"/>
  <joint_property joint_name="j1" property_name="angular_distance_weight" value="1"/>
  <link_sphere_approximation link="hand"><sphere center="0 0 0" radius="0.1"/></link_sphere_approximation>
  <disable_default_collisions link="upper"/>
  <enable_collisions link1="upper" link2="hand" reason="kept"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <collision_margins default_margin="0.02"><pair_margin link1="base" link2="hand" margin="0.1"/></collision_margins>
  <kinematics_plugin_config filename="plugins.yaml"/>
</robot>
"""


LIMITS = "joint_limits:\n  j1: {has_velocity_limits: true, max_velocity: 0.5}  # of the drive\n"


def texts(session: Session) -> tuple[str, str, str, str]:
    document = session.document
    return (
        document.urdf_text,
        document.xrdf_text,
        document.srdf_text or "",
        document.text(FileKind.LIMITS) or "",
    )


def check_saved(session: Session, before: tuple[str, str, str, str]) -> None:
    """What would be saved says what the document holds."""
    robot, (urdf, xrdf, srdf, limits) = session.robot, texts(session)
    assert (urdf, xrdf, srdf, limits) != before
    if urdf != before[0]:
        assert read_urdf(SourceText.from_text(urdf)).value == robot.urdf
    if xrdf != before[1]:
        assert read_xrdf(SourceText.from_text(xrdf)).value == robot.xrdf
    if limits != before[3]:
        assert read_settings(MotionLimits, SourceText.from_text(limits)).value == robot.limits
    if srdf != before[2]:
        assert read_srdf(SourceText.from_text(srdf)).value == robot.srdf


def situations(session: Session, panel: Panel) -> Iterator[None]:
    """Each row of each table chosen in turn, and what is selected where a panel follows that."""
    follows = isinstance(panel, UrdfPanel)
    selections = [
        Selection(links=("base",)),
        Selection(joints=("j1",)),
        Selection(joints=("slide_b",)),
    ]
    for selection in selections if follows else selections[:1]:
        session.select(selection)
        panel.refresh()
        yield
        for view in panel.findChildren(RowsView):
            for number in range(view.rows_model.rowCount()):
                session.select(selection)
                view.select_row(number)
                panel.refresh()
                yield


def _edit(field: NumberField, value: float) -> None:
    field.edited.emit(value, False)


def others(old: Any, choices: Sequence[str] | None) -> list[Any]:
    """Values to try in the place of `old`, until one is taken."""
    if choices is not None:
        return [name for name in choices if name != str(old)]
    if isinstance(old, float | int):
        return [old / 2 + 0.01, 7.0]
    return (
        [0.01, f"{old or ''}x", "1 2 3 4 5 6"] if old is None else [f"{old}x", "7", "1 2 3 4 5 6"]
    )


def try_step(session: Session, step: Callable[[], object], check: Callable[[], None]) -> bool:
    """Whether a step was taken; then it is checked, saved, and taken back."""
    document = session.document
    before, robot, selection = texts(session), session.robot, session.selection
    step()
    if session.robot is robot:
        return False
    check_saved(session, before)
    check()
    assert document.undo()
    assert texts(session) == before
    assert not document.is_modified
    session.select(selection)
    return True


def field_steps(
    form: Form,
) -> Iterator[tuple[str, list[Any], Callable[[Any], object], Callable[[Any], bool]]]:
    """(path, values to try, setting one as the widget does, whether it was set) of each field that
    can be seen."""
    thing = form.thing()
    for path, field in form.fields.items():
        if not field.isVisible() or not field.isEnabled():
            continue
        old = get_field(thing, path)
        # Angles are computed from what stands in the model: the field shows them.
        has_path = old is not None or not isinstance(field, NumberField)

        def is_set(
            value: Any, path: str = path, field: Any = field, has_path: bool = has_path
        ) -> bool:
            new = get_field(form.thing(), path) if has_path else field.value
            if new is None and value in [
                row.none for row in form.rows if isinstance(row, ChoiceField)
            ]:
                return True
            return (
                new == (pytest.approx(value) if isinstance(value, float) else value)
                or str(new) == value
            )

        if isinstance(field, NumberField):
            yield (
                path,
                others(old if old is not None else 0.0, None),
                partial(_edit, field),
                is_set,
            )
        elif isinstance(field, NameBox):
            yield path, others(old, field._choices), field.chosen.emit, is_set
        else:
            yield path, others(old or "", None), field.edited.emit, is_set


def walk_form(session: Session, panel: Panel, number: int, form: Form, walked: set[object]) -> None:
    for path, values, set_value, is_set in field_steps(form):
        key = (number, path)
        for value in values if key not in walked else ():

            def check(
                value: Any = value, path: str = path, is_set: Callable[[Any], bool] = is_set
            ) -> None:
                panel.refresh()
                # Where something is renamed, what the form is about has another name now.
                assert form.thing() is None or is_set(value), (path, value)

            def step(value: Any = value, set_value: Callable[[Any], object] = set_value) -> None:
                set_value(value)
                if isinstance(panel, FormatPanel) and panel.take.isVisible():
                    # What a conversion loses is read before it is taken.
                    panel.take.click()

            if try_step(session, step, check):
                panel.refresh()
                walked.add(key)
                break


def walk_table(
    session: Session, panel: Panel, view: RowsView, walked: set[object], tried: set[object]
) -> None:
    model = view.rows_model
    for place, column in enumerate(model.columns):
        if column.write is None:
            continue
        for number, row in enumerate(model.items):
            label = model.index(number, 0).data(Qt.ItemDataRole.DisplayRole)
            key = (view.accessibleName(), place, label)
            choices = column.choices(row) if column.choices is not None else None
            values = others(column.value(row), choices) if key not in tried else []
            tried.add(key)
            for value in values:
                if try_step(
                    session,
                    lambda n=number, p=place, v=value: model.set_values([n], p, v),  # type: ignore[misc]
                    lambda: None,
                ):
                    panel.refresh()
                    walked.add(key[:2])
                    break


@pytest.mark.parametrize("kind", ["urdf", "xrdf", "srdf"])
def test_each_row_is_set_saved_and_taken_back(qtbot: QtBot, kind: str) -> None:
    session = Session()
    window = QMainWindow()
    qtbot.addWidget(window)
    session.open(
        Document(
            read_urdf(SourceText.from_text(URDF)),
            read_xrdf(SourceText.from_text(XRDF)),
            read_srdf(SourceText.from_text(SRDF)),
            read_settings(MotionLimits, SourceText.from_text(LIMITS)),
        )
    )
    panels: dict[str, Callable[[], list[PanelSpec]]] = {
        "urdf": lambda: urdf_panels(None, None, None),
        "xrdf": lambda: list(XRDF_PANELS),
        "srdf": lambda: srdf_panels(ActionRegistry(session, window)),
    }
    columns: set[object] = set()
    cells: set[object] = set()
    unseen: set[str] = set()
    for spec in panels[kind]():
        panel = shown(qtbot, spec.panel(session), 460)
        panel.resize(460, 1600)
        forms = panel.findChildren(Form)
        fields = {(number, path) for number, form in enumerate(forms) for path in form.fields}
        walked: set[object] = set()
        tried: set[object] = set()
        for _ in situations(session, panel):
            if fields and fields <= walked and not panel.findChildren(RowsView):
                break
            for number, form in enumerate(forms):
                walk_form(session, panel, number, form, walked)
                if isinstance(panel, ModifiersPanel):
                    panel.frame_form.as_quaternion.toggle()
                    walk_form(session, panel, number, form, walked)
                    panel.frame_form.as_rpy.toggle()
            for view in panel.findChildren(RowsView):
                walk_table(session, panel, view, walked, tried)
        left = fields - walked
        if isinstance(panel, CollisionPanel):
            # The sections have the same form; a row that has nothing to show in one is set in the
            # other.
            unseen |= {path for number, path in left if not forms[number].fields[path].isVisible()}
            left = {(number, path) for number, path in left if path not in unseen}
        assert not left, f"{spec.id}: {sorted(left)} were never set"
        for view in panel.findChildren(RowsView):
            written = [
                place
                for place, column in enumerate(view.rows_model.columns)
                if column.write is not None
            ]
            columns |= {(view.accessibleName(), place) for place in written}
        cells |= walked
        assert all(
            isinstance(row, Number | Text | ChoiceField) or row.beside
            for form in forms
            for row in form.rows
        )
        panel.close()
    assert unseen <= {key[-1] for key in cells if isinstance(key, tuple)}
    # Panels of a kind share tables: what one has no rows for has some in another.
    assert columns <= cells, f"{columns - cells} were never set"
    assert texts(session) == (URDF, XRDF, SRDF, LIMITS)
