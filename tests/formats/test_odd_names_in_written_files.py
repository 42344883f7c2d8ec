"""Names and texts of a robot are no syntax and no code in written files: their readers get them as
they are."""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from lxml import etree
from ruamel.yaml import YAML

import editor_app
from editor_app.core.formats.registry import codec_named, writable
from editor_app.core.formats.trajectories import TrajectoryFormat, trajectory_csv, trajectory_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.xacro_text import escape_document
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import ConvertOptions, convert, write_conversion
from editor_app.core.verbs.pose_texts import pose_text
from editor_app.plugins.motion.cli import _collide_report
from tests.helpers.breadth import only_deep
from tests.helpers.odd_names import ODD, OddRobot, odd_robot

#: What names of links may be in all formats: XML can hold it, and no reader takes it for xacro.
NAMES = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="$\ufffe\uffff"), min_size=1, max_size=8),
    min_size=3, max_size=6, unique=True,
).filter(lambda names: all(name.strip() for name in names))  # fmt: skip


def files_of(robot: OddRobot, folder: Path, *, srdf: bool) -> list[Path]:
    texts = {"urdf": robot.urdf, "xrdf": robot.xrdf, **({"srdf": robot.srdf} if srdf else {})}
    for kind, text in texts.items():
        (folder / f"odd.{kind}").write_bytes(text.encode())
    return [folder / f"odd.{kind}" for kind in texts]


def written(
    robot: OddRobot, folder: Path, to: str, *, srdf: bool = False, **choices: Any
) -> dict[str, bytes]:
    """Name of each file that a format writes, relative to the folder -> content; they are on disk,
    too."""
    writer = codec_named(to).writer
    assert writer is not None
    out = folder / "written" / f"odd{writer.endings[0]}"
    conversion = convert(
        files_of(robot, folder, srdf=srdf), out, ConvertOptions.of(to=to, **choices)
    )
    write_conversion(conversion, overwrite=True)
    return {str(path.relative_to(folder / "written")): data for path, data in conversion.files}


def both_yamls(data: bytes) -> Any:
    """The value for a reader of YAML 1.1, which is that for a reader of 1.2."""
    old, new = yaml.safe_load(data), YAML(typ="safe", pure=True).load(io.BytesIO(data))
    assert old == new
    return old


def xml_names(data: bytes, tag: str, attribute: str = "name") -> list[str]:
    return [
        each.get(attribute, "") for each in etree.fromstring(data).iter(tag) if each.get(attribute)
    ]


def check_native(robot: OddRobot, folder: Path) -> None:
    data = written(robot, folder, "xrdf")["odd.xrdf"]
    drafted = draft_xrdf(read_urdf(SourceText.read(folder / "odd.urdf")).value)
    for text, frames in ((data, {*robot.links, robot.frame}), (drafted.encode(), None)):
        value = both_yamls(text)
        assert value["cspace"]["joint_names"] == list(robot.joints)
        assert set(value["default_joint_positions"]) == set(robot.joints)
        assert set(value["self_collision"]["ignore"]) == set(robot.links[:-1])
        if frames is not None:
            assert set(value["geometry"][robot.group]["spheres"]) == frames
    urdf = written(robot, folder, "urdf")["odd.urdf"]
    assert xml_names(urdf, "link") == list(robot.links)
    srdf = written(robot, folder, "srdf", srdf=True)["odd.srdf"]
    assert xml_names(srdf, "disable_collisions", "link2") == list(robot.links[1:])
    assert robot.group in xml_names(srdf, "group")


def check_yaml_formats(robot: OddRobot, folder: Path) -> None:
    curobo = both_yamls(written(robot, folder, "curobo")["odd.curobo.yml"])["robot_cfg"][
        "kinematics"
    ]
    assert set(curobo["collision_spheres"]) == {*robot.links, robot.frame}
    assert curobo["cspace"]["joint_names"] == list(robot.joints)
    assert curobo["self_collision_ignore"] == {
        a: [b] for a, b in zip(robot.links, robot.links[1:], strict=False)
    }
    assert set(curobo["extra_links"]) == {robot.frame}
    lula = both_yamls(written(robot, folder, "lula")["odd.lula.yaml"])
    assert lula["cspace"] == list(robot.joints)
    assert {name for entry in lula["collision_spheres"] for name in entry} == set(robot.links)
    rmpflow = both_yamls(written(robot, folder, "rmpflow")["oddrmpflow.yaml"])
    assert rmpflow["body_capsules"][0]["name"] == robot.links[0]
    listed = written(robot, folder, "spheres", sphere_list="ballpark")
    assert set(json.loads(listed["odd.spheres.json"])["spheres"]) == set(robot.links)
    # What no robot is, and a launch file hands to nodes of ROS.
    isaac = written(robot, folder, "isaac-folder")
    assert (
        both_yamls(isaac["odd.isaac/isaac_ros_cumotion.yaml"])["/**"]["ros__parameters"][
            "tool_frame"
        ]
        == robot.frame
    )
    assert json.loads(isaac["odd.isaac/policy_map.json"]) == {
        robot.name: {"RMPflow": "./config.json"}
    }


