"""Manual pages that are generated from the program: every finding code, every command, the table of
formats.

`python -m tests.helpers.manual_pages` writes them; a test compares.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from editor_app import cli
from editor_app.cli._exit_codes import exit_codes
from editor_app.cli._writing import RULE
from editor_app.core.document.opening import open_document
from editor_app.core.feature import built_in_features
from editor_app.core.formats.exchange.codec import Part
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.registry import codecs, writable
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.features.checks.engine.readers import FEATURES, SOURCES, Fact, Treatment
from editor_app.features.checks.engine.runner import load_rules
from editor_app.plugins.robot_tests.kinds import KINDS, entries_of_kind
from tests.checks import test_xrdf_rules_fire_and_their_fixes_cure as xrdf_cases
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.finding_examples import PROSE, SAME_AS, codes_in_the_program, examples, titles

MANUAL = Path(__file__).resolve().parents[2] / "resources" / "manual"
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: Codes whose severity comes from a fact in the table of programs.
_OF_PROGRAMS = {
    "URDF091": Treatment.REFUSED,
    "URDF092": Treatment.CHANGED,
    "URDF093": Treatment.IGNORED,
}
_MOVEIT_ERRORS = frozenset({Severity.ERROR, Severity.WARNING})
_MOVEIT_HINTS = frozenset({Severity.WARNING, Severity.INFO})
#: Codes about MoveIt whose severity comes from the profile, or from the kind of the SRDF.
_OF_MOVEIT = {
    **dict.fromkeys(
        ("SRDF003", "SRDF021", "SRDF023", "SRDF025", "SRDF026", "SRDF029", "SRDF031"),
        _MOVEIT_ERRORS,
    ),
    **dict.fromkeys(("SRDF028", "SRDF030", "SRDF032", "SRDF034"), _MOVEIT_HINTS),
}
_SLOW = (
    "Needs meshes or samples: the window checks it in the background, the command line with "
    "[`check "
    "--slow`](../command-line.md#xrdf-editor-check)."
)

#: How the manual's pages about findings begin, after the sentence that says when a reader needs
#: them.
_FINDING_STEPS = """\
1. Search the page for the code, such as `{code}`. The panel *Findings* and `xrdf-editor check` print it.
2. Compare the example with your file. Lines with `-` are correct, lines with `+` have the fault.
3. Apply the fix, then check again: the window does it at once, or run `xrdf-editor check`."""
_TEST_STEPS = """\
1. Search the page for the code, such as `{code}`. `xrdf-editor test` prints it.
2. Read the test at the line that the message names.
3. Correct the robot. If the change was intended, run `xrdf-editor test ROBOT.urdf --update`."""
#: Page -> (title, when a reader needs it, about the page, prefixes of its codes).
FINDING_PAGES = {
    "xrdf": (
        "Findings about the XRDF",
        "A finding with the code `XRDF…` is listed for your XRDF, and you want its meaning and "
        "its fix.",
        "The digit after `XRDF` identifies the section: 0 the text, 1 format and version, 2 "
        "modifiers, 3 "
        "geometry, 4 obstacles, 5 self-collision, 6 default positions, 7 c-space, 8 tool frames, "
        "90 features "
        "that cuRobo refuses, 95 input of programs that do not read XRDFs.",
        ("XRDF",),
    ),
    "urdf": (
        "Findings about the URDF",
        "A finding with the code `URDF…`, `TREE…` or `XML…` is listed for your URDF, and you want "
        "its meaning and its "
        "fix.",
        "*Refused* and *dropped* describe urdfdom, the parser of ROS and most other programs. The "
        "editor opens "
        "all of these files. `URDF…` findings have a line in the file. `TREE…` are the same faults "
        "in a robot "
        "without a file. `XML…` are XML faults in a URDF or SRDF.",
        ("URDF", "TREE", "XML"),
    ),
    "srdf": (
        "Findings about the SRDF",
        "A finding with the code `SRDF…` is listed for your SRDF, and you want its meaning and "
        "its fix.",
        "They concern MoveIt's SRDF and Tesseract's additions.",
        ("SRDF",),
    ),
    "ros": (
        "Findings about MoveIt's settings",
        "A finding with the code `ROS…` is listed for your MoveIt package, and you want its "
        "meaning and its fix.",
        "They concern the package and its files joint_limits.yaml, kinematics.yaml and "
        "initial_positions.yaml. "
        "These are opened with a [MoveIt package](../moveit.md), or when you name them.",
        ("ROS",),
    ),
    "meshes": (
        "Findings about meshes, fits and saving",
        "A finding with the code `MESH…`, `FIT…` or `SAVE…` is listed, and you want its meaning "
        "and its fix.",
        "They come from loading meshes, from a fit, or from an edit, not from the rules of a file "
        "format.",
        ("MESH", "FIT", "SAVE"),
    ),
    "tests": (
        "Findings about tests of robots",
        "`xrdf-editor test` or the panel *Tests* lists the code `TEST…`, and you want its meaning "
        "and its fix.",
        "001 to 004 are faults of the test file. All others are tests that failed; see "
        "[Tests](../panels/tests.md).",
        ("TEST",),
    ),
    "isaac": (
        "Findings about the USD",
        "The target is Isaac Sim, a finding with the code `ISAAC…` is listed, and you want its "
        "meaning and its fix.",
        "They compare the USD of a robot, which Isaac Sim simulates, with its URDF and XRDF; see "
        "[Read a USD](../formats.md#read-a-usd).",
        ("ISAAC",),
    ),
}

#: A line per task, for the page of commands. Tests run each of them.
AT_A_GLANCE = """
xrdf-editor new ROBOT.urdf --fit --mask -o ROBOT.xrdf  # create an XRDF: joints, spheres, mask
xrdf-editor check ROBOT.xrdf ROBOT.urdf --profile cumotion  # errors and warnings; for CI: SARIF, JUnit, GitHub
xrdf-editor check ROBOT.urdf --profile all  # features that simulators and planners refuse, change or ignore
xrdf-editor repair ROBOT.urdf ROBOT.xrdf --limits-from VENDOR.urdf -o FIXED  # fix what cuRobo refuses
xrdf-editor fit ROBOT.urdf --tolerance 25 -o FITTED.xrdf  # fit spheres that protrude at most 25 mm
xrdf-editor mask ROBOT.urdf ROBOT.xrdf -o MASKED.xrdf  # compute the self-collision mask of an XRDF
xrdf-editor mask ROBOT.urdf ROBOT.srdf -o MASKED.srdf  # the same for an SRDF
xrdf-editor audit ROBOT.urdf ROBOT.srdf  # ignored pairs that touch, confirmed by a second collision engine
xrdf-editor pose ROBOT.urdf --tool tool0 --in base_link  # position of a frame; --to: joint values for a target
xrdf-editor collide ROBOT.urdf --at "elbow_pitch_joint=45deg"  # colliding pairs at a configuration
xrdf-editor plan ROBOT.urdf --queries 100  # share of solved queries, and the pairs that block the others
xrdf-editor plan ROBOT.urdf --from default --by "0 0 -0.1" --straight  # move the tool in a straight line
xrdf-editor plan ROBOT.urdf --from default --to upright -o WAY.yaml  # one timed motion, as ROS reads it
xrdf-editor collide ROBOT.urdf --poses WAY.yaml --report WAY.html  # report about a motion
xrdf-editor cost ROBOT.urdf  # false and missed collisions, compared with the meshes
xrdf-editor margins ROBOT.urdf --turning 0.1deg  # clearance that deviations of the joints leave, proven
xrdf-editor cloud ROBOT.urdf --cloud SCAN.ply  # measured points that no sphere covers
xrdf-editor sweep ROBOT.urdf --poses WAY.yaml -o SWEPT.stl  # the volume that a motion sweeps, as a closed mesh
xrdf-editor convert ROBOT.urdf ROBOT.xrdf OUT.srdf  # convert, with a report of losses
xrdf-editor edit ROBOT.urdf --rename-link tool0=tcp --add-link camera=tcp -o EDITED.urdf  # edit links and joints
xrdf-editor collision ROBOT.urdf --kind hull -o HULLS.urdf  # collision elements from meshes
xrdf-editor compose ARM.urdf HAND.urdf --at tool0 --prefix hand_ -o BOTH.urdf  # attach a part
xrdf-editor detach BOTH.urdf -o ALONE.urdf  # remove it again
xrdf-editor test ROBOT.urdf --propose  # write a first test file from the measured behaviour
xrdf-editor test ROBOT.urdf  # run the tests of the robot; for CI: JUnit, SARIF, GitHub
xrdf-editor sign ROBOT.urdf ROBOT.xrdf --all-proven --by "A. Meyer" -o SIGNED.xrdf  # sign ignored pairs
xrdf-editor diff OLD.urdf NEW.urdf  # differences in meaning, and how far frames moved
xrdf-editor diff --behaviour OLD.urdf NEW.urdf  # configurations and motions that only one of the robots accepts
xrdf-editor schema --xrdf-version 2.0  # JSON Schema of XRDF
xrdf-editor completion bash  # completion for a shell
xrdf-editor batch robots -o FLEET --jobs 4  # all robots in a folder; FLEET/index.html is the report
"""

#: Page of findings -> the plug-in that reports them.
_OF_PLUG_IN = {"tests": "robot_tests", "isaac": "stages"}

#: What to do about a fault for which the program offers no change of its own.
REMEDIES = {
    "FIT001": (
        "If part of the surface is uncovered, fit the link again with more spheres, or with *cover "
        "everything*."
    ),
    "MESH001": "Choose *Locate…* in the findings or the Robot menu and select the folder of the mesh. On the command "
    "line: `--package NAME=FOLDER`.",
    "MESH002": "Convert the mesh to STL, OBJ, PLY, DAE or GLB, and name that file in the URDF.",
    "MESH003": "Export the mesh again, or convert it with another program.",
    "MESH004": "Export the mesh with its faces, or delete the geometry from the URDF.",
    "MESH005": "Check the link: the missing part may not matter. Otherwise export the mesh again.",
    "MESH006": "Simplify the mesh, or split it.",
    "MESH007": "Copy the file to the folder of the mesh. The shape is complete without it; only colours or "
    "textures are "
    "missing.",
    "MESH008": 'Set `scale="0.001 0.001 0.001"` of the mesh, in the URDF panel or in the file.',
    "MESH009": "Remove the scale of the mesh: its file is already in metres.",
    "MESH013": "Delete the part in the program that created the mesh, and export the mesh again.",
    "ROS000": "Correct the line in a text editor, and reload. The message names the line.",
    "ROS001": "Write a value of the type that the message names.",
    "ROS002": "Write the number with a decimal point: `2.0`, not `2`.",
    "ROS016": "Write the number in radians or metres, without the unit.",
    "ROS017": "Remove the solver, or create one group per branch.",
    "ROS010": "Optional: MoveIt looks for the missing files in the places that its launch files name.",
    "ROS011": (
        "Name the saved SRDF in `.setup_assistant` or in the launch file, or make the edit in the "
        "xacro file."
    ),
    "ROS012": "Correct the name in the controllers file, or remove the joint from it.",
    "ROS014": "Keep one and delete the others.",
    "SAVE004": "Undo the last step, or edit the text of the file in *Source*.",
    "SAVE001": "Undo the last step, or change the part that the message names.",
    "SAVE002": "Undo the last step, or change the part that the message names.",
    "SAVE003": "Undo the last step, or change the part that the message names.",
    "SRDF000": "Correct the line in a text editor, or open another SRDF (File menu).",
    "SRDF001": "Add the attribute, or delete the element.",
    "SRDF002": "Write numbers: one for a rotating or sliding joint, three for a position.",
    "SRDF003": "Delete one of the two.",
    "SRDF004": "Keep one of the two spellings of the orientation.",
    "SRDF005": "Check the spelling of its name. The element is kept unchanged.",
    "SRDF006": "Delete one of the two lines.",
    "SRDF013": "Name two different links of the robot as base and tip.",
    "SRDF014": "Split the group: one chain, or only joints, or only links in each.",
    "SRDF016": "Rename one of the two, or delete it.",
    "SRDF034": "Write the distance in metres below which links are in contact, 0 or more.",
    "SRDF035": "Add the part that the message names, or delete the element.",
    "SRDF024": "Add a chain, joints, links or a group to the group, or delete the group.",
    "SRDF030": "Add the parent link to a group, or name a parent link that is in a group.",
    "SRDF028": "Add the joints to the state. Joints without a value keep their positions.",
    "SRDF018": "Add the file, or delete the element.",
    "SRDF019": "Correct the name in the calibration, or remove the joint from it.",
    "ISAAC001": "Import the URDF into the USD again, or name the USD of this robot.",
    "ISAAC002": (
        "Export the URDF's values as a layer over the USD (`--usd-form layer`), or import the URDF "
        "again."
    ),
    "ISAAC003": (
        "Export the URDF's values as a layer over the USD (`--usd-form layer`), or correct the "
        "URDF."
    ),
    "ISAAC004": "Export the mask as a layer over the USD (`--usd-form layer`), or change the mask.",
    "TEST001": "Begin the file with `format: robot-tests` and `format_version: 1`.",
    "TEST002": "Write a key that the message lists, or delete one of the two.",
    "TEST003": "Write a value as the message asks for.",
    "TEST004": "Write a name that the message lists, or restore the joint or frame.",
    "TEST005": "Remove the cause that the message gives, then run the tests again.",
    **dict.fromkeys(
        ("TEST021", "TEST022"),
        "Look at the evidence with `xrdf-editor sign`. Sign the pair again (`--again`), or check "
        "it again.",
    ),
    **dict.fromkeys(
        (kind.CODE for kind in KINDS.values()),
        "Correct the robot. If the change was intended, run `xrdf-editor test --update`, or edit "
        "the test.",
    ),
    "URDF000": "Correct the line in a text editor; the message says what is wrong with it.",
    "URDF001": 'Write `<robot name="…">`.',
    "URDF002": "Check that this is the right file. A xacro file needs expansion first.",
    "URDF003": 'Write `<link name="…">`.',
    "URDF004": "Rename one of the two, and update the joints that refer to it.",
    "URDF005": 'Write `<joint name="…">`.',
    "URDF006": "Rename one of the two.",
    "URDF007": "Write one of the types that the message names.",
    "URDF008": 'Write `<parent link="…"/>` and `<child link="…"/>`.',
    "URDF009": "Write the name of an existing link, or add the link.",
    "URDF010": "Connect the parts with a joint: every link except the root has exactly one parent.",
    "URDF011": "Delete one of the two joints. URDF cannot describe closed loops.",
    "URDF012": "Name another link as parent or child.",
    "URDF014": "Connect one link of the loop to the rest, and delete a joint of the loop.",
    "URDF015": "Write the URDF version of the file. The default is 1.0.",
    "URDF020": "Write as many numbers as the message names, separated by spaces.",
    "URDF021": "Separate the numbers by single spaces, with none at the end.",
    "URDF022": "Add the part that the message names.",
    "URDF023": "Keep one of the two spellings of the orientation.",
    "URDF024": 'Set the newer version in `<robot version="…">`, or use the older notation.',
    "URDF026": "Write the value from the manufacturer's data sheet.",
    "URDF030": "Fix the other finding of the same element: it gives the reason why urdfdom drops it.",
    "URDF031": "Fix the other finding of the same element: it gives the reason why urdfdom drops it.",
    "URDF032": "Fix the other finding of the same element: it gives the reason why urdfdom drops it.",
    "URDF033": "Use a separate `<visual>` or `<collision>` for each shape.",
    "URDF034": "Delete one of the two.",
    "URDF035": "Write the correct name.",
    "URDF036": "Define the material, with a colour or texture, in the robot.",
    "URDF037": "Keep one definition, with a name and a colour or texture.",
    "URDF038": "Write red, green, blue and opacity as numbers from 0 to 1.",
    "URDF043": "Swap the two limits, or correct the wrong one.",
    "URDF044": "Write the axis of rotation or sliding.",
    "URDF045": 'Write `<axis xyz="1 0 0"/>`, or the correct axis.',
    "URDF046": "Write the magnitude, without a sign.",
    "URDF047": "Write the magnitude, without a sign.",
    "URDF048": "Optional: no change is needed if your program supports it.",
    "URDF050": "Write the mass in kilograms.",
    "URDF051": "Write the size in metres, greater than zero.",
    "URDF052": "Write a scale other than zero for each axis.",
    "URDF053": "Write the name of the file, or delete the geometry.",
    "URDF054": "Write the moments about the centre of mass; those on the diagonal are not negative.",
    "URDF056": "Write the name of an existing link, and use a different name for each sensor.",
    "URDF057": "Write a value of the type that the message names.",
    "URDF058": "Correct the part in the file that the message names.",
    "URDF059": "Check whether the part matters: `convert` does not write it.",
    "URDF060": "Open the `.xacro` file instead: it is expanded first.",
    "URDF091": "Change what the message names, or let `convert` write the robot for that program; see "
    "[What programs read](../programs.md).",
    "URDF092": "Check whether the change matters; see [What programs read](../programs.md).",
    "URDF093": "Check whether the loss matters; see [What programs read](../programs.md).",
    "URDF095": (
        "Write the name of an existing joint, in *URDF › Transmissions and extensions* or the "
        "Source panel."
    ),
    "URDF096": "Write a range within the limits of the joint, or correct the limits.",
    "URDF097": "Write a position within the limits of the joint.",
    "URDF070": "Check whether the value is in millimetres. Lengths are in metres.",
    "URDF071": "Check whether the value is in grams. Masses are in kilograms.",
    "URDF072": "Check whether the value is in degrees. Angles are in radians.",
    "XML001": 'Write `<?xml version="1.0"?>`.',
    "XML002": "Move the declaration to the very beginning of the file.",
    "XML003": "Declare the prefix at the root element (`xmlns:…`).",
    "XML004": "Delete it, or move it into the root element.",
    "XML005": "Remove one of the two dashes.",
    "XRDF001": "Correct the line, in the Source panel or in a text editor.",
    "XRDF005": "Write a value of the type that the message names.",
    "XRDF008": "Correct the part in the file that the message names.",
    "XRDF009": "Check whether the part matters: `convert` does not write it to the XRDF.",
    "XRDF007": "Use only ASCII characters if cuRobo reads the file.",
    "XRDF201": (
        "Write a modifier as `- set_base_frame: …`, `- add_frame: …` or `- "
        "remove_mimic_attributes: …`."
    ),
    "XRDF202": "Write one of the modifiers that the message names.",
    "XRDF203": "Add the key that the message names.",
    "XRDF207": "Attach one of the frames to a link of the URDF.",
    "XRDF209": "Write exactly three numbers, in metres.",
    "XRDF214": "Choose a base frame closer to the root, or attach the frame below the base.",
    "XRDF216": "Write the real limits of the joint in the URDF, or make it fixed.",
    "XRDF301": "Write a list of spheres: `- center: [x, y, z]` and `radius: r` each.",
    "XRDF303": "Write `center` with three numbers and `radius` with one, in metres.",
    "XRDF304": "Write a positive radius. Some files disable a sphere with a negative radius.",
    "XRDF305": "Merge the groups, or convert the file to version 2.0 (XRDF panel, *Format*).",
    "XRDF306": "Use the group in a section, or delete it (XRDF panel, *Geometry groups*).",
    "XRDF307": "Fit the link if it can collide; see [Fit](../panels/fit.md).",
    "XRDF310": "Write the name of another group of the file, or delete `clone`.",
    "XRDF314": "Fit the link to its visual geometry: `xrdf-editor fit … --links LINK --geometry visual`.",
    "XRDF315": "Check whether the value is in millimetres. Lengths are in metres.",
    "XRDF316": (
        "Fit the link again; see [Fit](../panels/fit.md). If a sphere was shrunk or deleted, undo "
        "that change."
    ),
    "XRDF317": "Fit the link to its visual geometry (`xrdf-editor fit … --links LINK --geometry visual`), or "
    "keep it if "
    "covering the collision shapes is enough.",
    "XRDF503": "Write a mapping of each frame to the list of the others.",
    "XRDF513": "The pair must stay ignored while its spheres overlap in nearly every configuration, or at the default "
    "position. Fit both links with more, smaller spheres ([Fit](../panels/fit.md)), then check it "
    "again, or "
    "set buffers for planning ([Masks](../masks.md)). If the robot never reaches these "
    "configurations, narrow "
    "its joint limits instead.",
    "XRDF514": "*Spheres › Fit tighter for planning*, or `xrdf-editor fit … --for planning`; see [Masks](../masks.md). "
    "*Self-collision › Blocking* and `xrdf-editor cost` list the pairs and spheres that cause "
    "them.",
    "XRDF515": "*Spheres › Fit tighter for planning*, or *Free this passage…* for only the two links. The "
    "finding selects "
    "the blocking spheres. `xrdf-editor cost` reports a path that the meshes leave open.",
    "XRDF516": "If the mask ignores the pair, check it; if the message names another step, do that first. If "
    "a link has "
    "no spheres, fit it. Otherwise fit both links with mode *cover everything* "
    "([Fit](../panels/fit.md)).",
    "XRDF951": "Export the file that the message names; see [Formats](../formats.md).",
    "XRDF952": "Put the tool frame of the planned arm first; see [VAMP](../programs.md#vamp).",
    "XRDF804": "Write a list: `tool_frames: [NAME]`.",
}


@cache
def pages() -> dict[Path, str]:
    """Path below the manual's folder -> text."""
    made = {Path("findings") / f"{name}.md": _finding_page(name) for name in FINDING_PAGES}
    made[Path("command-line.md")] = command_line()
    made[Path("formats.md")] = formats_page()
    made[Path("programs.md")] = programs_page()
    made[Path("panels/tests.md")] = tests_page()
    return made


