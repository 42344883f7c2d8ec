"""A layer over the USD that a robot came from holds the edits and nothing else, and is read back as
the robot."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.core.document import commands
from editor_app.core.document.opening import open_document
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.drafted_documents import WholeRobot, drafted_documents
from editor_app.core.formats.exchange.import_notes import (
    ImportNote,
    read_import_note,
    with_import_note,
)
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Inertial, Joint, JointType, Limit, Link, Material
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import ConvertOptions, convert, document_files, write_conversion
from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

pytest.importorskip("pxr", reason="the extra is not installed")

from editor_app.plugins.usd.reading.stage import read_stage
from editor_app.plugins.usd.reading.values import ReadStage
from editor_app.plugins.usd.writing_over import over_text

CENTIMETRES = HEAD.replace(
    "metersPerUnit = 1", "metersPerUnit = 0.01\n    kilogramsPerUnit = 0.001"
)
SPHERE = """\
        def Sphere "collision_sphere_0"
        {
            double radius = 0.1
            double3 xformOp:translate = (0, 0, 0.2)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
"""


class Over:
    """A stage, the robot out of it, and what a layer over the stage makes of an edited robot."""

    def __init__(self, folder: Path, text: str) -> None:
        self.path = folder / "arm.usda"
        self.path.write_text(text)
        self.read = read_stage(self.path)
        r = self.read
        whole = WholeRobot(
            r.urdf, r.driven, r.states, "state", r.start, r.pairs, r.spheres, r.meshes
        )
        files = drafted_documents(whole, self.path, Reporter("USD", "URDF"))
        assert files.urdf is not None
        assert files.xrdf is not None
        self.robot = RobotDescription(files.urdf.value, files.xrdf.value)
        self.text = ""
        self.report = ConversionReport("", "")

    def write(self, **choices: Any) -> ReadStage:
        """Write the layer, check that the stage keeps its bytes, and read both."""
        before = hashlib.sha256(self.path.read_bytes()).digest()
        place = Location(str(self.path))
        self.text, self.report = over_text(
            self.robot, self.read, below="./arm.usda", place=place, **choices or NORMAL
        )
        layer = self.path.with_name("over.usda")
        layer.write_text(self.text)
        assert hashlib.sha256(self.path.read_bytes()).digest() == before
        return read_stage(layer)

    def edit(self, *steps: Any) -> None:
        for step in steps:
            self.robot = step.apply(self.robot)

    def link(self, name: str) -> Link:
        link = self.robot.urdf.link(name)
        assert link is not None
        return link

    def joint(self, name: str) -> Joint:
        joint = self.robot.urdf.joint(name)
        assert joint is not None
        return joint

    @property
    def lost(self) -> list[str]:
        drafted = ("cspace", "tool_frames")
        return [
            entry.item
            for entry in self.report.entries
            if entry.fate == "lost" and entry.item not in drafted
        ]


SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"
NORMAL = {"collide": False}


def joint_of(read: ReadStage, name: str) -> Joint:
    joint = read.urdf.joint(name)
    assert joint is not None
    return joint


@pytest.mark.parametrize("head", [HEAD, CENTIMETRES], ids=["metres", "centimetres and grams"])
def test_an_unchanged_robot_changes_nothing(tmp_path: Path, head: str) -> None:
    over = Over(tmp_path, head + ARM)
    over.write()
    assert "over " not in over.text
    assert "metersPerUnit = 0.01" in over.text or head == HEAD


@pytest.mark.parametrize("head", [HEAD, CENTIMETRES], ids=["metres", "centimetres and grams"])
def test_masses_limits_and_dynamics_come_back_in_the_units_of_the_stage(
    tmp_path: Path, head: str
) -> None:
    over = Over(tmp_path, head + ARM)
    base, shoulder = over.link("base"), over.joint("shoulder")
    inertial = Inertial(
        3.5,
        (0.3, 0.01, 0.0, 0.4, 0.0, 0.5),
        replace(base.inertial.origin, xyz=(0.1, 0.2, -0.3)),  # type: ignore[union-attr]
    )
    limit = Limit(-0.5, 1.25, effort=12.0, velocity=0.75)
    over.edit(
        commands.SetLink("base", replace(base, inertial=inertial)),
        commands.SetJoint("shoulder", replace(shoulder, limit=limit)),
    )
    read = over.write()
    link = read.urdf.link("base")
    assert link is not None
    assert link.inertial is not None
    assert link.inertial.mass == pytest.approx(3.5, rel=1e-6)
    assert link.inertial.origin.xyz == pytest.approx((0.1, 0.2, -0.3), rel=1e-6)
    assert link.inertial.inertia == pytest.approx(inertial.inertia, abs=1e-6)
    back = joint_of(read, "shoulder").limit
    assert back is not None
    assert (back.lower, back.upper, back.effort, back.velocity) == pytest.approx(
        (-0.5, 1.25, 12.0, 0.75), rel=1e-6
    )
    assert over.lost == []


def test_axes_of_one_joint_have_limits_of_their_own(tmp_path: Path) -> None:
    shoulder = ARM[ARM.index("    def PhysicsRevoluteJoint") :]
    locked = "".join(
        f"        float limit:{axis}:physics:low = 1\n        float limit:{axis}:physics:high = "
        "-1\n"
        for axis in ("transX", "transY", "transZ", "rotZ")
    )
    schemas = ", ".join(
        f'"PhysicsLimitAPI:{axis}"'
        for axis in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
    )
    generic = f"""    def PhysicsJoint "shoulder" (prepend apiSchemas = [{schemas}])
    {{
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/upper>
{locked}        float limit:rotX:physics:low = -10
        float limit:rotX:physics:high = 10
        float limit:rotY:physics:low = -20
        float limit:rotY:physics:high = 20
    }}
}}
"""
    over = Over(tmp_path, HEAD + ARM.replace(shoulder, generic))
    for name, speed in (("shoulder_rotX", 0.25), ("shoulder_rotY", 0.5)):
        joint = over.joint(name)
        over.edit(
            commands.SetJoint(
                name, replace(joint, limit=Limit(-0.1, 0.2, effort=5.0, velocity=speed))
            )
        )
    read = over.write()
    for name, speed in (("shoulder_rotX", 0.25), ("shoulder_rotY", 0.5)):
        limit = joint_of(read, name).limit
        assert limit is not None
        assert (limit.lower, limit.upper, limit.effort, limit.velocity) == pytest.approx(
            (-0.1, 0.2, 5.0, speed)
        )


def test_spheres_of_the_stage_give_way_to_others_and_stay_where_they_are_the_same(
    tmp_path: Path,
) -> None:
    with_sphere = ARM.replace(
        "        float physics:mass = 2\n", "        float physics:mass = 2\n" + SPHERE
    )
    over = Over(tmp_path, CENTIMETRES + with_sphere)
    group = over.robot.xrdf.self_group or ""
    new = CollisionSphere((0.1, -0.2, 0.3), 0.05)
    over.edit(commands.AddSpheres(group, "upper", (new,)))
    read = over.write()
    assert "active = false" not in over.text
    assert read.spheres["upper"] == (new,)
    assert read.spheres["base"] == over.read.spheres["base"]
    over.edit(commands.AddSpheres(group, "base", (new,)))
    read = over.write(collide=True)
    assert "active = false" in over.text
    for one, other in zip(read.spheres["base"], (*over.read.spheres["base"], new), strict=True):
        assert [*one.center, one.radius] == pytest.approx([*other.center, other.radius], abs=1e-9)


def test_spheres_of_a_body_that_is_scaled_unevenly_stay_balls(tmp_path: Path) -> None:
    order, mass = '"xformOp:translate"]', "        float physics:mass = 1\n"
    scale = '"xformOp:translate", "xformOp:scale"]\n        double3 xformOp:scale = (1, 2, 4)'
    scaled = ARM.replace(f"{order}\n{mass}", f"{scale}\n{mass}")
    assert scaled != ARM
    over = Over(tmp_path, HEAD + scaled)
    sphere = CollisionSphere((0.1, -0.2, 0.3), 0.05)
    over.edit(commands.AddSpheres(over.robot.xrdf.self_group or "", "upper", (sphere,)))
    (back,) = over.write().spheres["upper"]
    assert [*back.center, back.radius] == pytest.approx([0.1, -0.2, 0.3, 0.05], abs=1e-7)


FILTERED = """\
    def Xform "tool" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsFilteredPairsAPI"])
    {
        rel physics:filteredPairs = [</arm/base>]
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
        }
    }
    def PhysicsFixedJoint "mount"
    {
        rel physics:body0 = </arm/upper>
        rel physics:body1 = </arm/tool>
    }
