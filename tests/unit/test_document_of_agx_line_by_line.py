"""AGX Dynamics' UrdfReader: its settings have commands, what its table leaves out is read and written here."""

from __future__ import annotations

import pytest

from editor_app.edit import commands
from tests.helpers.seed_documents.agx import AGX_LEAVES_OUT, AGX_SETTINGS
from tests.helpers.seed_documents.checking import assert_read_and_written
from tests.helpers.seed_documents.urdf import URDF, URDF_ROWS


@pytest.mark.parametrize("command", [command for _, _, command in AGX_SETTINGS])
def test_each_setting_has_a_command(command: str) -> None:
    assert hasattr(commands, command)


@pytest.mark.parametrize("item", AGX_LEAVES_OUT)
def test_what_its_table_leaves_out_is_read_and_written_here(item: str) -> None:
    rows = [row for row in URDF_ROWS if row.item == item or row.item.startswith(f"{item}:")]
    assert rows
    for row in rows:
        assert row.left_out == "AGX"
        assert_read_and_written("urdf", URDF, row)


def test_nothing_else_is_marked_as_left_out() -> None:
    marked = [row.item for row in URDF_ROWS if row.left_out]
    assert all(item.startswith(AGX_LEAVES_OUT) for item in marked)