def page_of(code: str) -> str:
    """The page that a code is on, without folder and suffix. Raises StopIteration for a code of no
    page."""
    return next(
        name for name, (_, _, _, prefixes) in FINDING_PAGES.items() if code[:-3] in prefixes
    )


def _finding_page(name: str) -> str:
    title, need, introduction, prefixes = FINDING_PAGES[name]
    codes = [
        code
        for prefix in prefixes
        for code in sorted(codes_in_the_program())
        if code[:-3] == prefix
    ]
    steps = (_TEST_STEPS if name == "tests" else _FINDING_STEPS).format(code=codes[0])
    mark = [f"<!-- plug-in: {_OF_PLUG_IN[name]} -->"] if name in _OF_PLUG_IN else []
    lines = [f"# {title}", *mark, "", *_when_needed(need, steps), "", "## Codes", "", introduction]
    for code in codes:
        lines += ["", *_entry(code)]
    return "\n".join(lines) + "\n"


def _when_needed(need: str, steps: str) -> tuple[str, ...]:
    """Return the first section of a page: when a reader needs it, and three steps."""
    return ("## When you need this", "", need, "", *steps.splitlines())


def _entry(code: str) -> Iterator[str]:
    yield f"## {code}"
    yield ""
    title = titles()[code]
    if code in SAME_AS:
        yield f"**{title}.**"
        yield ""
        others = ", ".join(_link(other, page_of(code)) for other in SAME_AS[code])
        yield f"With the text of the file, this fault is reported with its line and fix as {others}."
        if code in examples():
            yield ""
            yield examples()[code].shown
            yield ""
            yield f"Message: {_escaped(examples()[code].finding.message)}"
        return
    if code in PROSE:
        yield f"**{title}.** {PROSE[code]}"
        yield ""
        yield f"Fix: {REMEDIES[code]}"
        return
    example = examples()[code]
    is_special = example.profile is not Profile.SPECIFICATION
    target = f" For the target {example.profile.program}." if is_special else ""
    yield f"**{title}.** {_severities(code, example.finding.severity)}.{target}"
    rule = load_rules().get(code)
    if rule is not None and rule.slow:
        yield ""
        yield _SLOW
    yield ""
    yield example.shown
    yield ""
    yield f"Message: {_escaped(example.finding.message)}"
    yield ""
    if example.finding.fixes:
        offered = " or ".join(f"*{_escaped(fix.label)}*" for fix in example.finding.fixes)
        yield f"Fix, offered with the finding: {offered}."
    else:
        assert code in REMEDIES, (
            f"{code} offers no change: say in REMEDIES of {__name__} what to do about it"
        )
        yield f"Fix: {REMEDIES[code]}"


