"""A robot -> COLLADA 1.5 with OpenRAVE's extensions, so that reading it again gives the same robot.

What COLLADA says less exactly than a URDF (limits in degrees, principal moments, effort, damping) is there twice: in
COLLADA's words, and in an <extra> of this editor with the digits of the URDF.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.formats.collada.container import archive_of
from editor_app.formats.collada.read import EXTRA, OWN_PROFILE, sid_of
from editor_app.formats.collada.shapes import info_of, mesh_element, tessellated_of
from editor_app.formats.collada.transforms import Matrix, axis_angle, matrix_of, origin_of
from editor_app.formats.conversion.report import ConversionReport, Reporter, counted
from editor_app.formats.conversion.structure import Structure
from editor_app.formats.source import FormatError
from editor_app.formats.urdf.wanted import joint_element, link_element
from editor_app.formats.xml import NewElement
from editor_app.formats.xml.morph import number_text, numbers_text
from editor_app.formats.xml.splices import render
from editor_app.model.findings import Location
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf, ToolCenterPoint
from editor_app.model.urdf import (
    Capsule,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Link,
    Mesh,
    Origin,
    Visual,
)

E = NewElement
MeshParts = Callable[[Mesh], list[tuple[Any, Any, tuple[float, float, float, float] | None]]]
_RAW = re.compile(rf'<{EXTRA} where="([^"]*)"[^>]*>(.*)</{EXTRA}>\s*\Z', re.DOTALL)
_GREY = (0.7, 0.7, 0.7, 1.0)


def collada_files(
    robot: RobotDescription, output: Path, mesh_parts: MeshParts | None = None
) -> tuple[list[tuple[Path, bytes]], ConversionReport]:
    """The one file, `.dae` or `.zae` by its name. Raises FormatError for a robot without links, or infinite values."""
    writer = _Writer(robot, mesh_parts)
    data = writer.text().encode()
    if output.suffix.lower() == ".zae":
        data = archive_of(f"{output.stem}.dae", data)
    return [(output, data)], writer.out.report()


class _Writer:
    def __init__(self, robot: RobotDescription, mesh_parts: MeshParts | None) -> None:
        self.robot = robot
        self.urdf = robot.urdf
        self.structure = Structure(robot.urdf)
        self.mesh_parts = mesh_parts
        self.out = Reporter("URDF, SRDF and XRDF", "COLLADA 1.5")
        self.geometries: list[E] = []
        self.effects: list[E] = []
        self.materials: dict[tuple[float, ...], str] = {}
        self.bindings: list[E] = []
        self.children: dict[str, list[Joint]] = {}
        for joint in robot.urdf.joints:
            if self.structure.incoming.get(joint.child) is joint:
                self.children.setdefault(joint.parent, []).append(joint)
        self.number = {link.name: i for i, link in enumerate(robot.urdf.links)}
        self.link_sids = {sid_of(link.name) for link in robot.urdf.links}
        self.world: dict[str, Matrix] = {}
        self.kept: dict[str, list[str]] = {}
        for extension in robot.urdf.extensions:
            found = _RAW.match(extension.text) if extension.tag == EXTRA else None
            if found is not None:
                self.kept.setdefault(found.group(1), []).append(found.group(2))
            else:
                self.out.lost(f"<{extension.tag}>", "COLLADA has no place for it")

    def text(self) -> str:
        root = self.structure.root
        if root is None or self.urdf.link(root) is None:
            raise FormatError("The robot has no root link", Location("<new COLLADA>"))
        self._place(root, np.eye(4))
        gone = [link.name for link in self.urdf.links if link.name not in self.world]
        if gone:
            self.out.lost("links", f"not connected to {root}: {', '.join(gone)}")
        node = self._node(root, None)
        model = self._model(root)
        physics = self._physics()
        systems = self._systems()
        name = self.urdf.name or "robot"
        parts = [
            E(
                "asset",
                children=(
                    E("contributor", children=(E("authoring_tool", text="XRDF Editor"),)),
                    E("created", text="2000-01-01T00:00:00"),
                    E("modified", text="2000-01-01T00:00:00"),
                    E("unit", (("meter", "1"), ("name", "meter"))),
                    E("up_axis", text="Z_UP"),
                ),
            ),
            E("library_effects", children=tuple(self.effects)) if self.effects else None,
            E(
                "library_materials",
                children=tuple(
                    E("material", (("id", f"{i}_material"),), (E("instance_effect", (("url", f"#{i}"),)),))
                    for i in self.materials.values()
                ),
            )
            if self.materials
            else None,
            E("library_geometries", children=tuple(self.geometries)) if self.geometries else None,
            E(
                "library_visual_scenes",
                (("id", "vscenes"),),
                (
                    E(
                        "visual_scene",
                        (("id", "vscene"),),
                        (E("node", (("id", "visual0"), ("sid", "visual0"), ("name", name)), (node,)),),
                    ),
                ),
            ),
            E("library_kinematics_models", (("id", "kmodels"),), (model,)),
            E("library_articulated_systems", (("id", "asystems"),), systems),
            E("library_kinematics_scenes", (("id", "kscenes"),), (self._kinematics_scene(name),)),
            *physics,
            self._scene(root, bool(physics)),
        ]
        body = "\n".join("  " + render(p, "  ") for p in parts if p is not None)
        body += "".join("\n  " + raw for raw in self.kept.get("COLLADA", ()))
        text = (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema" version="1.5.0">\n' + body + "\n</COLLADA>\n"
        )
        self._losses()
        return text

    def _losses(self) -> None:
        self.out.translated("links and joints", f"{len(self.world)} and {len(self.world) - 1}")
        spheres = sum(len(s) for g in self.robot.xrdf.geometry or () for s in g.spheres.values())
        if spheres:
            self.out.lost("geometry", f"{counted(spheres, 'sphere')}: COLLADA robots have no spheres of this kind")
        if self.urdf.transmissions:
            self.out.lost("transmission", counted(len(self.urdf.transmissions), "transmission"))

    # -------------------------------------------------------------------------------------------- kinematics

    def _place(self, name: str, matrix: Matrix) -> None:
        self.world[name] = matrix
        for joint in self.children.get(name, ()):
            self._place(joint.child, matrix @ matrix_of(joint.origin))

    def _used(self) -> list[Joint]:
        return [j for j in self.urdf.joints if j.child in self.world and self.structure.incoming.get(j.child) is j]

    def _model(self, root: str) -> E:
        parts: list[E | None] = [self._joint(j) for j in self._used()]
        parts.append(self._link(root))
        parts += [self._formula(j) for j in self._used() if j.mimic is not None]
        extras = [self._collision_extra()]
        raw = self.kept.get("kinematics_model", [])
        formulas = "".join(r for r in raw if r.startswith("<formula"))
        common = E("technique_common", children=tuple(p for p in parts if p is not None))
        if formulas:
            inner = "".join("\n        " + render(p, "        ") for p in parts if p is not None)
            common = E("technique_common", raw=inner + formulas)
        children = (common, *(e for e in extras if e is not None))
        model = E("kinematics_model", (("id", "kmodel0"), ("name", self.urdf.name or "robot")), children)
        rest = [r for r in raw if not r.startswith("<formula")]
        if rest:
            inner = "".join("\n      " + render(c, "      ") for c in children) + "".join(rest)
            model = E(model.tag, model.attributes, raw=inner)
        return model

    def _joint(self, joint: Joint) -> E:
        fixed = joint.type not in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
        if joint.type in (JointType.FLOATING, JointType.PLANAR):
            self.out.lost(
                f"joint {joint.name}", f"{joint.type}: written as fixed, since COLLADA has no such joint here"
            )
        tag = "prismatic" if joint.type == JointType.PRISMATIC else "revolute"
        axis: list[E] = [E("axis", text="1 0 0" if fixed else numbers_text(joint.axis))]
        bounds = (0.0, 0.0) if fixed else self._bounds(joint)
        if bounds is not None:
            low, high = bounds
            limits = (E("min", text=number_text(low)), E("max", text=number_text(high)))
            axis.append(E("limits", children=limits))
        return E(
            "joint",
            (("name", joint.name), ("sid", self._joint_sid(joint.name))),
            (
                E(tag, (("sid", "axis0"),), tuple(axis)),
                *(() if fixed else (self._own("urdf_joint", _bare(joint)),)),
            ),
        )

    def _bounds(self, joint: Joint) -> tuple[float, float] | None:
        """Degrees, or metres."""
        limits = joint.position_limits
        if limits is None or not all(map(math.isfinite, limits)):
            return None
        return limits if joint.type == JointType.PRISMATIC else (math.degrees(limits[0]), math.degrees(limits[1]))

    def _link(self, name: str) -> E:
        attachments = tuple(
            E(
                "attachment_full",
                (("joint", f"kmodel0/{self._joint_sid(j.name)}"),),
                (*_pose(matrix_of(j.origin)), self._link(j.child)),
            )
            for j in self.children.get(name, ())
        )
        return E("link", (("sid", self._sid(name)), ("name", name)), attachments)

    def _formula(self, joint: Joint) -> E | None:
        assert joint.mimic is not None
        if joint.mimic.joint not in self.structure.joints:
            return None
        leader = f"kmodel0/{self._joint_sid(joint.mimic.joint)}"
        product = E(
            "apply",
            children=(
                E("times"),
                E("cn", text=number_text(joint.mimic.multiplier)),
                E("csymbol", (("encoding", "COLLADA"),), text=leader),
            ),
        )
        math_element = E(
            "math", children=(E("apply", children=(E("plus"), product, E("cn", text=number_text(joint.mimic.offset)))),)
        )
        target = E("target", children=(E("param", text=f"kmodel0/{self._joint_sid(joint.name)}"),))
        partial = E(
            "equation",
            (("type", "first_partial"), ("target", leader)),
            (E("math", children=(E("cn", text=number_text(joint.mimic.multiplier)),)),),
        )
        return E(
            "formula",
            (("sid", f"{self._joint_sid(joint.name)}_formula"),),
            (
                target,
                E("technique_common", children=(math_element,)),
                E(
                    "technique",
                    (("profile", "OpenRAVE"),),
                    (E("equation", (("type", "position"),), (math_element,)), partial),
                ),
            ),
        )

    def _systems(self) -> tuple[E, ...]:
        controlled = (self.robot.xrdf.cspace.joint_names if self.robot.xrdf.cspace else None) or ()
        acceleration = self._by_joint("acceleration_limits")
        jerk = self._by_joint("jerk_limits")
        infos, motions = [], []
        parameters = [
            E("newparam", (("sid", "kinematics_kmodel0_inst"),), (E("SIDREF", text="robot0_kinematics/kmodel0_inst"),))
        ]
        for i, joint in enumerate(self._used()):
            sid = self._joint_sid(joint.name)
            fixed = not joint.is_movable
            parameters.append(
                E("newparam", (("sid", f"kmodel0_inst_{sid}_axis0"),), (E("SIDREF", text=f"kmodel0/{sid}/axis0"),))
            )
            value = (self.robot.xrdf.default_joint_positions or FrozenDict()).get(joint.name, 0.0)
            parameters.append(
                E("newparam", (("sid", f"kmodel0_inst_{sid}_axis0_value"),), (E("float", text=number_text(value)),))
            )
            parts = [
                E("active", children=(E("bool", text=_bool(not fixed)),)),
                E("locked", children=(E("bool", text=_bool(fixed)),)),
            ]
            if joint.name in controlled:
                parts.append(E("index", children=(E("int", text=str(controlled.index(joint.name))),)))
            bounds = (0.0, 0.0) if fixed else self._bounds(joint)
            if bounds is not None:
                parts.append(
                    E(
                        "limits",
                        children=tuple(
                            E(t, children=(E("float", text=number_text(v)),))
                            for t, v in zip(("min", "max"), bounds, strict=True)
                        ),
                    )
                )
            infos.append(
                E("axis_info", (("sid", f"axis_info_inst{i}"), ("axis", f"kmodel0/{sid}/axis0")), tuple(parts))
            )
            factor = 1.0 if joint.type == JointType.PRISMATIC else math.degrees(1)
            speed = joint.limit.velocity if joint.limit is not None else None
            numbers = (("speed", speed), ("acceleration", acceleration.get(joint.name)), ("jerk", jerk.get(joint.name)))
            motions.append(
                E(
                    "axis_info",
                    (("axis", f"robot0_kinematics/axis_info_inst{i}"),),
                    tuple(
                        E(tag, children=(E("float", text=number_text(v * factor)),))
                        for tag, v in numbers
                        if v is not None and math.isfinite(v)
                    ),
                )
            )
        instance = E("instance_kinematics_model", (("url", "#kmodel0"), ("sid", "kmodel0_inst")), tuple(parameters[1:]))
        block = E("kinematics", children=(instance, E("technique_common", children=tuple(infos))))
        extras = [self._manipulators(), *self.kept.get("articulated_system", ())]
        inner = "\n      " + render(block, "      ") + "".join("\n      " + x for x in extras if x)
        kinematics = E(
            "articulated_system", (("id", "robot0_kinematics"), ("name", self.urdf.name or "robot")), raw=inner
        )
        bound = [
            E(
                "newparam",
                (("sid", f"motion_{dict(p.attributes)['sid']}"),),
                (E("SIDREF", text=f"robot0_kinematics/{dict(p.attributes)['sid']}"),),
            )
            for p in parameters[1:]
        ]
        motion = E(
            "articulated_system",
            (("id", "robot0_motion"), ("name", self.urdf.name or "robot")),
            (
                E(
                    "motion",
                    children=(
                        E(
                            "instance_articulated_system",
                            (("url", "#robot0_kinematics"), ("sid", "kinematics_inst")),
                            (
                                E(
                                    "newparam",
                                    (("sid", "motion_kmodel0_inst"),),
                                    (E("SIDREF", text="robot0_kinematics/kmodel0_inst"),),
                                ),
                                *bound,
                            ),
                        ),
                        E("technique_common", children=tuple(motions)),
                    ),
                ),
            ),
        )
        return kinematics, motion

    def _by_joint(self, key: str) -> dict[str, float]:
        cspace = self.robot.xrdf.cspace
        values = getattr(cspace, key) if cspace is not None else None
        return dict(zip((cspace.joint_names if cspace else None) or (), values or (), strict=False))

    def _manipulators(self) -> str:
        """Groups of the SRDF that are one chain; those that came from a COLLADA file are kept word for word instead."""
        srdf = self.robot.srdf or Srdf()
        there = " ".join(self.kept.get("articulated_system", ()))
        found = []
        for group in srdf.groups:
            if f'name="{group.name}"' in there or any(e.group == group.name for e in srdf.end_effectors):
                continue
            if len(group.chains) != 1 or group.joints or group.links or group.subgroups:
                self.out.lost(f"group {group.name}", "a manipulator of COLLADA is one chain")
                continue
            base, tip = group.chains[0]
            tcps = [t for t in srdf.tcps if t.group == group.name]
            for extra in tcps[1:]:
                self.out.lost(f"tcp {extra.name}", "a manipulator has one tip")
            pose = _pose(_tcp_matrix(tcps[0])) if tcps else ()
            grippers = [e for e in srdf.end_effectors if group.name in (e.parent_group,) or e.parent_link == tip]
            joints = [j for e in grippers for g in srdf.groups if g.name == e.group for j in g.joints]
            closing = tuple(
                E(
                    "gripper_joint",
                    (("joint", f"kmodel0/{self._joint_sid(j)}"),),
                    (E("closing_direction", (("axis", "axis0"),), (E("float", text="0"),)),),
                )
                for j in joints
                if j in self.structure.joints
            )
            technique = E(
                "technique",
                (("profile", "OpenRAVE"),),
                (
                    E("frame_origin", (("link", f"kmodel0/{self._sid(base)}"),)),
                    E("frame_tip", (("link", f"kmodel0/{self._sid(tip)}"),), pose),
                    *closing,
                ),
            )
            found.append(render(E("extra", (("type", "manipulator"), ("name", group.name)), (technique,)), "      "))
            self.out.translated(f"group {group.name}", "a manipulator")
        for state in srdf.states:
            self.out.lost(f"group_state {state.name}", "COLLADA has one posture")
        return "\n      ".join(found)

    def _collision_extra(self) -> E | None:
        section = self.robot.xrdf.self_collision
        ignored = set(section.ignored_pairs() if section is not None else ())
        ignored |= set(self.robot.srdf.disabled()) if self.robot.srdf is not None else set()
        pairs = [p for p in sorted(ignored) if p.first in self.world and p.second in self.world]
        if pairs:
            self.out.translated("ignored pairs", f"{counted(len(pairs), 'ignore_link_pair')}; reasons are lost")
        lines = [
            E(
                "ignore_link_pair",
                (("link0", f"kmodel0/{self._sid(p.first)}"), ("link1", f"kmodel0/{self._sid(p.second)}")),
            )
            for p in pairs
        ]
        if not lines and not self.bindings:
            return None
        return E(
            "extra", (("type", "collision"),), (E("technique", (("profile", "OpenRAVE"),), (*self.bindings, *lines)),)
        )

    # ---------------------------------------------------------------------------------------------- geometry

    def _node(self, name: str, joint: Joint | None) -> E:
        link = self.urdf.link(name) or Link(name)
        parts: list[E] = []
        if joint is not None:
            parts += _pose(matrix_of(joint.origin), always=True)
            sid = f"node_{self._joint_sid(joint.name)}_axis0"
            if joint.type == JointType.PRISMATIC:
                parts.append(E("translate", (("sid", sid),), text="0 0 0"))
            else:
                axis = joint.axis if joint.is_movable else (1.0, 0.0, 0.0)
                parts.append(E("rotate", (("sid", sid),), text=f"{numbers_text(axis)} 0"))
        for visual in link.visuals:
            instances = self._instances(visual, f"{self._sid(name)}_visual")
            if instances and visual.origin != Origin():
                parts.append(E("node", children=(*_pose(matrix_of(visual.origin)), *instances)))
            else:
                parts += instances
        for collision in link.collisions:
            for url in self._geometry(collision.geometry, collision.origin, f"{self._sid(name)}_collision"):
                self.bindings.append(
                    E(
                        "bind_instance_geometry",
                        (("type", "environment"), ("link", f"kmodel0/{self._sid(name)}"), ("url", f"#{url}")),
                    )
                )
        parts += [self._node(j.child, j) for j in self.children.get(name, ())]
        i = self.number[name]
        return E("node", (("id", f"node{i}"), ("sid", f"node{i}"), ("name", name)), tuple(parts))

    def _instances(self, visual: Visual, name: str) -> list[E]:
        rgba = visual.material.rgba if visual.material is not None else None
        if rgba is None and visual.material is not None:
            defined = self.urdf.material(visual.material.name)
            rgba = defined.rgba if defined is not None else None
        found = []
        for url, own in self._geometry_parts(visual.geometry, Origin(), name):
            material = self._material(rgba or own or _GREY)
            bind = E(
                "bind_material",
                children=(
                    E(
                        "technique_common",
                        children=(E("instance_material", (("symbol", "mat0"), ("target", f"#{material}_material"))),),
                    ),
                ),
            )
            found.append(E("instance_geometry", (("url", f"#{url}"),), (bind,)))
        return found

    def _material(self, rgba: tuple[float, ...]) -> str:
        if rgba not in self.materials:
            name = f"effect{len(self.materials)}"
            self.materials[rgba] = name
            color = E("diffuse", children=(E("color", text=numbers_text(rgba)),))
            phong = E("technique", (("sid", "common"),), (E("phong", children=(color,)),))
            self.effects.append(E("effect", (("id", name),), (E("profile_COMMON", children=(phong,)),)))
        return self.materials[rgba]

    def _geometry(self, geometry: Geometry, origin: Origin, name: str) -> list[str]:
        return [url for url, _ in self._geometry_parts(geometry, origin, name)]

    def _geometry_parts(self, geometry: Geometry, origin: Origin, name: str) -> list[tuple[str, Any]]:
        """Ids of the geometries written for a shape. A primitive that stands elsewhere is told by its triangles."""
        matrix = matrix_of(origin)
        found = []
        if isinstance(geometry, Mesh):
            parts = self.mesh_parts(geometry) if self.mesh_parts is not None else []
            if not parts:
                self.out.lost(f"mesh {geometry.filename}", "it was not found, or cannot be read")
        else:
            vertices, faces = tessellated_of(geometry)
            parts = [(vertices, faces, None)]
            if isinstance(geometry, Capsule):
                self.out.translated("capsule", "triangles, since COLLADA has no capsules here")
            elif origin != Origin():
                self.out.translated(
                    f"collision {type(geometry).__name__.lower()}", "triangles, since it stands elsewhere"
                )
        for vertices, faces, rgba in parts:
            if not len(faces):
                continue
            identifier = f"{name}{len(self.geometries)}"
            points = np.asarray(vertices, dtype=np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
            info = info_of(geometry) if origin == Origin() else None
            self.geometries.append(mesh_element(identifier, points, np.asarray(faces), info))
            found.append((identifier, rgba))
        return found

    # ----------------------------------------------------------------------------------------------- physics

    def _physics(self) -> list[E]:
        bodies, instances = [], []
        for link in self.urdf.links:
            if link.inertial is None or link.name not in self.world:
                continue
            i = self.number[link.name]
            moments, matrix = _principal(link.inertial)
            common = E(
                "technique_common",
                children=(
                    E("dynamic", text="true"),
                    E("mass", text=number_text(link.inertial.mass)),
                    E("mass_frame", children=tuple(_pose(self.world[link.name] @ matrix, always=True))),
                    E("inertia", text=numbers_text(moments)),
                ),
            )
            exact = next(p for p in link_element(Link("x", inertial=link.inertial)).parts)
            bodies.append(
                E(
                    "rigid_body",
                    (("sid", f"rigid{i}"), ("name", link.name)),
                    (common, self._own("urdf_inertial", exact.element())),
                )
            )
            instances.append(E("instance_rigid_body", (("body", f"rigid{i}"), ("target", f"#node{i}"))))
        if not bodies:
            return []
        model = E("physics_model", (("id", "pmodel0"), ("name", self.urdf.name or "robot")), tuple(bodies))
        scene = E(
            "physics_scene",
            (("id", "pscene"),),
            (
                E(
                    "instance_physics_model",
                    (("url", "#pmodel0"), ("sid", "pmodel0_inst"), ("parent", "#visual0")),
                    tuple(instances),
                ),
                E("technique_common", children=(E("gravity", text="0 0 -9.81"),)),
            ),
        )
        return [
            E("library_physics_models", (("id", "pmodels"),), (model,)),
            E("library_physics_scenes", (("id", "pscenes"),), (scene,)),
        ]

    # ----------------------------------------------------------------------------------------------- scenes

    def _kinematics_scene(self, name: str) -> E:
        binds = [
            E(
                "bind",
                (("symbol", "kscene_kmodel0_inst"),),
                (E("param", (("ref", "robot0_motion/motion_kmodel0_inst"),)),),
            )
        ]
        for joint in self._used():
            for end in ("axis0", "axis0_value"):
                sid = f"kmodel0_inst_{self._joint_sid(joint.name)}_{end}"
                binds.append(
                    E("bind", (("symbol", f"kscene_{sid}"),), (E("param", (("ref", f"robot0_motion/motion_{sid}"),)),))
                )
        instance = E(
            "instance_articulated_system",
            (("url", "#robot0_motion"), ("sid", "robot0_motion_inst"), ("name", name)),
            tuple(binds),
        )
        return E("kinematics_scene", (("id", "kscene"), ("name", name)), (instance,))

    def _scene(self, root: str, physics: bool) -> E:
        binds = [
            E(
                "bind_kinematics_model",
                (("node", f"visual0/node{self.number[root]}"),),
                (E("param", text="kscene_kmodel0_inst"),),
            )
        ]
        for joint in self._used():
            sid = self._joint_sid(joint.name)
            target = f"node{self.number[joint.child]}/node_{sid}_axis0"
            binds.append(
                E(
                    "bind_joint_axis",
                    (("target", target),),
                    (
                        E("axis", children=(E("param", text=f"kscene_kmodel0_inst_{sid}_axis0"),)),
                        E("value", children=(E("param", text=f"kscene_kmodel0_inst_{sid}_axis0_value"),)),
                    ),
                )
            )
        parts = [E("instance_physics_scene", (("url", "#pscene"),))] if physics else []
        parts += [
            E("instance_visual_scene", (("url", "#vscene"),)),
            E("instance_kinematics_scene", (("url", "#kscene"),), tuple(binds)),
        ]
        return E("scene", children=tuple(parts))

    def _own(self, kind: str, element: E) -> E:
        return E("extra", (("type", kind),), (E("technique", (("profile", OWN_PROFILE),), (element,)),))

    def _sid(self, name: str) -> str:
        return sid_of(name)

    def _joint_sid(self, name: str) -> str:
        """Another one than that of any link: URDF keeps the names of links and joints apart, SIDs are of one kind."""
        sid = sid_of(name)
        return f"{sid}_joint" if sid in self.link_sids else sid


def _bare(joint: Joint) -> E:
    """The joint for `urdf_joint`: its own values, between links that stand for any."""
    wanted = joint_element(
        Joint(
            joint.name,
            joint.type,
            "p",
            "c",
            axis=joint.axis,
            limit=joint.limit,
            dynamics=joint.dynamics,
            safety=joint.safety,
            calibration=joint.calibration,
        )
    )
    return wanted.element()


def _pose(matrix: Matrix, always: bool = False) -> tuple[E, ...]:
    """A translate and a rotate; nothing for no motion unless `always`."""
    origin = origin_of(matrix)
    if origin == Origin() and not always:
        return ()
    return E("translate", text=numbers_text(origin.xyz)), E("rotate", text=numbers_text(axis_angle(matrix)))


def _tcp_matrix(tcp: ToolCenterPoint) -> Matrix:
    quaternion = None if tcp.wxyz is None else (tcp.wxyz[1], tcp.wxyz[2], tcp.wxyz[3], tcp.wxyz[0])
    return matrix_of(Origin(tcp.xyz, tcp.rpy or (0.0, 0.0, 0.0), quaternion))


def _principal(inertial: Inertial) -> tuple[tuple[float, float, float], Matrix]:
    """Principal moments, and the frame of the mass in the link."""
    ixx, ixy, ixz, iyy, iyz, izz = inertial.inertia
    matrix = matrix_of(inertial.origin)
    if not (ixy or ixz or iyz):
        return (ixx, iyy, izz), matrix
    values, vectors = np.linalg.eigh(np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]))
    if np.linalg.det(vectors) < 0:
        vectors[:, 0] = -vectors[:, 0]
    turn = np.eye(4)
    turn[:3, :3] = vectors
    a, b, c = (float(v) for v in values)
    return (a, b, c), matrix @ turn


def _bool(value: bool) -> str:
    return "true" if value else "false"
