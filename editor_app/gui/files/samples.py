"""Robots to try things on: the bundled one, and the robots of PyPI's example-robot-data when it is installed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from editor_app.resources import sample_robot


@dataclass(frozen=True, slots=True)
class Sample:
    """`family` is the manufacturer's or project's folder."""

    title: str
    family: str
    urdf: Path


def bundled() -> Path | None:
    """The URDF of the robot that comes with the editor; None when the installation lacks its resources."""
    try:
        return sample_robot()
    except FileNotFoundError:
        return None


@lru_cache(maxsize=1)
def example_robots() -> tuple[Sample, ...]:
    """The robots of example-robot-data, by family and name; empty when it is not installed."""
    # Brings half of the package email along.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution("example-robot-data").files or ()
    except PackageNotFoundError:
        return ()
    samples = []
    for file in files:
        if file.suffix == ".urdf":
            path = Path(str(file.locate()))
            parts = file.parts
            family = parts[parts.index("robots") + 1] if "robots" in parts else path.parent.name
            samples.append(Sample(path.stem, family.removesuffix("_description"), path))
    return tuple(sorted(samples, key=lambda s: (s.family.lower(), s.title.lower())))
