"""What holds for all tests: a home of their own, and nothing that goes on running when they are
over."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from editor_app.__main__ import use_one_thread_for_matrices
from tests.helpers import processes
from tests.helpers.breadth import examples
from tests.helpers.bytecode import keep_bytecode
from tests.helpers.isolation import isolate_home

if TYPE_CHECKING:
    from editor_app.core.document.document import Document

# At import, before anything under test is loaded or looks for its folders.
keep_bytecode()
isolate_home()
use_one_thread_for_matrices()

# Nothing measures time: on a machine that is busy, values are drawn slowly, and examples take long.
settings.register_profile(
    "steady",
    deadline=None,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parent.parent


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """What is imported stays to the end: looking through it for cycles took a sixth of the tests'
    time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Let processes of a whole run import the files of a folder in different orders, each its share
    first.

    One finds compiled what another has imported: where no file is compiled, each would take half a
    minute for all.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    is_whole = collector.config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not worker or not is_whole or not isinstance(collector, pytest.Dir):
        return
    files = sorted(collector.path.glob("test_*.py"))
    for file in files[int(worker) :: int(os.environ["PYTEST_XDIST_WORKER_COUNT"])]:
        modules = {*sys.modules}
        try:
            _ = pytest.Module.from_parent(collector, path=file).obj
        except (pytest.Collector.CollectError, pytest.skip.Exception):
            # Imported again in its turn, which reports it.
            for name in sys.modules.keys() - modules:
                if name.rpartition(".")[2] == file.stem:
                    del sys.modules[name]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--reruns` only tests with a window run again: they wait for other processes, which may
    be slow."""
    for item in items if config.getoption("reruns", 0) else ():
        if not _has_window(item.path):
            item.add_marker(pytest.mark.flaky(reruns=0))


def _has_window(path: Path) -> bool:
    return bool({"window", "end2end"} & {*path.relative_to(ROOT).parts})


@pytest.fixture(scope="module", autouse=True)
def survivors_are_not_looked_through_again(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a module's tests leave stays to the end: looking through it for cycles took a tenth of
    the tests' time.

    Readers and hypothesis make thousands of objects without cycles: Python's own thresholds collect
    a hundred times a second. Windows have cycles, which are looked for after their own modules.
    """
    if _has_window(request.path):
        yield
        return
    thresholds = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)
    yield
    gc.set_threshold(*thresholds)
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_goes_on_running() -> Iterator[None]:
    """Fails a test that leaves a child process or a thread that is not a daemon."""
    with processes.none_left("the test has"):
        yield


@pytest.fixture(autouse=True)
def no_evidence_of_other_tests(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test computes the analyses that it shows: one of another test in the cache counts as
    another version's."""
    evidence = sys.modules.get("editor_app.features.masks.verbs.evidence")
    if evidence is not None:
        monkeypatch.setattr(evidence, "_VERSION", request.node.nodeid.encode())


@pytest.fixture(scope="session")
def sample_urdf() -> Path:
    """The URDF of the bundled sample robot; heron.xrdf and heron.srdf stand beside it."""
    return ROOT / "resources" / "sample" / "heron.urdf"


@pytest.fixture
def sample_copy(tmp_path: Path) -> Path:
    """The sample robot in a folder of its own that a test may write to; returns the URDF."""
    from tests.helpers.robots import copy_of_sample

    return copy_of_sample(tmp_path / "sample")


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """Return the small arm that most tests edit, read from arm.urdf and arm.xrdf in `tmp_path`."""
    from tests.helpers.documents import make_document

    return make_document(tmp_path)
