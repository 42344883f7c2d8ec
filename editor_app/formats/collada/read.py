"""A COLLADA robot -> URDF, SRDF and meshes.

T_link = T_parent · Π(transforms of the link), T_att = T_link · Π(transforms of the attachment); the child starts at
T_att, and the joint's axis is expressed there. The URDF's frame of a link is where it is attached: a link's own
transforms go into its geometry, its inertia and the origins of its children.
Degrees and the file's unit become radians and metres. What has no place in a URDF or SRDF stays in the URDF as
`<collada_extra>`, word for word, and is written back on export.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from editor_app.formats.collada.container import open_document
from editor_app.formats.collada.formula import linear
from editor_app.formats.collada.geometry import Part, Rgba, colours, obj_bytes, read_parts
from editor_app.formats.collada.transforms import TAGS, Matrix, floats, origin_of, product, rotation
from editor_app.formats.conversion.report import ConversionReport, Reporter, counted
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import srdf_text
from editor_app.formats.urdf import read_urdf
from editor_app.formats.urdf.patch import urdf_text
from editor_app.formats.xml import XmlElement
from editor_app.formats.xml.splices import escape
from editor_app.model.frozen import FrozenDict
from editor_app.model.srdf import CollisionPair, EndEffector, Group, Srdf, ToolCenterPoint
from editor_app.model.urdf import (
    Collision,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Origin,
    Urdf,
    Visual,
)

#: Writers that give speeds and accelerations in radians although the format wants degrees.
RADIAN_WRITERS = ("OpenRAVE Collada Writer", "URDF Collada Writer")
MESH_FOLDER = "meshes"
EXTRA = "collada_extra"
OWN_PROFILE = "xrdf-editor"


_REFERENCE = re.compile(r"""(\b(?:link|link0|link1|joint|target)\s*=\s*)(["'])([^"'#]*)\2""")
_SYMBOL = re.compile(r"(<(?:csymbol|param)\b[^>]*>\s*)([^<\s]+)(\s*<)")


def sid_of(name: str) -> str:
    """A name as SIDs may be: no slashes, dots, brackets, blanks."""
    return re.sub(r"[^\w-]", "_", name)


@dataclass(frozen=True)
class ColladaRobot:
    """`meshes` are (name relative to the URDF, content)."""

    urdf_text: str
    srdf_text: str
    meshes: tuple[tuple[str, bytes], ...]
    report: ConversionReport
    #: Joint -> acceleration and jerk limit, where the file has them; in radians or metres.
    accelerations: FrozenDict[str, float] = FrozenDict()
    jerks: FrozenDict[str, float] = FrozenDict()


def read_collada_robot(path: Path | str) -> ColladaRobot:
    """Raises FormatError for what is no COLLADA file, or has no kinematics."""
    return _Robot(Path(path)).read()


class _Robot:
    def __init__(self, path: Path) -> None:
        self.document = open_document(path)
        self.root = self.document.root
        self.stem = path.stem
        self.out = Reporter(f"COLLADA {self.root.get('version') or ''}".strip(), "URDF, SRDF and XRDF")
        self.ids = {e.get("id") or "": e for e in self.root.walk() if e.get("id")}
        asset = self.root.child("asset")
        self.unit = self._unit(asset)
        tool = next((e.text for e in (asset.walk() if asset is not None else ()) if e.tag == "authoring_tool"), "")
        self.tool = tool
        self.radians = tool in RADIAN_WRITERS
        axis = asset.child("up_axis") if asset is not None else None
        self.up = {
            "Y_UP": rotation((1, 0, 0), math.pi / 2),
            "X_UP": rotation((0, 1, 0), -math.pi / 2),
        }.get(axis.text if axis is not None else "", np.eye(4))
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.own: dict[str, Matrix] = {}
        self.world: dict[str, Matrix] = {}
        self.names: dict[str, str] = {}
        self.joint_names: dict[str, str] = {}
        self.taken: dict[str, set[str]] = {"link": set(), "joint": set()}
        self.meshes: list[tuple[str, bytes]] = []
        self.extras: list[tuple[str, str]] = []
        self.newest = False
        self.acceleration: dict[str, float] = {}
        self.jerk: dict[str, float] = {}

    def _unit(self, asset: XmlElement | None) -> float:
        unit = asset.child("unit") if asset is not None else None
        values = floats(unit.get("meter") or "1") if unit is not None else []
        return values[0] if values and values[0] > 0 else 1.0

    def read(self) -> ColladaRobot:
        self.kinematics, self.motion, model = self._choose()
        common = model.child("technique_common")
        if common is None:
            raise self._error("The kinematics model is empty", model)
        name = model.get("name") or model.get("id") or self.stem
        self.definitions = self._joint_definitions(common)
        self.infos = self._axis_infos()
        for top in common.all("link")[:1]:
            self._link(top, np.eye(4), self.up)
        for extra_root in common.all("link")[1:]:
            self.out.lost(f"link {extra_root.get('sid')}", "a second root; a URDF has one")
        self._formulas(common)
        self._geometry(model)
        self._physics()
        srdf = self._extras(name, model)
        version = "1.2" if self.newest else "1.0"
        urdf = Urdf(name, version, tuple(self.links), tuple(self.joints))
        self.out.translated("kinematics", f"{counted(len(self.links), 'link')}, {counted(len(self.joints), 'joint')}")
        self.out.translated("geometry", counted(len(self.meshes), "mesh file"))
        text = self._with_extras(urdf_text(urdf))
        limits = FrozenDict(self.acceleration), FrozenDict(self.jerk)
        return ColladaRobot(text, srdf_text(srdf), tuple(self.meshes), self.out.report(), *limits)

    # ------------------------------------------------------------------------------------------- kinematics

    def _choose(self) -> tuple[XmlElement | None, XmlElement | None, XmlElement]:
        """(articulated system with kinematics, that with motion, kinematics model)."""
        systems = [e for e in self.root.walk() if e.tag == "articulated_system"]
        kinematics = next((s for s in systems if s.child("kinematics") is not None), None)
        motion = next((s for s in systems if s.child("motion") is not None), None)
        model: XmlElement | None = None
        block = kinematics.child("kinematics") if kinematics is not None else None
        instances = block.all("instance_kinematics_model") if block is not None else []
        for instance in instances[1:]:
            self.out.lost(f"instance_kinematics_model {instance.get('url')}", "one model of several is read")
        if instances:
            url = instances[0].get("url") or ""
            if not url.startswith("#"):
                raise self._error(f"The kinematics model is in another file ({url})", instances[0])
            model = self.ids.get(url[1:])
        model = model or next((e for e in self.root.walk() if e.tag == "kinematics_model"), None)
        if model is None:
            raise self._error("There is no kinematics_model: this is a mesh, not a robot", self.root)
        return kinematics, motion, model

    def _joint_definitions(self, common: XmlElement) -> dict[str, XmlElement]:
        found: dict[str, XmlElement] = {}
        for element in common.children:
            joint: XmlElement | None = element
            if element.tag == "instance_joint":
                joint = self.ids.get((element.get("url") or "").lstrip("#"))
            elif element.tag != "joint":
                continue
            sid = element.get("sid") or (joint.get("sid") if joint is not None else None) or ""
            if joint is not None and sid:
                found[sid] = joint
                self.joint_names[sid] = self._free(joint.get("name") or sid, "joint")
        return found

    def _axis_infos(self) -> dict[str, tuple[XmlElement | None, XmlElement | None]]:
        """`joint/axis` -> axis_info of the kinematics, and of the motion."""
        found: dict[str, tuple[XmlElement | None, XmlElement | None]] = {}
        by_sid: dict[str, str] = {}
        for info in self._infos(self.kinematics, "kinematics"):
            key = "/".join((info.get("axis") or "").split("/")[-2:])
            by_sid[info.get("sid") or ""] = key
            found[key] = (info, None)
        for info in self._infos(self.motion, "motion"):
            reference = info.get("axis") or ""
            key = by_sid.get(reference.split("/")[-1], "/".join(reference.split("/")[-2:]))
            found[key] = (found.get(key, (None, None))[0], info)
        return found

    def _infos(self, system: XmlElement | None, tag: str) -> list[XmlElement]:
        block = system.child(tag) if system is not None else None
        common = block.child("technique_common") if block is not None else None
        return common.all("axis_info") if common is not None else []

    def _link(self, element: XmlElement, frame: Matrix, lead: Matrix | None = None) -> str:
        sid = element.get("sid") or f"link{len(self.links)}"
        name = self._free(element.get("name") or sid, "link")
        self.names[sid] = name
        own = product(element.children, self.unit)
        if lead is not None:
            # The root's frame is the URDF's own; standing upright is a transform of what is in it.
            own = lead @ own
        self.own[name], self.world[name] = own, frame
        self.links.append(Link(name))
        for attachment in element.children:
            if attachment.tag in ("attachment_start", "attachment_end"):
                self.out.lost(f"{attachment.tag} {attachment.get('joint')}", "a closed loop, which URDF does not have")
            elif attachment.tag == "attachment_full":
                self._attachment(attachment, name, frame, own)
        return name

    def _attachment(self, attachment: XmlElement, parent: str, frame: Matrix, own: Matrix) -> None:
        sid = (attachment.get("joint") or "").split("/")[-1]
        definition = self.definitions.get(sid)
        below = attachment.child("link")
        if definition is None or below is None:
            self.out.lost(f"attachment of {sid}", "its joint or its link does not exist")
            return
        local = own @ product(attachment.children, self.unit)
        world = frame @ local
        axes = [e for e in definition.children if e.tag in ("revolute", "prismatic")]
        name = self.joint_names[sid]
        place = len(self.joints)
        self.joints.append(Joint(name, JointType.FIXED, parent, "", origin_of(local)))
        if len(axes) > 1:
            self.out.translated(f"joint {name}", f"its {len(axes)} axes became joints with links between them")
        current = parent
        made: list[Joint] = []
        for i, axis in enumerate(axes[:-1]):
            between = self._free(f"{name}_{axis.get('sid') or i}_link", "link")
            self.links.append(Link(between))
            self.own[between], self.world[between] = np.eye(4), world
            joint = self._joint(sid, axis, self._free(f"{name}_{axis.get('sid') or i}", "joint"), definition)
            origin = origin_of(local) if current == parent else Origin()
            made.append(replace(joint, parent=current, child=between, origin=origin))
            current = between
        child = self._link(below, world)
        last = self._joint(sid, axes[-1], name, definition) if axes else Joint(name, JointType.FIXED, "", "")
        origin = origin_of(local) if current == parent else Origin()
        made.append(replace(last, parent=current, child=child, origin=origin))
        self.joints[place : place + 1] = made

    def _joint(self, sid: str, axis: XmlElement, name: str, definition: XmlElement) -> Joint:
        kinematic, motion = self.infos.get(f"{sid}/{axis.get('sid') or ''}", (None, None))
        revolute = axis.tag == "revolute"
        scale = math.radians(1) if revolute else self.unit
        vector = floats(axis.child("axis").text) if axis.child("axis") is not None else []  # type: ignore[union-attr]
        xyz = (vector[0], vector[1], vector[2]) if len(vector) == 3 else (1.0, 0.0, 0.0)
        limits = self._limits(kinematic) or self._limits(axis)
        locked = self._flag(kinematic, "locked", False)
        if locked or not any(xyz):
            if locked:
                self.out.translated(f"joint {name}", "locked: a fixed joint")
            return Joint(name, JointType.FIXED, "", "")
        speeds = {key: self._number(motion, key) for key in ("speed", "acceleration", "jerk")}
        factor = (1.0 if self.radians else scale) if revolute else self.unit
        values = {k: None if v is None else v * factor for k, v in speeds.items()}
        exact = self._exact(definition)
        kind = JointType.REVOLUTE if revolute else JointType.PRISMATIC
        if limits is None and revolute:
            kind = JointType.CONTINUOUS
        lower, upper = (v * scale for v in limits) if limits is not None else (0.0, 0.0)
        if limits is None and not revolute:
            self.out.translated(f"joint {name}", "it slides without limits; -1 km and 1 km are written")
            lower, upper = -1000.0, 1000.0
        # Not into the URDF: that would need version 1.2, which most readers refuse. XRDF has a place for them.
        for key, table in (("acceleration", self.acceleration), ("jerk", self.jerk)):
            value = values[key]
            if value is not None:
                table[name] = value
        limit = Limit(lower, upper, 0.0, values["speed"] if values["speed"] is not None else 0.0)
        joint = Joint(name, kind, "", "", axis=xyz, limit=limit)
        if exact is not None:
            joint = replace(
                joint,
                type=exact.type,
                limit=exact.limit,
                dynamics=exact.dynamics,
                safety=exact.safety,
                calibration=exact.calibration,
                axis=exact.axis,
            )
            limit_now = exact.limit
            self.newest |= limit_now is not None and (
                limit_now.acceleration,
                limit_now.deceleration,
                limit_now.jerk,
            ) != (None, None, None)
        return joint

    def _exact(self, definition: XmlElement) -> Joint | None:
        """The joint in the words of a URDF, where this editor wrote the file: its digits, its effort, its damping."""
        technique = _technique(definition, "urdf_joint", OWN_PROFILE)
        joint = technique.child("joint") if technique is not None else None
        if joint is None:
            return None
        text = self.document.text_of(joint)
        whole = f'<robot name="x" version="1.2"><link name="p"/><link name="c"/>{text}</robot>'
        return read_urdf(SourceText.from_text(whole)).urdf.joints[0]

    def _limits(self, element: XmlElement | None) -> tuple[float, float] | None:
        limits = element.child("limits") if element is not None else None
        if limits is None:
            return None
        low, high = self._number(limits, "min"), self._number(limits, "max")
        return None if low is None or high is None else (low, high)

    def _number(self, element: XmlElement | None, tag: str) -> float | None:
        found = element.child(tag) if element is not None else None
        if found is None:
            return None
        inner = found.child("float") or found.child("int") or found
        values = floats(inner.text)
        return values[0] if values else None

    def _flag(self, element: XmlElement | None, tag: str, default: bool) -> bool:
        found = element.child(tag) if element is not None else None
        inner = (found.child("bool") or found) if found is not None else None
        return default if inner is None else inner.text.lower() in ("true", "1")

    def _formulas(self, common: XmlElement) -> None:
        by_sid = dict(self.joint_names)

        def joint(reference: str) -> str | None:
            parts = reference.split("/")
            return next((by_sid[p] for p in reversed(parts) if p in by_sid), None)

        for element in common.children:
            formula = element if element.tag == "formula" else None
            if element.tag == "instance_formula":
                formula = self.ids.get((element.get("url") or "").lstrip("#"))
            if formula is None:
                continue
            target = formula.child("target")
            param = target.child("param") if target is not None else None
            name = joint((param.text or param.get("ref") or "") if param is not None else "")
            technique = formula.child("technique_common")
            math_element = technique.child("math") if technique is not None else None
            value = linear(math_element) if math_element is not None else None
            variables = [v for v in value or {} if v is not None]
            leader = joint(variables[0]) if len(variables) == 1 and variables[0] is not None else None
            if name is None or value is None or leader is None:
                self.out.kept(f"formula of {name}", "not linear in one other joint; word for word in the URDF")
                self._keep("kinematics_model", formula)
                continue
            mimic = Mimic(leader, value[variables[0]], value.get(None, 0.0))
            self.joints = [replace(j, mimic=mimic) if j.name == name else j for j in self.joints]
            self.out.translated(f"formula of {name}", f"mimics {leader}")

    # --------------------------------------------------------------------------------------------- geometry

    def _geometry(self, model: XmlElement) -> None:
        nodes = self._nodes()
        collisions = self._collision_bindings(model)
        for index, link in enumerate(self.links):
            visuals: list[Visual] = []
            found = nodes.get(link.name)
            if found is not None:
                node, after = found
                visuals = self._visuals(node, after, link.name, {n.start for n, _ in nodes.values()})
            bound: list[Collision] = []
            for kind, url in collisions.get(link.name, []):
                geometry = self.ids.get(url)
                if kind == "environment" and geometry is not None:
                    for part in self._parts(geometry):
                        bound.append(Collision(*self._placed(part, self.own[link.name], link.name, "collision")))
                elif kind == "self":
                    self.out.lost(
                        f"bind_instance_geometry self of {link.name}",
                        "a URDF has one set of collision geometry; the one for the environment was taken",
                    )
            same = tuple(Collision(v.geometry, v.origin) for v in visuals)
            # A geometry that is seen and bound to nothing is what is collided with, too.
            collided = tuple(bound) if collisions.get(link.name) else same if not collisions else ()
            self.links[index] = replace(link, visuals=tuple(visuals), collisions=collided)

    def _nodes(self) -> dict[str, tuple[XmlElement, int]]:
        """Link -> its node, and from which of the node's children on transforms are the link's own."""
        by_sid = {e.get("sid"): e for e in self.root.walk() if e.get("sid") and e.tag in ("node", *TAGS)}
        found: dict[str, tuple[XmlElement, int]] = {}
        scene = [e for e in self.root.walk() if e.tag == "bind_joint_axis"]
        for bind in scene:
            target = by_sid.get((bind.get("target") or "").split("/")[-1])
            text = " ".join(e.text for e in bind.walk() if e.tag == "param")
            reference = self._resolved(text.split(" ")[0] if text else "")
            names = [s for s in self.joint_names if f"/{s}/" in f"/{reference}/"]
            joint = next((j for j in self.joints if names and j.name == self.joint_names[names[0]]), None)
            if joint is not None and target is not None and target.parent is not None and target.tag in TAGS:
                found[joint.child] = (target.parent, target.parent.children.index(target) + 1)
        nodes = [e for e in self.root.walk() if e.tag == "node"]
        for link in self.links:
            if link.name in found:
                continue
            named = next((n for n in nodes if link.name in (n.get("name"), n.get("sid"), n.get("id"))), None)
            if named is not None:
                found[link.name] = (named, -1)
        return found

    def _resolved(self, sid: str) -> str:
        """A parameter of the scene, followed through SIDREF, bind and newparam down to the axis that it stands for."""
        params = {e.get("sid"): e for e in self.root.walk() if e.tag in ("newparam", "bind")}
        binds = {e.get("symbol"): e for e in self.root.walk() if e.tag == "bind" and e.get("symbol")}
        for _ in range(8):
            element = params.get(sid.split("/")[-1]) or binds.get(sid.split("/")[-1])
            if element is None:
                break
            inner = next((e for e in element.walk() if e.tag in ("SIDREF", "param")), None)
            following = (inner.text or inner.get("ref") or "") if inner is not None else ""
            if not following or following == sid:
                break
            sid = following
        return sid

    def _visuals(self, node: XmlElement, after: int, link: str, others: set[int]) -> list[Visual]:
        base = self.own[link] if after < 0 else product(node.children[after:], self.unit)
        found: list[Visual] = []

        def walk(element: XmlElement, matrix: Matrix) -> None:
            for instance in element.all("instance_geometry"):
                geometry = self.ids.get((instance.get("url") or "").lstrip("#"))
                tints = colours(self.ids, instance)
                for part in self._parts(geometry) if geometry is not None else ():
                    shape, origin = self._placed(part, matrix, link, "visual")
                    found.append(Visual(shape, origin, self._material(tints, part)))
            for inner in element.all("node"):
                if inner.start not in others:
                    walk(inner, matrix @ product(inner.children, self.unit))

        walk(node, base)
        return found

    def _parts(self, geometry: XmlElement) -> list[Part]:
        try:
            return read_parts(geometry, self.unit)
        except (ValueError, OverflowError) as error:
            self.out.lost(f"geometry {geometry.get('id')}", f"it cannot be read ({error})")
            return []

    def _placed(self, part: Part, matrix: Matrix, link: str, kind: str):  # type: ignore[no-untyped-def]
        """(geometry, origin): meshes have the transform in their vertices when it is no rigid one."""
        if part.primitive is not None:
            return part.primitive, origin_of(matrix)
        rigid = np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-9)
        rigid = rigid and np.linalg.det(matrix[:3, :3]) > 0
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in link)
        name = f"{MESH_FOLDER}/{kind}/{safe}_{len(self.meshes)}.obj"
        self.meshes.append((name, obj_bytes(part, np.eye(4) if rigid else matrix)))
        return Mesh(name), origin_of(matrix) if rigid else Origin()

    def _material(self, tints: dict[str, Rgba], part: Part) -> Material | None:
        rgba = tints.get(part.symbol or "") or (next(iter(tints.values())) if len(tints) == 1 else None)
        if rgba is None:
            return None
        return Material("rgba_" + "_".join(f"{v:g}" for v in rgba), rgba)

    def _collision_bindings(self, model: XmlElement) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        technique = _technique(model, "collision")
        for bind in technique.all("bind_instance_geometry") if technique is not None else ():
            link = self.names.get((bind.get("link") or "").split("/")[-1])
            if link is not None:
                found.setdefault(link, []).append((bind.get("type") or "", (bind.get("url") or "").lstrip("#")))
        return found

    # ---------------------------------------------------------------------------------------------- physics

    def _physics(self) -> None:
        bodies = [e for e in self.root.walk() if e.tag == "rigid_body"]
        targets: dict[str, str] = {}
        nodes = {n.get("id"): link for link, (n, _) in self._nodes().items() if n.get("id")}
        for instance in (e for e in self.root.walk() if e.tag == "instance_rigid_body"):
            link = nodes.get((instance.get("target") or "").lstrip("#"))
            if link is not None:
                targets[(instance.get("body") or "").split("/")[-1]] = link
        by_name = {link.name: i for i, link in enumerate(self.links)}
        for body in bodies:
            common = body.child("technique_common")
            name = body.get("name") or ""
            link = name if name in by_name else targets.get(body.get("sid") or "")
            if common is None or link is None:
                continue
            inertial = self._inertial(body, common, link)
            if inertial is not None:
                self.links[by_name[link]] = replace(self.links[by_name[link]], inertial=inertial)

    def _inertial(self, body: XmlElement, common: XmlElement, link: str) -> Inertial | None:
        technique = _technique(body, "urdf_inertial", OWN_PROFILE)
        exact = technique.child("inertial") if technique is not None else None
        if exact is not None:
            text = f'<robot name="x"><link name="l">{self.document.text_of(exact)}</link></robot>'
            return read_urdf(SourceText.from_text(text)).urdf.links[0].inertial
        mass = self._number(common, "mass")
        inertia = common.child("inertia")
        values = floats(inertia.text) if inertia is not None else []
        if mass is None:
            return None
        frame = common.child("mass_frame")
        # The writers that exist put the mass frame into the robot's frame at rest, not into the body's.
        matrix = product(frame.children, self.unit) if frame is not None else np.eye(4)
        local = np.linalg.inv(self.world[link]) @ self.up @ matrix if frame is not None else self.own[link]
        if self.tool == RADIAN_WRITERS[1]:
            # It writes the principal axes as rows where columns are meant (measured: so the tensors agree to 1e-17).
            local[:3, :3] = local[:3, :3].T.copy()
        a, b, c = (values[0], values[1], values[2]) if len(values) == 3 else (0.0, 0.0, 0.0)
        return Inertial(mass, (a, 0.0, 0.0, b, 0.0, c), origin_of(local))

    # ---------------------------------------------------------------------------------- OpenRAVE's extensions

    def _extras(self, name: str, model: XmlElement) -> Srdf:
        srdf = Srdf(name=name)
        for system in (s for s in (self.kinematics, self.motion) if s is not None):
            for extra in system.all("extra"):
                if extra.get("type") == "manipulator":
                    srdf = self._manipulator(extra, srdf)
                else:
                    self.out.kept(f"{extra.get('type')} {extra.get('name') or ''}".strip(), "word for word in the URDF")
                self._keep("articulated_system", extra)
        pairs = []
        for extra in model.all("extra"):
            technique = extra.child("technique")
            listed = technique.all("ignore_link_pair") if technique is not None else []
            for pair in listed:
                both = [self.names.get((pair.get(k) or "").split("/")[-1]) for k in ("link0", "link1")]
                if both[0] is not None and both[1] is not None:
                    pairs.append(CollisionPair(both[0], both[1], None))
                else:
                    self.out.lost("ignore_link_pair", f"{pair.get('link0')} - {pair.get('link1')}: no such link")
            if extra.get("type") != "collision":
                self._keep("kinematics_model", extra)
        if pairs:
            self.out.translated("ignore_link_pair", f"{counted(len(pairs), 'pair')} in disable_collisions")
        for extra in self.root.all("extra"):
            technique = extra.child("technique")
            if technique is not None and technique.children:
                self.out.kept(str(extra.get("type")), "word for word in the URDF")
                self._keep("COLLADA", extra)
        return replace(srdf, disabled_pairs=tuple(dict.fromkeys(pairs)))

    def _manipulator(self, extra: XmlElement, srdf: Srdf) -> Srdf:
        technique = extra.child("technique")
        name = extra.get("name") or f"manipulator{len(srdf.groups)}"
        ends = [technique.child(t) if technique is not None else None for t in ("frame_origin", "frame_tip")]
        links = [self.names.get((e.get("link") or "").split("/")[-1]) if e is not None else None for e in ends]
        if technique is None or links[0] is None or links[1] is None or ends[1] is None:
            self.out.kept(f"manipulator {name}", "its links do not exist; word for word in the URDF")
            return srdf
        srdf = replace(srdf, groups=(*srdf.groups, Group(name, chains=((links[0], links[1]),))))
        pose = self.own[links[1]] @ product(ends[1].children, self.unit)
        if not np.allclose(pose, np.eye(4), atol=1e-12):
            origin = origin_of(pose)
            srdf = replace(srdf, tcps=(*srdf.tcps, ToolCenterPoint(f"{name}_tip", name, origin.xyz, rpy=origin.rpy)))
        grippers = [self.joint_names.get((g.get("joint") or "").split("/")[-1]) for g in technique.all("gripper_joint")]
        joints = tuple(g for g in grippers if g is not None)
        if joints:
            effector = EndEffector(f"{name}_hand", links[1], f"{name}_gripper", name)
            groups = (*srdf.groups, Group(f"{name}_gripper", joints=joints))
            srdf = replace(srdf, groups=groups, end_effectors=(*srdf.end_effectors, effector))
        self.out.translated(f"manipulator {name}", "an SRDF group; closing directions and iksolvers stay in the URDF")
        return srdf

    def _keep(self, where: str, element: XmlElement) -> None:
        self.extras.append((where, self._renamed(self.document.text_of(element))))

    def _renamed(self, text: str) -> str:
        """References by the SIDs of this file -> by those that the names get on export; all else word for word."""
        names = {**self.names, **self.joint_names}

        def attribute(match: re.Match[str]) -> str:
            name = names.get(match.group(3).split("/")[-1])
            return (
                match.group()
                if name is None
                else f"{match.group(1)}{match.group(2)}kmodel0/{sid_of(name)}{match.group(2)}"
            )

        def symbol(match: re.Match[str]) -> str:
            parts = match.group(2).split("/")
            place = next((i for i, part in enumerate(parts) if part in names), None)
            if place is None:
                return match.group()
            path = "/".join(("kmodel0", sid_of(names[parts[place]]), *parts[place + 1 :]))
            return f"{match.group(1)}{path}{match.group(3)}"

        text = _REFERENCE.sub(attribute, text)
        return _SYMBOL.sub(symbol, text)

    def _with_extras(self, text: str) -> str:
        lines = [f'  <{EXTRA} where="{escape(where)}">{raw}</{EXTRA}>\n' for where, raw in self.extras]
        return text.removesuffix("</robot>\n") + "".join(lines) + "</robot>\n"

    def _free(self, name: str, kind: str) -> str:
        """The name, with a number behind it when another link, or joint, has it."""
        found, number = name, 2
        while found in self.taken[kind]:
            found, number = f"{name}_{number}", number + 1
        self.taken[kind].add(found)
        return found

    def _error(self, message: str, element: XmlElement) -> FormatError:
        return FormatError(message, self.document.location(element))


def _technique(element: XmlElement, kind: str, profile: str | None = None) -> XmlElement | None:
    for extra in element.all("extra"):
        if extra.get("type") == kind:
            for technique in extra.all("technique"):
                if profile is None or technique.get("profile") == profile:
                    return technique
    return None
