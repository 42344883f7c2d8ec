"""Mutated inputs for every reader: nothing but the errors that are told, nothing slow, no memory
filled.

    nice python -P -m tests.fuzz --count 1000000 --seed 1          (all readers in turn)
    python -P -m tests.fuzz --readers stl ply --count 20000 --seconds 60

Deterministic by seed. A case that goes a new way through its reader (lines that an error came
through, codes of the findings) becomes a seed of later ones. A case that lets an exception out, or
takes more than 2 s of CPU time, is kept under `--keep`; the program ends with a line of figures per
reader and fails when there was one, or when the memory went beyond 500 MB. A mesh case goes through
`load_mesh`, without the cache on disk.
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
from collections.abc import Callable, Hashable
from pathlib import Path

LIMIT_SECONDS = 2.0
LIMIT_MB = 500
#: Cases of one reader before the next has its turn.
TURN = 500

#: Seeds of one reader at most; one more takes the place of an older one that was found on the way.
SEEDS = 400


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000, help="cases altogether")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--seconds", type=float, default=float("inf"), help="end earlier than with --count"
    )
    parser.add_argument("--readers", nargs="*", default=None)
    parser.add_argument("--progress", action="store_true", help="tell the cases after each round")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "xrdf-fuzz")
    options = parser.parse_args()
    # Mesh cases are files: in the memory, where the system has a folder there, none of them waits
    # for a disk.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        # No entry can be made below a file.
        os.environ["XRDF_EDITOR_CACHE"] = str(Path(__file__) / "none")
        from tests.fuzz.readers import STRUCTURES, readers

        every = readers(Path(folder))
        chosen = {
            name: Reader(options.seed, name, *every[name], STRUCTURES.get(name))
            for name in options.readers or every
        }
        return _run(chosen, options)


class Reader:
    """Makes one reader's cases, and keeps what they showed."""

    def __init__(
        self,
        seed: int,
        name: str,
        seeds: list[bytes],
        case: Callable[[bytes], Hashable],
        change_structure: Callable[[random.Random, list[bytes]], bytes] | None,
    ) -> None:
        self.name = name
        self._case = case
        self._change_structure = change_structure
        self._random = random.Random(f"{seed} {name}")
        self._seeds = list(seeds)
        self._first = len(seeds)
        self._longest = 4 * max(map(len, seeds))
        self.ways: set[Hashable] = set()
        self.cases = self.uncaught = self.slow = 0
        self.slowest = self.seconds = 0.0

    def run_one(self, keep: Path) -> None:
        if self._change_structure is not None and self._random.random() < 0.5:
            data = self._change_structure(self._random, self._seeds)
        else:
            data = mutated(self._random, self._seeds)
        outcome, seconds, way = _one(self._case, data)
        self.cases += 1
        self.slowest, self.seconds = max(self.slowest, seconds), self.seconds + seconds
        if outcome == "slow":
            self.slow += 1
        elif outcome:
            self.uncaught += 1
        if outcome:
            _keep(keep, self.name, self.cases, outcome, data)
        elif way not in self.ways:
            self.ways.add(way)
            self._grow(data)

    def _grow(self, data: bytes) -> None:
        if len(data) > self._longest:
            return
        if len(self._seeds) < SEEDS:
            self._seeds.append(data)
        else:
            self._seeds[self._random.randrange(self._first, SEEDS)] = data


def _run(readers: dict[str, Reader], options: argparse.Namespace) -> int:
    signal.signal(signal.SIGALRM, _alarm)
    end = time.monotonic() + options.seconds
    left = options.count
    while left > 0 and time.monotonic() < end:
        for reader in readers.values():
            for _ in range(min(TURN, left)):
                reader.run_one(options.keep)
                left -= 1
                if left <= 0 or time.monotonic() > end:
                    break
        if options.progress:
            print(f"{options.count - left:,} cases", file=sys.stderr, flush=True)
    return _tell(list(readers.values()))


class _Slow(BaseException):
    pass


def _alarm(*_: object) -> None:
    raise _Slow


def _one(case: Callable[[bytes], Hashable], data: bytes) -> tuple[str, float, Hashable]:
    start = time.process_time()
    signal.alarm(30)
    try:
        way = case(data)
    except _Slow:
        return "slow", time.process_time() - start, None
    except Exception:
        return traceback.format_exc(), time.process_time() - start, None
    finally:
        signal.alarm(0)
    seconds = time.process_time() - start
    return ("slow" if seconds > LIMIT_SECONDS else ""), seconds, way


def mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    """One seed with one to six changes: bits, numbers, pieces left out, doubled, moved, or taken
    from another seed."""
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
    "nan inf -1 1e999 999999999999 0x10 {} [] : - & * ! <a> </a> <b/> &lt; <!-- --> <![CDATA[ ]]> "
    "&a *a << ~ null "
    "true % # / ../ é 😀 xyz='1' name='base' mimic geometry spheres center"
)
_WORDS = (
    *(word.encode() for word in _TEXT.split()),
    b"\x00",
    b"\t",
    b"\n",
    b"\r",
    b" ",
    b'"',
    b"'",
)


def _keep(folder: Path, name: str, number: int, outcome: str, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}-{number}").write_bytes(data)
    print(
        f"{name} case {number}: {outcome.strip().splitlines()[-1]} ({folder / f'{name}-{number}'})",
        flush=True,
    )


def _tell(readers: list[Reader]) -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{'reader':14} {'cases':>9} {'uncaught':>8} {'slow':>5} {'slowest s':>9} {'all s':>7} "
        f"{'ways':>6}"
    )
    for r in readers:
        print(
            f"{r.name:14} {r.cases:9,} {r.uncaught:8} {r.slow:5} {r.slowest:9.2f} {r.seconds:7.0f} "
            f"{len(r.ways):6}"
        )
    cases, uncaught, slow = (
        sum(getattr(r, name) for r in readers) for name in ("cases", "uncaught", "slow")
    )
    print(f"{'together':14} {cases:9,} {uncaught:8} {slow:5}   peak {peak:.0f} MB")
    return 1 if uncaught or slow or peak > LIMIT_MB else 0


if __name__ == "__main__":
    sys.exit(main())
