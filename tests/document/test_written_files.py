"""Every command writes by one rule: nothing that it did not read without --force, nothing that
changed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import list_commands, parser_of, run_command
from editor_app.cli._writing import RULE
from editor_app.core.document import atomic_files, replacing
from editor_app.core.document.save_records import records_folder, unfinished_saves
from editor_app.core.document.saving import ChangedOnDiskError, SaveError
from editor_app.core.document.writing import write_files
from editor_app.core.model.inputs import Inputs
from editor_app.plugins.fleets.verbs.robot_job import RobotResult
from editor_app.plugins.fleets.verbs.store import Store
from tests.document.test_saving_never_leaves_a_mixture import ROOT, cut_short, state

__all__ = ["state"]

PRECIOUS = b"PRECIOUS"
URDF = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="tip"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="end"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="tip"/><origin xyz="0 0 0.5"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="j2" type="fixed"><parent link="tip"/><child link="end"/></joint>
</robot>
"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {j1: 0.0}
cspace: {joint_names: [j1], acceleration_limits: [10.0], jerk_limits: [500.0]}
tool_frames: [end]
collision: {geometry: g}
self_collision: {geometry: g, ignore: {}}
geometry:
  g:
    spheres:
      base:
        - {center: [0, 0, 0], radius: 0.1}
      tip:
        - {center: [0, 0, 0], radius: 0.1}
"""
SRDF = (
    '<robot name="arm">\n  <disable_collisions link1="base" link2="tip" '
    'reason="Adjacent"/>\n</robot>\n'
)
QUICK = ["--samples", "64", "--certify", "0"]
#: A command that writes to {out}, a name that fits, and whether it takes {out} as a folder.
TO_OUTPUT: dict[str, tuple[str, list[str]]] = {
    "fit": (
        "o.xrdf",
        ["{urdf}", "{xrdf}", "--links", "tip", "--spheres", "1", "--effort", "fast", "--jobs", "1"],
    ),
    "mask": ("o.xrdf", ["{urdf}", "{xrdf}", *QUICK]),
    "plan": ("o.csv", ["{urdf}", "{xrdf}", "--from", "j1=0", "--to", "j1=0.5"]),
    "new": ("o.xrdf", ["{urdf}"]),
    "convert": ("o.curobo.yml", ["{urdf}", "{xrdf}"]),
    "edit": ("o.urdf", ["{urdf}", "--rename-link", "tip=nose"]),
    "compose": ("o.urdf", ["{urdf}", "{part}", "--at", "end", "--prefix", "p_", *QUICK]),
    "collision": ("o.urdf", ["{urdf}", "--links", "tip", "--kind", "box", "--samples", "0"]),
    "repair": ("o", ["{urdf}", "{xrdf}"]),
}
#: A command that changes the files of the robot themselves, and the one that it changes.
IN_PLACE: dict[str, tuple[str, list[str]]] = {
    "edit": ("urdf", ["{urdf}", "--rename-link", "tip=nose", "--in-place"]),
    "fit": ("xrdf", [*TO_OUTPUT["fit"][1], "-o", "{xrdf}"]),
    "mask": ("xrdf", ["{urdf}", "{xrdf}", *QUICK, "-o", "{xrdf}"]),
    "collision": (
        "urdf",
        ["{urdf}", "--links", "tip", "--kind", "hull", "--samples", "0", "--in-place"],
    ),
    "repair": ("urdf", ["{urdf}", "{xrdf}", "--limit", "j1:velocity=2", "--in-place"]),
    "convert": ("curobo", ["{urdf}", "{xrdf}", "{curobo}", "--update"]),
}


@pytest.fixture
def robot(tmp_path: Path) -> dict[str, Path]:
    """The files of an arm, a part for it, and a cuRobo file that was made from it before."""
    files = {"urdf": URDF, "xrdf": XRDF, "srdf": SRDF}
    paths = {kind: tmp_path / f"arm.{kind}" for kind in files}
    for kind, text in files.items():
        paths[kind].write_text(text)
    paths["part"] = tmp_path / "part.urdf"
    paths["part"].write_text('<robot name="part"><link name="plate"/></robot>')
    paths["curobo"] = tmp_path / "arm.curobo.yml"
    return paths


def arguments(words: list[str], robot: dict[str, Path]) -> list[str]:
    return [word.format(**{kind: str(path) for kind, path in robot.items()}) for word in words]


def to_output(name: str, robot: dict[str, Path]) -> tuple[Path, list[str]]:
    """The file that is written, and the arguments."""
    out, words = TO_OUTPUT[name]
    path = robot["urdf"].parent / "made" / out
    path.parent.mkdir(exist_ok=True)
    given = [*arguments(words, robot), *([str(path)] if name == "convert" else ["-o", str(path)])]
    return (path / "arm.urdf" if name == "repair" else path), given


