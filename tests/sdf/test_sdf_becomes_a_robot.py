"""A robot that exists only as SDF: the URDF has its frames, masses and shapes, and losses are
reported."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Ball, Box, Cylinder, Joint, JointType, Mesh, Urdf
from editor_app.core.model.xrdf import LinkPair, Xrdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import build_axis_rotation, rpy_matrix, transform
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert

BOX = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"


def model(inner: str, version: str = "1.11", attributes: str = "") -> str:
    return f'<sdf version="{version}"><model name="arm" {attributes}>{inner}</model></sdf>'


def converted(
    folder: Path, text: str, model: str | None = None
) -> tuple[Urdf, Srdf, Xrdf, Conversion]:
    path = folder / "arm.sdf"
    path.write_text(text)
    conversion = convert([path], folder / "arm.urdf", ConvertOptions.of(model=model))
    files = {name.suffix: SourceText.from_bytes(data, name) for name, data in conversion.files}
    return (
        read_urdf(files[".urdf"]).value,
        read_srdf(files[".srdf"]).value,
        read_xrdf(files[".xrdf"]).value,
        conversion,
    )


def lost(conversion: Conversion) -> dict[str, str]:
    return {e.item: e.detail for report in conversion.reports for e in report.of(Fate.LOST)}


def frames(urdf: Urdf, **positions: float) -> dict[str, np.ndarray]:
    """(4, 4) of each link in the root."""
    tree = get_tree(RobotDescription(urdf, Xrdf()))
    placed = compute_forward(tree, positions)
    return dict(zip(tree.frames, placed, strict=True))


def named(urdf: Urdf, name: str) -> Joint:
    joint = urdf.joint(name)
    assert joint is not None
    return joint


ARM = model(
    f"""
    <link name="base"><inertial><mass>2</mass><pose>0 0 0.1 0 0 0.5</pose>
      <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy></inertia></inertial>
      <collision name="c">{BOX}</collision></link>
    <link name="upper"><pose degrees="true">0.1 0 0.5 0 90 0</pose><collision name="c">{BOX}</collision></link>
    <link name="fore"><pose relative_to="upper" rotation_format="quat_xyzw">
        0 0 0.4 0 0 0.7071067811865476 0.7071067811865476</pose>
      <collision name="c"><pose relative_to="tool">0 0 0 0 0 0</pose>{BOX}</collision></link>
    <frame name="tool" attached_to="fore"><pose>0 0 0.2 0 0 0</pose></frame>
    <joint name="turn" type="revolute"><parent>base</parent><child>upper</child>
      <axis><xyz expressed_in="__model__">0 0 2</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort>
      <velocity>3</velocity></limit><dynamics><damping>0.5</damping><friction>0.1</friction></dynamics></axis></joint>
    <joint name="bend" type="revolute"><pose>0 0.05 -0.4 0 0 0</pose><parent>upper</parent><child>fore</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
    """
)


def test_frames_are_where_the_file_puts_them_at_any_position(tmp_path: Path) -> None:
    urdf, *_ = converted(tmp_path, ARM)
    base_upper = transform(rpy_matrix(0, math.pi / 2, 0), (0.1, 0, 0.5))
    upper_fore = transform(rpy_matrix(0, 0, math.pi / 2), (0, 0, 0.4))
    joint = transform(None, (0, 0.05, -0.4))
    turn, bend = 0.7, -1.1
    # The first axis is the model's z; the second one goes through the frame of the joint, away from
    # the link.
    upper = transform(base_upper[:3, :3]).copy()
    upper[:3, :3] = build_axis_rotation((0, 0, 1), turn) @ base_upper[:3, :3]
    upper[:3, 3] = base_upper[:3, 3]
    fore = (
        upper
        @ upper_fore
        @ joint
        @ transform(build_axis_rotation((0, 1, 0), bend))
        @ np.linalg.inv(joint)
    )
    at = frames(urdf, turn=turn, bend=bend)
    assert np.abs(at["upper"] - upper).max() < 1e-12
    assert np.abs(at["fore"] - fore).max() < 1e-12
    assert np.abs(at["tool"] - fore @ transform(None, (0, 0, 0.2))).max() < 1e-12
    assert urdf.links[0].name == "base"


def test_inertia_limits_and_dynamics_are_those_of_the_file(tmp_path: Path) -> None:
    urdf, *_ = converted(tmp_path, ARM)
    base, turn, bend = urdf.link("base"), named(urdf, "turn"), named(urdf, "bend")
    assert base is not None
    assert base.inertial is not None
    assert base.inertial.mass == 2
    assert base.inertial.inertia == (0.1, 0.01, 0, 0.2, 0, 0.25)
    assert base.inertial.origin.rpy == (0, 0, 0.5)
    assert turn.limit is not None
    assert (turn.limit.lower, turn.limit.upper, turn.limit.effort, turn.limit.velocity) == (
        -1,
        2,
        5,
        3,
    )
    assert turn.dynamics is not None
    assert (turn.dynamics.damping, turn.dynamics.friction) == (0.5, 0.1)
    assert bend.type is JointType.CONTINUOUS
    fore = urdf.link("fore")
    assert fore is not None
    # SDF says 1 kg of a link without <inertial>, and the pose of a shape may be relative to any
    # frame.
    assert fore.inertial is not None
    assert fore.inertial.mass == 1
    assert fore.collisions[0].origin.xyz == (0, 0, 0.2)


def test_neighbours_are_ignored_and_switched_off_pairs_reported(tmp_path: Path) -> None:
    _, srdf, xrdf, conversion = converted(tmp_path, ARM)
    assert {LinkPair.of("base", "upper"), LinkPair.of("upper", "fore")} <= xrdf.ignored_pairs()
    assert LinkPair.of("base", "fore") not in xrdf.ignored_pairs()
    assert srdf.disabled() == {LinkPair.of("base", "upper"), LinkPair.of("upper", "fore")}
    assert "self_collide" in lost(conversion)
    on = ARM.replace("<link", "<self_collide>true</self_collide><link", 1)
    _, _, xrdf, conversion = converted(tmp_path, on)
    assert "self_collide" not in lost(conversion)
    one_off = on.replace('<link name="fore">', '<link name="fore"><self_collide>0</self_collide>')
    _, srdf, xrdf, _ = converted(tmp_path, one_off)
    assert LinkPair.of("base", "fore") in srdf.disabled() & xrdf.ignored_pairs()


@pytest.mark.parametrize(
    ("version", "switch", "axis"),
    [
        ("1.4", "", (0, 0, 1)),
        ("1.5", "", (1, 0, 0)),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (0, 0, 1)),
        ("1.7", "<use_parent_model_frame>1</use_parent_model_frame>", (1, 0, 0)),
    ],
)
def test_the_axis_is_in_the_frame_of_the_version(
    tmp_path: Path, version: str, switch: str, axis: tuple[float, float, float]
) -> None:
    """A link that is turned by 90° about y: its x points to -z of the model."""
    text = model(
        '<link name="a"/><link name="b"><pose>0 0 1 0 1.5707963267948966 0</pose></link>'
        '<joint name="j" type="revolute"><parent>a</parent><child>b</child>'
        f"<axis><xyz>-1 0 0</xyz>{switch}</axis></joint>",
        version,
    )
    urdf, *_ = converted(tmp_path, text)
    direction = frames(urdf)["b"][:3, :3] @ np.array(named(urdf, "j").axis)
    assert np.allclose(direction, (-1, 0, 0) if axis == (0, 0, 1) else (0, 0, 1))


def test_joints_of_several_axes_become_joints_in_series(tmp_path: Path) -> None:
    def joint(kind: str, child: str, inner: str = "") -> str:
        ends = f"<parent>base</parent><child>{child}</child>"
        return f'<link name="{child}"/><joint name="j{child}" type="{kind}">{ends}{inner}</joint>'

    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
    text = model(
        '<link name="base"/>'
        + joint("universal", "u", axes)
        + joint("revolute2", "r", axes)
        + joint("ball", "b")
        + joint(
            "screw",
            "s",
            "<screw_thread_pitch>0.5</screw_thread_pitch><axis><xyz>0 0 1</xyz></axis>",
        )
        + joint("screw", "old", "<thread_pitch>-4</thread_pitch><axis><xyz>0 0 1</xyz></axis>")
    )
    urdf, *_ = converted(tmp_path, text)
    at = frames(
        urdf,
        ju_axis=0.3,
        ju_axis2=0.4,
        jr_axis=0.3,
        jr_axis2=0.4,
        jb_x=0.1,
        jb_y=0.2,
        jb_z=0.3,
        js=2.0,
    )
    both = build_axis_rotation((1, 0, 0), 0.3) @ build_axis_rotation((0, 1, 0), 0.4)
    assert np.allclose(at["u"][:3, :3], both)
    assert np.allclose(at["r"][:3, :3], both)
    ball = (
        build_axis_rotation((1, 0, 0), 0.1)
        @ build_axis_rotation((0, 1, 0), 0.2)
        @ build_axis_rotation((0, 0, 1), 0.3)
    )
    assert np.allclose(at["b"][:3, :3], ball)
    assert np.allclose(at["s"][:3, 3], (0, 0, 0.5 * 2.0 / math.tau))
    mimic = named(urdf, "jold_slide").mimic
    assert mimic is not None
    assert mimic.multiplier == pytest.approx(0.25)


def test_mimics_and_gearboxes_follow_their_leader(tmp_path: Path) -> None:
    def turning(name: str, child: str, axis: str, mimic: str = "") -> str:
        return (
            f'<link name="{child}"/><joint name="{name}" '
            f'type="revolute"><parent>base</parent><child>{child}</child>'
            f"<axis><xyz>{axis}</xyz>{mimic}</axis></joint>"
        )

    follow = (
        "<mimic "
        'joint="a"><multiplier>2</multiplier><offset>0.5</offset><reference>0.1</reference></mimic>'
    )
    gear = (
        '<joint name="gear" '
        'type="gearbox"><parent>one</parent><child>three</child><gearbox_ratio>3</gearbox_ratio>'
        "<gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
        "<axis2><xyz>0 0 1</xyz></axis2></joint>"
    )
    links = (
        turning("a", "one", "0 0 1")
        + turning("b", "two", "0 1 0", follow)
        + turning("c", "three", "0 0 -1")
    )
    urdf, *_ = converted(tmp_path, model(f'<link name="base"/>{links}{gear}'))
    mimic, geared = named(urdf, "b").mimic, named(urdf, "c").mimic
    assert mimic is not None
    assert geared is not None
    # position = multiplier (leader - reference) + offset
    assert (mimic.joint, mimic.multiplier) == ("a", 2)
    assert mimic.offset == pytest.approx(0.3)
    # The second angle is -ratio times the first; the joint turns the other way round.
    assert (geared.joint, geared.multiplier) == ("a", 3)


def test_names_and_poses_of_nested_models_are_those_of_the_file(tmp_path: Path) -> None:
    inner = (
        '<model name="hand" placement_frame="flange"><pose relative_to="wrist">0 0 0.1 0 0 0</pose>'
        '<link name="palm"/><frame name="flange"><pose>0 0 -0.2 0 0 0</pose></frame></model>'
    )
    fixed = (
        '<joint name="mount" type="fixed"><parent>wrist</parent><child>hand::palm</child></joint>'
    )
    text = model(f'<link name="wrist"><pose>1 0 0 0 0 0</pose></link>{inner}{fixed}')
    urdf, *_ = converted(tmp_path, text)
    assert {"wrist", "hand::palm", "hand::flange"} == {link.name for link in urdf.links}
    at = frames(urdf)
    assert np.allclose(at["hand::flange"][:3, 3], (0, 0, 0.1))
    assert np.allclose(at["hand::palm"][:3, 3], (0, 0, 0.3))


def test_included_models_are_read_from_folders_next_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "meshes").mkdir()
    (tmp_path / "hand" / "meshes" / "palm.stl").write_text("solid palm\nendsolid\n")
    (tmp_path / "hand" / "model.config").write_text(
        '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.9">hand.sdf</sdf></model>'
    )
    mesh = (
        "<visual name='v'><geometry><mesh><uri>meshes/palm.stl</uri><scale>2 2 "
        "2</scale></mesh></geometry></visual>"
    )
    (tmp_path / "hand" / "hand.sdf").write_text(
        '<sdf version="1.9"><model name="hand"><link name="palm"><pose>0 0 1 0 0 '
        f"0</pose>{mesh}</link></model></sdf>"
    )
    include = (
        '<include {}><uri>model://hand</uri><name>left</name><pose relative_to="wrist">0 1 0 0 0 '
        "0</pose></include>"
    )
    mount = '<joint name="mount" type="fixed"><parent>wrist</parent><child>{}palm</child></joint>'
    for merge, prefix in (("", "left::"), ('merge="true"', "")):
        text = model('<link name="wrist"/>' + include.format(merge) + mount.format(prefix))
        urdf, *_ = converted(tmp_path, text)
        assert np.allclose(frames(urdf)[f"{prefix}palm"][:3, 3], (0, 1, 1))
        palm = urdf.link(f"{prefix}palm")
        assert palm is not None
        # The mesh is below the folder of the file, and so is the URDF.
        assert palm.visuals[0].geometry == Mesh("hand/meshes/palm.stl", (2, 2, 2))


def test_parents_and_children_are_exchanged_where_that_makes_a_tree(tmp_path: Path) -> None:
    """Two legs are parents of one foot: only one of them can carry it."""

    def joint(name: str, parent: str, child: str) -> str:
        axis = "<axis><xyz>0 1 0</xyz></axis>"
        return (
            f'<joint name="{name}" '
            f'type="revolute"><parent>{parent}</parent><child>{child}</child>{axis}</joint>'
        )

    links = (
        '<link name="a"/><link name="foot"><pose>0 0 1 0 0 0</pose></link>'
        '<link name="b"><pose>1 0 1 0 0 0</pose></link>'
    )
    urdf, _, _, conversion = converted(
        tmp_path, model(links + joint("one", "a", "foot") + joint("two", "b", "foot"))
    )
    assert (named(urdf, "two").parent, named(urdf, "two").child) != ("b", "foot")
    at = frames(urdf, one=0.0, two=0.3)
    # The foot turns by 0.3 in the frame of b: so b turns by -0.3 about the origin of the foot.
    assert np.allclose(
        np.linalg.inv(at["b"]) @ at["foot"],
        transform(build_axis_rotation((0, 1, 0), 0.3), (-1, 0, 0)),
    )
    loop = joint("one", "a", "foot") + joint("two", "a", "b") + joint("three", "b", "foot")
    urdf, _, _, conversion = converted(tmp_path, model(links + loop))
    assert "closes a loop" in lost(conversion)["joint"]


def test_a_world_leaves_the_choice_of_the_model(tmp_path: Path) -> None:
    def arm(name: str, x: int) -> str:
        joint = (
            '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 '
            "1</xyz></axis></joint>"
        )
        return (
            f'<model name="{name}"><pose>{x} 0 0 0 0 0</pose><link name="a"/><link '
            f'name="b"/>{joint}</model>'
        )

    floor = '<model name="floor"><static>1</static><link name="l"/></model><light name="sun"/>'
    world = '<sdf version="1.9"><world name="w">{}</world></sdf>'
    urdf, _, _, conversion = converted(tmp_path, world.format(floor + arm("left", 1)))
    assert urdf.name == "left"
    assert {"model", "world"} <= lost(conversion).keys()
    both = world.format(floor + arm("left", 1) + arm("right", 2))
    with pytest.raises(FormatError, match=r"2 robots.*--model.*left, right"):
        converted(tmp_path, both)
    urdf, *_ = converted(tmp_path, both, model="right")
    assert urdf.name == "right"
    urdf, *_ = converted(tmp_path, both, model="*")
    assert np.allclose(frames(urdf)["right::a"][:3, 3], (2, 0, 0))
    assert urdf.links[0].name == "world"
    with pytest.raises(FormatError, match="no model 'other'"):
        converted(tmp_path, both, model="other")


def test_every_shape_has_its_size_or_is_reported(tmp_path: Path) -> None:
    shapes = [
        "<box><size>1 2 3</size></box>",
        "<sphere><radius>0.5</radius></sphere>",
        "<cylinder><radius>0.1</radius><length>2</length></cylinder>",
        "<capsule><radius>0.1</radius><length>2</length></capsule>",
        "<ellipsoid><radii>1 2 3</radii></ellipsoid>",
        "<cone><radius>0.1</radius><length>2</length></cone>",
        "<polyline><point>0 0</point><point>2 0</point><point>2 2</point><point>1 0.5</point>"
        "<height>0.5</height></polyline>",
        "<plane><normal>0 0 1</normal></plane>",
    ]
    inner = "".join(
        f'<collision name="c{i}"><geometry>{s}</geometry></collision>' for i, s in enumerate(shapes)
    )
    urdf, _, _, conversion = converted(tmp_path, model(f'<link name="a">{inner}</link>'))
    shapes_read = [collision.geometry for collision in urdf.links[0].collisions]
    assert shapes_read[:4] == [Box((1, 2, 3)), Ball(0.5), Cylinder(0.1, 2), Cylinder(0.1, 2)]
    assert [c.origin.xyz[2] for c in urdf.links[0].collisions if c.name == "c3"] == [0, -1, 1]
    assert [g.scale for g in shapes_read if isinstance(g, Mesh)] == [
        (1, 2, 3),
        (0.1, 0.1, 2),
        (1, 1, 1),
    ]
    assert "collision/geometry/plane" in lost(conversion)
    meshes = {path.stem: data.decode() for path, data in conversion.files if path.suffix == ".obj"}
    outline = np.array(
        [line.split()[1:] for line in meshes["polyline_2"].splitlines() if line[0] == "v"],
        dtype=float,
    )
    assert np.ptp(outline, axis=0).tolist() == [2, 2, 0.5]


def test_an_inertia_to_be_computed_is_that_of_the_collision_shapes(tmp_path: Path) -> None:
    text = model(
        '<link name="a"><inertial auto="true"><density>500</density></inertial>'
        '<collision name="c"><pose>0 0 1 0 0 0</pose>'
        "<geometry><box><size>1 2 3</size></box></geometry></collision></link>"
    )
    urdf, *_ = converted(tmp_path, text)
    inertial = urdf.links[0].inertial
    assert inertial is not None
    assert inertial.mass == 3000
    assert inertial.origin.xyz == (0, 0, 1)
    assert inertial.inertia[0] == pytest.approx(3000 / 12 * (4 + 9))


HOSTILE = {
    "an entity": ('<!DOCTYPE a [<!ENTITY x "y">]>' + ARM, "entity"),
    "an absolute include": (model("<include><uri>/etc/passwd</uri></include>"), "only model://"),
    "a world without its models": (
        '<sdf version="1.9"><world '
        'name="w"><include><uri>model://gone</uri></include></world></sdf>', "--package gone"
    ),
    "a "
    "remote include": (model("<include><uri>https://example.org/a</uri></include>"), "nothing is downloaded"),
    "an include outside": (model("<include><uri>../other.sdf</uri></include>"), "leads out"),
    "an include of a "
    "model outside": (model("<include><uri>model://a/../../b</uri></include>"), "leads out"),
    "a file that includes "
    "itself": (model('<include><uri>arm.sdf</uri></include>'), "includes itself"),
    "frames in a circle": (
        model('<link name="a"><pose relative_to="b"/></link><link name="b"><pose relative_to="a"/></link>'
              '<joint name="j" '
              'type="fixed"><parent>a</parent><child>b</child></joint>'), "depends on itself"
    ),
    "a frame on itself": (
        model('<link name="a"/><frame name="f" attached_to="f"/>'), "depends on itself"
    ),
    "a placement outside": (
        '<sdf version="1.9"><model name="a" placement_frame="world"><link name="b"/></model></sdf>',
        "no frame in its model"
    ),
    "placements in a circle": (
        model('<link name="a"/><include merge="true"><uri>model://m</uri><name>m</name></include>'
              '<include '
              'merge="true"><uri>model://n</uri><name>n</name></include>'), "depends on itself"
    ),
    "includes in a "
    "circle": (model("<include><uri>model://first</uri></include>"), "includes itself"),
    "a model "
    "that is a "
    "pipe": (model("<include><uri>model://pipe</uri></include>"), "it is a pipe, not a file"),
    "a file that "
    "is a pipe": (model("<include><uri>pipe.sdf</uri></include>"), "it is a pipe, not a file"),
    "a link out of "
    "the folder": (model("<include><uri>link.sdf</uri></include>"), "leads out of its folder"),
    "a folder out of the "
    "folder": (model("<include><uri>out</uri></include>"), "leads out of its folder"),
    "a manifest that "
    "leads out": (model("<include><uri>model://cheat</uri></include>"), "not in its folder"),
    "a missing "
    "model": (model("<include><uri>model://gone</uri></include>"), "--package gone=FOLDER"),
    "a file:// "
    "include": (model("<include><uri>file:///etc/a.sdf</uri></include>"), "is not included"),
    "laughs by the billion": (
        '<!DOCTYPE sdf [<!ENTITY a "lol"><!ENTITY b '
        '"&a;&a;&a;&a;">]>' + model('<link name="&b;"/>'), "entity 'a'"
    ),
    "a text of another file": (
        '<!DOCTYPE sdf [<!ENTITY a SYSTEM '
        '"file:///etc/passwd">]>' + model('<link name="a">&a;</link>'), "entity 'a'"
    ),
    "deep nesting": (model("<link>" * 5000 + "</link>" * 5000), "200 deep"),
    "models in models": (model("".join(f'<model name="m{n}">' for n in range(90)) + "</model>" * 90), "60 deep"),
    "a "
    "pose without measure": (model('<link name="a"><pose>1e300 0 0 0 0 0</pose></link>'), "more than 1e.12 m away"),
    "no number": (model('<link name="a"><pose>0 0 zero 0 0 0</pose></link>'), "6 finite numbers"),
    "a "
    "number without end": (model('<link name="a"><inertial><mass>inf</mass></inertial></link>'), "must be finite"),
    "a link twice": (model('<link name="a"/>' * 2), "two frames 'a'"),
    "a missing link": (model('<link name="a"/><joint name="j" type="fixed"><parent>a</parent><child>c</child></joint>'),
                       "'c', which does not exist"),
    "no axis": (
        model('<link name="a"/><link name="b"/><joint name="j" type="revolute"><parent>a</parent><child>b</child>'
              "<axis><xyz>0 0 0</xyz></axis></joint>"), "no direction"
    ),
    "no model": ('<sdf version="1.9"/>', "no model"),
    "another root": ("<sdff/>", "<sdf version"),
    "an ancient version": ('<sdf version="1.0"/>', "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_with_their_line(tmp_path: Path, case: str) -> None:
    text, sentence = HOSTILE[case]
    for name, other in (("m", "n"), ("n", "m")):
        (tmp_path / name).mkdir()
        frame = f'<frame name="f_{name}"><pose relative_to="_merged__{other}__model__"/></frame>'
        inner = (
            f'<model name="{name}" placement_frame="f_{name}"><link '
            f'name="l_{name}"/>{frame}</model>'
        )
        (tmp_path / name / "model.sdf").write_text(f'<sdf version="1.9">{inner}</sdf>')
    for name, other in (("first", "second"), ("second", "first")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.sdf").write_text(
            model(f"<include><uri>model://{other}</uri></include>")
        )
    for name in ("pipe", "cheat"):
        (tmp_path / name).mkdir()
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe" / "model.sdf")
        os.mkfifo(tmp_path / "pipe.sdf")
    elif "pipe" in case:
        pytest.skip("Windows has no pipes among its files")
    (tmp_path / "cheat" / "model.config").write_text(
        '<model><sdf version="1.9">../../arm.sdf</sdf></model>'
    )
    outside = tmp_path.with_name(f"{tmp_path.name}_outside")
    outside.mkdir()
    (outside / "model.sdf").write_text(model('<link name="a"/>'))
    (tmp_path / "out").symlink_to(outside)
    (tmp_path / "link.sdf").symlink_to(outside / "model.sdf")
    with pytest.raises(FormatError, match=sentence) as refused:
        converted(tmp_path, text)
    assert refused.value.location.line is not None


def test_copies_of_copies_have_a_limit(tmp_path: Path) -> None:
    for level in range(30):
        twice = f"<include><uri>model://m{level + 1}</uri><name>{{}}</name></include>"
        (tmp_path / f"m{level}").mkdir()
        inner = "<link name='a'/>" + (twice.format("x") + twice.format("y")) * (level < 29)
        (tmp_path / f"m{level}" / "model.sdf").write_text(
            f'<sdf version="1.9"><model name="m">{inner}</model></sdf>'
        )
    with pytest.raises(FormatError, match="the limit"):
        converted(tmp_path, model("<include><uri>model://m0</uri></include>"))


def test_check_and_the_command_line_read_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.world").write_text(ARM)
    assert run_command("convert", [str(tmp_path / "arm.world"), str(tmp_path / "arm.urdf")]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} == {".world", ".urdf", ".srdf", ".xrdf"}
    capsys.readouterr()
    assert run_command("check", [str(tmp_path / "arm.world")]) == 0
    assert "arm.world: warning URDF059: lost: self_collide" in capsys.readouterr().out


def test_check_finds_meshes_of_packages_and_diff_compares_with_the_urdf(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` converts into another folder, from which neighbours of the file are not found by
    themselves."""
    home = tmp_path / "arm"
    (tmp_path / "parts" / "meshes").mkdir(parents=True)
    home.mkdir()
    facets = (
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\n"
    )
    (tmp_path / "parts" / "meshes" / "a.stl").write_text(f"solid a\n{facets}endsolid a\n")
    uri = "<geometry><mesh><uri>model://parts/meshes/{}.stl</uri></mesh></geometry>"
    links = f'<link name="a"><visual name="v">{uri.format("a")}</visual></link>'
    (home / "arm.sdf").write_text(model(links))
    assert run_command("check", [str(home / "arm.sdf")]) == 0
    assert "a.stl" not in capsys.readouterr().out
    (home / "arm.sdf").write_text(model(links.replace("/a.stl", "/b.stl")))
    run_command("check", [str(home / "arm.sdf")])
    assert "b.stl" in capsys.readouterr().out
    assert run_command("convert", [str(home / "arm.sdf"), str(home / "same.urdf")]) == 0
    capsys.readouterr()
    assert run_command("diff", [str(home / "arm.sdf"), str(home / "same.urdf")]) == 0
    (home / "same.urdf").write_text(
        (home / "same.urdf").read_text().replace('mass value="1"', 'mass value="2"')
    )
    capsys.readouterr()
    assert run_command("diff", [str(home / "arm.sdf"), str(home / "same.urdf")]) == 1
    assert "mass" in capsys.readouterr().out


