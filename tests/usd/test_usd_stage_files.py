"""Files of a USD stage: names, forms, the same bytes each time, what needs OpenUSD."""

from __future__ import annotations

import importlib.util
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import editor_app
from editor_app.core.document.opening import open_document
from editor_app.core.verbs.convert import ConvertOptions, convert
from tests.helpers.small_robot import URDF_TEXT
from tests.helpers.usd_stage import Stage, write_stage

SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"


@pytest.mark.parametrize("ending", ["usda", "usd", "usdc", "usdz"])
def test_all_forms_are_the_same_stage_and_the_same_bytes_each_time(
    tmp_path: Path, ending: str
) -> None:
    pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    document, output = open_document(SAMPLE), tmp_path / f"heron.{ending}"
    [(path, data)] = convert(document, output).files
    assert convert(document, output).files == ((path, data),)
    path.write_bytes(data)
    stage = Stage(path)
    assert stage.faults == []
    assert stage.stage.Flatten().ExportToString().count("planning_sphere_") == 53
    assert stage.value("meshes/base_link", "points") is not None
    assert len(stage.joints) == 10


def test_the_checker_of_these_tests_finds_faults(tmp_path: Path) -> None:
    pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    text = convert(open_document(SAMPLE), tmp_path / "heron.usda").files[0][1].decode()
    for old, new in (
        ("    metersPerUnit = 1\n", ""),
        ("rel physics:body1 = </heron/shoulder_link>", "rel physics:body1 = </heron/nowhere>"),
        ("</heron/meshes/base_link>", "</heron/meshes/gone>"),
    ):
        assert old in text
        (tmp_path / "broken.usda").write_text(text.replace(old, new))
        assert Stage(tmp_path / "broken.usda").faults


def test_text_needs_no_openusd_and_other_forms_say_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *rest: None if name == "pxr" else find(name, *rest),
    )
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    assert (
        convert([tmp_path / "r.urdf"], tmp_path / "r.usda").files[0][1].startswith(b"#usda 1.0\n")
    )
    with pytest.raises(editor_app.FormatError, match="usd-core") as error:
        convert([tmp_path / "r.urdf"], tmp_path / "r.usdc")
    assert "xrdf-editor[usd]" in str(error.value)
    assert "*.usda" in str(error.value)


NAMES = {
    "base": "visuals",
    "upper": "joints",
    "fore": "0 a-b",
    "hand": "0_a_b",
    "finger_a": "_0_a_b",
    "j1": "é\U0001f916",
}


def test_names_are_unique_and_display_names_are_those_of_the_robot(tmp_path: Path) -> None:
    text = URDF_TEXT
    for old, new in NAMES.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    (tmp_path / "r.urdf").write_text(
        text.replace('name="small"', 'name="my &quot;small&quot; robot"')
    )
    for layout in (None, "nested"):
        stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda", usd_layout=layout)
        assert stage.faults == []
        links = {
            NAMES.get(name, name)
            for name in ("base", "upper", "fore", "hand", "finger_a", "finger_b")
        }
        assert links <= set(stage.prims)
        assert {"é\U0001f916", "j2"} <= set(stage.joints)
        assert stage.robot.GetDisplayName() == 'my "small" robot'


def test_the_prim_of_the_robot_can_be_chosen(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    stage = write_stage([tmp_path / "r.urdf"], tmp_path / "r.usda", usd_root="/World/arm")
    assert stage.faults == []
    assert stage.stage.GetDefaultPrim().GetPath() == "/World"
    assert (
        "PhysicsArticulationRootAPI" in stage.stage.GetPrimAtPath("/World/arm").GetAppliedSchemas()
    )


@pytest.mark.parametrize("choices", [{"usd_form": "layer"}, {"usd_robot": "./theirs.usd"}])
def test_a_layer_over_a_usd_stays_a_choice(tmp_path: Path, choices: dict[str, Any]) -> None:
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    options = ConvertOptions.of(to="usd", **choices)
    text = convert([tmp_path / "r.urdf"], tmp_path / "out.usda", options).files[0][1].decode()
    assert f"subLayers = [@{choices.get('usd_robot', './r.usd')}@]" in text
    assert "PhysicsRigidBodyAPI" not in text


def test_a_package_does_not_contain_the_time_at_which_it_was_written(tmp_path: Path) -> None:
    pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    [(_, data)] = convert([tmp_path / "r.urdf"], tmp_path / "a[b].usdz").files
    [entry] = ZipFile(BytesIO(data)).infolist()
    assert (entry.filename, entry.date_time) == ("robot.usdc", (1980, 1, 1, 0, 0, 0))


def test_a_package_holds_no_layer_over_another_file(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF_TEXT)
    with pytest.raises(editor_app.FormatError, match="package"):
        convert(
            [tmp_path / "r.urdf"],
            tmp_path / "r.usdz",
            ConvertOptions.of(to="usd", usd_form="layer"),
        )


@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_layer_fits_over_a_stage_of_this_program(tmp_path: Path, is_absolute: bool) -> None:
    document = open_document(SAMPLE)
    bare = write_stage([SAMPLE], tmp_path / "heron.usd")
    named = str(tmp_path / "heron.usd") if is_absolute else "./heron.usd"
    over = write_stage(document, tmp_path / "over.usda", usd_robot=named)
    text = (tmp_path / "over.usda").read_text(encoding="utf-8")
    assert "@./heron.usd@" in text, "readers follow no absolute path"
    added = {frame.frame_name for frame in document.robot.xrdf.added_frames}
    assert set(over.prims) == set(bare.prims) | added
    assert over.faults == []
