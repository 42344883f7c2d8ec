"""Every command that takes a URDF takes a robot of another program in its place."""

from __future__ import annotations

import multiprocessing
import shutil
from pathlib import Path

import pytest

import editor_app
from editor_app import cli
from editor_app.core.document import commands
from editor_app.core.model.robot import CannotApply
from editor_app.core.text.source import FormatError
from editor_app.plugins.fleets.settings import BatchSettings
from editor_app.plugins.fleets.verbs.fleet import FleetRobot, fleet_in, gathered
from tests.helpers.breadth import only_deep
from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

LINK = """<link name="{0}"><pose>0 0 {1} 0 0 0</pose><inertial><mass>1</mass></inertial>
<collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link>"""
JOINT = """<joint name="j" type="revolute"><parent>a</parent><child>b</child>
<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"""
MODEL = f'<model name="two">{LINK.format("a", 0)}{LINK.format("b", 0.3)}{JOINT}</model>'
MJCF = """<mujoco model="two"><worldbody><body name="a"><geom type="box" size=".05 .05 .05"/>
<body name="b" pos="0 0 0.3">
<joint name="j" axis="0 1 0" range="-1 1"/><geom type="box" size=".05 .05 .05"/></body></body></worldbody></mujoco>"""
SPHERES = """format: xrdf
format_version: 1.0
cspace: {joint_names: [j], acceleration_limits: [1], jerk_limits: [1]}
tool_frames: [b]
collision: {geometry: g}
self_collision: {geometry: g, ignore: {}}
geometry:
  g:
    spheres:
      a: [{center: [0, 0, 0], radius: 0.05}]
      b: [{center: [0, 0, 0], radius: 0.05}]
"""
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float "
    "z\nend_header\n"
)
PLY += "0 0 0.05\n0 0 0.3\n"
#: Arguments behind the robot and its XRDF; what the exit code is.
RUNS: dict[str, tuple[tuple[str, ...], int]] = {
    "audit": (("FOLDER/two.srdf", "--samples", "20", "--certify", "0", "--no-pictures"), 0),
    "check": ((), 0),
    "cloud": (("--cloud", "FOLDER/cloud.ply"), 0),
    "collide": (("--state", "default"), 0),
    "collision": (("--links", "b"), 0),
    "compose": (("FOLDER/part.sdf", "--at", "b", "--prefix", "p_", "--samples", "20"), 0),
    "convert": (("FOLDER/out.urdf",), 0),
    "cost": (("--samples", "20"), 0),
    "diff": ((), 0),
    "fit": (("--links", "b", "--spheres", "2", "--effort", "fast"), 0),
    "margins": (("--turning", "0.1deg"), 0),
    "mask": (("--samples", "20", "--certify", "0"), 0),
    "new": (("-o", "FOLDER/new.xrdf"), 0),
    "plan": (("--from", "j=0", "--to", "j=0.5"), 0),
    "pose": ((), 0),
    "repair": ((), 0),
    "sign": (("--samples", "20", "--certify", "0"), 0),
    "sweep": (("--poses", "FOLDER/poses.csv"), 0),
    "test": (("--propose",), 0),
    "variant": ((), 0),
}
#: They take no robot; `batch` takes many; `edit` and `detach` change the URDF, which an import has
#: to write first.
OTHERS = {"batch", "completion", "detach", "edit", "lsp", "schema"}


def test_every_command_is_run_or_known_to_take_no_robot() -> None:
    assert set(cli.list_commands()) == {*RUNS, *OTHERS}


def robot_in(folder: Path) -> Path:
    (folder / "two.sdf").write_text(f'<sdf version="1.9">{MODEL}</sdf>')
    (folder / "part.sdf").write_text(f'<sdf version="1.9">{MODEL.replace("two", "part")}</sdf>')
    (folder / "two.xrdf").write_text(SPHERES)
    (folder / "part.xrdf").write_text(SPHERES)
    (folder / "two.srdf").write_text('<robot name="two"/>')
    (folder / "cloud.ply").write_text(PLY)
    (folder / "poses.csv").write_text("j\n0\n0.5\n")
    return folder / "two.sdf"


