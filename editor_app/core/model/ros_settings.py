"""MoveIt's settings of a robot next to URDF and SRDF: limits of joints, solvers of groups, initial
positions."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.model.frozen import FrozenDict


@dataclass(frozen=True, slots=True)
class MotionLimit:
    """One joint of joint_limits.yaml, by the keys of the file: rad or m, per second and so on.
    None: not in the file.

    MoveIt takes a velocity, acceleration or jerk where its `has_…_limits` is true, a position where
    it stands.
    """

    has_position_limits: bool | None = None
    min_position: float | None = None
    max_position: float | None = None
    has_velocity_limits: bool | None = None
    max_velocity: float | None = None
    has_acceleration_limits: bool | None = None
    max_acceleration: float | None = None
    has_jerk_limits: bool | None = None
    max_jerk: float | None = None

    @property
    def velocity(self) -> float | None:
        """The effective limit, rad/s or m/s; None for no limit."""
        return self.max_velocity if self.has_velocity_limits else None

    @property
    def acceleration(self) -> float | None:
        """The effective limit, rad/s² or m/s²; None for no limit."""
        return self.max_acceleration if self.has_acceleration_limits else None

    @property
    def jerk(self) -> float | None:
        """The effective limit, rad/s³ or m/s³; None for no limit."""
        return self.max_jerk if self.has_jerk_limits else None


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """joint_limits.yaml. The factors, 0 to 1, are what MoveIt scales a motion by that names none
    itself."""

    default_velocity_scaling_factor: float | None = None
    default_acceleration_scaling_factor: float | None = None
    joints: FrozenDict[str, MotionLimit] = FrozenDict()


@dataclass(frozen=True, slots=True)
class Solver:
    """How a group's inverse kinematics is solved: a plugin, the step of redundant joints (rad or
    m), seconds."""

    kinematics_solver: str | None = None
    kinematics_solver_search_resolution: float | None = None
    kinematics_solver_timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Solvers:
    """kinematics.yaml: group of the SRDF -> solver."""

    groups: FrozenDict[str, Solver] = FrozenDict()


@dataclass(frozen=True, slots=True)
class InitialPositions:
    """initial_positions.yaml: joint -> rad or m, where ros2_control's stand-in for the hardware
    begins."""

    joints: FrozenDict[str, float] = FrozenDict()


Settings = MotionLimits | Solvers | InitialPositions
