"""An MJCF as MuJoCo's own compiler understands it, by the extra `mujoco`."""

from __future__ import annotations

import importlib.util
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.libraries import install_command
from editor_app.core.model.findings import Location
from editor_app.core.model.origin import Origin
from editor_app.core.space.kinematics.transforms import Matrix, build_pose_matrix
from editor_app.core.text.source import FormatError
from editor_app.plugins.mjcf.sources import MjcfSources, read_sources

_LINE = re.compile(r"\bline (\d+)")


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """`spec`: the elements as they are written, defaults applied (mujoco.MjSpec); `model`: what
    MuJoCo simulates."""

    path: Path
    sources: MjcfSources
    spec: Any
    model: Any
    warnings: tuple[str, ...]

    def name(self, kind: str, number: int) -> str:
        """The name of an element; "" where it has none. `kind` is a word of MuJoCo's: body, joint,
        geom…"""
        return str(getattr(self.model, kind)(number).name)


def compile_model(path: Path) -> CompiledModel:
    """Raises FormatError: without the package mujoco, for what MuJoCo refuses, and what
    `read_sources` does."""
    place = Location(str(path))
    if importlib.util.find_spec("mujoco") is None:
        remedy = (
            f"Install it with: {install_command('mujoco')}. The URDF from which it was generated "
            "opens without it."
        )
        raise FormatError(
            "This is an MJCF file of MuJoCo; reading it needs the package mujoco", place, remedy
        )
    sources = read_sources(path)
    import mujoco

    told: list[str] = []
    # Else MuJoCo writes a file MUJOCO_LOG.TXT into the current folder.
    mujoco.set_mju_user_warning(told.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec, model = _spec_and_model(mujoco, sources)
        told += [str(warning.message) for warning in caught]
    except (ValueError, mujoco.FatalError) as error:
        sentence = " ".join(str(error).split())
        line = _LINE.search(sentence)
        where = (
            Location(str(path), int(line.group(1)))
            if line is not None and line.group(1) != "0"
            else place
        )
        remedy = "Correct it until MuJoCo's viewer loads it."
        raise FormatError(
            f"MuJoCo does not compile this file: {sentence}", where, remedy
        ) from error
    finally:
        mujoco.set_mju_user_warning(None)
    return CompiledModel(
        path,
        sources,
        spec,
        model,
        tuple(dict.fromkeys(" ".join(sentence.split()) for sentence in told)),
    )


def _spec_and_model(mujoco: Any, sources: MjcfSources) -> tuple[Any, Any]:
    # The files are for what is looked up while the text is parsed as well as for what is loaded
    # later.
    spec = mujoco.MjSpec.from_string(sources.text, include=sources.files, assets=sources.files)
    # It would simulate each muscle for as long as the file says.
    spec.compiler.LRopt.mode = mujoco.mjtLRMode.mjLRMODE_NONE
    return spec, spec.compile()


def build_pose(xyz: Any, quat_wxyz: Any) -> Matrix:
    """(4, 4) of a place of MuJoCo's, in metres."""
    w, x, y, z = (float(v) for v in quat_wxyz)
    a, b, c = (float(v) for v in xyz)
    return build_pose_matrix(Origin((a, b, c), quat_xyzw=(x, y, z, w)))


def shift(xyz: Any) -> Matrix:
    """(4, 4) of a translation in metres."""
    matrix = np.eye(4)
    matrix[:3, 3] = xyz
    return matrix
