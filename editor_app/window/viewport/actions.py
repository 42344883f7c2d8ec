"""Actions of the view: showing, camera, spheres, links, posing by hand.

Keys without Ctrl count only while the view has the focus, so that fields and lists keep their
letters.
"""

from __future__ import annotations

from editor_app.window.actions.action_tables import CAMERA, POSING, SHOWN, SPHERES
from editor_app.window.actions.actions import ActionRegistry, Reason
from editor_app.window.reaching import Keep
from editor_app.window.session import Session, SphereRadius
from editor_app.window.viewport import view
from editor_app.window.viewport.tools import Tool


def register(registry: ActionRegistry, view: view.Viewport, session: Session) -> None:
    """Registers everything in menus, search, context menus and the buttons at the edge."""
    subject = ViewActions(view, session)
    for table in (SHOWN, CAMERA, SPHERES, POSING):
        registry.add(table, subject, view)
    for signal in (session.reaching.changed, view.interaction.tool_changed):
        signal.connect(registry.refresh_later)


#: Actions whose keys count in the tree of links, too.
KEYS_OF_TREE = (
    "spheres.select_of_link",
    "spheres.add_tool",
    "spheres.duplicate",
    "spheres.delete",
    "view.hide",
    "view.show_only",
    "view.show_all",
)


class ViewActions:
    """The names that the tables of the view use."""

    def __init__(self, view: view.Viewport, session: Session) -> None:
        self._session, self._reaching = session, session.reaching
        self.view = view
        self.scene = view.scene
        self._interaction = view.interaction
        self.edits = view.interaction.edits
        self.poser = view.interaction.poser

    # -- showing

    def flip(self, option: str) -> None:
        self._session.set_display(**{option: not self.is_on(option)})

    def is_on(self, option: str) -> bool:
        return bool(getattr(self._session.display, option))

    def use_radius(self, mode: str) -> None:
        self._session.set_display(sphere_radius=SphereRadius(mode))

    def is_radius(self, mode: str) -> bool:
        return self._session.display.sphere_radius == mode

    # -- spheres and links

    def flip_tool(self, tool: str) -> None:
        self.view.set_tool(Tool.SELECT if self.is_tool(tool) else tool)

    def is_tool(self, tool: str) -> bool:
        return self._interaction.tool == tool

    def select_of_link(self) -> None:
        self.edits.select_spheres_of(self._session.selection.frames)

    def no_more_of_link(self) -> Reason:
        frames = self._session.selection.frames
        if not frames:
            return "No link or sphere is selected."
        refs = {ref for ref in self.scene.table.refs if ref.frame in frames}
        if not refs:
            return (
                f"{frames[0]} has no spheres."
                if len(frames) == 1
                else "These links have no spheres."
            )
        return (
            "All spheres of the link are selected."
            if refs == set(self._session.selection.spheres)
            else None
        )

    def flip_gizmo(self) -> None:
        self.scene.set_gizmo_in_link(not self.scene.gizmo_in_link)

    def all_hidden(self) -> Reason:
        return (
            "The link is already hidden."
            if self._session.hidden.issuperset(self._session.selection.frames)
            else None
        )

    def _others(self) -> frozenset[str]:
        return frozenset(self._session.tree.frames) - frozenset(self._session.selection.frames)

    def nothing_else_shown(self) -> Reason:
        return "No other link is shown." if self._session.hidden == self._others() else None

    def hide(self) -> None:
        self._session.set_hidden(self._session.hidden | frozenset(self._session.selection.frames))

    def show_only(self) -> None:
        self._session.set_hidden(self._others())

    # -- posing by hand

    def flip_kept(self, keeps: str) -> None:
        self._reaching.keep(Keep.NOTHING if self.is_kept(keeps) else Keep(keeps))

    def is_kept(self, keeps: str) -> bool:
        return self._reaching.keeps == keeps

    def no_joint(self) -> Reason:
        return None if self._joints() else "Select a movable joint or its link first."

    def flip_last(self) -> None:
        last = not self.is_last()
        for joint in self._joints():
            self._reaching.set_last(joint, last=last)

    def is_last(self) -> bool:
        joints = self._joints()
        return bool(joints) and self._reaching.last.issuperset(joints)

    def _joints(self) -> list[str]:
        """The selected joints that move by themselves; else those that carry the selected links."""
        session = self._session
        tree = session.tree
        names = session.selection.joints or [
            joint.name
            for link in session.selection.links
            if link in tree.index and (joint := tree.joint_to(link))
        ]
        return [name for name in names if name in tree.independent]

    def held_frame(self) -> str | None:
        frames = self._session.selection.frames
        return frames[-1] if frames else self.poser.tool

    def hold(self) -> None:
        name = self.held_frame()
        if name is not None:
            self._reaching.hold(name, held=name not in self._reaching.held)

    def is_held(self) -> bool:
        return self.held_frame() in self._reaching.held
