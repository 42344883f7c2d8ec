"""A folder of results that somebody else has touched: nothing outside changes, and no robot ends a
fleet."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

import pytest

from editor_app import cli
from editor_app.plugins.fleets.verbs import run
from editor_app.plugins.fleets.verbs.report import BatchReport
from editor_app.plugins.fleets.verbs.run import batch
from tests.fleets.test_fleets_go_through_the_verbs import _Here
from tests.helpers.small_robot import URDF_TEXT

LIGHT = {"steps": ["new", "check"]}
pytestmark = pytest.mark.usefixtures("in_this_process")


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run, "open_runner", lambda jobs, dask, limit: contextlib.nullcontext(_Here())
    )


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    folder = tmp_path / "fleet"
    folder.mkdir()
    (folder / "small.urdf").write_text(URDF_TEXT)
    return folder


def _run(source: Path, out: Path) -> BatchReport:
    return batch(source, out, settings=LIGHT, jobs=1, pictures=False)


def _states(report: BatchReport) -> dict[str, str]:
    return {
        robot.name: "; ".join(step["state"] for step in robot.record["steps"])
        for robot in report.robots
    }


def test_files_that_a_record_names_elsewhere_are_not_deleted(fleet: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _run(fleet, out)
    victims = [tmp_path / "near.txt", tmp_path / "far.txt", out / "small" / "mine.txt"]
    for victim in victims:
        victim.write_text("x")
    digest = hashlib.sha256(b"x").hexdigest()
    record = out / "small" / "result.json"
    value = json.loads(record.read_text())
    for name in ("../../near.txt", str(tmp_path / "far.txt"), "..\\..\\near.txt"):
        record.write_text(
            json.dumps({**value, "key": "0", "files": {**value["files"], name: digest}})
        )
        report = _run(fleet, out)
        assert "result.json has no results" in report.notes[0]
        assert _states(report) == {"small": "done; done"}
    # A file of another content than the record says is somebody's own.
    record.write_text(
        json.dumps({**value, "key": "0", "files": {**value["files"], "mine.txt": "0"}})
    )
    assert not _run(fleet, out).notes
    assert all(victim.read_text() == "x" for victim in victims)
    # What an earlier result had beyond the new one does go.
    record.write_text(
        json.dumps({**value, "key": "0", "files": {**value["files"], "mine.txt": digest}})
    )
    _run(fleet, out)
    assert not victims[2].exists()


DAMAGED: dict[str, bytes] = {
    "nothing": b"",
    "null": b"null",
    "list": b"[]",
    "number": b"5",
    "text": b'"x"',
    "robots is a number": b'{"robots": 5, "key": 5, "record": 5, "seconds": 5, "files": 5}',
    "robots is a list": b'{"robots": [1], "key": "", "record": [], "seconds": [], "files": []}',
    "records of "
    "other types": b'{"robots": {"small": 5}, "key": "", "record": {}, "seconds": {}, "files": {}}',
    "figures that cannot be shown": json.dumps(
        {
            "robots": {"small": {"steps": [], "figures": {"coverage": "x"}, "findings": []}},
            "key": "",
            "record": {"steps": [{"step": 1}], "figures": {}, "findings": []},
            "seconds": {},
            "files": {},
        }
    ).encode(),
    "an "
    "endless number": b'{"robots": {"small": {"steps": [], "figures": {"coverage": 1e999}, "findings": []}}}',
    "nesting": b'{"robots":' * 200_000,
    "no text": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("name", ["fleet.json", "small/result.json"])
@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_is_made_anew_and_told(
    fleet: Path, tmp_path: Path, name: str, content: bytes
) -> None:
    out = tmp_path / "out"
    sound = _run(fleet, out)
    (out / name).write_bytes(content)
    report = _run(fleet, out)
    assert report.notes == (f"{out / name} has no results of a fleet; it is recreated.",)
    assert "has no results of a fleet" in report.page.read_text()
    assert report.robots[0].record == sound.robots[0].record
    assert not _run(fleet, out).notes


@pytest.mark.skipif(
    os.name == "nt", reason="Windows has no pipes with names, and links need a right"
)
@pytest.mark.parametrize(
    "name", ["fleet.json", "small/result.json", "small/small.xrdf", "index.html"]
)
@pytest.mark.parametrize("kind", ["pipe", "link", "dangling"])
def test_links_and_pipes_are_not_followed(
    fleet: Path, tmp_path: Path, name: str, kind: str
) -> None:
    out, victim = tmp_path / "out", tmp_path / "victim"
    _run(fleet, out)
    (out / name).unlink()
    if kind == "pipe":
        os.mkfifo(out / name)
    else:
        if kind == "link":
            victim.write_text("mine")
        (out / name).symlink_to(victim)
    report = _run(fleet, out)
    assert _states(report) == {"small": "done; done"}
    assert (out / name).is_file()
    assert not (out / name).is_symlink()
    assert victim.exists() == (kind == "link")
    assert kind != "link" or victim.read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="links need a right")
def test_a_folder_that_is_a_link_is_told_of_and_what_it_leads_to_stays(
    fleet: Path, tmp_path: Path
) -> None:
    (fleet / "other.urdf").write_text(URDF_TEXT)
    out, target = tmp_path / "out", tmp_path / "target"
    _run(fleet, out)
    (out / "small").rename(target)
    (out / "small").symlink_to(target)
    for path in target.iterdir():
        path.write_text("mine")
    report = _run(fleet, out)
    assert _states(report) == {"other": "done; done", "small": "failed"}
    assert "is a link" in report.robots[1].record["steps"][0]["message"]
    assert {path.read_text() for path in target.iterdir()} == {"mine"}


BAD_NAMES = [
    "index.html", "fleet.json", "Result.JSON", "a/result.json", "picture.png", "x" * 300, "a\0b", "\ud800", "../../x",
    "/abs", "a/../../b", "C:/x", "", " a",
]  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_ends_the_work_on_this_robot_only(
    fleet: Path, tmp_path: Path, name: str
) -> None:
    robots = [
        {"urdf": "small.urdf", "name": "a"},
        {"urdf": "small.urdf", "name": name},
        "small.urdf",
    ]
    manifest = fleet / "robots.json"
    manifest.write_text(json.dumps({"robots": robots}))
    out = tmp_path / "out"
    report = _run(manifest, out)
    assert list(_states(report).values()) == ["done; done", "failed", "done; done"]
    again = _run(manifest, out)
    assert [robot.reused for robot in again.robots] == [True, False, True]
    assert not again.notes
    assert sorted(os.listdir(tmp_path)) == ["fleet", "out"]


def test_a_name_that_is_a_file_of_another_robot_ends_the_work_on_one_of_them(
    fleet: Path, tmp_path: Path
) -> None:
    robots = [
        {"urdf": "small.urdf", "name": "a"},
        {"urdf": "small.urdf", "name": "a/small.xrdf"},
        "small.urdf",
    ]
    (fleet / "robots.json").write_text(json.dumps({"robots": robots}))
    assert list(_states(_run(fleet / "robots.json", tmp_path / "out")).values()) == [
        "done; done",
        "failed",
        "done; done",
    ]


@pytest.mark.parametrize("entry", ["a\0.urdf", "x" * 300 + ".urdf", "\ud800.urdf", ""])
def test_a_bad_name_of_a_file_ends_the_work_on_this_robot_only(
    fleet: Path, tmp_path: Path, entry: str
) -> None:
    (fleet / "robots.json").write_text(
        json.dumps({"steps": ["check"], "robots": [entry, "small.urdf"]})
    )
    assert list(_states(_run(fleet / "robots.json", tmp_path / "out")).values()) == [
        "failed",
        "done; done",
    ]


def test_the_command_tells_what_it_made_anew(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = [str(fleet), "-o", str(out), "--steps", "new,check", "--no-pictures"]
    assert cli.run_command("batch", arguments) == 0
    (out / "small" / "result.json").write_text("[]")
    assert cli.run_command("batch", arguments) == 0
    told = capsys.readouterr()
    assert "result.json has no results of a fleet; it is recreated." in told.err
    assert "1 of 1 robots without a problem" in told.out


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_file_whose_name_is_no_text_is_worked_on(fleet: Path, tmp_path: Path) -> None:
    os.rename(os.fsencode(fleet / "small.urdf"), os.fsencode(fleet) + b"/caf\xe9.urdf")
    out = tmp_path / "out"
    assert list(_states(_run(fleet, out)).values()) == ["done; done"]
    assert [robot.reused for robot in _run(fleet, out).robots] == [True]


def test_a_folder_that_cannot_be_written_ends_the_fleet(
    fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: every further robot would be worked on in vain."""
    from editor_app.core.document.replacing import SaveError
    from editor_app.plugins.fleets.verbs import store

    def full(*files: object, **more: object) -> None:
        raise SaveError("No space left on device.")

    out = tmp_path / "out"
    _run(fleet, out)
    (out / "small" / "small.xrdf").write_text("")
    monkeypatch.setattr(store, "write_files", full)
    with pytest.raises(SaveError, match="No space"):
        _run(fleet, out)
