"""Pairs that a published mask never checks although their meshes touch: either way has its cost,
told where the mask is made and in the file, and the choice is the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import Refused
from editor_app.features.draft.verbs.new import NewSettings, new
from editor_app.features.masks.verbs.mask import Mask, MaskRules, mask
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.masks.test_pairs_whose_spheres_always_overlap_are_decided import PAIR, URDF, XRDF

SRDF = """<robot name="barrier">
  <group name="all"><chain base_link="base" tip_link="arm"/></group>
  <disable_collisions link1="base" link2="arm" reason="Never"/>
  <disable_collisions link1="base" link2="turret" reason="Adjacent"/>
</robot>
"""
COSTS = "ignored: 100.00 % missed collisions, 0.00 % false collisions; checked: "


#: A line for each pair has room for what is said of it.
LINES = XRDF.replace("ignore: {turret: [base, arm]}", "ignore:\n    turret: [base, arm]")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    urdf = tmp_path / "barrier.urdf"
    for suffix, text in ((".urdf", URDF), (".xrdf", LINES), (".srdf", SRDF)):
        urdf.with_suffix(suffix).write_text(text)
    return urdf, urdf.with_suffix(".xrdf"), urdf.with_suffix(".srdf")


def _judged(files: tuple[Path, Path, Path], *, trust: bool) -> tuple[editor_app.Document, Mask]:
    document = editor_app.open_robot(*files)
    rules = MaskRules(compare_meshes=True, trust_srdf=trust)
    return document, mask(document, samples=2_000, certify=0.0, rules=rules)


def test_either_way_has_its_cost(files: tuple[Path, Path, Path]) -> None:
    document, judged = _judged(files, trust=False)
    (disputed,) = judged.look.disputed
    assert disputed.pair == PAIR
    assert (disputed.first, disputed.second) == ("base", "arm")
    assert 0.0 < disputed.touching.value < 1.0
    # Nothing else touches, and the bare spheres overlap always.
    assert (disputed.passed_ignored.value, disputed.passed_checked.value) == (1.0, 0.0)
    assert (disputed.refused_ignored.value, disputed.refused_checked.value) == (0.0, 1.0)
    document.execute(judged.change)
    assert PAIR not in _ignored(document)
    assert f"checked anyway: base and arm {COSTS}" in document.xrdf_text
    # Looked at once more, the comment is the new one's.
    document.execute(judged.change)
    assert document.xrdf_text.count("checked anyway") == 1


def test_the_srdf_is_trusted_when_that_is_asked_for(files: tuple[Path, Path, Path]) -> None:
    document, judged = _judged(files, trust=True)
    document.execute(judged.change)
    assert PAIR in _ignored(document)
    assert f"# as in the SRDF; {COSTS}" in document.xrdf_text
    assert "checked anyway" not in document.xrdf_text
    # What the XRDF ignores itself is disputed, too, and told with the same figures.
    again = editor_app.mask(
        document, samples=2_000, certify=0.0, rules=MaskRules(compare_meshes=True)
    )
    assert [each.pair for each in again.look.disputed] == [PAIR]
    assert PAIR in again.proposal.pairs


def test_there_is_nothing_to_trust_without_an_srdf(files: tuple[Path, Path, Path]) -> None:
    files[2].unlink()
    document = editor_app.open_robot(*files[:2])
    with pytest.raises(Refused, match="no SRDF"):
        mask(document, samples=100, certify=0.0, rules=MaskRules(trust_srdf=True))
    with pytest.raises(Refused, match="an SRDF next to the URDF"):
        new(files[0], settings=NewSettings(True, True, trust_srdf=True))


def test_the_command_mask_says_it(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    out = files[0].with_name("out.xrdf")
    arguments = [
        "mask",
        *map(str, files),
        "--compare-meshes",
        "--samples",
        "2000",
        "--certify",
        "0",
        "-o",
        str(out),
    ]
    main(arguments)
    assert f"base and arm, checked: {COSTS}" in capsys.readouterr().err
    main([*arguments, "--trust-srdf", "--force"])
    assert f"base and arm, ignored: as in the SRDF; {COSTS}" in capsys.readouterr().err
    assert f"# as in the SRDF; {COSTS}" in out.read_text()


def test_first_files_tell_what_either_way_costs_as_they_are(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    files[1].unlink()
    settings = NewSettings(
        True,
        True,
        choices=FitChoices(effort="fast"),
        samples=2_000,
        certify=0.0,
        cost_samples=6_000,
    )
    made = new(files[0], files[2], settings=settings)
    (disputed,) = made.disputed
    assert disputed.pair == PAIR
    assert PAIR not in _ignored(made.document)
    assert disputed.passed_ignored.value == 1.0
    assert disputed.passed_checked.value < 0.01
    assert disputed.refused_checked.value < 0.3, "with the buffers that the file has"
    assert f"checked anyway: base and arm {COSTS}" in made.document.xrdf_text
    command = [
        "new",
        str(files[0]),
        str(files[2]),
        "--fit",
        "--mask",
        "--effort",
        "fast",
        "--samples",
        "2000",
    ]
    out = files[0].with_name("trusting.xrdf")
    main(
        [
            *command,
            "--certify",
            "0",
            "--cost-samples",
            "6000",
            "--trust-srdf",
            "--jobs",
            "1",
            "-o",
            str(out),
        ]
    )
    said = capsys.readouterr().err
    assert "Meshes and the manufacturer's SRDF disagree; please decide (--trust-srdf" in said
    assert f"  base and arm, ignored: {COSTS}" in said
    assert f"# {COSTS}" in out.read_text()


def _ignored(document: editor_app.Document) -> frozenset[LinkPair]:
    section = document.robot.xrdf.self_collision
    assert section is not None
    return frozenset(section.ignored_pairs())
