"""Masses and inertias: those that no body has are told, right ones are not, and the remedy is what
the shape weighs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import editor_app
from editor_app.core.document.document import Document
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.urdf import Box, Inertial
from editor_app.core.space.geometry.mass import compute_solid_properties, fill_solid, impossible
from editor_app.core.space.geometry.mesh import build_primitive
from editor_app.core.space.kinematics.transforms import inertia_tensor
from tests.helpers.documents import CLEAN, URDF

#: Moments in kg m² of 5 kg in a box of 0.2 m.
CUBE = 5 / 12 * (0.2**2 + 0.2**2)


def document_of(folder: Path, mass: float, moments: str, com: str = "0 0 0") -> Document:
    inertial = (
        f'<inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia {moments}/></inertial>'
    )
    shape = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
    urdf = URDF.replace('<link name="base"/>', f'<link name="base">{inertial}{shape}</link>')
    (folder / "arm.urdf").write_text(urdf)
    (folder / "arm.xrdf").write_text(CLEAN)
    return editor_app.open_robot(folder / "arm.urdf")


def diagonal(xx: float, yy: float, zz: float) -> str:
    return f'ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"'


def told(document: Document, *, slow: bool = True) -> list[Finding]:
    return [
        each
        for each in editor_app.check(document, slow=slow)
        if each.code in ("URDF080", "URDF081")
    ]


@pytest.mark.parametrize(
    ("code", "word", "mass", "moments", "com"),
    [
        ("URDF080", "mass is not positive", 0.0, diagonal(1, 1, 1), "0 0 0"),
        ("URDF080", "not positive definite", 5.0, diagonal(0, 0, 0), "0 0 0"),
        ("URDF080", "more than the sum", 5.0, diagonal(0.01, 0.01, 0.03), "0 0 0"),
        # Products of inertia hide it: the diagonal alone is right.
        (
            "URDF080",
            "not positive definite",
            5.0,
            'ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1"',
            "0 0 0",
        ),
        ("URDF081", "outside the link's shape", 5.0, diagonal(CUBE, CUBE, CUBE), "0 0 0.6"),
        ("URDF081", "heavier than any metal", 5000.0, diagonal(30, 30, 30), "0 0 0"),
        ("URDF081", "lighter than any foam", 0.001, diagonal(1e-5, 1e-5, 1e-5), "0 0 0"),
        ("URDF081", "with all its mass at the ends", 5.0, diagonal(1, 1, 1), "0 0 0"),
        ("URDF081", "a solid box around the shape", 5.0, diagonal(1e-6, 1e-6, 1e-6), "0 0 0"),
    ],
)
def test_it_is_told_and_mended(
    code: str, word: str, mass: float, moments: str, com: str, tmp_path: Path
) -> None:
    document = document_of(tmp_path, mass, moments, com)
    severity = Severity.WARNING if code == "URDF080" else Severity.INFO
    (finding,) = told(document)
    assert (finding.code, finding.severity, finding.subject.links) == (code, severity, ("base",))
    assert told(document, slow=False) == ([finding] if code == "URDF080" else [])
    assert word in finding.message
    assert finding.location is not None
    assert finding.location.line is not None
    before = document.urdf_text
    # A wrong mass is made anew: 0.2³ m³ at 1,000 kg/m³.
    mass = 8.0 if mass <= 0 or "any" in word else mass
    document.execute(finding.fixes[0])
    inertial = document.robot.urdf.link("base").inertial  # type: ignore[union-attr]
    assert inertial is not None
    assert inertial.mass == mass
    assert inertial.inertia == pytest.approx(
        [mass * CUBE / 5, 0, 0, mass * CUBE / 5, 0, mass * CUBE / 5], rel=1e-5
    )
    assert told(document) == []
    document.undo()
    assert document.urdf_text == before


def test_the_fix_is_refused_where_no_shape_can_be_filled(tmp_path: Path) -> None:
    urdf = (tmp_path / "arm.urdf", tmp_path / "arm.xrdf")
    document_of(tmp_path, 5.0, diagonal(0, 0, 0))
    text = urdf[0].read_text()
    urdf[0].write_text(text.replace('<box size="0.2 0.2 0.2"/>', '<mesh filename="none.stl"/>'))
    document = editor_app.open_robot(*urdf)
    (finding,) = told(document, slow=False)
    with pytest.raises(editor_app.CannotApply, match="No shape of base encloses a volume"):
        document.execute(finding.fixes[0])
    urdf[0].write_text(text.replace("<collision>", "<!--").replace("</collision>", "-->"))
    (finding,) = told(editor_app.open_robot(*urdf))
    assert finding.fixes == ()


def test_right_ones_and_frames_without_a_body_are_not_told(tmp_path: Path) -> None:
    for mass, moments, com in (
        (5.0, diagonal(CUBE, CUBE, CUBE), "0 0 0"),
        # A motor in a corner; a shell; rounded to a digit.
        (5.0, diagonal(3 * CUBE, 3 * CUBE, CUBE), "0.09 0.09 0.09"),
        (5.0, diagonal(0.15, 0.15, 0.1), "0 0 0"),
        (0.0, diagonal(0, 0, 0), "0 0 0"),
    ):
        assert told(document_of(tmp_path, mass, moments, com)) == []


@given(
    st.lists(st.floats(0.05, 3), min_size=3, max_size=3),
    st.floats(0.01, 100),
    st.lists(st.floats(-3, 3), min_size=3, max_size=3),
)
def test_every_body_of_material_is_possible(
    sizes: list[float], mass: float, place: list[float]
) -> None:
    part = build_primitive(Box((sizes[0], sizes[1], sizes[2]))).parts[0]
    solid = compute_solid_properties(part.vertices + np.array(place), part.faces)
    assert solid is not None
    inertial = fill_solid(solid, mass)
    assert impossible(inertial) == ""
    x, y, z = sizes
    wanted = mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    assert inertia_tensor(inertial) == pytest.approx(wanted, rel=1e-5, abs=1e-8 * mass)


def test_the_bound_of_moments_is_that_of_mujoco() -> None:
    """Its compiler asks A + B >= C of the principal moments, and refuses the model otherwise."""
    assert impossible(Inertial(1.0, (1, 0, 0, 1, 0, 2))) == ""
    assert "2.1" in impossible(Inertial(1.0, (1, 0, 0, 1, 0, 2.1)))


@pytest.mark.parametrize(
    ("mass", "moments"),
    [
        (5.0, diagonal(CUBE, CUBE, CUBE)),
        (1e-3, diagonal(1e-7, 1e-7, 1e-7)),
        (5.0, diagonal(0.02, 0.01, 0.01)),
        (0.0, diagonal(1, 1, 1)),
        (-1.0, diagonal(1, 1, 1)),
        (5.0, diagonal(0.01, 0.01, 0.03)),
        (5.0, diagonal(-0.01, 0.01, 0.01)),
        (5.0, 'ixx="1" ixy="2" ixz="0" iyy="1" iyz="0" izz="1"'),
        (5.0, 'ixx="1" ixy="0.4" ixz="0" iyy="1" iyz="0.1" izz="1"'),
    ],
)
def test_mujoco_refuses_what_no_body_has(mass: float, moments: str, tmp_path: Path) -> None:
    """Its own reader of URDF, of a link that moves."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    inertial = f'<inertial><mass value="{mass}"/><inertia {moments}/></inertial>'
    urdf = (
        f'<robot name="r"><link name="b"/><link name="a">{inertial}</link><joint name="j" '
        'type="continuous">'
        '<parent link="b"/><child link="a"/><axis xyz="0 0 1"/></joint></robot>'
    )
    (tmp_path / "r.urdf").write_text(urdf)
    named = any(
        f.code == "URDF080"
        for f in editor_app.check(editor_app.open_robot(tmp_path / "r.urdf"), slow=True)
    )
    try:
        mujoco.MjModel.from_xml_string(urdf)
    except ValueError:
        assert named
    else:
        assert not named
