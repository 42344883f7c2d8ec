"""From files to files: which format a file is, one robot out of several of them, and the robot in another format.

Nothing is written here: a `Conversion` holds the files that would be. The command line and the window share it.
"""

from __future__ import annotations

from pathlib import Path

from editor_app.formats.conversion.inputs import Inputs, read_inputs, robot_of, with_spheres
from editor_app.formats.conversion.kinds import TARGETS, Conversion, Kind, Options, Prepare, kind_of, target_of
from editor_app.formats.conversion.outputs import write_robot
from editor_app.formats.exchange.groups import NeedsChoice
from editor_app.formats.exchange.report import ConversionReport, Reporter
from editor_app.formats.urdf.patch import patch_urdf
from editor_app.formats.xrdf.versions import CannotConvert
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import Xrdf


def convert_files(paths: list[Path], output: Path, options: Options | None = None) -> Conversion:
    """Raises FormatError, NeedsChoice and CannotConvert with sentences for the user."""
    options = options or Options()
    kinds = [kind_of(p) for p in paths]
    target = target_of(output, options, kinds)
    inputs = read_inputs(paths, kinds, target, options)
    robot = robot_of(inputs, target, options)
    if options.prepare is not None:
        robot = _prepared(robot, inputs, target, options.prepare)
    return write_robot(robot, inputs, target, output, options)


def _prepared(robot: RobotDescription, inputs: Inputs, target: Kind, prepare: Prepare) -> RobotDescription:
    # What a draft guesses is no reason for anything in a file that it does not go into.
    bare = inputs.drafted and target == Kind.URDF and inputs.collada is None
    start = robot.with_xrdf(Xrdf()) if bare else robot
    robot, report = prepare(start)
    inputs.reports.append(report)
    if target == Kind.URDF and inputs.collada is None:
        inputs.reports.append(_along(robot, start, inputs))
    if robot.urdf is not start.urdf and inputs.urdf is not None:
        patched = patch_urdf(inputs.urdf, robot.urdf)
        inputs.urdf, inputs.notes = patched.written, (*inputs.notes, *patched.notes)
        if target not in (Kind.URDF, Kind.SPHERES_URDF, Kind.COLLADA):
            inputs.notes = (*inputs.notes, "The URDF was changed too: convert to URDF with the same choices as well.")
    return robot


def _along(robot: RobotDescription, start: RobotDescription, inputs: Inputs) -> ConversionReport:
    """Notes what of XRDF and SRDF has to be written beside a changed URDF, because it changed with it."""
    out = Reporter("XRDF and SRDF", "URDF")
    for kind, old, new, given in (
        (Kind.XRDF, start.xrdf, robot.xrdf, inputs.xrdf_source is not None),
        (Kind.SRDF, start.srdf, robot.srdf, inputs.srdf is not None),
    ):
        if old == new:
            continue
        if given:
            inputs.along = (*inputs.along, kind)
            out.translated(kind.upper(), "changed with the URDF: written beside it")
        else:
            out.lost("positions and ignored pairs", "a URDF has no place for them: name the XRDF among the inputs")
    return out.report()


__all__ = [
    "TARGETS",
    "CannotConvert",
    "Conversion",
    "Kind",
    "NeedsChoice",
    "Options",
    "convert_files",
    "kind_of",
    "target_of",
    "with_spheres",
]
