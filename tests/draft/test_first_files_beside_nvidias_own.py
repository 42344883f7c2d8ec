"""First files beside those that NVIDIA publishes for the same arms: what is the same, what differs,
and why.

The facts of NVIDIA's files stand here; where the files themselves are beside the repository, they
are held against them. Pairs that only NVIDIA ignores are listed one by one; pairs that only a first
file ignores need evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, LinkPair
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.open import open_robot
from editor_app.features.draft.verbs.new import NewSettings, NewXrdf, new
from editor_app.features.masks.engine.masks import Decision
from editor_app.features.masks.verbs.mask import MaskRules, mask
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from tests.helpers.breadth import only_deep
from tests.helpers.robots import SHARED, example_urdfs, ur10

#: Beginnings of reasons that a pair is ignored for by evidence.
EVIDENCE = ("adjacent", "never", "meshes ")


@dataclass(frozen=True)
class Published:
    """What a file of NVIDIA says. `unique`: its pairs that a first file checks, or has no spheres
    for, and why.

    `more`: links that have spheres in first files alone, and why.
    """

    file: str
    joints: tuple[str, ...]
    tool: str
    accelerations: tuple[float, ...]
    jerks: tuple[float, ...]
    positions: dict[str, float]
    buffers: dict[str, float]
    links: frozenset[str]
    ignored: dict[str, tuple[str, ...]]
    unique: dict[str, str]
    more: dict[str, str]

    @property
    def pairs(self) -> frozenset[LinkPair]:
        return frozenset(LinkPair.of(a, b) for a, others in self.ignored.items() for b in others)


_BASE = (
    "the base: obstacles reach it, too; NVIDIA leaves it out, or has it for self-collision alone"
)
UR10E = Published(
    "ur10e/ur10e.xrdf",
    tuple(
        f"{n}_joint"
        for n in ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
    ),
    "tool0",
    (12.0,) * 6,
    (500.0,) * 6,
    {
        "shoulder_lift_joint": -2.2,
        "elbow_joint": 1.9,
        "wrist_1_joint": -1.383,
        "wrist_2_joint": -1.57,
    },
    {"shoulder_link": 0.07, "tool0": 0.05},
    frozenset(
        (
            "shoulder_link",
            "upper_arm_link",
            "forearm_link",
            "wrist_1_link",
            "wrist_2_link",
            "wrist_3_link",
        )
    )
    | {"tool0"},
    {
        "upper_arm_link": ("forearm_link", "shoulder_link"),
        "forearm_link": ("wrist_1_link",),
        "wrist_1_link": ("wrist_2_link", "wrist_3_link"),
        "wrist_2_link": ("wrist_3_link", "tool0"),
        "wrist_3_link": ("tool0",),
    },
    {
        "tool0": (
            "a frame without a shape: NVIDIA keeps a place there for a tool, by a sphere of "
            "negative radius"
        )
    },
    {
        "base_link": _BASE,
        "base_link_inertia": _BASE,
        "ee_link": "a small box on the flange, in the URDF of the UR10",
    },
)
_TIPS = "the fingers of another URDF"
PANDA = Published(
    "panda/panda_v2_other_urdf.xrdf",
    tuple(f"panda_joint{n}" for n in range(1, 8)),
    "panda_leftfingertip",
    (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0),
    (7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0),
    {"panda_joint2": -1.3, "panda_joint4": -2.87, "panda_joint6": 2.0, "panda_joint7": 0.75},
    {},
    frozenset(f"panda_link{n}" for n in range(1, 8))
    | {"panda_hand", "panda_leftfingertip", "panda_rightfingertip"},
    {
        "panda_link0": ("panda_link1", "panda_link2"),
        "panda_link1": ("panda_link2", "panda_link3", "panda_link4"),
        "panda_link2": ("panda_link3", "panda_link4"),
        "panda_link3": ("panda_link4", "panda_link6"),
        "panda_link4": ("panda_link5", "panda_link6", "panda_link7"),
        "panda_link5": (
            "panda_link6",
            "panda_link7",
            "panda_hand",
            "panda_leftfingertip",
            "panda_rightfingertip",
        ),
        "panda_link6": ("panda_link7", "panda_hand", "panda_leftfingertip", "panda_rightfingertip"),
        "panda_link7": ("panda_hand", "panda_leftfingertip", "panda_rightfingertip"),
        "panda_hand": ("panda_leftfingertip", "panda_rightfingertip"),
        "panda_leftfingertip": ("panda_rightfingertip",),
    },
    {
        "panda_leftfingertip": _TIPS,
        "panda_rightfingertip": _TIPS,
        "panda_link5 panda_link7": "the meshes touch in a part of the range, so that the first file checks them",
        "panda_hand panda_link5": "the meshes touch in a part of the range, so that the first file checks them",
    },
    {"panda_link0": _BASE, "panda_leftfinger": _TIPS, "panda_rightfinger": _TIPS},
)


def example(stem: str) -> Path:
    return next(path for path in example_urdfs() if path.stem == stem)


def cases() -> list[tuple[Path, Published]]:
    return [(ur10(), UR10E), (example("panda"), PANDA)]


def made(urdf: Path) -> NewXrdf:
    return new(
        urdf,
        settings=NewSettings(
            True,
            True,
            budget=100,
            choices=FitChoices(effort="fast"),
            samples=4096,
            certify=0.0,
            cost_samples=0,
        ),
    )


@pytest.mark.parametrize("theirs", [UR10E, PANDA], ids=lambda each: each.file)
def test_facts_are_those_of_the_published_files(theirs: Published) -> None:
    path = SHARED / "robots" / theirs.file
    if not path.is_file():
        pytest.skip("NVIDIA's files are not beside the repository")
    xrdf = read_xrdf(SourceText.read(path)).value
    assert xrdf.cspace is not None
    assert xrdf.self_collision is not None
    assert xrdf.cspace.joint_names == theirs.joints
    assert (xrdf.cspace.acceleration_limits, xrdf.cspace.jerk_limits) == (
        theirs.accelerations,
        theirs.jerks,
    )
    assert xrdf.tool_frames == (theirs.tool,)
    assert theirs.positions.items() <= dict(xrdf.default_joint_positions or {}).items()
    assert (xrdf.self_collision.buffer_distance or {}) == theirs.buffers
    assert {
        link for link, spheres in xrdf.spheres_of(xrdf.world_group).items() if spheres
    } == theirs.links
    assert xrdf.self_collision.ignored_pairs() == theirs.pairs


def test_a_mask_of_nvidias_spheres_ignores_all_that_nvidia_does_and_nothing_that_was_seen_to_collide() -> (
    None
):
    robot = SHARED / "robots" / UR10E.file
    if not robot.is_file():
        pytest.skip("NVIDIA's files are not beside the repository")
    document = open_robot(robot.with_suffix(".urdf"), robot)
    # What the file ignores is forgotten: the evidence alone decides.
    judged = mask(document, samples=20_000, certify=0.0, rules=MaskRules(keep=False)).proposal
    assert judged.pairs >= UR10E.pairs
    more = {row.pair: row for row in judged.rows if row.pair in judged.pairs - UR10E.pairs}
    assert all(row.reason.startswith("never in 20000 samples") for row in more.values())
    assert {
        LinkPair.of("shoulder_link", "wrist_1_link"),
        LinkPair.of("shoulder_link", "wrist_2_link"),
    } <= set(more)
    assert LinkPair.of("upper_arm_link", "wrist_3_link") not in judged.pairs, (
        "the wrist reaches the upper arm"
    )


# In every run the first file of the sample robot is judged: test_first_file_is_one_that_plans.
@only_deep
@pytest.mark.parametrize(("urdf", "theirs"), cases(), ids=lambda each: getattr(each, "stem", ""))
def test_differences_are_those_that_are_explained(urdf: Path, theirs: Published) -> None:
    ours = made(urdf)
    xrdf = ours.document.robot.xrdf
    assert xrdf.cspace is not None
    assert xrdf.self_collision is not None
    assert ours.mask is not None
    assert xrdf.cspace.joint_names == theirs.joints
    # The URDF gives no accelerations: NVIDIA has them from the maker, a first file says that it
    # guessed.
    assert set(xrdf.cspace.acceleration_limits or ()) == {PLACEHOLDER_ACCELERATION}
    assert set(xrdf.cspace.jerk_limits or ()) == {PLACEHOLDER_JERK}
    assert {"acceleration_limits", "jerk_limits"} <= {
        g.content.split()[0] for g in ours.guesses if g.section == "cspace"
    }
    # NVIDIA's tool of the Panda is a fingertip of another URDF; a frame of the hand is meant for
    # it.
    (tool,) = xrdf.tool_frames or ()
    assert tool == theirs.tool or (theirs is PANDA and tool in ("panda_hand_tcp", "panda_hand"))
    # NVIDIA's pose is a person's choice; the first file's is free, too, and both stay off the
    # limits.
    assert ours.pose is not None
    assert ours.pose.is_free
    assert set(theirs.positions) <= set(xrdf.default_joint_positions or {})
    # Buffers are a person's choice, too; spheres that cover everything need none.
    assert not xrdf.self_collision.buffer_distance
    links = {link for link, spheres in xrdf.spheres_of(xrdf.world_group).items() if spheres}
    link_names = {link.name for link in ours.document.robot.urdf.links}
    assert (theirs.links - links) & link_names <= set(theirs.unique)
    assert links - theirs.links <= set(theirs.more)
    # Pairs.
    ignored = xrdf.self_collision.ignored_pairs()
    for pair in theirs.pairs - ignored:
        explained = {pair.first, pair.second, f"{pair.first} {pair.second}"} & set(theirs.unique)
        assert explained, f"only NVIDIA ignores {pair.first} and {pair.second}"
    rows = {row.pair: row for row in ours.mask.proposal.rows}
    for pair in ignored - theirs.pairs:
        assert rows[pair].decision is Decision.MASK
        assert rows[pair].reason.startswith(EVIDENCE), (
            f"only the first file ignores {pair.first} and {pair.second}"
        )
    assert ours.hidden == (), "nothing that collides is ignored"
