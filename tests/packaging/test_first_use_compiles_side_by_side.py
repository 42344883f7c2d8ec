"""The first file on a machine compiles its kernels in several processes at once; later ones start
none for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.tasks.work import Cancelled
from editor_app.features.draft.verbs import new as verb
from editor_app.features.draft.verbs import pipeline
from editor_app.plugins.planning.hooks import new as planning_hook

URDF = """<robot name="one"><link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
</robot>"""
SETTINGS = verb.NewSettings(fit=True, mask=True)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the jobs that compile, of which the first run is the end."""
    names: list[str] = []

    def recorded(jobs: list[Any], **_: object) -> None:
        names.extend(getattr(job, "__name__", type(job).__name__) for job in jobs)
        raise Cancelled

    monkeypatch.setattr(pipeline, "run_jobs", recorded)
    return names


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, *, processes: int, is_cold: bool) -> None:
    for module, name in ((verb, "BASIC_STEPS"), (planning_hook, "STEPS")):
        steps = (replace(step, needs_compiling=lambda: is_cold) for step in getattr(module, name))
        monkeypatch.setattr(module, name, tuple(steps))
    (folder / "one.urdf").write_text(URDF)
    verb.new(folder / "one.urdf", settings=SETTINGS, processes=processes)


def test_kernels_that_are_missing_are_compiled_before_the_fit(
    tmp_path: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Cancelled):
        made(tmp_path, monkeypatch, processes=2, is_cold=True)
    assert sorted(compiled) == ["compile_motion", "prepare_distances", "prepare_fitting"]


@pytest.mark.parametrize(("processes", "is_cold"), [(1, True), (2, False)])
def test_one_process_and_compiled_kernels_start_no_others(
    tmp_path: Path,
    compiled: list[str],
    monkeypatch: pytest.MonkeyPatch,
    processes: int,
    is_cold: bool,
) -> None:
    made(tmp_path, monkeypatch, processes=processes, is_cold=is_cold)
    assert compiled == []
