"""Running the rules: all of them, or after an edit only those whose inputs changed."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from editor_app.core.document.commands.repairs import MapNames
from editor_app.core.feature import features
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.model.findings import Finding, Location
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import mapped_names
from editor_app.core.model.references import DocumentName, reference_fields
from editor_app.features.checks.engine.rule import RULES, CheckContext, File, Rule

#: The modules that register the rules of this feature. Other features follow; findings come in this
#: order.
RULE_MODULES = {
    "urdf": "joints magnitudes meshes readers structure",
    "srdf": "hidden_collisions moveit references tesseract",
    "ros": "settings",
    "xrdf": "cspace curobo file geometry guesses modifiers mount readers sampled self_collision",
}

FILES: tuple[File, ...] = ("urdf", "srdf", "ros", "xrdf")


def load_rules() -> dict[str, Rule]:
    """Every rule by its code."""
    for folder, names in RULE_MODULES.items():
        for name in names.split():
            importlib.import_module(f"editor_app.features.checks.rules.{folder}.{name}")
    for feature in features():
        for module in feature.modules("rules"):
            importlib.import_module(module.name)
    return RULES


def code_titles() -> dict[str, str]:
    """Return the title of each code of a rule."""
    return {code: title for rule in load_rules().values() for code, title in rule.titles.items()}


def run_rules(
    context: CheckContext, *, slow: bool = False, files: tuple[File, ...] = FILES
) -> tuple[Finding, ...]:
    """The findings of every rule about `files` (`slow`: also of rules that need meshes or
    sampling)."""
    return Checker(slow=slow, files=files).check(context)


class Checker:
    """Remembers what every rule found, and runs again only those whose inputs are other objects
    now."""

    def __init__(self, *, slow: bool = False, files: tuple[File, ...] = FILES) -> None:
        self._rules = tuple(
            r for r in load_rules().values() if (slow or not r.slow) and r.file in files
        )
        self._last_runs: dict[str, tuple[tuple[Any, ...], tuple[Finding, ...]]] = {}

    def check(self, context: CheckContext) -> tuple[Finding, ...]:
        """See `run_rules`."""
        findings: list[Finding] = []
        for rule in self._rules:
            if not _applies(rule, context):
                continue
            inputs = (context.has_urdf, *(getattr(context, name) for name in rule.inputs))
            last_run = self._last_runs.get(rule.code)
            if last_run is None or not _same(last_run[0], inputs):
                last_run = (inputs, tuple(rule.findings(context)))
                self._last_runs[rule.code] = last_run
            findings.extend(last_run[1])
        return with_name_map(tuple(findings), context)


def _applies(rule: Rule, context: CheckContext) -> bool:
    if rule.file == "urdf":
        return context.has_urdf
    if rule.file == "srdf":
        return context.srdf_source is not None
    if rule.file == "ros":
        return bool(context.settings) and (context.has_urdf or not rule.needs_urdf)
    return context.has_xrdf and (context.has_urdf or not rule.needs_urdf)


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return len(a) == len(b) and all(
        x is y or (isinstance(x, str) and x == y) for x, y in zip(a, b, strict=True)
    )


def locate_findings(
    findings: tuple[Finding, ...], source: XrdfSource, urdf: UrdfSource | None = None
) -> tuple[Finding, ...]:
    """The findings with their place in the text; what has a place already keeps it.

    `urdf`: for findings of rules that had no text, about masses of links.
    """

    def place(finding: Finding) -> Location | None:
        if finding.location is not None and finding.location.line is not None:
            return finding.location
        if finding.code.startswith("XRDF"):
            return source.location(source.yaml_path(finding.path))
        of_link = (
            urdf is not None
            and finding.subject.section == "urdf"
            and len(finding.subject.links) == 1
        )
        return (
            urdf.inertial_location(finding.subject.links[0])
            if urdf is not None and of_link
            else finding.location
        )

    return tuple(replace(finding, location=place(finding)) for finding in findings)


#: Documents -> codes of findings about names in them that are no part of the robot.
UNKNOWN_NAMES: Mapping[tuple[DocumentName, ...], frozenset[str]] = {
    ("xrdf",): frozenset(("XRDF302", "XRDF402", "XRDF504", "XRDF601", "XRDF702", "XRDF802")),
    ("srdf",): frozenset(("SRDF010", "SRDF011")),
    ("limits", "positions"): frozenset(("ROS003",)),
}
#: With fewer names the fixes of single names serve; with more pairs to compare, looking takes too
#: long.
_LEAST, _MOST_PAIRS = 3, 20_000


def with_name_map(findings: tuple[Finding, ...], context: CheckContext) -> tuple[Finding, ...]:
    """The findings about names that are not in the robot, with the fix for all of these names
    first."""
    for documents, codes in UNKNOWN_NAMES.items():
        if sum(finding.code in codes for finding in findings) >= _LEAST:
            fix = _name_map(documents, context)
            findings = tuple(
                _with_map(each, fix) if each.code in codes else each for each in findings
            )
    return findings


def _name_map(documents: tuple[DocumentName, ...], context: CheckContext) -> MapNames:
    added = context.added_frames.values()
    links, joints = (
        {*context.urdf_links, *context.added_frames},
        {*context.urdf_joints, *(f.joint_name for f in added)},
    )
    frames, tree_joints = context.frames, context.tree_joints
    if "xrdf" not in documents:
        virtual = context.srdf.virtual_joints if context.srdf is not None else ()
        joints, frames, tree_joints = (
            joints | {j.name for j in virtual},
            context.urdf_links,
            frozenset(context.urdf_joints),
        )
    return MapNames(
        _pairs(context, documents, Named.LINK, links, frames),
        _pairs(context, documents, Named.JOINT, joints, tree_joints),
        documents,
    )


def _with_map(finding: Finding, fix: MapNames) -> Finding:
    pairs = (*fix.links, *fix.joints)
    names = {*finding.subject.links, *finding.subject.joints}
    is_mapped = len(pairs) >= _LEAST and any(old in names for old, _ in pairs)
    return replace(finding, fixes=(fix, *finding.fixes)) if is_mapped else finding


def _pairs(
    context: CheckContext,
    documents: tuple[DocumentName, ...],
    named: Named,
    present: Iterable[str],
    reachable: Iterable[str],
) -> tuple[tuple[str, str], ...]:
    fields = reference_fields(named, documents)
    values = {document: getattr(context.robot, document) for document in documents}
    names = (
        name
        for f in fields
        if values[f.document] is not None
        for name in f.names(values[f.document])
    )
    unknown = frozenset(names).difference(present)
    candidates = frozenset(reachable)
    return (
        mapped_names(unknown, candidates)
        if 0 < len(unknown) * len(candidates) <= _MOST_PAIRS
        else ()
    )
