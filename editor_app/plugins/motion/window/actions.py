"""Actions about motions and closed intervals of joints."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

#: As RULES of action_tables, of the table below.
RULES = {
    "motion": ("controller.player.trajectory.joints", "Open a trajectory, store poses, or try a motion first."),
    "put": (
        "session.reaching.put",
        "Drag a tool first (Robot › Pose by hand), or select it and type where it is to be.",
    ),
    "no_film": ("not film", "A film is being written."),
    "film_length": ("controller.player.duration", "A film needs two poses or more."),
    "report_length": ("controller.player.duration", "A report needs two poses or more."),
}
# fmt: off
_MOTION = "trajectory timeline plan collide play"
MOTION = (
    *under("Motion", "play",
        A("motion.open", "Open &trajectory…", "ask_trajectory", "", "folder-open",
          "CSV, JSON, ROS messages as YAML, ROS bag or MCAP", _MOTION, when="robot"),
        A("motion.store", "&Add present pose", "controller.store_pose", "", "plus",
          "The present pose is stored, and becomes the next point of the motion", _MOTION,
          when="robot movable"),
        A("motion.save", "Sa&ve motion…", "save", "", "floppy-disk",
          "ROS JointTrajectory, MoveIt RobotTrajectory or cuRobo JointState with times, or CSV",
          f"{_MOTION} export poses points robot", when="robot motion"),
        A("motion.clear", "&Clear motion", "controller.set_trajectory", "", "trash", words=_MOTION,
          when="robot motion", given=(None,)),
    ),
    *under("Motion", "plan",
        A("motion.try", "Tr&y a motion", "try_random", "", "path",
          "Plans from the present pose to a random free one, and plays it", _MOTION, when="robot"),
        A("motion.time", "&Times from limits", "controller.time_motion", "", "timer",
          "The fastest times that the limits of velocity, acceleration and jerk allow; corners are rounded where free",
          f"{_MOTION} speed velocity acceleration jerk time optimal retime", when="robot motion"),
        A("motion.smoke", "S&moke test", "smoke", "", "flask", "Plans between 100 random pairs of free poses", _MOTION,
          when="robot"),
    ),
    *under("Motion", "export",
        A("motion.report", "&Report…", "report", "", "clipboard-text",
          "Clearance, room to joint limits, singularity, speeds and what is proven, with pictures, as HTML or JSON",
          f"{_MOTION} html pictures manipulability proof", when="robot motion report_length"),
        A("motion.film", "&Film…", "export", "", "film-strip", "The motion as GIF or MP4", _MOTION,
          when="robot motion film_length no_film"),
    ),
    *under("Motion", "plan",
        A("motion.to_tool", "Try a motion to where the tool was &put", "try_tool", "", "hand",
          "From the pose before the tool was dragged, or its place was typed, past the robot and the scene",
          "inverse kinematics plan ik dragged typed target", when="robot put", contexts="viewport"),
        A("motion.straight", "Try a &straight line to where the tool was put", "try_straight", "", "line-segment",
          "The tool goes straight and turns evenly, from the pose before; proven free, or what stops it is told",
          "inverse kinematics plan cartesian linear lin", when="robot put", contexts="viewport"),
        A("motion.grasp", "&Grasp the obstacle", "grasping.grasp", "", "hand-grabbing",
          "The tool holds the chosen obstacle of the scene from here on: a frame of the XRDF with spheres of its own",
          "attached object hold pick attach spheres", when="robot grasping.no_grasp"),
        A("motion.release", "Re&lease what is held", "grasping.release", "", "hand-palm",
          "What the tool holds is an obstacle of the scene again, where it is now", "attached object place detach drop",
          when="robot grasping.no_release"),
        A("motion.to", "Try a motion &to…", "ask_goal", "", "map-pin-line",
          "To a stored pose, the default, or a state of the SRDF", when="robot"),
    ),
)
CLOSED_INTERVALS = under("Robot", "pose",
    A("robot.closed_intervals", "Show closed &intervals", "run", "", "brackets-square",
      "On the sliders, the values at which spheres overlap wherever the other joints stand: with the meshes, or alone",
      "passage shut joint range slider blocked planner needless XRDF515", when="refusal"),
)
