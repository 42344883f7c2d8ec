"""The pages of the manual that are made from the program: every finding code, every command, the table of formats.

`python -m tests.helpers.manual_pages` writes them anew; a test compares.
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
from editor_app.core.document.opening import open_robot
from editor_app.core.feature import built_in_features
from editor_app.core.formats.exchange.codec import Part
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.registry import codecs, writable
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.features.checks.engine.readers import FEATURES, SOURCES, Fact, Treatment
from editor_app.features.checks.engine.runner import load_rules
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.finding_examples import PROSE, SAME_AS, codes_in_the_program, examples, titles
from tests.unit import test_xrdf_rules_fire_and_their_fixes_cure as xrdf_cases

MANUAL = Path(__file__).resolve().parents[2] / "resources" / "manual"
_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: Codes whose severity comes from a fact in the table of programs.
_OF_PROGRAMS = {"URDF091": Treatment.REFUSED, "URDF092": Treatment.CHANGED, "URDF093": Treatment.IGNORED}
_MOVEIT_ERRORS = frozenset({Severity.ERROR, Severity.WARNING})
_MOVEIT_HINTS = frozenset({Severity.WARNING, Severity.INFO})
#: Codes about MoveIt whose severity comes from the profile, or from the kind of the SRDF.
_OF_MOVEIT = {
    **dict.fromkeys(("SRDF003", "SRDF021", "SRDF023", "SRDF025", "SRDF026", "SRDF029", "SRDF031"), _MOVEIT_ERRORS),
    **dict.fromkeys(("SRDF028", "SRDF030", "SRDF032", "SRDF034"), _MOVEIT_HINTS),
}
_SLOW = (
    "Needs meshes or samples: the window looks for it in the background, the command line with "
    "[`check --slow`](../command-line.md#xrdf-editor-check)."
)

#: Page -> (title, introduction, prefixes of its codes).
FINDING_PAGES = {
    "xrdf": (
        "Findings about the XRDF",
        "The digit after `XRDF` tells the section: 0 the text, 1 format and version, 2 modifiers, 3 geometry, "
        "4 obstacles, 5 self-collision, 6 default positions, 7 c-space, 8 tool frames, 90 what "
        "cuRobo refuses, 95 what other programs are told otherwise.",
        ("XRDF",),
    ),
    "urdf": (
        "Findings about the URDF",
        "*Refused* and *dropped* say what urdfdom does, on which ROS and most other programs build. The editor opens "
        "all of these files. `URDF…` have their line in the file, `TREE…` are the same faults in a robot that was no "
        "file, `XML…` are faults of the XML below both URDF and SRDF.",
        ("URDF", "TREE", "XML"),
    ),
    "srdf": ("Findings about the SRDF", "They are about MoveIt's SRDF and Tesseract's additions to it.", ("SRDF",)),
    "ros": (
        "Findings about MoveIt's settings",
        "They are about joint_limits.yaml, kinematics.yaml and initial_positions.yaml, which are opened with a "
        "[MoveIt package](../moveit.md) or named along, and about the package itself.",
        ("ROS",),
    ),
    "meshes": (
        "Findings about meshes, fits and saving",
        "These come from loading meshes, from a fit, or from an edit, not from the rules of a file format.",
        ("MESH", "FIT", "SAVE"),
    ),
}

#: A line per task, for the page of commands. Tests run each of them.
AT_A_GLANCE = """
xrdf-editor new ROBOT.urdf --fit --mask -o ROBOT.xrdf  # create an XRDF: joints, spheres, mask
xrdf-editor check ROBOT.xrdf ROBOT.urdf --profile cumotion  # errors and warnings; for CI: SARIF, JUnit, GitHub
xrdf-editor check ROBOT.urdf --profile all  # what simulators and planners refuse, change or ignore
xrdf-editor mend ROBOT.urdf ROBOT.xrdf --limits-from VENDOR.urdf -o FIXED  # fix what cuRobo refuses
xrdf-editor fit ROBOT.urdf --tolerance 25 -o FITTED.xrdf  # fit spheres that protrude at most 25 mm
xrdf-editor mask ROBOT.urdf ROBOT.xrdf -o MASKED.xrdf  # compute the self-collision mask of an XRDF
xrdf-editor mask ROBOT.urdf ROBOT.srdf -o MASKED.srdf  # the same for an SRDF
xrdf-editor pose ROBOT.urdf --tool tool0 --in base_link  # position of a frame; --to: joint values for a target
xrdf-editor collide ROBOT.urdf --at "elbow_pitch_joint=45deg"  # colliding pairs at a configuration
xrdf-editor plan ROBOT.urdf --queries 100  # share of solved queries, and what blocks the others
xrdf-editor plan ROBOT.urdf --from default --by "0 0 -0.1" --straight  # move the tool in a straight line
xrdf-editor plan ROBOT.urdf --from default --to upright -o WAY.yaml  # one timed motion, as ROS reads it
xrdf-editor collide ROBOT.urdf --poses WAY.yaml --report WAY.html  # report about a motion
xrdf-editor cost ROBOT.urdf  # false and missed collisions, compared with the meshes
xrdf-editor convert ROBOT.urdf ROBOT.xrdf OUT.srdf  # convert, with a report of what is lost
xrdf-editor edit ROBOT.urdf --rename-link tool0=tcp --add-link camera=tcp -o EDITED.urdf  # edit links and joints
xrdf-editor collision ROBOT.urdf --kind hull -o HULLS.urdf  # collision elements from meshes
xrdf-editor compose ARM.urdf HAND.urdf --at tool0 --prefix hand_ -o BOTH.urdf  # attach a part
xrdf-editor detach BOTH.urdf -o ALONE.urdf  # remove it again
xrdf-editor diff OLD.urdf NEW.urdf  # differences in meaning, and how far frames moved
xrdf-editor schema --xrdf-version 2.0  # JSON Schema of XRDF
xrdf-editor completion bash  # completion for a shell
xrdf-editor batch robots -o FLEET --jobs 4  # all robots in a folder; FLEET/index.html is the report
"""

#: What to do about a fault for which the program offers no change of its own.
REMEDIES = {
    "FIT001": "Where a surface stays open, fit that link again with more spheres, or with *cover everything*.",
    "MESH001": "*Locate…* in the findings or the Robot menu: show the folder where the mesh is. On the command line: "
    "`--package NAME=FOLDER`.",
    "MESH002": "Convert the mesh to STL, OBJ, PLY, DAE or GLB, and name that file in the URDF.",
    "MESH003": "Export the mesh again, or convert it with another program.",
    "MESH004": "Export the mesh with its faces, or take the geometry out of the URDF.",
    "MESH005": "Look at the link: what is missing may not matter. Otherwise export the mesh again.",
    "MESH006": "Simplify the mesh, or split it.",
    "MESH007": "Put the file beside the mesh. The shape is complete without it; colours or textures are not.",
    "MESH008": 'Write `scale="0.001 0.001 0.001"` at the mesh, in the URDF panel or in the file.',
    "MESH009": "Take the scale of the mesh away: its file is in metres already.",
    "MESH013": "Delete the part in the program that made the mesh, and export the mesh again.",
    "ROS000": "Correct the line that the message names in a text editor, and reload.",
    "ROS001": "Write a value of the kind that the message names.",
    "ROS002": "Write the number with a point: `2.0`, not `2`.",
    "ROS016": "Write the number in radians or metres, without the unit.",
    "ROS017": "Take the solver out, or give each branch a group of its own.",
    "ROS010": "Nothing has to be done. MoveIt itself looks for the files that are missing where its launch files say.",
    "ROS011": "Name the saved SRDF in `.setup_assistant` or in the launch file, or make the edit in the xacro file.",
    "ROS012": "Correct the name in the file of controllers, or take the joint out of it.",
    "ROS014": "Keep one of them.",
    "SAVE004": "Undo the last step, or edit the text of the file in *Source*.",
    "SAVE001": "Undo the last step, or change the part that the message names.",
    "SAVE002": "Undo the last step, or change the part that the message names.",
    "SAVE003": "Undo the last step, or change the part that the message names.",
    "SRDF000": "Correct the line in a text editor, or open another SRDF (File menu).",
    "SRDF001": "Write the attribute, or delete the element.",
    "SRDF002": "Write numbers: one for a joint that turns or slides, three for a position.",
    "SRDF003": "Delete one of the two.",
    "SRDF004": "Keep one of the two spellings of the orientation.",
    "SRDF005": "Nothing has to be done: the element is kept. Look whether its name is misspelt.",
    "SRDF006": "Delete one of the two lines.",
    "SRDF013": "Name two different links of the robot as base and tip.",
    "SRDF014": "Divide the group into groups of one kind each.",
    "SRDF016": "Rename one of the two, or delete it.",
    "SRDF034": "Write the distance in metres below which links count as touching, 0 or more.",
    "SRDF035": "Write what the message names, or delete the element.",
    "SRDF024": "Add a chain, joints, links or a group to the group, or delete the group.",
    "SRDF030": "Let a group have the parent link, or name a parent link that a group has.",
    "SRDF028": "Add the joints to the state, or leave them out on purpose: they keep their positions.",
    "SRDF018": "Put the file there, or delete the element.",
    "SRDF019": "Correct the name in the calibration, or take the joint out of it.",
    "URDF000": "Correct the line in a text editor; the message says what is wrong with it.",
    "URDF001": 'Write `<robot name="…">`.',
    "URDF002": "The file holds no robot: look whether the right file was opened, or whether it is a xacro file.",
    "URDF003": 'Write `<link name="…">`.',
    "URDF004": "Rename one of the two, with the joints that mean it.",
    "URDF005": 'Write `<joint name="…">`.',
    "URDF006": "Rename one of the two.",
    "URDF007": "Write one of the types that the message names.",
    "URDF008": 'Write `<parent link="…"/>` and `<child link="…"/>`.',
    "URDF009": "Write the name of a link that is there, or add the link.",
    "URDF010": "Connect the parts by a joint: every link but one has exactly one parent.",
    "URDF011": "Delete one of the two joints. A closed loop cannot be said in URDF.",
    "URDF012": "Name another link as parent or child.",
    "URDF014": "Connect one link of the loop to the rest, and delete a joint of the loop.",
    "URDF015": "Write the version that the file keeps to; without one, 1.0 is meant.",
    "URDF020": "Write as many numbers as the message asks for, separated by blanks.",
    "URDF021": "Write the numbers with single blanks between them and none behind them.",
    "URDF022": "Write what the message names.",
    "URDF023": "Keep one of the two spellings of the orientation.",
    "URDF024": 'State the newer version in `<robot version="…">`, or write it as the older one does.',
    "URDF026": "Write the number of the manufacturer's data sheet.",
    "URDF030": "Mend the other finding of the same element: it says why urdfdom drops it.",
    "URDF031": "Mend the other finding of the same element: it says why urdfdom drops it.",
    "URDF032": "Mend the other finding of the same element: it says why urdfdom drops it.",
    "URDF033": "Give each shape a `<visual>` or `<collision>` of its own.",
    "URDF034": "Delete one of the two.",
    "URDF035": "Write the name that is meant.",
    "URDF036": "Define the material, with a colour or texture, in the robot.",
    "URDF037": "Keep one definition, with a name and a colour or texture.",
    "URDF038": "Write red, green, blue and opacity as numbers from 0 to 1.",
    "URDF043": "Exchange the two limits, or correct the wrong one.",
    "URDF044": "Write the axis that the joint turns about or slides along.",
    "URDF045": 'Write `<axis xyz="1 0 0"/>`, or the axis that is meant.',
    "URDF046": "Write the magnitude: limits have no sign.",
    "URDF047": "Write the magnitude: limits have no sign.",
    "URDF048": "Nothing has to be done where the program that reads the file allows it.",
    "URDF050": "Write the mass in kilograms.",
    "URDF051": "Write the size in metres, greater than zero.",
    "URDF052": "Write a scale other than zero for each axis.",
    "URDF053": "Write the name of the file, or delete the geometry.",
    "URDF054": "Write the moments about the centre of mass; those on the diagonal are not negative.",
    "URDF056": "Write the name of a link that is there; give each sensor a name of its own.",
    "URDF057": "Write a value of the kind that the message asks for.",
    "URDF058": "Correct the part in the file that the message names.",
    "URDF059": "Look whether the part matters: it is in no file that `convert` writes.",
    "URDF060": "Expand the file by xacro first: open the `.xacro` file itself.",
    "URDF091": "Change what the message names, or let `convert` write the robot for that program; see "
    "[What programs read](../programs.md).",
    "URDF092": "Look whether the change matters; see [What programs read](../programs.md).",
    "URDF093": "Look whether what is lost matters; see [What programs read](../programs.md).",
    "URDF095": "Write the name of a joint that is there: *URDF › Transmissions and extensions*, or the Source panel.",
    "URDF096": "Write a range within the limits of the joint, or correct the limits.",
    "URDF097": "Write a position within the limits of the joint.",
    "URDF070": "Look whether the number is in millimetres; lengths are in metres.",
    "URDF071": "Look whether the number is in grams; masses are in kilograms.",
    "URDF072": "Look whether the number is in degrees; angles are in radians.",
    "XML001": 'Write `<?xml version="1.0"?>`.',
    "XML002": "Move the declaration to the very beginning of the file.",
    "XML003": "Declare the prefix at the root element (`xmlns:…`).",
    "XML004": "Delete it, or move it into the root element.",
    "XML005": "Take one of the two dashes out.",
    "XRDF001": "Correct the line, in the Source panel or in a text editor.",
    "XRDF005": "Write a value of the kind that the message names.",
    "XRDF008": "Correct the part in the file that the message names.",
    "XRDF009": "Look whether the part matters: it is in no XRDF that `convert` writes.",
    "XRDF007": "Write it in ASCII where cuRobo reads the file.",
    "XRDF201": "Write a modifier as `- set_base_frame: …`, `- add_frame: …` or `- remove_mimic_attributes: …`.",
    "XRDF202": "Write one of the modifiers that the message names.",
    "XRDF203": "Write the key that the message names.",
    "XRDF207": "Let one of the frames hang on a link of the URDF.",
    "XRDF209": "Write exactly three numbers, in metres.",
    "XRDF214": "Choose a base frame nearer to the root, or let the frame hang below the base.",
    "XRDF216": "Write the real limits of the joint in the URDF, or make it fixed.",
    "XRDF301": "Write a list of spheres: `- center: [x, y, z]` and `radius: r` each.",
    "XRDF303": "Write `center` with three numbers and `radius` with one, in metres.",
    "XRDF304": "Write a positive radius. (Some files switch a sphere off by a negative one.)",
    "XRDF305": "Unite the groups, or convert the file to version 2.0 (XRDF panel, *Format*).",
    "XRDF306": "Let a section use it, or delete it (XRDF panel, *Geometry groups*).",
    "XRDF307": "Fit the link, where it can meet something; see [Fit](../panels/fit.md).",
    "XRDF310": "Write the name of another group of the file, or delete `clone`.",
    "XRDF314": "Fit the link to its visual geometry: `xrdf-editor fit … --links LINK --geometry visual`.",
    "XRDF315": "Look whether the number is in millimetres; lengths are in metres.",
    "XRDF316": "Fit the link again; see [Fit](../panels/fit.md). Where a sphere was shrunk or deleted, undo that.",
    "XRDF317": "Fit the link to its visual geometry (`xrdf-editor fit … --links LINK --geometry visual`), or keep it: "
    "spheres that cover the collision shapes leave the rest of the visible link to them.",
    "XRDF503": "Write a mapping: a frame, and behind it the list of the others.",
    "XRDF513": "The pair has to be ignored as long as its spheres overlap in practically every configuration, or at "
    "the default position. Fit both links with more, thinner spheres ([Fit](../panels/fit.md)), then check it again, "
    "or set buffers for planning ([Masks](../masks.md)). "
    "Where the robot never gets there, narrow the limits of its joints instead.",
    "XRDF514": "*Spheres › Fit tighter for planning*, or `xrdf-editor fit … --for planning`; see "
    "[Masks](../masks.md). *Self-collision › Blocking* and `xrdf-editor cost` name the pairs and spheres to blame.",
    "XRDF515": "*Spheres › Fit tighter for planning*, or *Free this passage…* for the two links alone; the finding "
    "leads to the spheres in the way. `xrdf-editor cost` has a path that the meshes leave open.",
    "XRDF516": "Check the pair, where the mask ignores it, unless the message says what comes first; fit spheres "
    "to the link, where it has none; else fit both links with mode *cover everything* ([Fit](../panels/fit.md)).",
    "XRDF951": "Write what the message names; see [Formats](../formats.md).",
    "XRDF952": "Write the tool frame of the arm that is planned first; see [VAMP](../programs.md#vamp).",
    "XRDF804": "Write a list: `tool_frames: [NAME]`.",
}


@cache
def pages() -> dict[Path, str]:
    """Path below the manual's folder -> text."""
    made = {Path("findings") / f"{name}.md": _finding_page(name) for name in FINDING_PAGES}
    made[Path("command-line.md")] = command_line()
    made[Path("formats.md")] = formats_page()
    made[Path("programs.md")] = programs_page()
    return made


