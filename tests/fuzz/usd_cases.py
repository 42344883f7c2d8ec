"""Cases of USD, read in a process of its own: OpenUSD ends the process that reads some damaged
files."""

from __future__ import annotations

import io
import resource
import time
import zipfile
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError
from pathlib import Path

from editor_app.core.tasks.executor import ProcessExecutor, WorkerFailed
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.read import read_stage_here
from tests.fuzz.told import told

#: The reader allows its process 2 GB above what it has at its start.
LIMIT_SECONDS, LIMIT_MB = 4.0, 2500
#: Cases of a process before a new one takes its place: what OpenUSD keeps of each layer adds up.
_TURN = 4000

PART = """#usda 1.0
( defaultPrim = "part"
)
def Xform "part" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Sphere "collision_sphere_1"
    {
        double radius = 0.1
    }
    def Mesh "m" (prepend apiSchemas = ["PhysicsCollisionAPI"])
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        int[] faceVertexCounts = [3, 3, 4]
        int[] faceVertexIndices = [0, 1, 2, 0, 2, 3, 0, 1, 2, 3]
        int[] holeIndices = [1]
        color3f[] primvars:displayColor = [(1, 0, 0)]
        def GeomSubset "s" (prepend apiSchemas = ["MaterialBindingAPI"])
        {
            uniform token elementType = "face"
            int[] indices = [0]
            rel material:binding = </part/red>
        }
    }
    def Material "red"
    {
        token outputs:surface.connect = </part/red/s.outputs:surface>
        def Shader "s"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = (1, 0, 0)
            token outputs:surface
        }
    }
}
"""
ARM = """#usda 1.0
(
    defaultPrim = "arm"
    metersPerUnit = 0.01
    kilogramsPerUnit = 1
    upAxis = "Y"
    subLayers = [@over.usda@]
)
def Xform "arm" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI", "IsaacRobotAPI"]
    variants = { string hand = "two" }
    prepend variantSets = "hand"
)
{
    rel isaac:physics:robotLinks = [</arm/base>, </arm/upper>]
    rel isaac:physics:robotJoints = [</arm/elbow>, </arm/shoulder>]
    bool physxArticulation:enabledSelfCollisions = 0
    def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsFilteredPairsAPI"])
    {
        float physics:mass = 2
        float3 physics:diagonalInertia = (1, 1, 1)
        quatf physics:principalAxes = (1, 0, 0, 0)
        rel physics:filteredPairs = </arm/tool>
        def Cube "box" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            double size = 20
        }
        def Xform "flange" (prepend apiSchemas = ["IsaacReferencePointAPI"])
        {
            double3 xformOp:translate = (0, 0, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
    def Xform "upper" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "IsaacLinkAPI"])
    {
        double3 xformOp:translate = (0, 25, 0)
        quatd xformOp:orient = (1, 0, 0, 0)
        float3 xformOp:scale = (1, 2, 1)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
        string isaac:nameOverride = "lower"
        float physics:density = 1000
        def Capsule "tube" (prepend apiSchemas = ["PhysicsCollisionAPI"])
        {
            uniform token axis = "Y"
            double radius = 5
            double height = 40
            uniform token purpose = "guide"
        }
    }
    def "tool" (prepend references = @part.usda@
        instanceable = true
    )
    {
        double3 xformOp:translate = (0, 50, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def "finger" (prepend payload = @part.usda@</part>
        prepend inherits = </arm/base>
    )
    {
    }
    def PhysicsFixedJoint "root_joint"
    {
        rel physics:body1 = </arm/base>
    }
    def PhysicsRevoluteJoint "shoulder" (
        prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular"]
    )
    {
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/upper>
        uniform token physics:axis = "Y"
        float physics:lowerLimit = -90
        float physics:upperLimit = 120
        point3f physics:localPos0 = (0, 25, 0)
        quatf physics:localRot0 = (1, 0, 0, 0)
        float drive:angular:physics:maxForce = 87
        float drive:angular:physics:targetPosition = 10
        float state:angular:physics:position = 5
        float physxJoint:maxJointVelocity = 180
    }
    def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["PhysxMimicJointAPI:rotX"])
    {
        rel physics:body0 = </arm/upper>
        rel physics:body1 = </arm/tool>
        rel physxMimicJoint:rotX:referenceJoint = </arm/shoulder>
        float physxMimicJoint:rotX:gearing = 2
    }
    def PhysicsSphericalJoint "elbow"
    {
        rel physics:body0 = </arm/tool>
        rel physics:body1 = </arm/finger>
        float physics:coneAngle0Limit = 30
    }
    def PhysicsJoint "free"
    {
        rel physics:body0 = </arm/base>
        rel physics:body1 = </arm/finger>
        float limit:transX:physics:low = 1
        float limit:transX:physics:high = -1
        bool physics:excludeFromArticulation = 1
    }
    def PhysicsCollisionGroup "group" (prepend apiSchemas = ["CollectionAPI:colliders"])
    {
        rel collection:colliders:includes = </arm/base>
        rel physics:filteredGroups = </arm/group>
    }
    variantSet "hand" = {
        "one" {
            def Cone "c"
            {
                double radius = 3
            }
        }
        "two" (prepend references = @part.usdc@) {
            def Cylinder_1 "d"
            {
                double radiusTop = 3
            }
        }
    }
}
"""
_OVER = """#usda 1.0
over "arm"
{
    over "base"
    {
        float physics:mass = 3
    }
}
"""
USD_TEXTS = (ARM.encode(), PART.encode())


