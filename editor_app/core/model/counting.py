"""Numbers in sentences: a count with its noun, a share in percent."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

#: Standard deviations: 95 % of a normal distribution lie within.
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of` random cases."""

    count: int
    of: int

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the share: Wilson's; at 0 and at `of`, the exact
        one-sided bound.

        E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22,
           1927.
        """
        if not self.of:
            return 0.0, 1.0
        bound = 1.0 - math.exp(math.log(0.05) / self.of)
        if self.count == 0:
            return 0.0, bound
        if self.count == self.of:
            return 1.0 - bound, 1.0
        p, n, z = self.value, self.of, _Z
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)

    def __str__(self) -> str:
        """ "2.4 % (2.1 to 2.7 %)"; "0 of 300 (below 0.99 %)"."""
        if not self.of:
            return "0 of 0"
        low, high = self.interval
        if not self.count:
            return f"0 of {self.of:,} (below {_digits(high)} %)"
        return f"{_digits(self.value)} % ({_digits(low)} to {_digits(high)} %)"


def _digits(share: float) -> str:
    """A percentage with two significant digits and at least one decimal."""
    value = 100.0 * share
    return f"{value:.{1 if value >= 1.0 or value <= 0.0 else 1 - math.floor(math.log10(value))}f}"


def format_count(number: int, noun: str, plural: str | None = None) -> str:
    """ "1 sphere", "3 spheres"."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def format_list(words: Iterable[str], most: int) -> str:
    """ "a, b and 3 more": `most` of them at most."""
    every = list(words)
    return ", ".join(every[:most]) + (f" and {len(every) - most} more" if len(every) > most else "")


def format_percent(share: float, digits: int = 1) -> str:
    """A share (0…1) as "2.4 %"."""
    return f"{100.0 * share:.{digits}f} %"
