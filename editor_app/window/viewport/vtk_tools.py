"""Small bridges between numpy and VTK, and the shader lines that several layers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer

from editor_app.core.arrays import F64
from editor_app.window.viewport.palette import CUT_COLOUR

#: Darkens and closes a surface where it turns away from the viewer: outlines that stay crisp when
#: it is translucent.
RIM = """
  float rimAway = 1.0 - abs(normalVCVSOutput.z);
  opacity = mix(opacity, 1.0, rimStrength * smoothstep(0.5, 0.95, rimAway));
  diffuseColor *= mix(1.0, 0.6, rimStrength * smoothstep(0.6, 1.0, rimAway));
//VTK::Light::Impl
"""
#: Leaves only a ring where a sphere turns away from the viewer.
RING = """
  if (1.0 - abs(normalVCVSOutput.z) < 0.62) { discard; }
//VTK::Light::Impl
"""
#: Mixes a colour over the lit surface, more of it at the outline; leaves what is on one side of a
#: plane.
TINT = """//VTK::Light::Impl
  float tintAway = 1.0 - abs(normalVCVSOutput.z);
  fragOutput0.rgb = mix(fragOutput0.rgb, tintColor, clamp(tintAmount * (1.0 + 2.2 * tintAway * tintAway), 0.0, 1.0));
  float cutHeight = dot(cutNormal, vertexVCVSOutput.xyz) - cutOffset;
  float cutLine = 1.5 * fwidth(cutHeight);
  if (cutHeight < 0.0) { discard; }
  // Where a closed surface is cut away, its inside is seen: painted flat, it looks like the cut face.
  if (!gl_FrontFacing) { fragOutput0.rgb = mix(fragOutput0.rgb, cutColor, cutFace); }
  if (cutHeight < cutLine) { fragOutput0.rgb = 0.45 * cutColor; }
"""
#: Balls that a plane cuts are solid: where their front is cut away, their face on the plane is
#: drawn.
BALL_CUT = """
  float cutHeight = dot(cutNormal, vertexVC.xyz) - cutOffset;
  if (cutHeight < 0.0) {
    float cutSlope = dot(cutNormal, EyeDir);
    if (cutSlope < 1e-6 || -cutHeight > cutSlope * sqrt(d) * radiusVCVSOutput) { discard; }
    vertexVC.xyz -= EyeDir * cutHeight / cutSlope;
    normalVCVSOutput = -cutNormal;
    vec4 cutAt = VCDCMatrix * vertexVC;
    gl_FragDepth = (cutAt.z / cutAt.w + 1.0) / 2.0;
  }
//VTK::Clip::Impl
"""
#: A plane, as `set_cut` takes it, that cuts nothing away.
_WHOLE = (0.0, 0.0, 0.0), -1.0


def points_of(array: NDArray[Any]) -> vtkPoints:
    """vtkPoints with a copy of (n, 3) numbers, single precision."""
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(array, np.float32).reshape(-1, 3), deep=True))
    return points


def mesh_poly_data(vertices: NDArray[Any], faces: NDArray[Any]) -> vtkPolyData:
    """(n, 3) vertices and (m, 3) triangles."""
    data = vtkPolyData()
    data.SetPoints(points_of(vertices))
    cells = vtkCellArray()
    cells.SetData(3, numpy_to_vtk(np.ascontiguousarray(faces, np.int32).ravel(), deep=True))
    data.SetPolys(cells)
    return data


def bytes_array(rgba: NDArray[Any]) -> Any:
    """A vtkUnsignedCharArray of colours that are given in 0..1."""
    array = numpy_to_vtk((np.clip(rgba, 0, 1) * 255 + 0.5).astype(np.uint8), deep=True)
    array.SetName("colour")
    return array


def coloured_mapper(data: vtkPolyData) -> vtkPolyDataMapper:
    """Draws `data` in the colours of its points, where it has any."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetColorModeToDirectScalars()
    return mapper


def mesh_actor(renderer: vtkRenderer, data: vtkPolyData) -> vtkActor:
    """An actor in `renderer` that draws a mesh; VTK picks nothing here."""
    actor = vtkActor()
    actor.SetMapper(coloured_mapper(data))
    actor.PickableOff()
    renderer.AddActor(actor)
    return actor


