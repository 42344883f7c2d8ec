"""A link that leads nowhere is no name for a new file: saving says so, and makes nothing where it
points to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from editor_app.__main__ import main
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import SaveError, save_all, save_expansion_as, save_kind_as
from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf.xacro import expand_xacro
from tests.helpers.documents import CLEAN, URDF, make_document

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links of POSIX")


@pytest.fixture
def link(tmp_path: Path) -> Path:
    """A link out of the robot's folder to a file that is not there, in a folder that is."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "robot").mkdir()
    path = tmp_path / "robot" / "mine.xrdf"
    path.symlink_to(tmp_path / "elsewhere" / "new")
    return path


def unchanged(link: Path) -> bool:
    target = Path(os.readlink(link))
    names = {
        p.name for p in link.parent.iterdir() if p.name.startswith(".") or p.name.endswith(".tmp")
    }
    return not list(target.parent.iterdir()) and not names


def save_xrdf(link: Path) -> None:
    save_all(make_document(link.parent), link)


def save_only_xrdf(link: Path) -> None:
    save_kind_as(make_document(link.parent), FileKind.XRDF, link)


def save_expansion(link: Path) -> None:
    source = link.parent / "arm.urdf.xacro"
    source.write_text(URDF)
    expanded = expand_xacro(source)
    assert expanded.path is not None
    save_expansion_as(
        open_document(expanded, expansion=Expansion.of(source, expanded.path, {}, ())), link
    )


@pytest.mark.parametrize("save", [save_xrdf, save_only_xrdf, save_expansion])
def test_save_as_is_refused_with_both_names(link: Path, save: Callable[[Path], None]) -> None:
    with pytest.raises(SaveError) as told:
        save(link)
    assert str(link) in str(told.value)
    assert "link to" in str(told.value)
    assert os.readlink(link) in str(told.value)
    assert "Save under another name, or delete it." in str(told.value)
    assert unchanged(link)


def test_the_command_line_refuses_it(link: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_document(link.parent)
    robot = str(link.parent / "arm.urdf")
    for command in (["new", robot, "-o", str(link)], ["convert", robot, str(link), "--force"]):
        assert main(command) == 2
        assert "is a link to" in capsys.readouterr().err
        assert unchanged(link)


def test_a_link_to_a_file_is_followed_and_stays_a_link(link: Path) -> None:
    target = Path(os.readlink(link))
    target.write_text("old")
    document = make_document(link.parent)
    save_all(document, link, overwrite=True)
    assert link.is_symlink()
    assert target.read_text() == CLEAN
