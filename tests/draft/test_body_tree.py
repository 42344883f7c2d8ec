"""Links on the way to several links, and how deep a link hangs: as a slow walk from link to link
finds them."""

from __future__ import annotations

import random

import pytest

from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.large_files import urdf_text


@pytest.mark.parametrize("children", [1, 2, 3])
def test_the_common_link_is_the_last_on_all_ways(children: int) -> None:
    tree = BodyTree.of(read_urdf(SourceText.from_text(urdf_text(40, children))).value)
    ways = {name: [tree.root, *(joint.child for joint in tree.path(name))] for name in tree.links}
    choose = random.Random(0)
    for _ in range(200):
        links = {choose.choice(tree.links) for _ in range(choose.randrange(1, 6))}
        shared = set.intersection(*(set(ways[name]) for name in links))
        assert tree.common(links) == max(shared, key=lambda name: len(ways[name]))
    assert tree.common(set()) == tree.root
    assert [tree.depth(name) for name in tree.links] == [
        len(tree.path(name)) for name in tree.links
    ]


@pytest.mark.parametrize("children", [1, 3])
def test_the_joints_that_move_some_frames_are_those_that_move_one_of_them(children: int) -> None:
    text = urdf_text(40, children).replace('name="j7" type="revolute"', 'name="j7" type="fixed"')
    text = text.replace('<origin xyz="0 0 0.1"/>', '<origin xyz="0 0 0.1"/><mimic joint="j1"/>', 3)
    text = text.replace('<mimic joint="j1"/>', "", 1)
    tree = build_tree(read_urdf(SourceText.from_text(text)).value)
    choose = random.Random(1)
    for _ in range(100):
        frames = {choose.choice(tree.frames) for _ in range(choose.randrange(5))}
        assert tree.movers_of(frames) == {joint for frame in frames for joint in tree.movers(frame)}
