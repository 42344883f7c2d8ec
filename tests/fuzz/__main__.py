"""Mutated inputs for every reader: nothing but the errors that are told, nothing slow, no memory filled.

    nice python -P -m tests.fuzz --count 1000000 --seed 1          (all readers in turn)
    python -P -m tests.fuzz --readers stl ply --count 20000 --seconds 60

Deterministic by seed. A case that lets an exception out, or takes more than 2 s, is kept under `--keep`; the program
ends with a line of figures per reader and fails when there was one, or when the memory went beyond 500 MB. A text case
goes through all that opening does with it; a mesh case through `load_mesh`, without the cache on disk.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

LIMIT_SECONDS = 2.0
LIMIT_MB = 500
#: Cases of one reader before the next has its turn.
TURN = 500

Case = Callable[[bytes], None]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="cases altogether")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end earlier than with --count")
    parser.add_argument("--readers", nargs="*", default=None)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "xrdf-fuzz")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        # No entry can be made below a file.
        os.environ["XRDF_EDITOR_CACHE"] = str(Path(__file__) / "none")
        from tests.fuzz.readers import readers

        found = readers(Path(folder))
        chosen = {name: found[name] for name in options.readers or found}
        return _run(chosen, options)


def _run(readers: dict[str, tuple[list[bytes], Case]], options: argparse.Namespace) -> int:
    signal.signal(signal.SIGALRM, _alarm)
    rngs = {name: random.Random(f"{options.seed} {name}") for name in readers}
    figures = {name: [0, 0, 0, 0.0] for name in readers}
    end = time.monotonic() + options.seconds
    left = options.count
    while left > 0 and time.monotonic() < end:
        for name, (seeds, case) in readers.items():
            for _ in range(min(TURN, left)):
                data = mutated(rngs[name], seeds)
                outcome, seconds = _one(case, data)
                row = figures[name]
                row[0] += 1
                row[3] = max(row[3], seconds)
                if outcome:
                    row[1 if outcome != "slow" else 2] += 1
                    _keep(options.keep, name, row[0], outcome, data)
                left -= 1
                if left <= 0 or time.monotonic() > end:
                    break
    return _tell(figures)


class _Slow(BaseException):
    pass


def _alarm(*_: object) -> None:
    raise _Slow


def _one(case: Case, data: bytes) -> tuple[str, float]:
    start = time.process_time()
    signal.alarm(30)
    try:
        case(data)
    except _Slow:
        return "slow", time.process_time() - start
    except Exception:
        return traceback.format_exc(), time.process_time() - start
    finally:
        signal.alarm(0)
    seconds = time.process_time() - start
    return ("slow" if seconds > LIMIT_SECONDS else ""), seconds


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One seed with one to six changes: bits, numbers, pieces left out, doubled, moved, or taken from another seed."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, 6)):
        at, end = rng.randrange(len(data) + 1), rng.randint(1, 60)
        match rng.randrange(8):
            case 0 if data:
                data[at % len(data)] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + end]
            case 2:
                data[at:at] = data[at : at + end]
            case 3:
                data[at : at + 4] = rng.choice(_INTEGERS).to_bytes(4, rng.choice(("little", "big")))
            case 4:
                data[at:at] = rng.choice(_WORDS)
            case 5:
                del data[at:]
            case 6:
                other = rng.choice(seeds)
                start = rng.randrange(len(other) + 1)
                data[at : at + end] = other[start : start + end]
            case _:
                data[at : at + 1] = bytes((rng.randrange(256),))
    return bytes(data)


_INTEGERS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10000, 0x7FC00000, 0x7F800000, 900_000_000)
_TEXT = (
    "nan inf -1 1e999 999999999999 0x10 {} [] : - & * ! <a> </a> <b/> &lt; <!-- --> <![CDATA[ ]]> &a *a << ~ null "
    "true % # / ../ é 😀 xyz='1' name='base' mimic geometry spheres center"
)
_WORDS = (*(word.encode() for word in _TEXT.split()), b"\x00", b"\t", b"\n", b"\r", b" ", b'"', b"'")


def _keep(folder: Path, name: str, number: int, outcome: str, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{number}").write_bytes(data)
    print(f"{name} case {number}: {outcome.strip().splitlines()[-1]} ({folder / f'{name}-{number}'})", flush=True)


def _tell(figures: dict[str, list[float]]) -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'reader':14} {'cases':>9} {'uncaught':>8} {'slow':>5} {'slowest s':>9}")
    for name, (cases, uncaught, slow, slowest) in figures.items():
        print(f"{name:14} {cases:9,.0f} {uncaught:8.0f} {slow:5.0f} {slowest:9.2f}")
    total = [sum(row[i] for row in figures.values()) for i in range(3)]
    print(f"{'together':14} {total[0]:9,.0f} {total[1]:8.0f} {total[2]:5.0f}   peak {peak:.0f} MB")
    return 1 if total[1] or total[2] or peak > LIMIT_MB else 0


if __name__ == "__main__":
    sys.exit(main())
