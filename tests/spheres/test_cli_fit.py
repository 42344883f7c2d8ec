"""`xrdf-editor fit`: the report tells what was made, and the file holds it with nothing else
changed."""

from __future__ import annotations

import base64
import json
import math
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.document.opening import open_document
from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
from editor_app.features.spheres.engine.certificate import certify
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.verbs.link_fits import round_spheres, stack_spheres
from tests.helpers.fits import measure
from tests.helpers.robots import shared_robots

LINKS = "upper_arm_link,forearm_link"


def fit(capsys: Any, *arguments: str) -> tuple[int, dict[str, Any], str]:
    code = run_command("fit", [*arguments, "--jobs", "1", "--format", "json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else {}, captured.err


def test_report_and_file_agree_and_the_file_really_covers(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "out.xrdf"
    code, report, progress = fit(
        capsys,
        str(sample_copy),
        "-o",
        str(out),
        "--links",
        LINKS,
        "--spheres",
        "10",
        "--effort",
        "fast",
    )
    assert code == 0
    assert "100 %" in progress
    assert "forearm_link" in progress
    assert [link["link"] for link in report["links"]] == LINKS.split(",")
    written = open_document(sample_copy, out)
    group = report["group"]
    before = open_document(sample_copy).robot.xrdf.spheres_of(group)
    after = written.robot.xrdf.spheres_of(group)
    for link in report["links"]:
        assert link["count"] == 10 == len(after[link["link"]])
        assert link["certificate"]["certified"] is True
        assert link["cpu_seconds"] > 0
        assert link["wall_seconds"] > 0
        vertices, faces = merge_parts(
            link_geometry(written.robot.urdf, sample_copy, link["link"], "collision").parts
        )
        rows = stack_spheres(after[link["link"]])
        # Judged again from what the file says, not from what the fit says about itself.
        quality = measure(vertices, faces, rows)
        assert quality.surface_coverage >= 0.999
        assert quality.excess_ratio == pytest.approx(link["quality"]["excess_ratio"], rel=0.02)
        assert report["total"]["count"] == 20
    for frame in before:
        if frame not in LINKS.split(","):
            assert after[frame] == before[frame]
    # Other sections, comments and order stay as they were.
    old_lines = sample_copy.with_suffix(".xrdf").read_text(encoding="utf-8").splitlines()
    new_lines = out.read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(old_lines) if line.startswith("geometry:"))
    assert new_lines[:first] == old_lines[:first]


def test_without_output_nothing_is_written(sample_copy: Path, capsys: Any) -> None:
    before = {p: p.read_bytes() for p in sample_copy.parent.rglob("*") if p.is_file()}
    code, report, _ = fit(
        capsys, str(sample_copy), "--links", "flange_link", "--spheres", "3", "--effort", "fast"
    )
    assert code == 0
    assert report["output"] is None
    assert {p: p.read_bytes() for p in sample_copy.parent.rglob("*") if p.is_file()} == before


def test_budget_is_kept_and_a_small_one_refused(sample_copy: Path, capsys: Any) -> None:
    code, report, _ = fit(
        capsys,
        str(sample_copy),
        "--links",
        LINKS,
        "--budget",
        "9",
        "--effort",
        "fast",
        "--mode",
        "balanced",
    )
    assert code == 0
    assert 2 <= report["total"]["count"] <= 9
    assert all(link["certificate"] is None for link in report["links"])
    code, _, told = fit(capsys, str(sample_copy), "--links", LINKS, "--budget", "1")
    assert code == 2
    assert "too small" in told


def test_same_seed_same_spheres(sample_copy: Path, capsys: Any) -> None:
    arguments = (
        str(sample_copy),
        "--links",
        "flange_link",
        "--spheres",
        "4",
        "--effort",
        "fast",
        "--seed",
        "7",
    )
    first, second = (fit(capsys, *arguments)[1]["links"][0]["spheres"] for _ in range(2))
    assert first == second


def test_what_cannot_be_done_ends_in_a_sentence(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    code, report, told = fit(capsys, str(sample_copy), "--links", "no_such_link")
    assert code == 2
    assert report == {}
    assert "no_such_link" in told
    assert "forearm_link" in told
    code, _, told = fit(capsys, str(sample_copy), "--spheres", "0", "--links", "flange_link")
    assert code == 2
    assert "at least 1" in told
    bare = tmp_path / "bare.urdf"
    bare.write_text('<robot name="bare"><link name="only"/></robot>', encoding="utf-8")
    code, _, told = fit(capsys, str(bare))
    assert code == 2
    assert "only" in told
    assert "no collision geometry" in told


def test_what_would_fail_at_the_end_is_told_before_the_work(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    before = sample_copy.read_bytes()
    (tmp_path / "folder").mkdir()
    for output, words in (
        (sample_copy, "is the URDF"),
        (tmp_path / "folder", "is a folder"),
        (tmp_path / "nowhere" / "out.xrdf", "does not exist"),
    ):
        code, report, told = fit(
            capsys, str(sample_copy), "-o", str(output), "--links", "flange_link"
        )
        assert (code, report) == (2, {})
        assert words in told
        assert "Loading" not in told
    assert sample_copy.read_bytes() == before
    for arguments, words in (
        (("--links", " , "), "names no link"),
        (("--padding", "nan"), "--padding"),
        (("--tolerance", "nan"), "greater than 0"),
    ):
        code, _, told = fit(capsys, str(sample_copy), *arguments)
        assert code == 2
        assert words in told
    assert run_command("fit", [str(sample_copy), "--jobs", "0"]) == 2
    assert "--jobs" in capsys.readouterr().err


def test_a_link_named_twice_is_fitted_once_and_the_report_has_what_the_file_has(
    sample_copy: Path, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "out.xrdf"
    code, report, _ = fit(
        capsys,
        str(sample_copy),
        "-o",
        str(out),
        "--links",
        "flange_link,flange_link",
        "--spheres",
        "3",
        "--effort",
        "fast",
    )
    assert code == 0
    assert [link["link"] for link in report["links"]] == ["flange_link"]
    written = open_document(sample_copy, out).robot.xrdf.spheres_of(report["group"])["flange_link"]
    assert report["links"][0]["spheres"] == [[*s.center, s.radius] for s in written]


def test_where_a_mesh_is_missing_the_other_geometry_is_fitted_and_both_are_told(
    sample_copy: Path, capsys: Any
) -> None:
    text = sample_copy.read_text(encoding="utf-8")
    link = text.index('<link name="flange_link">')
    place = text.index("filename=", text.index("<collision", link))
    sample_copy.write_text(
        text[:place] + 'filename="meshes/gone.stl" nothing="' + text[place + 10 :], encoding="utf-8"
    )
    arguments = (
        str(sample_copy),
        "--links",
        "flange_link,wrist_link",
        "--spheres",
        "2",
        "--effort",
        "fast",
    )
    code, report, told = fit(capsys, *arguments)
    assert code == 0
    assert {link["link"]: link["geometry"] for link in report["links"]} == {
        "flange_link": "visual",
        "wrist_link": "collision",
    }
    assert "gone.stl" in told
    assert "flange_link: it has no collision geometry" in told
    whole = sample_copy.read_text(encoding="utf-8")
    link = whole.index('<link name="flange_link">')
    start = whole.index("<visual", link)
    sample_copy.write_text(
        whole[:start] + whole[whole.index("<collision", start) :], encoding="utf-8"
    )
    code, report, _ = fit(capsys, *arguments)
    assert code == 0
    assert [link["link"] for link in report["links"]] == ["wrist_link"]
    [skipped] = report["skipped"]
    assert skipped["link"] == "flange_link"
    assert "gone.stl" in skipped["reason"]


def test_html_report_has_pictures_of_each_link(sample_copy: Path, capsys: Any) -> None:
    code = run_command(
        "fit",
        [
            str(sample_copy),
            "--links",
            "flange_link",
            "--spheres",
            "4",
            "--effort",
            "fast",
            "--format",
            "html",
        ],
    )
    page = capsys.readouterr().out
    assert code == 0
    assert page.startswith("<!DOCTYPE html>")
    assert "certified" in page
    pictures = [
        base64.b64decode(data) for data in re.findall(r'data:image/png;base64,([^"]+)"', page)
    ]
    assert len(pictures) == 2
    assert re.search(r"Full colour: \d+\.\d mm", page)
    assert "max_uncovered_gap" in page
    from io import BytesIO

    from PIL import Image

    shown = [np.asarray(Image.open(BytesIO(data)).convert("RGB")).astype(int) for data in pictures]
    # The first shows blue spheres over a grey mesh, the second no sphere but the deviation.
    assert all((p.reshape(-1, 3).std(0) > 5).all() for p in shown)
    bluish = ((shown[0][..., 2] - shown[0][..., 0]) > 60).mean()
    assert bluish > 0.05


def test_pictures_have_no_holes() -> None:
    """Long thin triangles, which points are spread over unevenly: nothing of what lies behind
    shines through."""
    from editor_app.features.spheres.cli._fit_report import pictures

    n = 400
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * 0.3
    vertices = np.vstack([np.column_stack([ring, np.full(n, z)]) for z in (0.0, 0.3)])
    i = np.arange(n)
    k = (i + 1) % n
    faces = np.vstack([np.column_stack([i, k, n + i]), np.column_stack([k, n + k, n + i])])
    image, coloured, scale = pictures(vertices, faces, np.array([[0.0, 0, 0.15, 0.3]]))
    assert 0.02 < scale < 0.3
    for each in (image, coloured):
        grey = each.astype(float).mean(axis=2)[:, :300]
        inner = grey[1:-1, 1:-1]
        around = np.stack(
            [
                grey[1 + dy : 299 + dy, 1 + dx : 299 + dx]
                for dy, dx in ((0, 1), (0, -1), (1, 0), (-1, 0))
            ]
        )
        lonely = (np.abs(around - inner) > 12).all(axis=0)
        assert lonely.mean() < 6e-4


def test_rounding_keeps_what_was_proved() -> None:
    from editor_app.core.model.urdf import Box
    from editor_app.core.space.geometry.mesh import build_primitive
    from editor_app.core.space.geometry.mesh import merge_parts as join
    from editor_app.features.spheres.verbs.fit import fit_meshes

    vertices, faces = join(build_primitive(Box((0.3, 0.11, 0.07))).parts)
    from editor_app.features.spheres.engine.settings import FitSettings

    boxes = [LinkMesh("box", vertices, faces)]
    result = fit_meshes(boxes, FitSettings(number=5, effort="fast"))[0].result
    assert result.certificate is not None
    assert result.certificate.certified
    assert certify(vertices, faces, stack_spheres(round_spheres(result.spheres, "cover"))).certified
    inside = fit_meshes(
        [LinkMesh("box", vertices, faces)], FitSettings(number=5, effort="fast", mode="inside")
    )[0].result
    rows = stack_spheres(round_spheres(inside.spheres, "inside"))
    half = np.array([0.15, 0.055, 0.035])
    # As far as the fit itself is inside, or better.
    worst = (np.abs(inside.spheres[:, :3]) + inside.spheres[:, 3:] - half).max()
    assert (np.abs(rows[:, :3]) + rows[:, 3:] - half).max() <= worst + 1e-12


def test_several_processes_from_the_command_line(sample_copy: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "editor_app", "fit", str(sample_copy)]
        + [
            "--links",
            LINKS,
            "--spheres",
            "4",
            "--effort",
            "fast",
            "--jobs",
            "2",
            "--format",
            "json",
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["total"]["count"] == 8


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a single process")
def test_an_interrupt_ends_it_and_its_processes_and_writes_nothing(
    sample_copy: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.xrdf"
    command = [
        sys.executable,
        "-P",
        "-m",
        "editor_app",
        "fit",
        str(sample_copy),
        "--spheres",
        "48",
        "--effort",
        "best",
    ]
    command += ["--jobs", "2", "-o", str(out)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        assert "Loading" in running.stderr.readline()
        # One link is done: the processes are in the midst of the others.
        assert "%" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        told, output = running.communicate(timeout=30)[::-1]
        assert running.returncode == 130
    assert "interrupted; no file is left half written" in told
    assert "Traceback" not in told
    assert output == ""
    assert not out.exists()


def test_real_robot(tmp_path: Path, capsys: Any) -> None:
    urdf = next((shared_robots() / "panda").rglob("*.urdf"))
    names = [
        link.name for link in open_document(urdf, new_xrdf=True).robot.urdf.links if link.collisions
    ][:2]
    out = tmp_path / "panda.xrdf"
    code, report, _ = fit(
        capsys,
        str(urdf),
        "-o",
        str(out),
        "--links",
        ",".join(names),
        "--tolerance",
        "30",
        "--effort",
        "fast",
    )
    assert code == 0, report
    for link in report["links"]:
        assert link["quality"]["protrusion_max"] <= 0.0305 or any(
            "tolerance" in note for note in link["notes"]
        )
    assert open_document(urdf, out).robot.xrdf.spheres_of(report["group"]).keys() >= set(names)


def test_centres_next_to_an_axis_are_written_on_it_and_what_is_covered_stays_so() -> None:
    rows = [[-1.3e-5, 0.25, 4e-6, 0.05], [0.1, 1.9e-5, -0.3, 0.02]]
    for (x, y, z, r), sphere in zip(rows, round_spheres(rows, "cover"), strict=True):
        assert math.dist((x, y, z), sphere.center) + r <= sphere.radius + 1e-12
        assert all(value == 0.0 or abs(value) > 2e-5 for value in sphere.center)
        assert all(math.copysign(1.0, value) == 1.0 for value in sphere.center if value == 0.0)
    for (x, y, z, r), sphere in zip(rows, round_spheres(rows, "inside"), strict=True):
        assert math.dist((x, y, z), sphere.center) + sphere.radius <= r + 1e-12
