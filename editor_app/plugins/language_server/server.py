"""The server itself: what an editor asks, answered by the verbs. Over standard input and output.

Protocol: https://microsoft.github.io/language-server-protocol/.
"""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from editor_app.core.document.state import FileKind
from editor_app.core.feature import hook
from editor_app.core.formats.tidy import tidy_xml, tidy_yaml
from editor_app.core.formats.xrdf.vocabulary import XRDF_VOCABULARY
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import Splice
from editor_app.core.text.yaml.vocabulary import Vocabulary
from editor_app.core.verbs.text_folds import folds
from editor_app.core.verbs.text_help import NamedThing, complete_word, hover, named_at
from editor_app.features.checks.verbs.finding_pages import address_of_code
from editor_app.features.checks.verbs.safe_fixes import refuse_fix
from editor_app.plugins.language_server.verbs.live_texts import (
    LiveRobot,
    TextRange,
    change_edits,
    definition,
    find_references,
    kind_of,
    live_robot,
    rename_edits,
)
from editor_app.version import __version__

#: Seconds of quiet before a text that is being typed is checked.
_QUIET = 0.2
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}
_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "name": lsp.CompletionItemKind.Reference,
    "value": lsp.CompletionItemKind.Value,
}


class _Texts:
    """The texts that the editor has open, and the robots that they describe."""

    def __init__(self, server: LanguageServer, profile: Profile) -> None:
        self._server, self.profile = server, profile
        #: Of each XRDF the last one that could be read: names are offered from it while a line is
        #: being typed.
        self._last: dict[Path, Xrdf] = {}

    def uris(self) -> dict[Path, str]:
        return {parse_uri(uri): uri for uri in self._server.workspace.text_documents}

    def text(self, uri: str) -> str:
        """The text as the editor has it, else the file's. Raises JsonRpcInvalidParams for what is
        no file of text."""
        document = self._server.workspace.text_documents.get(uri)
        if document is not None:
            return str(document.source)
        try:
            return SourceText.read(parse_uri(uri)).text
        except FormatError as error:
            raise JsonRpcInvalidParams(str(error)) from error

    def positions(self, path: Path) -> Positions:
        return Positions(self._read(path).text)

    def location(self, place: TextRange) -> lsp.Location:
        address = self.uris().get(place.path, place.path.as_uri())
        return lsp.Location(address, _range(self.positions(place.path), place.start, place.end))

    def robot(self, uri: str) -> LiveRobot:
        path = parse_uri(uri)
        subject = (
            text_format.robot_file(path)
            if (text_format := hook("text_format")) is not None
            else None
        )
        if subject is not None:
            live = live_robot(subject, self._read, profile=self.profile)
            source = SourceText(path, b"", self.text(uri))
            return replace(
                live, kind=FileKind.XRDF, findings=text_format.find_faults(source, live.robot)
            )
        live = live_robot(path, self._read, before=self._last.get(path), profile=self.profile)
        if live.document is not None and live.kind is FileKind.XRDF:
            self._last[path] = live.robot.xrdf
        return live

    def place(self, uri: str, position: lsp.Position) -> tuple[str, int, FileKind]:
        """The text, the offset in it, and what the file is."""
        text = self.text(uri)
        return (
            text,
            Positions(text).offset(position.line, position.character),
            kind_of(parse_uri(uri)),
        )

    def thing(self, uri: str, position: lsp.Position) -> tuple[LiveRobot, NamedThing | None]:
        """The robot of a text, and what is named at a position in it."""
        text, offset, kind = self.place(uri, position)
        live = self.robot(uri)
        return live, named_at(text, offset, kind, live.robot)

    def range(self, uri: str, start: int, end: int) -> lsp.Range:
        return _range(Positions(self.text(uri)), start, end)

    def workspace_edit(self, edits: dict[Path, tuple[Splice, ...]]) -> lsp.WorkspaceEdit:
        uris = self.uris()
        changes = {}
        for path, each in edits.items():
            at = self.positions(path)
            changes[uris.get(path, path.as_uri())] = [
                lsp.TextEdit(_range(at, e.start, e.end), e.text) for e in each
            ]
        return lsp.WorkspaceEdit(changes=changes)

    def diagnostics(self, uri: str, live: LiveRobot) -> list[lsp.Diagnostic]:
        # Not encoded: a text that cannot be written has its findings, too.
        source = SourceText(parse_uri(uri), b"", self.text(uri))
        at = Positions(source.text)
        return [_diagnostic(finding, source, at) for finding in live.findings]

    def _read(self, path: Path) -> SourceText:
        uri = self.uris().get(path)
        return SourceText.read(path) if uri is None else SourceText.from_text(self.text(uri), path)