def page_of(code: str) -> str:
    """The page that a code is on, without folder and suffix. Raises StopIteration for a code of no page."""
    return next(name for name, (_, _, prefixes) in FINDING_PAGES.items() if code[:-3] in prefixes)


def _finding_page(name: str) -> str:
    title, introduction, prefixes = FINDING_PAGES[name]
    codes = [code for prefix in prefixes for code in sorted(codes_in_the_program()) if code[:-3] == prefix]
    lines = [f"# {title}", "", introduction]
    for code in codes:
        lines += ["", *_entry(code)]
    return "\n".join(lines) + "\n"


def _entry(code: str) -> Iterator[str]:
    yield f"## {code}"
    yield ""
    title = titles()[code]
    if code in SAME_AS:
        yield f"**{title}.**"
        yield ""
        others = ", ".join(_link(other, page_of(code)) for other in SAME_AS[code])
        yield f"Where the text of the file is at hand, this fault is told with its line and its remedy, as {others}."
        if code in examples():
            yield ""
            yield examples()[code].shown
            yield ""
            yield f"Message: {_escaped(examples()[code].finding.message)}"
        return
    if code in PROSE:
        yield f"**{title}.** {PROSE[code]}"
        yield ""
        yield f"Remedy: {REMEDIES[code]}"
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
        yield f"Remedy, offered with the finding: {offered}."
    else:
        assert code in REMEDIES, f"{code} offers no change: say in REMEDIES of {__name__} what to do about it"
        yield f"Remedy: {REMEDIES[code]}"


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
    columns = ("format", "`--to`", "read", "written, as", "what it has room for", "what of an XRDF it has none for")
    lines = ["", f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for codec in codecs():
        writer = codec.writer
        endings = ", ".join(f"`*{ending}`" for ending in writer.endings) if writer is not None else ""
        name = f"`{codec.name}`" if writer is not None else ""
        endings += " (with `--to` alone)" if writer is not None and writer.is_named else ""
        holds = ", ".join(part for part in Part if writer is not None and part in writer.holds)
        read = "yes" if codec.read is not None else ""
        lines.append(
            f"| {codec.plain_title} | {name} | {read} | {endings} | {holds} | {', '.join(lost.get(codec.name, ()))} |"
        )
    text = (MANUAL / "formats.md").read_text(encoding="utf-8")
    return _TABLE.sub(lambda _: "\n".join([*lines, "", ""]), text)


def _lost_of_the_arm() -> dict[str, list[str]]:
    """What the reports call lost of a small robot whose XRDF has everything, by the format that is written."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
        (folder / "arm.xrdf").write_text(CLEAN, encoding="utf-8")
        arm = open_robot(folder / "arm.urdf")
        lost = {}
        for codec in writable():
            assert codec.writer is not None
            conversion = convert(arm, folder / f"out{codec.writer.endings[0]}", ConvertOptions(to=codec.name))
            entries = (entry for report in conversion.reports for entry in report.entries)
            items = (_kind(entry.item) for entry in entries if entry.fate == Fate.LOST)
            lost[codec.name] = [f"`{item}`" for item in dict.fromkeys(items)]
    return lost


def _kind(item: str) -> str:
    """The section that an item of a report is of: names of the arm are not told."""
    return "tool_frames" if item.startswith("tool frame") else item.split(",")[0].split(" ")[0]


# -- what programs read

_MARKS = {
    Treatment.READ: "",
    Treatment.CHANGED: "changes",
    Treatment.IGNORED: "ignores",
    Treatment.REFUSED: "**refuses**",
}
_OF_PROGRAM = {
    Profile.ISAAC: "The importer of URDFs is meant; cuMotion, which plans there, reads the XRDF: `--profile cumotion`.",
    Profile.VAMP: "VAMP's kernels are made by cricket from a URDF of spheres, an SRDF and a JSON, which "
    "`convert … OUT.cricket.json` writes of any robot. cricket has one end effector, so of two arms the first tool "
    "frame is it; both arms are planned together, with every joint that moves. A range of no width cannot be scaled. "
    "Without an SRDF cricket guesses the pairs from a million random configurations.",
}


def programs_page() -> str:
    """The table of `editor_app.features.checks.engine.readers`, and the reasons by program."""
    lines = [
        "# What programs read",
        "",
        "Simulators and planners read a URDF, and each leaves something out, most without a word. The table is of all "
        "robots; *Robot › What other programs read* and `xrdf-editor check ROBOT.urdf --profile all` show the rows "
        "that one robot has (with `--format json` for programs), and with a program as the "
        "[target](panels/findings.md) (*Robot › Target program*, `--profile mujoco`) its findings name joints "
        "and links: [URDF091](findings/urdf.md#urdf091) what is refused, [URDF092](findings/urdf.md#urdf092) changed, "
        "[URDF093](findings/urdf.md#urdf093) ignored. None of the eight reads an XRDF; what `convert` writes for them "
        "is in [Formats](formats.md).",
        "",
        "An empty cell: it is read. The rows were made by small robots, and three of them were corrected by 44 real "
        "ones, of which MuJoCo, Drake and Newton then refuse the ones that URDF091 says. Of 30 others, from "
        "example-robot-data and moveit_resources, the first run agreed for 30 with MuJoCo, for 28 with Drake and for "
        "25 with Newton; the row of fixed joints that mimic came of it. Left are a file without a robot, and for Drake "
        "a mesh in OGRE's format.",
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
    """Every command, from the parser of its arguments: `--help` itself is laid out anew by each version of Python."""
    lines = [
        "# Command line",
        "",
        "`xrdf-editor` alone opens the window, on the files when some are named. `xrdf-editor COMMAND` does one thing "
        "and ends; most commands are also functions for [scripts](scripting.md). `xrdf-editor COMMAND --help` says the "
        "same as this page.",
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
    owners = {module.stem: [f"<!-- plug-in: {each.name} -->"] for each in plug_ins for module in each.modules("cli")}
    for name in cli.commands():
        lines.append(f"| [{name}](#xrdf-editor-{name}) | {_escaped(cli.summary(name))} |")
    for name in cli.commands():
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
        lines += [f"- `{code}`: {_escaped(meaning)}" for code, meaning in exit_codes(cli.module_of(name)).items()]
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
        actions = [a for a in group._group_actions if a.dest != "help" and a.help != argparse.SUPPRESS]
        if not actions:
            continue
        title = {"positional arguments": "Arguments", "options": "Options"}.get(group.title or "", group.title or "")
        yield ""
        yield f"{title[0].upper()}{title[1:]}:"
        yield ""
        for action in actions:
            yield f"- `{_spelled(action)}`" + (f": {_escaped(_help(action))}" if action.help else "")


def _usage(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return f"{name} [{name} …]" if action.nargs == "+" else f"[{name} …]" if action.nargs == "*" else name


def _spelled(action: argparse.Action) -> str:
    """`-o, --output FILE`; the choices where there are some."""
    if action.nargs == 0:
        return ", ".join(action.option_strings)
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices is not None else ""
    metavar = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    value = str(metavar or choices or action.dest.upper())
    if not action.option_strings:
        return str(action.metavar or action.dest)
    return ", ".join(action.option_strings) + (f" [{value}]" if action.nargs == "?" else f" {value}")


def _help(action: argparse.Action) -> str:
    return str(action.help) % {**vars(action), "prog": "xrdf-editor"}


if __name__ == "__main__":
    for path, text in pages().items():
        (MANUAL / path).parent.mkdir(parents=True, exist_ok=True)
        (MANUAL / path).write_text(text, encoding="utf-8")
