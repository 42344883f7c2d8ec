"""How quickly a 2,000-sphere XRDF is opened, patched and saved, beside PyYAML and ruamel.yaml on
the same text.

    python tests/bench/bench_xrdf.py [--spheres 2000] [--repeat 7]

Prints one line per figure: the best of several runs, in CPU milliseconds, and the ratio to the peer
named.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402
from ruamel.yaml import YAML  # noqa: E402

from editor_app.core.document.replacing import write_atomically  # noqa: E402
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf  # noqa: E402
from editor_app.core.model.xrdf import CollisionSphere, Xrdf  # noqa: E402
from editor_app.core.text.source import SourceText  # noqa: E402
from editor_app.core.text.yaml.compose import compose_document  # noqa: E402
from tests.helpers.xrdf_texts import many_spheres  # noqa: E402


def best(work: Callable[[], object], repeat: int) -> float:
    """The least CPU time of `repeat` runs, in milliseconds."""
    times = []
    for _ in range(repeat):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times) * 1000


def with_sphere(
    xrdf: Xrdf, change: Callable[[tuple[CollisionSphere, ...]], tuple[CollisionSphere, ...]]
) -> Xrdf:
    assert xrdf.geometry is not None
    group = xrdf.geometry[0]
    frame = list(group.spheres)[len(group.spheres) // 2]
    return replace(xrdf, geometry=(group.with_spheres(frame, change(group.spheres[frame])),))


def ruamel_round_trip(text: str) -> None:
    round_trip = YAML()
    round_trip.preserve_quotes = True
    data = round_trip.load(text)
    round_trip.dump(data, io.StringIO())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spheres", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=7)
    arguments = parser.parse_args()
    text = many_spheres(arguments.spheres)
    source = SourceText.from_text(text)
    xrdf = read_xrdf(source)
    repeat = arguments.repeat

    peer_compose = best(lambda: yaml.CSafeLoader(text).get_single_node(), repeat)
    peer_load = best(lambda: yaml.load(text, yaml.CSafeLoader), repeat)
    peer_round_trip = best(lambda: ruamel_round_trip(text), 1)

    moved = with_sphere(xrdf.value, lambda s: (replace(s[0], radius=0.5), *s[1:]))
    added = with_sphere(xrdf.value, lambda s: (*s, CollisionSphere((0.0, 0.0, 0.0), 0.1)))
    deleted = with_sphere(xrdf.value, lambda s: s[1:])
    assert xrdf.value.geometry is not None
    group = xrdf.value.geometry[0]
    grown = type(group.spheres)(
        {
            f: tuple(replace(s, radius=s.radius + 1) for s in spheres)
            for f, spheres in group.spheres.items()
        }
    )
    everything = replace(xrdf.value, geometry=(replace(group, spheres=grown),))

    with TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xrdf"
        path.write_bytes(source.data)

        def save() -> None:
            patch = patch_xrdf(xrdf, moved)
            write_atomically(path, source.with_text(patch.text).data)

        rows: list[tuple[str, float, float | None, str, float]] = [
            (
                "parse with positions",
                best(lambda: compose_document(source), repeat),
                60,
                "PyYAML's C compose",
                peer_compose,
            ),
            (
                "open (read file, parse, model)",
                best(lambda: read_xrdf(SourceText.read(path)), repeat),
                150,
                "PyYAML's C load",
                peer_load,
            ),
            (
                "patch: one radius",
                best(lambda: patch_xrdf(xrdf, moved), repeat),
                50,
                "ruamel.yaml round trip",
                peer_round_trip,
            ),
            (
                "patch: one sphere more",
                best(lambda: patch_xrdf(xrdf, added), repeat),
                50,
                "ruamel.yaml round trip",
                peer_round_trip,
            ),
            (
                "patch: one sphere less",
                best(lambda: patch_xrdf(xrdf, deleted), repeat),
                50,
                "ruamel.yaml round trip",
                peer_round_trip,
            ),
            (
                "patch: every radius",
                best(lambda: patch_xrdf(xrdf, everything), 2),
                None,
                "ruamel.yaml round trip",
                peer_round_trip,
            ),
            (
                "save one edit (patch, write, fsync)",
                best(save, repeat),
                100,
                "ruamel.yaml round trip",
                peer_round_trip,
            ),
        ]
    print(f"{arguments.spheres} spheres, {len(text):,} characters")
    for name, value, goal, peer, figure in rows:
        wanted = (
            "" if goal is None else f"  goal {goal:g} ms: {'met' if value <= goal else 'MISSED'}"
        )
        print(
            f"{name:38s} {value:8.1f} ms   {value / figure:7.3f} x {peer} ({figure:.1f} ms){wanted}"
        )


if __name__ == "__main__":
    main()