def _link(code: str, from_page: str) -> str:
    page = page_of(code)
    return f"[{code}]({'' if page == from_page else f'{page}.md'}#{code.lower()})"


def _severities(code: str, shown: Severity) -> str:
    """The severity, or all that the code can have by version and target program."""
    told = {case.severity for case in xrdf_cases.CASES if case.code == code} | {shown}
    told |= _OF_MOVEIT.get(code, frozenset())
    if code in _OF_PROGRAMS:
        facts = (fact for feature in FEATURES for fact in feature.facts.values())
        told |= {fact.severity for fact in facts if fact.treatment is _OF_PROGRAMS[code]}
    words = " or ".join(_WORDS[severity] for severity in sorted(told, reverse=True))
    by = ", by version and target program" if len(told) > 1 else ""
    return words[0].upper() + words[1:] + by


def _escaped(text: str) -> str:
    """Text of the program for Markdown: nothing in it is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", " ".join(text.split()))


# -- the formats

_TABLE = re.compile(r"(?<=<!-- written by the codecs -->\n).*?(?=<!-- until here -->)", re.DOTALL)


def formats_page() -> str:
    """Return the page of formats with the table of the codecs, and what their reports call lost."""
    lost = _lost_of_the_arm()
    columns = ("format", "`--to`", "read", "written, as", "stores", "loses from an XRDF")
    lines = ["", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for codec in codecs():
        writer = codec.writer
        endings = (
            ", ".join(f"`*{ending}`" for ending in writer.endings) if writer is not None else ""
        )
        name = f"`{codec.name}`" if writer is not None else ""
        endings += " (with `--to` alone)" if writer is not None and writer.is_named else ""
        holds = ", ".join(part for part in Part if writer is not None and part in writer.holds)
        read = "yes" if codec.read is not None else ""
        lines.append(
            f"| {codec.plain_title} | {name} | {read} | {endings} | {holds} | "
            f"{', '.join(lost.get(codec.name, ()))} |"
        )
    text = (MANUAL / "formats.md").read_text(encoding="utf-8")
    return _TABLE.sub(lambda _: "\n".join([*lines, "", ""]), text)


def _lost_of_the_arm() -> dict[str, list[str]]:
    """What the reports call lost of a small robot whose XRDF has everything, by the format that is
    written."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
        (folder / "arm.xrdf").write_text(CLEAN, encoding="utf-8")
        arm = open_document(folder / "arm.urdf")
        lost = {}
        for codec in writable():
            assert codec.writer is not None
            conversion = convert(
                arm, folder / f"out{codec.writer.endings[0]}", ConvertOptions(to=codec.name)
            )
            entries = (entry for report in conversion.reports for entry in report.entries)
            items = (_kind(entry.item) for entry in entries if entry.fate == Fate.LOST)
            lost[codec.name] = [f"`{item}`" for item in dict.fromkeys(items)]
    return lost