def check_xml_formats(robot: OddRobot, folder: Path) -> None:
    for name, options in (("spheres-urdf", {}), ("spheres-urdf", {"drake": True})):
        urdf = written(robot, folder, name, **options)["odd.urdf"]
        assert xml_names(urdf, "link") == list(robot.links)
        assert len(list(etree.fromstring(urdf).iter("sphere"))) == len(robot.links) + 1
    cricket = written(robot, folder, "cricket")
    assert set(xml_names(cricket["odd_spherized.urdf"], "link")) == {*robot.links, robot.frame}
    assert json.loads(cricket["odd.cricket.json"])["name"].isidentifier()
    collada = written(robot, folder, "collada")
    assert etree.fromstring(collada["odd.dae"]).tag.endswith("COLLADA")
    back = convert([folder / "written/odd.dae"], folder / "back.urdf").files[0][1]
    assert xml_names(back, "link") == list(robot.links)
    assert xml_names(back, "joint") == list(robot.joints)
    check_sdf(robot, folder)


def check_sdf(robot: OddRobot, folder: Path) -> None:
    """SDF reserves `::`, the world, and a name for links and joints together; all others are the
    robot's own."""
    sdf = written(robot, folder, "sdf")["odd.sdf"]
    names = [*xml_names(sdf, "link"), *xml_names(sdf, "joint"), *xml_names(sdf, "frame")]
    assert len(names) == len(set(names)) == len(robot.links) + len(robot.joints)
    plain = (name for name in (*robot.links, *robot.joints) if "::" not in name and name != "world")
    # Names are texts of elements, too, where blanks at the ends do not count.
    kept = {name for name in plain if name == name.strip()}
    assert len(kept - set(names)) <= len(set(robot.links) & set(robot.joints))
    back = convert([folder / "written/odd.sdf"], folder / "back_of_sdf.urdf").files[0][1]
    assert len(xml_names(back, "link")) == len(robot.links)


