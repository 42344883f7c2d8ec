"""*Robot › Create collision shapes*: figures, drawn, then one step; the bytes of command line and
interface."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.core.model.urdf import Mesh
from editor_app.core.space.geometry.link_geometry import link_geometry
from editor_app.plugins.collision_shapes.window.collision_dialog import CollisionDialog
from editor_app.window.main_window import MainWindow
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import button, menu_action, open_window, settle, wait_until

LINK = "flange_link"


def shown(window: MainWindow) -> CollisionDialog:
    menu_action(window, "Robot", "Create collision shapes").trigger()
    return next(d for d in window.findChildren(CollisionDialog) if d.isVisible())


def test_a_hull_is_proposed_and_is_one_step(tmp_path: Path, qapp: Any) -> None:
    urdf = copy_of_sample(tmp_path / "arm")
    others = [
        shutil.copytree(urdf.parent, tmp_path / name) / urdf.name for name in ("verb", "command")
    ]
    mesh = urdf.parent / "meshes" / "collision" / f"{LINK}_hull.stl"
    with open_window(tmp_path, urdf) as window:
        document, session = window.session.document, window.session
        before = document.text(FileKind.URDF)
        session.select(Selection(links=(LINK,)))
        dialog = shown(window)
        assert dialog.scope.currentData() == (LINK,)
        assert not button(dialog, "apply").isEnabled()
        # The excess that the best shape may have is asked for with it alone, and is what the
        # command takes.
        assert dialog.excess.isEnabled()
        dialog.excess.setValue(400)
        button(dialog, "make").click()
        wait_until(lambda: dialog.made is not None, 120)
        row = dialog.list.topLevelItem(0)
        assert row is not None
        assert row.text(1) == "sphere"
        assert "at most 400 %" in dialog.summary.text()
        dialog.kind.setCurrentIndex(dialog.kind.findData("hull"))
        dialog.kind.activated.emit(dialog.kind.currentIndex())
        assert not dialog.excess.isEnabled()
        button(dialog, "make").click()
        wait_until(lambda: dialog.made is not None, 120)
        row = dialog.list.topLevelItem(0)
        assert row is not None
        assert (row.text(0), row.text(1), row.text(6)) == (LINK, "hull", "certified")
        assert "false collisions in" in dialog.summary.text()
        assert not document.is_modified, "a proposal changes nothing"
        button(dialog, "apply").click()
        settle(window)
        assert given(document) == [f"meshes/collision/{LINK}_hull.stl"]
        assert not mesh.exists(), "files are written with the URDF"
        triangles = link_geometry(
            document.robot.urdf, document.urdf_path, LINK, "collision"
        ).triangles
        assert triangles > 0

        def drawn() -> int:
            geometry = window.meshes.geometry(LINK, "collision")
            return 0 if geometry is None else geometry.triangles

        wait_until(lambda: drawn() == triangles, 60)
        session.undo()
        assert document.text(FileKind.URDF) == before
        session.redo()
        editor_app.save(document)
        assert mesh.is_file()

    robot = editor_app.open_robot(others[0])
    robot.execute(
        editor_app.make_collision(
            robot, [LINK], editor_app.ShapeChoices("hull", samples=100)
        ).change
    )
    editor_app.save(robot)
    arguments = ["--links", LINK, "--kind", "hull", "--samples", "100", "--in-place"]
    assert run_command("collision", [str(others[1]), *arguments]) == 0
    for other in others:
        assert other.read_bytes() == urdf.read_bytes()
        assert (other.parent / mesh.relative_to(urdf.parent)).read_bytes() == mesh.read_bytes()


def given(document: editor_app.Document) -> list[str]:
    """The mesh files of the link's collision shapes."""
    link = document.robot.urdf.link(LINK)
    assert link is not None
    return [each.geometry.filename for each in link.collisions if isinstance(each.geometry, Mesh)]
