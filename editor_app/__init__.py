"""Editor for robot descriptions: XRDF beside URDF and SRDF. The whole of its scripting interface is here.

Every verb takes values and gives a frozen result; a document changes by `execute` alone, and every step can be undone.

>>> import editor_app
>>> robot = editor_app.open_robot("resources/sample/heron.urdf")     # the XRDF and SRDF beside it are opened along
>>> fitted = editor_app.fit(robot, links=["flange_link"], number=4)   # spheres for links, proven to cover them
>>> robot.execute(fitted.change)
>>> judged = editor_app.mask(robot, samples=2000, certify=0)          # which pairs of links can collide
>>> robot.execute(judged.change)
>>> [finding.code for finding in editor_app.check(robot) if finding.severity == editor_app.Severity.ERROR]
[]
>>> tool = editor_app.frame_poses(robot, {"shoulder_pitch_joint": 0.5})["flange_link"]      # (4, 4), metres
>>> spheres = editor_app.sphere_arrays(robot)                         # .frames, .centers (n, 3), .radii (n,)
>>> len(spheres.frames) == len(spheres.centers) == len(spheres.radii)
True
>>> robot.execute(editor_app.commands.AddToolFrame("wrist_link"))     # every section has its commands
>>> robot.undo()
True
>>> room = editor_app.scene
>>> wall = room.Scene((room.Obstacle("wall", room.BoxShape((0.1, 2.0, 2.0)), (-1.5, 0.0, 0.5)),))       # metres
>>> pose = editor_app.state_pose(robot, "default")                    # or editor_app.read_trajectory(FILE)
>>> way = editor_app.plan_to_random(robot, pose, scene=wall)          # a path is proven free, or there is none
>>> driven = editor_app.collide(robot, way.path, scene=wall)          # at its points, and between them
>>> driven.all_free and driven.worst().clearance > 0
True
>>> timed = editor_app.time_motion(robot, way.path, scene=wall)       # the fastest times within the joints' limits
>>> editor_app.judge_times(robot, timed.motion)                       # joints faster than that: where, when, how much
()
>>> pasted = editor_app.parse_pose(robot, "shoulder_pitch_joint=30deg")      # or a JointState message, CSV, numbers
>>> there = editor_app.ToolTarget("flange_link", tool[:3, 3], tool[:3, :3])       # a frame, metres, rotation matrix
>>> editor_app.reach(robot, [there]).is_reached                       # inverse kinematics within the limits
True
>>> editor_app.plan_to_tool(robot, pose, [there], scene=wall).path is not None     # past itself and the scene
True
>>> wrist = editor_app.frame_pose(robot, "flange_link", "upper_arm_link")     # in another frame: .position, .rpy
>>> [round(metres, 3) for metres in wrist.position]
[0.34, 0.0, 0.178]
>>> down = editor_app.tool_target(robot, "flange_link", "0 0 -50 mm", relative=True)     # along the axes of the base
>>> line = editor_app.plan_straight(robot, pose, down, scene=wall)    # the tool goes straight, or .why it cannot
>>> line.path is not None or bool(line.why)
True
>>> cost = editor_app.model_cost(robot, samples=100)                  # refused needlessly, accepted though meshes touch
>>> 0 <= cost.refused_needlessly <= cost.refused <= cost.samples
True
>>> editor_app.passages(robot).closed                # ways that spheres close and meshes leave open: none here
()
>>> intent = editor_app.ControlRequest(tools=("flange_link",))        # controlled: the chain from the base to here
>>> first = editor_app.new("resources/sample/heron.urdf", control=intent)    # a first XRDF from a bare URDF
>>> [tool.frame for tool in first.plan.tools], len(first.plan.joints), first.guesses[0].section
(['flange_link'], 6, 'default_joint_positions')
>>> hand = editor_app.open_robot("resources/sample/heron.urdf")       # a part: its XRDF and SRDF come along
>>> on_top = editor_app.Attachment(hand, "flange_link", xyz=(0.05, 0.0, 0.0), prefix="top_")
>>> both = editor_app.compose(robot, [on_top], "both.urdf", samples=1000, certify=1)     # pairs between them: by proof
>>> [part.link for part in both.parts], "top_grasp_frame" in both.robot.xrdf.tool_frames
(['top_base_link'], True)
>>> [each.name for each in editor_app.hand_variants(robot.robot)]    # with_variant makes one the default
['closed', 'half', 'open']
>>> paths = editor_app.write_assembly(both)             # editor_app.detach takes it off again, swap puts another there
>>> editor_app.diff("resources/sample/heron.urdf", "resources/sample/heron.urdf").is_same    # in meaning, and in motion
True
>>> moveit = editor_app.convert(robot, "out.srdf")                     # other formats, with a report of what is lost
>>> paths = editor_app.write_conversion(moveit)
>>> files = editor_app.save(robot, "out.xrdf")                        # what was not edited keeps its bytes

No Qt is imported. Lengths are metres, angles radians.
"""

