"""Editor for robot descriptions (XRDF, URDF, SRDF): its whole scripting interface.

Every verb receives values and returns a frozen result. Only `execute` changes a document, and every
step can be undone.

>>> import editor_app
>>> robot = editor_app.open_robot("resources/sample/heron.urdf")     # opens its XRDF and SRDF, too
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
>>> robot.execute(editor_app.commands.InsertItem("xrdf.tool_frames", "wrist_link"))  # every section has its commands
>>> robot.undo()
True
>>> room = editor_app.scene
>>> wall = room.Scene((room.Obstacle("wall", room.BoxShape((0.1, 2.0, 2.0)), (-1.5, 0.0, 0.5)),))       # metres
>>> pose = editor_app.state_pose(robot, "default")                    # or editor_app.read_trajectory(FILE)
>>> way = editor_app.plan_to_random(robot, pose, scene=wall)          # returns only proven free paths
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
>>> cost = editor_app.model_cost(robot, samples=100)                  # false and missed collisions, against the meshes
>>> 0 <= cost.false_collisions <= cost.refused <= cost.samples
True
>>> editor_app.passages(robot).closed                # passages that only spheres close: none here
()
>>> intent = editor_app.ControlRequest(tools=("flange_link",))        # controlled: the chain from the base to here
>>> first = editor_app.new("resources/sample/heron.urdf", control=intent)    # a first XRDF from a bare URDF
>>> [tool.frame for tool in first.plan.tools], len(first.plan.joints), first.guesses[0].section
(['flange_link'], 6, 'default_joint_positions')
>>> editor_app.decisions(first.document).joints == first.plan.joints  # the choices in the file, guesses among them
True
>>> hand = editor_app.open_robot("resources/sample/heron.urdf")       # a part, with its XRDF and SRDF
>>> on_top = editor_app.Attachment(hand, "flange_link", xyz=(0.05, 0.0, 0.0), prefix="top_")
>>> both = editor_app.compose(robot, [on_top], "both.urdf", samples=1000, certify=1)     # pairs between them: by proof
>>> [part.link for part in both.parts], "top_grasp_frame" in both.robot.xrdf.tool_frames
(['top_base_link'], True)
>>> [each.name for each in editor_app.hand_variants(robot.robot)]    # with_variant sets the default
['closed', 'half', 'open']
>>> paths = editor_app.write_assembly(both)             # detach removes it, swap replaces it
>>> editor_app.diff("resources/sample/heron.urdf", "resources/sample/heron.urdf").is_same    # in meaning, and in motion
True
>>> editor_app.compare_behaviour("resources/sample/heron.urdf", robot, samples=100, queries=1).configurations
100
>>> moveit = editor_app.convert(robot, "out.srdf")                     # other formats, with a report of what is lost
>>> paths = editor_app.write_conversion(moveit)
>>> files = editor_app.save(robot, "out.xrdf")                        # what was not edited keeps its bytes
>>> proposed = editor_app.propose_tests(robot).text                   # a first test file, from measured behaviour
>>> editor_app.test_robot(robot, editor_app.read_suite(proposed, robot)).is_passed
True
>>> editor_app.audit(robot, samples=200, certify=0).wrong            # ignored pairs that touch, by two engines
()

No Qt is imported. Lengths are metres, angles radians.
"""

from editor_app.version import __version__ as __version__