"""


def pairs_of(read: ReadStage) -> set[LinkPair]:
    return {each.pair for each in read.pairs}


def test_pairs_are_filtered_and_checked_again(tmp_path: Path) -> None:
    over = Over(
        tmp_path, HEAD + ARM.replace('    def Xform "upper"', FILTERED + '    def Xform "upper"')
    )
    apart = LinkPair.of("base", "tool")
    assert apart in pairs_of(over.read)
    over.edit(commands.SetMask(checked=(apart,)))
    # A mask says nothing of links without spheres.
    assert apart in pairs_of(over.write())
    ball = (CollisionSphere((0.0, 0.0, 0.0), 0.1),)
    for link in ("base", "tool", "upper"):
        over.edit(commands.AddSpheres(over.robot.xrdf.self_group or "", link, ball))
    assert pairs_of(over.write()) == pairs_of(over.read) - {apart}
    joined = LinkPair.of("base", "upper")
    over.edit(commands.SetMask(checked=(joined,), pairs=(apart,)))
    assert pairs_of(over.write()) == pairs_of(over.read) - {joined}


INSTANCED = """\
    def "shape" (
        instanceable = true
        references = </box>
    )
    {
    }
"""
PROTOTYPE = """\
def Xform "box"
{
    def Cube "cube" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        double size = 0.2
    }
}
"""


def test_what_is_inside_an_instance_is_changed_in_this_instance_only(tmp_path: Path) -> None:
    cube = ARM[ARM.index('        def Cube "box"') : ARM.index('    def Xform "upper"')]
    over = Over(
        tmp_path,
        HEAD + ARM.replace(cube, INSTANCED + "    }\n").replace("Cylinder", "Cube") + PROTOTYPE,
    )
    base = over.link("base")
    red = tuple(
        replace(visual, material=Material("red", (1.0, 0.0, 0.0, 0.5))) for visual in base.visuals
    )
    assert red
    over.edit(commands.SetLink("base", replace(base, visuals=red)))
    read = over.write()
    assert over.text.count("instanceable = false") == 1
    material = read.urdf.links[0].visuals[0].material
    assert material is not None
    assert material.rgba == pytest.approx((1.0, 0.0, 0.0, 0.5))
    assert any(entry.item == "instances" for entry in over.report.entries)


def test_a_robot_that_is_an_instance_as_a_whole_is_opened_by_the_layer(tmp_path: Path) -> None:
    scene = '#usda 1.0\n(\n    defaultPrim = "World"\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
    scene += (
        'def Xform "World"\n{\n    def "robot" (\n        instanceable = true\n        references '
        "= </arm>\n    )\n"
    )
    scene += "    {\n    }\n}\n" + ARM.replace('def Xform "arm"', 'class Xform "arm"')
    over = Over(tmp_path, scene)
    ball = (CollisionSphere((0.0, 0.0, 0.1), 0.1),)
    over.edit(commands.AddSpheres(over.robot.xrdf.self_group or "", "upper", ball))
    assert over.write().spheres == {"upper": ball}
    assert over.text.count("instanceable = false") == 1


def test_default_positions_are_targets_and_frames_are_added(tmp_path: Path) -> None:
    over = Over(tmp_path, CENTIMETRES + ARM)
    over.edit(commands.set_item("xrdf.default_joint_positions", "shoulder", 0.5))
    read = over.write()
    assert next(iter(read.states.values())) == pytest.approx({"shoulder": 0.5})


def test_parts_with_other_names_are_found_by_their_neighbours(tmp_path: Path) -> None:
    over = Over(tmp_path, HEAD + ARM)
    over.edit(commands.RenameLink("upper", "upper-arm"), commands.RenameJoint("shoulder", "j1"))
    joint = over.joint("j1")
    over.edit(
        commands.SetJoint("j1", replace(joint, limit=Limit(-0.5, 0.5, effort=87.0, velocity=3.0)))
    )  # type: ignore[union-attr]
    limit = joint_of(over.write(), "shoulder").limit
    assert limit is not None
    assert (limit.lower, limit.upper) == pytest.approx((-0.5, 0.5))
    assert over.lost == ["names"]


def test_what_has_no_place_in_the_stage_is_reported(tmp_path: Path) -> None:
    over = Over(tmp_path, HEAD + ARM)
    shoulder = over.joint("shoulder")
    moved = replace(
        shoulder,
        type=JointType.FIXED,
        limit=None,
        origin=replace(shoulder.origin, xyz=(0.0, 0.0, 0.5)),
    )
    over.edit(commands.SetJoint("shoulder", moved))
    over.edit(
        commands.AddLink(Link("flange"), Joint("flange_fixed", JointType.FIXED, "upper", "flange"))
    )
    over.write()
    lost = " ".join(over.lost)
    assert "places of the joints shoulder" in lost
    assert "type of shoulder" in lost
    assert "links flange" in lost


def test_the_usd_of_another_robot_is_refused(tmp_path: Path) -> None:
    over = Over(tmp_path, HEAD + ARM)
    names = {"base": "socle", "upper": "bras", "shoulder": "epaule"}
    links = tuple(replace(link, name=names[link.name]) for link in over.robot.urdf.links)
    joints = tuple(
        replace(j, name=names[j.name], parent=names[j.parent], child=names[j.child])
        for j in over.robot.urdf.joints
    )
    over.robot = replace(over.robot, urdf=replace(over.robot.urdf, links=links, joints=joints))
    with pytest.raises(
        FormatError, match="not that of the robot: base, upper are not links"
    ) as raised:
        over.write()
    assert "--usd-robot" in raised.value.sentences


def test_an_imported_robot_finds_its_usd_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a worker process, which starts no other.
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: True)
    assets, work = tmp_path / "assets", tmp_path / "my work -- v2"
    assets.mkdir()
    work.mkdir()
    (assets / "arm v1.usda").write_text(HEAD + ARM)
    write_conversion(convert([assets / "arm v1.usda"], work / "robot.urdf"))
    source = SourceText.read(work / "robot.urdf")
    note = read_import_note(source)
    assert note is not None
    assert note.path.resolve() == (assets / "arm v1.usda").resolve()
    (work / "robot.urdf").write_text(source.text.replace('effort="87"', 'effort="55"'))
    inputs = [work / "robot.urdf", work / "robot.xrdf"]
    options = ConvertOptions.of(usd_form="layer")
    conversion = convert(inputs, work / "layer.usda", options)
    text = conversion.files[0][1].decode()
    assert "subLayers = [@../assets/arm v1.usda@]" in text
    assert "maxForce = 55" in text
    with pytest.raises(FormatError, match="is the USD that the robot was imported from"):
        convert(inputs, assets / "arm v1.usda")


@pytest.mark.parametrize("path", ["/etc/robot.usda", "https://host/robot.usda"])
def test_a_note_names_no_absolute_path_and_no_url(path: str) -> None:
    text = f"<?xml version='1.0'?>\n<!-- Imported from {path} -->\n<robot name='r'/>"
    assert read_import_note(SourceText.from_text(text, Path("robot.urdf").absolute())) is None


def test_a_note_survives_all_names_and_is_written_once(tmp_path: Path) -> None:
    note = ImportNote(
        tmp_path / "a -- b?&=%é.usda", FrozenDict({"model": "x--y", "usd_variants": "A=b,C=d"})
    )
    text = "<?xml version='1.0'?>\n<robot name='r'/>"
    for _ in range(2):
        text = with_import_note(text, note, tmp_path)
    assert text.count("Imported from") == 1
    assert "--" not in text.partition("<!-- ")[2].partition(" -->")[0]
    assert read_import_note(SourceText.from_text(text, tmp_path / "r.urdf")) == note


def test_a_layer_over_a_package_is_read(tmp_path: Path) -> None:
    convert_to_package: Callable[..., Any] = pytest.importorskip(
        "pxr.UsdUtils"
    ).CreateNewUsdzPackage
    (tmp_path / "arm.usda").write_text(HEAD + ARM)
    assert convert_to_package(str(tmp_path / "arm.usda"), str(tmp_path / "arm.usdz"))
    (tmp_path / "over.usda").write_text(HEAD[:-2] + "    subLayers = [@./arm.usdz@]\n)\n")
    read = read_stage(tmp_path / "over.usda")
    assert [link.name for link in read.urdf.links] == ["base", "upper"]
    assert np.isclose(joint_of(read, "shoulder").limit.effort, 87.0)  # type: ignore[union-attr, arg-type]


@pytest.mark.parametrize("to", ["usd", "mjcf", "isaac-folder"])
def test_the_mask_of_an_open_xrdf_is_exported_although_there_is_an_srdf(
    tmp_path: Path, to: str
) -> None:
    for path in SAMPLE.parent.glob("heron.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "heron.srdf").write_text(
        '<robot name="heron"><disable_collisions link1="base_link" link2="hand_link" '
        'reason="Never"/></robot>'
    )
    document = open_document(tmp_path / "heron.urdf")
    assert document.robot.srdf is not None
    kinds = {
        source.path.suffix for source in document_files(document, to) if source.path is not None
    }
    assert kinds == {".urdf", ".xrdf"}


def test_the_layers_of_a_located_folder_are_below_the_edit(tmp_path: Path) -> None:
    shop = tmp_path / "far" / "shop"
    shop.mkdir(parents=True)
    (shop / "arm.usda").write_text(HEAD + ARM)
    stage = tmp_path / "stage.usda"
    stage.write_text("#usda 1.0\n(\n    subLayers = [@omniverse://host/lib/arm.usda@]\n)\n")
    packages = {"omniverse://host/lib": shop}
    imported = convert([stage], tmp_path / "arm.urdf", ConvertOptions(to="urdf"), packages=packages)
    write_conversion(imported, overwrite=True)
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(urdf.read_text().replace('<mass value="2"/>', '<mass value="3"/>'))
    options = ConvertOptions.of(to="usd", usd_form="layer")
    written = convert(
        [urdf, tmp_path / "arm.xrdf"], tmp_path / "layer.usda", options, packages=packages
    )
    text = written.files[0][1].decode()
    assert "subLayers = [@./stage.usda@]" in text
    assert "float physics:mass = 3" in text
    # Without the folder, the stage has no robot to change.
    with pytest.raises(FormatError):
        convert([urdf, tmp_path / "arm.xrdf"], tmp_path / "layer.usda", options)
