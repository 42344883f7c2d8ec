"""Commands take what scripts have at hand, as plain values, or refuse it by the field's name."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app import open_robot, save
from editor_app.core.document import commands
from editor_app.core.document.commands import (
    AddSpheres,
    AllOf,
    SetField,
    SetJoint,
    SetLimits,
    SetLink,
    SetSpheres,
    SetToolFrames,
    StoreState,
)
from editor_app.core.document.commands.fields import OfJoint
from editor_app.core.document.commands.list_rules import LIST_RULES
from editor_app.core.document.commands.lists import InsertItem, SetItems, set_item
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.coercion import _as_it_is, _converter, conformed, hints_of
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.urdf import Inertial, Limit
from editor_app.core.model.xrdf import AddFrame, CollisionSphere, FixedTransform
from editor_app.core.text.source import SourceText
from tests.endurance._robot import SRDF
from tests.helpers.documents import make_document

HERE = SphereRef("spheres", "upper", 0)


def document_in(folder: Path) -> Document:
    (folder / "arm.srdf").write_text(SRDF)
    return make_document(folder)


def joint(document: Document) -> Any:
    shoulder = document.robot.urdf.joint("shoulder")
    assert shoulder is not None
    return shoulder


TAKEN: list[tuple[str, Any, Any]] = [
    (
        "list of centre",
        lambda d: SetSpheres(((HERE, CollisionSphere([0.1, 0.2, 0.3], 0.02)),)),  # type: ignore[arg-type]
        (0.1, 0.2, 0.3),
    ),
    (
        "vector of numpy",
        lambda d: SetSpheres(
            [(HERE, CollisionSphere(np.array([0.1, 0.2, 0.3]), np.float32(0.02)))]  # type: ignore[arg-type]
        ),
        (0.1, 0.2, 0.3),
    ),
    (
        "numbers of numpy",
        lambda d: SetSpheres(((HERE, CollisionSphere(tuple(np.array([1, 2, 3])), 0.02)),)),
        (1, 2, 3),
    ),
]


@pytest.mark.parametrize(("name", "make", "centre"), TAKEN, ids=[case[0] for case in TAKEN])
def test_lists_and_numbers_of_numpy_become_plain_values(
    name: str, make: Any, centre: Any, tmp_path: Path
) -> None:
    document = document_in(tmp_path)
    document.execute(make(document))
    group = document.robot.xrdf.group("spheres")
    assert group is not None
    sphere = group.spheres["upper"][0]
    assert sphere.center == centre
    assert type(sphere.center) is tuple
    assert {type(x) for x in (*sphere.center, sphere.radius)} <= {int, float}
    assert sphere.radius == 0.02
    hash(document.robot.xrdf)
    save(document)
    assert open_robot(tmp_path / "arm.urdf").robot.xrdf == document.robot.xrdf


def test_a_list_of_tool_frames_and_a_dict_of_positions_can_be_saved(tmp_path: Path) -> None:
    document = document_in(tmp_path)
    document.execute(SetToolFrames(["hand", "lower"]))  # type: ignore[arg-type]
    document.execute(SetItems("xrdf.default_joint_positions", {"shoulder": np.float64(0.25)}))  # type: ignore[arg-type]
    document.execute(SetItems("xrdf.self_collision.buffer_distance", {"upper": np.float32(0.03)}))  # type: ignore[arg-type]
    save(document)
    text = (tmp_path / "arm.xrdf").read_text()
    assert "tool_frames: [hand, lower]" in text
    assert "shoulder: 0.25" in text
    assert "upper: 0.03" in text


NAN = float("nan")
REFUSED: list[tuple[Any, str]] = [
    (
        lambda d: SetLimits("accelerations", ((0, 9.0),)),  # type: ignore[arg-type]
        r"SetLimits\.kind must be one of 'acceleration', 'jerk'",
    ),
    (lambda d: SetToolFrames("hand"), r"SetToolFrames\.frames must be a list, not 'hand'"),  # type: ignore[arg-type]
    (lambda d: SetToolFrames((1,)), r"SetToolFrames\.frames\[0\] must be a text, not 1"),  # type: ignore[arg-type]
    (
        lambda d: AddSpheres("spheres", "upper", (CollisionSphere((0, 0), 1),)),  # type: ignore[arg-type]
        r"AddSpheres\.spheres\[0\]\.center must be 3 values, not \(0, 0\)",
    ),
    (
        lambda d: AddSpheres("spheres", "upper", (CollisionSphere((0, 0, "1"), 1),)),  # type: ignore[arg-type]
        r"AddSpheres\.spheres\[0\]\.center\[2\] must be a number, not '1'",
    ),
    (
        lambda d: AllOf((AddSpheres("spheres", "upper", ((1, 2, 3),)),), "x"),  # type: ignore[arg-type]
        r"AllOf\.changes\[0\]\.spheres\[0\] must be a CollisionSphere",
    ),
    (
        lambda d: set_item("xrdf.self_collision.buffer_distance", "upper", "x"),
        r"SetItems\.values\['upper'\] must be a number",
    ),
    (
        lambda d: SetItems("xrdf.selfcollision.buffer_distance", {"upper": 1}),  # type: ignore[arg-type]
        "is not a list that can be edited",
    ),
    (
        lambda d: SetSpheres(((HERE, CollisionSphere((0, 0, 0), True)),)),
        r"radius must be a number, not True",
    ),
    (lambda d: SetSpheres(((HERE, CollisionSphere((NAN, 0, 0), 1)),)), "finite number"),
    (
        lambda d: SetJoint("shoulder", replace(joint(d), type="hinge")),
        r"values\.type must be one of 'revolute'",
    ),  # type: ignore[arg-type]
    (
        lambda d: SetJoint("shoulder", replace(joint(d), origin=Origin((NAN, 0, 0)))),
        r"origin\.xyz\[0\] of joint",
    ),
    (
        lambda d: SetJoint("shoulder", replace(joint(d), limit=Limit(velocity=float("inf")))),
        r"limit\.velocity",
    ),
    (
        lambda d: SetLink(
            "upper", replace(d.robot.urdf.link("upper"), inertial=Inertial(NAN, (1, 0, 0, 1, 0, 1)))
        ),
        r"inertial\.mass of link upper must be a finite number",
    ),
    (lambda d: SetLimits("jerk", ((0, NAN),)), "finite"),
    (lambda d: SetItems("xrdf.default_joint_positions", {"shoulder": NAN}), "finite"),  # type: ignore[arg-type]
    (lambda d: StoreState("up", "arm", FrozenDict({"shoulder": NAN})), "finite"),
    (
        lambda d: InsertItem(
            "xrdf.modifiers", AddFrame("f", "hand", "j", FixedTransform((NAN, 0, 0)))
        ),
        "finite",
    ),
    (
        lambda d: SetField(OfJoint("shoulder"), "limit.lower", "x"),
        r"Joint\.limit\.lower must be a number, not 'x'",
    ),
    (
        lambda d: SetField(OfJoint("shoulder"), "limit.lower", True),
        r"limit\.lower must be a number, not True",
    ),
    (
        lambda d: SetField(OfJoint("shoulder"), "origin.xyz.0", "3"),
        r"origin\.xyz\[0\] must be a number",
    ),
    (lambda d: SetField(OfJoint("shoulder"), "type", "hinge"), r"type must be one of 'revolute'"),
]


@pytest.mark.parametrize(("make", "reason"), REFUSED, ids=[case[1][:40] for case in REFUSED])
def test_what_could_not_be_saved_is_refused_by_its_name(
    make: Any, reason: str, tmp_path: Path
) -> None:
    document = document_in(tmp_path)
    before = document.robot
    with pytest.raises(CannotApply, match=reason):
        document.execute(make(document))
    assert document.robot is before
    assert not document.is_modified
    save(document)


def test_every_field_of_every_command_is_looked_at() -> None:
    unknown = []
    for name, command in vars(commands).items():
        if isinstance(command, type) and is_dataclass(command):
            hints = hints_of(command)
            unknown += [
                f"{name}.{field.name}"
                for field in fields(command)
                if field.name not in hints or _converter(hints[field.name]) is _as_it_is
            ]
    # The type of a value depends on the path: see the cases above, and the types of LIST_RULES.
    assert unknown == ["SetField.value", "InsertItem.value", "RenameItem.old"]
    for rules in LIST_RULES.values():
        assert _as_it_is not in map(_converter, rules.types)


@pytest.mark.parametrize("value", [[0.0, 0.0, 0.5], np.array([0.0, 0.0, 0.5])])
def test_a_field_by_its_path_takes_lists_and_numbers_of_numpy_as_plain_ones(
    value: Any, tmp_path: Path
) -> None:
    document = document_in(tmp_path)
    document.execute(SetField(OfJoint("shoulder"), "origin.xyz", value))
    document.execute(SetField(OfJoint("shoulder"), "limit.lower", np.float64(-0.5)))
    changed = joint(document)
    assert repr(changed.origin.xyz) == "(0.0, 0.0, 0.5)"
    assert changed.limit is not None
    assert type(changed.limit.lower) is float
    save(document)


def test_a_value_that_fits_stays_the_same_object() -> None:
    change = SetSpheres(((HERE, CollisionSphere((0.1, 0.2, 0.3), 0.02)),))
    assert conformed(change) is change


def test_changes_of_a_script_s_own_are_left_to_themselves(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class ScriptChange:
        anything: object
        label: str = "own"

        def apply(self, robot: RobotDescription) -> RobotDescription:
            return robot

    document = document_in(tmp_path)
    document.execute(ScriptChange([1, 2]))


@pytest.mark.parametrize("name", ["a\0b", "\ud800x", "x\udfff"])
@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda name: commands.AddGroup(name), "AddGroup.name"),
        (lambda name: commands.InsertItem("xrdf.tool_frames", name), "InsertItem.value"),
        (lambda name: commands.CopyGroup("spheres", name), "CopyGroup.new_name"),
        (lambda name: commands.RenameLink("base", name), "RenameLink.new"),
        (lambda name: SetField(OfJoint("shoulder"), "name", name), "Joint.name"),
        (lambda name: AllOf((commands.AddGroup(name),), "x"), "AllOf.changes[0].name"),
        (lambda name: set_item("xrdf.default_joint_positions", name, 1.0), "SetItems.values"),
    ],
)
def test_names_that_no_file_can_hold_are_refused(
    make: Any, field: str, name: str, tmp_path: Path
) -> None:
    document = document_in(tmp_path)
    with pytest.raises(CannotApply) as refusal:
        document.execute(make(name))
    assert str(refusal.value).startswith(field)
    assert "files cannot contain" in str(refusal.value)
    assert not document.is_modified


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: AllOf((5,), "x"), "AllOf.changes[0] must be a Change, not 5."),  # type: ignore[arg-type]
        (lambda: commands.Several("x", (None,)), "Several.changes[0] must be a Change, not None."),  # type: ignore[arg-type]
        (lambda: SetField(5, ("a",), 1), "SetField.target must be a Target, not 5."),  # type: ignore[arg-type]
        (lambda: SetField(OfJoint("shoulder"), (5,), 1), "Joint has names instead of numbers."),
        (lambda: SetField(OfJoint("shoulder"), (), 1), "SetField.path names no field."),
        (
            lambda: SetField(OfJoint("shoulder"), "limit.lower", 10**400),
            "Joint.limit.lower must be a number up to",
        ),
        (
            lambda: commands.MatchLimits(10**400, 1),
            "MatchLimits.acceleration must be a number up to",
        ),
        (lambda: commands.SetMask(pairs=5), "SetMask.pairs must be"),  # type: ignore[arg-type]
        (lambda: commands.SetMask(reasons=FrozenDict({"x": "y"})), "SetMask.reasons"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_change_at_all_is_refused_by_its_field(
    make: Any, sentence: str, tmp_path: Path
) -> None:
    document = document_in(tmp_path)
    with pytest.raises(CannotApply) as refusal:
        document.execute(make())
    assert str(refusal.value).startswith(sentence)


def test_what_saving_would_refuse_beside_a_doubled_key_is_refused_at_once() -> None:
    text = (
        "format: xrdf\nformat_version: 1.0\nfoo: 1\nfoo: 2\ngeometry:\n  spheres:\n    spheres:\n  "
        "    base:\n"
        "        - {center: [0.0, 0.0, 0.0], radius: 0.1, radius: 0.2}\n"
        "        - {center: [0.0, 0.0, 0.1], radius: 0.1}\n"
    )
    urdf = read_urdf(SourceText.from_text('<robot name="r"><link name="base"/></robot>'))
    document = Document(urdf, read_xrdf(SourceText.from_text(text)))
    beside, new = SphereRef("spheres", "base", 1), CollisionSphere((0.0, 0.0, 0.1), 0.3)
    with pytest.raises(CannotApply, match="appears 2 times"):
        document.execute(SetSpheres(((beside, new),)))
    assert document.xrdf_text == text
    # A doubled key that no XRDF has stands in the way of nothing.
    document.execute(SetToolFrames(("base",)))
    assert "foo: 1\nfoo: 2\n" in document.xrdf_text