class _Protocol(LanguageServerProtocol):
    """Every request gets an answer: of one whose parameters make no sense, pygls writes into its
    log alone."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise


def parse_uri(uri: str) -> Path:
    """The path of a file's address; of another address (an unsaved text's) its last part, in no
    folder."""
    parts = urlparse(uri)
    if parts.scheme == "file":
        return Path(
            url2pathname(parts.path)
            if not parts.netloc
            else f"//{parts.netloc}{unquote(parts.path)}"
        )
    return Path("/nowhere") / (unquote(parts.path).rpartition("/")[2] or "untitled.xrdf")


def vocabulary_of(uri: str) -> Vocabulary:
    """Return the format of a text of YAML: a plug-in's, or that of XRDF."""
    text_format = hook("text_format")
    is_other = text_format is not None and text_format.robot_file(parse_uri(uri)) is not None
    vocabulary: Vocabulary = text_format.VOCABULARY if is_other else XRDF_VOCABULARY
    return vocabulary


def make_server(profile: Profile = Profile.SPECIFICATION) -> LanguageServer:
    """A server that is ready to start; `profile`: what will read the files."""
    server = LanguageServer("xrdf-editor", __version__, protocol_cls=_Protocol)
    texts = _Texts(server, profile)
    _add_diagnostics(server, texts)
    _add_remedies(server, texts)
    _add_help(server, texts)
    _add_names(server, texts)
    _add_structure(server, texts)
    return server


def _add_diagnostics(server: LanguageServer, texts: _Texts) -> None:
    async def tell(uri: str) -> None:
        """Checks a text when nothing was typed for a while; with it the other texts of its
        robot."""
        version = server.workspace.get_text_document(uri).version
        await asyncio.sleep(_QUIET)
        open_texts = server.workspace.text_documents
        if uri not in open_texts or open_texts[uri].version != version:
            return
        live = texts.robot(uri)
        publish(uri, live)
        others = {
            path: other
            for path, other in texts.uris().items()
            if path in live.paths.values() and other != uri
        }
        for other in others.values():
            publish(other, texts.robot(other))

    def publish(uri: str, live: LiveRobot) -> None:
        diagnostics = texts.diagnostics(uri, live)
        server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics)
        )

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        await tell(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        await tell(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        nothing = lsp.PublishDiagnosticsParams(uri=params.text_document.uri, diagnostics=[])
        server.text_document_publish_diagnostics(nothing)


def _add_remedies(server: LanguageServer, texts: _Texts) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        live = texts.robot(uri)
        told = texts.diagnostics(uri, live)
        offered = []
        for finding, diagnostic in zip(live.findings, told, strict=True):
            lines = range(diagnostic.range.start.line, diagnostic.range.end.line + 1)
            if params.range.end.line < lines.start or params.range.start.line >= lines.stop:
                continue
            for fix in finding.fixes:
                try:
                    if live.document is not None and refuse_fix(
                        fix, live.document.state, texts.profile
                    ):
                        continue
                    edit = texts.workspace_edit(change_edits(live, fix))
                except CannotApply:
                    continue
                kind = lsp.CodeActionKind.QuickFix
                offered.append(
                    lsp.CodeAction(title=fix.label, kind=kind, diagnostics=[diagnostic], edit=edit)
                )
        return offered


def _add_help(server: LanguageServer, texts: _Texts) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=['"', "'", "[", " "])
    )
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        uri = params.text_document.uri
        text, offset, kind = texts.place(uri, params.position)
        completions = complete_word(text, offset, texts.robot(uri).robot, kind, vocabulary_of(uri))
        where = texts.range(uri, completions.start, completions.end)
        items = [
            lsp.CompletionItem(
                label=item.label,
                kind=_KINDS[item.kind],
                detail=item.detail,
                filter_text=item.label,
                sort_text=f"{number:05}",
                text_edit=lsp.TextEdit(where, item.insert),
            )
            for number, item in enumerate(completions.items)
        ]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        uri = params.text_document.uri
        text, offset, kind = texts.place(uri, params.position)
        hint = hover(text, offset, texts.robot(uri).robot, kind, vocabulary_of(uri))
        if hint is None:
            return None
        # Names come from files: they are text, no Markdown.
        content = lsp.MarkupContent(lsp.MarkupKind.PlainText, "\n".join(hint.lines))
        return lsp.Hover(content, texts.range(uri, hint.start, hint.end))


