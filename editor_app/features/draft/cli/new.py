"""`xrdf-editor new`: creates an XRDF for a URDF; with --fit --mask one that is ready for planning.
Lists every guess.

The controlled joints come from --base and --tool, --group or --joints, else from the SRDF, else
from the structure of the robot: wheels, fingers, heads and supporting legs are locked. The report
goes to standard error (with --format json to standard output); the XRDF is written next to the
URDF, or where -o says.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import editor_app
from editor_app.cli import _progress
from editor_app.cli import _robot_arguments as shared
from editor_app.cli._options import add_options, option_values
from editor_app.cli._output import give_report, give_text, is_stdout, print_lines, remark
from editor_app.cli._writing import add_force_argument, check_targets
from editor_app.core.feature import hook
from editor_app.core.formats.moveit_package import package_root
from editor_app.core.model.options import attribute_record
from editor_app.core.verbs import robot_inputs
from editor_app.features.draft.verbs.new_settings import NewSettings
from editor_app.features.spheres.verbs.fit_choices import FitChoices, FitRequest

#: What the exit codes mean, besides the common ones.
EXIT_CODES = {
    0: "done",
    1: "done, but the file still has errors by the rules of --profile",
    3: "done, but more than 20 % of the free configurations are false collisions, a passage is closed, or "
    "collisions are missed (XRDF514 to XRDF516)",
    4: "done, but mesh files to fit are missing (MESH001): their links have no spheres, or spheres fitted to "
    "other shapes",
}

#: Rules that judge spheres and mask against the meshes.
_VERDICTS = ("XRDF514", "XRDF515", "XRDF516")
#: Seconds before the progress of a draft without spheres is told.
_PATIENCE = 1.0
#: Pairs of links that are named for each figure of the cost.
_WORST = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    shared.add_files_argument(parser, "the URDF or xacro file, and the SRDF if one exists")
    parser.add_argument(
        "-o", "--output", type=Path, help="output file (default: next to the URDF; - for stdout)"
    )
    add_force_argument(parser)
    parser.add_argument(
        "--xrdf-version",
        choices=("1.0", "2.0"),
        default="1.0",
        help="format_version of the XRDF (default: 1.0)",
    )
    add_options(parser.add_argument_group("controlled joints"), editor_app.ControlRequest)
    spheres = parser.add_argument_group("spheres")
    add_options(spheres, NewSettings, "fit", "budget")
    add_options(spheres, FitRequest, "geometry")
    add_options(
        spheres,
        FitChoices,
        "mode",
        "effort",
        "padding",
        "mount",
        "clips",
        "weights",
        "more_at_tool",
    )
    pairs = parser.add_argument_group("self-collision")
    add_options(
        pairs, NewSettings, "mask", "samples", "certify", "cost_samples", "reasons", "trust_srdf"
    )
    add_options(parser, NewSettings, "profile")
    parser.add_argument(
        "--seed", type=int, default=0, help="the same input and seed give the same file"
    )
    add_options(parser, FitRequest, "processes")
    if (tests := hook("first_tests")) is not None:
        tests.add_arguments(parser)
    shared.add_format_argument(parser)
    shared.add_robot_arguments(parser)


def run(args: argparse.Namespace) -> int:
    target = args.output if args.output is not None else _beside(args)
    to_stdout = is_stdout(target)
    if to_stdout and args.format == "json":
        raise editor_app.Refused(
            "the file and the report cannot both go to standard output: name a file with -o"
        )
    # Said before the work.
    check_targets(args, target)
    tests = hook("first_tests")
    if tests is not None:
        tests.refuse_early(args, None if to_stdout else target)
    if not to_stdout and not target.absolute().parent.is_dir():
        raise editor_app.Refused(
            f"the folder {target.absolute().parent} does not exist: create it first, or choose "
            "another"
        )
    new_xrdf = _made(args)
    text = new_xrdf.document.xrdf_text
    if to_stdout:
        give_text(text)
    else:
        editor_app.save(
            new_xrdf.document, target, overwrite=args.force, inputs=new_xrdf.inputs | args.read
        )
    if tests is not None:
        tests.write_first_tests(args, new_xrdf.document, target)
    if args.format == "json":
        give_report(_record(new_xrdf, target), args.format, {})
    else:
        remark(*_lines(new_xrdf), *_consumer_lines(new_xrdf, args.files[0], target))
        if not to_stdout:
            print_lines(str(target))
    return (
        1 if _errors(new_xrdf) else 4 if _missing(new_xrdf) else 3 if _plans_badly(new_xrdf) else 0
    )


def _beside(args: argparse.Namespace) -> Path:
    """The XRDF beside the robot: of a folder, beside the file that the folder's robot is in."""
    if package_root(args.files[0]) is None:
        return Path(args.files[0]).with_suffix(".xrdf")
    robot = robot_inputs.robot_files(*args.files, packages=shared.packages(args)).robot
    return robot.with_name(f"{robot.name.partition('.')[0]}.xrdf")


