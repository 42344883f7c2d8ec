"""XRDF0xx and 1xx: the file and its format. What the reader could not understand is taken over with
its remedies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.core.document import commands
from editor_app.core.drafting import plan_control
from editor_app.core.formats.registry import foreign_codec
from editor_app.core.model.findings import Finding
from editor_app.core.model.profile import Profile
from editor_app.core.text.yaml.nodes import Scalar, find_key_node, resolve_alias
from editor_app.features.checks.engine import fixes
from editor_app.features.checks.engine.fixes import RepairText, with_text_fixes
from editor_app.features.checks.engine.rule import ERROR, WARNING, CheckContext, flaw, rule


@rule("XRDF003", "Unreadable content in the XRDF", "file", "source profile world")
def check_unread_xrdf(c: CheckContext) -> Iterable[Finding]:
    if c.source is None:
        return
    for finding in c.source.findings:
        if finding.code == "XRDF503" and c.profile is not Profile.SPECIFICATION:
            # Both readers want a mapping there, an empty one too.
            finding = replace(finding, severity=ERROR)
        if (
            finding.code == "XRDF006"
            and c.profile is Profile.CUROBO
            and _fails_in_curobo(c, finding)
        ):
            finding = replace(
                finding,
                severity=ERROR,
                message=f"{finding.message.rstrip('.')}; cuRobo fails on it.",
            )
        yield with_text_fixes(finding, c.source)


def _fails_in_curobo(c: CheckContext, finding: Finding) -> bool:
    """Whether a number stands in quotes where cuRobo calculates with it: not in groups that it does
    not read."""
    if finding.expected != "number" or c.source is None:
        return False
    node = c.source.node(finding.path)
    node = resolve_alias(node) if node is not None else None
    is_read = finding.path[0] != "geometry" or finding.path[1] == c.xrdf.world_group
    return is_read and isinstance(node, Scalar) and node.style != ""


@rule("XRDF007", "Characters beyond ASCII", "file", "source profile", profile=Profile.CUROBO)
def only_ascii(c: CheckContext) -> Iterable[Finding]:
    if c.source is None:
        return
    text = c.source.source.text
    if text.isascii():
        return
    offset = next(i for i, character in enumerate(text) if not character.isascii())
    count = sum(not character.isascii() for character in text)
    others = f" (and {count - 1} more)" if count > 1 else ""
    message = (
        f"{text[offset]!r}{others} is not ASCII: cuRobo is reported to fail on it on some systems, "
        "in comments too."
    )
    yield Finding("XRDF007", WARNING, message, location=c.source.source.location(offset))


@rule("XRDF217", "An empty second document", "file", "source profile")
def one_document(c: CheckContext) -> Iterable[Finding]:
    if c.source is None or not c.source.tree.empty:
        return
    is_curobo = c.profile is Profile.CUROBO
    message = "The line --- begins another document, which is empty and ignored; "
    message += (
        "cuRobo refuses the file."
        if is_curobo
        else "some readers (PyYAML, cuRobo) refuse the file."
    )
    place = c.source.source.location(c.source.tree.empty[0])
    severity = ERROR if is_curobo else WARNING
    yield flaw(severity, message, location=place, fixes=(fixes.DropEmptyDocuments(),))


@rule("XRDF101", "The format is not xrdf", "format", "xrdf_format source")
def format_is_xrdf(c: CheckContext) -> Iterable[Finding]:
    if c.xrdf_format != "xrdf":
        foreign = foreign_codec(c.source.source) if c.source is not None else None
        if foreign is not None:
            message = f"This is not an XRDF but {foreign.plain_title}: import or convert it."
            yield flaw(ERROR, message, ("format",))
            return
        fault = "is missing" if c.xrdf_format is None else f"is {c.xrdf_format!r}"
        option = fixes.offer("Write format: xrdf", commands.SetFormat("xrdf"))
        yield flaw(
            ERROR, f"format {fault}; an XRDF needs 'format: xrdf'.", ("format",), fixes=(option,)
        )


@rule("XRDF102", "The format version is unknown", "format", "version world_key profile")
def version_is_known(c: CheckContext) -> Iterable[Finding]:
    if c.version == "2.0" and c.profile is Profile.CUROBO:
        message = (
            "format_version is 2.0; cuRobo reads 1.0 only, and loads 2.0 without obstacle checking."
        )
        yield flaw(WARNING, message, ("format_version",))
    if c.version in ("1.0", "2.0"):
        return
    if c.version in ("1", "2"):
        message = (
            f"format_version is the integer {c.version}; write {c.version}.0. cuRobo accepts it, "
            "others may not."
        )
        options = (fixes.set_version(f"{c.version}.0"),)
        yield flaw(WARNING, message, ("format_version",), fixes=options)
        return
    fault = "is missing" if c.version is None else f"is {c.version!r}"
    likely = "2.0" if c.source is not None and c.source.world_key == "world_collision" else "1.0"
    options = (fixes.set_version(likely),)
    message = f"format_version {fault}; supported versions are 1.0 and 2.0."
    yield flaw(ERROR, message, ("format_version",), fixes=options)


@rule(
    "XRDF103",
    "The obstacle section has the name of the other version",
    "world_collision",
    "source version",
)
def obstacle_section_is_of_the_version(c: CheckContext) -> Iterable[Finding]:
    if c.source is None or c.version not in ("1.0", "2.0"):
        return
    section_names = [
        name
        for name in ("collision", "world_collision")
        if find_key_node(c.source.root, (name,)) is not None
    ]
    wanted = c.world_key
    if len(section_names) == 2:
        message = (
            f"The file has both collision and world_collision; version {c.version} allows only "
            f"{wanted}."
        )
        yield flaw(ERROR, message, (section_names[0],))
    elif section_names and section_names[0] != wanted:
        other = "2.0" if c.version == "1.0" else "1.0"
        options = (
            RepairText(f"Rename to {wanted}", "rename", (section_names[0],), wanted),
            fixes.set_version(other),
        )
        message = (
            f"{section_names[0]} is the name of version {other}; in version {c.version} it is "
            f"{wanted}."
        )
        yield flaw(ERROR, message, (section_names[0],), fixes=options)


@rule("XRDF104", "No c-space", "cspace", "cspace urdf modifiers", needs_urdf=False)
def cspace_is_there(c: CheckContext) -> Iterable[Finding]:
    if c.cspace is None:
        # Fingers and wheels are no joints of a plan.
        planned = (
            [name for name in plan_control(c.urdf).joints if name in c.tree.independent]
            if c.has_urdf
            else []
        )
        options = (commands.AddCSpace(tuple(planned) or c.tree.independent),) if c.has_urdf else ()
        message = (
            "The required section cspace is missing: it lists the controlled joints and their "
            "limits."
        )
        yield flaw(ERROR, message, fixes=options)