class UsdCases:
    """`read(suffix)`: a function that reads the bytes of one case as a file with that ending."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "usd"
        self._folder.mkdir()
        (self._folder / "part.usda").write_text(PART)
        (self._folder / "over.usda").write_text(_OVER)
        self._executor = ProcessExecutor(1)
        self._left = _TURN
        (self._folder / "part.usdc").write_bytes(self._crate(PART))

    def seeds(self) -> dict[str, list[bytes]]:
        """By ending."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as package:
            for name, text in (("arm.usda", ARM), ("part.usda", PART), ("over.usda", _OVER)):
                package.writestr(zipfile.ZipInfo(name), text)
        return {
            "usda": list(USD_TEXTS),
            "usdc": [self._crate(ARM), self._crate(PART)],
            "usdz": [buffer.getvalue()],
        }

    def read(self, suffix: str) -> Callable[[bytes], Hashable]:
        path = self._folder / f"arm.{suffix}"

        def case(data: bytes) -> Hashable:
            path.write_bytes(data)
            return self._call(read_case, path)

        return case

    def _crate(self, text: str) -> bytes:
        path = self._folder / "seed.usda"
        path.write_text(text)
        crate = self._executor.submit(write_crate, path).result(60)
        assert isinstance(crate, bytes)
        return crate

    def _call(
        self, function: Callable[[Path], tuple[Hashable, float, float]], path: Path
    ) -> Hashable:
        self._left -= 1
        if self._left <= 0:
            self._renew()
        try:
            way, seconds, megabytes = self._executor.submit(function, path).result()
        except (WorkerFailed, MemoryError) as error:
            self._renew()
            if "Traceback" in str(error):
                raise
            # As `read_usd` reports it: OpenUSD ended the process.
            return "ended"
        except CancelledError:
            return "cancelled"
        except BaseException:
            self._renew()
            raise
        if seconds > LIMIT_SECONDS or megabytes > LIMIT_MB:
            self._renew()
            raise AssertionError(f"{seconds:.1f} s, {megabytes:.0f} MB")
        return way

    def _renew(self) -> None:
        self._executor.shutdown(cancel_futures=True)
        self._executor, self._left = ProcessExecutor(1), _TURN


def write_crate(path: Path) -> bytes:
    """The binary form of a layer of text; b"" for one that is no layer."""
    from pxr import Sdf, Tf

    target = path.with_suffix(".usdc")
    try:
        Sdf.Layer.OpenAsAnonymous(str(path)).Export(str(target))
    except Tf.ErrorException:
        return b""
    data = target.read_bytes()
    target.unlink()
    return data


def read_case(path: Path) -> tuple[Hashable, float, float]:
    """The way through the reader, seconds of CPU time, and the most megabytes of this process.

    A crate that is given as text is written as crate first, so that its structure differs while its
    bytes fit.
    """
    if path.suffix == ".usdc" and path.read_bytes().startswith(b"#usda"):
        crate = write_crate(path)
        if not crate:
            return "no layer", 0.0, 0.0
        path.write_bytes(crate)
    start = time.process_time()
    way: Hashable
    try:
        read = read_stage_here(path, None, None, {}, None)
        way = tuple(sorted({(e.fate, e.item.partition(" ")[0]) for e in read.report.entries}))
        numbers = [
            v
            for link in read.urdf.links
            if link.inertial
            for v in (link.inertial.mass, *link.inertial.inertia)
        ]
        assert all(abs(number) < float("inf") for number in numbers)
    except FormatError as error:
        way = told(error)
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return way, time.process_time() - start, megabytes