def _made(args: argparse.Namespace) -> editor_app.NewXrdf:
    if [bool(args.base or args.tool), bool(args.group), bool(args.joints)].count(True) > 1 and not (
        args.tool
        and not args.base
        and (args.group or args.joints)
        and not (args.group and args.joints)
    ):
        raise editor_app.Refused(
            "give one of --base/--tool, --group and --joints (--tool may go with the last two)"
        )
    if args.cost_samples is not None and not args.mask:
        raise editor_app.Refused("--cost-samples needs --fit --mask")
    if args.mask and not args.fit:
        raise editor_app.Refused("--mask compares spheres: use it with --fit")
    with _progress.progress_bar(0.0 if args.fit else _PATIENCE) as progress:
        return editor_app.new(
            *args.files,
            control=editor_app.ControlRequest(**option_values(args, editor_app.ControlRequest)),
            version=args.xrdf_version,
            settings=NewSettings(
                **option_values(args, NewSettings),
                geometry=args.geometry,
                choices=FitChoices(**option_values(args, FitChoices)),
            ),
            packages=shared.packages(args),
            xacro_arguments=shared.xacro_arguments(args),
            allow_xacro=args.allow_xacro,
            model=args.model,
            processes=args.jobs,
            progress=progress,
        )


def _errors(new_xrdf: editor_app.NewXrdf) -> int:
    return sum(finding.severity is editor_app.Severity.ERROR for finding in new_xrdf.findings)


def _missing(new_xrdf: editor_app.NewXrdf) -> tuple[str, ...]:
    """Links of which a mesh file that was to be fitted to is not found."""
    return new_xrdf.fit.missing if new_xrdf.fit is not None else ()


def _plans_badly(new_xrdf: editor_app.NewXrdf) -> bool:
    return any(
        each.code in _VERDICTS and each.severity >= editor_app.Severity.WARNING
        for each in new_xrdf.findings
    )


def _consumer_lines(new_xrdf: editor_app.NewXrdf, robot: Path, target: Path) -> list[str]:
    """For which programs the pair of files loads, and the command that makes one for the others."""
    lines = []
    for profile, sentence in new_xrdf.consumers.sentences:
        lines.append(sentence)
        if profile is not None:
            lines.append(
                f"  It loads the result of: xrdf-editor repair {robot} {target} --profile "
                f"{profile} -o FOLDER"
            )
    return lines


def _lines(new_xrdf: editor_app.NewXrdf) -> list[str]:
    lines = ["Decided:", *(f"  {each.topic}: {each.text}" for each in new_xrdf.decisions.entries)]
    lines += ["Guessed:"] if new_xrdf.guesses else []
    for section in dict.fromkeys(guess.section for guess in new_xrdf.guesses):
        lines.append(f"  {section}")
        lines += [
            f"    {each.content}: {each.reason}"
            for each in new_xrdf.guesses
            if each.section == section
        ]
    if new_xrdf.hidden:
        lines.append(
            "Ignored although the meshes collide in some configurations; these collisions are "
            "missed:"
        )
        lines += [
            f"  {each.first} and {each.second} ({each.kind.value}): {each.reason}"
            for each in new_xrdf.hidden
        ]
    if new_xrdf.disputed:
        ignored = new_xrdf.document.robot.xrdf.ignored_pairs()
        lines.append(
            "Meshes and the manufacturer's SRDF disagree; please decide (--trust-srdf ignores what "
            "the SRDF "
            "ignores, the default is to check):"
        )
        lines += [
            f"  {each.first} and {each.second}, "
            f"{'ignored' if each.pair in ignored else 'checked'}: {each.reason}"
            for each in new_xrdf.disputed
        ]
    lines += _cost_lines(new_xrdf)
    left = [f for f in new_xrdf.findings if f.severity is not editor_app.Severity.INFO]
    if left:
        lines.append("To review:")
        lines += [f"  {f.severity.name.lower()} {f.code}: {f.message}" for f in left]
    if missing := _missing(new_xrdf):
        remedy = (
            "copy them to the place that MESH001 names, or name the folder (--package "
            "NAME=FOLDER), and try again"
        )
        lines.append(
            f"Mesh files of {', '.join(missing)} are missing, so the file was created without "
            f"them: {remedy}."
        )
    return lines


