"""Every command with names that hold escape sequences, line breaks and workflow commands: nothing
of it is obeyed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from editor_app import __main__, cli
from editor_app.core.model.printable import printable, printable_json, printable_lines
from editor_app.plugins.robot_tests.kinds import FORMAT

#: What a name of XML may hold, of YAML, and of a file.
IN_XML = "x\n::error file=a::INJECTED\r\u2028\x9b31m\u202e##[error]y"
IN_YAML = IN_XML + "\x1b[31m\x07"
IN_FILE = IN_YAML.replace("/", "").replace("\r", "\r\n ::add-mask::")
_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no such names of files there")


def _urdf(suffix: str = IN_XML) -> str:
    def named(name: str) -> str:
        # XML makes blanks of the line breaks of an attribute, unless they are written as numbers.
        return quoteattr(name + suffix, {"\n": "&#10;", "\r": "&#13;"})

    shape = '<collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision>'
    links = "".join(
        f"<link name={named(name)}>{shape}</link>" for name in ("base", "upper", "fore")
    )
    joints = "".join(
        f'<joint name={named(joint)} type="revolute"><parent link={named(parent)}/><child '
        f"link={named(child)}/>"
        '<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" '
        'velocity="1"/></joint>'
        for joint, parent, child in (("j1", "base", "upper"), ("j2", "upper", "fore"))
    )
    return f'<?xml version="1.0"?><robot name={named("arm")}>{links}{joints}</robot>'


def _xrdf() -> str:
    def sphere(z: float) -> list[object]:
        return [{"center": [0, 0, z], "radius": 0.2}]

    spheres = {name + IN_XML: sphere(0.0) for name in ("base", "upper", "fore")}
    value = {
        "format": "xrdf",
        "format_version": 1.0,
        "default_joint_positions": {"j1" + IN_XML: 0.1, "nobody" + IN_YAML: 1},
        "cspace": {
            "joint_names": ["j1" + IN_XML, "nobody" + IN_YAML],
            "acceleration_limits": [1, 1],
        },
        "tool_frames": ["fore" + IN_XML, "nobody" + IN_YAML],
        "geometry": {"g" + IN_YAML: {"spheres": {**spheres, "nobody" + IN_YAML: sphere(0.0)}}},
        "self_collision": {
            "geometry": "g" + IN_YAML,
            "ignore": {"base" + IN_XML: ["nobody" + IN_YAML]},
        },
        "unknown" + IN_YAML: IN_YAML,
    }
    return json.dumps(value)


def _srdf() -> str:
    name = quoteattr("fore" + IN_XML, {"\n": "&#10;", "\r": "&#13;"})
    return (
        f'<robot name={name}><group name="a"><link name={name}/></group>'
        f'<disable_collisions link1={name} link2="nobody" reason={name}/></robot>'
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("hostile")
    contents = {
        "urdf": (".urdf", _urdf()),
        "other": ("-other.urdf", _urdf(IN_XML + "2")),
        "xrdf": (".named.xrdf", _xrdf()),
        "plain_xrdf": (".plain.xrdf", "format: xrdf\nformat_version: 1.0\n"),
        "srdf": (".srdf.xml", _srdf()),
        "srdf_file": (".srdf", _srdf()),
        "broken": (".broken.urdf", "<robot name='x'><link"),
        "broken_xrdf": (".broken.xrdf", json.dumps(IN_YAML) + ": ["),
        "cloud": (
            ".ply",
            "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
            "float z\n"
            "end_header\n0 0 0.4\n",
        ),
        "bad_cloud": (".bad.pcd", "# .PCD\nFIELDS x" + IN_FILE + "\nDATA ascii\n"),
        "poses": (".csv", f'"j1{IN_XML}","nobody{IN_XML}"\n0,1\n'),
        "scene": (
            ".yaml",
            json.dumps(
                {"cuboid": {IN_YAML: {"dims": [1, 1, IN_YAML], "pose": [0, 0, 0, 1, 0, 0, 0]}}}
            ),
        ),
        "good_scene": (
            ".scene.yaml",
            json.dumps({"cuboid": {IN_YAML: {"dims": [1, 1, 1], "pose": [0, 0, 0, 1, 0, 0, 0]}}}),
        ),
        "manifest": (
            ".json",
            json.dumps(
                {
                    "robots": [
                        {"urdf": "nobody" + IN_YAML, "name": IN_YAML},
                        {"urdf": "nobody", "name": "a\ud800"},
                    ]
                }
            ),
        ),
        "bad_manifest": (".bad.json", json.dumps({"robots": ["a"], IN_YAML: IN_YAML})),
    }
    paths = {}
    for key, (ending, text) in contents.items():
        paths[key] = folder / (IN_FILE + ending)
        paths[key].write_text(text, encoding="utf-8", newline="")
    paths["folder"] = folder
    paths["missing"] = folder / (IN_FILE + ".missing.urdf")
    return paths


def _check(files: dict[str, Path]) -> list[list[str]]:
    named = [
        str(files[key]) for key in ("urdf", "xrdf", "srdf", "broken", "broken_xrdf", "missing")
    ]
    return [["--format", kind, *named] for kind in ("text", "json", "sarif", "github", "junit")]


def _collide(files: dict[str, Path]) -> list[list[str]]:
    robot = [str(files["urdf"]), str(files["xrdf"])]
    told = [[*robot, "--state", "default", "--format", kind] for kind in ("json", "csv", "html")]
    return [
        *told,
        [*robot, "--state", "default", "--scene", str(files["good_scene"]), "--format", "csv"],
        [*robot, "--poses", str(files["poses"])],
        [*robot, "--state", IN_YAML],
        [*robot, "--at", f"{IN_YAML}=1"],
        [*robot, "--state", "default", "--scene", str(files["scene"])],
    ]


def _fit(files: dict[str, Path]) -> list[list[str]]:
    fit = [
        str(files["urdf"]),
        str(files["plain_xrdf"]),
        "--effort",
        "fast",
        "--spheres",
        "1",
        "--jobs",
        "1",
    ]
    return [
        fit,
        [*fit, "--format", "html"],
        [*fit, "--links", IN_YAML],
        [*fit, "-o", str(files["folder"] / IN_FILE / "no.xrdf")],
        [*fit, "--group", IN_YAML],
    ]


def _mask(files: dict[str, Path]) -> list[list[str]]:
    mask = [str(files["urdf"]), str(files["xrdf"]), "--samples", "100", "--certify", "0"]
    return [[*mask, "--format", kind] for kind in ("json", "csv", "html")] + [
        [*mask, "-o", IN_FILE + ".urdf"]
    ]


def _convert(files: dict[str, Path]) -> list[list[str]]:
    out, urdf, xrdf = (
        files["folder"] / (IN_FILE + "out.yml"),
        str(files["urdf"]),
        str(files["xrdf"]),
    )
    return [
        [urdf, xrdf, str(out), "--to", "curobo"],
        [urdf, xrdf, str(out), "--to", "curobo"],
        [urdf, xrdf, str(out), "--to", "curobo", "--format", "json", "--dry-run"],
        [urdf, xrdf, str(out), "--to", "lula", "--force"],
        [str(files["srdf"]), str(out), "--to", "xrdf", "--force"],
        [str(files["broken"]), str(out)],
    ]


def _test(files: dict[str, Path]) -> list[list[str]]:
    robot, runs = [str(files["urdf"]), str(files["xrdf"]), "--no-pictures", "--tests"], []
    good = {"name": IN_YAML, "free": {"at": "default", "clearance": 9}}
    for name, test in (("good", good), ("bad", {"name": IN_YAML, IN_YAML: {IN_YAML: 1}})):
        path = files["folder"] / f"{IN_FILE}.{name}.tests.yaml"
        path.write_text(
            json.dumps({"format": FORMAT, "format_version": 1, "tests": [test]}), encoding="utf-8"
        )
        kinds = ("text", "json", "junit", "sarif", "github", "html")
        runs += [[*robot, str(path), "--format", kind] for kind in kinds]
    return [*runs, [str(files["urdf"]), "--only", IN_YAML], [str(files["broken"])]]


#: Command -> the arguments of its runs. A command without a row fails the test.
RUNS: dict[str, Callable[[dict[str, Path]], list[list[str]]]] = {
    "audit": lambda files: [
        [
            str(files["urdf"]),
            str(files["srdf_file"]),
            "--samples",
            "20",
            "--certify",
            "0",
            "--no-pictures",
            *kind,
        ]
        for kind in (["--format", name] for name in ("text", "json", "html", "sarif", "github"))
    ],
    "check": _check,
    "test": _test,
    "collide": _collide,
    "cloud": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--cloud", str(files[name]), *more]
        for name, *more in (
            ("cloud", "--format", "text"),
            ("cloud", "--format", "json"),
            ("cloud", "--frame", IN_YAML),
            ("cloud", "--fit", IN_YAML),
            ("bad_cloud",),
        )
    ],
    "sweep": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--poses", str(files["poses"])],
        [
            str(files["urdf"]),
            str(files["xrdf"]),
            "--poses",
            str(files["poses"]),
            "--group",
            IN_YAML,
        ],
    ],
    "margins": lambda files: (
        [
            [str(files["urdf"]), str(files["xrdf"]), "--turning", "1deg", "--format", kind]
            for kind in ("text", "json")
        ]
        + [[str(files["urdf"]), str(files["xrdf"]), "--frame", f"{IN_YAML}=1mm"]]
    ),
    "cost": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--samples", "20", "--format", kind]
        for kind in ("json", "html")
    ],
    "fit": _fit,
    "mask": _mask,
    "convert": _convert,
    "compose": lambda files: [
        [
            str(files["urdf"]),
            str(files["xrdf"]),
            str(files["other"]),
            "--at",
            IN_YAML,
            "--samples",
            "10",
        ],
        [str(files["urdf"]), str(files["other"]), "--at", "nowhere", "--prefix", IN_YAML],
        [
            str(files["urdf"]),
            str(files["other"]),
            "--at",
            "base",
            "--prefix",
            IN_YAML,
            "--format",
            "json",
        ],
    ],
    "edit": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--rename-link", f"{IN_YAML}=a"],
        [str(files["urdf"]), str(files["xrdf"]), "--add-link", f"{IN_YAML}=base{IN_XML}"],
        [str(files["urdf"]), "--remove-branch", f"upper{IN_XML}"],
        [str(files["urdf"]), "--shape", f"base{IN_XML}={IN_YAML}"],
    ],
    "variant": lambda files: [
        [str(files["urdf"]), str(files["xrdf"])],
        [str(files["urdf"]), str(files["xrdf"]), "--set", IN_YAML],
        [str(files["urdf"]), "--link", IN_YAML],
    ],
    "collision": lambda files: [
        [str(files["urdf"]), "--kind", "box"],
        [str(files["urdf"]), "--kind", "box", "--links", IN_YAML],
        [str(files["urdf"]), "--kind", "hull", "--links", f"base{IN_XML}"],
    ],
    "detach": lambda files: [[str(files["urdf"])], [str(files["urdf"]), "--link", IN_YAML]],
    "repair": lambda files: [
        [str(files["urdf"]), str(files["xrdf"])],
        [str(files["urdf"]), "--limit", IN_YAML],
    ],
    "new": lambda files: [
        [str(files["other"])],
        [str(files["other"])],
        [str(files["other"]), "-o", "-"],
        [str(files["other"]), "--format", "json", "--force"],
        [str(files["other"]), "--tool", IN_YAML, "--force"],
        [
            str(files["other"]),
            "--fit",
            "--mask",
            "--effort",
            "fast",
            "--samples",
            "100",
            "--force",
            "--jobs",
            "1",
        ],
    ],
    "pose": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--format", "ros"],
        [str(files["urdf"]), str(files["xrdf"]), "--to", "0 0 0"],
        [str(files["urdf"]), "--tool", IN_YAML],
        [str(files["urdf"]), "--to", IN_YAML],
    ],
    "plan": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--queries", "1", "--seconds", "0.2"],
        [str(files["urdf"]), "--from", IN_YAML, "--to", "random"],
    ],
    "diff": lambda files: [
        [str(files["plain_xrdf"]), str(files["xrdf"])],
        [str(files["plain_xrdf"]), str(files["xrdf"]), "--format", "json"],
        [str(files["plain_xrdf"]), str(files["broken_xrdf"])],
    ],
    "batch": lambda files: [
        [
            str(files["manifest"]),
            "-o",
            str(files["folder"] / "out"),
            "--no-pictures",
            "--jobs",
            "1",
        ],
        [str(files["bad_manifest"]), "-o", str(files["folder"] / "out2")],
        [str(files["missing"]), "-o", str(files["folder"] / "out2")],
    ],
    "sign": lambda files: [
        [str(files["urdf"]), str(files["xrdf"]), "--samples", "100", "--certify", "0"],
        [
            str(files["urdf"]),
            str(files["xrdf"]),
            "--samples",
            "100",
            "--certify",
            "0",
            "--format",
            "json",
        ],
        [
            str(files["urdf"]),
            str(files["xrdf"]),
            "--pair",
            IN_YAML,
            IN_YAML,
            "--by",
            IN_YAML,
            "--reason",
            IN_YAML,
        ],
    ],
    "schema": lambda files: [[]],
    "completion": lambda files: [["bash"]],
    "lsp": lambda files: [],
}


@pytest.mark.parametrize("name", cli.list_commands())
def test_no_command_writes_what_a_name_orders(
    name: str, files: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    for arguments in RUNS[name](files):
        code = cli.run_command(name, arguments)
        told = capfd.readouterr()
        assert "internal error" not in told.err, (arguments, told.err)
        if "-" in arguments:
            # The file itself, byte for byte: what goes to a pipe is not touched.
            assert told.out == files["other"].with_suffix(".xrdf").read_text(encoding="utf-8")
            continue
        for text in (told.out, told.err):
            _assert_harmless(text, is_github="github" in arguments)
        assert told.out or told.err or code == 0
    # The arguments themselves, as shells give them for a file that begins with a dash.
    with pytest.raises(SystemExit):
        cli.run_command(name, [("--" + IN_YAML).replace(" ", "")])
    _assert_harmless(capfd.readouterr().err)


def _assert_harmless(text: str, *, is_github: bool = False) -> None:
    unsafe = _UNSAFE.search(text)
    assert unsafe is None, repr(text[max(0, unsafe.start() - 200) : unsafe.end() + 20])
    assert "##[" not in text
    for line in text.splitlines():
        if is_github and re.match(
            r"::(error|warning|notice) file=[^:,]*(,line=\d+,col=\d+)?,title=\w+::", line
        ):
            continue
        assert not line.strip().startswith("::"), line
        assert not line.strip().startswith("INJECTED"), line


def test_a_first_word_that_is_no_command_gives_no_orders(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        __main__.main([IN_YAML])
    _assert_harmless(capfd.readouterr().err)


def test_a_name_is_shown_so_that_it_can_be_recognised() -> None:
    assert printable("a\x1b[31m\r\n\u2028\ud800b") == r"a\x1b[31m\r\n\u2028\ud800b"
    assert printable("::error::x") == r":\x3aerror::x"
    assert printable("  ::error") == r"  :\x3aerror"
    assert printable("a ##[error]b ##vso[c]") == r"a #\x23[error]b #\x23vso[c]"
    for plain in ("std::string", "C:\\x", "größe – ½", "日本", "a ## b", "e\u0301", "12\u202f000"):
        assert printable(plain) == plain
    assert printable_lines("a\n::b") == "a\n:\\x3ab"
    value = {"a\u2028##[x]": "\x9b\ud800\n", "b": ["::"]}
    assert json.loads(printable_json(json.dumps(value, ensure_ascii=False, indent=1))) == value
