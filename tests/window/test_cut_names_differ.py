"""Names that are cut for want of room stay different from each other."""

from __future__ import annotations

from itertools import pairwise

import pytest

from editor_app.window.bindings.elision import DistinctNames

KINOVA = (
    "gen3_robotiq_85_left_knuckle_joint",
    "gen3_robotiq_85_right_knuckle_joint",
    "gen3_robotiq_85_left_inner_knuckle_joint",
    "gen3_robotiq_85_right_inner_knuckle_joint",
)
HERON = (
    "shoulder_link",
    "upper_arm_link",
    "elbow_link",
    "forearm_link",
    "wrist_link",
    "flange_link",
    "hand_link",
)
OPTICAL = ("camera_color_optical_frame", "camera_depth_optical_frame", "camera_infra_optical_frame")


@pytest.mark.parametrize(("names", "room"), [(KINOVA, 12), (HERON, 7), (OPTICAL, 9)])
def test_two_names_never_look_the_same(names: tuple[str, ...], room: int) -> None:
    cuts = DistinctNames(names)
    shown = [cuts.cut(name, room, len) for name in names]
    assert len(set(shown)) == len(names), shown
    assert all(len(text) <= room for text in shown)


def test_a_name_that_fits_is_whole_and_more_room_shows_more() -> None:
    cuts = DistinctNames(HERON)
    assert cuts.cut("hand_link", 9, len) == "hand_link"
    lengths = [len(cuts.cut("upper_arm_link", room, len)) for room in range(3, 15)]
    assert all(a <= b for a, b in pairwise(lengths))


def test_without_room_for_the_difference_something_is_shown_still() -> None:
    cuts = DistinctNames(OPTICAL)
    assert cuts.cut(OPTICAL[0], 3, len)
    assert cuts.cut(OPTICAL[0], 0, len) == "…"


def test_another_set_of_names_is_cut_anew() -> None:
    cuts = DistinctNames(("left_arm_link", "other"))
    before = cuts.cut("left_arm_link", 6, len)
    cuts.set_names(("left_arm_link", "left_hand"))
    assert cuts.cut("left_arm_link", 6, len) != before


def test_a_side_in_the_middle_is_kept_where_ends_alone_would_not_tell() -> None:
    names = tuple(
        f"{side}_caster_{wheel}_wheel_link" for side in ("fl", "fr", "bl", "br") for wheel in "lr"
    )
    cuts = DistinctNames(names)
    for room in (12, 13, 14):
        shown = [cuts.cut(name, room, len) for name in names]
        assert len(set(shown)) == len(names), shown
        assert all(len(text) <= room for text in shown)


def test_names_of_many_words_keep_the_beginnings_of_all_of_them() -> None:
    names = tuple(
        f"{camera}_stereo_gazebo_{side}_stereo_camera{end}"
        for camera in ("wide", "narrow")
        for side in "lr"
        for end in ("_frame", "_optical_frame")
    )
    cuts = DistinctNames(names)
    for room in (9, 10, 12):
        shown = [cuts.cut(name, room, len) for name in names]
        assert len(set(shown)) == len(names), shown
        assert all(len(text) <= room for text in shown)


def test_a_long_name_is_not_measured_at_every_length() -> None:
    names = tuple(f"{'upper_' * 10}{side}_{'upper_' * 10}arm_link" for side in ("left", "right"))
    measured: list[str] = []

    def width_of(text: str) -> int:
        measured.append(text)
        return 7 * len(text)

    cuts = DistinctNames(names)
    assert len({cuts.cut(name, 100, width_of) for name in names}) == 2
    assert len(measured) < 1000
