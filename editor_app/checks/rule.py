"""One rule = one function from a context to findings, registered with its code and what it depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from editor_app.checks.context import CheckContext
from editor_app.model.change import Change, TextChange
from editor_app.model.findings import Finding, Location, Severity, SphereRef, Subject, YamlPath
from editor_app.model.frozen import FrozenDict
from editor_app.model.profile import Profile

File = Literal["xrdf", "urdf", "srdf", "ros"]
RuleFunction = Callable[["CheckContext"], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`inputs` are names of CheckContext attributes: while they are the same objects, the findings are too.

    `needs_urdf`: says nothing when no URDF is given. `slow`: needs meshes or sampling, runs in the background.
    `profile`: says something for this profile alone.
    """

    code: str
    title: str
    section: str
    inputs: tuple[str, ...]
    function: RuleFunction
    needs_urdf: bool
    slow: bool
    #: Which file the rule is about: it says nothing when that file is not given.
    file: File = "xrdf"
    #: Other codes that the function gives, with their titles.
    also: FrozenDict[str, str] = FrozenDict()
    profile: Profile | None = None

    def findings(self, context: CheckContext) -> Iterator[Finding]:
        """What the function says, with the code and the section of the rule where it gives no other."""
        if self.profile is not None and context.profile is not self.profile:
            return
        for finding in self.function(context):
            subject = finding.subject
            if subject.section == "":
                finding = replace(finding, subject=replace(subject, section=self.section))
            yield finding if finding.code else replace(finding, code=self.code)

    @property
    def titles(self) -> dict[str, str]:
        """Code -> title."""
        return {self.code: self.title, **self.also}


RULES: dict[str, Rule] = {}


def rule(
    code: str,
    title: str,
    section: str,
    inputs: str,
    *,
    needs_urdf: bool | None = None,
    slow: bool = False,
    file: File = "xrdf",
    also: Mapping[str, str] = FrozenDict(),
    profile: Profile | None = None,
) -> Callable[[RuleFunction], RuleFunction]:
    """Registers a function as the rule `code`; `inputs` are the attributes it reads, separated by blanks.

    A rule of the XRDF that reads the URDF needs it, unless `needs_urdf` says that it does without.
    Raises ValueError when another function has that code.
    """

    def register(function: RuleFunction) -> RuleFunction:
        registered = RULES.get(code)
        # A module whose import failed half-way, for want of memory, is imported again: its rules replace themselves.
        if registered is not None and _name(registered.function) != _name(function):
            raise ValueError(f"rule {code} is registered twice")
        names = tuple(inputs.split())
        needs = "urdf" in names if needs_urdf is None else needs_urdf
        RULES[code] = Rule(code, title, section, names, function, needs, slow, file, FrozenDict(also), profile)
        return function

    return register


def flaw(
    severity: Severity,
    message: str,
    path: YamlPath = (),
    *,
    links: Iterable[str] = (),
    joints: Iterable[str] = (),
    spheres: Iterable[SphereRef] = (),
    fixes: Iterable[Change | TextChange] = (),
    section: str = "",
    code: str = "",
    location: Location | None = None,
) -> Finding:
    """What a rule finds; `code` and `section` are the rule's own where they are left out."""
    subject = Subject(tuple(links), tuple(joints), tuple(spheres), section)
    return Finding(code, severity, message, path, location, subject, tuple(fixes))


def _name(function: RuleFunction) -> tuple[str, str]:
    return function.__module__, function.__qualname__


ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
