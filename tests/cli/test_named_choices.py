"""A group, tool, joint or link that a user names is used, or refused with the names that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.model.near_names import refuse_name

LIMIT = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
URDF = f"""<robot name="two"><link name="base"/><link name="arm"/><link name="tip"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>{LIMIT}</joint>
<joint name="j2" type="revolute"><parent link="arm"/><child link="tip"/><axis xyz="0 1 0"/>{LIMIT}</joint></robot>"""
SRDF = """<robot name="two"><group name="arm"><chain base_link="base" tip_link="tip"/></group>
<group name="empty"/>
<group name="hand"><link name="tip"/><joint name="gone"/></group>
<group name="chained"><chain base_link="nowhere" tip_link="tip"/></group>
<group name="both"><group name="arm"/><group name="chained"/></group>
<group_state name="home" group="arm"><joint name="j1" value="0.3"/></group_state></robot>"""


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "two.urdf").write_text(URDF)
    (tmp_path / "two.srdf").write_text(SRDF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


REFUSED = [
    (
        "new two.urdf two.srdf -o out.xrdf --group empty",
        "no joint that can be controlled. Groups with such joints: arm",
    ),
    (
        "new two.urdf two.srdf -o out.xrdf --group hand",
        "names joints or links that the robot does not have: joint gone",
    ),
    ("new two.urdf two.srdf -o out.xrdf --group chained", "link nowhere"),
    ("new two.urdf two.srdf -o out.xrdf --group both", "link nowhere"),
    (
        "new two.urdf -o out.xrdf --tool tp",
        "the nearest name is tip; the links are: base, arm, tip",
    ),
    ("new two.urdf -o out.xrdf --base nowhere", "the links are: base, arm, tip"),
    ("new two.urdf -o out.xrdf --joints j1 --tool base", "do not move the tool base"),
    ("new two.urdf -o out.xrdf --joints j1,j9", "Joints that can be controlled: j1, j2"),
    ("convert two.urdf two.srdf out.xrdf --group empty", "groups with movable joints: arm"),
    (
        "convert two.urdf two.srdf out.xrdf --group hand",
        "names joints or links that the URDF does not have: joint gone",
    ),
    (
        "convert two.urdf two.srdf out.xrdf --group nowhere",
        "its groups: arm, empty, hand, chained, both",
    ),
    ("convert two.urdf two.srdf out.xrdf --group arm --state nowhere", "its states: home"),
    (
        "convert two.urdf out.xrdf --group arm",
        "--group applies to SRDF or COLLADA robot, and no file here has that format",
    ),
    ("convert two.urdf two.srdf out.urdf --to urdf --group arm", "Leave out --group"),
    ("convert two.urdf two.srdf out_moveit_config --state home", "Leave out --state"),
    ("convert two.urdf out.xrdf --link tip", "--link applies to Lists of spheres"),
    (
        "convert two.urdf out.xrdf --model two",
        "--model applies to COLLADA robot or SDF of Gazebo or USD",
    ),
    ("pose two.urdf --model two", "--model applies to COLLADA, SDF and USD files"),
    ("check two.urdf --model two", "--model applies to COLLADA, SDF and USD files"),
    ("convert two.urdf out.xrdf --usd-root /two", "--usd-root applies to USD"),
    ("convert two.urdf out.xrdf --keep balls", "--xrdf-version 1.0"),
    (
        "convert two.urdf out.xrdf --keep balls --xrdf-version 1.0",
        "The geometry group 'balls' is not in use",
    ),
    ("pose two.urdf --tool tpi", "the frames are: base, arm, tip"),
    ("pose two.urdf --tool tip --in nowhere", "the frames are: base, arm, tip"),
    ("plan two.urdf --tool nowhere --from default --to 0,0,0", "the frames are: base, arm, tip"),
    ("variant two.urdf --link nowhere", "the links are: base, arm, tip"),
    ("fit two.urdf --links nowhere", "its links: base, arm, tip"),
]


@pytest.mark.parametrize(("command", "reason"), REFUSED)
def test_a_name_that_cannot_be_used_is_refused(
    robot: Path, capsys: pytest.CaptureFixture[str], command: str, reason: str
) -> None:
    assert main(command.split()) == 2
    assert reason in capsys.readouterr().err
    assert not list(robot.glob("out*"))


@pytest.mark.parametrize(
    "command", ["new two.urdf two.srdf -o out.xrdf", "convert two.urdf two.srdf out.xrdf"]
)
def test_a_group_that_can_be_used_is(robot: Path, command: str) -> None:
    assert main([*command.split(), "--group", "arm"]) < 2
    assert "j2" in (robot / "out.xrdf").read_text()


def test_a_chosen_group_lists_its_missing_members_as_lost(
    robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    groups = '<group name="hand"><link name="tip"/><joint name="gone"/></group>'
    state = '<group_state name="home" group="hand"><joint name="away" value="1"/></group_state>'
    pair = '<disable_collisions link1="tip" link2="table"/>'
    (robot / "two.srdf").write_text(f'<robot name="two">{groups}{state}{pair}</robot>')
    assert main(["convert", "two.urdf", "two.srdf", "out.xrdf"]) == 0
    told = capsys.readouterr().err
    assert "lost: joint gone of group hand: the URDF does not have it" in told
    assert "lost: away of group_state home" in told
    assert "1 pair copied, although the URDF has no such links: table" in told


def test_a_refusal_lists_a_few_names() -> None:
    assert refuse_name("link", "x", []) == "no link 'x'; the robot has no links"
    assert refuse_name("link", "x", map(str, range(30))).endswith("18, 19 and 10 more")
