"""Coverage-guided fuzzing of the XRDF and URDF readers with atheris (Linux).

Run: python -m tests.bench.fuzz xrdf -max_total_time=300        (or urdf; further options are libFuzzer's)

A finding is any exception but FormatError, a hang of more than 10 s, or more than 2 GB of memory; the input that made
it is left in the working folder as crash-*, timeout-* or oom-*. Short mutations of the same kind run in the tests.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    try:
        import atheris  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        sys.exit("atheris is not installed: pip install atheris (Linux only)")

    kind, *options = sys.argv[1:] or ["xrdf"]
    with atheris.instrument_imports(include=["editor_app"]):
        from editor_app.formats.source import SourceText
        from editor_app.formats.urdf import read_urdf
        from tests.helpers.documents import CLEAN, URDF, V2
        from tests.unit.test_hostile_input_ends_in_a_message import use_urdf, use_xrdf

    urdf = read_urdf(SourceText.from_text(URDF)).urdf

    def one_input(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        if kind == "urdf":
            use_urdf(text)
        else:
            use_xrdf(text, urdf)

    with tempfile.TemporaryDirectory() as corpus:
        for number, text in enumerate((URDF,) if kind == "urdf" else (CLEAN, V2)):
            (Path(corpus) / f"seed{number}").write_text(text)
        arguments = [sys.argv[0], "-timeout=10", "-rss_limit_mb=2048", "-max_len=4096", *options, corpus]
        atheris.Setup(arguments, one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