@pytest.mark.parametrize("name", TO_OUTPUT)
def test_a_file_that_was_not_read_is_replaced_with_force_alone(
    name: str, robot: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    target, given = to_output(name, robot)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(PRECIOUS)
    assert run_command(name, given) == 2
    assert target.read_bytes() == PRECIOUS
    assert "--force" in capsys.readouterr().err
    assert run_command(name, [*given, "--force"]) != 2, capsys.readouterr().err
    assert target.read_bytes() != PRECIOUS


@pytest.mark.parametrize("name", TO_OUTPUT)
def test_nothing_is_written_when_an_input_changed_meanwhile(
    name: str,
    robot: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target, given = to_output(name, robot)
    change_while_writing(monkeypatch, robot["urdf"])
    assert run_command(name, [*given, "--force"]) == 2
    assert "changed by another program" in capsys.readouterr().err
    assert not target.exists()
    assert (
        not [path for path in target.parent.iterdir() if path.suffix == ".tmp"]
        if target.parent.is_dir()
        else True
    )


@pytest.mark.parametrize("name", IN_PLACE)
def test_what_another_program_saved_is_not_overwritten(
    name: str,
    robot: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind, words = IN_PLACE[name]
    if kind == "curobo":
        assert run_command("convert", arguments(["{urdf}", "{xrdf}", "{curobo}"], robot)) == 0
        robot["xrdf"].write_text(XRDF.replace("radius: 0.1", "radius: 0.2"))
    before = {path: path.read_bytes() for path in robot.values() if path.exists()}
    with monkeypatch.context() as patch:
        change_while_writing(patch, robot[kind])
        assert run_command(name, [*arguments(words, robot), "--force"]) == 2
    assert "changed by another program" in capsys.readouterr().err
    before[robot[kind]] += b"\n"
    assert {path: path.read_bytes() for path in before} == before
    # What was read again may be replaced, without --force.
    assert run_command(name, arguments(words, robot)) in (0, 1), capsys.readouterr().err
    assert robot[kind].read_bytes() != before[robot[kind]]


def change_while_writing(patch: pytest.MonkeyPatch, path: Path) -> None:
    """Another program appends a line break to `path` while the new content goes to a temporary
    file."""
    write = replacing.write_temporary

    def written_late(*values: Any, **more: Any) -> None:
        write(*values, **more)
        if not path.read_bytes().endswith(b"\n\n"):
            path.write_bytes(path.read_bytes() + b"\n")

    patch.setattr(atomic_files, "write_temporary", written_late)


def test_commands_that_write_say_the_rule() -> None:
    with_force = {
        name for name in list_commands() if any(a.dest == "force" for a in parser_of(name)._actions)
    }
    assert with_force >= {*TO_OUTPUT, *IN_PLACE, "collide", "detach", "variant", "batch"}
    for name in with_force:
        assert " ".join(RULE.split()) in " ".join(parser_of(name).format_help().split())
    without = [
        n
        for n in list_commands()
        if n not in with_force and any(a.dest == "output" for a in parser_of(n)._actions)
    ]
    assert without == []


def test_an_output_never_replaces_an_input(
    robot: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    scene = robot["urdf"].with_name("scene.yaml")
    scene.write_text("obstacles: []\n")
    before = {path: path.read_bytes() for path in robot.values() if path.exists()}
    given = arguments(
        ["{urdf}", "{xrdf}", "--from", "j1=0", "--to", "j1=0.5", "--force", "-o"], robot
    )
    assert run_command("plan", [*given, str(robot["urdf"])]) == 2
    assert run_command("plan", [*given, str(scene), "--scene", str(scene)]) == 2
    assert run_command("convert", arguments(["{urdf}", "{xrdf}", "{urdf}", "--force"], robot)) == 2
    assert "one of the inputs" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in before} == before
    assert scene.read_text() == "obstacles: []\n"


def test_files_that_did_not_change_are_not_written(
    robot: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    robot["srdf"].unlink()
    stamps = {kind: robot[kind].stat().st_mtime_ns for kind in ("urdf", "xrdf")}
    assert (
        run_command("edit", arguments(["{urdf}", "--joint", "j1:upper=0.5", "--in-place"], robot))
        == 0
    )
    assert capsys.readouterr().out.splitlines()[1:] == [f"wrote {robot['urdf']}"]
    assert robot["xrdf"].stat().st_mtime_ns == stamps["xrdf"]
    assert (
        run_command("edit", arguments(["{urdf}", "--joint", "j1:upper=0.5", "--in-place"], robot))
        == 0
    )
    assert "nothing was written: the files already have this content" in capsys.readouterr().out


def test_scripts_follow_the_same_rule(robot: dict[str, Path]) -> None:
    document = editor_app.open_robot(robot["urdf"])
    taken = robot["urdf"].with_name("taken.xrdf")
    taken.write_bytes(PRECIOUS)
    with pytest.raises(SaveError, match="overwrite=True"):
        editor_app.save(document, taken)
    robot["urdf"].write_text(URDF + "\n")
    with pytest.raises(ChangedOnDiskError, match="based on the old content") as told:
        editor_app.save(document, taken, overwrite=True)
    assert (told.value.path, told.value.is_target) == (robot["urdf"], False)
    assert taken.read_bytes() == PRECIOUS
    editor_app.save(editor_app.open_robot(robot["urdf"]), taken, overwrite=True)
    assert taken.read_text() == XRDF
    for write in (
        lambda: editor_app.empty_robot(taken),
        lambda: editor_app.write_conversion(editor_app.convert(document, taken)),
    ):
        with pytest.raises(SaveError):
            write()


def test_a_file_that_appears_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, write = tmp_path / "new.txt", replacing.write_temporary

    def written_late(*values: Any, **more: Any) -> None:
        write(*values, **more)
        target.write_bytes(PRECIOUS)

    monkeypatch.setattr(atomic_files, "write_temporary", written_late)
    with pytest.raises(ChangedOnDiskError):
        write_files([(target, b"mine")])
    assert target.read_bytes() == PRECIOUS


def test_a_new_file_beside_an_input_in_a_folder_that_is_gone_is_written(tmp_path: Path) -> None:
    source = tmp_path / "gone" / "in.txt"
    source.parent.mkdir()
    source.write_text("a")
    inputs = Inputs.of([source, tmp_path, tmp_path / "never"])
    assert set(inputs.digests.values()) == {inputs.digests[source.resolve()], None}
    source.unlink()
    source.parent.rmdir()
    assert write_files([(tmp_path / "out.txt", b"b")], inputs) == (tmp_path / "out.txt",)


def test_results_of_a_fleet_that_somebody_edited_need_leave(tmp_path: Path) -> None:
    record: dict[str, Any] = {"steps": [], "figures": {}, "findings": []}
    old, new = (RobotResult("arm", record, {"arm.xrdf": data}, {}) for data in (b"old", b"new"))
    result = tmp_path / "out" / "arm" / "arm.xrdf"
    store = Store(tmp_path / "out")
    assert store.put(old, "1").key == "1"
    result.write_bytes(PRECIOUS)
    [step] = store.put(new, "2").record["steps"]
    assert "--force" in step["message"]
    assert result.read_bytes() == PRECIOUS
    assert Store(tmp_path / "out", overwrite=True).put(new, "2").key == "2"
    assert result.read_bytes() == b"new"
    # What batch itself wrote, and an empty file, are replaced.
    assert store.put(old, "1").key == "1"
    result.write_bytes(b"")
    assert store.put(new, "2").key == "2"
    assert result.read_bytes() == b"new"


# -- saves that are healed


_HEAL = """
import os, signal, sys
from pathlib import Path
from editor_app.core.document.save_records import unfinished_saves
real = os.replace
def replace(old, new):
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = replace
for save in unfinished_saves():
    getattr(save, sys.argv[1])()
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
@pytest.mark.parametrize("way_out", ["finish", "put_back"])
def test_a_kill_while_a_save_is_healed_leaves_no_temporary_file(
    way_out: str, tmp_path: Path
) -> None:
    cut_short(tmp_path, 1)
    healing = subprocess.run([sys.executable, "-c", _HEAL, way_out], cwd=ROOT)
    assert healing.returncode == -signal.SIGKILL
    assert list(tmp_path.glob(".*.tmp"))
    [unfinished] = unfinished_saves()
    assert not list(tmp_path.glob(".*.tmp"))
    getattr(unfinished, way_out)()
    assert unfinished_saves() == []
    assert list(records_folder().iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL does not exist on Windows")
def test_a_save_is_not_healed_over_what_another_program_writes_meanwhile(tmp_path: Path) -> None:
    cut_short(tmp_path, 1)
    [unfinished] = unfinished_saves()
    (tmp_path / "arm.srdf").write_bytes(PRECIOUS)
    with pytest.raises(ChangedOnDiskError):
        unfinished.finish()
    assert (tmp_path / "arm.srdf").read_bytes() == PRECIOUS


def test_ten_commands_at_once_lose_nothing() -> None:
    command = [sys.executable, "-P", "-m", "tests.endurance", "writers", "--count", "1"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert ", 0 lost" in shown.stdout