def _add_names(server: LanguageServer, texts: _Texts) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> Any:
        _, thing = texts.thing(params.text_document.uri, params.position)
        return (
            None if thing is None else texts.range(params.text_document.uri, thing.start, thing.end)
        )

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        live, thing = texts.thing(params.text_document.uri, params.position)
        if thing is None:
            return None
        try:
            return texts.workspace_edit(rename_edits(live, thing, params.new_name))
        except CannotApply as error:
            raise JsonRpcInvalidParams(str(error)) from error

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> lsp.Location | None:
        live, thing = texts.thing(params.text_document.uri, params.position)
        place = None if thing is None else definition(live, thing)
        return None if place is None else texts.location(place)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def referred(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        live, thing = texts.thing(params.text_document.uri, params.position)
        if thing is None:
            return None
        without = None if params.context.include_declaration else definition(live, thing)
        return [texts.location(place) for place in find_references(live, thing) if place != without]


def _add_structure(server: LanguageServer, texts: _Texts) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folded(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        uri = params.text_document.uri
        return [
            lsp.FoldingRange(fold.first - 1, fold.last - 1)
            for fold in folds(texts.text(uri), _kind(uri))
        ]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        uri = params.text_document.uri
        text = texts.text(uri)
        tidy, at = tidy_yaml if _kind(uri).is_yaml else tidy_xml, Positions(text)
        return [lsp.TextEdit(_range(at, start, end), new) for start, end, new in tidy(text)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        """The parts of several lines, each within the one around it."""
        text = texts.text(params.text_document.uri)
        lines = text.split("\n")
        outer: list[lsp.DocumentSymbol] = []
        around: list[lsp.DocumentSymbol] = []
        for fold in folds(text, _kind(params.text_document.uri)):
            name = _title(lines[fold.first - 1])
            if not name:
                continue
            first = lsp.Range(
                lsp.Position(fold.first - 1, 0),
                lsp.Position(fold.first - 1, len(lines[fold.first - 1])),
            )
            whole = lsp.Range(first.start, lsp.Position(fold.last - 1, len(lines[fold.last - 1])))
            symbol = lsp.DocumentSymbol(name, lsp.SymbolKind.Object, whole, first, children=[])
            while around and around[-1].range.end.line < fold.last - 1:
                around.pop()
            siblings = around[-1].children if around else outer
            assert isinstance(siblings, list)
            siblings.append(symbol)
            around.append(symbol)
        return outer


def _kind(uri: str) -> FileKind:
    return kind_of(parse_uri(uri))


def _title(line: str) -> str:
    """`link base` of an element, the key of a line of YAML; nothing of a comment."""
    element = re.match(r"\s*<([A-Za-z_][\w:.-]*)(?:[^>]*?\bname\s*=\s*[\"']([^\"']*))?", line)
    if element is not None:
        return " ".join(part for part in element.groups() if part)
    key = line.strip().removeprefix("- ").strip()
    return "" if key.startswith(("#", "<")) else key.partition(":")[0].strip("'\" ")


def _diagnostic(finding: Finding, source: SourceText, at: Positions) -> lsp.Diagnostic:
    place = finding.location
    start = (
        0 if place is None or place.line is None else source.offset(place.line, place.column or 1)
    )
    end = start
    while end < len(source.text) and source.text[end] not in "\r\n,]}#" and end - start < 200:
        end += 1
    while end > start + 1 and source.text[end - 1] in " \t":
        end -= 1
    page = address_of_code(finding.code)
    return lsp.Diagnostic(
        range=_range(at, start, end),
        code_description=None if page is None else lsp.CodeDescription(page),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source="xrdf-editor",
    )


def _range(at: Positions, start: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(*at.position(start)), lsp.Position(*at.position(end)))


_BREAK = re.compile(r"\r\n|\n|\r")


class Positions:
    """The positions of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def offset(self, line: int, character: int) -> int:
        """Offset in code points; a position beyond a line is its end, one beyond the text the
        text's."""
        if line >= len(self._starts):
            return len(self._text)
        start = self._starts[line]
        last = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        units, offset = 0, start
        while offset < last and units < character and self._text[offset] not in "\r\n":
            units += 2 if ord(self._text[offset]) > 0xFFFF else 1
            offset += 1
        return offset

    def position(self, offset: int) -> tuple[int, int]:
        """(line, character) of an offset in code points."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        part = self._text[self._starts[line] : offset]
        return line, len(part) + sum(ord(character) > 0xFFFF for character in part)