from editor_app.version import __version__ as __version__

# Nothing else is imported here, not even `typing`: `python -m editor_app` has the current folder on the path until
# __main__ takes it off, and what lies there under such a name would be run.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    # isort: off
    from editor_app.drafting import ControlRequest as ControlRequest
    from editor_app.edit import commands as commands
    from editor_app.edit.document import Document as Document
    from editor_app.edit.saving import ChangedOnDiskError as ChangedOnDiskError, SaveError as SaveError
    from editor_app.edit.selection import Selection as Selection
    from editor_app.fitting.settings import FittingError as FittingError
    from editor_app.formats.scenes import read_scene as read_scene
    from editor_app.formats.source import FormatError as FormatError
    from editor_app.formats.trajectories import TrajectoryFormat as TrajectoryFormat, read_trajectory as read_trajectory
    from editor_app.formats.trajectories import trajectory_csv as trajectory_csv, trajectory_text as trajectory_text
    from editor_app.geometry.flanges import Flange as Flange, flange_at as flange_at
    from editor_app.kinematics.frame_deviations import FramePose as FramePose
    from editor_app.kinematics.inverse import Reach as Reach, ToolTarget as ToolTarget
    from editor_app.model import scene as scene, srdf as srdf, urdf as urdf, xrdf as xrdf
    from editor_app.model.findings import Finding as Finding, Severity as Severity, SphereRef as SphereRef
    from editor_app.model.frozen import FrozenDict as FrozenDict
    from editor_app.model.pose import Pose as Pose
    from editor_app.model.refusal import Refusal as Refusal
    from editor_app.model.profile import Profile as Profile
    from editor_app.model.robot import CannotApply as CannotApply, RobotDescription as RobotDescription
    from editor_app.model.trajectory import Trajectory as Trajectory
    from editor_app.model.xrdf import CollisionSphere as CollisionSphere, LinkPair as LinkPair
    from editor_app.motion.obstacles import SceneError as SceneError
    from editor_app.motion.results import BeyondLimit as BeyondLimit, KeepAway as KeepAway, Nearer as Nearer
    from editor_app.motion.results import Outcome as Outcome, PlannerSettings as PlannerSettings, Stretch as Stretch
    from editor_app.operations.attached_object import AttachedObject as AttachedObject, attach_object as attach_object
    from editor_app.operations.attached_object import object_spheres as object_spheres
    from editor_app.operations.batch.report import BatchReport as BatchReport, BatchRobot as BatchRobot
    from editor_app.operations.batch.run import batch as batch
    from editor_app.operations.check import check as check
    from editor_app.operations.collide import Collided as Collided, collide as collide, state_pose as state_pose
    from editor_app.operations.collision_shapes import LinkShapes as LinkShapes, MadeCollision as MadeCollision
    from editor_app.operations.collision_shapes import make_collision as make_collision
    from editor_app.operations.collision_shapes import write_collision as write_collision
    from editor_app.operations.compose import Assembly as Assembly, Attachment as Attachment, compose as compose
    from editor_app.operations.convert import Conversion as Conversion, ConvertOptions as ConvertOptions
    from editor_app.operations.convert import convert as convert, write_conversion as write_conversion
    from editor_app.operations.assembly_parts import Detached as Detached, attached_parts as attached_parts
    from editor_app.operations.assembly_parts import FreeMount as FreeMount, detach as detach, free_mount as free_mount
    from editor_app.operations.assembly_parts import swap as swap
    from editor_app.operations.diff import RobotDiff as RobotDiff, diff as diff
    from editor_app.operations.fit import FittedLink as FittedLink, RobotFit as RobotFit, fit as fit
    from editor_app.operations.fit_choices import FitChoices as FitChoices
    from editor_app.operations.hand_variants import Variant as Variant, hand_variants as hand_variants
    from editor_app.operations.hand_variants import variant_named as variant_named, with_variant as with_variant
    from editor_app.operations.mask import Mask as Mask, MaskFile as MaskFile, MaskRules as MaskRules, mask as mask
    from editor_app.operations.mend import Mending as Mending, mend as mend, write_mended as write_mended
    from editor_app.operations.model_cost import ModelCost as ModelCost, model_cost as model_cost
    from editor_app.operations.motion_page import write_report as write_report
    from editor_app.operations.motion_report import MotionReport as MotionReport, report_motion as report_motion
    from editor_app.operations.mounting import mounted as mounted
    from editor_app.operations.new import NewSettings as NewSettings, NewXrdf as NewXrdf, new as new
    from editor_app.operations.new_link import NewLink as NewLink, bare_links as bare_links, new_link as new_link
    from editor_app.operations.new_link import compute_inertias as compute_inertias, empty_robot as empty_robot
    from editor_app.operations.open import open_robot as open_robot, save as save
    from editor_app.operations.pair_distances import NothingToCompare as NothingToCompare
    from editor_app.operations.part_choices import Countable as Countable, PartChoices as PartChoices
    from editor_app.operations.passages import Passages as Passages, passages as passages
    from editor_app.operations.plan import Planned as Planned, SmokeTest as SmokeTest, plan_between as plan_between
    from editor_app.operations.plan import plan_to_random as plan_to_random, plan_to_tool as plan_to_tool
    from editor_app.operations.plan import smoke_test as smoke_test
    from editor_app.operations.pose import Spheres as Spheres, default_pose as default_pose, frame_poses as frame_poses
    from editor_app.operations.pose import reach as reach, sphere_arrays as sphere_arrays
    from editor_app.operations.pose_texts import PastedPose as PastedPose, parse_pose as parse_pose
    from editor_app.operations.pose_texts import pose_text as pose_text
    from editor_app.operations.robot_texts import write_assembly as write_assembly
    from editor_app.operations.schema import schema as schema
    from editor_app.operations.self_buffers import SelfBuffers as SelfBuffers, self_buffers as self_buffers
    from editor_app.operations.shape_choices import ShapeChoices as ShapeChoices
    from editor_app.operations.straight import LineEnd as LineEnd, StraightLine as StraightLine
    from editor_app.operations.straight import plan_straight as plan_straight
    from editor_app.operations.tighter_fit import TighterFit as TighterFit, fit_tighter as fit_tighter
    from editor_app.operations.times import Timed as Timed, judge_times as judge_times, time_motion as time_motion
    from editor_app.operations.tool_places import Place as Place, frame_pose as frame_pose, parse_place as parse_place
    from editor_app.operations.tool_places import place_text as place_text, tool_target as tool_target
    from editor_app.operations.work import PlacedRobot as PlacedRobot, PoseLike as PoseLike
    from editor_app.operations.work import Cancelled as Cancelled, Refused as Refused
    from editor_app.pictures.view import View as View, show as show
    from editor_app.self_collision.options import ModelOptions as ModelOptions
    from editor_app.self_collision.results import AnalysisSettings as AnalysisSettings
    # isort: on


