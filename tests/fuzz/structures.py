"""Changes of the structure of a text: whole elements, prims and values, where random bytes would
end in the parser."""

from __future__ import annotations

import copy
import io
import random
import re
import zipfile
from collections.abc import Callable, Sequence
from xml.etree import ElementTree

#: Makes one case out of seeds.
Mutation = Callable[[random.Random, Sequence[bytes]], bytes]
_NUMBERS = (
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e999",
    "1e-320",
    "999999999999",
    "-2147483649",
    "0x10",
    "",
)
_NUMBER = re.compile(rb"(?<![\w.@])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
_QUOTED = re.compile(rb'"[^"\n]*"|<[^<>\n]*>|@[^@\n]*@')
_STATEMENT = re.compile(rb"\s*[\w:\[\]]+ [^{}()]")
_WORD = re.compile(rb"[A-Za-z_][\w:]*")
_WORDS = """</> <..> <.> </arm> </arm/base> <arm.x> </arm{v=a}> <> "" "arm" "é" @@ @/etc/passwd@ @../a.usda@
@http://x.y/a.usda@ @omniverse://a/b.usd@ @part.usda@ @part.usda@</part> @arm.usda@ @p.usdz[a.usda]@ @`x`@
@part.usda:SDF_FORMAT_ARGS:a=b@"""
_PATHS = tuple(word.encode() for word in _WORDS.split())


def mutated_xml(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One to four elements left out, doubled, moved, nested, or with another value; bytes of seeds
    that are no XML."""
    try:
        root, other = (ElementTree.fromstring(rng.choice(seeds)) for _ in range(2))
    except (ElementTree.ParseError, ValueError, LookupError):
        root = other = ElementTree.fromstring(seeds[0])
    for _ in range(rng.randint(1, 4)):
        parents = [each for each in root.iter() if len(each)]
        if not parents:
            break
        parent = rng.choice(parents)
        child = parent[rng.randrange(len(parent))]
        _change_element(rng, root, other, parent, child)
    return ElementTree.tostring(root)


def _change_element(
    rng: random.Random, root: ElementTree.Element, other: ElementTree.Element, parent: ElementTree.Element,
    child: ElementTree.Element,
) -> None:  # fmt: skip
    every = list(root.iter())
    match rng.randrange(8):
        case 0:
            parent.remove(child)
        case 1:
            parent.append(copy.deepcopy(child))
        case 2:
            rng.choice(every).append(copy.deepcopy(child))
        case 3:
            rng.choice(every).append(copy.deepcopy(rng.choice(list(other.iter()))))
        case 4:
            child.tag = rng.choice(every).tag
        case 5:
            child.text = rng.choice(
                (*_NUMBERS, rng.choice(every).text, f"{rng.choice(_NUMBERS)} " * rng.randint(1, 8))
            )
        case 6:
            values = [value for each in every for value in each.attrib.values()]
            names = [name for each in every for name in each.attrib]
            child.set(
                rng.choice(names or ["name"]),
                rng.choice((*values, *_NUMBERS, "__model__", "world", "a::b")),
            )
        case _:
            for _ in range(rng.choice((2, 20, 200))):
                inner = ElementTree.Element(child.tag, child.attrib)
                child.append(inner)
                child = inner


def mutated_usda(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One to four blocks left out, doubled, moved or nested, lines exchanged, or values with
    another value or type."""
    lines = rng.choice(seeds).split(b"\n")
    for _ in range(rng.randint(1, 4)):
        # All lines may be left out by then.
        lines = lines or [b""]
        first, last = _block(rng, lines)
        match rng.randrange(9):
            case 0:
                del lines[first:last]
            case 1:
                lines[last:last] = lines[first:last]
            case 2:
                at = rng.randrange(len(lines) + 1)
                lines[at:at] = lines[first:last]
            case 3:
                theirs = rng.choice(seeds).split(b"\n")
                start, end = _block(rng, theirs)
                lines[first:first] = theirs[start:end]
            case 4:
                lines[first] = _NUMBER.sub(
                    lambda _: rng.choice(_NUMBERS).encode(), lines[first], count=rng.choice((0, 1))
                )
            case 5:
                lines[first] = _QUOTED.sub(lambda _: rng.choice(_PATHS), lines[first], count=1)
            case 6:
                word = rng.choice(_WORD.findall(b"\n".join(lines)) or [b""])
                lines[first] = _WORD.sub(word, lines[first], count=1)
            case 7:
                other = rng.randrange(len(lines))
                lines[first], lines[other] = lines[other], lines[first]
            case _:
                depth = rng.choice((2, 20, 200))
                lines[first:last] = (
                    [b'def Xform "n" {'] * depth + lines[first:last] + [b"}"] * depth
                )
    return b"\n".join(lines)


def _block(rng: random.Random, lines: Sequence[bytes]) -> tuple[int, int]:
    """A line of a property, or all lines of a prim, from its first through its closing brace."""
    starts = [at for at, line in enumerate(lines) if _STATEMENT.match(line)]
    first = rng.choice(starts) if starts and rng.random() < 0.9 else rng.randrange(len(lines))
    depth, last = 0, first
    for last in range(first, len(lines)):
        depth += sum(lines[last].count(mark) for mark in (b"{", b"(", b"["))
        depth -= sum(lines[last].count(mark) for mark in (b"}", b")", b"]"))
        following = lines[last + 1].strip() if last + 1 < len(lines) else b""
        if depth <= 0 and following not in (b"{", b"("):
            break
    return first, last + 1


def mutated_package(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """A package whose layers, names, order or compression are changed; bytes of seeds that are no
    package."""
    try:
        with zipfile.ZipFile(io.BytesIO(rng.choice(seeds))) as package:
            entries = [(each.filename, package.read(each)) for each in package.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError):
        with zipfile.ZipFile(io.BytesIO(seeds[0])) as package:
            entries = [(each.filename, package.read(each)) for each in package.infolist()]
    names = (*(name for name, _ in entries), *_NAMES)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(entries)) if entries else 0
        match rng.randrange(5) if entries else 5:
            case 0 | 1:
                name, data = entries[at]
                entries[at] = name, mutated_usda(rng, [data])
            case 2:
                entries[at] = rng.choice(names), entries[at][1]
            case 3:
                del entries[at]
            case 4:
                rng.shuffle(entries)
            case _:
                entries.append((rng.choice(names), b"#usda 1.0\n"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(
        buffer, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    ) as package:
        for name, data in entries:
            package.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


_NAMES = (
    "../a.usda",
    "/a.usda",
    "a/../../b.usda",
    "a\\b.usda",
    "a.usdz",
    "a/b/c.usda",
    "é.usda",
    "a" * 300 + ".usda",
    "",
)
