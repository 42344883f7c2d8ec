"""A document of three files: each text follows its model, undo brings all bytes back, saving writes
what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_app.core.document.commands.lists import InsertItem, RemoveItems, set_item
from editor_app.core.document.commands.srdf import SetSrdf, StoreState
from editor_app.core.document.commands.urdf import RenameJoint, RenameLink, SetJoint
from editor_app.core.document.document import Document
from editor_app.core.document.journal import JournalEntry, plan_entry, texts_of
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import (
    ChangedOnDiskError,
    SaveError,
    changed_on_disk,
    foreign_changes,
    save_all,
    save_document,
)
from editor_app.core.document.state import FileKind
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import CannotApply, Change
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from tests.helpers.breadth import examples
from tests.helpers.documents import CLEAN, URDF, make_document

SRDF = """<?xml version="1.0"?>
<!-- of the arm -->
<robot name="arm">
  <group name="arm"><chain base_link="base"   tip_link='hand'/></group>
  <group_state name="up" group="arm">
    <joint name="shoulder" value="0.50"/>  <!-- up -->
  </group_state>
  <passive_joint name="follow"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="upper" link2="lower" reason="Adjacent"/>
  <ours note="kept"/>
</robot>
"""
STORE = StoreState("down", "arm", FrozenDict({"shoulder": -1.0, "elbow": 0.25}))

ROBOT_FILES = (FileKind.XRDF, FileKind.SRDF, FileKind.URDF)


def document_in(folder: Path, srdf: str = SRDF) -> Document:
    (folder / "arm.srdf").write_bytes(srdf.encode())
    return make_document(folder)


def in_memory() -> Document:
    return Document(
        read_urdf(SourceText.from_text(URDF)),
        read_xrdf(SourceText.from_text(CLEAN)),
        read_srdf(SourceText.from_text(SRDF)),
    )


LINKS, JOINTS = ("base", "upper", "lower", "hand", "new link"), ("shoulder", "elbow", "grip", "né")
pairs = st.tuples(st.sampled_from(LINKS), st.sampled_from(LINKS)).map(lambda p: (LinkPair.of(*p),))

srdf_groups = st.builds(Group, st.sampled_from(["arm", "hand"]), joints=st.just(("grip",)))


def changes(document: Document) -> st.SearchStrategy[Change]:
    joint = document.robot.urdf.joint("elbow") or document.robot.urdf.joints[0]
    return st.one_of(
        st.builds(
            set_item,
            st.just("srdf.disabled_pairs"),
            pairs.map(min),
            st.sampled_from([None, "User", 'a < b & "c"']),
        ),
        st.builds(RemoveItems, st.just("srdf.disabled_pairs"), pairs),
        st.builds(
            StoreState,
            st.sampled_from(["up", "down", "é"]),
            st.sampled_from(["arm", "hand"]),
            st.dictionaries(st.sampled_from(JOINTS), st.floats(-9, 9), max_size=3).map(FrozenDict),
        ),
        st.builds(InsertItem, st.just("srdf.groups"), srdf_groups),
        st.builds(set_item, st.just("srdf.groups"), st.just("arm"), srdf_groups),
        st.builds(RenameLink, st.sampled_from(LINKS), st.sampled_from(LINKS)),
        st.builds(RenameJoint, st.sampled_from(JOINTS), st.sampled_from(JOINTS)),
        st.floats(-3, 3).map(
            lambda v: SetJoint(
                joint.name, replace(joint, origin=replace(joint.origin, xyz=(v, 0.0, 1.0)))
            )
        ),
        st.builds(InsertItem, st.just("xrdf.tool_frames"), st.sampled_from(LINKS)),
    )


def texts(document: Document) -> tuple[str, str | None, str]:
    return document.xrdf_text, document.srdf_text, document.urdf_text


@settings(deadline=None, max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_three_texts_follow_their_models_and_undo_brings_all_bytes_back(
    data: st.DataObject,
) -> None:
    document = in_memory()
    first, seen = document.robot, [texts(document)]
    assert seen == [(CLEAN, SRDF, URDF)]
    for _ in range(4):
        try:
            document.execute(data.draw(changes(document)))
        except CannotApply:
            continue
        if len(document.history) == len(seen):
            continue
        seen.append(texts(document))
        xrdf, srdf, urdf = seen[-1]
        assert srdf is not None
        assert read_xrdf(SourceText.from_text(xrdf)).value == document.robot.xrdf
        assert read_srdf(SourceText.from_text(srdf)).value == document.robot.srdf
        assert read_urdf(SourceText.from_text(urdf)).value == document.robot.urdf
        assert "<!-- of the arm -->" in srdf
        assert '<ours note="kept"/>' in srdf
        changed = tuple(k for k, a, b in zip(ROBOT_FILES, seen[0], seen[-1], strict=True) if a != b)
        assert set(changed) <= set(document.modified_kinds)
    for position in reversed(range(len(seen))):
        assert texts(document) == seen[position]
        assert document.undo() == (position > 0)
    assert document.robot is first
    assert document.modified_kinds == ()
    for position in range(1, len(seen)):
        assert document.redo()
        assert texts(document) == seen[position]


def test_an_edit_of_the_srdf_writes_the_srdf_alone_and_only_where_it_differs(
    tmp_path: Path,
) -> None:
    document = document_in(tmp_path)
    stamps = {name: (tmp_path / name).stat().st_mtime_ns for name in ("arm.urdf", "arm.xrdf")}
    document.execute(STORE)
    assert document.modified_kinds == (FileKind.SRDF,)
    assert save_all(document) == (tmp_path / "arm.srdf",)
    assert not document.is_modified
    added = [
        line
        for line in (tmp_path / "arm.srdf").read_text().splitlines()
        if line not in SRDF.splitlines()
    ]
    assert [line.strip() for line in added] == [
        '<group_state name="down" group="arm">',
        '<joint name="shoulder" value="-1"/>',
        '<joint name="elbow" value="0.25"/>',
    ]
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in stamps} == stamps
    document.undo()
    assert document.is_modified
    assert save_document(document) == tmp_path / "arm.xrdf"
    assert (tmp_path / "arm.srdf").read_text() == SRDF


def test_a_new_name_of_a_link_is_saved_in_all_three(tmp_path: Path) -> None:
    document = document_in(tmp_path)
    document.execute(RenameLink("upper", "upper_arm"))
    assert document.modified_kinds == ROBOT_FILES
    save_document(document)
    again = open_document(tmp_path / "arm.urdf")
    assert again.robot == document.robot
    assert again.opening_findings == ()
    for name, before in (("arm.urdf", URDF), ("arm.xrdf", CLEAN), ("arm.srdf", SRDF)):
        assert (tmp_path / name).read_text() == (
            before.replace('"upper"', '"upper_arm"')
            .replace(" upper:", " upper_arm:")
            .replace("[upper]", "[upper_arm]")
        )


@pytest.mark.parametrize("name", ["arm.srdf", "arm.urdf", "arm.xrdf"])
def test_somebody_elses_change_of_any_file_stops_before_the_first_is_written(
    tmp_path: Path, name: str
) -> None:
    document = document_in(tmp_path)
    document.execute(RenameLink("upper", "upper_arm"))
    path = tmp_path / name
    path.write_bytes(path.read_bytes() + b"\n")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    assert foreign_changes(document) == (FileKind(path.suffix[1:]),)
    with pytest.raises(ChangedOnDiskError, match="changed by another program") as caught:
        save_document(document)
    assert caught.value.path == path
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    save_document(document, overwrite_foreign=True)
    assert not document.is_modified
    assert not changed_on_disk(document, FileKind.SRDF)
    assert open_document(tmp_path / "arm.urdf").robot == document.robot


def test_when_one_file_cannot_be_written_none_is(tmp_path: Path) -> None:
    document = document_in(tmp_path)
    document.execute(RenameLink("upper", "upper_arm"))
    (tmp_path / "arm.srdf").chmod(0o444)
    with pytest.raises(SaveError, match=r"arm\.srdf is write-protected"):
        save_document(document)
    assert document.modified_kinds == ROBOT_FILES
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN
    (tmp_path / "arm.srdf").chmod(0o644)
    save_document(document)
    assert open_document(tmp_path / "arm.urdf").robot == document.robot


def test_what_srdf_cannot_hold_is_refused_before_it_is_in_the_document(tmp_path: Path) -> None:
    document = document_in(tmp_path)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    before = document.robot
    assert before.srdf is not None
    with pytest.raises(CannotApply, match=r"passive_joints.*zero bytes"):
        document.execute(SetSrdf(replace(before.srdf, passive_joints=("a\x00b",))))
    assert document.robot is before
    save_document(document)


def test_a_new_srdf_goes_beside_the_urdf_but_never_over_one_that_could_not_be_read(
    tmp_path: Path,
) -> None:
    document = make_document(tmp_path)
    assert document.robot.srdf is None
    assert document.srdf_text is None
    document.execute(
        SetSrdf(Srdf("arm", groups=(Group("arm", chains=(("base", "hand"),)),)), "Draft an SRDF")
    )
    assert document.modified_kinds == (FileKind.SRDF,)
    save_document(document)
    assert document.srdf_path == tmp_path / "arm.srdf"
    assert open_document(tmp_path / "arm.urdf").robot == document.robot
    document.undo()
    assert not document.is_modified, (
        "an SRDF that is not wanted any more is nobody's business to delete"
    )

    broken = tmp_path / "broken"
    broken.mkdir()
    document = document_in(broken, SRDF.replace("</robot>", ""))
    [finding] = document.opening_findings
    assert finding.code == "SRDF000"
    assert "arm.srdf" in str(finding.location)
    assert document.robot.srdf is None
    document.execute(SetSrdf(Srdf("arm")))
    save_document(document)
    assert document.srdf_path == broken / "arm_2.srdf"
    assert (broken / "arm.srdf").read_text() == SRDF.replace("</robot>", "")


def test_an_srdf_that_is_named_wins_and_must_be_readable(tmp_path: Path) -> None:
    document_in(tmp_path)
    other = tmp_path / "other.srdf"
    other.write_text(SRDF.replace('name="up"', 'name="other"'))
    document = open_document(tmp_path / "arm.urdf", srdf=other)
    assert document.robot.srdf is not None
    assert [s.name for s in document.robot.srdf.states] == ["other"]
    assert document.srdf_path == other
    other.write_text("<robot>")
    with pytest.raises(FormatError, match=r"other\.srdf"):
        open_document(tmp_path / "arm.urdf", srdf=other)
    with pytest.raises(FormatError, match=r"gone\.srdf"):
        open_document(tmp_path / "arm.urdf", srdf=tmp_path / "gone.srdf")


def test_encoding_and_line_ends_of_the_srdf_are_kept(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf" + SRDF.replace("\n", "\r\n").encode()
    make_document(tmp_path)
    (tmp_path / "arm.srdf").write_bytes(raw)
    document = open_document(tmp_path / "arm.urdf")
    document.execute(STORE)
    save_document(document)
    written = (tmp_path / "arm.srdf").read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.count(b"\n") == written.count(b"\r\n") == raw.count(b"\n") + 4


def test_the_journal_holds_every_unsaved_text_and_they_come_back_as_one_step(
    tmp_path: Path,
) -> None:
    document = document_in(tmp_path)
    document.execute(STORE)
    document.execute(RenameLink("upper", "upper_arm"))
    entry = plan_entry(document)()
    assert isinstance(entry, JournalEntry)
    assert set(entry.texts) == {"xrdf", "srdf", "urdf"}
    assert entry.srdf == str(tmp_path / "arm.srdf")
    again = open_document(tmp_path / "arm.urdf")
    again.replace_texts(texts_of(entry), "Restore unsaved work")
    assert again.robot == document.robot
    assert texts(again) == texts(document)
    assert again.position == 1
    assert again.modified_kinds == document.modified_kinds
    again.undo()
    assert texts(again) == (CLEAN, SRDF, URDF)
    assert not again.is_modified


def test_the_journal_of_an_edit_of_the_srdf_alone_can_be_restored(tmp_path: Path) -> None:
    document = document_in(tmp_path)
    document.execute(STORE)
    entry = plan_entry(document)()
    assert entry is not None
    again = open_document(tmp_path / "arm.urdf")
    again.replace_texts(texts_of(entry), "Restore")
    assert again.modified_kinds == (FileKind.SRDF,)
    assert again.robot == document.robot


def test_the_sample_has_its_srdf(sample_copy: Path) -> None:
    document = open_document(sample_copy)
    assert document.robot.srdf is not None
    assert document.srdf_path == sample_copy.with_suffix(".srdf")
    before = sample_copy.with_suffix(".srdf").read_bytes()
    pair = LinkPair.of("base_link", "hand_link")
    document.execute(set_item("srdf.disabled_pairs", pair, "Never"))
    save_document(document)
    line = b'  <disable_collisions link1="base_link" link2="hand_link" reason="Never"/>\n'
    assert (sample_copy.with_suffix(".srdf").read_bytes()).replace(line, b"") == before
