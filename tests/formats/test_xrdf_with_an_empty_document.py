"""A last line ---, as `ros2 topic echo` writes it: one document is read, edited and saved; what
refuses it is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.commands.self_collision import SetMask
from editor_app.core.document.saving import save_document
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_all, compose_document
from editor_app.core.text.yaml.plain import load_plain
from editor_app.features.checks.verbs.check import check
from editor_app.plugins.consumers.verbs.repair import repair
from tests.helpers.documents import CLEAN, make_document

#: Texts of one document, and where empty ones begin.
ONE = {
    "a: 1\n": (),
    "a: 1\n---\n": (5,),
    "a: 1\n---": (5,),
    "---\na: 1\n--- # nothing\n": (9,),
    "a: 1\n...\n---\n...\n---\n": (9, 17),
    "---\n---\na: 1\n": (0,),
}


@pytest.mark.parametrize("text", ONE)
def test_empty_documents_are_left_out(text: str) -> None:
    source = SourceText.from_text(text)
    assert load_plain(source) == {"a": 1}
    assert compose_document(source).empty == ONE[text]


def test_a_second_document_is_refused_with_its_line() -> None:
    for text in ("a: 1\n---\nb: 2\n", "a: 1\n---\nnull\n", "a: 1\n---\n''\n"):
        with pytest.raises(FormatError, match="2:1: The file holds more than one YAML document"):
            compose_document(SourceText.from_text(text))
    # An anchor ends with its document.
    with pytest.raises(FormatError, match="has no anchor above it"):
        compose_all(SourceText.from_text("a: &x 1\n---\nb: *x\n"))


def test_a_file_with_one_is_read_edited_and_saved_as_another(tmp_path: Path) -> None:
    document = make_document(tmp_path, CLEAN + "---\n")
    assert document.robot.xrdf == read_xrdf(SourceText.from_text(CLEAN)).value
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    document.execute(SetMask(pairs=(LinkPair.of("base", "hand"),)))
    save_document(document)
    saved = (tmp_path / "arm.xrdf").read_text()
    assert saved.endswith("---\n")
    other = make_document(tmp_path, CLEAN)
    other.execute(InsertItem("xrdf.tool_frames", "hand"))
    other.execute(SetMask(pairs=(LinkPair.of("base", "hand"),)))
    assert saved == (other.xrdf_text or "") + "---\n"


def test_it_is_a_finding_and_its_fix_cures_it(tmp_path: Path) -> None:
    text = CLEAN + "---\n"
    with pytest.raises(yaml.composer.ComposerError):
        # What cuRobo reads its files by.
        yaml.safe_load(text)
    document = make_document(tmp_path, text)
    for profile, severity in (
        (Profile.SPECIFICATION, Severity.WARNING),
        (Profile.CUROBO, Severity.ERROR),
    ):
        [finding] = [
            finding for finding in check(document, profile=profile) if finding.code == "XRDF217"
        ]
        assert finding.severity is severity
        assert finding.location is not None
        assert finding.location.line == CLEAN.count("\n") + 1
    [fix] = finding.fixes
    assert fix.apply_text(text) == CLEAN  # type: ignore[union-attr]
    assert fix.apply_text("a: 1\r\n---  \r\n--- # last") == "a: 1\r\n# last"  # type: ignore[union-attr]
    assert any(step.code == "XRDF217" for step in repair(document).steps)
    assert not [
        finding
        for finding in check(make_document(tmp_path, "---\n" + CLEAN))
        if finding.code == "XRDF217"
    ]
