"""The scripts that shells complete the command line with know every command, option and choice, and
offer files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from editor_app import cli
from editor_app.cli.completion import _SHELLS

#: Asks bash as its own line editor does: words so far, the last one to be completed.
ASK = """
source "$1"
shift
cd "$1"
shift
COMP_WORDS=(xrdf-editor "$@")
COMP_CWORD=$#
$(complete -p xrdf-editor | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.run_command("completion", [shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", _SHELLS)
def test_every_command_is_in_the_script_of_every_shell(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = script(shell, capsys)
    for name in cli.list_commands():
        assert name in text
    assert "certify" in text, "options, too"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "script").write_text(script("bash", capsys))
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.urdf").touch()

    def completed(*words: str) -> set[str]:
        command = [
            "bash",
            "-c",
            ASK,
            "bash",
            str(tmp_path / "script"),
            str(tmp_path / "robots"),
            *words,
        ]
        return set(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        )

    assert completed("che") == {"check"}
    assert completed("check", "--prof") == {"--profile"}
    assert completed("check", "--profile", "cu") == {"cumotion", "curobo"}
    assert completed("fit", "--mode", "") == {"cover", "balanced", "inside"}
    assert completed("check", "ar") == {"arm.urdf"}
    assert completed("new", "arm.urdf", "-o", "a") == {"arm.urdf"}