def _kind(item: str) -> str:
    """The section that an item of a report is of: names of the arm are not told."""
    return "tool_frames" if item.startswith("tool frame") else item.split(",")[0].split(" ")[0]


# -- the kinds of test

_KINDS = re.compile(
    r"(?<=<!-- written by the kinds of test -->\n).*?(?=<!-- until here -->)", re.DOTALL
)


def tests_page() -> str:
    """Return the page of tests with a table of the keys of each kind."""
    lines = []
    for key, kind in KINDS.items():
        lines += [
            "",
            f"### {key}",
            "",
            f"{kind.MEANS} Finding: {_link(kind.CODE, '').replace('(', '(../findings/')}.",
            "",
        ]
        lines += ["| key | meaning | value |", "|---|---|---|"]
        for name, each in entries_of_kind(kind).items():
            needed = " **Required.**" if each.is_required else ""
            lines.append(
                f"| `{name}` | {_escaped(each.place.sentence)}{needed} | {each.form.wanted} |"
            )
        if kind.ONE_OF:
            lines += ["", f"At least one of: {', '.join(f'`{name}`' for name in kind.ONE_OF)}."]
    text = (MANUAL / "panels" / "tests.md").read_text(encoding="utf-8")
    return _KINDS.sub(lambda _: "\n".join([*lines, "", ""]), text)


