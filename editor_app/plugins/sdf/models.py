"""The models of an SDF as flat lists: each link, joint and frame with its name in the whole file
and its scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.text.source import FormatError, MissingFileError
from editor_app.plugins.sdf.frames import OUTSIDE, WORLD, Frame, Frames, Scope, joint_frame
from editor_app.plugins.sdf.nodes import SdfElement, is_true
from editor_app.plugins.sdf.sources import MOST_LEVELS, NEWEST, SdfSources

#: Says that all models of a world are meant.
_TAGS = ("link", "joint", "frame", "model", "include")
#: Elements of models that are read, or that say nothing about the robot.
_READ = frozenset(
    {*_TAGS, "pose", "static", "self_collide", "allow_auto_disable", "placement_frame"}
)


@dataclass(frozen=True, slots=True)
class ModelElement:
    """A link, joint or frame. `name` in the whole file; `scope` has the names that it uses."""

    node: SdfElement
    name: str
    scope: Scope
    #: Whether the links of its model collide with each other; None where the file does not say.
    self_collide: bool | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a model is: what its <include> says in the place of the model's own element."""

    include: SdfElement | None = None

    def node(self, model: SdfElement) -> SdfElement:
        """The element that has the pose."""
        return (
            self.include
            if self.include is not None and self.include.child("pose") is not None
            else model
        )

    def held(self, model: SdfElement) -> str:
        given = self.include.word("placement_frame") if self.include is not None else ""
        return given or model.get("placement_frame")


