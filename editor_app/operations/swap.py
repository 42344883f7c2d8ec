"""The verb swap: a part takes the place of one that was attached, on the same mount.

The old part comes off first, so that all but the two parts has the bytes that it had before.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.edit.document import Document
from editor_app.kinematics.transforms import matrix_origin, origin_matrix
from editor_app.kinematics.tree import tree_of
from editor_app.model.brief import brief
from editor_app.model.origin import Origin
from editor_app.operations.arguments import checked
from editor_app.operations.compose import Assembly, Attachment, compose
from editor_app.operations.detach import Detached, detach
from editor_app.operations.mounting import rigid_frames
from editor_app.operations.robot_texts import has_xrdf
from editor_app.operations.work import Cancel, Progress, never, silent

__all__ = ["FreeMount", "free_mount", "swap"]


@dataclass(frozen=True, slots=True, eq=False)
class FreeMount:
    """`base`: the robot without a part that hung on `at`, where its root or its frame was at `place`."""

    base: Document
    detached: Detached
    at: str
    place: Origin

    __repr__ = brief

    @property
    def note(self) -> str:
        """What went with the part."""
        return f"{self.detached.part.file} went off {self.at}: {self.detached.consequences}."


@checked
def free_mount(document: Document, link: str | None = None) -> FreeMount:
    """The robot without the part that `link` belongs to, and where it was; None: the only part.

    The place is the present one, also where it was moved since. Raises Refused where there is no such part.
    """
    detached = detach(document, link)
    state, part = detached.state, detached.part
    base = Document(state.urdf_source, state.xrdf_source, state.srdf_source, xrdf_is_new=not has_xrdf(document))
    packages: Mapping[str, Path] = document.packages
    base.packages = packages
    mount = document.robot.urdf.joint(part.mount)
    assert mount is not None
    place = mount.origin
    if part.frame:
        frames = rigid_frames(tree_of(document.robot), part.link)
        if part.frame in frames:
            place = matrix_origin(origin_matrix(place) @ frames[part.frame])
    return FreeMount(base, detached, mount.parent, place)


@checked
def swap(
    document: Document,
    part: Document,
    link: str | None = None,
    output: str | Path | None = None,
    *,
    prefix: str = "",
    frame: str | None = None,
    variant: str | None = None,
    samples: int | None = None,
    certify: float = 10.0,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Assembly:
    """`part` in the place of the part that `link` belongs to (None: of the only one); the document is left as it is.

    `frame`, `variant`: as of `Attachment`. What hung on the old part goes with it, and is told. Raises Refused, also
    for names that both have; FormatError, Cancelled.
    """
    free = free_mount(document, link)
    attachment = Attachment(part, free.at, free.place.xyz, free.place.rpy, prefix, frame, variant=variant)
    assembly = compose(
        free.base,
        [attachment],
        output,
        samples=samples,
        certify=certify,
        executor=executor,
        progress=progress,
        cancel=cancel,
    )
    return replaced(assembly, free)


def replaced(assembly: Assembly, free: FreeMount) -> Assembly:
    """The assembly, with what it says of the part whose place was taken."""
    return replace(assembly, replaced=free.detached.part, notes=(free.note, *assembly.notes))
