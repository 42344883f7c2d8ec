"""Actions are values in tables: without Qt, each once, with rules that exist and are used."""

from __future__ import annotations

import subprocess
import sys

from editor_app.core.feature import features
from tests.helpers.action_specs import rules, specs


def test_the_tables_need_no_qt() -> None:
    modules = [
        each.name
        for feature in features()
        if (each := feature.module("window.actions")) is not None
    ]
    assert len(modules) >= 5
    code = (
        f"import sys, {', '.join(modules)}; sys.exit(any(name.startswith('PySide6') for name in "
        "sys.modules))"
    )
    assert subprocess.run([sys.executable, "-P", "-c", code], check=False).returncode == 0


def test_every_action_is_written_once() -> None:
    ids = [spec.id for spec in specs()]
    assert len(ids) > 120
    assert len(ids) == len(set(ids))


def test_every_rule_is_used_and_has_a_sentence() -> None:
    used = {rule for spec in specs() for rule in spec.when.split()}
    assert set(rules()) <= used
    assert [reason for _, reason in rules().values() if not reason.endswith(".")] == []


def test_whatever_needs_something_of_a_robot_asks_for_a_robot_first() -> None:
    for spec in specs():
        rules = spec.when.split()
        assert "robot" not in rules or rules[0] == "robot", spec.id


def test_every_action_is_found_in_a_menu_by_a_text_of_its_own() -> None:
    texts = [(spec.menu, spec.text.replace("&", "")) for spec in specs()]
    assert all(menu for menu, _ in texts)
    assert len(texts) == len(set(texts))
