"""Saving: the text says what the model says, and differs from the old one where the model does."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_app.core.formats.xrdf import ReadOnlyPart, patch_xrdf, read_xrdf
from editor_app.core.model.xrdf import CollisionSphere, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml import splices
from editor_app.core.text.yaml.scalars import format_number
from tests.helpers.breadth import examples
from tests.helpers.robots import SHARED, shared_robots
from tests.helpers.xrdf_texts import NASTY, TEXTS, RandomEdits, many_spheres, real_texts

ALL = {**TEXTS, **real_texts()}
SLOW = settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
seeds = st.integers(0, 2**32)
texts = st.sampled_from(sorted(ALL))


def edited(xrdf: Xrdf, seed: int, *, gentle: bool = False) -> Xrdf:
    random = Random(seed)
    edits = RandomEdits(random, gentle=gentle)
    for _ in range(1 if gentle else random.randint(1, 3)):
        xrdf = edits.edited(xrdf)
    return xrdf


@pytest.mark.parametrize("name", sorted(ALL))
def test_no_edit_leaves_every_byte(name: str) -> None:
    source = read_xrdf(SourceText.from_text(ALL[name]))
    assert patch_xrdf(source, replace(source.value)).text == ALL[name]
    assert source.source.with_text(ALL[name]).data == ALL[name].encode()


@pytest.mark.skipif(
    not (SHARED / "robots").is_dir(), reason="no ../shared/robots beside the repository"
)
def test_real_files_are_read_without_a_finding() -> None:
    for file in sorted(shared_robots().glob("*/*.xrdf")):
        source = read_xrdf(SourceText.read(file))
        assert source.findings == ()
        assert source.value.geometry


@SLOW
@given(texts, seeds)
def test_what_is_written_says_what_the_model_says(name: str, seed: int) -> None:
    source = read_xrdf(SourceText.from_text(ALL[name]))
    wanted = edited(source.value, seed)
    patch = patch_xrdf(source, wanted)
    again = read_xrdf(SourceText.from_text(patch.text))
    assert again.value == wanted
    assert [g.name for g in again.value.geometry or ()] == [g.name for g in wanted.geometry or ()]
    # What could not be read is still there, unless its section went.
    if "broken" not in name and wanted.geometry is not None and "my_section:" in ALL[name]:
        assert "my_section:   # unknown" in patch.text


@SLOW
@given(texts, seeds)
def test_an_edit_and_its_reverse_give_the_same_model(name: str, seed: int) -> None:
    source = read_xrdf(SourceText.from_text(ALL[name]))
    patched = patch_xrdf(source, edited(source.value, seed)).written
    assert patch_xrdf(patched, source.value).written.value == source.value


@SLOW
@given(texts, seeds)
def test_the_lines_around_an_edit_are_as_good_as_the_whole(name: str, seed: int) -> None:
    """Verification by reading only the lines around an edit never accepts what a full reading would
    not."""
    source = read_xrdf(SourceText.from_text(ALL[name]))
    wanted = edited(source.value, seed)
    present = splices._WORTHWHILE
    splices._WORTHWHILE = 0
    try:
        near = patch_xrdf(source, wanted)
    finally:
        splices._WORTHWHILE = present
    assert near.text == patch_xrdf(source, wanted).text
    assert near.written.value == wanted


def _comments(text: str) -> list[str]:
    return sorted(re.findall(r"(?m)(?:^|(?<=[ \t]))#[^\r\n]*", text))


@SLOW
@given(texts, seeds)
def test_no_comment_is_lost_where_nothing_is_deleted(name: str, seed: int) -> None:
    source = read_xrdf(SourceText.from_text(ALL[name]))
    patch = patch_xrdf(source, edited(source.value, seed, gentle=True))
    if not patch.notes:
        assert _comments(patch.text) == _comments(ALL[name])


def test_equal_numbers_keep_their_comments_where_others_are_added() -> None:
    text = ALL["nasty"]
    source = read_xrdf(SourceText.from_text(text))
    cspace = source.value.cspace
    assert cspace is not None
    assert cspace.jerk_limits == (500.0, 500.0)
    longer = replace(source.value, cspace=replace(cspace, jerk_limits=(float("500"), 1e-05, 1.0)))
    patched = patch_xrdf(source, longer)
    assert patched.notes == ()
    assert _comments(patched.text) == _comments(text)


@SLOW
@given(texts, seeds)
def test_sections_that_are_not_edited_keep_every_byte(name: str, seed: int) -> None:
    source = read_xrdf(SourceText.from_text(ALL[name]))
    wanted = edited(source.value, seed)
    patch = patch_xrdf(source, wanted)
    if patch.notes:
        return
    old, new = patch.written.tree.root, source.tree.root
    assert old is not None
    for field in Xrdf.__dataclass_fields__:
        key = source.world_key if field == "world_collision" else field
        before, after = source.span((key,)), patch.written.span((key,))
        if (
            before is not None
            and after is not None
            and getattr(source.value, field) == getattr(wanted, field)
        ):
            said = patch.text[slice(*after)]
            if field != "world_collision":
                assert said == ALL[name][slice(*before)]
    assert new is not None


@SLOW
@given(seeds, st.floats(allow_nan=False, allow_infinity=False))
def test_one_number_changes_its_own_span_alone(seed: int, value: float) -> None:
    text = NASTY.replace("elbow: *sh\n", "elbow: []\n").replace("&sh", "")
    source = read_xrdf(SourceText.from_text(text))
    assert source.value.geometry is not None
    group = source.value.geometry[0]
    random = Random(seed)
    frame = random.choice(["shoulder", "wrist"])
    index = random.randrange(len(group.spheres[frame]))
    axis = random.randrange(4)
    old = group.spheres[frame][index]
    if axis == 3:
        new = replace(old, radius=value)
    else:
        x = [*old.center]
        x[axis] = value
        new = CollisionSphere((x[0], x[1], x[2]), old.radius)
    spheres = (*group.spheres[frame][:index], new, *group.spheres[frame][index + 1 :])
    wanted = replace(
        source.value, geometry=(group.with_spheres(frame, spheres), *source.value.geometry[1:])
    )
    path = (
        "geometry",
        "g",
        "spheres",
        frame,
        index,
        *(("radius",) if axis == 3 else ("center", axis)),
    )
    node = source.node(source.yaml_path(path))
    assert node is not None
    expected = text if new == old else text[: node.start] + format_number(value) + text[node.end :]
    assert patch_xrdf(source, wanted).text == expected


def test_twice_the_same_key_is_read_only_with_both_lines_told() -> None:
    text = "tool_frames: [a]\nself_collision:\n  ignore:\n    a: [b]\n    c: [d]\n    a: [e]\n"
    source = read_xrdf(SourceText.from_text(text))
    assert source.value.self_collision is not None
    assert source.value.self_collision.ignore == {"a": ("e",), "c": ("d",)}
    [finding] = [finding for finding in source.findings if finding.code == "XRDF003"]
    assert "lines 4 and 6" in finding.message
    ignore = source.value.self_collision.ignore
    assert ignore is not None
    other = replace(source.value.self_collision, ignore=ignore.set("c", ("x",)))
    assert "c: [x]" in patch_xrdf(source, replace(source.value, self_collision=other)).text
    locked = replace(source.value.self_collision, ignore=ignore.set("a", ("x",)))
    with pytest.raises(ReadOnlyPart, match="appears 2 times"):
        patch_xrdf(source, replace(source.value, self_collision=locked))


def test_both_obstacle_sections_are_read_only() -> None:
    text = "format_version: 2.0\ncollision: {geometry: a}\nworld_collision: {geometry: b}\n"
    source = read_xrdf(SourceText.from_text(text))
    assert source.value.world_group == "b"
    assert set(source.read_only) == {("collision",), ("world_collision",)}
    assert source.value.world_collision is not None
    with pytest.raises(ReadOnlyPart, match="collision"):
        patch_xrdf(
            source,
            replace(
                source.value, world_collision=replace(source.value.world_collision, geometry="c")
            ),
        )


def test_one_edit_of_a_big_file_reads_only_the_lines_around_it() -> None:
    text = many_spheres()
    source = read_xrdf(SourceText.from_text(text))
    assert source.value.geometry is not None
    group = source.value.geometry[0]
    spheres = group.spheres["link_3"]
    moved = (*spheres[:5], replace(spheres[5], radius=0.5), *spheres[6:])
    patch = patch_xrdf(
        source, replace(source.value, geometry=(group.with_spheres("link_3", moved),))
    )
    assert patch._parsed is None
    assert patch.written.value.spheres_of("g")["link_3"][5].radius == 0.5
    assert len(patch.text) - len(text) == len("0.5") - 7
