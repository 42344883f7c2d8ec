"""The profile of Isaac Sim compares a URDF and its XRDF with the USD of the robot."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.verbs.convert import convert, write_conversion
from editor_app.features.checks.verbs.check_files import check_files
from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

pytest.importorskip("pxr", reason="the extra is not installed")


@pytest.fixture
def urdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # As in a worker process, which starts no other.
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: True)
    (tmp_path / "arm.usda").write_text(HEAD + ARM)
    write_conversion(convert([tmp_path / "arm.usda"], tmp_path / "arm.urdf"))
    return tmp_path / "arm.urdf"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def findings_of(urdf: Path, profile: Profile = Profile.ISAAC) -> list[Finding]:
    files = [urdf, urdf.with_suffix(".xrdf"), urdf.with_suffix(".usda")]
    (checked,) = (each for each in check_files(files, profile=profile) if each.path == urdf)
    return [finding for finding in checked.findings if finding.code.startswith("ISAAC")]


def test_an_imported_robot_is_the_same_mechanism(urdf: Path) -> None:
    assert findings_of(urdf) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "severity", "told"),
    [
        ('<mass value="2"/>', '<mass value="3"/>', "ISAAC003", Severity.WARNING, "mass of 'base' (/arm/base): USD"),
        ('xyz="0 0 0.25"', 'xyz="0 0 0.26"', "ISAAC002", Severity.ERROR, "upper by up to 10.00 mm"),
        ('xyz="0 0 0.25"', 'xyz="0 0 0.250000001"', "", Severity.INFO, ""),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>', "ISAAC002", Severity.ERROR, "or axes: /arm/shoulder"),
        ('effort="87"', 'effort="50"', "ISAAC002", Severity.WARNING, "limit.effort of 'shoulder' (/arm/shoulder)"),
        ('effort="87"', 'effort="87.00001"', "", Severity.INFO, ""),
        (
            '<joint name="shoulder"',
            '<link name="flange"/><joint name="f" type="fixed"><parent link="upper"/><child '
            'link="flange"/></joint>'
            '<joint name="shoulder"',
            "ISAAC001",
            Severity.INFO,
            "has no prim for the link 'flange'",
        ),
    ],
)  # fmt: skip
def test_a_difference_has_its_prim_and_its_line(
    urdf: Path, old: str, new: str, code: str, severity: Severity, told: str
) -> None:
    edit(urdf, old, new)
    findings = [
        each for each in findings_of(urdf) if not each.message.startswith("arm.usda has no joint")
    ]
    assert [each.code for each in findings] == ([code] if code else [])
    for each in findings:
        assert each.severity is severity
        assert told in each.message
        assert each.location is not None
        assert each.location.file == str(urdf)
        assert each.location.line
    assert findings_of(urdf, Profile.CUMOTION) == []


def test_the_mask_is_compared_with_the_pairs_that_cannot_touch(urdf: Path) -> None:
    xrdf = urdf.with_suffix(".xrdf")
    spheres = (
        '{"base": [{center: [0, 0, 0], radius: 0.1}], "upper": [{center: [0, 0, 0], radius: 0.1}]}'
    )
    edit(xrdf, "spheres: {}", f"spheres: {spheres}")
    assert findings_of(urdf) == []
    edit(xrdf, '    base: ["upper"]', "    base: []\n    #")
    (finding,) = findings_of(urdf)
    assert finding.code == "ISAAC004"
    assert "checks 1 pair that cannot touch in arm.usda: base and upper" in finding.message
    edit(
        urdf.with_suffix(".usda"),
        "        rel physics:body0",
        "        bool physics:collisionEnabled = 1\n        rel physics:body0",
    )
    edit(xrdf, "    base: []", '    base: ["upper"]')
    (finding,) = findings_of(urdf)
    assert "ignores 1 pair that may touch in arm.usda: base and upper" in finding.message
    assert finding.severity is Severity.WARNING


def test_the_usd_of_another_robot_is_an_error(urdf: Path) -> None:
    for old, new in (("base", "socle"), ("upper", "bras"), ("shoulder", "epaule")):
        edit(urdf, f'"{old}"', f'"{new}"')
    (finding,) = findings_of(urdf)
    assert (finding.code, finding.severity) == ("ISAAC001", Severity.ERROR)
    assert "not that of the robot" in finding.message


def test_slow_checks_find_the_usd_that_the_urdf_was_imported_from(urdf: Path) -> None:
    edit(urdf, '<mass value="2"/>', '<mass value="3"/>')
    (checked,) = (
        each for each in check_files([urdf], profile=Profile.ISAAC, slow=True) if each.path == urdf
    )
    assert [each.code for each in checked.findings if each.code.startswith("ISAAC")] == ["ISAAC003"]
