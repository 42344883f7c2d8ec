"""Names that no file could hold again are refused at once, with their length."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.document.commands import PrefixNames, RenameLink
from editor_app.core.document.commands.tools import LONGEST_NAME
from editor_app.core.model.robot import CannotApply
from tests.helpers.documents import make_document

LONG = "p" * 200_000


@pytest.mark.parametrize("command", [RenameLink("base", LONG), PrefixNames(LONG)])
def test_a_command_refuses_a_name_that_is_too_long(
    command: RenameLink | PrefixNames, tmp_path: Path
) -> None:
    robot = make_document(tmp_path).robot
    with pytest.raises(
        CannotApply, match=rf"200,000 characters\. Choose a name of at most {LONGEST_NAME}\."
    ):
        command.apply(robot)


def test_a_recipe_with_a_long_prefix_is_refused_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.urdf").write_text('<robot name="arm"><link name="base"/></robot>')
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"base: arm.urdf\nparts:\n- part: arm.urdf\n  at: base\n  prefix: {LONG}\n")
    out = tmp_path / "out.urdf"
    assert run_command("compose", [str(recipe), "-o", str(out)]) == 2
    assert "has 200,000 characters" in capsys.readouterr().err
    assert not out.exists()
