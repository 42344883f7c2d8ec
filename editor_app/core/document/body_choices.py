"""Changes of the body of a robot that a conversion may make. Importing this loads no commands."""

from __future__ import annotations

from dataclasses import dataclass

from editor_app.core.model.coercion import Validated
from editor_app.core.model.options import option


@dataclass(frozen=True, slots=True)
class BodyChoices(Validated):
    """`world` names the link to attach the robot to; `positions` as `parse_positions` takes
    them."""

    world: str | None = option(
        None,
        "attach the robot to a new root link (default name: world) by a fixed joint",
        "LINK",
        flag="attach-to-world",
        nargs="?",
        const="world",
    )
    merge_links: bool = option(
        False, "merge links without inertial into their parents, if nothing is lost"
    )
    ignore_linked: bool = option(False, "ignore self-collision between linked bodies")
    positions: tuple[str, ...] = option(
        (),
        "initial position in rad or m; or all in the order of the URDF: 0.5,0,-1",
        "NAME=VALUE",
        flag="joint",
    )

    def __bool__(self) -> bool:
        return bool(self.world or self.merge_links or self.ignore_linked or self.positions)
