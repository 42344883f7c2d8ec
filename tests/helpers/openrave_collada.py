"""Robots as OpenRAVE's and Debian's tools write them: every value of an axis is a parameter, nothing a literal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

#: Values of an axis that the kinematics has, and those that the motion has.
KINEMATIC, MOTION = ("active", "locked", "positionmin", "positionmax"), ("speed", "acceleration", "jerk")


class Where(StrEnum):
    """Where a parameter has its value."""

    #: In the axis itself, as OpenRAVE writes.
    AXIS = "newparam of the axis"
    #: In the axis, by way of a second parameter.
    CHAIN = "a parameter that names a parameter"
    #: In the articulated system around it.
    SYSTEM = "newparam of the instance in the system"
    #: The axis has a wrong one; the instance sets it.
    SET = "setparam of the instance"
    #: The axis has a wrong one; the instance binds it to a parameter of its own.
    BIND = "bind of the instance"
    #: By the address of another element.
    ADDRESS = "SIDREF to another axis' parameter"
    LITERAL = "literal"


@dataclass(frozen=True)
class Axis:
    """Angles in degrees, lengths in metres; None is not written."""

    name: str
    kind: str = "revolute"
    active: bool = True
    locked: bool = False
    positionmin: float | None = -90.0
    positionmax: float | None = 90.0
    speed: float | None = 30.0
    acceleration: float | None = 60.0
    jerk: float | None = None

    def values(self, keys: Sequence[str]) -> dict[str, str]:
        fields = {key: getattr(self, key) for key in keys}
        return {k: str(v).lower() if isinstance(v, bool) else repr(v) for k, v in fields.items() if v is not None}


@dataclass(frozen=True)
class _System:
    """Pieces of one articulated system: its axis_infos, and what stands in the instance that leads to it."""

    infos: str
    inside: str
    outside: str


def openrave_robot(
    axes: Sequence[Axis],
    where: Where = Where.AXIS,
    tool: str = "OpenRAVE Collada Writer v0.3.5",
    motion_extra: Mapping[str, str] | None = None,
) -> str:
    """A chain base - link1 - link2 …, each 0.1 m above the other."""
    joints = "".join(
        f'<joint name="{a.name}" sid="joint{i}"><{a.kind} sid="axis0"><axis>0 0 1</axis></{a.kind}></joint>'
        for i, a in enumerate(axes)
    )
    links = ""
    for i in reversed(range(len(axes))):
        links = (
            f'<attachment_full joint="kmodel1/joint{i}"><translate>0 0 0.1</translate>'
            f'<link sid="link{i + 1}" name="link{i + 1}">{links}</link></attachment_full>'
        )
    kinematics = _system(axes, KINEMATIC, where, "kmodel1/joint{}/axis0", "kinfo", {})
    motion = _system(axes, MOTION, where, "robot_kin/kinfo{}", "minfo", motion_extra or {})
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">
<asset><contributor><authoring_tool>{tool}</authoring_tool></contributor>
<unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_kinematics_models><kinematics_model id="kmodel1" name="arm"><technique_common>{joints}
<link sid="link0" name="base">{links}</link></technique_common></kinematics_model></library_kinematics_models>
<library_articulated_systems>
<articulated_system id="robot_kin" name="arm"><kinematics>
<instance_kinematics_model url="#kmodel1" sid="kmodel1_inst">{kinematics.inside}</instance_kinematics_model>
<technique_common>{kinematics.infos}</technique_common></kinematics></articulated_system>
<articulated_system id="robot_motion" name="arm"><motion>
<instance_articulated_system url="#robot_kin" sid="kin_inst">{kinematics.outside}{motion.inside}
</instance_articulated_system><technique_common>{motion.infos}</technique_common></motion></articulated_system>
</library_articulated_systems>
<library_kinematics_scenes><kinematics_scene id="kscene">
<instance_articulated_system url="#robot_motion" sid="motion_inst" name="arm">{motion.outside}
</instance_articulated_system></kinematics_scene></library_kinematics_scenes>
<scene><instance_kinematics_scene url="#kscene"/></scene>
</COLLADA>
"""


def _system(
    axes: Sequence[Axis], keys: Sequence[str], where: Where, axis: str, sid: str, extra: Mapping[str, str]
) -> _System:
    infos, inside, outside = [], [], []
    for i, a in enumerate(axes):
        parameters, elements = [], []
        for key, value in a.values(keys).items():
            tag = "bool" if value in ("true", "false") else "float"
            literal = f"<{tag}>{value}</{tag}>"
            wrong = f"<{tag}>{'false' if tag == 'bool' else '12345'}</{tag}>"
            reference = key
            if where is Where.CHAIN:
                parameters.append(f'<newparam sid="{key}"><param>{key}_too</param></newparam>')
                parameters.append(f'<newparam sid="{key}_too">{literal}</newparam>')
            elif where is Where.SYSTEM:
                reference = f"{sid}{i}_{key}"
                inside.append(f'<newparam sid="{reference}">{literal}</newparam>')
            elif where is Where.SET:
                parameters.append(f'<newparam sid="{key}">{wrong}</newparam>')
                outside.append(f'<setparam ref="{sid}{i}/{key}">{literal}</setparam>')
            elif where is Where.BIND:
                parameters.append(f'<newparam sid="{key}">{wrong}</newparam>')
                outside.append(f'<newparam sid="{sid}{i}_{key}_own">{literal}</newparam>')
                outside.append(f'<bind symbol="{sid}{i}/{key}"><param ref="{sid}{i}_{key}_own"/></bind>')
            elif where is Where.ADDRESS:
                parameters.append(f'<newparam sid="{key}_too">{literal}</newparam>')
                parameters.append(f'<newparam sid="{key}"><SIDREF>{sid}{i}/{key}_too</SIDREF></newparam>')
            elif where is Where.AXIS:
                parameters.append(f'<newparam sid="{key}">{literal}</newparam>')
            told = literal if where is Where.LITERAL else f"<param>{reference}</param>"
            elements.append((key, told))
        parameters += [f'<newparam sid="{k}"><float>{v}</float></newparam>' for k, v in extra.items()]
        infos.append(
            f'<axis_info sid="{sid}{i}" axis="{axis.format(i)}">{"".join(parameters)}{_elements(elements)}</axis_info>'
        )
    return _System("".join(infos), "".join(inside), "".join(outside))


def _elements(told: Sequence[tuple[str, str]]) -> str:
    limits = {"positionmin": "min", "positionmax": "max"}
    ends = "".join(f"<{limits[k]}>{v}</{limits[k]}>" for k, v in told if k in limits)
    rest = "".join(f"<{k}>{v}</{k}>" for k, v in told if k not in limits)
    return rest + (f"<limits>{ends}</limits>" if ends else "")
