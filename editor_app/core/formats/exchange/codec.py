"""A format as a value: how its files are recognised, read and written, and the choices that it
offers.

A codec is one `Codec` value, called `CODEC`, in the module `codec` of a plug-in;
`core.formats.registry` finds it. Nothing else has to know the format: the command line, the file
dialogs and the menus are filled from these values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from editor_app.core.formats.exchange.conversion import ConversionReport, XrdfConversion
from editor_app.core.formats.exchange.sphere_lists import SphereList
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.ros_settings import SettingsSource
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.formats.xrdf.versions import VERSIONS
from editor_app.core.model.coercion import Validated
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.guesses import NO_GUESSES, Guesses
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.options import option
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.plain import load_plain

#: A text by option, or whether a switch is on; None is what happens without a choice.
ChoiceValue = str | bool | None
#: Pairs of what the user reads and the value that it stands for.
Offer = tuple[tuple[str, ChoiceValue], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that a format leaves to the user. The command line spells `name` with dashes.

    `values` are all that can be chosen, the first being the default; empty for a name that stands
    in a file. Switches have the values False and True.
    """

    name: str
    title: str
    help: str
    values: Offer = ()

    @property
    def is_switch(self) -> bool:
        return any(isinstance(value, bool) for _, value in self.values)


@dataclass(frozen=True, slots=True)
class ConvertOptions(Validated):
    """The user's decisions about a conversion. `choices` are by the names of the codecs' `Choice`s.

    `merge_groups` and `keep_group` say what becomes of two geometry groups in XRDF 1.0, which uses
    one: both united, or the one of this name for both.
    """

    #: Name of the codec that writes; None goes by the name of the output.
    to: str | None = None
    xrdf_version: str | None = option(None, "format_version of the XRDF", choices=VERSIONS)
    merge_groups: bool = option(
        False,
        "merge the two geometry groups of XRDF 2.0 into the one that 1.0 allows",
        flag="merge",
    )
    keep_group: str | None = option(
        None, "use this geometry group for both obstacles and self-collision", "GROUP", flag="keep"
    )
    choices: FrozenDict[str, ChoiceValue] = FrozenDict()

    @staticmethod
    def of(
        to: str | None = None,
        *,
        xrdf_version: str | None = None,
        merge_groups: bool = False,
        keep_group: str | None = None,
        **choices: ChoiceValue,
    ) -> ConvertOptions:
        """With the choices of the formats as keywords: `ConvertOptions.of(to="curobo",
        curobo_version="1")`."""
        return ConvertOptions(to, xrdf_version, merge_groups, keep_group, FrozenDict(choices))

    def text(self, name: str) -> str | None:
        """The value of a choice that is a text."""
        value = self.choices.get(name)
        return value if isinstance(value, str) else None

    def is_on(self, name: str) -> bool:
        """Return whether a switch is on."""
        return bool(self.choices.get(name))


@dataclass(frozen=True)
class Surroundings:
    """Services of higher layers that formats need.

    `draft` makes an XRDF for a URDF that has none, with MoveIt's limits where there are some.
    `expand_xacro`: None refuses xacro, which evaluates Python expressions. `load_mesh(mesh,
    beside)` gives the parts of a mesh in metres, scaled (`geometry.mesh.MeshPart`); none when it is
    not there. None leaves meshes out. `packages`: name of a package -> its folder.
    """

    draft: Callable[[Urdf, MotionLimits | None], XrdfSource]
    expand_xacro: Callable[[Path], SourceText] | None = None
    load_mesh: Callable[[Mesh, Path | None], Sequence[Any]] | None = None
    packages: Mapping[str, Path] = FrozenDict()


@dataclass(frozen=True)
class RobotFiles:
    """The documents of one robot as they were read. `stated`: what a format beyond them says of the
    robot.

    `meshes` are (name relative to the URDF, content), of a file that holds its meshes itself.
    `xrdf_is_draft`: an XRDF that is named beside the file takes the place of this one.
    """

    urdf: UrdfSource | None = None
    xrdf: XrdfSource | None = None
    srdf: SrdfSource | None = None
    stated: StatedValues | None = None
    meshes: tuple[tuple[str, bytes], ...] = ()
    #: MoveIt's, by the keys of SETTINGS_KINDS.
    settings: FrozenDict[str, SettingsSource[Any]] = FrozenDict()
    report: ConversionReport | None = None
    xrdf_is_draft: bool = False


#: What a file contributes to a robot: documents, values that an XRDF holds, or spheres alone.
Contribution = RobotFiles | XrdfConversion | SphereList


@dataclass(frozen=True)
class ReadContext:
    """`urdf` is the robot's, for formats that contribute to one; None when none was named."""

    options: ConvertOptions
    surroundings: Surroundings
    urdf: Urdf | None = None


class Part(StrEnum):
    """A kind of content that a format can store."""

    LINKS = "links and joints"
    SHAPES = "visual and collision shapes"
    SPHERES = "collision spheres"
    XRDF = "XRDF sections"
    SRDF = "SRDF elements"
    SETTINGS = "MoveIt's settings"


