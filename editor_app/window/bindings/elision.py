"""Names and labels that are cut for want of room, so that no two names look the same: where they
differ stays."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from editor_app.window.widgets import PlainLabel, set_tooltip

_MARK = "…"
#: What stands between the words of a name.
_BETWEEN = "_-./ "
_WORDS = re.compile(r"[^_\-./ ]+")


class DistinctNames:
    """Cuts names of one set, as links of a robot; what it found it keeps until the set changes.

    `even`: beginning and end are kept, as for names that stand beside names of other sets, and
    often end differently.
    """

    def __init__(self, names: Iterable[str] = (), *, even: bool = False) -> None:
        self._even = even
        self._names: frozenset[str] = frozenset(names)
        self._cuts: dict[tuple[str, int, int], str] = {}

    def set_names(self, names: Iterable[str]) -> None:
        """The names that are shown beside each other."""
        now = frozenset(names)
        if now != self._names:
            self._names = now
            self._cuts.clear()

    def cut(self, name: str, room: int, width_of: Callable[[str], int]) -> str:
        """`name` within `room` pixels, as `width_of` measures them; whole where it fits.

        Where some cut of that length tells the name from all others, it is one of these.
        """
        # The width also tells one font from another.
        key = (name, room, width_of(name))
        if key[2] <= room:
            return name
        if key not in self._cuts:
            self._cuts[key] = self._shorten(name, room, width_of)
        return self._cuts[key]

    def _shorten(self, name: str, room: int, width_of: Callable[[str], int]) -> str:
        most = _most(name, room, width_of)
        if preferred := self._preferred(name, most, room, width_of):
            return preferred
        fallback = ""
        for kept in range(most, 0, -1):
            fitting = [c for c in _cuts_of(name, kept) if width_of(f"{c[0]}{_MARK}{c[1]}") <= room]
            for head, tail in fitting:
                if self._tells_apart(name, head, tail):
                    return f"{head}{_MARK}{tail}"
            if fitting and (inside := self._inside(name, kept - 1, room, width_of)):
                return inside
            if fitting and not fallback:
                fallback = f"{fitting[0][0]}{_MARK}{fitting[0][1]}"
            if fallback and kept < len(fallback) - 3:
                # Shorter cuts show less still.
                break
        return (
            self._three_parts(name, room, width_of)
            or self._initials(name, room, width_of)
            or fallback
            or _MARK
        )

    def _preferred(self, name: str, most: int, room: int, width_of: Callable[[str], int]) -> str:
        """The longest beginning or end, or as much of both, that no other name is cut to; "" where
        one would be."""
        if self._even:
            cuts = (_cuts_of(name, kept)[0] for kept in range(most, 2, -1))
            fitting = (
                (head, tail) for head, tail in cuts if width_of(f"{head}{_MARK}{tail}") <= room
            )
        else:
            longest = (_longest(name, most, room, width_of, end=end) for end in (False, True))
            fitting = ((head, tail) for head, tail in longest if head or tail)
        return next((f"{h}{_MARK}{t}" for h, t in fitting if self._tells_apart(name, h, t)), "")

    def _three_parts(self, name: str, room: int, width_of: Callable[[str], int]) -> str:
        """Beginning, the beginning of a word in the middle, and end, where two parts tell nothing;
        "" without any."""
        candidates = []
        for start in (i for i in range(2, len(name) - 1) if name[i - 1] in _BETWEEN):
            for inside, before, after in itertools.product(range(1, 7), range(5), range(7)):
                if before < start and start + inside < len(name) - after:
                    candidates.append(
                        (name[:before], name[start : start + inside], name[len(name) - after :])
                    )
        # The longest first; of these, the more even ones.
        candidates.sort(key=lambda parts: (-sum(map(len, parts)), max(map(len, parts))))
        for head, mid, tail in candidates:
            text = f"{head}{_MARK}{mid}{_MARK}{tail}"
            if width_of(text) <= room and self._tells_apart(name, head, tail, mid):
                return text
        return ""

    def _initials(self, name: str, room: int, width_of: Callable[[str], int]) -> str:
        """The beginnings of as many words as fit, where no other name begins so; "" where none
        does."""
        for kept, between in ((3, "_"), (2, "_"), (1, "_"), (1, "")):
            words = _beginnings(name, kept)
            others = [
                between.join(_beginnings(other, kept)) for other in self._names if other != name
            ]
            for count in range(len(words), 0, -1):
                text = between.join(words[:count])
                if width_of(text + _MARK) <= room and not any(
                    other.startswith(text) for other in others
                ):
                    return text + _MARK
        return ""

    def _inside(self, name: str, kept: int, room: int, width_of: Callable[[str], int]) -> str:
        """A part from the middle that no other name has, beginning with a word if one does; ""
        without any."""
        parts = [(i, name[i : i + kept]) for i in range(1, len(name) - kept)] if kept > 0 else []
        parts.sort(key=lambda part: name[part[0] - 1] not in _BETWEEN)
        for _, part in parts:
            text = f"{_MARK}{part}{_MARK}"
            if width_of(text) <= room and not any(
                part in other for other in self._names if other != name
            ):
                return text
        return ""

    def _tells_apart(self, name: str, head: str, tail: str, mid: str = "") -> bool:
        """Whether no other name has these parts."""
        least = len(head) + len(mid) + len(tail)
        return not any(
            other != name
            and len(other) >= least
            and other.startswith(head)
            and other.endswith(tail)
            and mid in other[len(head) : len(other) - len(tail)]
            for other in self._names
        )


def _beginnings(name: str, kept: int) -> list[str]:
    """So many letters of each word; words of two letters, as `fl`, tell by both."""
    return [word if len(word) <= 2 else word[:kept] for word in _WORDS.findall(name)]


def _most(name: str, room: int, width_of: Callable[[str], int]) -> int:
    """No part of `name` with more letters than this fits: so a long one is not measured at every
    length."""
    narrowest = min(width_of(letter * 16) for letter in set(name)) / 16
    # Pairs of letters may stand closer than each letter with itself.
    return min(len(name) - 1, int(room / (0.7 * narrowest)) if narrowest > 0 else len(name))


def _longest(
    name: str, most: int, room: int, width_of: Callable[[str], int], *, end: bool
) -> tuple[str, str]:
    """As much of the beginning, or of the end, as fits: in one piece a name reads as words."""
    for kept in range(most, 0, -1):
        part = name[-kept:] if end else name[:kept]
        if width_of(part) + width_of(_MARK) <= room:
            return ("", part) if end else (part, "")
    return "", ""


def _cuts_of(name: str, kept: int) -> list[tuple[str, str]]:
    """(beginning, end) of the cuts that keep so many characters, the more even ones first."""
    half = kept // 2
    tails = sorted(range(kept + 1), key=lambda tail: abs(tail - half))
    return [(name[: kept - tail], name[len(name) - tail :] if tail else "") for tail in tails]


#: Pixels beside the text, together.
_MARGIN = 4
#: Where a line may break within a word: a space without width.
_BREAK = "\u200b"
#: Words of so many characters are broken, at the signs that names have between their parts.
_LONG = 24


class ElidedLabel(PlainLabel):
    """A label that gives way: what does not fit ends in an ellipsis, and the whole is its tooltip.

    With `names`, the one of these that stands in the text is cut, and keeps the part in which they
    differ. With `between`, the text is a row of parts with that between them, of which the last
    ones are left out whole. The label takes the room that is left; with another size policy than
    `Ignored`, that of the whole text where there is so much.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        *,
        names: DistinctNames | None = None,
        between: str = "",
    ) -> None:
        super().__init__(parent=parent)
        self.whole_text = ""
        self._mode = mode
        self._names = names
        self._between = between
        self._name = ""
        self._short = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str, name: str = "", short: str = "") -> None:
        """`name`: which part of the text is one of the names; without it the whole text is. `short`
        stands for a text that does not fit, as the number alone.
        """
        if (text, name or text, short) != (self.whole_text, self._name, self._short):
            self.whole_text, self._name, self._short = text, name or text, short
            self._elide()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """The room of the whole text, also while only a part is shown."""
        return QSize(
            QFontMetrics(self.font()).horizontalAdvance(self.whole_text) + _MARGIN,
            super().sizeHint().height(),
        )

    def minimumSizeHint(self) -> QSize:
        """For the ellipsis."""
        return QSize(
            QFontMetrics(self.font()).horizontalAdvance("…") + _MARGIN,
            super().minimumSizeHint().height(),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        metrics, room = QFontMetrics(self.font()), max(0, self.width() - _MARGIN)
        if metrics.horizontalAdvance(self.whole_text) <= room:
            shown = self.whole_text
        elif self._between:
            parts = self.whole_text.split(self._between)
            while len(parts) > 1 and metrics.horizontalAdvance(self._between.join(parts)) > room:
                parts.pop()
            shown = metrics.elidedText(self._between.join(parts), self._mode, room)
        elif self._short or self._names is None:
            shown = metrics.elidedText(self._short or self.whole_text, self._mode, room)
        else:
            before, _, after = self.whole_text.partition(self._name)
            room -= metrics.horizontalAdvance(before) + metrics.horizontalAdvance(after)
            shown = before + self._names.cut(self._name, room, metrics.horizontalAdvance) + after
        if shown != self.text():
            super().setText(shown)
        set_tooltip(self, self.whole_text if shown != self.whole_text else "")


class WrappedLabel(PlainLabel):
    """Sentences in as many lines as they need. Long names break at their underscores, so that none
    widens a panel."""

    def __init__(self, text: str) -> None:
        self._whole = ""
        super().__init__()
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(
            " ".join(_breakable(word) if len(word) > _LONG else word for word in text.split(" "))
        )

    def text(self) -> str:
        """Return the whole text."""
        return self._whole


def _breakable(word: str) -> str:
    return word.replace("_", f"_{_BREAK}").replace("/", f"/{_BREAK}")
