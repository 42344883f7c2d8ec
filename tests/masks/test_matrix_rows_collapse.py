"""Rows of the matrix: every frame once, branches of large robots collapsed, and back."""

from __future__ import annotations

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.features.masks.window.grouping import Grouping, MatrixRow, shared_parts
from tests.helpers.robots import example_robots, sample_urdf


def test_small_robots_show_every_frame_in_the_order_of_the_tree() -> None:
    tree = build_tree(read_urdf(SourceText.read(sample_urdf())).value)
    frames = tuple(f for f in tree.frames if f.endswith("_link"))
    grouping = Grouping()
    grouping.set_frames(frames, tree)
    assert tuple(row.frame for row in grouping.rows()) == frames
    assert not any(row.is_collapsed for row in grouping.rows())


def test_large_robots_start_with_their_branches_collapsed_and_lose_no_frame() -> None:
    urdf = next((example_robots() / "talos_data").rglob("talos_reduced.urdf"))
    tree = build_tree(read_urdf(SourceText.read(urdf)).value)
    frames = tree.frames
    assert len(frames) >= 60
    grouping = Grouping()
    grouping.set_frames(frames, tree)
    rows = grouping.rows()
    assert len(rows) < len(frames) / 2
    assert sorted(f for row in rows for f in row.members) == sorted(frames)
    closed = next(row for row in rows if row.is_collapsed)
    assert closed.label_without(("", "")).endswith(f"(+{len(closed.members) - 1})")
    grouping.toggle(closed.frame)
    assert {f for row in grouping.rows() if not row.is_collapsed for f in row.members} >= {
        closed.frame
    }
    assert sorted(f for row in grouping.rows() for f in row.members) == sorted(frames)
    grouping.expand_all()
    assert tuple(sorted(row.frame for row in grouping.rows())) == tuple(sorted(frames))


def test_labels_leave_out_what_all_names_share() -> None:
    names = ("panda_link0", "panda_link1", "panda_hand")
    shared = shared_parts(names)
    assert shared == ("panda_", "")
    assert [MatrixRow(name, (name,), 0, False).label_without(shared) for name in names] == [
        "link0",
        "link1",
        "hand",
    ]
    assert shared_parts(("left_arm_link", "left_hand_link")) == ("left_", "_link")
    assert shared_parts(("link_1_link", "link_link")) == ("link_", ""), "something is left of each"
    assert shared_parts(("alone",)) == shared_parts(()) == ("", "")