# -- what programs read

_MARKS = {
    Treatment.READ: "",
    Treatment.CHANGED: "changes",
    Treatment.IGNORED: "ignores",
    Treatment.REFUSED: "**refuses**",
}
_OF_PROGRAM = {
    Profile.ISAAC: (
        "This column is the URDF importer. cuMotion, the planner, reads the XRDF: `--profile "
        "cumotion`."
    ),
    Profile.VAMP: "cricket generates VAMP's kernels from a URDF with spheres, an SRDF and a JSON file. `convert … "
    "OUT.cricket.json` writes these for any robot. cricket has one end effector: the first tool "
    "frame. Two "
    "arms are planned together, with all movable joints. A joint range must not be empty. Without "
    "an SRDF, "
    "cricket guesses the pairs from a million random configurations.",
}


def programs_page() -> str:
    """The table of `editor_app.features.checks.engine.readers`, and the reasons by program."""
    lines = [
        "# What programs read",
        "",
        *_when_needed(
            "You want to know whether a simulator or planner keeps the joints, limits, meshes and "
            "sensors of "
            "your URDF.",
            "1. Run `xrdf-editor check ROBOT.urdf --profile all`, or choose *Robot › Show what "
            "other programs read*.\n"
            "2. Read the rows with *changes*, *ignores* or *refuses* for your program.\n"
            "3. Look up the reason below, under the name of the program, and change the robot or "
            "export it.",
        ),
        "",
        "## The table",
        "",
        "Simulators and planners read a URDF, and each ignores some features, usually without a "
        "message. The "
        "table covers all robots. *Robot › Show what other programs read* and `xrdf-editor check "
        "ROBOT.urdf "
        "--profile all` show the rows that apply to one robot (with `--format json` for scripts). "
        "With a "
        "program as the [target](panels/findings.md) (*Robot › Target program*, `--profile "
        "mujoco`) the "
        "findings name joints and links: [URDF091](findings/urdf.md#urdf091) refused, "
        "[URDF092](findings/urdf.md#urdf092) changed, [URDF093](findings/urdf.md#urdf093) ignored. "
        "None of the "
        "eight programs reads an XRDF. [Formats](formats.md) lists the files that `convert` "
        "writes for them.",
        "",
        "An empty cell means: read. The rows come from tests with small robots. 44 real robots "
        "corrected three "
        "rows; MuJoCo, Drake and Newton refuse exactly the robots that URDF091 names. 30 other "
        "robots, from "
        "example-robot-data and moveit_resources, were a second test. The first run agreed for 30 "
        "with MuJoCo, "
        "for 28 with Drake and for 25 with Newton, and added the row *fixed mimic joints*. The "
        "remaining "
        "differences are a file without a robot, and for Drake a mesh in OGRE's format.",
        "",
        f"| | {' | '.join(profile.program for profile in SOURCES)} |",
        f"|---|{'---|' * len(SOURCES)}",
    ]
    for feature in FEATURES:
        marks = " | ".join(_MARKS[feature.fact(profile).treatment] for profile in SOURCES)
        lines.append(f"| {feature.title} | {marks} |")
    for profile, source in SOURCES.items():
        lines += ["", f"## {profile.program}", "", f"{source[0].upper()}{source[1:]}."]
        lines += ["", _OF_PROGRAM[profile]] if profile in _OF_PROGRAM else []
        lines += ["", *(_reason(feature.title, feature.fact(profile)) for feature in FEATURES
                        if feature.fact(profile).treatment is not Treatment.READ)]  # fmt: skip
    return "\n".join(lines) + "\n"


