"""Small bridges between numpy and VTK, and the shader lines that several layers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPlane, vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkMapper, vtkPolyDataMapper

Array = NDArray[np.float64]

#: Darkens and closes a surface where it turns away from the viewer: outlines that stay crisp when it is translucent.
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
#: Mixes a colour over the lit surface, more of it at the outline.
TINT = """//VTK::Light::Impl
  float tintAway = 1.0 - abs(normalVCVSOutput.z);
  fragOutput0.rgb = mix(fragOutput0.rgb, tintColor, clamp(tintAmount * (1.0 + 2.2 * tintAway * tintAway), 0.0, 1.0));
  if (capLine > 0.0) {
    // Where a closed surface is cut away, its inside is seen: painted flat, it looks like the cut face.
    if (!gl_FrontFacing) { fragOutput0.rgb = mix(fragOutput0.rgb, capColor, capFace); }
    float capHeight = dot(capNormal, vertexVCVSOutput.xyz) - capOffset;
    if (capHeight < 1.5 * fwidth(capHeight)) { fragOutput0.rgb = capColor * capLine; }
  }
"""
#: Balls that a plane cuts are solid: where their front is cut away, their face on the plane is drawn.
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


def set_lines(data: vtkPolyData, points: NDArray[Any], rgba: NDArray[Any] | None = None) -> None:
    """Makes `data` the segments between (n, 2, 3) points, with (n, 4) or (n, 2, 4) colours in 0..1."""
    segments = np.asarray(points, float).reshape(-1, 2, 3)
    if data.GetNumberOfLines() != len(segments):
        data.Initialize()
        cells = vtkCellArray()
        cells.SetData(2, numpy_to_vtk(np.arange(2 * len(segments), dtype=np.int32), deep=True))
        data.SetLines(cells)
    data.SetPoints(points_of(segments.reshape(-1, 3)))
    if rgba is not None:
        colours = np.asarray(rgba, float)
        if colours.ndim == 2:
            colours = np.repeat(colours[:, None, :], 2, axis=1)
        data.GetPointData().SetScalars(bytes_array(colours.reshape(-1, 4)))
    data.Modified()


def bytes_array(rgba: NDArray[Any], name: str = "colour") -> Any:
    """A vtkUnsignedCharArray of colours that are given in 0..1."""
    array = numpy_to_vtk((np.clip(rgba, 0, 1) * 255 + 0.5).astype(np.uint8), deep=True)
    array.SetName(name)
    return array


def line_actor(data: vtkPolyData, width: float = 1.0, colour: Sequence[float] | None = None) -> vtkActor:
    """Unlit lines, coloured by their scalars unless a colour is given."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetColorModeToDirectScalars()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().LightingOff()
    actor.GetProperty().SetLineWidth(width)
    if colour is not None:
        mapper.ScalarVisibilityOff()
        actor.GetProperty().SetColor(*colour)
    actor.PickableOff()
    return actor


def vtk_matrix(pose: Array) -> vtkMatrix4x4:
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
    """Allows `set_ball_cut`."""
    set_ball_cut(actor, (0.0, 0.0, 0.0), -1.0)
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Clip::Impl", True, BALL_CUT, False)


def set_ball_cut(actor: vtkActor, normal: Sequence[float], offset: float) -> None:
    """Leaves of drawn balls what has normal @ p >= offset, in the camera's coordinates; no normal and -1: all."""
    set_uniform(actor, "cutNormal", normal)
    set_uniform(actor, "cutOffset", float(offset))


def set_clipping(mapper: vtkMapper, plane: vtkPlane | None) -> None:
    """The one plane that a mapper is cut by, or none."""
    mapper.RemoveAllClippingPlanes()
    if plane is not None:
        mapper.AddClippingPlane(plane)


def add_tint(actor: vtkActor) -> None:
    """Allows `set_tint` and `set_cap`."""
    set_tint(actor, (1.0, 1.0, 1.0), 0.0)
    set_uniform(actor, "capColor", (1.0, 1.0, 1.0))
    set_uniform(actor, "capNormal", (0.0, 0.0, 1.0))
    set_uniform(actor, "capOffset", 0.0)
    set_uniform(actor, "capFace", 0.0)
    set_uniform(actor, "capLine", 0.0)
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Light::Impl", True, TINT, False)


def set_tint(actor: vtkActor, colour: Sequence[float], amount: float) -> None:
    set_uniform(actor, "tintColor", colour)
    set_uniform(actor, "tintAmount", float(amount))


def set_cap(actor: vtkActor, colour: Sequence[float], cut: tuple[Sequence[float], float] | None) -> None:
    """Draws the line of a cut, and its face where the surface is opaque. `cut`: as `set_ball_cut` takes it; or none."""
    if cut is None:
        set_uniform(actor, "capLine", 0.0)
        return
    set_uniform(actor, "capColor", colour)
    set_uniform(actor, "capNormal", cut[0])
    set_uniform(actor, "capOffset", cut[1])
    set_uniform(actor, "capFace", 1.0 if actor.GetProperty().GetOpacity() >= 1.0 else 0.0)
    set_uniform(actor, "capLine", 0.45)


def circle(segments: int = 48) -> Array:
    """(segments, 2, 3) line segments of the unit circle in the xy plane."""
    angles = np.linspace(0.0, 2 * np.pi, segments + 1)
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    return np.stack([ring[:-1], ring[1:]], axis=1)