#: Module -> its public names; modules of the model and the commands are given as they are.
_NAMES = {
    "drafting": "ControlRequest",
    "edit.document": "Document",
    "edit.saving": "ChangedOnDiskError SaveError",
    "edit.selection": "Selection",
    "fitting.settings": "FittingError",
    "formats.scenes": "read_scene",
    "formats.source": "FormatError",
    "formats.trajectories": "TrajectoryFormat read_trajectory trajectory_csv trajectory_text",
    "geometry.flanges": "Flange flange_at",
    "kinematics.frame_deviations": "FramePose",
    "kinematics.inverse": "Reach ToolTarget",
    "model.findings": "Finding Severity SphereRef",
    "model.frozen": "FrozenDict",
    "model.pose": "Pose",
    "model.refusal": "Refusal",
    "model.profile": "Profile",
    "model.robot": "CannotApply RobotDescription",
    "model.trajectory": "Trajectory",
    "model.xrdf": "CollisionSphere LinkPair",
    "motion.obstacles": "SceneError",
    "motion.results": "BeyondLimit KeepAway Nearer Outcome PlannerSettings Stretch",
    "operations.attached_object": "AttachedObject attach_object object_spheres",
    "operations.batch.report": "BatchReport BatchRobot",
    "operations.batch.run": "batch",
    "operations.check": "check",
    "operations.collide": "Collided collide state_pose",
    "operations.collision_shapes": "LinkShapes MadeCollision make_collision write_collision",
    "operations.compose": "Assembly Attachment compose",
    "operations.convert": "Conversion ConvertOptions convert write_conversion",
    "operations.assembly_parts": "Detached FreeMount attached_parts detach free_mount swap",
    "operations.diff": "RobotDiff diff",
    "operations.fit": "FittedLink RobotFit fit",
    "operations.fit_choices": "FitChoices",
    "operations.hand_variants": "Variant hand_variants variant_named with_variant",
    "operations.mask": "Mask MaskFile MaskRules mask",
    "operations.mend": "Mending mend write_mended",
    "operations.model_cost": "ModelCost model_cost",
    "operations.motion_page": "write_report",
    "operations.motion_report": "MotionReport report_motion",
    "operations.mounting": "mounted",
    "operations.new": "NewSettings NewXrdf new",
    "operations.new_link": "NewLink bare_links compute_inertias empty_robot new_link",
    "operations.open": "open_robot save",
    "operations.pair_distances": "NothingToCompare",
    "operations.part_choices": "Countable PartChoices",
    "operations.passages": "Passages passages",
    "operations.plan": "Planned SmokeTest plan_between plan_to_random plan_to_tool smoke_test",
    "operations.pose": "Spheres default_pose frame_poses reach sphere_arrays",
    "operations.pose_texts": "PastedPose parse_pose pose_text",
    "operations.robot_texts": "write_assembly",
    "operations.schema": "schema",
    "operations.self_buffers": "SelfBuffers self_buffers",
    "operations.shape_choices": "ShapeChoices",
    "operations.straight": "LineEnd StraightLine plan_straight",
    "operations.tighter_fit": "TighterFit fit_tighter",
    "operations.times": "Timed judge_times time_motion",
    "operations.tool_places": "Place frame_pose parse_place place_text tool_target",
    "operations.work": "Cancelled PlacedRobot PoseLike Refused",
    "pictures.view": "View show",
    "self_collision.options": "ModelOptions",
    "self_collision.results": "AnalysisSettings",
}
_MODULES = {
    "commands": "editor_app.edit.commands",
    "scene": "editor_app.model.scene",
    "srdf": "editor_app.model.srdf",
    "urdf": "editor_app.model.urdf",
    "xrdf": "editor_app.model.xrdf",
}

_HOMES = {name: f"editor_app.{module}" for module, names in _NAMES.items() for name in names.split()}

#: A public name of the minor release before -> its name now. Such a name still works, with a warning.
_OLD_NAMES: dict[str, str] = {}

__all__ = [*sorted(_HOMES), *sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> "Any":
    # Lazy, so that `xrdf-editor --help` answers at once.
    import importlib
    import sys

    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _OLD_NAMES:
        import warnings

        now = _OLD_NAMES[name]
        warnings.warn(f"editor_app.{name} is editor_app.{now} now", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[__name__], now)
    # With the name and the module, Python tells the nearest name.
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