def _cost_lines(new_xrdf: editor_app.NewXrdf) -> list[str]:
    """What the model costs and hides, with the worst pairs of each."""
    if new_xrdf.cost is None:
        return (
            [f"False and missed collisions are unknown: {new_xrdf.cost_missing}"]
            if new_xrdf.cost_missing
            else []
        )
    cost = new_xrdf.cost
    fat = [
        f"{a} and {b} ({count})"
        for a, b, count in ((*each.names, each.count) for each in cost.too_fat[:_WORST])
    ]
    why = hook("cost_report").why
    hidden = [
        f"{each.names[0]} and {each.names[1]} ({each.count}, "
        f"{why(each.masked, each.without_spheres)})"
        for each in cost.hidden[:_WORST]
    ]
    lines = [f"False and missed collisions in {cost.samples:,} random configurations:"]
    for text, share, pairs in (
        ("false collisions, of the free configurations", cost.needless, fat),
        ("missed collisions, of those in which meshes touch", cost.wrong, hidden),
    ):
        lines.append(f"  {text}: {share}" + (f"; most often {', '.join(pairs)}" if pairs else ""))
    return [*lines, *(f"  {note}" for note in (cost.shapes, *cost.notes) if note)]


def _record(new_xrdf: editor_app.NewXrdf, target: Path) -> dict[str, object]:
    plan, fitted, pose = new_xrdf.plan, new_xrdf.fit, new_xrdf.pose
    return {
        "robot": new_xrdf.document.robot.urdf.name,
        "output": str(target),
        "controlled": {
            "joints": list(plan.joints),
            **attribute_record(plan, "reason", "guessed", "base"),
        },
        "tools": [attribute_record(t, "frame", "reason", "guessed") for t in plan.tools],
        "locked": [
            {"joint": e.joint, "position": e.position, "role": e.role.value, "reason": e.reason}
            for e in plan.locked
        ],
        "default": dict(new_xrdf.document.robot.xrdf.default_joint_positions or {}),
        "default_pose": None
        if pose is None
        else {
            "margin": round(pose.margin, 4),
            "dexterity": round(pose.dexterity, 4),
            "clearance_mm": None if pose.clearance is None else round(pose.clearance * 1000, 3),
            "overlaps": [[pair.first, pair.second] for pair in pose.overlaps],
        },
        "spheres": None
        if fitted is None
        else {link: len(spheres) for link, spheres in fitted.spheres.items()},
        "mount": None
        if fitted is None or fitted.mount is None
        else {
            "height_m": fitted.mount.height,
            "links": [plane.link for plane in fitted.mount.planes],
            "lost_coverage": {
                each.link: round(each.lost, 4) for each in fitted.links if each.lost > 0
            },
        },
        "missing_meshes": list(_missing(new_xrdf)),
        "ignored_pairs": None if new_xrdf.mask is None else len(new_xrdf.mask.proposal.pairs),
        "hidden": [
            {
                "pair": [each.first, each.second],
                "class": each.kind.value,
                "share": round(each.share, 4),
                "samples": each.samples,
            }
            for each in new_xrdf.hidden
        ],
        "disputed": [
            {
                "pair": [each.first, each.second],
                "touching": round(each.touching.value, 4),
                "costs": each.reason,
            }
            for each in new_xrdf.disputed
        ],
        "cost": None if new_xrdf.cost is None else hook("cost_report").report({}, new_xrdf.cost),
        "cost_missing": new_xrdf.cost_missing or None,
        "decided": new_xrdf.decisions.record,
        "guesses": [
            {"section": g.section, "what": g.content, "reason": g.reason} for g in new_xrdf.guesses
        ],
        **_finding_records(new_xrdf),
        "seconds": round(new_xrdf.wall_seconds, 2),
    }


def _finding_records(new_xrdf: editor_app.NewXrdf) -> dict[str, object]:
    findings = [
        {"code": f.code, "severity": f.severity.name.lower(), "message": f.message}
        for f in new_xrdf.findings
    ]
    refused = {
        profile.value: [{"code": f.code, "message": f.message} for f in errors]
        for profile, errors in new_xrdf.consumers.refused_by.items()
    }
    return {"findings": findings, "refused_by": refused}
