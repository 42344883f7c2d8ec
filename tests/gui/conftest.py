"""Tests with a real window: an X server per process, and no leak, Qt warning or lost exception passes."""

from __future__ import annotations

from tests.helpers.forked_workers import answers_of_workers_are_kept, workers_are_forked
from tests.helpers.qt_fixtures import cycles_go_with_the_modules, nothing_of_qt_is_left

__all__ = ["answers_of_workers_are_kept", "cycles_go_with_the_modules", "nothing_of_qt_is_left", "workers_are_forked"]
