"""Every command that README and manual print is run as printed, on a robot that has the names of
the examples."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from glob import glob
from pathlib import Path

import pytest
import trimesh

from editor_app import cli
from editor_app.core.resources import sample_robot
from tests.helpers.manual_pages import MANUAL

README = MANUAL.parents[1] / "README.md"
#: The page with a line per command, which are run one after the other.
GLANCE = MANUAL / "command-line.md"
_BOX = '<{0}>{2}<geometry><box size="{1}"/></geometry></{0}>'
_INERTIA = '<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
_JOINT = """<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 {3}"/>
    <axis xyz="{4}"/><limit lower="-2" upper="2" effort="50" velocity="2"/></joint>"""


def _link(name: str, size: str, middle: str = "0 0 0") -> str:
    shapes = "".join(
        _BOX.format(kind, size, f'<origin xyz="{middle}"/>') for kind in ("visual", "collision")
    )
    return f'<link name="{name}">{shapes}<inertial>{_INERTIA}</inertial></link>'


ROBOT = f"""<robot name="arm">
  {_link("base_link", "0.1 0.1 0.1")}
  {_link("shoulder_link", "0.05 0.05 0.05")}
  {_link("upper_arm_link", "0.05 0.05 0.05", "0 0 0.15")}
  {_link("forearm_link", "0.05 0.05 0.05", "0 0 0.1")}
  {_link("wrist_link", "0.04 0.04 0.04")}
  <link name="tool0"/>
  {_JOINT.format("base_yaw_joint", "base_link", "shoulder_link", "0.15", "0 0 1")}
  {_JOINT.format("shoulder_pitch_joint", "shoulder_link", "upper_arm_link", "0.1", "0 1 0")}
  {_JOINT.format("elbow_pitch_joint", "upper_arm_link", "forearm_link", "0.3", "0 1 0")}
  {_JOINT.format("wrist_pitch_joint", "forearm_link", "wrist_link", "0.3", "0 1 0")}
  <joint name="tool_joint" type="fixed"><parent link="wrist_link"/><child link="tool0"/><origin xyz="0 0 0.1"/></joint>
</robot>
"""
JOINTS = ("base_yaw_joint", "shoulder_pitch_joint", "elbow_pitch_joint", "wrist_pitch_joint")
SRDF = """<robot name="arm">
  <group name="arm"><chain base_link="base_link" tip_link="tool0"/></group>
  <group_state name="upright" group="arm">
    <joint name="base_yaw_joint" value="0.5"/><joint name="elbow_pitch_joint" value="0.2"/>
  </group_state>
  <disable_collisions link1="base_link" link2="shoulder_link" reason="Adjacent"/>
</robot>
"""
HAND = f'<robot name="hand">{_link("palm", "0.05 0.05 0.05")}</robot>\n'
#: Points on the base, and on a cable beside it.
SCAN = [(0.05, 0.0, 0.01 * k) for k in range(5)] + [(0.12, 0.0, 0.005 * k) for k in range(20)]
MOTION = "\n".join([",".join(JOINTS), "0,0.3,0.5,0.3", "0.2,0.3,0.5,0.3"]) + "\n"
SDF = """<sdf version="1.9"><model name="arm"><link name="base_link"/><link name="shoulder_link"/>
<joint name="base_yaw_joint" type="revolute"><parent>base_link</parent><child>shoulder_link</child>
<axis><xyz>0 0 1</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis></joint></model></sdf>
"""
PAIRS = {
    "joint_names": JOINTS,
    "pairs": [{"id": "1", "start": [0, 0.3, 0.5, 0.3], "goal": [1, 0.3, 0.5, 0.3]}],
}
MODEL = f"""<mujoco><worldbody><body name="base_link"><geom size="0.05"/>
  <body name="shoulder_link" pos="0 0 0.15"><joint name="{JOINTS[0]}" range="-2 2"/><geom size="0.02"/></body>
