"""What a bundle is tried with: every command on the sample robot, and the window, as on a system
without Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import environment
import virtual_display

SAMPLE = environment.ROOT / "resources" / "sample"
#: What a program is given of this process's environment: the display, and what Windows needs to
#: start anything.
_KEPT = frozenset(
    {
        *(
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "XAUTHORITY",
            "XDG_RUNTIME_DIR",
            "LIBGL_ALWAYS_SOFTWARE",
            "QT_QPA_PLATFORM",
        ),
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"),
    }
)
_LONGEST = 900.0


class TrialFailed(RuntimeError):
    """The program did not do its work; the message names the command, and holds the end of its
    output."""


def _message(text: str) -> str:
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


_INITIALIZE = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize",'
    ' "params": {"processId": null, "rootUri": null, "capabilities": {}}}'
)
_TALK = _message(_INITIALIZE) + _message('{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}')
_TALK += _message('{"jsonrpc": "2.0", "method": "exit"}')


@dataclass(frozen=True)
class Trial:
    """A command on the sample robot: in `line`, {s} is the sample's folder with its robot, {o} one
    for results."""

    line: str
    #: The exit code of a command that works.
    code: int = 0
    #: The file that it leaves in {o}.
    leaves: str = ""
    #: What it is told on standard input, and a part of its answer.
    told: str = ""
    answers: str = ""

    def arguments(self, out: Path) -> list[str]:
        return [word.format(s=SAMPLE, o=out) for word in self.line.split()]


TRIALS = (
    Trial("--version --verbose", answers="numba"),
    Trial("check {s}/heron.urdf {s}/heron.xrdf {s}/heron.srdf --slow"),
    Trial(
        "fit {s}/heron.urdf --links left_finger_link,hand_link --spheres 4 --effort fast -o "
        "{o}/fit.xrdf",
        0,
        "fit.xrdf",
    ),
    # The sample's mask hides a collision, for its users to find.
    Trial(
        "mask {s}/heron.urdf {s}/heron.xrdf --samples 2000 --certify 1 -o {o}/mask.xrdf",
        1,
        "mask.xrdf",
    ),
    # With fewer samples its buffers let collisions pass, which is told by exit code 3.
    Trial(
        "new {s}/heron.urdf -o {o}/new.xrdf --fit --mask --effort fast --budget 40"
        " --samples 2000 --certify 1 --cost-samples 6000",
        0,
        "new.xrdf",
    ),
    Trial(
        "collision {s}/heron.urdf --samples 200 -o {o}/simple/heron.urdf", 0, "simple/heron.urdf"
    ),
    Trial("repair {s}/heron.urdf -o {o}/repaired", 0, "repaired/heron.urdf"),
    Trial(
        "compose {s}/heron.urdf {s}/heron.urdf --at flange_link --prefix top_ --samples 100 "
        "--certify 1"
        " -o {o}/two.urdf",
        0,
        "two.xrdf",
    ),
    Trial(
        "compose {o}/two.urdf {s}/heron.urdf --replace top_base_link --prefix new_ --samples 100 "
        "--certify 1"
        " -o {o}/swapped.urdf",
        0,
        "swapped.xrdf",
    ),
    Trial("edit {s}/heron.urdf --rename-link hand_link=palm -o {o}/edited.urdf", 0, "edited.xrdf"),
    Trial("detach {o}/two.urdf -o {o}/one.urdf", 0, "one.xrdf"),
    Trial("variant {s}/heron.urdf --set closed -o {o}/closed.xrdf", 0, "closed.xrdf"),
    Trial("pose {s}/heron.urdf --format ros", answers="orientation"),
    Trial(
        "collide {s}/heron.urdf --state default --geometry both --format json",
        answers="beyond_limits",
    ),
    Trial("cost {s}/heron.urdf --samples 200 --format json", answers="samples"),
    Trial("margins {s}/heron.urdf --turning 0.1deg --format json", 0, answers="margin"),
    # The sample has no motion, and no cloud: other files are refused.
    Trial("sweep {s}/heron.urdf --poses {s}/heron.xrdf", 2),
    Trial("cloud {s}/heron.urdf --cloud {s}/heron.xrdf", 2),
    Trial("plan {s}/heron.urdf --queries 2"),
    Trial(
        "audit {s}/heron.urdf {s}/heron.srdf --samples 50 --certify 0 --format json",
        answers="engines",
    ),
    Trial("test {s}/heron.urdf --propose --tests {o}/heron.tests.yaml", 0, "heron.tests.yaml"),
    Trial(
        "sign {s}/heron.urdf {s}/heron.xrdf --pair left_finger_link right_finger_link --by A "
        "--reason pads"
        " --samples 500 --certify 1 -o {o}/signed.xrdf",
        1,
        "signed.xrdf",
    ),
    Trial("convert {s}/heron.urdf {s}/heron.xrdf {o}/heron.dae", 0, "heron.dae"),
    Trial(
        "convert {s}/heron.urdf {s}/heron.srdf {o}/heron_moveit_config",
        0,
        "heron_moveit_config/config/heron.srdf",
    ),
    Trial("convert {s}/heron.urdf {o}/heron.sdf", 0, "heron.sdf"),
    Trial("convert {s}/heron.urdf {s}/heron.xrdf {o}/heron.usda", 0, "heron.usda"),
    Trial("diff {s}/heron.xrdf {o}/fit.xrdf", 1),
    Trial(
        "diff --behaviour {s}/heron.urdf {s}/heron.urdf --samples 500 --queries 1",
        answers="no verdict",
    ),
    Trial(
        "batch {s} -o {o}/batch --effort fast --samples 500 --queries 1 --jobs 2",
        0,
        "batch/index.html",
    ),
    Trial("lsp", told=_TALK, answers="completionProvider"),
    Trial("schema", answers="format_version"),
    Trial("completion bash", answers="--profile"),
)


def bare_environment(home: Path, base: Mapping[str, str]) -> dict[str, str]:
    """What a program meets where nothing is installed: no Python on the path, no settings, no
    compiled kernels."""
    nothing = home / "nothing"
    nothing.mkdir(parents=True, exist_ok=True)
    env = {key: value for key, value in base.items() if key.upper() in _KEPT}
    folders = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP")
    return env | dict.fromkeys(folders, str(home)) | {"PATH": str(nothing)}


def run(command: Sequence[str | Path], trial: Trial, out: Path, env: Mapping[str, str]) -> None:
    """Runs one trial of the program that `command` starts. Raises TrialFailed."""
    words = [*map(str, command), *trial.arguments(out)]
    try:
        done = subprocess.run(
            words,
            input=trial.told,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=dict(env),
            timeout=_LONGEST,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TrialFailed(f"{' '.join(words)}: {error}") from error
    wrong = ""
    if done.returncode != trial.code:
        wrong = f"exit code {done.returncode}, not {trial.code}"
    elif trial.answers not in done.stdout:
        wrong = f"the output lacks {trial.answers!r}"
    elif trial.leaves and not (out / trial.leaves).is_file():
        wrong = f"{trial.leaves} was not written"
    elif "Traceback" in done.stderr:
        wrong = "a traceback was printed"
    if wrong:
        raise TrialFailed(
            f"{' '.join(words)}: {wrong}\n{done.stdout[-1000:]}\n{done.stderr[-4000:]}"
        )


def try_tree(tree: Path, out: Path) -> None:
    """Every command and the window of the program in `tree`; results in `out`. Raises TrialFailed,
    NoVirtualDisplay."""
    if virtual_display.display_available():
        _try_tree(tree, out, os.environ)
    else:
        with virtual_display.VirtualDisplay() as display:
            _try_tree(tree, out, display.environment())


def _try_tree(tree: Path, out: Path, display: Mapping[str, str]) -> None:
    program = tree / ("xrdf-editor.exe" if environment.WINDOWS else "xrdf-editor")
    tried = out / "tried"
    shutil.rmtree(tried, ignore_errors=True)
    tried.mkdir(parents=True)
    env = bare_environment(tried / "home", display)
    before = set(tree.rglob("*"))
    window = Trial("--demo-out {o}/window {s}/heron.urdf", 0, "window/heron.xrdf")
    for trial in (*TRIALS, window):
        print(f"trying {trial.line.partition(' ')[0]} …", flush=True)
        run([program], trial, tried, env)
    written = sorted(str(path.relative_to(tree)) for path in set(tree.rglob("*")) - before)
    if written:
        # It would stay when the package is removed.
        raise TrialFailed(f"the program wrote into its own folder: {', '.join(written[:5])}")
