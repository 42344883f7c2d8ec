"""The viewport's actions: what menus, the search box and context menus can do with the view and the spheres in it.

Keys without Ctrl count only while the view has the focus, so that fields and lists keep their letters.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from editor_app.gui.actions import NO_ROBOT, ActionRegistry, Reason
from editor_app.gui.session import Session, SphereRadius
from editor_app.gui.viewport.measuring.actions import register_measuring
from editor_app.gui.viewport.section.actions import register_section
from editor_app.gui.viewport.strip import RADIUS_TEXT, VIEWS
from editor_app.gui.viewport.tools import Tool

if TYPE_CHECKING:
    from editor_app.gui.viewport.view import Viewport

_SWITCHES = (
    ("visuals", "&Visual meshes", "cube", "V"),
    ("collisions", "&Collision meshes", "polygon", "C"),
    ("spheres", "&Spheres", "circles-three", "S"),
    ("frames", "&Frames", "arrows-out", "R"),
    ("frame_names", "&Names of frames", "tag", "N"),
    ("joint_axes", "&Joint axes", "arrow-clockwise", "J"),
    ("tools", "Tools of the &SRDF", "crosshair", "T"),
    ("sensors", "S&ensors", "broadcast", "E"),
    ("grid", "&Ground grid", "grid-four", "G"),
)
#: What the ghost shows as long as its switch is on.
_GHOSTS = (
    (
        "former",
        "The state &before the last change",
        "Shift+G",
        "Spheres and links are drawn also as they were before the last change, not only while it goes on",
    ),
    (
        "since_saved",
        "The sa&ved state",
        "Ctrl+Shift+G",
        "Spheres and links are drawn also as the files have them: what was changed since the last save",
    ),
)


def no_document(session: Session) -> Reason:
    """Why nothing can be done with a robot."""
    return None if session.document is not None else NO_ROBOT


def register(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    """Registers everything in menus, search and context menus; a second call replaces the first."""
    _register_looking(registry, view, session)
    _register_camera(registry, view, session)
    _register_spheres(registry, view, session)
    _register_links(registry, view, session)
    register_measuring(registry, view, session)
    register_section(registry, view, session)
    _register_posing(registry, view, session)
    view.use_actions(registry)


def _register_looking(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    def flip(name: str) -> None:
        session.set_display(**{name: not getattr(session.display, name)})

    def flip_ghost(name: str) -> None:
        """One of the two at most: there is one ghost."""
        session.set_display(**{ghost: ghost == name and not is_on(name) for ghost, *_ in _GHOSTS})

    def is_on(name: str) -> bool:
        return bool(getattr(session.display, name))

    def is_mode(mode: SphereRadius) -> bool:
        return session.display.sphere_radius is mode

    for name, text, glyph, key in _SWITCHES:
        registry.register(
            f"view.{name}",
            text,
            partial(flip, name),
            shortcut=key,
            icon=glyph,
            menu="View",
            section="show",
            checked=partial(is_on, name),
            context=view,
            keywords="show hide display",
        )
    for name, text, key, tip in _GHOSTS:
        registry.register(
            f"view.{name}",
            text,
            partial(flip_ghost, name),
            shortcut=key,
            icon="ghost",
            menu="View",
            section="show",
            tooltip=tip,
            checked=partial(is_on, name),
            context=view,
            keywords="ghost previous former compare onion skin before after saved file",
        )
    for mode in SphereRadius:
        registry.register(
            f"view.radius.{mode}",
            RADIUS_TEXT[mode][0],
            partial(session.set_display, sphere_radius=mode),
            menu="View/Radius of spheres",
            section="show",
            checked=partial(is_mode, mode),
            keywords="buffer distance",
        )


def _register_camera(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    registry.register(
        "view.fit",
        "Zoom to &all",
        view.reset_camera,
        shortcut="Home",
        icon="corners-out",
        menu="View",
        section="camera",
        contexts=("viewport",),
        context=view,
        enabled=partial(no_document, session),
        keywords="fit reset camera everything",
    )
    registry.register(
        "view.fit_selection",
        "&Zoom to selection",
        view.fit_selection,
        shortcut="F",
        icon="magnifying-glass-plus",
        menu="View",
        section="camera",
        contexts=("sphere", "link", "joint"),
        context=view,
        enabled=partial(no_document, session),
        keywords="fit focus camera nearer",
    )
    registry.register(
        "view.back",
        "&Back to the view before",
        view.scene.following.back,
        shortcut="Backspace",
        icon="arrow-u-up-left",
        menu="View",
        section="camera",
        enabled=lambda: (
            no_document(session) or (None if view.scene.following.can_go_back else "The camera has not moved.")
        ),
        keywords="camera return previous",
    )
    registry.register(
        "view.follow",
        "The &view follows the lists",
        lambda: session.set_display(follow_selection=not session.display.follow_selection),
        icon="crosshair",
        menu="View",
        section="camera",
        checked=lambda: session.display.follow_selection,
        tooltip="Findings and pairs that are small or out of sight come into view when they are chosen in a list",
        keywords="camera selection automatic zoom",
    )
    for name, text, key in VIEWS:
        registry.register(
            f"view.from.{name}",
            text,
            partial(view.standard_view, name),
            shortcut=key,
            menu="View/Standard view",
            section="camera",
            context=view,
            enabled=partial(no_document, session),
            keywords="camera look standard view",
        )
    registry.register(
        "view.parallel_projection",
        "&Parallel projection",
        lambda: session.set_display(parallel_projection=not session.display.parallel_projection),
        shortcut="5",
        icon="bounding-box",
        menu="View",
        section="camera",
        checked=lambda: session.display.parallel_projection,
        context=view,
        keywords="orthographic perspective",
    )


def _register_spheres(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    interaction = view.interaction

    def nothing_selected() -> Reason:
        return None if session.selection.spheres else "No sphere is selected."

    def cannot_add() -> Reason:
        if session.document is None:
            return NO_ROBOT
        return None if session.active_group is not None else "There is no geometry group to add spheres to."

    def flip_tool(tool: Tool) -> None:
        view.set_tool(Tool.SELECT if interaction.tool is tool else tool)

    registry.register(
        "spheres.add_tool",
        "&Add on surface",
        lambda: flip_tool(Tool.ADD),
        shortcut="A",
        icon="plus-circle",
        menu="Spheres",
        section="edit",
        toolbar="spheres",
        tooltip="Add spheres by clicking on the surface of a link",
        checked=lambda: interaction.tool is Tool.ADD,
        enabled=cannot_add,
        context=view,
        contexts=("link",),
        keywords="new create",
    )
    registry.register(
        "spheres.duplicate",
        "D&uplicate",
        interaction.edits.duplicate_selected,
        shortcut="Ctrl+D",
        icon="copy",
        menu="Spheres",
        section="edit",
        contexts=("sphere",),
        context=view,
        enabled=nothing_selected,
        keywords="copy",
    )
    registry.register(
        "spheres.delete",
        "&Delete",
        interaction.edits.delete_selected,
        shortcut="Delete",
        icon="trash",
        menu="Spheres",
        section="edit",
        contexts=("sphere",),
        context=view,
        enabled=nothing_selected,
        keywords="remove",
    )
    registry.register(
        "spheres.box",
        "&Box select",
        lambda: flip_tool(Tool.BOX),
        shortcut="B",
        icon="selection",
        menu="Spheres",
        section="select",
        checked=lambda: interaction.tool is Tool.BOX,
        enabled=partial(no_document, session),
        context=view,
        keywords="rectangle rubber band",
    )

    def of_links() -> None:
        interaction.edits.select_spheres_of(session.selection.frames)

    def no_more_of_links() -> Reason:
        frames = session.selection.frames
        if not frames:
            return "No link or sphere is selected."
        refs = {ref for ref in view.scene.table.refs if ref.frame in frames}
        if not refs:
            return f"{frames[0]} has no spheres." if len(frames) == 1 else "These links have no spheres."
        return "All spheres of the link are selected." if refs == set(session.selection.spheres) else None

    registry.register(
        "spheres.select_of_link",
        "Select all &of the link",
        of_links,
        shortcut="L",
        icon="circles-three",
        menu="Spheres",
        section="select",
        contexts=("sphere", "link"),
        context=view,
        enabled=no_more_of_links,
        keywords="spheres same link",
    )
    registry.register(
        "spheres.gizmo_frame",
        "&Handles in the frame of the link",
        lambda: view.set_gizmo_in_link(not view.scene.gizmo_in_link),
        shortcut="X",
        icon="arrows-out-cardinal",
        menu="Spheres",
        section="handles",
        checked=lambda: view.scene.gizmo_in_link,
        context=view,
        keywords="gizmo world local axes",
    )


def _register_links(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    def no_link() -> Reason:
        return None if session.selection.frames else "No link is selected."

    def all_hidden() -> Reason:
        return no_link() or ("It is hidden." if session.hidden.issuperset(session.selection.frames) else None)

    def others() -> frozenset[str]:
        tree = session.tree
        return frozenset(tree.frames if tree is not None else ()) - frozenset(session.selection.frames)

    def nothing_else_shown() -> Reason:
        return no_link() or ("Nothing else is shown." if session.hidden == others() else None)

    def hide() -> None:
        session.set_hidden(session.hidden | frozenset(session.selection.frames))

    registry.register(
        "view.hide",
        "&Hide link",
        hide,
        shortcut="H",
        icon="eye-slash",
        menu="View",
        section="links",
        contexts=("link", "sphere"),
        context=view,
        enabled=all_hidden,
    )
    registry.register(
        "view.show_only",
        "Show &only this link",
        lambda: session.set_hidden(others()),
        shortcut="Shift+H",
        icon="eye",
        menu="View",
        section="links",
        contexts=("link", "sphere"),
        context=view,
        enabled=nothing_else_shown,
        keywords="isolate",
    )
    registry.register(
        "view.show_all",
        "Show a&ll links",
        lambda: session.set_hidden(frozenset()),
        shortcut="Alt+H",
        icon="eye",
        menu="View",
        section="links",
        contexts=("viewport",),
        context=view,
        enabled=lambda: None if session.hidden else "Every link is shown.",
    )


def _register_posing(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    interaction = view.interaction
    poser = interaction.poser

    def flip() -> None:
        view.set_tool(Tool.SELECT if interaction.tool is Tool.POSE else Tool.POSE)

    def frame() -> str | None:
        return session.selection.frames[-1] if session.selection.frames else poser.tool

    def hold() -> None:
        name = frame()
        if name is not None:
            poser.hold(name, held=name not in poser.held)

    registry.register(
        "pose.tool",
        "&Pose by hand",
        flip,
        shortcut="P",
        icon="hand",
        menu="Robot",
        section="pose",
        contexts=("link", "viewport"),
        tooltip="Drag links to turn their joints, and the tool by its handles",
        checked=lambda: interaction.tool is Tool.POSE,
        enabled=partial(no_document, session),
        context=view,
        keywords="inverse kinematics ik drag joint tool move",
    )
    registry.register(
        "pose.keep_rotation",
        "&Keep the tool's rotation",
        lambda: poser.set_keeps_rotation(not poser.keeps_rotation),
        menu="Robot",
        section="pose",
        tooltip="While the tool is dragged along its arrows, it keeps its rotation; else only its position counts",
        checked=lambda: poser.keeps_rotation,
        enabled=partial(no_document, session),
        keywords="inverse kinematics orientation position only",
    )
    registry.register(
        "pose.hold",
        "H&old this tool in place",
        hold,
        icon="anchor",
        menu="Robot",
        section="pose",
        contexts=("link",),
        tooltip="It stays where it is while another tool is dragged",
        checked=lambda: frame() in poser.held,
        enabled=lambda: (
            no_document(session) or (None if frame() is not None else "No link of this robot can be moved.")
        ),
        keywords="inverse kinematics pin two arms",
    )
    poser.changed.connect(registry.refresh_later)