</body></worldbody></mujoco>
"""
#: Settings that make a command cheap and leave its meaning.
CHEAP = {
    "batch": ["--jobs", "1", "--steps", "check"],
    "audit": ["--samples", "64", "--certify", "0", "--no-pictures"],
    "cost": ["--samples", "100"],
    "diff": ["--samples", "100", "--queries", "1", "--no-pictures"],
    "fit": ["--effort", "fast", "--jobs", "1"],
    "mask": ["--samples", "500", "--certify", "0"],
    "new": [
        "--effort",
        "fast",
        "--jobs",
        "1",
        "--samples",
        "500",
        "--certify",
        "0",
        "--cost-samples",
        "0",
    ],
    "plan": ["--queries", "3"],
    "sign": ["--samples", "500", "--certify", "2", "--no-pictures"],
}
#: Commands whose code 1 is an answer: something differs, or there are findings.
ANSWERS = ("audit", "check", "cloud", "diff", "margins", "sign")
PLACEHOLDERS = {"FILE": "WAY.yaml", "--from POSE": "--from default", "--to POSE": "--to upright"}
#: Start of a printed command line -> why no test runs it.
NOT_RUN = {
    "python3 packaging/run.py": "makes an environment and opens the window",
    "python3 -m pip install": "installs a package",
    "xrdf-editor batch robots/ -o out": "is the README's with other folders",
    "xrdf-editor edit ROBOT.urdf --calibrate srdf": "needs an SRDF with a measured calibration",
    "xrdf-editor fanuc_moveit_config": "opens the window",
    "xrdf-editor check ur10.xrdf": "belongs to the tutorial's robot",
    "xrdf-editor check ur_description": "belongs to the tutorial's robot, whose fits take minutes",
    "xrdf-editor convert ur_description": "belongs to the tutorial's robot",
    "xrdf-editor new ur_description": "belongs to the tutorial's robot, whose fits take minutes",
    "xrdf-editor plan ur_description": "belongs to the tutorial's robot",
    "xrdf-editor test ur_description": "belongs to the tutorial's robot",
    "xrdf-editor sign ur_description": "belongs to the tutorial's robot",
    "xrdf-editor diff --behaviour released": "belongs to the tutorial's robot",
    "xrdf-editor margins ur_description": "belongs to the tutorial's robot",
    "xrdf-editor cloud ROBOT.urdf --cloud RECORDING.mcap": "needs a recording",
    "xrdf-editor plan fanuc_moveit_config --allow-xacro …": "is not printed whole",
}
_FURTHER = {page for page in MANUAL.rglob("*.md") if page.parent.name != "findings"} - {GLANCE}
PAGES = (GLANCE, README, *sorted(_FURTHER))
#: A line in the usage of a command, not an example.
_USAGE = re.compile(r"^xrdf-editor \w+ \[OPTIONS\]")
_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OF_COMMANDS = ("", "sh", "console", "bash")
_PROGRAMS = ("xrdf-editor ", "python ", "python3 ")


def lines_of(page: Path) -> list[str]:
    """The command lines that a page prints in blocks, and in sentences with all of their
    arguments."""
    text = page.read_text(encoding="utf-8")
    blocks = [
        line
        for kind, block in _BLOCK.findall(text)
        if kind in _OF_COMMANDS
        for line in block.splitlines()
    ]
    blocks = [line for line in blocks if line.startswith(_PROGRAMS)]
    inline = re.findall(r"(?<!\\)`(xrdf-editor \w+ [^`\n]*\.[^`\n]*)`", text)
    inline += re.findall(r"`(xrdf-editor batch [^`\n]*)`", text)
    return [
        re.split(r"\s+#\s", line)[0].strip()
        for line in (*blocks, *inline)
        if not _USAGE.match(line)
    ]


def is_run(line: str) -> bool:
    return not any(line.startswith(start) for start in NOT_RUN)


def commands_of(page: Path) -> list[str]:
    """The commands of a page that no earlier page prints."""
    earlier = {line for each in PAGES[: PAGES.index(page)] for line in lines_of(each)}
    return [line for line in dict.fromkeys(lines_of(page)) if is_run(line) and line not in earlier]


def outputs(words: list[str]) -> list[Path]:
    """The files and folders that a command writes."""
    written = [Path(words[k + 1]) for k, word in enumerate(words) if word in ("-o", "--report")]
    if words[0] == "convert" and "--update" not in words:
        written.append(Path(next(word for word in reversed(words) if not word.startswith("-"))))
    return written


def run(line: str) -> None:
    for word, value in PLACEHOLDERS.items():
        line = re.sub(rf"{word}\b", value, line)
    name, *words = shlex.split(line.partition(" > ")[0])[1:]
    # As a shell does.
    arguments = [each for word in words for each in (sorted(glob(word)) if "*" in word else [word])]
    cheap = CHEAP.get(name, []) if name != "plan" or "--queries" in arguments else []
    code = cli.run_command(name, [*arguments, *cheap])
    assert code in ((0, 1) if name in ANSWERS else (0,)), (code, line)
    assert all(path.exists() for path in outputs([name, *arguments])), line


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a reader, and those that the commands of the overview wrote one after the
    other."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("ROBOT", "VENDOR", "ARM", "OLD", "robots/one/robot", "main/arm", "arm"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.urdf").write_text(ROBOT)
    (folder / "NEW.urdf").write_text(ROBOT.replace("0 0 0.1", "0 0 0.2"))
    for name in ("HAND", "GRIPPER"):
        (folder / f"{name}.urdf").write_text(HAND)
    (folder / "ROBOT.srdf").write_text(SRDF)
    trimesh.creation.box((0.05, 0.05, 0.1)).export(folder / "PART.stl")
    (folder / "PAIRS.json").write_text(json.dumps(PAIRS))
    head = f"ply\nformat ascii 1.0\nelement vertex {len(SCAN)}\n"
    head += "".join(f"property float {axis}\n" for axis in "xyz") + "end_header\n"
    (folder / "SCAN.ply").write_text(head + "".join(f"{x} {y} {z}\n" for x, y, z in SCAN))
    (folder / "MOTION.csv").write_text(MOTION)
    (folder / "GAZEBO.sdf").write_text(SDF)
    for name in ("MODEL", "THEIRS"):
        (folder / f"{name}.xml").write_text(MODEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in commands_of(GLANCE):
            run(line)
            # The first command writes the XRDF that other robots have, too.
            for name in ("OLD", "NEW", "main/arm", "arm"):
                shutil.copy(folder / "ROBOT.xrdf", folder / f"{name}.xrdf")
        run("xrdf-editor convert ROBOT.urdf ROBOT.srdf ROBOT.xrdf fanuc_moveit_config")
        run("xrdf-editor convert ROBOT.urdf ROBOT.usd")
    for kind in ("urdf", "srdf", "xrdf"):
        shutil.copy(folder / f"ROBOT.{kind}", folder / f"robot.{kind}")
        shutil.copy(folder / f"ROBOT.{kind}", folder / "robots" / f"robot.{kind}")
    shutil.copytree(sample_robot().parent, folder / "resources" / "sample")
    return folder


def test_the_commands_of_the_overview_run_one_after_the_other(folder: Path) -> None:
    assert (folder / "ALONE.urdf").read_bytes() == (folder / "ARM.urdf").read_bytes()


@pytest.mark.parametrize(
    "page", [page for page in PAGES[1:] if commands_of(page)], ids=lambda page: page.stem
)
def test_the_commands_of_a_page_run(
    page: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page begins with the robot and its motion, not with the other files that earlier commands
    # wrote.
    written = {
        path.stem + "*" for line in commands_of(GLANCE) for path in outputs(shlex.split(line)[1:])
    }
    shutil.copytree(
        folder, tmp_path / "files", ignore=shutil.ignore_patterns(*written - {"ROBOT*", "WAY*"})
    )
    monkeypatch.chdir(tmp_path / "files")
    for line in commands_of(page):
        run(line)


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    lines = [line for page in PAGES for line in lines_of(page)]
    assert len(lines) > 40
    assert not [start for start in NOT_RUN if not any(line.startswith(start) for line in lines)]


def test_every_python_block_is_run_by_a_test() -> None:
    """README, `scripting.md` and `plug-ins.md` are run whole: tests of interface, manual and
    plug-ins."""
    pages = {page.name for page in PAGES if "```python" in page.read_text(encoding="utf-8")}
    assert pages == {"README.md", "scripting.md", "plug-ins.md"}
