"""What Tesseract refuses of its own parts of an SRDF, and values that mean nothing to any
program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editor_app.core.document.commands import SetSrdf
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.profile import Profile
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules

E, W, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
URDF = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"""
GROUP = '<group name="g"><chain base_link="a" tip_link="c"/></group>'
TCP = '<tcp name="t" xyz="0 0 1" rpy="0 0 0"/>'
MARGINS = '<collision_margins default_margin="{}">{}</collision_margins>'
PAIR = '<pair_margin link1="{}" link2="{}" margin="{}"/>'


def _srdf(body: str, name: str = ' name="r"') -> str:
    return f'<robot{name} version="1.0.0">\n{GROUP}{body}</robot>'


def findings(srdf: str) -> list[Finding]:
    source = read_srdf(SourceText.from_text(srdf))
    context = CheckContext.of_texts(
        read_urdf(SourceText.from_text(URDF)), None, source, Profile.SPECIFICATION, None
    )
    return list(run_rules(context, files=("srdf",)))


#: (title, body, findings, whether Tesseract loads it).
CASES: list[tuple[str, str, list[tuple[str, Severity]], bool]] = [
    ("sound", f'<group_tcps group="g">{TCP}</group_tcps>' + MARGINS.format(0.1, ""), [], True),
    (
        "tool without orientation",
        '<group_tcps group="g"><tcp name="t" xyz="0 0 1"/></group_tcps>',
        [("SRDF035", E)],
        False,
    ),
    (
        "no tools",
        f'<group_tcps group="g"/><group_tcps group="g">{TCP}</group_tcps>',
        [("SRDF035", E)],
        False,
    ),
    ("no default margin", "<collision_margins/>", [("SRDF035", E)], False),
    (
        "state without joints",
        '<group_state name="s" group="g"/>' + MARGINS.format(0, ""),
        [("SRDF028", INFO), ("SRDF035", E)],
        False,
    ),
    (
        "group of a virtual joint",
        '<virtual_joint name="v" type="planar" parent_frame="m" child_link="a"/>'
        '<group name="h"><joint name="v"/></group>' + MARGINS.format(0, ""),
        [("SRDF035", E)],
        False,
    ),
    (
        "two tools of one name",
        f'<group_tcps group="g">{TCP}{TCP}</group_tcps>',
        [("SRDF016", W)],
        True,
    ),
    ("negative default", MARGINS.format(-0.5, ""), [("SRDF034", W)], True),
    (
        "negative margin of a pair",
        MARGINS.format(0.1, PAIR.format("a", "b", -0.01)),
        [("SRDF034", INFO)],
        True,
    ),
    (
        "margin of a link with itself",
        MARGINS.format(0.1, PAIR.format("a", "a", 0.01)),
        [("SRDF033", W)],
        True,
    ),
    (
        "pair of a link with itself",
        '<disable_collisions link1="b" link2="b" reason="Never"/>',
        [("SRDF033", W)],
        True,
    ),
    ("the same, enabled", '<enable_collisions link1="b" link2="b"/>', [("SRDF033", W)], True),
    (
        "part that no program reads",
        '<group name="h"><joint name="j"/><passive_joint name="k"/></group>',
        [("SRDF005", INFO)],
        True,
    ),
]


@pytest.mark.parametrize(
    ("body", "codes"), [case[1:3] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_part_without_meaning_has_a_finding(body: str, codes: list[tuple[str, Severity]]) -> None:
    told = findings(_srdf(body))
    assert [(finding.code, finding.severity) for finding in told] == codes
    assert all(finding.location is not None and finding.location.line == 2 for finding in told)


def test_tesseract_refuses_what_the_findings_say() -> None:
    environments = pytest.importorskip("tesseract_robotics.tesseract_environment")
    common = pytest.importorskip("tesseract_robotics.tesseract_common")
    loaded = {}
    for title, body, _, _ in CASES:
        environment = environments.Environment()
        loaded[title] = environment.init(URDF, _srdf(body), common.GeneralResourceLocator())
    assert loaded == {title: loads for title, _, _, loads in CASES}


def test_an_srdf_without_a_name_is_refused_by_tesseract() -> None:
    text = _srdf(MARGINS.format(0.1, ""), name="")
    (finding,) = findings(text)
    assert (finding.code, finding.severity) == ("SRDF017", E)
    (finding,) = findings(_srdf("", name=""))
    assert (finding.code, finding.severity) == ("SRDF017", W)


def test_two_states_of_one_name_are_reported_at_the_second() -> None:
    state = (
        '<group_state name="s" group="g"><joint name="j" value="0"/><joint name="k" '
        'value="0"/></group_state>\n'
    )
    (finding,) = findings(_srdf(f"\n{state}{state}"))
    assert (finding.code, finding.severity) == ("SRDF016", W)
    assert finding.location is not None
    assert finding.location.line == 4
    other = state.replace('group="g"', 'group="h"')
    assert (
        findings(_srdf(f'<group name="h"><joint name="j"/><joint name="k"/></group>{state}{other}'))
        == []
    )


def test_a_joint_of_a_state_that_is_there_twice_is_an_error() -> None:
    joints = '<joint name="j" value="0"/><joint name="j" value="1"/><joint name="k" value="0"/>'
    (finding,) = findings(_srdf(f'<group_state name="s" group="g">{joints}</group_state>'))
    assert (finding.code, finding.severity) == ("SRDF003", E)


def test_the_fix_takes_pairs_of_a_link_with_itself_out() -> None:
    pairs = '<disable_collisions link1="b" link2="b"/><disable_collisions link1="a" link2="b"/>'
    text = _srdf(
        pairs + MARGINS.format(0.1, PAIR.format("a", "a", 0.2) + PAIR.format("a", "c", 0.3))
    )
    first, second = findings(text)
    assert first.fixes == second.fixes
    (fix,) = first.fixes
    assert isinstance(fix, SetSrdf)
    srdf = read_srdf(SourceText.from_text(text)).value
    assert srdf.margins is not None
    kept = replace(srdf.margins, pairs=srdf.margins.pairs[1:])
    assert fix.srdf == replace(srdf, disabled_pairs=srdf.disabled_pairs[1:], margins=kept)