# Nothing else is imported here, not even `typing`: `python -m editor_app` has the current folder on
# the path until __main__ takes it off, and what lies there under such a name would be run.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    # isort: off
    from editor_app.core.drafting import ControlRequest as ControlRequest
    from editor_app.core.document import commands as commands
    from editor_app.core.document.document import Document as Document
    from editor_app.core.document.saving import (
        ChangedOnDiskError as ChangedOnDiskError,
        SaveError as SaveError,
    )
    from editor_app.core.document.selection import Selection as Selection
    from editor_app.features.spheres.engine.settings import FittingError as FittingError
    from editor_app.core.formats.scenes import read_scene as read_scene
    from editor_app.core.text.source import FormatError as FormatError
    from editor_app.core.formats.trajectories import (
        TrajectoryFormat as TrajectoryFormat,
        read_trajectory as read_trajectory,
    )
    from editor_app.core.formats.trajectories import (
        trajectory_csv as trajectory_csv,
        trajectory_text as trajectory_text,
    )
    from editor_app.core.formats.trajectories.bags import read_tracking as read_tracking
    from editor_app.core.space.geometry.flanges import Flange as Flange, flange_at as flange_at
    from editor_app.core.space.kinematics.frame_deviations import FramePose as FramePose
    from editor_app.core.space.kinematics.inverse import Reach as Reach, ToolTarget as ToolTarget
    from editor_app.core.model import scene as scene, srdf as srdf, urdf as urdf, xrdf as xrdf
    from editor_app.core.model.findings import (
        Finding as Finding,
        Severity as Severity,
        SphereRef as SphereRef,
    )
    from editor_app.core.model.frozen import FrozenDict as FrozenDict
    from editor_app.core.model.pose import Pose as Pose
    from editor_app.core.model.refusal import Refusal as Refusal
    from editor_app.core.model.profile import Profile as Profile
    from editor_app.core.model.robot import (
        CannotApply as CannotApply,
        RobotDescription as RobotDescription,
    )
    from editor_app.core.model.trajectory import Trajectory as Trajectory
    from editor_app.core.model.xrdf import CollisionSphere as CollisionSphere, LinkPair as LinkPair
    from editor_app.plugins.motion.engine.obstacles import SceneError as SceneError
    from editor_app.plugins.motion.engine.results import (
        BeyondLimit as BeyondLimit,
        KeepAway as KeepAway,
        Nearer as Nearer,
    )
    from editor_app.plugins.motion.engine.results import (
        Outcome as Outcome,
        PlannerSettings as PlannerSettings,
        Stretch as Stretch,
    )
    from editor_app.plugins.motion.verbs.attached_object import (
        AttachedObject as AttachedObject,
        attach_object as attach_object,
    )
    from editor_app.plugins.motion.verbs.attached_object import object_spheres as object_spheres
    from editor_app.plugins.fleets.verbs.report import (
        BatchReport as BatchReport,
        BatchRobot as BatchRobot,
    )
    from editor_app.plugins.fleets.verbs.run import batch as batch
    from editor_app.plugins.audit.verbs.audit import (
        Audit as Audit,
        MaskClaim as MaskClaim,
        audit as audit,
    )
    from editor_app.plugins.audit.verbs.mask_patch import mask_patch as mask_patch
    from editor_app.features.checks.verbs.check import check as check
    from editor_app.features.checks.verbs.safe_fixes import apply_fix as apply_fix
    from editor_app.plugins.motion.verbs.collide import (
        Collided as Collided,
        collide as collide,
        state_pose as state_pose,
    )
    from editor_app.plugins.collision_shapes.verbs.collision_shapes import (
        LinkShapes as LinkShapes,
        MadeCollision as MadeCollision,
    )
    from editor_app.plugins.collision_shapes.verbs.collision_shapes import (
        make_collision as make_collision,
    )
    from editor_app.plugins.collision_shapes.verbs.collision_shapes import (
        write_collision as write_collision,
    )
    from editor_app.plugins.assembly.verbs.compose import (
        Assembly as Assembly,
        Attachment as Attachment,
        compose as compose,
    )
    from editor_app.core.verbs.convert import (
        Conversion as Conversion,
        ConvertOptions as ConvertOptions,
    )
    from editor_app.core.verbs.convert import (
        convert as convert,
        write_conversion as write_conversion,
    )
    from editor_app.plugins.assembly.verbs.assembly_parts import (
        Detached as Detached,
        attached_parts as attached_parts,
    )
    from editor_app.plugins.assembly.verbs.assembly_parts import (
        FreeMount as FreeMount,
        detach as detach,
        free_mount as free_mount,
    )
    from editor_app.plugins.assembly.verbs.assembly_parts import swap as swap
    from editor_app.plugins.behaviour.verbs.behaviour import BehaviourDiff as BehaviourDiff
    from editor_app.plugins.behaviour.verbs.behaviour import compare_behaviour as compare_behaviour
    from editor_app.plugins.comparison.verbs.diff import RobotDiff as RobotDiff, diff as diff
    from editor_app.features.spheres.verbs.fit import (
        FittedLink as FittedLink,
        RobotFit as RobotFit,
        fit as fit,
    )
    from editor_app.features.spheres.verbs.fit_choices import FitChoices as FitChoices
    from editor_app.plugins.assembly.verbs.hand_variants import (
        Variant as Variant,
        hand_variants as hand_variants,
    )
    from editor_app.plugins.assembly.verbs.hand_variants import (
        variant_named as variant_named,
        with_variant as with_variant,
    )
    from editor_app.core.document.commands.self_collision import MaskFile as MaskFile
    from editor_app.features.masks.verbs.mask import (
        Mask as Mask,
        MaskRules as MaskRules,
        mask as mask,
    )
    from editor_app.plugins.consumers.verbs.repair import (
        Repair as Repair,
        repair as repair,
        write_repaired as write_repaired,
    )
    from editor_app.plugins.planning.verbs.model_cost import (
        ModelCost as ModelCost,
        model_cost as model_cost,
    )
    from editor_app.plugins.clouds.cloud import PointCloud as PointCloud
    from editor_app.plugins.clouds.files.read import read_cloud as read_cloud
    from editor_app.plugins.clouds.verbs.compare import (
        CloudComparison as CloudComparison,
        CloudFit as CloudFit,
    )
    from editor_app.plugins.clouds.verbs.compare import Gap as Gap, compare_cloud as compare_cloud
    from editor_app.plugins.clouds.verbs.compare import fit_cloud as fit_cloud
    from editor_app.plugins.margins.tolerances import (
        FrameTolerance as FrameTolerance,
        Tolerances as Tolerances,
    )
    from editor_app.plugins.margins.verbs.estimate import (
        Estimate as Estimate,
        JointError as JointError,
        estimate_tolerances as estimate_tolerances,
    )
    from editor_app.plugins.margins.verbs.margin_buffers import (
        MarginBuffers as MarginBuffers,
        margin_buffers as margin_buffers,
    )
    from editor_app.plugins.margins.verbs.margins import (
        Margins as Margins,
        ProvenPairMargin as ProvenPairMargin,
    )
    from editor_app.plugins.margins.verbs.margins import margins as margins
    from editor_app.plugins.motion.verbs.motion_page import write_report as write_report
    from editor_app.plugins.motion.verbs.motion_report import (
        MotionReport as MotionReport,
        report_motion as report_motion,
    )
    from editor_app.plugins.assembly.verbs.mounting import mounted as mounted
    from editor_app.features.draft.verbs.decisions import (
        Decisions as Decisions,
        decisions as decisions,
    )
    from editor_app.features.draft.verbs.new import (
        NewSettings as NewSettings,
        NewXrdf as NewXrdf,
        new as new,
    )
    from editor_app.core.verbs.new_link import (
        NewLink as NewLink,
        bare_links as bare_links,
        new_link as new_link,
    )
    from editor_app.core.verbs.new_link import (
        compute_inertias as compute_inertias,
        empty_robot as empty_robot,
    )
    from editor_app.core.verbs.open import open_robot as open_robot, save as save
    from editor_app.features.masks.verbs.pair_distances import NothingToCompare as NothingToCompare
    from editor_app.plugins.assembly.verbs.part_choices import (
        Countable as Countable,
        PartChoices as PartChoices,
    )
    from editor_app.plugins.motion.verbs.passages import Passages as Passages, passages as passages
    from editor_app.plugins.motion.verbs.plan import (
        Planned as Planned,
        SmokeTest as SmokeTest,
        plan_between as plan_between,
    )
    from editor_app.plugins.motion.verbs.plan import (
        plan_to_random as plan_to_random,
        plan_to_tool as plan_to_tool,
    )
    from editor_app.plugins.motion.verbs.plan import smoke_test as smoke_test
    from editor_app.core.verbs.pose import (
        Spheres as Spheres,
        default_pose as default_pose,
        frame_poses as frame_poses,
    )
    from editor_app.core.verbs.pose import reach as reach, sphere_arrays as sphere_arrays
    from editor_app.core.verbs.pose_texts import PastedPose as PastedPose, parse_pose as parse_pose
    from editor_app.core.verbs.pose_texts import pose_text as pose_text
    from editor_app.core.verbs.robot_texts import write_assembly as write_assembly
    from editor_app.core.verbs.schema import schema as schema
    from editor_app.plugins.planning.verbs.self_buffers import (
        SelfBuffers as SelfBuffers,
        self_buffers as self_buffers,
    )
    from editor_app.plugins.collision_shapes.verbs.shape_choices import ShapeChoices as ShapeChoices
    from editor_app.plugins.motion.verbs.straight import (
        LineEnd as LineEnd,
        StraightLine as StraightLine,
    )
    from editor_app.plugins.motion.verbs.straight import plan_straight as plan_straight
    from editor_app.plugins.planning.verbs.tighter_fit import (
        TighterFit as TighterFit,
        fit_tighter as fit_tighter,
    )
    from editor_app.plugins.motion.verbs.times import (
        Timed as Timed,
        judge_times as judge_times,
        time_motion as time_motion,
    )
    from editor_app.core.verbs.tool_places import (
        Place as Place,
        frame_pose as frame_pose,
        parse_place as parse_place,
    )
    from editor_app.core.verbs.tool_places import (
        place_text as place_text,
        tool_target as tool_target,
    )
    from editor_app.core.tasks.work import PlacedRobot as PlacedRobot, PoseLike as PoseLike
    from editor_app.core.tasks.work import Cancelled as Cancelled, Refused as Refused
    from editor_app.plugins.pictures.view import View as View, show as show
    from editor_app.plugins.sweep.verbs.sweep import SweptVolume as SweptVolume, sweep as sweep
    from editor_app.plugins.robot_tests.suite import (
        RobotTest as RobotTest,
        Suite as Suite,
        read_suite as read_suite,
    )
    from editor_app.plugins.robot_tests.verbs.propose_suite import (
        Proposal as Proposal,
        propose_tests as propose_tests,
    )
    from editor_app.plugins.robot_tests.verbs.run_tests import (
        TestReport as TestReport,
        TestResult as TestResult,
        TestState as TestState,
    )
    from editor_app.plugins.robot_tests.verbs.run_tests import (
        read_tests as read_tests,
        suite_file as suite_file,
    )
    from editor_app.plugins.robot_tests.verbs.run_tests import test_robot as test_robot
    from editor_app.plugins.robot_tests.verbs.sign_pairs import (
        MaskReview as MaskReview,
        review_mask as review_mask,
    )
    from editor_app.plugins.robot_tests.verbs.sign_pairs import sign_pairs as sign_pairs
    from editor_app.plugins.robot_tests.verbs.update_suite import update_suite as update_suite
    from editor_app.features.masks.engine.options import ModelOptions as ModelOptions
    from editor_app.features.masks.engine.results import AnalysisSettings as AnalysisSettings
    # isort: on


