"""The selection and the text follow each other: where the selection stands in it, and what a place of it selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editor_app.edit.selection import Selection
from editor_app.gui.panels.source.source_editor import SourceEditor
from editor_app.gui.session import Session
from editor_app.kinematics.tree import KinematicTree
from editor_app.model.findings import SphereRef, YamlPath
from editor_app.model.references import Named
from editor_app.model.robot import RobotDescription
from editor_app.operations.text_help import NamedThing

#: More are not marked.
_MOST = 200


class SelectionLink:
    """`shown`: the XRDF's text as the editor shows it; None where it shows another text, or one that is being typed."""

    def __init__(self, editor: SourceEditor, session: Session, shown: Callable[[], str | None]) -> None:
        self._editor = editor
        self._session = session
        self._shown = shown
        self._is_selecting = False
        session.selection_changed.connect(lambda _: self.follow())
        editor.cursorPositionChanged.connect(self._select_at_cursor)

    def follow(self) -> None:
        """Marks what is selected."""
        document = self._session.document
        if document is None or self._is_selecting:
            return
        shown = self._shown()
        if shown is None:
            self._editor.show_span([])
            return
        source = document.xrdf_now
        spans = []
        for path in paths_of(self._session.selection, self._session.active_group)[:_MOST]:
            span = source.span(source.yaml_path(path))
            if span is not None:
                spans.append((shown_offset(shown, span[0]), shown_offset(shown, span[1])))
        self._editor.show_span(spans, scroll=not self._editor.hasFocus())

    def _select_at_cursor(self) -> None:
        document = self._session.document
        if document is None or not self._editor.hasFocus():
            return
        shown = self._shown()
        if shown is None:
            return
        source = document.xrdf_now
        offset = source_offset(shown, self._editor.cursor_offset())
        selection = selection_at(source.model_path(source.path_at(offset)), document.robot)
        if selection is not None and selection != self._session.selection:
            self._is_selecting = True
            self._session.select(selection)
            self._is_selecting = False
            self.follow()


def paths_of(selection: Selection, active_group: str | None) -> list[YamlPath]:
    """Where what is selected stands in the XRDF."""
    paths: list[YamlPath] = [("geometry", s.group, "spheres", s.frame, s.index) for s in selection.spheres]
    if not paths and active_group is not None:
        paths = [("geometry", active_group, "spheres", frame) for frame in selection.links]
    return paths + [("default_joint_positions", joint) for joint in selection.joints]


def selection_at(path: YamlPath | None, robot: RobotDescription) -> Selection | None:
    """What to select for a place in the text; None where there is nothing to select."""
    xrdf = robot.xrdf
    match path:
        case ("geometry", group, "spheres", frame, *rest):
            return _spheres_at(str(group), str(frame), rest, robot)
        case ("default_joint_positions", joint):
            return Selection(joints=(str(joint),))
        case (_, "buffer_distance" | "ignore", frame, *_):
            return Selection(links=(str(frame),))
        case ("cspace", _, int(place)):
            names = (xrdf.cspace.joint_names if xrdf.cspace else None) or ()
            return Selection(joints=(names[place],)) if place < len(names) else None
        case ("tool_frames", int(place)):
            frames = xrdf.tool_frames or ()
            return Selection(links=(frames[place],)) if place < len(frames) else None
    return None


def _spheres_at(name: str, frame: str, rest: Sequence[str | int], robot: RobotDescription) -> Selection | None:
    group = robot.xrdf.group(name)
    if group is None:
        return None
    place = rest[0] if rest else None
    if isinstance(place, int) and place < len(group.spheres.get(frame, ())):
        return Selection(spheres=(SphereRef(name, frame, place),))
    return Selection(links=(frame,))


def selection_of(thing: NamedThing, tree: KinematicTree | None) -> Selection | None:
    """What to select for a frame or joint that a text names; None for other things, and where the robot has it not."""
    if thing.kind is Named.LINK and tree is not None and thing.name in tree.index:
        return Selection(links=(thing.name,))
    if thing.kind is Named.JOINT and tree is not None and tree.joint(thing.name) is not None:
        return Selection(joints=(thing.name,))
    return None


# -- texts with `\r\n` in an editor that knows one kind of line break


def shown_offset(text: str, offset: int) -> int:
    """Offset in the text with single-character breaks."""
    return offset - text.count("\r\n", 0, offset)


def source_offset(text: str, shown: int) -> int:
    if "\r\n" not in text:
        return shown
    offset = shown
    while True:
        moved = shown + text.count("\r\n", 0, offset)
        if moved == offset:
            return offset
        offset = moved


def with_breaks_of(edited: str, original: str) -> str:
    """`edited` (with \\n) in which lines before and after the edit keep the line breaks of `original`."""
    if "\r" not in original:
        return edited
    lines = original.splitlines(keepends=True)
    common = "\r\n" if original.count("\r\n") * 2 >= original.count("\n") else "\n"
    new = edited.split("\n")
    plain = [line.rstrip("\r\n") for line in lines]
    if not lines or lines[-1].endswith(("\n", "\r")):
        plain.append("")
        lines.append("")
    start = 0
    limit = min(len(plain), len(new))
    while start < limit and plain[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and plain[-1 - end] == new[-1 - end]:
        end += 1
    kept_tail = lines[len(lines) - end :] if end else []
    head = lines[:start]
    middle = new[start : len(new) - end]
    if head and (middle or end) and not head[-1].endswith(("\n", "\r")):
        head[-1] += common
    if end:
        return "".join(head) + "".join(line + common for line in middle) + "".join(kept_tail)
    return "".join(head) + common.join(middle)
