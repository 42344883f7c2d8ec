"""The programs that a description is written for. Of nothing else here, so that a command line
names them at once."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """The program that a description is written for. It adds findings or raises their severity; it
    hides no error."""

    SPECIFICATION = "specification"
    CUMOTION = "cumotion"
    CUROBO = "curobo"
    MUJOCO = "mujoco"
    DRAKE = "drake"
    NEWTON = "newton"
    GAZEBO = "gazebo"
    MOVEIT = "moveit"
    ISAAC = "isaac"
    VAMP = "vamp"
    AGX = "agx"

    @property
    def program(self) -> str:
        """The name as its makers write it."""
        return _PROGRAMS[self]


_PROGRAMS = {
    Profile.SPECIFICATION: "XRDF specification",
    Profile.CUMOTION: "Isaac cuMotion",
    Profile.CUROBO: "cuRobo",
    Profile.MUJOCO: "MuJoCo",
    Profile.DRAKE: "Drake",
    Profile.NEWTON: "Newton",
    Profile.GAZEBO: "Gazebo",
    Profile.MOVEIT: "MoveIt",
    Profile.ISAAC: "Isaac Sim",
    Profile.VAMP: "VAMP",
    Profile.AGX: "AGX Dynamics",
}