@dataclass
class Models:
    """Everything of the chosen models. `name` is that of the robot."""

    sources: SdfSources
    out: Reporter
    name: str = ""
    links: dict[str, ModelElement] = field(default_factory=dict)
    joints: dict[str, ModelElement] = field(default_factory=dict)
    shown_frames: dict[str, ModelElement] = field(default_factory=dict)
    frames: Frames = field(default_factory=Frames)
    #: The frames of models on the world that do not move.
    static: list[str] = field(default_factory=list)
    #: Tags and attributes that are left out -> how often.
    left_out: dict[str, int] = field(default_factory=dict)
    #: Why models that are included in the world are not read.
    missing: list[FormatError] = field(default_factory=list)
    _in_order: list[ModelElement] = field(default_factory=list)

    def read(self, choice: str | None) -> None:
        """Read the model that is chosen by name, or the only one; `ALL_ROBOTS` reads all, fixed to
        the world."""
        root = self.sources.main()
        if root.file.version > NEWEST:
            newest = ".".join(map(str, NEWEST))
            self.out.unread(
                "version", f"{root.get('version')} is newer than {newest}: it is read as {newest}"
            )
        top = _top(root)
        models = list(self._candidates(top))
        chosen = self._chosen(models, choice, root)
        is_one = len(chosen) == 1 and not (choice == ALL_ROBOTS and top.tag == "world")
        outer = Scope(OUTSIDE if is_one else "", WORLD)
        for node in top.children("frame") if is_one else top.children("joint", "frame"):
            self._part(node, outer, None)
        for name, model, place in chosen:
            scope = Scope("", "__model__") if is_one else Scope(f"{name}::", name)
            self._model(model, scope, outer, place, (model.file.path,))
        self.name = chosen[0][0] if is_one else (top.name or self.sources.path.stem)
        for part in (*self.links.values(), *self.shown_frames.values()):
            self.frames.pose(part.name, part.node)
        left = {name for name, *_ in models} - {name for name, *_ in chosen}
        if left:
            self.out.lost("model", f"{format_list(sorted(left), 8)}: another model of the file")
        rest = [child.tag for child in top.children() if child.tag not in ("model", "include")]
        if top.tag == "world" and rest:
            self.out.lost(
                "world", f"settings and surroundings: {format_list(sorted(set(rest)), 8)}"
            )

    def _chosen(
        self, models: list[tuple[str, SdfElement, _Place]], choice: str | None, root: SdfElement
    ) -> list[tuple[str, SdfElement, _Place]]:
        if not models and self.missing:
            raise self.missing[0]
        if not models:
            raise root.error(
                "The file has no model that could be a robot", "Name the robot's file."
            )
        if choice == ALL_ROBOTS:
            return models
        if choice is not None:
            named = [model for model in models if model[0] == choice]
            if not named:
                names = format_list([name for name, *_ in models], 20)
                raise root.error(f"The file has no model {choice!r}", f"Choose one of: {names}.")
            return named[:1]
        moving = [
            model for model in models if next(_descendants(model[1], "joint"), None) is not None
        ]
        likely = moving or models
        if len(likely) > 1:
            names = format_list([name for name, *_ in likely], 20)
            raise root.error(
                f"The file has {len(likely)} robots",
                f"Choose one with --model NAME, or all with --model '*': {names}.",
            )
        return likely

    # -- one model

    def _model(
        self, node: SdfElement, scope: Scope, outer: Scope, place: _Place, files: tuple[Path, ...]
    ) -> None:
        """Add a model; its frame is placed in the scope around it."""
        if len(files) > MOST_LEVELS:
            raise node.error(
                f"Models are nested more than {MOST_LEVELS} deep", "Include the robot alone."
            )
        at, held = place.node(node), place.held(node)
        before = len(self._in_order)
        if outer.frame == WORLD and _is_static(place.include, node):
            self.static.append(scope.frame)
        collide = node.child("self_collide")
        collides = None if collide is None else node.is_on("self_collide")
        for child in node.children(*_TAGS):
            if child.tag == "include":
                self._include(child, scope, files)
            elif child.tag == "model":
                name = scope.full_name(self._name_of(child))
                self._model(
                    child, Scope(f"{name}::", name), scope, _Place(), (*files, node.file.path)
                )
            else:
                self._part(child, scope, collides)
        for child in node.children():
            if child.tag not in _READ:
                self.leave_out(child.tag)
        inner = scope.full_name(held) if held else ""
        base, carrier = (
            self._model_base(at, outer),
            self._canonical(node, scope, before) or outer.frame,
        )
        self._add_frame(scope.frame, Frame(at, at.pose(), base, carrier, inner))

    def _canonical(self, node: SdfElement, scope: Scope, before: int) -> str:
        """The link that the frame of a model moves with: the stated one, else the first; "" without
        links."""
        if canonical := node.get("canonical_link"):
            return scope.full_name(canonical)
        links = self._in_order[before:]
        first = next(
            (part for part in links if part.scope.prefix == scope.prefix),
            links[0] if links else None,
        )
        return first.name if first is not None else ""

    def _model_base(self, at: SdfElement, outer: Scope) -> str:
        base = outer.full_name(at.pose_base())
        if base.startswith(OUTSIDE) and base not in self.frames.frames:
            self.out.lost(
                "pose of the model", f"it is relative to {at.pose_base()}, which is not read"
            )
            return WORLD
        return base

    def _candidates(self, top: SdfElement) -> Iterator[tuple[str, SdfElement, _Place]]:
        """The models on the world. An included model that cannot be read is reported."""
        for node in top.children("model", "include"):
            if node.tag == "model":
                yield node.name, node, _Place()
                continue
            try:
                model = self._included_model(node)
            except FormatError as error:
                names = error.names if isinstance(error, MissingFileError) else ()
                self.out.unread(f"include {node.word('uri')}", str(error), names)
                self.missing.append(error)
                continue
            yield node.word("name") or model.name, model, _Place(node)

    def names(self) -> tuple[str, ...]:
        """The models to choose from."""
        return tuple(name for name, *_ in self._candidates(_top(self.sources.main())))

    def _included_model(self, include: SdfElement) -> SdfElement:
        root = self.sources.included(include)
        model = root.child("model")
        if model is None:
            raise include.error(f"{root.file.path} has no model", "Include a file with a <model>.")
        return model

    def _include(self, node: SdfElement, scope: Scope, files: tuple[Path, ...]) -> None:
        model = self._included_model(node)
        if model.file.path in files:
            raise node.error(
                f"{model.file.path.name} includes itself",
                "Remove this <include>, or name another model.",
            )
        below = (*files, model.file.path)
        name = node.word("name") or self._name_of(model)
        if is_true(node.get("merge")):
            inner = Scope(scope.prefix, scope.full_name(f"_merged__{name}__model__"))
        else:
            inner = Scope(f"{scope.full_name(name)}::", scope.full_name(name))
        self._model(model, inner, scope, _Place(node), below)
        for child in node.children():
            if child.tag not in ("uri", "name", "pose", "static", "placement_frame"):
                self.leave_out(child.tag)

    def _part(self, node: SdfElement, scope: Scope, collides: bool | None) -> None:
        name = scope.full_name(self._name_of(node))
        part = ModelElement(node, name, scope, collides)
        base = scope.full_name(node.pose_base())
        if node.tag == "link":
            self.links[name] = part
            self._in_order.append(part)
            self._add_frame(name, Frame(node, node.pose(), base))
        elif node.tag == "frame":
            attached = node.get("attached_to")
            carrier = scope.full_name(attached)
            if not node.pose_base() and attached:
                base = carrier
            # Files of old versions name the frames of models that were written into one.
            if name in self.frames.frames and node.name.endswith("::__model__"):
                return
            if scope.prefix != OUTSIDE:
                self.shown_frames[name] = part
            self._add_frame(name, Frame(node, node.pose(), base, carrier))
        else:
            if name in self.joints:
                raise node.error(f"There are two joints {name!r}", "Rename one joint.")
            self.joints[name] = part
            child = scope.full_name(node.word("child"))
            at = Frame(node, node.pose(), base if node.pose_base() else child, child)
            self.frames.frames[joint_frame(name)] = at

    def _add_frame(self, name: str, frame: Frame) -> None:
        if name == WORLD:
            raise frame.node.error(f"The name {WORLD!r} is reserved for the world", "Rename it.")
        if name in self.frames.frames:
            raise frame.node.error(f"There are two frames {name!r}", "Rename one frame.")
        self.frames.frames[name] = frame

    def _name_of(self, node: SdfElement) -> str:
        if not node.name:
            raise node.error(f"The <{node.tag}> has no name", "Add the attribute name.")
        return node.name

    def leave_out(self, tag: str) -> None:
        self.left_out[tag] = self.left_out.get(tag, 0) + 1

    def tell(self) -> None:
        """Add to the report."""
        for tag, count in self.left_out.items():
            self.out.lost(tag, f"{format_count(count, 'element')}: a URDF cannot store it")


def _is_static(include: SdfElement | None, model: SdfElement) -> bool:
    """Whether a model does not move; what an <include> says of it counts first."""
    return (
        model.is_on("static") if include is None else include.is_on("static", model.is_on("static"))
    )


def _top(root: SdfElement) -> SdfElement:
    """The world, or the root where a model is in no world."""
    return root.child("world") or root


def _descendants(node: SdfElement, tag: str) -> Iterator[SdfElement]:
    return (SdfElement(element, node.file) for element in node.element.walk() if element.tag == tag)
