"""Lists of spheres that other tools read: what is written says the same when it is read again, and
tells its losses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.document.document import Document
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSphere,
    FixedTransform,
    GeometryGroup,
    LinkPair,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.plugins.sphere_lists.codec import (
    KINDS,
    is_sphere_list,
    read_sphere_list,
    sphere_list_text,
)
from tests.helpers.documents import make_document

HERE = Location("arm.xrdf")
NUMBER = st.floats(-10, 10, allow_subnormal=False)
SPHERE = st.builds(
    CollisionSphere, st.tuples(NUMBER, NUMBER, NUMBER), st.floats(1e-6, 10, allow_subnormal=False)
)
BY_LINK = st.dictionaries(
    st.sampled_from(("base", "upper", "lower", "hand")),
    st.lists(SPHERE, min_size=1, max_size=4),
    min_size=1,
)


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> RobotDescription:
    document: Document = make_document(tmp_path_factory.mktemp("arm"))
    return document.robot


def with_spheres(
    robot: RobotDescription, spheres: dict[str, tuple[CollisionSphere, ...]]
) -> RobotDescription:
    name = robot.xrdf.world_group
    assert name is not None
    return replace(robot, xrdf=robot.xrdf.with_group(GeometryGroup(name, FrozenDict(spheres))))


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS if kind != "foam"])
def test_what_is_written_is_read_again(robot: RobotDescription, kind: str) -> None:
    @given(BY_LINK)
    def there_and_back(by_link: dict[str, list[CollisionSphere]]) -> None:
        spheres = {link: tuple(of_link) for link, of_link in by_link.items()}
        text = sphere_list_text(with_spheres(robot, spheres), kind, None, HERE).text
        source = SourceText.from_text(text)
        assert is_sphere_list(load_plain(source))
        again = read_sphere_list(source, [link.name for link in robot.urdf.links])
        assert dict(again.spheres) == spheres
        assert robot.xrdf.self_collision is not None
        assert set(again.pairs) == (
            robot.xrdf.self_collision.ignored_pairs() if kind == "ballpark" else set()
        )

    there_and_back()


def test_foam_holds_one_link(robot: RobotDescription) -> None:
    both = with_spheres(
        robot, {name: (CollisionSphere((0, 0, 0.5), 0.25),) for name in ("upper", "lower")}
    )
    with pytest.raises(FormatError, match="for one link"):
        sphere_list_text(both, "foam", None, HERE)
    with pytest.raises(FormatError, match="No spheres"):
        sphere_list_text(both, "foam", "hand", HERE)
    written = sphere_list_text(both, "foam", "upper", HERE)
    again = read_sphere_list(SourceText.from_text(written.text), ["upper", "lower"], "upper")
    assert dict(again.spheres) == {"upper": (CollisionSphere((0, 0, 0.5), 0.25),)}
    assert "1 other link" in written.report.of(Fate.LOST)[0].detail


def test_pyroki_takes_centres_and_radii_by_link(robot: RobotDescription) -> None:
    """As ballpark writes it (`RobotSpheresResult.save_json`), and pyroki takes it as
    `sphere_decomposition`."""
    (link,) = json.loads(
        sphere_list_text(
            with_spheres(robot, {"hand": (CollisionSphere((1, 2, 3), 4),)}), "pyroki", None, HERE
        ).text
    ).items()
    assert link == ("hand", {"centers": [[1, 2, 3]], "radii": [4]})


def test_spheres_of_an_added_frame_stand_on_its_link(robot: RobotDescription) -> None:
    turned = FixedTransform((1, 0, 0), (0.5**0.5, 0, 0, 0.5**0.5))
    framed = with_spheres(robot, {"tip": (CollisionSphere((1, 0, 0), 0.1),)})
    framed = replace(
        framed, xrdf=replace(framed.xrdf, modifiers=(AddFrame("tip", "hand", "tip_joint", turned),))
    )
    again = read_sphere_list(
        SourceText.from_text(sphere_list_text(framed, "ballpark", None, HERE).text)
    )
    (sphere,) = again.spheres["hand"]
    assert sphere.center == pytest.approx((1, 1, 0))


def test_numbers_that_are_not_finite_are_refused(robot: RobotDescription) -> None:
    bad = with_spheres(robot, {"hand": (CollisionSphere((float("nan"), 0, 0), 0.1),)})
    for kind, _ in KINDS:
        with pytest.raises(FormatError, match="not finite"):
            sphere_list_text(bad, kind, None, HERE)


def test_pairs_are_told_where_they_are_lost(robot: RobotDescription) -> None:
    assert robot.xrdf.self_collision is not None
    assert LinkPair.of("base", "upper") in robot.xrdf.self_collision.ignored_pairs()
    by_kind = {
        kind: {
            entry.item
            for entry in sphere_list_text(robot, kind, "upper", HERE).report.of(Fate.LOST)
        }
        for kind, _ in KINDS
    }
    assert "self_collision.ignore" not in by_kind["ballpark"]
    assert all(
        "self_collision.ignore" in lost for kind, lost in by_kind.items() if kind != "ballpark"
    )


def test_a_name_that_contradicts_the_program_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from editor_app.cli import run_command

    make_document(tmp_path)
    given_files = [str(tmp_path / "arm.urdf"), str(tmp_path / "arm.xrdf")]
    assert (
        run_command(
            "convert", [*given_files, str(tmp_path / "a.spheres.yaml"), "--sphere-list", "pyroki"]
        )
        == 2
    )
    assert "*.spheres.json" in capsys.readouterr().err
    assert not (tmp_path / "a.spheres.yaml").exists()