def check_mujoco(robot: OddRobot, folder: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    written(robot, folder, "mjcf")
    model = mujoco.MjModel.from_xml_path(str(folder / "written/odd.mjcf.xml"))
    others = {name for name in robot.links if name != "world"}
    assert {model.body(i).name for i in range(1, model.nbody)} == {*others, "world_2", robot.frame}
    assert [model.joint(i).name for i in range(model.njnt)] == list(robot.joints)
    assert model.nexclude == len(robot.links) - 1


def check_usd(robot: OddRobot, folder: Path) -> None:
    sdf = pytest.importorskip("pxr.Sdf", reason="usd-core is not installed")
    for layout in (None, "nested"):
        stage = sdf.Layer.CreateAnonymous()
        assert stage.ImportFromString(
            written(robot, folder, "usd", usd_layout=layout)["odd.usda"].decode()
        )
        prims: list[Any] = []
        stage.Traverse(stage.pseudoRoot.path, prims.append)
        specs = [stage.GetPrimAtPath(path) for path in prims if path.IsPrimPath()]
        names = [spec.GetInfo("displayName") or spec.name for spec in specs]
        assert set(robot.links) | set(robot.joints) | {robot.frame} <= set(names)
        layer = sdf.Layer.CreateAnonymous()
        paths: list[Any] = []
        assert layer.ImportFromString(
            written(robot, folder, "usd", usd_form="layer", usd_layout=layout)["odd.usda"].decode()
        )
        layer.Traverse(layer.pseudoRoot.path, paths.append)
        spheres = [path for path in paths if _is_sphere(layer, path)]
        pairs = [path for path in paths if path.name == "physics:filteredPairs"]
        assert len(spheres) == len(robot.links) + 1
        balls = {path.GetParentPath() for path in spheres}
        assert len(balls) == len(robot.links)
        ends = {
            frozenset((path.GetPrimPath(), target))
            for path in pairs
            for target in layer.GetRelationshipAtPath(path).targetPathList.prependedItems
        }
        assert len(ends) == len(robot.links) - 1
        assert set().union(*ends) == balls


def _is_sphere(layer: Any, path: Any) -> bool:
    prim = layer.GetPrimAtPath(path) if path.IsPrimPath() else None
    return prim is not None and prim.typeName == "Sphere"


def check_moveit(
    robot: OddRobot, folder: Path, monkeypatch: pytest.MonkeyPatch, *, srdf: bool
) -> None:
    xacro = pytest.importorskip("xacro")
    files = {
        name.partition("/")[2]: data
        for name, data in written(robot, folder, "moveit-package", srdf=srdf).items()
    }
    config = folder / "written/odd_moveit_config/config"
    monkeypatch.chdir(config)
    before = sorted(folder.rglob("*"))
    (top,) = config.glob("*.urdf.xacro")
    # The nodes themselves: as text, minidom turns line breaks in attributes into blanks.
    expanded = xacro.process_file(str(top), mappings={}).documentElement
    assert _named(expanded, "link") == list(robot.links)
    assert [n for n in _named(expanded, "joint") if n in robot.joints] == [
        *robot.joints,
        *robot.joints,
    ]
    assert {float(each.firstChild.data) for each in expanded.getElementsByTagName("param")} == {
        0.25
    }
    (gazebo,) = expanded.getElementsByTagName("x")
    assert (gazebo.getAttribute("v"), gazebo.firstChild.data) == (robot.extension, robot.extension)
    assert expanded.getAttribute("name") == robot.name
    # MoveIt's launch files hand the SRDF, and a URDF alone, to xacro as well.
    for suffix in ("urdf", "srdf"):
        (file,) = config.glob(f"*.{suffix}")
        root = xacro.process_file(str(file), mappings={}).documentElement
        assert root.getAttribute("name") == robot.name
    assert _named(root, "disable_collisions", "link1") == list(robot.links[:-1])
    groups = _named(root, "group")
    if srdf:
        assert set(_named(root, "disable_collisions", "reason")) == {robot.extension}
        assert robot.group in groups
    assert sorted(folder.rglob("*")) == before
    for name in (
        "joint_limits.yaml",
        "initial_positions.yaml",
        "ros2_controllers.yaml",
        "moveit_controllers.yaml",
    ):
        value = both_yamls(files[f"config/{name}"])
        if name == "initial_positions.yaml":
            assert set(value["initial_positions"]) == set(robot.joints)
        if name == "ros2_controllers.yaml":
            assert {
                joint for each in _parameters(value) for joint in each.get("joints", ())
            } == set(robot.joints)
    assert set(both_yamls(files["config/kinematics.yaml"])) <= set(groups)
    both_yamls(files[".setup_assistant"])
    etree.fromstring(files["package.xml"])
    project = files["CMakeLists.txt"].decode()
    assert project.count("(") == project.count(")") == 6
    for name, data in files.items():
        if name.endswith(".py"):
            constants = [n.value for n in ast.walk(ast.parse(data)) if isinstance(n, ast.Constant)]
            assert all(str(constant).isidentifier() for constant in constants)


def _named(root: Any, tag: str, attribute: str = "name") -> list[str]:
    return [
        each.getAttribute(attribute)
        for each in root.getElementsByTagName(tag)
        if each.hasAttribute(attribute)
    ]


def _parameters(value: Any) -> Iterator[dict[str, Any]]:
    for each in value.values():
        yield each["ros__parameters"]


@pytest.fixture
def robot() -> OddRobot:
    return odd_robot()


def test_xrdf_urdf_and_srdf_keep_odd_names(robot: OddRobot, tmp_path: Path) -> None:
    check_native(robot, tmp_path)


def test_yaml_and_json_keep_odd_names(robot: OddRobot, tmp_path: Path) -> None:
    check_yaml_formats(robot, tmp_path)


def test_urdf_with_spheres_cricket_and_collada_keep_odd_names(
    robot: OddRobot, tmp_path: Path
) -> None:
    check_xml_formats(robot, tmp_path)


def test_mujoco_loads_odd_names(robot: OddRobot, tmp_path: Path) -> None:
    check_mujoco(robot, tmp_path)


def test_openusd_loads_a_prim_for_each_odd_name(robot: OddRobot, tmp_path: Path) -> None:
    check_usd(robot, tmp_path)


@pytest.mark.parametrize("srdf", [True, False])
def test_xacro_runs_nothing_of_a_moveit_package(
    robot: OddRobot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, srdf: bool
) -> None:
    check_moveit(robot, tmp_path, monkeypatch, srdf=srdf)


def test_every_format_that_is_written_has_a_check() -> None:
    checked = {
        "xrdf", "urdf", "srdf", "curobo", "lula", "rmpflow", "spheres", "isaac-folder", "spheres-urdf", "cricket",
        "collada", "mjcf", "sdf", "usd", "moveit-package",
    }  # fmt: skip
    assert {codec.name for codec in writable()} == checked


@only_deep
@settings(max_examples=100, deadline=None, phases=[Phase.generate])
@given(NAMES, NAMES)
def test_random_names_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], others: list[str]
) -> None:
    robot = odd_robot(names, others)
    check_native(robot, tmp_path_factory.mktemp("native"))
    check_yaml_formats(robot, tmp_path_factory.mktemp("yaml"))
    with pytest.MonkeyPatch.context() as patch:
        check_moveit(robot, tmp_path_factory.mktemp("moveit"), patch, srdf=True)


