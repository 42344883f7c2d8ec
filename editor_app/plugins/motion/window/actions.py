"""Actions for motions and closed intervals of joints."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

#: As RULES of action_tables, of the table below.
RULES = {
    "motion": (
        "controller.player.trajectory.joints",
        "Open a trajectory, store poses, or plan a motion first.",
    ),
    "put": (
        "session.reaching.put",
        "Drag a tool first (Robot › Pose by hand), or select it and type its target.",
    ),
    "no_film": ("not film", "A film is already being written."),
    "film_length": ("controller.player.duration", "A film needs two poses or more."),
    "report_length": ("controller.player.duration", "A report needs two poses or more."),
}
# fmt: off
_MOTION = "trajectory timeline plan collide play"
MOTION = (
    *under("Motion", "play",
        A("motion.open", "Open &trajectory…", "ask_trajectory", "", "folder-open",
          "CSV, JSON, ROS messages as YAML, ROS bag or MCAP", _MOTION, when="robot"),
        A("motion.store", "&Add current pose", "controller.store_pose", "", "plus",
          "Store the current pose and add it to the motion", _MOTION,
          when="robot movable"),
        A("motion.save", "Sa&ve motion…", "save", "", "floppy-disk",
          "Save as ROS JointTrajectory, MoveIt RobotTrajectory, cuRobo JointState or CSV",
          f"{_MOTION} export poses points robot", when="robot motion"),
        A("motion.clear", "&Clear motion", "controller.set_trajectory", "", "trash", words=_MOTION,
          when="robot motion", given=(None,)),
    ),
    *under("Motion", "plan",
        A("motion.try", "Plan to a &random pose", "try_random", "", "path",
          "Plan from the current pose to a random free pose and play the "
          "motion", _MOTION, when="robot"),
        A("motion.time", "Compute &times from limits", "controller.time_motion", "", "timer",
          "Compute the fastest times within velocity, acceleration and jerk limits; free corners "
          "are rounded",
          f"{_MOTION} speed velocity acceleration jerk time optimal retime", when="robot motion"),
        A("motion.smoke", "Run s&moke test", "smoke", "", "flask", "Plan between 100 random pairs of free poses",
          f"{_MOTION} success rate benchmark", when="robot"),
    ),
    *under("Motion", "export",
        A("motion.report", "Create &report…", "report", "", "clipboard-text",
          "Report clearance, joint limits, singularities, speeds and proofs as HTML or JSON",
          f"{_MOTION} html pictures manipulability proof", when="robot motion report_length"),
        A("motion.film", "Create &film…", "export", "", "film-strip", "Save the motion as GIF or MP4", _MOTION,
          when="robot motion film_length no_film"),
    ),
    *under("Motion", "plan",
        A("motion.to_tool", "Plan to the tool &target", "try_tool", "", "hand",
          "Plan from the pose before the tool was dragged or typed, without collisions",
          "inverse kinematics plan ik dragged typed target", when="robot put", contexts="viewport"),
        A("motion.straight", "Plan a &straight line to the tool target", "try_straight", "", "line-segment",
          "Move the tool straight with even rotation; the motion is proven free, or its obstacle "
          "is named",
          "inverse kinematics plan cartesian linear lin", when="robot put", contexts="viewport"),
        A("motion.grasp", "&Grasp the obstacle", "grasping.grasp", "", "hand-grabbing",
          "Attach the selected obstacle to the tool: adds a frame with spheres to the XRDF",
          "attached object hold pick attach spheres payload", when="robot grasping.no_grasp"),
        A("motion.release", "Re&lease the held object", "grasping.release", "", "hand-palm",
          "Turn the held object back into an obstacle at its "
          "current place", "attached object place detach drop",
          when="robot grasping.no_release"),
        A("motion.to", "Plan &to…", "ask_goal", "", "map-pin-line",
          "Plan to a stored pose, the default position, or a state of the SRDF", when="robot"),
    ),
)
CLOSED_INTERVALS = under("Robot/Pose", "hand",
    A("robot.closed_intervals", "Show closed &intervals", "run", "", "brackets-square",
      "Mark joint values on the sliders at which spheres overlap for every position of the other "
      "joints",
      "passage shut joint range slider blocked planner false collision XRDF515", when="refusal"),
)
