"""Everything that can change a robot description: frozen values with a label and a pure `apply`, by
subject."""

from typing import TYPE_CHECKING

# isort: off
from editor_app.core.document.commands.collision import (
    AddCollisionSection as AddCollisionSection,
    ExpandBuffer as ExpandBuffer,
    SetAllBuffers as SetAllBuffers,
    SetCollisionGeometry as SetCollisionGeometry,
)
from editor_app.core.document.commands.cspace import (
    AddCSpace as AddCSpace,
    AddJoints as AddJoints,
    ConfirmGuesses as ConfirmGuesses,
    MatchLimits as MatchLimits,
    MoveJoint as MoveJoint,
    RemoveJoints as RemoveJoints,
    ReorderJoints as ReorderJoints,
    SetAllLimits as SetAllLimits,
    SetDefaultsFromPose as SetDefaultsFromPose,
    SetLimits as SetLimits,
    SetToolFrames as SetToolFrames,
)
from editor_app.core.document.commands.fields import SetField as SetField
from editor_app.core.document.commands.fitted_spheres import (
    AttachObject as AttachObject,
    DetachObject as DetachObject,
    SetFittedSpheres as SetFittedSpheres,
)
from editor_app.core.document.commands.list_rules import modifier_title as modifier_title
from editor_app.core.document.commands.lists import (
    InsertItem as InsertItem,
    MoveItem as MoveItem,
    RemoveItems as RemoveItems,
    RenameItem as RenameItem,
    SetItems as SetItems,
    set_item as set_item,
)
from editor_app.core.document.commands.modifiers import (
    AddSection as AddSection,
    RemoveSection as RemoveSection,
    ReplaceXrdf as ReplaceXrdf,
    SetFormat as SetFormat,
    SetFormatVersion as SetFormatVersion,
)
from editor_app.core.document.commands.name_prefixes import PrefixNames as PrefixNames
from editor_app.core.document.commands.repairs import (
    CorrectReference as CorrectReference,
    DropRepeatedMaterial as DropRepeatedMaterial,
    MapNames as MapNames,
    ReplaceName as ReplaceName,
    UseMaterial as UseMaterial,
)
from editor_app.core.document.commands.self_collision import (
    DeleteIgnoreEntry as DeleteIgnoreEntry,
    MaskFile as MaskFile,
    SetIgnore as SetIgnore,
    SetMask as SetMask,
    TidyIgnore as TidyIgnore,
    frame_rank as frame_rank,
    ignore_of as ignore_of,
    redundant_entries as redundant_entries,
)
from editor_app.core.document.commands.spheres import (
    AddGroup as AddGroup,
    AddSpheres as AddSpheres,
    CopyGroup as CopyGroup,
    DeleteSpheres as DeleteSpheres,
    DuplicateSpheres as DuplicateSpheres,
    ReplaceSpheres as ReplaceSpheres,
    SetClone as SetClone,
    SetSpheres as SetSpheres,
    free_group_name as free_group_name,
    get_sphere as get_sphere,
)
from editor_app.core.document.commands.srdf import (
    SetSrdf as SetSrdf,
    SetStatePositions as SetStatePositions,
    StoreState as StoreState,
)
from editor_app.core.document.commands.srdf_parts import (
    NewSrdf as NewSrdf,
    SetMargins as SetMargins,
    SpheresFromGroup as SpheresFromGroup,
    WriteCalibration as WriteCalibration,
)
from editor_app.core.document.commands.tools import AllOf as AllOf, Several as Several
from editor_app.core.document.commands.urdf import (
    RenameJoint as RenameJoint,
    RenameLink as RenameLink,
    SetCollisions as SetCollisions,
    SetJoint as SetJoint,
    SetLink as SetLink,
    SetMaterial as SetMaterial,
    SetMeshPath as SetMeshPath,
)
from editor_app.core.document.commands.urdf_merging import MergeLinks as MergeLinks
from editor_app.core.document.commands.urdf_robot import (
    AttachToWorld as AttachToWorld,
    DetachFromWorld as DetachFromWorld,
    IgnoreLinkedBodies as IgnoreLinkedBodies,
    SetRobot as SetRobot,
)
from editor_app.core.document.commands.urdf_structure import (
    AddLink as AddLink,
    DuplicateBranch as DuplicateBranch,
    InsertLink as InsertLink,
    RemoveLink as RemoveLink,
    SplitLink as SplitLink,
)
from editor_app.core.document.commands.urdf_texts import (
    AddEmbedded as AddEmbedded,
    DeleteSensors as DeleteSensors,
    SetEmbedded as SetEmbedded,
    SetSensor as SetSensor,
)
from editor_app.core.document.commands.urdf_tree import (
    SetChild as SetChild,
    SetParent as SetParent,
    StraightenAxis as StraightenAxis,
)
# isort: on

if not TYPE_CHECKING:
    # Hidden from type checkers, for which any name would be a command else.
    def __getattr__(name: str) -> object:
        """Return a command under its name in the release before, with a DeprecationWarning."""
        # Imported here: what a script lists of this package are the commands and their modules.
        from editor_app.core.document.commands.old_names import find_old_command

        return find_old_command(name)
