"""Everything that can change a robot description: frozen values with a label and a pure `apply`, by subject."""

from typing import TYPE_CHECKING

# isort: off
from editor_app.core.document.commands.fitted_spheres import AttachObject as AttachObject, DetachObject as DetachObject
from editor_app.core.document.commands.collision import AddCollisionSection as AddCollisionSection
from editor_app.core.document.commands.collision import DeleteBuffers as DeleteBuffers, ExpandBuffer as ExpandBuffer
from editor_app.core.document.commands.collision import (
    RenameBufferFrame as RenameBufferFrame,
    SetAllBuffers as SetAllBuffers,
)
from editor_app.core.document.commands.collision import (
    SetBuffer as SetBuffer,
    SetCollisionGeometry as SetCollisionGeometry,
)
from editor_app.core.document.commands.cspace import (
    AddCSpace as AddCSpace,
    AddJoints as AddJoints,
    MatchLimits as MatchLimits,
)
from editor_app.core.document.commands.cspace import MoveJoint as MoveJoint, RemoveJoints as RemoveJoints
from editor_app.core.document.commands.cspace import ReorderJoints as ReorderJoints, SetAllLimits as SetAllLimits
from editor_app.core.document.commands.cspace import ConfirmGuesses as ConfirmGuesses, SetLimits as SetLimits
from editor_app.core.document.commands.cspace import DeleteDefaultPositions as DeleteDefaultPositions
from editor_app.core.document.commands.cspace import RenameDefaultPosition as RenameDefaultPosition
from editor_app.core.document.commands.cspace import SetDefaultPositions as SetDefaultPositions
from editor_app.core.document.commands.cspace import SetDefaultsFromPose as SetDefaultsFromPose
from editor_app.core.document.commands.modifiers import AddSection as AddSection, RemoveSection as RemoveSection
from editor_app.core.document.commands.modifiers import ReplaceXrdf as ReplaceXrdf, SetFormat as SetFormat
from editor_app.core.document.commands.modifiers import SetFormatVersion as SetFormatVersion
from editor_app.core.document.commands.fields import SetField as SetField
from editor_app.core.document.commands.fitted_spheres import SetFittedSpheres as SetFittedSpheres
from editor_app.core.document.commands.spheres import AddGroup as AddGroup, CopyGroup as CopyGroup
from editor_app.core.document.commands.spheres import DeleteGroup as DeleteGroup, RenameGroup as RenameGroup
from editor_app.core.document.commands.spheres import SetClone as SetClone, free_group_name as free_group_name
from editor_app.core.document.commands.modifiers import AddModifier as AddModifier, DeleteModifiers as DeleteModifiers
from editor_app.core.document.commands.modifiers import (
    MoveModifier as MoveModifier,
    RenameAddedFrame as RenameAddedFrame,
)
from editor_app.core.document.commands.modifiers import SetModifier as SetModifier, modifier_title as modifier_title
from editor_app.core.document.commands.name_prefixes import PrefixNames as PrefixNames
from editor_app.core.document.commands.repairs import CorrectReference as CorrectReference, ReplaceName as ReplaceName
from editor_app.core.document.commands.repairs import (
    DropRepeatedMaterial as DropRepeatedMaterial,
    MapNames as MapNames,
)
from editor_app.core.document.commands.repairs import (
    UseMaterial as UseMaterial,
)
from editor_app.core.document.commands.self_collision import DeleteIgnoreEntry as DeleteIgnoreEntry
from editor_app.core.document.commands.self_collision import MaskFile as MaskFile, SetIgnore as SetIgnore
from editor_app.core.document.commands.self_collision import SetMask as SetMask, TidyIgnore as TidyIgnore
from editor_app.core.document.commands.self_collision import frame_rank as frame_rank, ignore_of as ignore_of
from editor_app.core.document.commands.self_collision import redundant_entries as redundant_entries
from editor_app.core.document.commands.urdf_texts import AddSensor as AddSensor, DeleteSensors as DeleteSensors
from editor_app.core.document.commands.urdf_texts import SetSensor as SetSensor
from editor_app.core.document.commands.tools import AllOf as AllOf, Several as Several
from editor_app.core.document.commands.spheres import AddSpheres as AddSpheres
from editor_app.core.document.commands.spheres import (
    DeleteSpheres as DeleteSpheres,
    DuplicateSpheres as DuplicateSpheres,
)
from editor_app.core.document.commands.spheres import ReplaceSpheres as ReplaceSpheres, SetSpheres as SetSpheres
from editor_app.core.document.commands.spheres import get_sphere as get_sphere
from editor_app.core.document.commands.srdf import DeleteSrdfGroup as DeleteSrdfGroup, DeleteState as DeleteState
from editor_app.core.document.commands.srdf import (
    DisablePairs as DisablePairs,
    EnablePairs as EnablePairs,
    SetSrdf as SetSrdf,
)
from editor_app.core.document.commands.srdf import SetSrdfGroup as SetSrdfGroup, SetStatePositions as SetStatePositions
from editor_app.core.document.commands.srdf import SetTcp as SetTcp, StoreState as StoreState
from editor_app.core.document.commands.srdf import (
    CheckAllTheSame as CheckAllTheSame,
    DeleteExceptions as DeleteExceptions,
)
from editor_app.core.document.commands.srdf import LeaveLinkOut as LeaveLinkOut
from editor_app.core.document.commands.srdf_parts import DeleteSrdfParts as DeleteSrdfParts, NewSrdf as NewSrdf
from editor_app.core.document.commands.srdf_parts import SetConfig as SetConfig, SetEndEffector as SetEndEffector
from editor_app.core.document.commands.srdf_parts import SetJointProperty as SetJointProperty, SetMargins as SetMargins
from editor_app.core.document.commands.srdf_parts import (
    SetPairMargin as SetPairMargin,
    SetPassiveJoint as SetPassiveJoint,
)
from editor_app.core.document.commands.srdf_parts import SetSphereApproximation as SetSphereApproximation
from editor_app.core.document.commands.srdf_parts import (
    SetVirtualJoint as SetVirtualJoint,
    SpheresFromGroup as SpheresFromGroup,
)
from editor_app.core.document.commands.srdf_parts import WriteCalibration as WriteCalibration
from editor_app.core.document.commands.cspace import AddToolFrame as AddToolFrame, MoveToolFrame as MoveToolFrame
from editor_app.core.document.commands.cspace import RemoveToolFrames as RemoveToolFrames, SetToolFrame as SetToolFrame
from editor_app.core.document.commands.cspace import SetToolFrames as SetToolFrames
from editor_app.core.document.commands.urdf import RenameJoint as RenameJoint, RenameLink as RenameLink
from editor_app.core.document.commands.urdf import (
    SetCollisions as SetCollisions,
    SetJoint as SetJoint,
    SetLink as SetLink,
)
from editor_app.core.document.commands.urdf import SetMaterial as SetMaterial, SetMeshPath as SetMeshPath
from editor_app.core.document.commands.urdf_tree import StraightenAxis as StraightenAxis
from editor_app.core.document.commands.urdf_merging import MergeLinks as MergeLinks
from editor_app.core.document.commands.urdf_robot import (
    AttachToWorld as AttachToWorld,
    DetachFromWorld as DetachFromWorld,
)
from editor_app.core.document.commands.urdf_robot import IgnoreLinkedBodies as IgnoreLinkedBodies, SetRobot as SetRobot
from editor_app.core.document.commands.urdf_structure import AddLink as AddLink, DuplicateBranch as DuplicateBranch
from editor_app.core.document.commands.urdf_structure import InsertLink as InsertLink, RemoveLink as RemoveLink
from editor_app.core.document.commands.urdf_structure import SplitLink as SplitLink
from editor_app.core.document.commands.urdf_texts import AddEmbedded as AddEmbedded, SetEmbedded as SetEmbedded
from editor_app.core.document.commands.urdf_tree import SetChild as SetChild, SetParent as SetParent
# isort: on

if not TYPE_CHECKING:
    # Hidden from type checkers, for which any name would be a command else.
    def __getattr__(name: str) -> object:
        """Return a command under its name in the release before, with a DeprecationWarning."""
        # Imported here: what a script lists of this package are the commands and their modules.
        from editor_app.core.document.commands.old_names import find_old_command

        return find_old_command(name)