def test_commands_to_xacro_in_a_robot_are_refused(tmp_path: Path) -> None:
    plain = '<robot name="r"><link name="a"/>{}</robot>'
    for inner in (
        '<gazebo><xacro:if value="1"/></gazebo>',
        '<gazebo><a xacro:b="1"/></gazebo>',
        "<!-- xacro:eval-comments --><!-- ${1/0} -->",
    ):
        (tmp_path / "r.urdf").write_text(plain.format(inner))
        with pytest.raises(editor_app.FormatError, match="is a xacro command"):
            convert([tmp_path / "r.urdf"], tmp_path / "r_moveit_config")


def test_expressions_spelt_as_references_are_escaped() -> None:
    text = (
        '<robot name="r"><gazebo v="&#36;{1/0} $&#123;1&#x7B; &#x24;&#40;arg '
        'x)"><![CDATA[${x}]]></gazebo></robot>'
    )
    escaped = escape_document(SourceText.from_text(text)).text
    import xacro

    (gazebo,) = etree.fromstring(xacro.parse(escaped).toxml().encode()).iter("gazebo")
    assert gazebo.get("v") == "$${1/0} $${1{ $$(arg x)"
    assert gazebo.text == "${x}"
    same = '<robot name="r"><!-- ${a} --><link name="a$b"/></robot>'
    assert escape_document(SourceText.from_text(same)).text == same


def test_poses_and_motions_keep_odd_names() -> None:
    pose = {name: 0.1 * number for number, name in enumerate(ODD)}
    assert ast.literal_eval(pose_text(pose, "python").partition("=")[2].strip()) == pose
    assert both_yamls(pose_text(pose).encode()) == pose
    motion = Trajectory(ODD, (tuple(pose.values()), tuple(pose.values())), (0.0, 1.0))
    head, *rows = csv.reader(io.StringIO(trajectory_csv(motion)))
    assert len(head) == len(ODD) + 1
    assert {len(row) for row in rows} == {len(ODD) + 1}
    for kind in (TrajectoryFormat.ROS, TrajectoryFormat.MOVEIT, TrajectoryFormat.CUROBO):
        assert set(ODD) <= set(_texts(both_yamls(trajectory_text(motion, kind).encode())))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for each in pair for text in _texts(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in _texts(each))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_pages_have_no_elements_of_odd_names(robot: OddRobot, tmp_path: Path) -> None:
    pages = []
    for names in (robot, odd_robot([f"n{number}" for number in range(len(ODD))], ["a", "b", "c"])):
        (tmp_path / names.links[1][:1]).mkdir(exist_ok=True)
        document = editor_app.open_robot(*files_of(names, tmp_path, srdf=True))
        points = tuple((position,) * len(names.joints) for position in (0.25, 0.26))
        report = editor_app.report_motion(document, Trajectory(names.joints, points))
        editor_app.write_report(report, tmp_path / "motion.html", overwrite=True)
        collided = editor_app.collide(document, dict.fromkeys(names.joints, 0.25))
        record = _collide_report.build_collide_record(
            {"robot": names.name, "files": [names.extension], "scene": None}, collided
        )
        texts = (tmp_path / "motion.html").read_text(), _collide_report.PAGES["html"](record)
        parsers = []
        for text in texts:
            parser = _Tags()
            parser.feed(text)
            parsers.append(parser)
        pages.append([set(parser.tags) for parser in parsers])
        assert all("script" not in parser.tags for parser in parsers)
    assert pages[0] == pages[1]


def test_reasons_and_drafts_write_no_lines_of_their_own(robot: OddRobot, tmp_path: Path) -> None:
    files = files_of(robot, tmp_path, srdf=True)
    text = convert([files[0], files[2]], tmp_path / "out.xrdf").files[0][1]
    value = both_yamls(text)
    assert set(value) == {
        "format", "format_version", "default_joint_positions", "cspace", "tool_frames", "collision", "self_collision",
        "geometry",
    }  # fmt: skip
    assert value["cspace"]["joint_names"] == list(robot.joints)
    assert read_xrdf(SourceText.from_bytes(text)).findings == ()