#: Module -> its public names; modules of the model and the commands are given as they are.
_NAMES = {
    "core.drafting": "ControlRequest",
    "core.document.document": "Document",
    "core.document.saving": "ChangedOnDiskError SaveError",
    "core.document.commands.self_collision": "MaskFile",
    "core.document.selection": "Selection",
    "features.spheres.engine.settings": "FittingError",
    "core.formats.scenes": "read_scene",
    "core.text.source": "FormatError",
    "core.formats.trajectories": "TrajectoryFormat read_trajectory trajectory_csv trajectory_text",
    "core.formats.trajectories.bags": "read_tracking",
    "core.space.geometry.flanges": "Flange flange_at",
    "core.space.kinematics.frame_deviations": "FramePose",
    "core.space.kinematics.inverse": "Reach ToolTarget",
    "core.model.findings": "Finding Severity SphereRef",
    "core.model.frozen": "FrozenDict",
    "core.model.pose": "Pose",
    "core.model.refusal": "Refusal",
    "core.model.profile": "Profile",
    "core.model.robot": "CannotApply RobotDescription",
    "core.model.trajectory": "Trajectory",
    "core.model.xrdf": "CollisionSphere LinkPair",
    "plugins.motion.engine.obstacles": "SceneError",
    "plugins.motion.engine.results": "BeyondLimit KeepAway Nearer Outcome PlannerSettings Stretch",
    "plugins.motion.verbs.attached_object": "AttachedObject attach_object object_spheres",
    "plugins.fleets.verbs.report": "BatchReport BatchRobot",
    "plugins.fleets.verbs.run": "batch",
    "plugins.audit.verbs.audit": "Audit MaskClaim audit",
    "plugins.audit.verbs.mask_patch": "mask_patch",
    "features.checks.verbs.check": "check",
    "features.checks.verbs.safe_fixes": "apply_fix",
    "plugins.motion.verbs.collide": "Collided collide state_pose",
    "plugins.collision_shapes.verbs.collision_shapes": "LinkShapes MadeCollision make_collision write_collision",
    "plugins.assembly.verbs.compose": "Assembly Attachment compose",
    "core.verbs.convert": "Conversion ConvertOptions convert write_conversion",
    "plugins.assembly.verbs.assembly_parts": "Detached FreeMount attached_parts detach free_mount swap",
    "plugins.behaviour.verbs.behaviour": "BehaviourDiff compare_behaviour",
    "plugins.comparison.verbs.diff": "RobotDiff diff",
    "features.spheres.verbs.fit": "FittedLink RobotFit fit",
    "features.spheres.verbs.fit_choices": "FitChoices",
    "plugins.assembly.verbs.hand_variants": "Variant hand_variants variant_named with_variant",
    "features.masks.verbs.mask": "Mask MaskRules mask",
    "plugins.consumers.verbs.repair": "Repair repair write_repaired",
    "plugins.planning.verbs.model_cost": "ModelCost model_cost",
    "plugins.clouds.cloud": "PointCloud",
    "plugins.clouds.files.read": "read_cloud",
    "plugins.clouds.verbs.compare": "CloudComparison CloudFit Gap compare_cloud fit_cloud",
    "plugins.margins.tolerances": "FrameTolerance Tolerances",
    "plugins.margins.verbs.estimate": "Estimate JointError estimate_tolerances",
    "plugins.margins.verbs.margin_buffers": "MarginBuffers margin_buffers",
    "plugins.margins.verbs.margins": "Margins ProvenPairMargin margins",
    "plugins.motion.verbs.motion_page": "write_report",
    "plugins.motion.verbs.motion_report": "MotionReport report_motion",
    "plugins.assembly.verbs.mounting": "mounted",
    "features.draft.verbs.decisions": "Decisions decisions",
    "features.draft.verbs.new": "NewSettings NewXrdf new",
    "core.verbs.new_link": "NewLink bare_links compute_inertias empty_robot new_link",
    "core.verbs.open": "open_robot save",
    "features.masks.verbs.pair_distances": "NothingToCompare",
    "plugins.assembly.verbs.part_choices": "Countable PartChoices",
    "plugins.motion.verbs.passages": "Passages passages",
    "plugins.motion.verbs.plan": "Planned SmokeTest plan_between plan_to_random plan_to_tool smoke_test",
    "core.verbs.pose": "Spheres default_pose frame_poses reach sphere_arrays",
    "core.verbs.pose_texts": "PastedPose parse_pose pose_text",
    "core.verbs.robot_texts": "write_assembly",
    "core.verbs.schema": "schema",
    "plugins.planning.verbs.self_buffers": "SelfBuffers self_buffers",
    "plugins.collision_shapes.verbs.shape_choices": "ShapeChoices",
    "plugins.motion.verbs.straight": "LineEnd StraightLine plan_straight",
    "plugins.planning.verbs.tighter_fit": "TighterFit fit_tighter",
    "plugins.motion.verbs.times": "Timed judge_times time_motion",
    "core.verbs.tool_places": "Place frame_pose parse_place place_text tool_target",
    "core.tasks.work": "Cancelled PlacedRobot PoseLike Refused",
    "plugins.pictures.view": "View show",
    "plugins.sweep.verbs.sweep": "SweptVolume sweep",
    "plugins.robot_tests.suite": "RobotTest Suite read_suite",
    "plugins.robot_tests.verbs.propose_suite": "Proposal propose_tests",
    "plugins.robot_tests.verbs.sign_pairs": "MaskReview review_mask sign_pairs",
    "plugins.robot_tests.verbs.run_tests": "TestReport TestResult TestState read_tests suite_file test_robot",
    "plugins.robot_tests.verbs.update_suite": "update_suite",
    "features.masks.engine.options": "ModelOptions",
    "features.masks.engine.results": "AnalysisSettings",
}
_MODULES = {
    "commands": "editor_app.core.document.commands",
    "scene": "editor_app.core.model.scene",
    "srdf": "editor_app.core.model.srdf",
    "urdf": "editor_app.core.model.urdf",
    "xrdf": "editor_app.core.model.xrdf",
}

_HOMES = {
    name: f"editor_app.{module}" for module, names in _NAMES.items() for name in names.split()
}

#: A public name of the minor release before -> its name now. Such a name still works, with a
#: warning.
_OLD_NAMES = {
    "mend": "repair",
    "Mending": "Repair",
    "PairMargin": "ProvenPairMargin",
    "write_mended": "write_repaired",
}

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
        warnings.warn(
            f"editor_app.{name} is editor_app.{now} now", DeprecationWarning, stacklevel=2
        )
        return getattr(sys.modules[__name__], now)
    # With the name and the module, Python tells the nearest name.
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
