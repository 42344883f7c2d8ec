"""Links whose collision shapes do not stand for them, so that what is visible of them is fitted to
and compared."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from editor_app.core.model.counting import format_percent
from editor_app.core.model.urdf import Link, Mesh, Urdf
from editor_app.core.space.geometry.distance import PARTIAL, kept_bare_share
from editor_app.core.space.geometry.link_geometry import Kind, LinkGeometry, merge_parts

#: Rough shapes that stand out of the visible mesh with a larger share of their surface are not the
#: link, where most rough shapes of the robot leave much of their links bare: what links are
#: compared by should be alike.
_BEYOND = 0.5


@dataclass(frozen=True, slots=True)
class Unlike:
    """`share` (0..1) of the visible surface that collision shapes leave bare; or, where they
    `stand_out`, of the collision shapes' surface that lies beyond the visible mesh, by 5 % of its
    size."""

    share: float
    stand_out: bool = False

    @property
    def text(self) -> str:
        """The fault of the collision shapes, for a sentence that begins with the link."""
        share = format_percent(self.share, 0)
        if self.stand_out:
            return (
                f"{share} of its collision shapes lie outside the visual geometry; most collision "
                "shapes of this "
                "robot are rough"
            )
        return f"its collision shapes leave {share} of the visible surface uncovered"


def find_partial_links(
    urdf: Urdf, shapes: Callable[[str, Kind], LinkGeometry], links: Collection[str] | None = None
) -> dict[str, Unlike]:
    """Links that are compared by what is visible of them, and why; `links`: only these are asked
    about.

    Collision shapes that leave much of the visible surface bare stand for a part of the link. Where
    that is so of most links whose collision shapes are boxes, cylinders and balls, others of such
    shapes that lie mostly beyond the visible mesh are no better: a rough wrist refuses what the
    true forearm beside it leaves free.
    """
    unlike: dict[str, Unlike] = {}
    asked = {link.name: link for link in urdf.links if links is None or link.name in links}
    for name in asked:
        if (share := _bare(name, shapes)) > PARTIAL:
            unlike[name] = Unlike(share)
    for name, link in asked.items():
        if (
            name not in unlike
            and _is_rough(link)
            and any(isinstance(each.geometry, Mesh) for each in link.visuals)
        ):
            share = _bare(name, shapes, "visual")
            if share > _BEYOND and _are_mostly_partial(urdf, shapes):
                unlike[name] = Unlike(share, stand_out=True)
    return unlike


def _is_rough(link: Link) -> bool:
    """Whether all collision shapes are boxes, cylinders and balls."""
    return bool(link.collisions) and not any(
        isinstance(each.geometry, Mesh) for each in link.collisions
    )


def _are_mostly_partial(urdf: Urdf, shapes: Callable[[str, Kind], LinkGeometry]) -> bool:
    """Of the links with rough shapes and something to see."""
    partial = [
        _bare(link.name, shapes) > PARTIAL
        for link in urdf.links
        if _is_rough(link) and link.visuals
    ]
    return 2 * sum(partial) > len(partial)


def _bare(name: str, shapes: Callable[[str, Kind], LinkGeometry], by: Kind = "collision") -> float:
    """Share (0..1) of one kind of shapes that the other kind, `by`, leaves bare; 0 where one is
    missing."""
    kinds: tuple[Kind, Kind] = (
        ("visual", "collision") if by == "collision" else ("collision", "visual")
    )
    of, other = (shapes(name, kind) for kind in kinds)
    return (
        kept_bare_share(merge_parts(of.parts), merge_parts(other.parts))
        if of.triangles and other.triangles
        else 0.0
    )