#: They compile kernels, or build many shapes.
SLOW = {"collision", "fit"}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=only_deep if n in SLOW else ()) for n in sorted(RUNS)]
)
def test_a_command_takes_an_sdf_in_the_place_of_a_urdf(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = robot_in(tmp_path)
    before = robot.read_bytes()
    more, code = RUNS[name]
    files = [str(robot), *([str(robot)] if name == "diff" else [])]
    arguments = [*files, *(word.replace("FOLDER", str(tmp_path)) for word in more)]
    assert cli.run_command(name, arguments) == code, capsys.readouterr().err
    assert robot.read_bytes() == before


@pytest.mark.parametrize(("name", "text"), [("arm.usda", HEAD + ARM), ("two.xml", MJCF)])
def test_other_formats_open_like_a_urdf(
    name: str,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if name == "arm.usda":
        pytest.importorskip("pxr", reason="the extra is not installed")
        # As in a worker process, which starts no other.
        monkeypatch.setattr(multiprocessing, "parent_process", lambda: True)
    (tmp_path / name).write_text(text)
    assert cli.run_command("pose", [str(tmp_path / name)]) == 0, capsys.readouterr().err
    document = editor_app.open_robot(tmp_path / name)
    # The draft of the import is saved next to the file; the URDF is in no file.
    assert editor_app.save(document) == ((tmp_path / name).with_suffix(".xrdf"),)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(
        [".xrdf", Path(name).suffix]
    )
    link = document.robot.urdf.links[0].name
    with pytest.raises(CannotApply, match=f"imported from {name}"):
        document.execute(commands.RenameLink(link, "other"))


def test_an_xrdf_next_to_the_file_opens_with_it_and_two_robots_are_refused(tmp_path: Path) -> None:
    robot = robot_in(tmp_path)
    document = editor_app.open_robot(robot)
    assert document.xrdf_path == tmp_path / "two.xrdf"
    assert sum(map(len, document.robot.xrdf.spheres_of("g").values())) == 2
    with pytest.raises(editor_app.Refused, match="name only one"):
        editor_app.open_robot(robot, tmp_path / "part.sdf")


def test_a_fleet_has_files_of_other_programs_once(tmp_path: Path) -> None:
    robot_in(tmp_path)
    shutil.copy(tmp_path / "two.sdf", tmp_path / "other.sdf")
    (tmp_path / "mesh.dae").write_text("<COLLADA/>")
    (tmp_path / "package.xml").write_text("<package/>")
    (tmp_path / "model.xml").write_text(MJCF)
    (tmp_path / "two.urdf").write_text('<robot name="two"><link name="a"/></robot>')
    names = [robot.urdf.name for robot in fleet_in(tmp_path, BatchSettings()).robots]
    assert names == ["model.xml", "other.sdf", "part.sdf", "two.urdf"]


def test_the_layers_of_an_isaac_asset_are_no_robots_of_a_fleet(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="the extra is not installed")
    asset, layers = tmp_path / "go2", tmp_path / "go2" / "configuration"
    layers.mkdir(parents=True)
    head = '#usda 1.0\n(\n    defaultPrim = "go2"\n{}\n)\n'
    base = (
        'def Xform "go2"\n{\ndef Xform "trunk" (prepend apiSchemas = '
        '["PhysicsRigidBodyAPI"])\n{\n}\n}\n'
    )
    (layers / "dog_base.usda").write_text(head.format("") + base)
    (layers / "dog_physics.usda").write_text(head.format("subLayers = [@dog_base.usda@]"))
    (layers / "dog_sensor.usda").write_text(head.format("subLayers = [@dog_base.usda@]"))
    (layers / "other_dog.usda").write_text(head.format("") + base)
    variants = "".join(
        f'"{name}" (payload = @configuration/dog_{name}.usda@)\n{{\n}}\n'
        for name in ("physics", "sensor")
    )
    sets = '(variants = { string Physics = "physics" }\nprepend variantSets = "Physics")'
    prim = f'def Xform "go2" {sets}\n{{\nvariantSet "Physics" = {{\n{variants}}}\n}}\n'
    (asset / "go2.usda").write_text(head.format("") + prim)
    (asset / "broken.usda").write_text("no layer")
    names = [robot.urdf.name for robot in fleet_in(tmp_path, BatchSettings()).robots]
    assert names == ["broken.usda", "go2.usda", "other_dog.usda"]


def test_a_robot_of_a_world_is_chosen_and_its_inputs_are_its_content(tmp_path: Path) -> None:
    world = (
        f'<sdf version="1.9"><world name="w">{MODEL}{MODEL.replace("two", "three")}</world></sdf>'
    )
    (tmp_path / "lab.world").write_text(world)
    with pytest.raises(FormatError, match="2 robots"):
        gathered(FleetRobot("lab", tmp_path / "lab.world"))
    one, again = (
        gathered(FleetRobot("lab", tmp_path / "lab.world", model="three")) for _ in range(2)
    )
    assert one.key == again.key
    assert one.home == tmp_path.as_posix()
    urdf = next(file for file in one.files if file.place == "robot/lab.urdf")
    assert 'name="three"' in urdf.source.read_text()
