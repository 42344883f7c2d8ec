"""A session without a robot has the document of an empty robot, which no step changes."""

from pathlib import Path

from editor_app.core.document.beside import Beside
from editor_app.core.document.commands import RenameLink
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.journal import plan_entry
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import foreign_changes
from editor_app.core.document.state import FileKind
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.window.session import Session

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="tip"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint>
</robot>
"""


def test_the_document_of_no_robot_is_empty_and_unmodified() -> None:
    document = Document.empty()
    assert document.robot == RobotDescription(Urdf(), Xrdf())
    assert not document.is_modified
    assert all(document.path(kind) is None for kind in FileKind)
    assert foreign_changes(document) == ()
    assert plan_entry(document)() is None


def test_a_session_without_a_robot_refuses_steps_in_silence() -> None:
    session = Session()
    seen: list[object] = []
    session.robot_changed.connect(lambda *robots: seen.append(robots))
    session.refused.connect(seen.append)
    assert not session.execute(set_item("xrdf.default_joint_positions", "j", 1.0))
    assert not session.execute(RenameLink("base", "foot"))
    session.set_beside(Beside(poses=FrozenDict({"home": Pose({})})), "Store a pose")
    session.undo()
    session.redo()
    session.seal()
    session.abandon()
    assert seen == []
    assert session.beside == Beside()
    assert len(session.document.history) == 1
    assert session.transforms.shape == (0, 4, 4)


def test_closing_a_robot_leaves_an_empty_document(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM, encoding="utf-8")
    session = Session()
    opened: list[Document] = []
    session.document_opened.connect(opened.append)
    document = open_document(path)
    session.open(document)
    assert (session.has_robot, session.tree.frames, session.transforms.shape) == (
        True,
        ("base", "tip"),
        (2, 4, 4),
    )
    session.open(None)
    assert (session.has_robot, session.tree.frames, session.pose) == (False, (), Pose({}))
    assert opened == [document, session.document]
    # The closed document tells the session nothing more.
    document.execute(RenameLink("tip", "hand"))
    assert session.robot.urdf.links == ()
