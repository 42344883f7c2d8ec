"""The JSON Schema refuses what the reader and the rules of the format call an error whatever the
robot, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from editor_app.__main__ import main
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import convert_version, patch_xrdf, read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.scalars import to_value
from editor_app.core.verbs.open import open_robot
from editor_app.core.verbs.schema import schema
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.breadth import of_each_kind
from tests.helpers.documents import CLEAN, URDF, V2
from tests.helpers.robots import example_kinds, sample_urdf, shared_robots
from tests.helpers.xrdf_texts import TEXTS, RandomEdits

#: Rules about the shape of a file; the others need the robot, or compare two places.
SHAPE = {
    *(
        "XRDF101",
        "XRDF102",
        "XRDF103",
        "XRDF104",
        "XRDF208",
        "XRDF304",
        "XRDF311",
        "XRDF701",
        "XRDF707",
    ),
    *(
        "XRDF005",
        "XRDF201",
        "XRDF202",
        "XRDF203",
        "XRDF209",
        "XRDF215",
        "XRDF301",
        "XRDF303",
        "XRDF310",
    ),
    *("XRDF402", "XRDF406", "XRDF503", "XRDF804"),
}
BOTH = jsonschema.Draft7Validator(schema())
OF_VERSION = {version: jsonschema.Draft7Validator(schema(version)) for version in ("1.0", "2.0")}


def errors(text: str) -> set[str]:
    """The codes of the errors in the file's shape, by the reader and by the rules that need no
    URDF."""
    source = read_xrdf(SourceText.from_text(text, Path("robot.xrdf")))
    document = Document(read_urdf(SourceText.from_text(URDF, Path("robot.urdf"))), source)
    findings = run_rules(CheckContext(document.robot, document.xrdf_now, has_urdf=False))
    codes = {f.code for f in (*source.findings, *findings) if f.severity is Severity.ERROR} & SHAPE
    for key, code in ((source.world_key, "XRDF401"), ("self_collision", "XRDF501")):
        # That the group exists is a matter of two places; that it is named, of the shape.
        if source.node((key,)) is not None and source.node((key, "geometry")) is None:
            codes.add(code)
    return codes


def value(text: str) -> Any:
    root = read_xrdf(SourceText.from_text(text)).tree.root
    assert root is not None
    return to_value(root)


def accepted(text: str) -> bool:
    return BOTH.is_valid(value(text))


def test_the_schemas_are_schemas() -> None:
    for made in (schema(), schema("1.0"), schema("2.0")):
        jsonschema.Draft7Validator.check_schema(made)
    with pytest.raises(ValueError, match=r"3\.0"):
        schema("3.0")


@pytest.mark.parametrize(
    "text", [CLEAN, V2, sample_urdf().with_suffix(".xrdf").read_text()], ids=["1", "2", "sample"]
)
def test_a_clean_file_is_accepted_and_by_its_own_version_alone(text: str) -> None:
    assert errors(text) == set()
    assert accepted(text)
    stated = read_xrdf(SourceText.from_text(text)).value.format_version
    assert {version for version, judge in OF_VERSION.items() if judge.is_valid(value(text))} == {
        stated
    }


def test_real_files_are_accepted() -> None:
    files = sorted(shared_robots().glob("*/*.xrdf"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert errors(text) == set()
        assert [e.message for e in BOTH.iter_errors(value(text))] == [], file


def test_first_files_of_many_robots_are_accepted_in_both_versions() -> None:
    robots = of_each_kind(example_kinds()[::2], example_kinds()[::6])
    assert len(robots) > 5
    for urdf in robots:
        document = open_robot(urdf, new_xrdf=True)
        texts = [document.xrdf_text]
        if document.robot.xrdf.format_version == "1.0":
            changed = convert_version(document.robot, "2.0").xrdf
            texts.append(patch_xrdf(read_xrdf(SourceText.from_text(texts[0])), changed).text)
        for text in texts:
            assert accepted(text) == (errors(text) == set()), (urdf, errors(text))


@pytest.mark.parametrize("start", sorted(TEXTS))
def test_edited_files_are_judged_as_by_reader_and_rules(start: str) -> None:
    for seed in range(40):
        random = Random(seed)
        source = read_xrdf(SourceText.from_text(TEXTS[start]))
        xrdf = source.value
        edits = RandomEdits(random)
        for _ in range(random.randint(1, 3)):
            xrdf = edits.edited(xrdf)
        text = patch_xrdf(source, xrdf).text
        complaints = [
            f"{list(e.absolute_path)}: {e.message[:200]}" for e in BOTH.iter_errors(value(text))
        ]
        assert bool(complaints) == bool(errors(text)), (seed, errors(text), complaints)


ADDED = (
    "modifiers:\n- add_frame: {frame_name: a, parent_frame_name: b, joint_name: c, "
    "fixed_transform: {position: [0, 0, 0], orientation: {w: 1, xyz: [0, 0, 0]}}}\n"
)
HEAD = "format: xrdf\nformat_version: 1.0\n"
CSPACE = "cspace: {joint_names: [a], acceleration_limits: [1.0], jerk_limits: [2.0]}\n"
SPHERES = "geometry:\n  g:\n    spheres:\n      a:\n"
#: With the head of a file of 1.0 and a c-space; what stands alone is a file of its own.
BROKEN = (
    "tool_frames: {a: b}\n",
    "tool_frames: [[a]]\n",
    "tool_frames: [null]\n",
    "default_joint_positions: [1]\n",
    "default_joint_positions: {a: fast}\n",
    "default_joint_positions: {a: null}\n",
    "default_joint_positions: {a: true}\n",
    "modifiers: {a: 1}\n",
    "modifiers:\n- {set_base_frame: a, b: 1}\n",
    "modifiers:\n- set_base_frame: [a]\n",
    "modifiers:\n- spin: fast\n",
    "modifiers:\n- {}\n",
    "modifiers:\n- add_frame: {frame_name: a}\n",
    ADDED.replace("w: 1, ", ""),
    ADDED.replace("position: [0, 0, 0]", "position: [0, 0]"),
    ADDED.replace("joint_name: c", "joint_name: c, joint_type: REVOLUTE"),
    "modifiers:\n- remove_mimic_attributes: {joint_name: a}\n",
    "modifiers:\n- remove_mimic_attributes: {joint_name: a, position_limits: [1]}\n",
    "geometry: [1]\n",
    "geometry: {g: 5}\n",
    "geometry: {g: {spheres: [1]}}\n",
    "geometry: {g: {spheres: {a: {center: [0, 0, 0], radius: 1}}}}\n",
    "geometry: {g: {clone: h}}\n",
    SPHERES + "      - center: [0, 0]\n        radius: 1\n",
    SPHERES + "      - center: [0, 0, 0]\n",
    SPHERES + "      - radius: 1\n",
    SPHERES + "      - center: [0, x, 0]\n        radius: 1\n",
    SPHERES + "      - null\n",
    "geometry: {g: {}}\ncollision: {geometry: g, buffer_distance: {a: x}}\n",
    "geometry: {g: {}}\ncollision: {geometry: g, buffer_distance: [1]}\n",
    "geometry: {g: {}}\ncollision: {}\n",
    "geometry: {g: {}}\nself_collision: {}\n",
    "geometry: {g: {}}\nself_collision: {geometry: g, ignore: {a: b}}\n",
    "geometry: {g: {}}\nself_collision: {geometry: g, ignore: [a]}\n",
    "geometry: {g: {}}\nworld_collision: {geometry: g}\n",
    "collision: {geometry: g}\n",
    "self_collision: {geometry: g}\n",
)
ALONE = (
    HEAD,
    "format: xrdf\n" + CSPACE,
    "format_version: 1.0\n" + CSPACE,
    "format: urdf\nformat_version: 1.0\n" + CSPACE,
    "format: xrdf\nformat_version: 3.0\n" + CSPACE,
    "format: xrdf\nformat_version: [1.0]\n" + CSPACE,
    HEAD + "cspace: 5\n",
    HEAD + "cspace: {joint_names: [a], acceleration_limits: [1.0]}\n",
    HEAD + CSPACE.replace("[a]", "a"),
    HEAD + CSPACE.replace("[1.0]", "[-1.0]"),
    HEAD + CSPACE.replace("[2.0]", "[x]"),
    HEAD.replace("1.0", "2.0") + CSPACE + "geometry: {g: {}}\ncollision: {geometry: g}\n",
    HEAD.replace("1.0", "2.0") + CSPACE + SPHERES + "      - {center: [0, 0, 0], radius: -0.01}\n",
    HEAD.replace("1.0", "2.0") + CSPACE + SPHERES + "      - {center: [0, 0, 0], radius: 0}\n",
)


@pytest.mark.parametrize("text", [*(HEAD + CSPACE + part for part in BROKEN), *ALONE])
def test_a_broken_file_is_refused(text: str) -> None:
    assert errors(text), "this file is not broken"
    assert not accepted(text)


@pytest.mark.parametrize(
    "part",
    [
        "",
        ADDED,
        ADDED.replace("joint_name: c", "joint_name: c, joint_type: fixed"),
        "modifiers:\n- set_base_frame: yes\n",
        "modifiers:\n- remove_mimic_attributes: {joint_name: a, position_limits: [0, 1], "
        "velocity_limits: 2}\n",
        "tool_frames:\nmodifiers:\ndefault_joint_positions:\ngeometry:\n",
        "default_joint_positions: {a: '1.5', b: 1e-04}\n",
        "my_section: {a: 1}\n",
        SPHERES + "      - {center: [0, 0, 0], radius: -0.01}\n",
        "geometry: {g: {clone: [h]}, h: {spheres: {a: null}}}\n",
        "geometry: {g: {}}\ncollision: {geometry: g, buffer_distance: 0.1}\n",
        "geometry: {g: {}}\nself_collision: {geometry: g, ignore: [], buffer_distance: {a: "
        "-0.1}}\n",
        "geometry: {g: {}}\nself_collision: {geometry: g, ignore: {a: }}\n",
    ],
)
def test_what_is_a_warning_at_most_is_accepted(part: str) -> None:
    text = HEAD + CSPACE + part
    assert errors(text) == set()
    assert [e.message for e in BOTH.iter_errors(value(text))] == []


@pytest.mark.parametrize("version", ["1.0", '"1.0"', "1", "2.0", "'2.0'", "2"])
def test_versions_may_be_written_as_readers_take_them(version: str) -> None:
    text = f"format: xrdf\nformat_version: {version}\n{CSPACE}"
    assert errors(text) == set()
    assert accepted(text)


@pytest.mark.parametrize("version", [None, "1.0", "2.0"])
def test_the_command_prints_the_schema(
    version: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", *([] if version is None else ["--xrdf-version", version])]) == 0
    assert json.loads(capsys.readouterr().out) == schema(version)


def test_another_version_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["schema", "--xrdf-version", "3.0"])
    assert end.value.code == 2
    assert "1.0" in capsys.readouterr().err
