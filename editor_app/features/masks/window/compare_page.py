"""Another mask beside this one: how it is read, where they differ, what speaks for either side;
taking it over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from editor_app.core.document.commands.self_collision import MaskFile, frame_rank
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.counting import format_count
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import read_whole_robot
from editor_app.features.masks.engine.masks import MaskDifference, compare_masks, mask_state
from editor_app.features.masks.engine.results import PairClass
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.live import LinesModel, ListLine, table_page
from editor_app.features.masks.window.looks import CLASS_NAMES, number_mm
from editor_app.features.masks.window.pairs_dialog import PairLine, PairsDialog, PairSection
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.lists import EmptyWords, read_table
from editor_app.window.widgets import PlainLabel, dress, icon

#: For file dialogs.
FILTER = "Masks (*.xrdf *.yaml *.yml *.srdf *.dae *.zae);;All files (*)"


@dataclass(frozen=True, slots=True)
class OtherMask:
    """`reasons` has the pairs for which the file gives one."""

    name: str
    pairs: frozenset[LinkPair]
    reasons: Mapping[LinkPair, str] = field(default_factory=dict)


def mask_of_file(
    path: Path, pairs: Iterable[LinkPair] = (), packages: Mapping[str, Path] | None = None
) -> OtherMask:
    """Read the pairs that the file ignores; `pairs`: all pairs of the robot, for links that an SRDF
    ignores altogether.

    `packages`: the folders of what a USD or SDF names. Raises OSError, FormatError.
    """
    files = read_whole_robot(path, packages)
    if files is not None:
        mask = mask_of_srdf(path.name, files.srdf.value if files.srdf is not None else None, pairs)
        ignored = files.xrdf.value.ignored_pairs() if files.xrdf is not None else frozenset()
        return replace(mask, pairs=mask.pairs | ignored)
    source = SourceText.read(path)
    if path.suffix.lower() == ".srdf" or source.text.lstrip().startswith("<"):
        return mask_of_srdf(path.name, read_srdf(source).value, pairs)
    return OtherMask(path.name, read_xrdf(source).value.ignored_pairs())


def mask_of_srdf(
    name: str, srdf: Srdf | None, pairs: Iterable[LinkPair] = (), links: Iterable[str] = ()
) -> OtherMask:
    """The mask of an SRDF that is open; of links that it leaves out altogether, their pairs with
    all of `links`."""
    mask = SrdfMask.of(srdf)
    others = tuple(links)
    whole = (LinkPair.of(a, b) for a in mask.whole for b in others if a != b and a in others)
    inside = mask.within((*pairs, *whole))
    return OtherMask(name, inside, {p: reason for p in inside if (reason := mask.reason(p))})


_BESIDE = "beside"
_HINT = "“Open another mask…” lists the pairs that only one of the two masks ignores, worst first."


class ComparePage(QWidget):
    """The other file that is open (SRDF or XRDF), or one that is only read for this."""

    def __init__(self, controller: MaskController, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._read: OtherMask | None = None
        self._file: Path | None = None
        self.model = LinesModel(("Link", "Link", "Ignored by", "Evidence"), (), self)
        self.table = read_table("Differences of the masks", self, self.model, self._choose)
        self.empty = EmptyWords(self.table)
        self.source = dress(ChoiceBox(self), name="Compare with", tip="Mask to compare with")
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.source.activated.connect(lambda _: self.refresh())
        opens, takes = (QPushButton(text, self) for text in ("Open another mask…", "Copy pairs…"))
        tip = "Compare with the mask of another XRDF, of an SRDF, or of a COLLADA robot"
        self.open_button = dress(opens, tip=tip, icon=icon("git-diff"), run=self._ask_file)
        tip = "Preview the pairs that would change here, then copy them as one step"
        self.take_button = dress(takes, tip=tip, icon=icon("arrow-square-in"), run=self.take_over)
        self.text = dress(PlainLabel(parent=self), look="muted")
        table_page(self, (self.source, self.open_button, self.take_button, self.text), self.table)
        controller.session.document_opened.connect(self._on_opened)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        self.refresh()

    @property
    def other(self) -> OtherMask | None:
        """The mask that is compared with now."""
        controller = self._controller
        if self._read is not None and self.source.currentData() != _BESIDE:
            return self._read
        if controller.state.beside is None:
            return None
        return mask_beside(controller)

    def compare_with(self, path: Path) -> bool:
        """Shows where the mask differs from that of another file; False when it cannot be read."""
        grounds = self._controller.state.grounds
        try:
            pairs = grounds.model.link_pairs if grounds is not None else ()
            self._read = mask_of_file(path, pairs, self._controller.session.document.packages)
        except (OSError, FormatError) as error:
            self._controller.session.refused.emit(str(error))
            return False
        self._file = path
        self._fill()
        self.source.choose(str(path))
        self.refresh()
        return True

    def take_over(self) -> CarryOverDialog | None:
        """Opens the preview of what would change here."""
        return open_carry_over(self._controller, self.other, self.window())

    def refresh(self) -> None:
        controller, session = self._controller, self._controller.session
        self._fill()
        other = self.other
        self.take_button.setEnabled(other is not None and other.pairs != controller.state.ignored)
        self.empty.say(_HINT if other is None else "")
        if other is None:
            self.text.setText("Compare with the mask of another XRDF, SRDF or COLLADA robot")
            self.model.show([])
            return
        file_name = controller.state.file_name()
        grounds = controller.state.grounds
        if grounds is None:
            self.text.setText(f"{other.name}: {controller.reason_not_to_compute or ''}")
            self.model.show([])
            return
        frames = session.tree.frames
        names = (file_name, other.name) if file_name != other.name else ("this mask", other.name)
        differences = compare_masks(
            grounds, {names[0]: controller.state.ignored, names[1]: other.pairs}, frames
        )
        hiding = sum(map(self._hides, differences))
        hidden = (
            f" A mask hides a possible collision in {format_count(hiding, 'pair')}."
            if hiding
            else ""
        )
        self.text.setText(
            f"{names[0]} and {other.name}: {format_count(len(differences), 'difference')}.{hidden}"
            if differences
            else f"{other.name} ignores the same pairs as {names[0]}."
        )
        differences = tuple(sorted(differences, key=_worst_first))
        order = {frame: i for i, frame in enumerate(frames)}
        lines = []
        for d in differences:
            links = sorted((d.pair.first, d.pair.second), key=lambda f: order.get(f, len(order)))
            why = other.reasons.get(d.pair)
            by = ", ".join(d.ignored_in) + (
                f" ({why})" if why and d.ignored_in == (other.name,) else ""
            )
            sign = "eye-slash" if self._hides(d) else ""
            lines.append(ListLine((*links, by, d.verdict), d.pair, d.explanation, sign))
        self.model.show(lines)

    def _hides(self, difference: MaskDifference) -> bool:
        return difference.evidence is not None and self._controller.state.is_hidden_by_a_mask(
            difference.evidence
        )

    def _fill(self) -> None:
        """The choices: the file that is open beside, and the one that was read."""
        controller = self._controller
        entries: list[tuple[str, str]] = []
        if controller.state.beside is not None:
            entries.append((controller.state.file_name(controller.state.file.other), _BESIDE))
        if self._read is not None:
            entries.append((self._read.name, str(self._file)))
        if entries != [
            (self.source.itemText(i), self.source.itemData(i)) for i in range(self.source.count())
        ]:
            self.source.offer(entries)
        self.source.setVisible(bool(entries))

    def _ask_file(self) -> None:
        path = self._controller.session.document.urdf_path
        folder = "" if path is None else str(path.parent)
        if chosen := dialogs.choose_file(self.window(), "Compare with the mask of", folder, FILTER):
            self.compare_with(Path(chosen))

    def _choose(self, row: int) -> None:
        pair = self.model.items[row].value
        self._controller.select_and_show(pair)

    def _on_opened(self, document: object) -> None:
        self._read = self._file = None
        self.refresh()


#: What hides a possible collision comes first, what makes no difference last.
_RANK = (
    PairClass.CAN_COLLIDE,
    PairClass.ALWAYS,
    PairClass.DEFAULT,
    PairClass.UNKNOWN,
    PairClass.NEVER_SAMPLED,
    PairClass.ADJACENT,
    PairClass.RIGID,
    PairClass.NEVER_CERTIFIED,
)


def _worst_first(difference: MaskDifference) -> tuple[int, float]:
    evidence = difference.evidence
    if evidence is None:
        return len(_RANK), 0.0
    return _RANK.index(evidence.kind), evidence.clearance_min


def mask_beside(controller: MaskController) -> OtherMask | None:
    """The mask of the other open file; None when there is none."""
    robot, file = controller.session.robot, controller.state.file.other
    if controller.state.beside is None:
        return None
    name = controller.state.file_name(file)
    if file is MaskFile.SRDF:
        grounds = controller.state.grounds
        pairs = grounds.model.link_pairs if grounds is not None else ()
        return mask_of_srdf(name, robot.srdf, pairs, (link.name for link in robot.urdf.links))
    return OtherMask(name, controller.state.beside)


def open_carry_over(
    controller: MaskController, other: OtherMask | None, window: QWidget
) -> CarryOverDialog | None:
    """The preview of what taking `other` over would change; None when there is nothing to take
    over."""
    if other is None:
        return None
    dialog = CarryOverDialog(controller, other, window)
    dialog.show()
    return dialog


class CarryOverDialog(PairsDialog):
    """A tick means that the pair will be as in the other mask; what would be a conflict is not
    ticked."""

    def __init__(
        self, controller: MaskController, other: OtherMask, parent: QWidget | None = None
    ) -> None:
        columns, button = ("Pair", "Reason in the other file", "Evidence"), ("Copy", "take-over")
        title = f"Copy from {other.name}"
        super().__init__(controller, "carry-over", title, (940, 520), columns, button, parent)
        self.other = other
        self._answers: dict[LinkPair, bool] = {}
        self.tree.setColumnHidden(1, not other.reasons)
        self.refresh()

    @property
    def chosen(self) -> tuple[frozenset[LinkPair], frozenset[LinkPair]]:
        """(pairs that will be ignored, pairs that will be checked)."""
        ticked = frozenset(pair for pair, ticked in self.pairs() if ticked)
        now = self._controller.state.ignored
        return ticked - now, ticked & now

    def sections(self) -> Iterator[PairSection]:
        now, name = self._controller.state.ignored, self._controller.state.file_name()
        yield (
            f"Ignored there; will be ignored in {name}",
            self._lines(self.other.pairs - now, ignore=True),
        )
        yield (
            f"Checked there; will be checked in {name}",
            self._lines(now - self.other.pairs, ignore=False),
        )

    def _lines(self, pairs: Iterable[LinkPair], *, ignore: bool) -> tuple[PairLine, ...]:
        rank = frame_rank(self._controller.session.robot)
        names = {pair: sorted((pair.first, pair.second), key=rank) for pair in pairs}
        ordered = sorted(names, key=lambda pair: [rank(name) for name in names[pair]])
        return tuple(self._line(pair, *names[pair], ignore=ignore) for pair in ordered)

    def _line(self, pair: LinkPair, first: str, second: str, *, ignore: bool) -> PairLine:
        why_not = self._impossible(pair)
        words, conflict = self._evidence(pair, ignore=ignore)
        ticked = self._answers.get(pair, ignore and not conflict) and not why_not
        texts = (f"{first} – {second}", self.other.reasons.get(pair, ""), why_not or words)
        return PairLine(pair, texts, ticked=ticked, is_conflict=conflict, is_possible=not why_not)

    def _impossible(self, pair: LinkPair) -> str:
        controller = self._controller
        robot, tree = controller.session.robot, controller.session.tree
        links = (
            {link.name for link in robot.urdf.links}
            if controller.state.file is MaskFile.SRDF
            else tree.index
        )
        strangers = [name for name in (pair.first, pair.second) if name not in links]
        if not strangers:
            return ""
        if strangers[0] in tree.index:
            return (
                f"{strangers[0]} is a frame added by the XRDF; an SRDF can only name links of the "
                "URDF"
            )
        return f"the robot has no frame {strangers[0]}"

    def _evidence(self, pair: LinkPair, *, ignore: bool) -> tuple[str, bool]:
        """(what is known of the pair, whether to do as the other mask does would be a conflict)."""
        controller = self._controller
        evidence = controller.state.evidence(pair)
        if evidence is None:
            is_computed = controller.state.analysis is not None
            return (
                "no effect: a link has no spheres" if is_computed else "not computed yet"
            ), False
        clearance = number_mm(evidence.clearance_min)
        words = CLASS_NAMES[evidence.kind] + (f", {clearance} mm" if clearance else "")
        conflict = mask_state(evidence, ignore).is_conflict
        if conflict:
            words += (
                ": would hide a possible collision"
                if ignore
                else ": would block every configuration"
            )
        return words, conflict

    def tick(self, pair: LinkPair, ticked: bool) -> None:
        self._answers[pair] = ticked

    def summed_up(self) -> tuple[str, bool]:
        ignored, checked = self.chosen
        total = sum(1 for _ in self.pairs())
        name = self._controller.state.file_name()
        if not total:
            return f"{name} ignores the same pairs as {self.other.name}.", False
        text = (
            f"In {name}, {format_count(len(ignored), 'pair')} will be ignored and {len(checked)} "
            "checked again"
        )
        left = total - len(ignored) - len(checked)
        text += f"; {left} differing pairs stay unchanged." if left else "."
        return text, bool(ignored or checked)

    def accept(self) -> None:
        ignored, checked = self.chosen
        label = f"Copy {format_count(len(ignored) + len(checked), 'pair')} from {self.other.name}"
        self._controller.mask_changed.disconnect(self.refresh)
        state, reasons = self._controller.state, self.other.reasons
        self._controller.execute(lambda: state.take_over(ignored, checked, reasons, label))
        super().accept()
