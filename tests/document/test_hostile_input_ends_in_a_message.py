"""Mutated, truncated, nested, inflated and absurd files end in a message or a finding: no crash, no
hang, no bomb."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree, complete_pose, get_default_positions
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.documents import CLEAN, URDF, V2

_WORDS = [
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "&a ",
    "*a",
    "<<: *a",
    "\t",
    "\r\n",
    '"',
    "'",
    "|",
    ">",
    "#",
    "---\n",
    "...\n",
    "!!str ",
]
_WORDS += [
    "1e999",
    "-.inf",
    ".nan",
    "0x",
    "\ufeff",
    "\x00",
    "😀",
    "?",
    "%YAML 9.9\n",
    "null",
    "~",
    "@",
    "\u2028",
]
_XML = [
    "<",
    ">",
    "/>",
    "</robot>",
    "<link name='x'>",
    "&amp;",
    "&x;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    '"',
    "'",
    "\x00",
    "😀",
]
_XML += [
    "<?xml version='0.0'?>",
    'name="base"',
    "<mimic joint='elbow'/>",
    'xyz="1 2"',
    'lower="nan"',
    "inf",
    "1e999",
]


def mutations(text: str, words: list[str], count: int, seed: int) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(count):
        mutated = text
        for _ in range(rng.randint(1, 6)):
            at, kind = rng.randrange(len(mutated) + 1), rng.randrange(6)
            if kind == 0:
                mutated = mutated[:at] + rng.choice(words) + mutated[at:]
            elif kind == 1:
                mutated = mutated[:at] + mutated[at + rng.randint(1, 30) :]
            elif kind == 2:
                end = at + rng.randint(1, 80)
                mutated = mutated[:end] + mutated[at:end] + mutated[end:]
            elif kind == 3:
                mutated = mutated[:at]
            elif kind == 4:
                mutated = mutated[:at] + chr(rng.randrange(1, 0x2FF)) + mutated[at + 1 :]
            else:
                lines = mutated.split("\n")
                rng.shuffle(lines)
                mutated = "\n".join(lines) if rng.random() < 0.1 else mutated[at:] + mutated[:at]
            mutated = mutated or " "
        yield mutated


def use_xrdf(text: str, urdf: Urdf) -> None:
    """Everything that opening a file does with it."""
    try:
        source = read_xrdf(SourceText.from_text(text))
    except FormatError as error:
        if not str(error):
            raise
        return
    robot = RobotDescription(urdf, source.value)
    run_rules(CheckContext(robot, source))
    tree = build_tree(urdf, source.value.modifiers)
    compute_forward(tree, complete_pose(tree, get_default_positions(tree, source.value)))
    assert patch_xrdf(source, source.value).text == text


def use_urdf(text: str) -> None:
    try:
        urdf = read_urdf(SourceText.from_text(text)).value
    except FormatError as error:
        if not str(error):
            raise
        return
    tree = build_tree(urdf)
    compute_forward(tree, complete_pose(tree, FrozenDict()))


@pytest.mark.parametrize("seed", range(4))
def test_mutated_xrdf(seed: int) -> None:
    urdf = read_urdf(SourceText.from_text(URDF)).value
    for text in mutations((CLEAN, V2)[seed % 2], _WORDS, 150, seed):
        use_xrdf(text, urdf)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_urdf(seed: int) -> None:
    for text in mutations(URDF, _XML, 150, seed):
        use_urdf(text)


def nested_flow() -> str:
    return "geometry: " + "[" * 100_000


def nested_block() -> str:
    return "\n".join(" " * i + "a:" for i in range(3000))


def alias_bomb() -> str:
    lines = ["format: xrdf", "format_version: 1.0", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    return "\n".join([*lines, "tool_frames: *a11", "cspace: {joint_names: *a11}"])


def merge_bomb() -> str:
    lines = ["format: xrdf", "m0: &m0 {a: 1}"]
    lines += [f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 10)}]}}" for i in range(1, 12)]
    return "\n".join([*lines, "default_joint_positions: *m11"])


def huge_numbers() -> str:
    return (
        CLEAN.replace("0.1", "9" * 100_000)
        .replace("0.5", "1e" + "9" * 1000)
        .replace("10.0", "-" + "9" * 5000)
    )


def many_spheres() -> str:
    return CLEAN + "".join(
        f"        - center: [{i}, 0.0, 0.0]\n          radius: 0.1\n" for i in range(20_000)
    )


def entity_bomb() -> str:
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    return (
        f'<!DOCTYPE r [<!ENTITY e0 "xxxxxxxxxx">{entities}]><robot name="&e11;"><link '
        'name="a"/></robot>'
    )


def outside_entity() -> str:
    return (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot name="&x;"><link '
        'name="&x;"/></robot>'
    )


def deep_xml() -> str:
    return '<robot name="a">' + "<link name='a'>" * 100_000


def many_links() -> str:
    links = "".join(f'<link name="l{i}"/>' for i in range(5000))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/></joint>'
        for i in range(4999)
    )
    return f'<robot name="long">{links}{joints}</robot>'


def circle() -> str:
    links = "".join(f'<link name="l{i}"/>' for i in range(50))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child '
        f'link="l{(i + 1) % 50}"/></joint>'
        for i in range(50)
    )
    mimics = (
        '<joint name="m" type="revolute"><parent link="l0"/><child link="x"/><mimic '
        'joint="m"/></joint><link name="x"/>'
    )
    return f'<robot name="round">{links}{joints}{mimics}</robot>'


# Loads everything once and forks for each bomb; a line of JSON tells how each ended.
_LIMITED = """
import json, os, resource, signal, sys, tempfile
sys.path.insert(0, {root!r})
import tests.document.test_hostile_input_ends_in_a_message as hostile
from editor_app.core.text.source import SourceText
from editor_app.core.formats.urdf import read_urdf
robot = read_urdf(SourceText.from_text(hostile.URDF)).value
for name, kind in (word.split(":") for word in sys.argv[1:]):
    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if child == 0:
            os.dup2(told.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            signal.alarm(120)
            code = 1
            try:
                text = getattr(hostile, name)()
                hostile.use_urdf(text) if kind == "urdf" else hostile.use_xrdf(text, robot)
                code = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        told.seek(0)
        print(json.dumps([name, os.waitstatus_to_exitcode(status), told.read().decode(errors="replace")[-2000:]]))
"""

_XRDF_BOMBS: tuple[Callable[[], str], ...] = (
    nested_flow,
    nested_block,
    alias_bomb,
    merge_bomb,
    huge_numbers,
    many_spheres,
)
_URDF_BOMBS: tuple[Callable[[], str], ...] = (
    entity_bomb,
    outside_entity,
    deep_xml,
    many_links,
    circle,
)


_BOMBS = [(make, "xrdf") for make in _XRDF_BOMBS] + [(make, "urdf") for make in _URDF_BOMBS]


@pytest.fixture(scope="module")
def ends() -> dict[str, tuple[int, str]]:
    """Name of a bomb -> exit code of its process, and what that wrote to standard error."""
    script = _LIMITED.format(root=str(Path(__file__).parents[2]))
    command = [sys.executable, "-c", script, *(f"{make.__name__}:{kind}" for make, kind in _BOMBS)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr[-2000:]
    return {name: (code, told) for name, code, told in map(json.loads, result.stdout.splitlines())}


@pytest.mark.skipif(
    sys.platform == "win32", reason="limits of memory and time need the resource module"
)
@pytest.mark.parametrize("name", [make.__name__ for make, _ in _BOMBS])
def test_a_bomb_goes_off_within_bounds_of_time_and_memory(
    ends: dict[str, tuple[int, str]], name: str
) -> None:
    code, told = ends[name]
    assert code == 0, told or "ended by a signal"


def test_an_outside_entity_is_not_read() -> None:
    with pytest.raises(FormatError):
        read_urdf(SourceText.from_text(outside_entity()))


def test_yaml_tags_run_no_code() -> None:
    text = CLEAN.replace(
        "tool_frames: [tool]", 'tool_frames: !!python/object/apply:os.system ["exit 3"]'
    )
    assert read_xrdf(SourceText.from_text(text)).value.format == "xrdf"


@pytest.mark.parametrize(
    "name",
    [
        "../../../../etc/passwd",
        "package://../../etc/passwd",
        "file:///etc/passwd",
        "/dev/zero",
        "//x/y.stl",
        "\x00.stl",
        "a" * 5000 + ".stl",
        "http://example.invalid/a.stl",
    ],
)
def test_mesh_paths_that_lead_elsewhere_are_findings(name: str, tmp_path: Path) -> None:
    from editor_app.core.space.geometry.link_geometry import link_geometry
    from editor_app.features.checks.verbs.check_files import check_files

    text = (
        '<robot name="a"><link name="l"><visual><geometry><mesh '
        f'filename="{name}"/></geometry></visual></link></robot>'
    )
    try:
        urdf = read_urdf(SourceText.from_text(text)).value
    except FormatError:
        return
    geometry = link_geometry(urdf, tmp_path / "a.urdf", "l", "visual")
    assert geometry.parts == ()
    assert geometry.findings or geometry.missing
    (tmp_path / "a.urdf").write_bytes(text.encode())
    assert [
        f
        for f in check_files([tmp_path / "a.urdf"], slow=True)[0].findings
        if f.severity >= Severity.WARNING
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"\0" * 80 + b"\xff\xff\xff\xff" + b"\0" * 50,
        b"solid x\nfacet normal nan nan nan\nouter loop\nvertex nan inf 1e999\n",
        b"solid x\n" + b"facet\n" * 1000,
        b"",
        b"\0" * 84,
    ],
)
@pytest.mark.parametrize("suffix", [".stl", ".obj", ".dae", ".glb", ".ply"])
def test_meshes_with_absurd_contents_are_findings(data: bytes, suffix: str, tmp_path: Path) -> None:
    from editor_app.core.space.geometry.loading import load_mesh

    path = tmp_path / f"mesh{suffix}"
    path.write_bytes(data)
    mesh = load_mesh(path)
    assert mesh.findings or mesh.triangles == 0 or suffix == ".obj"


def test_a_doubled_key_in_a_doubled_mapping() -> None:
    # Found by fuzzing: the finding's path leads into the other mapping of that name.
    text = (
        CLEAN
        + "geometry:\n  spheres:\n    spheres: {}\n    spheres: {}\ngeometry:\n  spheres: {}\n"
    )
    use_xrdf(text, read_urdf(SourceText.from_text(URDF)).value)