@dataclass(frozen=True)
class Subject:
    """A robot that is to be written.

    `files` are its documents as they were read, `draft` the XRDF that was made for it when it had
    none. `others` names the formats of what contributed besides documents. `aside` is what such a
    file says that no document has room for, by codec. `changed_beside` are the documents that
    changed with the URDF: "xrdf", "srdf". `existing` is the output as it is, when it is to be
    brought up to date. `unread`: for each document, the parts that its reader left out, and names
    that the robot does not have. `guesses`: values of the XRDF that no file states.
    """

    robot: RobotDescription
    files: RobotFiles
    surroundings: Surroundings
    draft: XrdfSource | None = None
    reasons: FrozenDict[LinkPair, str] = FrozenDict()
    others: tuple[str, ...] = ()
    has_sphere_list: bool = False
    aside: FrozenDict[str, object] = FrozenDict()
    changed_beside: frozenset[str] = frozenset()
    reports: tuple[ConversionReport, ...] = ()
    notes: tuple[str, ...] = ()
    existing: SourceText | None = None
    first_name: str = "<robot>"
    unread: tuple[ConversionReport, ...] = ()
    guesses: Guesses = NO_GUESSES
    #: Whether meshes that are named relative to the URDF go where it goes.
    takes_meshes: bool = False

    @property
    def is_guessed(self) -> bool:
        """True if nothing but the URDF speaks of this robot: all else is the draft's."""
        return self.draft is not None and self.files.srdf is None and self.files.stated is None

    def written(
        self,
        files: Iterable[tuple[Path, str | bytes]],
        *reports: ConversionReport,
        notes: tuple[str, ...] = (),
    ) -> Conversion:
        """A conversion to these files, with what the steps on the way to them have told."""
        contents = (
            (path, data.encode() if isinstance(data, str) else data) for path, data in files
        )
        return Conversion(tuple(contents), (*self.reports, *reports), (*self.notes, *notes))


@dataclass(frozen=True)
class Conversion:
    """`files` in the order in which they should be written; the first is the one that was asked
    for.

    `inputs` are the files that were converted, as they were before.
    """

    files: tuple[tuple[Path, bytes], ...]
    reports: tuple[ConversionReport, ...]
    notes: tuple[str, ...] = ()
    inputs: Inputs = Inputs()

    __repr__ = brief


class Sample:
    """A file as recognisers see it: its name, its text, and its value where it is YAML or JSON.
    Read once."""

    def __init__(self, path: Path, source: SourceText | None = None) -> None:
        self.path = path
        self._given = source

    @cached_property
    def source(self) -> SourceText:
        """Raises FormatError."""
        return self._given if self._given is not None else SourceText.read(self.path)

    @cached_property
    def is_yaml(self) -> bool:
        return self.path.suffix.lower() in (".yml", ".yaml", ".json")

    @cached_property
    def value(self) -> Any:
        """The value of a YAML or JSON file, None for other files. Raises FormatError."""
        return load_plain(self.source) if self.is_yaml else None


BodyChange = Literal["world", "merge", "ignore", "positions"]
InputFile = Path | SourceText
Read = Callable[[InputFile, ReadContext], Contribution]
Write = Callable[[Subject, Path, ConvertOptions], Conversion]


@dataclass(frozen=True)
class Writer:
    """`endings` of file names ask for the format; `proposal` follows the robot's name in file
    dialogs.

    `takes` are the changes of the robot on the way that the format can say. `needs_urdf` is False
    for what can be written of an XRDF alone. `is_named` is True for what `--to` has to name,
    because the ending means another format. `patches`: a file that is there (`Subject.existing`) is
    changed where it differs, else always written anew. `layout` is of a format that is a folder:
    the codecs that write more files into it, and their names. `offers` gives the values of
    `choices` for the robot in some files, where they are others than for every robot.
    """

    write: Write
    endings: tuple[str, ...]
    proposal: str
    holds: frozenset[Part]
    takes: tuple[BodyChange, ...] = ()
    choices: tuple[Choice, ...] = ()
    needs_urdf: bool = True
    is_named: bool = False
    patches: bool = False
    layout: tuple[tuple[str, str], ...] = ()
    offers: Callable[[Sequence[InputFile]], Mapping[str, Offer]] | None = None


@dataclass(frozen=True)
class Codec:
    """One format. `name` is what `--to` calls it, `title` what menus call it (with the key after
    &).

    `endings` of file names are this format whatever the content is; `recognise` looks at the
    content, `vague` ones after all others. `pattern` is for file dialogs. `joins` is True for what
    contributes to a robot whose URDF is read before it. `is_whole` is True for files that are a
    robot by themselves. `offers` says what one file leaves to the user, by the names of `choices`;
    the URDF of the context is that of the open robot, if there is one. `names_urdf` gives what a
    file that joins a robot says of where its URDF is, as it is written there, the likeliest first.
    """

    name: str
    title: str
    pattern: str
    endings: tuple[str, ...] = ()
    recognise: Callable[[Sample], bool] | None = None
    vague: bool = False
    read: Read | None = None
    joins: bool = False
    is_whole: bool = False
    choices: tuple[Choice, ...] = ()
    offers: Callable[[InputFile, ReadContext], Mapping[str, Offer]] | None = None
    names_urdf: Callable[[Sample], tuple[str, ...]] | None = None
    writer: Writer | None = None

    @property
    def plain_title(self) -> str:
        return self.title.replace("&", "")


def get_source(file: InputFile) -> SourceText:
    """The text of an input. Raises FormatError."""
    return file if isinstance(file, SourceText) else SourceText.read(file)


def input_path(file: InputFile) -> Path:
    """Return the path of an input, to which relative names refer."""
    if isinstance(file, SourceText):
        return file.path if file.path is not None else Path("<text>")
    return file


#: The value of MODEL for all robots of a file as one.
ALL_ROBOTS = "*"
MODEL = Choice(
    "model",
    "Robot of the file",
    "robot to read from a COLLADA, SDF or USD file with several; '*' reads all",
)
COLLIDE = "collide"
SPHERES = Choice(
    "simulator_spheres",
    "Spheres in the model",
    "how spheres are added to a USD or an existing MuJoCo model: visible without contacts, or "
    "colliding",
    (("visible, without contacts", None), ("colliding", COLLIDE)),
)
