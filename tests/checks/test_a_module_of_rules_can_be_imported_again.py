"""An import that failed half-way, for want of memory, is repeated: what it had registered does not
stand in its way."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from editor_app.features.checks.engine.rule import RULES, rule
from editor_app.features.checks.engine.runner import load_rules

_LAST = "editor_app.features.checks.rules.xrdf.mount"


@pytest.fixture(autouse=True)
def rules_as_before() -> Iterator[None]:
    modules = {
        name: module
        for name, module in sys.modules.items()
        if name.startswith("editor_app.features.checks.rules")
    }
    load_rules()
    before = dict(RULES)
    yield
    RULES.clear()
    RULES.update(before)
    sys.modules.update(modules)


def test_an_import_that_failed_after_its_rules_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    order = list(RULES)
    first = RULES["XRDF313"]
    parent = sys.modules["editor_app.features.checks.rules.xrdf"]
    # What the import system does with a module whose body raised: it is taken out, its rules stay
    # registered.
    monkeypatch.setattr(parent, "mount", sys.modules[_LAST])
    monkeypatch.delitem(sys.modules, _LAST)
    again = importlib.import_module(_LAST)
    assert RULES["XRDF313"].function is again.spheres_stand_on_the_mount
    assert RULES["XRDF313"].function is not first.function
    assert list(RULES) == order


def test_another_function_under_the_same_code_is_refused() -> None:
    before = RULES["XRDF313"]
    with pytest.raises(ValueError, match="rule XRDF313 is registered twice"):

        @rule("XRDF313", "Another", "geometry", "geometry")
        def another(c: object) -> tuple[()]:
            return ()

    assert RULES["XRDF313"] is before


def test_the_same_name_in_another_module_is_refused() -> None:
    def spheres_stand_on_the_mount(c: object) -> tuple[()]:
        return ()

    spheres_stand_on_the_mount.__qualname__ = "spheres_stand_on_the_mount"
    with pytest.raises(ValueError, match="registered twice"):
        rule("XRDF313", "Another", "geometry", "geometry")(spheres_stand_on_the_mount)
