"""URDFs of every making, and an SRDF: check_urdf takes them, others put every frame where the
editor does.

All example robots, and MuJoCo, are asked by `python -P -m tests.opinions readers`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_urdfs, sample_urdf
from tests.opinions.readers import Mujoco, Written, bare_text, of_tesseract, opinions, ours, written

pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")
pytest.importorskip("tesseract_robotics", reason="tesseract-robotics has wheels for Linux only")

EVERY = [
    sample_urdf(),
    *(path for path in example_urdfs() if path.stem in ("double_pendulum", "so100")),
]
ROBOTS = of_each_kind(EVERY, EVERY[:2])


@pytest.fixture(scope="module")
def mujoco() -> Mujoco:
    """Left out here: it is in another environment."""
    return Mujoco(Path("missing"))


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_they_agree(path: Path, tmp_path: Path, mujoco: Mujoco) -> None:
    files = list(written(path, tmp_path))
    assert len(files) == 5
    asked = [(item.kind, *opinion) for item in files for opinion in opinions(item, mujoco)]
    assert len(asked) == 15
    assert not [entry for entry in asked if entry[2]]


def test_a_frame_elsewhere_and_a_pair_that_is_not_allowed_are_told(
    tmp_path: Path, mujoco: Mujoco
) -> None:
    item = list(written(sample_urdf(), tmp_path))[-1]
    assert item.srdf is not None
    (tmp_path / "empty.srdf").write_text('<robot name="heron" version="1.0.0"/>', encoding="utf-8")
    unmasked = Written(item.kind, item.path, tmp_path / "empty.srdf", item.ignored)
    assert any("does not allow" in fault for _, fault, _ in opinions(unmasked, mujoco))
    from editor_app.core.formats.urdf import read_urdf
    from editor_app.core.text.source import SourceText

    moved = bare_text(item.path).replace('<axis xyz="0 0 1"', '<axis xyz="0 0 -1"', 1)
    other = tmp_path / "moved.urdf"
    other.write_text(moved, encoding="utf-8")
    tree, poses, frames = ours(read_urdf(SourceText.read(item.path)).value)
    theirs, _ = of_tesseract(Written("", other), poses)
    assert (
        max(
            abs(a - b).max()
            for name in tree.frames
            for a, b in zip(frames[name], theirs[name], strict=True)
        )
        > 0.1
    )
