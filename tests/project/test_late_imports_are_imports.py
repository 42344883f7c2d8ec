"""A module that is imported late is the module in every respect once something of it is used."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from editor_app.core.late import import_late

CODE = """
__all__ = ["seven", "double"]
import sys
sys.late_runs = getattr(sys, "late_runs", 0) + 1
import late_package.late_module as itself
seven = 7
hidden = 8
def double(value):
    return 2 * value
class Thing:
    pass
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "late_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "late_module.py").write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "late_runs", 0, raising=False)
    importlib.invalidate_caches()
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "late_package"]:
        del sys.modules[name]


def runs() -> int:
    return sys.late_runs  # type: ignore[attr-defined, no-any-return]


def test_importing_runs_nothing_and_the_first_use_runs_it_once(package: Path) -> None:
    assert import_late("late_package.late_module")
    import late_package  # type: ignore[import-not-found]
    import late_package.late_module as module  # type: ignore[import-not-found]
    from late_package import late_module

    assert (
        late_module is module is late_package.late_module is sys.modules["late_package.late_module"]
    )
    assert runs() == 0
    assert module.seven == 7
    assert module.double(4) == 8
    assert module.itself is module
    assert (runs(), type(module)) == (1, type(sys))
    assert importlib.import_module("late_package.late_module") is module
    with pytest.raises(AttributeError):
        _ = module.nine
    assert runs() == 1


def test_names_taken_from_it_are_there(package: Path) -> None:
    assert import_late("late_package.late_module")
    from late_package.late_module import Thing

    assert Thing.__module__ == "late_package.late_module"
    assert runs() == 1


def test_a_star_takes_what_it_offers(package: Path) -> None:
    assert import_late("late_package.late_module")
    names: dict[str, object] = {}
    exec("from late_package.late_module import *", names)
    assert "seven" in names
    assert "hidden" not in names


def test_it_can_be_listed_and_changed_from_outside(package: Path) -> None:
    assert import_late("late_package.late_module")
    import late_package.late_module as module

    assert {"seven", "double", "Thing"} <= set(dir(module))
    module.seven = 9
    assert module.seven == 9


def test_an_error_comes_at_the_first_use_and_again_at_the_second(package: Path) -> None:
    (package / "late_module.py").write_text("raise ValueError('broken')")
    assert import_late("late_package.late_module")
    import late_package.late_module as module

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            _ = module.seven


def test_what_is_there_or_cannot_be_there_stays_as_it_is(package: Path) -> None:
    import late_package.late_module as module

    assert not import_late("late_package.late_module")
    assert sys.modules["late_package.late_module"] is module
    assert not import_late("late_package")
    assert not import_late("late_package.nothing")
    assert not import_late("no_such_package.module")
    assert not import_late("itertools")
    assert "late_package.nothing" not in sys.modules


def test_threads_that_use_it_at_once_see_all_of_it(package: Path) -> None:
    (package / "late_module.py").write_text(
        "import time\n" + CODE.replace("seven = 7", "time.sleep(0.2)\nseven = 7")
    )
    assert import_late("late_package.late_module")
    import late_package.late_module as module

    products: list[int] = []
    threads = [
        threading.Thread(target=lambda: products.append(module.double(module.seven)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert products == [14] * 4
    assert runs() == 1


def test_pyvista_draws_colour_maps_and_figures_as_ever(tmp_path: Path) -> None:
    """In a process of its own: here pyvista may be imported already."""
    code = """
import sys
from editor_app.core.late import import_late
assert import_late("matplotlib.pyplot")
import pyvistaqt, pyvista as pv
assert "matplotlib.axes" not in sys.modules, "something uses pyplot at its import: the start is slower than it was"
assert pv.plotting.colors.get_cmap_safe("viridis")(0.5)[1] > 0.5
assert len(pv.plotting.colors.get_matplotlib_theme_cycler()) > 5
assert "matplotlib.axes" in sys.modules
import matplotlib.pyplot as plt
figure, axes = plt.subplots()
axes.plot([0, 1], [1, 0])
assert pv.ChartMPL(figure).size
plt.close(figure)
print("fine")
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert result.stdout.strip() == "fine", result.stderr
