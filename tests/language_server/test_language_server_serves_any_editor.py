"""The language server, asked over its pipes as an editor would: findings, remedies, completion,
hover, names."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.plugins.language_server.cli import lsp
from editor_app.plugins.language_server.server import Positions
from tests.helpers.moveit_package import LIMITS, write_package
from tests.helpers.robots import REPOSITORY
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT
from tests.helpers.turner import HEAD, write_turner

pytest.importorskip("pygls", reason="the extra lsp is not installed")
WAIT = 60
SRDF_TEXT = """<robot name="small">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
</robot>
"""


class Client:
    """JSON-RPC by hand: nothing of the server's own library is on this side."""

    def __init__(self, folder: Path) -> None:
        command = [
            sys.executable,
            "-P",
            "-c",
            "import sys; from editor_app.__main__ import main; sys.exit(main())",
        ]
        self._process = subprocess.Popen(
            [*command, "lsp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            cwd=folder,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._answers: queue.Queue[dict[str, Any]] = queue.Queue()
        self._told: dict[str, queue.Queue[list[dict[str, Any]]]] = {}
        self._number = 0
        self._versions: dict[str, int] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.capabilities = self.ask(
            "initialize", {"processId": None, "rootUri": None, "capabilities": {}}
        )
        self.tell("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._in.flush()

    def _read(self) -> None:
        while True:
            length = 0
            while line := self._out.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                return
            message = json.loads(self._out.read(length))
            if message.get("method") == "textDocument/publishDiagnostics":
                told = message["params"]
                self._told.setdefault(told["uri"], queue.Queue()).put(told["diagnostics"])
            elif "id" in message and "method" not in message:
                self._answers.put(message)

    def ask(self, method: str, params: Any) -> Any:
        """The result; raises AssertionError with the message of a refusal."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        answer = self._answers.get(timeout=WAIT)
        assert answer["id"] == self._number
        assert "error" not in answer, answer["error"]["message"]
        return answer["result"]

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def open(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Opens a text; gives its findings."""
        uri = path.as_uri()
        self._told[uri] = queue.Queue()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self._versions[uri] = 1
        self.tell("textDocument/didOpen", {"textDocument": document})
        return self.told(path)

    def type(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Replaces the whole text; gives its findings."""
        uri = path.as_uri()
        self._told[uri] = queue.Queue()
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.tell(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )
        return self.told(path)

    def told(self, path: Path) -> list[dict[str, Any]]:
        return self._told.setdefault(path.as_uri(), queue.Queue()).get(timeout=WAIT)

    def at(self, path: Path, text: str, offset: int) -> dict[str, Any]:
        line, character = Positions(text).position(offset)
        return {
            "textDocument": {"uri": path.as_uri()},
            "position": {"line": line, "character": character},
        }

    def close(self, *paths: Path) -> None:
        for path in paths:
            self.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def end(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        try:
            return self._process.wait(WAIT)
        finally:
            self._process.kill()
            self._reader.join(WAIT)
            with contextlib.suppress(BrokenPipeError):
                self._in.close()
            self._out.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    client = Client(tmp_path_factory.mktemp("server"))
    yield client
    assert client.end() == 0


@pytest.fixture
def xrdf(tmp_path: Path) -> Path:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.srdf").write_text(SRDF_TEXT)
    return tmp_path / "small.xrdf"


def _changed(text: str, edits: list[dict[str, Any]]) -> str:
    at = Positions(text)
    for edit in sorted(
        edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"])
    )[::-1]:
        start, end = (
            at.offset(edit["range"][side]["line"], edit["range"][side]["character"])
            for side in ("start", "end")
        )
        text = text[:start] + edit["newText"] + text[end:]
    return text


def test_findings_have_our_codes_and_places_and_go_when_they_are_mended(
    client: Client, xrdf: Path
) -> None:
    broken = XRDF_TEXT.replace('["tcp", hand]', '["tcp", hnad]')
    diagnostics = client.open(xrdf, broken)
    (unknown,) = [each for each in diagnostics if "hnad" in each["message"]]
    assert unknown["code"] == "XRDF802"
    assert unknown["codeDescription"]["href"].endswith("findings/xrdf.md#xrdf802")
    assert unknown["source"] == "xrdf-editor"
    assert unknown["severity"] == 1
    start = Positions(broken).offset(**unknown["range"]["start"])
    end = Positions(broken).offset(**unknown["range"]["end"])
    assert broken[start:end] == "hnad"

    context = {
        "textDocument": {"uri": xrdf.as_uri()},
        "range": unknown["range"],
        "context": {"diagnostics": [unknown]},
    }
    remedies = {
        action["title"]: action for action in client.ask("textDocument/codeAction", context)
    }
    assert remedies
    mended = [
        _changed(broken, action["edit"]["changes"][xrdf.as_uri()])
        for action in remedies.values()
        if xrdf.as_uri() in action["edit"]["changes"]
    ]
    diagnostics = client.type(xrdf, mended[0])
    assert not any("hnad" in each["message"] for each in diagnostics)
    # What was not concerned stays to the byte.
    assert mended[0].partition("tool_frames")[0] == XRDF_TEXT.partition("tool_frames")[0]
    client.close(xrdf)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with names")
def test_a_file_that_is_not_open_is_read_as_every_other_file(
    client: Client, tmp_path: Path
) -> None:
    """A pipe never answers, and a device never ends."""
    os.mkfifo(tmp_path / "pipe.xrdf")
    (tmp_path / "zero.xrdf").symlink_to("/dev/zero")
    for name, reason in (
        ("pipe", "it is a pipe"),
        ("zero", "it is a device"),
        ("gone", "does not exist"),
    ):
        with pytest.raises(AssertionError, match=reason):
            client.ask("textDocument/hover", client.at(tmp_path / f"{name}.xrdf", "", 0))
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.xrdf").write_text(XRDF_TEXT)
    hint = client.ask(
        "textDocument/hover",
        client.at(tmp_path / "small.xrdf", XRDF_TEXT, XRDF_TEXT.index("format")),
    )
    assert "format" in hint["contents"]["value"]


def test_parts_fold_and_are_outlined(client: Client, xrdf: Path) -> None:
    def outline(symbols: list[dict[str, Any]]) -> list[Any]:
        return [
            (each["name"], outline(each["children"])) if each["children"] else each["name"]
            for each in symbols
        ]

    spheres = "      base:\n      - center: [0, 0, 0]\n        radius: 1\n"
    text = f"format: xrdf\ngeometry:\n  g:\n    spheres:\n{spheres}cspace:\n  joint_names: []\n"
    client.open(xrdf, text)
    where = {"textDocument": {"uri": xrdf.as_uri()}}
    folded = {
        (fold["startLine"], fold["endLine"])
        for fold in client.ask("textDocument/foldingRange", where)
    }
    assert {(1, 6), (2, 6), (7, 8)} <= folded
    (geometry, cspace) = outline(client.ask("textDocument/documentSymbol", where))
    assert geometry[0] == "geometry"
    assert geometry[1][0][0] == "g"
    assert cspace == "cspace"
    client.close(xrdf)
    urdf = xrdf.with_suffix(".urdf")
    client.open(urdf, URDF_TEXT)
    symbols = client.ask("textDocument/documentSymbol", {"textDocument": {"uri": urdf.as_uri()}})
    assert [each["name"] for each in symbols] == ["robot small"]
    client.close(urdf)


def test_settings_of_moveit_are_judged_against_the_robot_of_their_package(
    client: Client, tmp_path: Path
) -> None:
    limits = write_package(tmp_path, urdf_in="the_robot") / "config" / "joint_limits.yaml"

    def told(text: str) -> list[tuple[str, int]]:
        of_text = client.type(limits, text)
        return [
            (each["code"], each["range"]["start"]["line"])
            for each in of_text
            if each["severity"] < 3
        ]

    assert all(each["severity"] == 3 for each in client.open(limits, LIMITS))
    # Neither the name, without which the elbow has no limits, nor the speed is what the URDF says;
    # then it is no YAML.
    assert told(LIMITS.replace("  elbow:", "  elbo:")) == [("ROS003", 9), ("ROS015", 2)]
    assert told(LIMITS.replace("max_velocity: 0.50", "max_velocity: 5.0")) == [("ROS005", 5)]
    assert [code for code, _ in told(LIMITS + "joint_limits: [")] == ["ROS000"]
    # An XRDF's keys are no help there.
    assert not client.ask("textDocument/completion", client.at(limits, LIMITS, 0))["items"]
    # Beside no robot, what needs one is not asked.
    alone = tmp_path / "elsewhere" / "joint_limits.yaml"
    assert [each["code"] for each in client.open(alone, LIMITS.replace("0.50", "fast"))] == [
        "ROS001",
        "ROS004",
    ]
    client.close(alone, limits)


def test_formatting_takes_blanks_alone(client: Client, xrdf: Path) -> None:
    client.open(xrdf, XRDF_TEXT.replace("\n", "  \n", 1))
    options = {"tabSize": 2, "insertSpaces": True}
    edits = client.ask(
        "textDocument/formatting", {"textDocument": {"uri": xrdf.as_uri()}, "options": options}
    )
    assert [(each["newText"], each["range"]["start"]["line"]) for each in edits] == [("", 0)]
    client.close(xrdf)


@pytest.mark.parametrize(
    "params", [{}, {"textDocument": 5}, [1], {"textDocument": {"uri": 5}, "position": "x"}]
)
def test_every_request_has_an_answer(client: Client, params: Any) -> None:
    with pytest.raises(AssertionError, match=r"(?i)invalid param|internal error"):
        client.ask("textDocument/hover", params)


def test_a_text_with_a_lone_surrogate_has_its_findings(client: Client, xrdf: Path) -> None:
    found_codes = {
        finding["code"]
        for finding in client.open(xrdf, XRDF_TEXT + '\n# \ud800\nnonsense: "\ud800"\n')
    }
    assert found_codes
    client.close(xrdf)


def test_a_name_that_no_file_can_hold_is_refused(client: Client, xrdf: Path) -> None:
    client.open(xrdf, XRDF_TEXT)
    at = client.at(xrdf, XRDF_TEXT, XRDF_TEXT.index("upper"))
    with pytest.raises(AssertionError, match="files cannot contain"):
        client.ask("textDocument/rename", {**at, "newName": "a\0b"})
    client.close(xrdf)


def test_a_text_that_cannot_be_read_has_one_finding_with_its_place_and_names_are_offered_still(
    client: Client, xrdf: Path
) -> None:
    client.open(xrdf, XRDF_TEXT)
    unfinished = XRDF_TEXT.replace('tool_frames: ["tcp", hand]', "tool_frames: [tc")
    (finding,) = client.type(xrdf, unfinished)
    assert finding["code"] == "XRDF001"
    offset = unfinished.index("[tc") + 3
    offered = client.ask("textDocument/completion", client.at(xrdf, unfinished, offset))
    assert [item["label"] for item in offered["items"]] == ["tcp"]
    assert _changed(unfinished, [offered["items"][0]["textEdit"]]) == unfinished.replace(
        "[tc", "[tcp"
    )
    client.close(xrdf)


def test_hovering_and_definitions_lead_to_the_urdf(client: Client, xrdf: Path) -> None:
    client.open(xrdf, XRDF_TEXT)
    place = client.at(xrdf, XRDF_TEXT, XRDF_TEXT.index('"j2"') + 2)
    told = client.ask("textDocument/hover", place)["contents"]
    assert told["kind"] == "plaintext"
    assert told["value"].startswith("Joint j2: continuous")
    where = client.ask("textDocument/definition", place)
    assert where["uri"] == xrdf.with_suffix(".urdf").as_uri()
    start = Positions(URDF_TEXT).offset(**where["range"]["start"])
    assert URDF_TEXT[start:].startswith('j2" type="continuous"')
    added = client.ask(
        "textDocument/definition", client.at(xrdf, XRDF_TEXT, XRDF_TEXT.index('"tcp"') + 1)
    )
    assert added["uri"] == xrdf.as_uri()
    assert added["range"]["start"]["line"] == XRDF_TEXT[: XRDF_TEXT.index("frame_name")].count("\n")
    client.close(xrdf)


def test_references_are_all_places_that_a_rename_would_change(client: Client, xrdf: Path) -> None:
    client.open(xrdf, XRDF_TEXT)
    place = client.at(xrdf, XRDF_TEXT, XRDF_TEXT.index(", hand]") + 3)
    texts = {
        xrdf: XRDF_TEXT,
        xrdf.with_suffix(".urdf"): URDF_TEXT,
        xrdf.with_suffix(".srdf"): SRDF_TEXT,
    }

    def asked(*, with_definition: bool) -> set[tuple[str, int]]:
        params = {**place, "context": {"includeDeclaration": with_definition}}
        told = set()
        for where in client.ask("textDocument/references", params):
            [path] = [path for path in texts if path.as_uri() == where["uri"]]
            start = Positions(texts[path]).offset(**where["range"]["start"])
            assert texts[path][start:].startswith("hand")
            told.add((path.suffix, start))
        return told

    every = asked(with_definition=True)
    changes = client.ask("textDocument/rename", {**place, "newName": "palm"})["changes"]
    renamed = sum(
        _changed(text, changes[path.as_uri()]).count("palm") for path, text in texts.items()
    )
    assert len(every) == renamed
    [definition] = every - asked(with_definition=False)
    assert definition == (".urdf", URDF_TEXT.index('"hand"') + 1)
    client.close(xrdf)


def test_renaming_follows_a_link_through_all_files_also_those_that_are_not_saved(
    client: Client, xrdf: Path
) -> None:
    # A character beyond 16 bits before the name: editors count it twice.
    text = XRDF_TEXT.replace('tool_frames: ["tcp", hand]', "tool_frames: [tcp, hand]  # 𝔸").replace(
        "parent_frame_name: hand", 'parent_frame_name: "hand" # 𝔸'
    )
    client.open(xrdf, text)
    params = {**client.at(xrdf, text, text.index(", hand]") + 3), "newName": "palm"}
    assert client.ask(
        "textDocument/prepareRename", {k: v for k, v in params.items() if k != "newName"}
    )
    changes = client.ask("textDocument/rename", params)["changes"]
    renamed = _changed(text, changes[xrdf.as_uri()])
    assert "tool_frames: [tcp, palm]  # 𝔸" in renamed
    assert 'parent_frame_name: "palm" # 𝔸' in renamed
    urdf = _changed(URDF_TEXT, changes[xrdf.with_suffix(".urdf").as_uri()])
    assert urdf == URDF_TEXT.replace('"hand"', '"palm"')
    assert 'tip_link="palm"' in _changed(SRDF_TEXT, changes[xrdf.with_suffix(".srdf").as_uri()])
    with pytest.raises(AssertionError, match="The frame 'base' already exists"):
        client.ask("textDocument/rename", {**params, "newName": "base"})
    client.close(xrdf)


def test_urdf_and_srdf_are_served_too(client: Client, xrdf: Path) -> None:
    xrdf.write_text(XRDF_TEXT)
    srdf, urdf = xrdf.with_suffix(".srdf"), xrdf.with_suffix(".urdf")
    unfinished = SRDF_TEXT.replace('link2="upper" reason="Adjacent"/>', 'link2="fin')
    client.open(srdf, unfinished)
    offered = client.ask(
        "textDocument/completion", client.at(srdf, unfinished, unfinished.index('"fin') + 4)
    )
    assert [item["label"] for item in offered["items"]] == ["finger_a", "finger_b"]
    mistaken = URDF_TEXT.replace('<child link="hand"/>', '<child link="hnad"/>')
    diagnostics = client.open(urdf, mistaken)
    assert any(
        "hnad" in each["message"] and each["code"].startswith("URDF") for each in diagnostics
    )
    told = client.ask(
        "textDocument/hover", client.at(urdf, mistaken, mistaken.index('parent link="fore"') + 14)
    )
    assert told["contents"]["value"].startswith("Link fore: child of upper by j2")
    assert (
        client.ask(
            "textDocument/completion",
            client.at(urdf, mistaken, mistaken.index('link name="base') + 12),
        )["items"]
        == []
    )
    client.close(srdf, urdf)


def test_an_xrdf_that_has_no_urdf_is_checked_by_the_rules_that_need_none(
    client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "alone.xrdf"
    diagnostics = client.open(path, XRDF_TEXT.replace("12.0, 10", "12.0, -10"))
    assert any("-10" in each["message"] for each in diagnostics)
    assert not any(each["code"] == "XRDF802" for each in diagnostics)
    client.close(path)


def test_positions_count_as_editors_do() -> None:
    text = "a𝔸b\r\nc\rd\u2028e\n"
    at = Positions(text)
    assert [at.position(text.index(c)) for c in "a𝔸bcde"] == [
        (0, 0),
        (0, 1),
        (0, 3),
        (1, 0),
        (2, 0),
        (2, 2),
    ]
    assert all(at.offset(*at.position(i)) == i for i in range(len(text)) if text[i] != "\n")
    assert at.offset(0, 99) == text.index("\r")
    assert at.offset(99, 0) == len(text)


#: Stands for VS Code and for its library of clients: tells what would be started.
_STUBS = """
const Module = require("node:module");
const configured = { command: "xrdf-editor", profile: "curobo" };
const vscode = {
  commands: { registerCommand: () => ({}) },
  window: { showErrorMessage: (text) => console.error(text) },
  workspace: { getConfiguration: () => ({ get: (key) => configured[key] }), onDidChangeConfiguration: () => ({}) },
};
class LanguageClient {
  constructor(id, name, server, client) { console.log(JSON.stringify({ server, client })); }
  async start() {}
  async stop() {}
}
const stubs = { vscode, "vscode-languageclient/node": { LanguageClient } };
const load = Module._load;
Module._load = (name, ...rest) => stubs[name] ?? load(name, ...rest);
const extension = require(process.argv[2]);
extension.activate({ subscriptions: [] }).then(() => extension.deactivate());
"""


def test_the_extension_of_vs_code_starts_the_server_with_arguments_that_it_takes(
    tmp_path: Path,
) -> None:
    folder = REPOSITORY / "packaging" / "vscode"
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    # VS Code takes no development versions: between releases the extension has the number of the
    # next one.
    assert described["version"] == editor_app.__version__.removesuffix(".dev0")
    # Packing makes the one and copies the other.
    assert all(
        (folder / name).exists()
        for name in {*described["files"]} - {"dist/extension.js", "LICENSE"}
    )
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    script = tmp_path / "stubs.js"
    script.write_text(_STUBS)
    done = subprocess.run(
        [node, script, folder / "extension.js"], capture_output=True, text=True, timeout=WAIT
    )
    assert done.stderr == ""
    started = json.loads(done.stdout)
    assert (
        started["server"]["command"]
        == described["contributes"]["configuration"]["properties"]["xrdfEditor.command"]["default"]
    )
    name, *arguments = started["server"]["args"]
    assert name == "lsp"
    parser = argparse.ArgumentParser()
    lsp.add_arguments(parser)
    assert parser.parse_args(arguments).profile == "curobo"


def test_a_test_file_of_a_robot_has_findings_completion_and_hover(
    client: Client, tmp_path: Path
) -> None:
    write_turner(tmp_path)
    path = tmp_path / "turner.tests.yaml"
    broken = f"{HEAD}  - name: a\n    free: {{at: {{yow: 1}}}}\n"
    [finding] = client.open(path, broken)
    assert finding["code"] == "TEST004"
    assert "no joint 'yow'" in finding["message"].lower()
    assert finding["range"]["start"]["line"] == 4
    typed = f"{HEAD}  - name: a\n    free: {{at: {{ya"
    client.type(path, typed)
    items = client.ask("textDocument/completion", client.at(path, typed, len(typed)))["items"]
    assert [item["label"] for item in items] == ["yaw"]
    right = broken.replace("yow", "yaw")
    assert client.type(path, right) == []
    shown = client.ask("textDocument/hover", client.at(path, right, right.index("free")))
    assert "The robot is within its limits" in shown["contents"]["value"]
    client.close(path)
