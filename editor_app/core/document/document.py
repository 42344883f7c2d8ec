"""One open robot: the present state, its history, and the texts that saving would write."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from editor_app.core.document.beside import Beside
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind, FileRecord, Files, State, file_of
from editor_app.core.document.texts import PresentTexts, TypedFault, read_typed, state_with_text
from editor_app.core.document.timeline import Changed as Changed
from editor_app.core.document.timeline import Timeline
from editor_app.core.drafting import ControlPlan
from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.xrdf import XrdfPatch, XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.write import part_at
from editor_app.core.model.coercion import MisfitError, conformed
from editor_app.core.model.findings import Finding, Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import Guesses
from editor_app.core.model.inputs import Inputs, real_path
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply, Change, RobotDescription, TextChange
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.geometry.paths import keep_unsaved
from editor_app.core.text.source import FormatError, SourceText


class Document(Timeline):
    """The one place where a robot changes. `execute` applies a `Change` as a step, which can be
    undone."""

    def __init__(
        self,
        *parts: FilePart[Any] | None,
        xrdf_is_new: bool = False,
        first_plan: ControlPlan | None = None,
        expansion: Expansion | None = None,
    ) -> None:
        """`parts`: URDF, XRDF and other files as read; missing ones may be None.

        With `expansion`, the URDF comes from a xacro file and is in no file. It can be edited after
        `adopt_urdf`.
        """
        state = State.of_parts(parts, first_plan)
        super().__init__(state)
        self._texts = PresentTexts()
        self._expansion = expansion
        self._files = Files()
        for kind, part in state.parts.items():
            is_read = not (kind is FileKind.XRDF and xrdf_is_new)
            is_file = is_read and not (kind is FileKind.URDF and expansion is not None)
            record = FileRecord(
                part.source.path,
                part.source.digest if is_file else None,
                state if is_read else None,
            )
            self._files.add(kind, 0, record)
        self.profile = Profile.SPECIFICATION
        #: Package (or another beginning of an address, as "package://NAME") -> folder with its
        #: meshes.
        self.packages: Mapping[str, Path] = {}
        #: Findings of opening; the files have findings of their own.
        self.opening_findings: tuple[Finding, ...] = ()
        self._kept_scene: Scene = EMPTY_SCENE
        self._kept_motion: Trajectory | None = None

    @classmethod
    def empty(cls) -> Document:
        """Return the document of a robot without links, in no file: a window has it while no robot
        is open."""
        texts = ('<robot name=""/>', 'format: "xrdf"\nformat_version: 1.0\n')
        urdf, xrdf = (SourceText.from_bytes(text.encode(), None) for text in texts)
        return cls(read_urdf(urdf), read_xrdf(xrdf))

    # -- what is there now

    @property
    def robot(self) -> RobotDescription:
        return self.state.robot

    @property
    def first_plan(self) -> ControlPlan | None:
        """The plan that a new XRDF was drafted by, or was given since; None for an XRDF that was
        read."""
        return self.state.first_plan

    @property
    def urdf_path(self) -> Path | None:
        """The file of the URDF, whose meshes are relative to its folder. For an expansion: where
        the file would be."""
        return self.state.urdf_source.source.path

    @property
    def expansion(self) -> Expansion | None:
        """The xacro file that the URDF comes from, if the URDF is in no file. It cannot be edited
        then."""
        return self._expansion

    @property
    def is_modified(self) -> bool:
        """True if saving would write anything."""
        return any(self.is_kind_modified(kind) for kind in FileKind)

    @property
    def modified_kinds(self) -> tuple[FileKind, ...]:
        """The files that saving would write."""
        return tuple(kind for kind in FileKind if self.is_kind_modified(kind))

    @property
    def saved_robot(self) -> RobotDescription | None:
        """The robot as its files have it; None while no XRDF was read or saved."""
        xrdf, urdf = self._file(FileKind.XRDF).saved, self._file(FileKind.URDF).saved
        if xrdf is None:
            return None
        return (urdf or self.state).robot.with_xrdf(xrdf.robot.xrdf)

    @property
    def saved_position(self) -> int | None:
        """Index in `history` of the step that the files hold, the nearest to the present; None
        without one."""
        history = self.history
        # From the present outwards: the history is long, and every step asks.
        steps = sorted(range(len(history)), key=lambda index: abs(index - self.position))
        saved = (
            k
            for k in steps
            if not any(self._files.is_modified(history[k].state, kind) for kind in FileKind)
        )
        return next(saved, None)

    def is_kind_modified(self, kind: FileKind) -> bool:
        """Return whether saving would write this file."""
        return self._files.is_modified(self.state, kind)

    @property
    def xrdf_path(self) -> Path | None:
        """The file to which the XRDF is saved."""
        return self._file(FileKind.XRDF).path

    @xrdf_path.setter
    def xrdf_path(self, path: Path | None) -> None:
        self._file(FileKind.XRDF).path = path

    @property
    def xrdf_digest(self) -> str | None:
        """SHA-256 of the bytes that were read or saved last; None for a new file."""
        return self._file(FileKind.XRDF).digest

    @property
    def srdf_path(self) -> Path | None:
        """The file to which the SRDF is saved."""
        return self._file(FileKind.SRDF).path

    def path(self, kind: FileKind) -> Path | None:
        """Return the path from which the file was read or to which it was saved; None for a new
        one."""
        if kind is FileKind.URDF:
            return self.urdf_path if self._expansion is None else None
        return self._file(kind).path

    def digest(self, kind: FileKind) -> str | None:
        """SHA-256 of the bytes as read or saved last; None for a new file. It tells changes by
        other programs."""
        return self._file(kind).digest

    @property
    def inputs(self) -> Inputs:
        """The files of this robot as they were read or saved last, which saving must find
        unchanged."""
        digests = {
            real_path(path): self.digest(k) for k in FileKind if (path := self.path(k)) is not None
        }
        if self._expansion is not None:
            digests |= {real_path(path): digest for path, digest in self._expansion.digests}
        return Inputs(FrozenDict(digests))

    # -- changing

    def execute(
        self,
        change: Change | TextChange,
        *,
        selection: Selection | None = None,
        merge: Hashable = None,
        beside: Beside | None = None,
    ) -> None:
        """Applies `change` as one step. With `merge`, it joins an open step of the same key: see
        `seal`.

        `beside`: what stands beside the robot from this step on; without it, that stays.
        `selection` is selected afterwards; without it, the present selection stays, without deleted
        parts. A change that changes nothing makes no step. Raises CannotApply; nothing has changed
        then.
        """
        try:
            change = conformed(change)
        except MisfitError as error:
            raise CannotApply(str(error)) from None
        if isinstance(change, TextChange):
            self._execute_text(change)
            return
        for place in tuple(self.state.typed):
            with contextlib.suppress(TypedFault):
                self.read_typed_text(place)
        state = self.state
        # Every `change` of a merged step starts from the state before the step.
        changed = state.changed_by(change)
        robot = changed.robot
        if changed.confirmed == state.confirmed and (robot is state.robot or robot == state.robot):
            if selection is not None:
                self.select(selection)
            return
        refuse_locked(state, robot, self._expansion)
        refuse_under_typed(state, robot)
        # No protocol: to ask for one takes as long as to move a sphere, and a drag has many steps.
        if (files := getattr(change, "files", None)) is not None:
            _keep(files)
        if beside is not None:
            changed = replace(changed, beside=beside)
        self._push(change.label, changed, selection=selection, merge=merge)

    def replace_texts(
        self, texts: Mapping[FileKind, str], label: str, plan: ControlPlan | None = None
    ) -> None:
        """Makes these texts the files, as one step. Raises FormatError when one of them cannot be
        read.

        `plan`: what the XRDF was drafted by, where it is a new draft.
        Text that was typed for these files is dropped; undo brings it back.
        """
        state = self._without_typed(place for place in self.state.typed if file_of(place) in texts)
        for kind, text in texts.items():
            if text != self.text(kind):
                if kind is FileKind.URDF and self._expansion is not None:
                    place = Location(str(self._expansion.source))
                    raise FormatError(
                        self._expansion.message, place, "Save it as a URDF to edit it."
                    )
                state = state_with_text(state, kind, text)
        if state is not self.state:
            self._push(label, state if plan is None else replace(state, first_plan=plan))

    def attach(self, part: XrdfSource | SrdfSource, *, is_new: bool = False) -> None:
        """Makes another file the XRDF or SRDF of this robot, as a step; undo brings the old file
        back.

        With `is_new`, it is a draft in no file. Text that was typed for the old file is dropped.
        """
        kind = FileKind(part.kind)
        self._attach(
            kind, part.source, self._without_typed([kind]).with_part(kind, part), is_new=is_new
        )

    def attach_broken(self, kind: FileKind, text: SourceText) -> None:
        """Makes a file with faults the XRDF or SRDF, as typed text that the user fixes. This is a
        step.

        Until the text can be read, the robot has its old XRDF, or no SRDF.
        """
        # The present XRDF, with path and encoding of the file that the user fixes.
        base = read_xrdf(text.with_text(self.xrdf_text)) if kind is FileKind.XRDF else None
        state = self._without_typed([kind])
        state = replace(state, typed=state.typed.set(kind, text.text))
        self._attach(kind, text, state.with_part(kind, base))

    # -- text that is being typed

    def typed(self, place: Hashable) -> str | None:
        """Typed texts that are not read yet: place (FileKind, or Place of an embedded element) ->
        text."""
        return self.state.typed.get(place)

    def type_text(self, place: Hashable, text: str | None) -> None:
        """Keeps `text` as typed at `place`: a step that merges until `seal`. None: the text of the
        document.

        Undo and saving take it into account. The robot changes only by `read_typed_text`.
        Raises CannotApply for a URDF that is in no file.
        """
        state = self.state
        if isinstance(place, FileKind):
            text = None if text == self.text(place) else text
        typed = state.typed.without(place) if text is None else state.typed.set(place, text)
        if typed == state.typed:
            return
        if self._expansion is not None and file_of(place) is FileKind.URDF:
            raise CannotApply(self._expansion.reason)
        self._type_at(place, replace(state, typed=typed))

    def read_typed_text(self, *places: Hashable) -> None:
        """Reads the typed texts (at `places`, default: all): one step in place of the steps of
        typing.

        By default a file that was opened with faults and was not edited is left out.
        Raises TypedFault for a text that cannot be read; nothing has changed then.
        """
        state = self.state
        chosen = [
            place
            for place in state.typed
            if place in places or (not places and not self._is_on_disk(place))
        ]
        for place in chosen:
            state = read_typed(state, place)
        if chosen:
            self._replace_typing("Edit text", state, chosen)

    def discard_typed(self, place: Hashable) -> None:
        """Drops the text that was typed at `place`, as a step.

        For a file that was opened with faults, its text on disk stays.
        """
        before = self._files.typed_on_disk(self.state, place)
        state = self._without_typed([place])
        if before is not None:
            state = replace(state, typed=state.typed.set(place, before))
        if state.typed != self.state.typed:
            self._push("Discard typed text", state)

    def restore(
        self,
        texts: Mapping[FileKind, str],
        typed: Mapping[Hashable, str],
        label: str,
        beside: Beside | None = None,
    ) -> None:
        """Makes `texts` the files, as one step. `typed`, and each of `texts` that cannot be read,
        are typed texts then.

        The poses of `beside` are added to the stored ones.
        """
        state, unread = self.state, dict(typed)
        for kind, text in texts.items():
            try:
                state = state_with_text(state, kind, text)
            except FormatError:
                unread.setdefault(kind, text)
        if beside is None:
            beside = state.beside
        poses = FrozenDict({**state.beside.poses, **beside.poses})
        self._push(
            label, replace(state, typed=FrozenDict(unread), beside=replace(beside, poses=poses))
        )

    # -- beside the robot

    @property
    def beside(self) -> Beside:
        """Obstacles, stored poses, and the motion through those poses."""
        return self.state.beside

    @property
    def unsaved_beside(self) -> Beside:
        """The scene and the motion, if they are in no file."""
        return self.beside.unsaved(self._kept_scene, self._kept_motion)

    def set_beside(self, beside: Beside, label: str, *, merge: Hashable = None) -> None:
        """Changes obstacles, stored poses or motion as a step. `merge`: as for `execute`."""
        if beside != self.beside:
            self._push(label, replace(self.state, beside=beside), merge=merge)

    def keep_beside(self, *, scene: Scene | None = None, motion: Trajectory | None = None) -> None:
        """Says that this `scene` or `motion` is in a file now."""
        if scene is not None:
            self._kept_scene = scene
        if motion is not None:
            self._kept_motion = motion

    def take_beside(self, other: Document) -> None:
        """Takes obstacles, poses and motion from `other`, without a step: its files were read
        anew."""
        self._kept_scene, self._kept_motion = other._kept_scene, other._kept_motion
        self.begin_beside(other.beside)

    def begin_beside(self, beside: Beside) -> None:
        """Sets obstacles, poses and motion of the first state."""
        self._rewrite(lambda state: replace(state, beside=beside))

    def file_name(self, kind: FileKind) -> str:
        """The name of a file in sentences."""
        path = self.path(kind)
        if path is not None:
            return path.name
        if self.urdf_path is None:
            return "Untitled" if kind is FileKind.XRDF else f"the new {kind.upper()}"
        return f"{self.urdf_path.stem}.{kind} (new)"

    @property
    def unsaved_names(self) -> tuple[str, ...]:
        """Names of the files that saving would write, and of scene and motion if they are in no
        file."""
        return (*map(self.file_name, self.modified_kinds), *self.unsaved_beside.names())

    # -- texts

    @property
    def present_texts(self) -> PresentTexts:
        """The maker of the texts, for a thread that makes them in advance."""
        return self._texts

    @property
    def xrdf_patch(self) -> XrdfPatch:
        """The text that saving would write, and notes on parts that had to be written anew."""
        return self._texts.xrdf(self.state)

    @property
    def xrdf_text(self) -> str:
        """The XRDF as saving would write it."""
        return self.xrdf_patch.text

    @property
    def xrdf_now(self) -> XrdfSource:
        """`xrdf_text`, read: with the places and findings of the present text."""
        return self.xrdf_patch.written

    @property
    def guesses(self) -> Guesses:
        """Return the values of the XRDF that are guesses or placeholders which nobody confirmed."""
        return self.state.guesses

    @property
    def srdf_text(self) -> str | None:
        """The SRDF as saving would write it; None without one. Raises FormatError for a value that
        it cannot hold."""
        return self.text(FileKind.SRDF)

    @property
    def srdf_now(self) -> SrdfSource | None:
        """`srdf_text`, read: with the places and findings of the present text."""
        return self._texts.srdf(self.state)

    @property
    def urdf_text(self) -> str:
        """The URDF as saving would write it. Raises FormatError for a value that it cannot hold."""
        return self.urdf_now.source.text

    @property
    def urdf_now(self) -> UrdfSource:
        """`urdf_text`, read: with the places and findings of the present text."""
        return self._texts.urdf(self.state)

    def text(self, kind: FileKind) -> str | None:
        """The text of one file as saving would write it; None for a missing SRDF. Raises
        FormatError."""
        return self._texts.text(self.state, kind)

    def text_as_typed(self, kind: FileKind) -> str | None:
        """The text of one file in the editor: the typed text, read or not. Raises FormatError."""
        typed = self.state.typed.get(kind)
        return typed if typed is not None else self.text(kind)

    def mark_saved(self, written: SourceText, kind: FileKind = FileKind.XRDF) -> None:
        """Says that `written` was saved and holds the present state."""
        self._file(kind).mark(written, self.state)
        self._tell(self.robot, self.selection)

    def adopt_urdf(self, written: UrdfSource) -> None:
        """Says that the expanded URDF was saved to this file. It can be edited from now on.

        The history stays; all of its steps have this file.
        """
        old, urdf = self.robot, self.robot.urdf
        # Equal parts stay the same objects: views compare them by `is`.
        source = replace(written, value=urdf) if written.value == urdf else written

        def moved(state: State) -> State:
            changed = state.with_part(FileKind.URDF, source)
            return replace(changed, robot=state.robot) if source.value is urdf else changed

        self._expansion = None
        self._rewrite(moved)
        self._file(FileKind.URDF).mark(source.source, self.state)
        self._tell(old, self.selection)

    # -- inside

    def _file(self, kind: FileKind) -> FileRecord:
        return self._files.of(self.state, kind)

    def _attach(
        self, kind: FileKind, text: SourceText, state: State, *, is_new: bool = False
    ) -> None:
        number = self._files.next_number(kind)
        state = replace(state, files=state.files.set(kind, number))
        name = text.path.name if text.path is not None else f"new {kind.upper()}"
        record = FileRecord(text.path) if is_new else FileRecord(text.path, text.digest, state)
        self._files.add(kind, number, record)
        self._push(f"Open {name}", state)

    def _is_on_disk(self, place: Hashable) -> bool:
        """Whether the typed text is the text of a file with faults, as it was read."""
        on_disk = self._files.typed_on_disk(self.state, place)
        return on_disk is not None and on_disk == self.state.typed.get(place)

    def _execute_text(self, change: TextChange) -> None:
        # The change starts from the text, so it needs the typed text as well.
        self.read_typed_text(FileKind.XRDF)
        try:
            text = change.apply_text(self.xrdf_text)
            # A change that drafts the text anew has the plan that it was drafted by.
            self.replace_texts({FileKind.XRDF: text}, change.label, getattr(change, "plan", None))
        except FormatError as error:
            raise CannotApply(str(error)) from error

    def _without_typed(self, places: Iterable[Hashable]) -> State:
        state, gone = self.state, set(places)
        typed = FrozenDict(
            {place: text for place, text in state.typed.items() if place not in gone}
        )
        return state if typed == state.typed else replace(state, typed=typed)


def refuse_locked(state: State, robot: RobotDescription, expansion: Expansion | None) -> None:
    """Raises CannotApply if `robot` changes a URDF that is in no file, or a read-only part of the
    XRDF."""
    if (
        expansion is not None
        and robot.urdf is not state.robot.urdf
        and robot.urdf != state.robot.urdf
    ):
        raise CannotApply(expansion.reason)
    if robot.xrdf is state.robot.xrdf or not state.xrdf_source.read_only:
        return
    for path, reason in state.xrdf_source.read_only.items():
        if part_at(robot.xrdf, path) != part_at(state.robot.xrdf, path):
            raise CannotApply(f"{'.'.join(map(str, path))} cannot be edited here: {reason}")


def refuse_under_typed(state: State, robot: RobotDescription) -> None:
    """Raises TypedFault if `robot` changes a file whose typed text cannot be read.

    The typed text, once the user mends it, would undo this change.
    """
    for place in state.typed:
        kind = file_of(place)
        old, new = state.value(kind), getattr(robot, kind.value)
        if new is not old and new != old:
            read_typed(state, place)


def _keep(files: Mapping[str, bytes]) -> None:
    """Until the URDF is saved. Raises CannotApply."""
    try:
        for name, data in files.items():
            keep_unsaved(Path(name), data)
    except OSError as error:
        raise CannotApply(
            f"{error.filename} cannot be written: {error.strerror or error}."
        ) from error