def _reason(title: str, fact: Fact) -> str:
    return f"- {fact.treatment} {title}{': ' if fact.text else ''}{fact.text}"


# -- the command line


def command_line() -> str:
    """Every command, from the parser of its arguments: `--help` itself is laid out anew by each
    version of Python."""
    lines = [
        "# Command line",
        "",
        *_when_needed(
            "You want to check, create, fit, mask, convert or plan without the window: in a "
            "terminal, a script or CI.",
            "1. Find the task under *At a glance* and copy the line.\n"
            "2. Replace the file names. Without `-o` most commands only report and write nothing.\n"
            "3. Test the exit code in scripts: 0 is success, 2 means that the command failed.",
        ),
        "",
        "## Rules for all commands",
        "",
        "`xrdf-editor` opens the window, with the named files. `xrdf-editor COMMAND` runs one task "
        "and exits. "
        "Most commands are also functions for [scripts](scripting.md). `xrdf-editor COMMAND "
        "--help` prints the "
        "same text as this page.",
        "",
        RULE,
        "",
        "## At a glance",
        "",
        "```",
        *AT_A_GLANCE.strip().splitlines(),
        "```",
        "",
        "## All commands",
        "",
        "| command | what it does |",
        "|---|---|",
    ]
    plug_ins = [each for each in built_in_features() if ".plugins." in each.package]
    owners = {
        module.stem: [f"<!-- plug-in: {each.name} -->"]
        for each in plug_ins
        for module in each.modules("cli")
    }
    for name in cli.list_commands():
        lines.append(f"| [`{name}`](#xrdf-editor-{name}) | {_escaped(cli.read_summary(name))} |")
    for name in cli.list_commands():
        lines += [
            "",
            f"## xrdf-editor {name}",
            *owners.get(name, ()),
            "",
            *_command(cli.parser_of(name)),
            "",
            "Exit codes:",
            "",
        ]
        lines += [
            f"- `{code}`: {_escaped(meaning)}"
            for code, meaning in exit_codes(cli.module_of(name)).items()
        ]
    return "\n".join(lines) + "\n"