class LineSegments:
    """Unlit line segments in one actor, which is hidden while there are none."""

    def __init__(self, renderer: vtkRenderer, width: float = 1.0) -> None:
        self._data = vtkPolyData()
        self.actor = mesh_actor(renderer, self._data)
        self.actor.GetProperty().LightingOff()
        self.actor.GetProperty().SetLineWidth(width)
        self._is_wanted, self.count = True, 0

    def set(self, points: NDArray[Any], rgba: NDArray[Any]) -> None:
        """Segments between (n, 2, 3) points; their colour (4,), or (n, 4) or (n, 2, 4) colours, in
        0..1."""
        count = len(points)
        if count:
            if self._data.GetNumberOfLines() != count:
                self._data.Initialize()
                cells = vtkCellArray()
                cells.SetData(2, numpy_to_vtk(np.arange(2 * count, dtype=np.int32), deep=True))
                self._data.SetLines(cells)
            self._data.SetPoints(points_of(points))
            colours = np.asarray(rgba, float)
            if colours.ndim == 2:
                colours = colours[:, None, :]
            self._data.GetPointData().SetScalars(
                bytes_array(np.broadcast_to(colours, (count, 2, 4)).reshape(-1, 4))
            )
            self._data.Modified()
        self.count = count
        self.set_visible(self._is_wanted)

    def set_visible(self, visible: bool) -> None:
        """Return whether the segments are drawn where there are any."""
        self._is_wanted = visible
        self.actor.SetVisibility(visible and self.count > 0)


def vtk_matrix(pose: F64) -> vtkMatrix4x4:
    matrix = vtkMatrix4x4()
    matrix.DeepCopy(np.asarray(pose, float).ravel().tolist())
    return matrix


def set_uniform(actor: vtkActor, name: str, value: float | Sequence[float]) -> None:
    """A number or three for the shader lines above."""
    uniforms = actor.GetShaderProperty().GetFragmentCustomUniforms()
    if isinstance(value, float):
        uniforms.SetUniformf(name, value)
    else:
        uniforms.SetUniform3f(name, [float(v) for v in value])


def add_rim(actor: vtkActor, strength: float = 1.0) -> None:
    set_uniform(actor, "rimStrength", float(strength))
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Light::Impl", True, RIM, False)


def add_ring(actor: vtkActor) -> None:
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Light::Impl", True, RING, False)


def add_ball_cut(actor: vtkActor) -> None:
    """Allows `set_cut` for balls."""
    set_cut(actor, None)
    actor.GetShaderProperty().AddFragmentShaderReplacement(
        "//VTK::Clip::Impl", True, BALL_CUT, False
    )


def add_tint(actor: vtkActor) -> None:
    """Allows `set_tint`, and `set_cut` for surfaces."""
    set_tint(actor, (1.0, 1.0, 1.0), 0.0)
    set_uniform(actor, "cutColor", CUT_COLOUR)
    set_cut(actor, None)
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Light::Impl", True, TINT, False)


def set_tint(actor: vtkActor, colour: Sequence[float], amount: float) -> None:
    set_uniform(actor, "tintColor", colour)
    set_uniform(actor, "tintAmount", float(amount))


def set_cut(actor: vtkActor, cut: tuple[Sequence[float], float] | None) -> None:
    """Leaves what has normal @ p >= offset, in the camera's coordinates; None: all of it.

    Surfaces get a line along the cut, and a face where they are opaque.
    """
    normal, offset = cut or _WHOLE
    set_uniform(actor, "cutNormal", normal)
    set_uniform(actor, "cutOffset", float(offset))
    set_uniform(actor, "cutFace", 1.0 if cut and actor.GetProperty().GetOpacity() >= 1.0 else 0.0)


def circle(segments: int) -> F64:
    """(segments, 2, 3) line segments of the unit circle in the xy plane."""
    angles = np.linspace(0.0, 2 * np.pi, segments + 1)
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    return np.stack([ring[:-1], ring[1:]], axis=1)
