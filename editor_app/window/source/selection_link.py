"""The text and the robot: what typed text would become, the selection in it, remedies at the line
of a finding."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QMenu

from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind, State
from editor_app.core.document.texts import PresentTexts, TypedFault, read_typed
from editor_app.core.model.findings import Finding, SphereRef, YamlPath
from editor_app.core.model.keys import Named
from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.kinematics.tree import KinematicTree
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.text_help import NamedThing
from editor_app.window.findings_feed import FindingsFeed, Remedy
from editor_app.window.jobs import Jobs, Latest
from editor_app.window.session import Session
from editor_app.window.source.source_editor import Mark, SourceEditor, as_shown, common_start
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import SEVERITY_ICONS, icon, no_mnemonic, popup

#: More are not marked.
_MOST = 200


class SelectionLink:
    """`shown`: the XRDF's text as the editor shows it; None where it shows another text, or one
    that is being typed."""

    def __init__(
        self, editor: SourceEditor, session: Session, shown: Callable[[], str | None]
    ) -> None:
        self._editor = editor
        self._session = session
        self._shown = shown
        self._is_selecting = False
        session.selection_changed.connect(lambda _: self.follow())
        editor.cursorPositionChanged.connect(self._select_at_cursor)

    def follow(self) -> None:
        """Marks what is selected."""
        document = self._session.document
        if self._is_selecting:
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
        if not self._editor.hasFocus():
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
    """Return the paths of the selection in the XRDF."""
    paths: list[YamlPath] = [
        ("geometry", s.group, "spheres", s.frame, s.index) for s in selection.spheres
    ]
    if not paths and active_group is not None:
        paths = [("geometry", active_group, "spheres", frame) for frame in selection.links]
    return paths + [("default_joint_positions", joint) for joint in selection.joints]


def selection_at(path: YamlPath | None, robot: RobotDescription) -> Selection | None:
    """Return the selection for a place in the text; None without one."""
    xrdf = robot.xrdf
    match path:
        case ("geometry", group, "spheres", frame, *rest):
            return _spheres_at(str(group), str(frame), rest, robot)
        case ("default_joint_positions", joint):
            return Selection(joints=(str(joint),))
        case (_, "buffer_distance" | "ignore", frame, *_):
            return Selection(links=(str(frame),))
        case ("cspace", _, int(place)):
            names = xrdf.controlled
            return Selection(joints=(names[place],)) if place < len(names) else None
        case ("tool_frames", int(place)):
            frames = xrdf.tool_frames or ()
            return Selection(links=(frames[place],)) if place < len(frames) else None
    return None


def _spheres_at(
    name: str, frame: str, rest: Sequence[str | int], robot: RobotDescription
) -> Selection | None:
    group = robot.xrdf.group(name)
    if group is None:
        return None
    place = rest[0] if rest else None
    if isinstance(place, int) and place < len(group.spheres.get(frame, ())):
        return Selection(spheres=(SphereRef(name, frame, place),))
    return Selection(links=(frame,))


def selection_of(thing: NamedThing, tree: KinematicTree) -> Selection | None:
    """Return the selection of a frame or joint that a text names; None for others, or if the robot
    lacks it."""
    if thing.kind is Named.LINK and thing.name in tree.index:
        return Selection(links=(thing.name,))
    if thing.kind is Named.JOINT and tree.joint(thing.name) is not None:
        return Selection(joints=(thing.name,))
    return None


# -- texts with `\r\n` in an editor that knows one kind of line break


def shown_offset(text: str, offset: int) -> int:
    """Offset in the text with single-character breaks."""
    return offset - text.count("\r\n", 0, offset)


def source_offset(text: str, shown: int) -> int:
    """The inverse of `shown_offset`."""
    breaks = [match.start() - i for i, match in enumerate(re.finditer("\r\n", text))]
    return shown + bisect_left(breaks, shown)


def with_breaks_of(edited: str, original: str) -> str:
    """`edited`, as the editor gives it, where it differs, and `original` with its own breaks and
    blanks elsewhere."""
    shown = as_shown(original)
    start = common_start(shown, edited)
    end = common_start(shown[start:][::-1], edited[start:][::-1])
    head, tail = (source_offset(original, place) for place in (start, len(shown) - end))
    breaks = "\r\n" if 0 < original.count("\n") <= 2 * original.count("\r\n") else "\n"
    return (
        original[:head] + edited[start : len(edited) - end].replace("\n", breaks) + original[tail:]
    )


class QuickFixes(QObject):
    """Knows the findings by line; what is done is what the panel with the findings does."""

    def __init__(self, editor: SourceEditor, feed: FindingsFeed, message: SignalInstance) -> None:
        super().__init__(editor)
        self._message = message
        self._editor = editor
        self._feed = feed
        self._findings: dict[int, list[Finding]] = {}
        editor.cursorPositionChanged.connect(self._light)
        editor.remedies_wanted.connect(self.show_menu)

    def show(self, findings: Iterable[tuple[int, Finding]]) -> None:
        """Marks findings at their lines (from 1); the worst of a line gives the sign."""
        self._findings = {}
        for line, finding in findings:
            self._findings.setdefault(line, []).append(finding)
        marks = []
        for line, line_findings in self._findings.items():
            line_findings.sort(key=lambda finding: -finding.severity)
            words = "\n".join(f"{finding.code}: {finding.message}" for finding in line_findings)
            worst = line_findings[0]
            column = worst.location.column if worst.location is not None else None
            marks.append(Mark(line, SEVERITY_ICONS[worst.severity], words, column))
        self._editor.set_marks(marks)
        self._light()

    def remedies_at(self, line: int) -> list[Remedy]:
        """Label and what carries it out, each label once."""
        remedies: dict[str, Remedy] = {}
        for finding in self._findings.get(line, ()):
            for remedy in self._feed.remedies(finding):
                remedies.setdefault(remedy.label, remedy)
        return list(remedies.values())

    def show_menu(self) -> None:
        """The remedies at the cursor's line."""
        cursor = self._editor.textCursor()
        remedies = self.remedies_at(cursor.blockNumber() + 1)
        if not remedies:
            self._message.emit("No fix on this line.")
            return
        menu = QMenu(self._editor)
        menu.setObjectName("remedies")
        for label, run in remedies:
            menu.addAction(icon("wrench"), no_mnemonic(label), run)
        menu.setActiveAction(menu.actions()[0])
        popup(
            menu, self._editor.viewport().mapToGlobal(self._editor.cursorRect(cursor).bottomLeft())
        )

    def _light(self) -> None:
        line = self._editor.textCursor().blockNumber() + 1
        self._editor.set_lamp(line if line in self._findings and self.remedies_at(line) else None)


