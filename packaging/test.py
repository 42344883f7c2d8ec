"""Set up and run everything: python3 packaging/test.py [--quick] [--all-types] [--deep] [pytest
arguments]

Format, lint, then all tests: unit, golden, real windows under Xvfb, end to end; types and import
contracts beside them. Goes on after a step that failed, and fails at the end. Needs nothing but
Python 3.11 or newer and, for system libraries, permission.
"""

import clean_path  # isort: skip  # noqa: F401 - before anything else

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036 - a user of an older one is told so
    sys.exit(
        f"Python 3.11 or newer is needed; this is {sys.version.split()[0]} ({sys.executable})."
    )

import environment
import system_packages

#: One more than the cores of the smallest machine: tests of windows wait for a fifth of their time.
WORKERS = 3
#: pytest's code for "nothing was collected", which is a success only when the selection was the
#: caller's.
NOTHING_COLLECTED = 5
#: Tests of windows wait for other processes: so many that fail may run a second time, and the
#: summary names them.
MOST_UNSTEADY = 3
#: Of what no test waits for: tests with windows keep their processor.
BESIDE_TESTS = 15
#: What --deep sets for the tests: tests/helpers/breadth.py reads it.
DEEP_VARIABLE = "XRDF_EDITOR_DEEP_TESTS"


@dataclass(frozen=True)
class Step:
    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    name: str
    code: int
    seconds: float


def static_steps() -> list[Step]:
    """The checks that take a second, and so come first."""
    tool = environment.PROJECT.scripts
    return [
        Step("format", (str(tool / "ruff"), "format", "--check", ".")),
        Step("lint", (str(tool / "ruff"), "check", ".")),
    ]


def compile_kernels() -> Result:
    """Compile what is compiled on first use, before two processes of tests would each do it."""
    print("\n── compiled code ──", flush=True)
    start = time.monotonic()
    code = 0 if environment.PROJECT.compile_kernels() else 1
    return Result("compiled code", code, time.monotonic() - start)


def reading_steps(all_types: bool) -> list[Step]:
    """Return the steps that read the code for a minute and that no test waits for: they run beside
    the tests.

    `all_types` adds the types as the libraries of other Pythons have them.
    """
    python, scripts = str(environment.PROJECT.python), environment.PROJECT.scripts
    others = Step(
        "types, other Pythons", (python, str(environment.ROOT / "packaging" / "check_types.py"))
    )
    return [
        Step("types", (str(scripts / "mypy"),)),
        *([others] if all_types else []),
        Step("import contracts", (str(scripts / "lint-imports"),)),
    ]


def test_step(quick: bool, extra: list[str], report: Path) -> Step:
    """Return the step that runs pytest over all folders, or over those without a window when
    `quick`."""
    python = str(environment.PROJECT.python)
    # tests/conftest.py says that tests without a window do not run again.
    command = [python, "-P", "-m", "pytest", "-q", "-rsR", f"--junit-xml={report}"]
    command += ["--reruns", "1", "--max-suite-reruns", str(MOST_UNSTEADY)]
    command += ["-n", str(WORKERS), "--dist", "worksteal"]
    if quick:
        command += ["--ignore=tests/window", "--ignore=tests/end2end"]
    return Step("tests without a window" if quick else "tests", (*command, *extra))


