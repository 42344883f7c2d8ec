"""The workflows of .github are YAML, their lines are a shell's, and the project's files that they
run are there."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import environment
import pytest
import yaml
from bundling import trial

WORKFLOWS = sorted((environment.ROOT / ".github" / "workflows").glob("*.yml"))


def _jobs(path: Path) -> dict[str, Any]:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    jobs: dict[str, Any] = workflow["jobs"]
    return jobs


def _commands(path: Path) -> list[str]:
    return [step["run"] for job in _jobs(path).values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_jobs_and_files_that_are_there(path: Path) -> None:
    jobs = _jobs(path)
    for job in jobs.values():
        needed = job.get("needs", [])
        assert {needed} <= set(jobs) if isinstance(needed, str) else set(needed) <= set(jobs)
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
    for command in _commands(path):
        for name in re.findall(r"\bpackaging/[\w/.-]+\w", command):
            assert (environment.ROOT / name).exists(), name


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_the_lines_of_a_workflow_are_a_shells(path: Path) -> None:
    for command in _commands(path):
        if "$env:" in command or "choco " in command:
            # PowerShell's.
            continue
        done = subprocess.run(
            ["bash", "-n", "-c", command], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_every_action_is_pinned_by_its_commit() -> None:
    files = [*WORKFLOWS, *(environment.ROOT / ".github" / "actions").rglob("action.yml")]
    for path in files:
        for used in re.findall(r"uses: (\S.*)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), (
                f"{path.name}: {used}"
            )


def test_what_publishes_runs_on_tags_alone_and_is_all_that_may_write() -> None:
    jobs = _jobs(environment.ROOT / ".github" / "workflows" / "release.yml")
    for name, job in jobs.items():
        writes = {key for key, value in job["permissions"].items() if value == "write"}
        assert bool(writes) == (name in ("release", "pypi")), name
        if writes:
            assert job["if"] == "startsWith(github.ref, 'refs/tags/')"
    assert jobs["pypi"]["environment"]["name"] == "pypi"
    assert any("--draft" in step.get("run", "") for step in jobs["release"]["steps"])


def test_a_wheel_is_tried_with_the_extras_that_its_trials_need() -> None:
    project = tomllib.loads((environment.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = {each.line.split()[0] for each in trial.TRIALS} & {
        *project["project"]["optional-dependencies"]
    }
    assert extras, "no trial needs an extra: this test is not needed any more"
    tried = [text for path in WORKFLOWS for text in _commands(path) if "--try-only" in text]
    installs = [line for text in tried for line in text.splitlines() if ".whl" in line]
    installs = [line for line in installs if "pip" in line and " install " in line]
    assert installs
    for line in installs:
        [listed] = re.findall(r"\[([\w,]+)\]", line)
        assert extras <= set(listed.split(",")), line