#: Where the text cannot be read, or what reading it has to say.
Judgement = TypedFault | tuple[Finding, ...]


class Judge(QObject):
    """Reads in a thread; a judgement that typing has overtaken is not said."""

    def __init__(
        self, session: Session, jobs: Jobs, parent: QObject, say: Callable[[Judgement], object]
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._say = say
        self._reading = Latest(jobs, "Reading the text")
        self._kind = FileKind.XRDF
        self._pause = after(self, self._read, Wait.TYPING)

    def wait(self, kind: FileKind) -> None:
        """Something was typed for a file: it is read after a pause."""
        self._kind = kind
        self._pause.start()

    def read(self, kind: FileKind) -> None:
        """Reads it at once."""
        self._kind = kind
        self._pause.stop()
        self._read()

    def stop(self) -> None:
        self._pause.stop()
        self._reading.forget()

    def _read(self) -> None:
        document, kind = self._session.document, self._kind
        if document.typed(kind) is None:
            return
        # What is typed next is another step.
        self._session.seal()
        state = document.state

        def tell(judgement: Judgement) -> None:
            if self._session.document is document and document.typed(kind) == state.typed.get(kind):
                self._say(judgement)

        self._reading.ask(partial(_judge, state, kind), tell)


def _judge(state: State, kind: FileKind) -> Judgement:
    try:
        read = read_typed(state, kind)
    except TypedFault as fault:
        return fault
    part = read.parts.get(kind)
    return part.findings if part is not None else ()


class TextAhead:
    """`show` is called when the text of the present XRDF can be had without a wait: many spheres
    take long."""

    def __init__(self, session: Session, jobs: Jobs, show: Callable[[], None]) -> None:
        self._session = session
        self._show = show
        self._making = Latest(jobs, "Writing the text")

    @property
    def is_busy(self) -> bool:
        return self._making.is_busy

    def ask(self) -> None:
        """Has the text of the present state made; a drag that goes on meanwhile asks again when it
        rests."""
        document = self._session.document
        if not self._session.has_robot:
            return
        state = document.state

        def done(_: object) -> None:
            if self._session.document is document and document.robot.xrdf is state.robot.xrdf:
                self._show()

        self._making.ask(partial(_make, document.present_texts, state), done)

    def forget(self) -> None:
        """Nothing is shown for what was asked."""
        self._making.forget()


def _make(texts: PresentTexts, state: State) -> None:
    try:
        texts.prepared(state)
    except FormatError:
        # The editor says why, where the text would stand.
        pass