def _command(parser: argparse.ArgumentParser) -> Iterator[str]:
    positional = [a for a in parser._actions if not a.option_strings]
    yield "```"
    yield " ".join([parser.prog, "[OPTIONS]", *(_usage(action) for action in positional)])
    yield "```"
    yield ""
    for line in (parser.description or "").strip().splitlines():
        # An example is indented, in Markdown as in the help.
        yield line if line.startswith("    ") else _escaped(line.removeprefix(f"`{parser.prog}`: "))
    for group in parser._action_groups:
        actions = [
            a for a in group._group_actions if a.dest != "help" and a.help != argparse.SUPPRESS
        ]
        if not actions:
            continue
        title = {"positional arguments": "Arguments", "options": "Options"}.get(
            group.title or "", group.title or ""
        )
        yield ""
        yield f"{title[0].upper()}{title[1:]}:"
        yield ""
        for action in actions:
            yield f"- `{_spelled(action)}`" + (
                f": {_escaped(_help(action))}" if action.help else ""
            )


def _usage(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return (
        f"{name} [{name} …]"
        if action.nargs == "+"
        else f"[{name} …]"
        if action.nargs == "*"
        else name
    )


def _spelled(action: argparse.Action) -> str:
    """`-o, --output FILE`; the choices where there are some."""
    if action.nargs == 0:
        return ", ".join(action.option_strings)
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices is not None else ""
    metavar = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    value = str(metavar or choices or action.dest.upper())
    if not action.option_strings:
        return str(action.metavar or action.dest)
    return ", ".join(action.option_strings) + (
        f" [{value}]" if action.nargs == "?" else f" {value}"
    )


def _help(action: argparse.Action) -> str:
    return str(action.help) % {**vars(action), "prog": "xrdf-editor"}


if __name__ == "__main__":
    for path, text in pages().items():
        (MANUAL / path).parent.mkdir(parents=True, exist_ok=True)
        (MANUAL / path).write_text(text, encoding="utf-8")
