"""The report of compare_behaviour: as a record for JSON, as lines of text, and as parts of a page
with pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editor_app.core.formats.moveit_package import find_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.verbs.pages import Markup, build_list, build_table, mark_text
from editor_app.core.verbs.pairing import robot_beside
from editor_app.core.verbs.robot_picture import Drawing, draw_all, render_figure
from editor_app.plugins.behaviour.verbs.behaviour import BehaviourDiff, Cause, VerdictChange
from editor_app.plugins.comparison.verbs.diff import RobotSide

#: Changes that the text names, and changes that a page shows in pictures.
_MOST_LINES, MOST_DRAWN = 8, 6


def behaviour_record(result: BehaviourDiff) -> dict[str, Any]:
    """Return the comparison as plain values: metres and radians."""
    return {
        "same": result.is_same,
        "configurations": result.configurations,
        "seed": result.seed,
        "joints": list(result.joints),
        "free_old": result.free[0],
        "free_new": result.free[1],
        "changed": result.changed,
        "changes": [
            {
                "now": "blocked" if change.is_blocked_now else "free",
                "names": list(change.names),
                "cause": change.cause.value,
                "text": change.sentence,
                "cases": [
                    {
                        "index": case.index,
                        "depth": case.depth,
                        "gap": case.gap,
                        "pose": dict(case.pose),
                    }
                    for case in change.cases
                ],
            }
            for change in result.changes
        ],
        "queries": {
            "count": result.query_count,
            "solved_old": result.solved[0],
            "solved_new": result.solved[1],
            "changes": [
                {
                    "number": query.number,
                    "now": "solved" if query.is_solved_now else "unsolved",
                    "proven": query.is_proven,
                    "reason": query.reason,
                    "start": dict(query.start),
                    "goal": dict(query.goal),
                }
                for query in result.queries
            ],
        },
        "text": list(result.told),
        "notes": list(result.notes),
    }


def behaviour_lines(result: BehaviourDiff) -> Iterator[str]:
    """Yield the comparison as text."""
    verdicts, queries = result.told
    yield f"Behaviour: {verdicts}"
    for change in result.changes[:_MOST_LINES]:
        yield f"  {change.sentence}"
        yield f"    at {told_pose(change.cases[0].pose)}"
    if len(result.changes) > _MOST_LINES:
        rest = result.changes[_MOST_LINES:]
        yield (
            f"  and {len(rest)} more changes in {sum(len(each.cases) for each in rest):,} "
            "configurations"
        )
    yield f"Queries: {queries}"
    for query in result.queries:
        verb = "now solved; before" if query.is_solved_now else "no longer solved"
        yield f"  query {query.number}: {verb}: {query.reason}"
        yield f"    from {told_pose(query.start)}"
        yield f"    to {told_pose(query.goal)}"


def told_pose(pose: Pose | Mapping[str, float]) -> str:
    """Return joint=position of each joint, as `pose --at` reads them."""
    return " ".join(f"{joint}={position:.4g}" for joint, position in pose.items())


def draw_changes(
    result: BehaviourDiff,
    sides: Sequence[RobotSide],
    names: Sequence[str],
    packages: Mapping[str, Path],
    on_fault: Callable[[str], None],
) -> dict[str, bytes]:
    """Return "NUMBER old" and "NUMBER new" -> PNG of the deepest configuration of each of the first
    changes.

    With `names`, the links of the old robot have other names in its files: only the new robot is
    drawn. `on_fault` receives why pictures are missing.
    """
    drawings = {}
    for title, side, other, joints in zip(
        ("old", "new"), sides, sides[::-1], result.controlled, strict=True
    ):
        urdf = _urdf_of(side) or _urdf_of(other)
        if urdf is None or (names and title == "old"):
            continue
        xrdf = find_xrdf(side.path) if "urdf" in side.documents else side.path
        robot = Drawing(urdf, xrdf, FrozenDict(packages))
        for number, change in enumerate(result.changes[:MOST_DRAWN]):
            pose = FrozenDict({joint: change.cases[0].pose[joint] for joint in joints})
            drawings[f"{number} {title}"] = robot.at(pose, _links_of(change, side, other))
    return draw_all(drawings, on_fault)


def _links_of(change: VerdictChange, side: RobotSide, other: RobotSide) -> tuple[str, ...]:
    """Return the links to show: those that overlap, or the link that the joint moves."""
    if change.cause is not Cause.LIMIT:
        return change.names
    joint = side.documents.get("urdf", other.documents.get("urdf")).joint(change.names[0])
    return () if joint is None else (joint.child,)


def _urdf_of(side: RobotSide) -> Path | None:
    return side.path if "urdf" in side.documents else robot_beside(side.path)


def behaviour_parts(
    record: Mapping[str, Any], old: str, new: str, pictures: Mapping[str, bytes]
) -> Iterator[object]:
    """Yield the parts of a page. `pictures`: as `behaviour_drawings` names them -> PNG."""
    verdicts, queries = record["text"]
    yield mark_text("Behaviour", tag="h2")
    yield Markup(
        mark_text(mark_text(f"{verdicts}.", "good" if not record["changes"] else "bad"), tag="p")
    )
    rows = (
        (" and ".join(each["names"]), f"now {each['now']}", f"{len(each['cases']):,}", each["text"])
        for each in record["changes"]
    )
    yield build_table("", ("pair or joint", "verdict", "configurations", "change"), rows)
    for number, change in enumerate(record["changes"]):
        for title, path in (("old", old), ("new", new)):
            png = pictures.get(f"{number} {title}")
            if png is not None:
                pose = told_pose(change["cases"][0]["pose"])
                yield render_figure(
                    png, f"{title}, {Path(path).name}: {' and '.join(change['names'])} at {pose}"
                )
    yield mark_text("Queries", tag="h2")
    changes = record["queries"]["changes"]
    yield Markup(mark_text(mark_text(f"{queries}.", "good" if not changes else "bad"), tag="p"))
    lines = (
        (
            each["number"],
            f"now {each['now']}",
            each["reason"],
            told_pose(each["start"]),
            told_pose(each["goal"]),
        )
        for each in changes
    )
    yield build_table("", ("query", "verdict", "reason", "start", "goal"), lines)
    yield build_list("", record["notes"], "quiet")