#: Links at places and with joints of every kind, and one of a nested model that is placed by a
#: frame in it.
EVERY = """<sdf version="1.9"><model name="arm"><link name="a"/>
<link name="b"><pose relative_to="a" degrees="true">1 0 0 90 0 20</pose></link>
<link name="c"><pose relative_to="b">0 1 0 0 0 1</pose></link>
<link name="d"><pose relative_to="c">0 0 1 0 0 0</pose></link>
<link name="e"><pose>3 0 0 0 0 0</pose></link>
<frame name="f" attached_to="b"><pose>0 0 1 0 0.3 0</pose></frame>
<joint name="j" type="revolute"><pose>0 0.5 0 0 0 0</pose><parent>a</parent><child>b</child>
<axis><xyz expressed_in="__model__">0 0 1</xyz></axis></joint>
<joint name="k" type="universal"><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz></axis>
<axis2><xyz>0 1 0</xyz></axis2></joint>
<joint name="l" type="ball"><parent>c</parent><child>d</child></joint>
<joint name="m" type="screw"><parent>d</parent><child>e</child><axis><xyz>0 0 1</xyz></axis>
<screw_thread_pitch>0.1</screw_thread_pitch></joint>
<model name="n" placement_frame="p"><pose relative_to="f">0 0 0 0 0 0</pose><link name="x"/>
<frame name="p" attached_to="x"><pose>0 1 0 0 0 0</pose></frame></model>
<joint name="o" type="prismatic"><parent>f</parent><child>n::x</child>
<axis><xyz expressed_in="a">0 1 0</xyz></axis></joint></model></sdf>"""
#: Of each link in `a`, by Drake 1.51 with the positions below; its ball joint at roll, pitch, yaw
#: of 0.2, -0.5, 0.6.
BY_DRAKE = {
    "b": [[0.498381134, 0, 0.866958041, 1], [0.866958041, 0, -0.498381134, 0], [0, 1, 0, 0]],
    "c": [
        [0.618812492, -0.144438962, 0.772145379, 1],
        [0.329986236, -0.844218806, -0.422378611, 0],
        [0.712867578, 0.516170508, -0.474750274, 1],
    ],
    "d": [
        [0.746819741, -0.365532066, 0.555559703, 1.772145379],
        [-0.381817646, -0.919664224, -0.091831369, -0.422378611],
        [0.544495693, -0.143541019, -0.82638999, 0.525249726],
    ],
    "e": [
        [0.140775265, -0.891337333, 0.430929325, 2.509643662],
        [0.477584411, -0.320134589, -0.818185171, 1.477187404],
        [0.867234371, 0.320985362, 0.380621784, 1.192300754],
    ],
    "n::x": [
        [0.219918063, 0, 0.975518347, 1.70590362],
        [0.975518347, 0, -0.219918063, -0.307170587],
        [0, 1, 0, -1],
    ],
}


def test_frames_of_joints_of_every_kind_are_those_of_drake(tmp_path: Path) -> None:
    urdf, *_ = converted(tmp_path, EVERY)
    ball = {"l_x": 0.4629331673257268, "l_y": -0.27923715712268193, "l_z": 0.7174485356330197}
    slide = 1.1 * 0.1 / math.tau
    at = frames(urdf, j=0.7, k_axis=0.3, k_axis2=-0.4, m=1.1, m_slide=slide, o=0.25, **ball)
    for link, frame in BY_DRAKE.items():
        assert np.abs((np.linalg.inv(at["a"]) @ at[link])[:3] - frame).max() < 1e-8, link