def unsteady_tests(report: Path) -> list[str]:
    """Return the dotted names of the tests that failed once and then passed, from pytest's JUnit
    file.

    The file has an entry for each run of a test, and says `failure` only in the last one.
    """
    if not report.is_file():
        return []
    runs, failed = Counter[str](), set[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        runs[name] += 1
        if case.find("failure") is not None or case.find("error") is not None:
            failed.add(name)
    return sorted(name for name, count in runs.items() if count > 1 and name not in failed)


def run_step(step: Step) -> Result:
    """Run one step with its output shown as it comes."""
    print(f"\n── {step.name} ──", flush=True)
    start = time.monotonic()
    env = environment.clean_environment()
    code = subprocess.run(step.command, cwd=environment.ROOT, env=env, check=False).returncode
    return Result(step.name, code, time.monotonic() - start)


class Together:
    """Steps that run at once, beside what this process does meanwhile; a context manager that ends
    what still runs."""

    def __init__(self, steps: list[Step], niceness: int = 0) -> None:
        start, env, pipe = time.monotonic(), environment.clean_environment(), subprocess.PIPE
        self._steps = steps
        self._running = [
            subprocess.Popen(
                step.command, cwd=environment.ROOT, env=env, stdout=pipe, stderr=subprocess.STDOUT
            )
            for step in steps
        ]
        if niceness and hasattr(os, "setpriority"):
            for process in self._running:
                os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
        # A thread each takes the output and the time of the end.
        self._threads = ThreadPoolExecutor(len(steps))
        self._ends = [
            self._threads.submit(_output_and_seconds, process, start) for process in self._running
        ]

    def __enter__(self) -> "Together":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.kill()
        self._threads.shutdown()

    def results(self) -> list[Result]:
        """Waits for all of them, and shows the output of each in their order."""
        results = []
        for step, process, end in zip(self._steps, self._running, self._ends, strict=True):
            output, seconds = end.result()
            print(f"\n── {step.name} ──\n{output.decode(errors='replace')}", end="", flush=True)
            results.append(Result(step.name, process.returncode, seconds))
        return results


def _output_and_seconds(process: subprocess.Popen[bytes], start: float) -> tuple[bytes, float]:
    output, _ = process.communicate()
    return output, time.monotonic() - start


def skipped(report: Path) -> Counter[str]:
    """Reason -> number of tests that were skipped for it, from pytest's JUnit file."""
    reasons: Counter[str] = Counter()
    if report.is_file():
        for element in ElementTree.parse(report).iter("skipped"):
            reasons[element.get("message", "no reason was given").removeprefix("Skipped: ")] += 1
    return reasons


def run_tests(
    options: argparse.Namespace, extra: list[str]
) -> tuple[Result, Counter[str], list[str]]:
    """Run the tests; return the result, why tests were skipped, and the unsteady ones."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "junit.xml"
        result = run_step(test_step(options.quick, extra, report))
        reasons, unsteady = skipped(report), unsteady_tests(report)
    if result.code == NOTHING_COLLECTED and extra:
        result = replace(result, code=0)
    return result, reasons, unsteady


def summary(
    results: list[Result], reasons: Counter[str], seconds: float, unsteady: Sequence[str] = ()
) -> str:
    """The closing lines: time and outcome of each step, what was unsteady, and what was skipped and
    why."""
    lines = ["", "── summary ──"]
    lines += [
        f"{'ok    ' if r.code == 0 else 'FAILED'}  {r.seconds:7.1f} s  {r.name}" for r in results
    ]
    lines.append(f"        {seconds:7.1f} s  altogether")
    lines += [f"UNSTEADY (failed, then passed; a defect to fix): {name}" for name in unsteady]
    lines.append(f"{reasons.total()} tests were skipped" + (":" if reasons else "."))
    lines += [f"  {count:4} × {reason}" for reason, count in reasons.most_common()]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument(
        "--quick", action="store_true", help="leave the tests out that open windows"
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help="try many of a kind where the usual run tries one of each, for a release",
    )
    parser.add_argument(
        "--all-types",
        action="store_true",
        help=(
            "check types with the libraries of every supported Python, not of this one alone; part "
            "of --deep"
        ),
    )
    options, extra = parser.parse_known_args(arguments)
    if options.deep:
        os.environ[DEEP_VARIABLE] = "1"
    needed = [*system_packages.WINDOW, *system_packages.VIRTUAL_DISPLAY, *system_packages.TESTS]
    if not environment.PROJECT.python.exists() and not environment.usable_uv():
        needed.append(system_packages.venv_package())
    if not system_packages.ensure(needed):
        return 1
    if not system_packages.ensure(system_packages.PEERS):
        print("Tests that compare with these programs will be skipped.", flush=True)
    start = time.monotonic()
    try:
        environment.PROJECT.prepare(environment.TEST)
    except environment.SetupFailed as error:
        print(error, file=sys.stderr)
        return 1
    results = [Result("setup", 0, time.monotonic() - start)]
    results += [run_step(step) for step in static_steps()]
    with Together(reading_steps(options.all_types or options.deep), BESIDE_TESTS) as reading:
        results.append(compile_kernels())
        tests, reasons, unsteady = run_tests(options, extra)
        results += [*reading.results(), tests]
    print(summary(results, reasons, time.monotonic() - start, unsteady), flush=True)
    return 1 if any(result.code != 0 for result in results) else 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    # Ended from outside (a job's time limit), it takes the running step along: subprocess.run kills
    # it on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
