"""The verb audit: entries of a self-collision mask that the shapes of the robot refute, with the
configuration.

The search finds a configuration; every collision engine that can read the robot judges it again. An
entry is a claim only if all of them agree; else the report lists it as a disagreement.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.document.document import Document
from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.pose import Pose
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.link_geometry import Kind
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import complete_pose, get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    locate_robot,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.core.verbs.robot_sources import RobotSources
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.meshes import (
    CONTACT,
    MeshModel,
    analyse_meshes,
    collision_meshes,
)
from editor_app.features.masks.engine.model import Relation, build_sphere_model
from editor_app.features.masks.engine.results import (
    Analysis,
    AnalysisSettings,
    PairClass,
    PairEvidence,
    proven_mm,
)
from editor_app.features.masks.engine.sampling import Sampler
from editor_app.features.masks.verbs.mask_changes import list_masked_pairs
from editor_app.plugins.audit.engine.depth import depth_of
from editor_app.plugins.audit.engine.opinions import Opinion, ask_engines, load_engines

#: Code -> title of everything that an audit reports.
AUDIT_CODES = {
    "MASK001": "A pair that the mask calls Never touches",
    "MASK002": "An ignored pair touches",
    "MASK003": "The reason of an ignored pair does not hold, and the pair touches",
    "MASK004": "A checked pair cannot touch",
    "MASK005": "A checked pair always touches",
    "MASK006": "Collision engines disagree about a pair",
    "MASK007": "A pair that must be ignored touches in some configurations only",
    "MASK008": "A checked pair touches at the default position",
}
_SEVERITY = dict.fromkeys(("MASK004", "MASK006", "MASK007", "MASK008"), Severity.INFO)
#: Ignored pairs that touch: their entry is wrong.
WRONGLY_IGNORED = ("MASK001", "MASK002", "MASK003")
#: Whether a checked pair always touches -> code, and the end of the sentence.
_CHECKED_TOUCH = {
    True: ("MASK005", "in every configuration: planners find no motion"),
    False: ("MASK008", "at the default position: no motion starts there"),
}
#: Colliding configurations of a pair whose depths are compared, of those whose covers overlap most.
_WITNESSES, _LOOKS = 6, 64
#: Random configurations in which the engines look at a pair that cannot touch.
APART_LOOKS = 200


@dataclass(frozen=True, slots=True)
class JointValue:
    """A joint between the two links, its position in the configuration and its limits, in rad or
    m."""

    joint: str
    position: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class MaskClaim:
    """An entry of a mask, or a missing one, that is wrong. `code`: one of AUDIT_CODES. `reason`:
    the word of the file.

    `joints`: the configuration, of the joints between the two links; `pose` has every joint (rad or
    m). `depth` in metres; None where the surfaces cross without a compared point inside. `share` of
    `samples` configurations collide. `at_default`: the pair touches at the default position.
    `is_adjacent`: one joint connects the two. `proven`: metres that the two stay apart, or None.
    """

    code: str
    first: str
    second: str
    reason: str
    sentence: str
    pose: Pose
    joints: tuple[JointValue, ...]
    depth: float | None
    share: float
    samples: int
    at_default: bool
    is_adjacent: bool
    proven: float | None
    opinions: tuple[Opinion, ...]
    location: Location | None

    @property
    def pair(self) -> LinkPair:
        return LinkPair.of(self.first, self.second)

    @property
    def finding(self) -> Finding:
        """The claim as `check` reports its findings."""
        severity = _SEVERITY.get(self.code, Severity.WARNING)
        subject = FindingSubject(links=(self.first, self.second), section="mask")
        return Finding(self.code, severity, self.sentence, location=self.location, subject=subject)


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """The audit of one mask. `ignored` and `checked` count the pairs that were compared.

    `claims`: confirmed by every engine that could judge. `disagreements`: claims of the search that
    one denied. `notes`: shapes and engines that are missing.
    """

    document: Document
    file: MaskFile
    path: Path | None
    claims: tuple[MaskClaim, ...]
    disagreements: tuple[MaskClaim, ...]
    engines: tuple[str, ...]
    ignored: int
    checked: int
    samples: int
    notes: tuple[str, ...]
    wall_seconds: float

    __repr__ = brief

    @property
    def wrong(self) -> tuple[MaskClaim, ...]:
        """The claims that hide a collision."""
        return tuple(claim for claim in self.claims if claim.code in WRONGLY_IGNORED)

    @property
    def told(self) -> str:
        """The result as one sentence."""
        verb = "touches" if len(self.wrong) == 1 else "touch"
        pairs = (
            f"{format_count(len(self.wrong), 'ignored pair')} of the {self.file.value.upper()} "
            f"{verb}, of "
            f"{self.ignored}"
        )
        return f"{pairs}; checked with {' and '.join(self.engines)}."

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All claims and disagreements as findings."""
        return tuple(claim.finding for claim in (*self.claims, *self.disagreements))


def masks_of(document: Document) -> tuple[MaskFile, ...]:
    """Return the files of a robot that have a mask; an XRDF that is only drafted comes last."""
    robot = document.robot
    has_srdf = robot.srdf is not None and SrdfMask.of(robot.srdf) != SrdfMask()
    files = ((MaskFile.XRDF, robot.xrdf.self_collision is not None), (MaskFile.SRDF, has_srdf))
    masks = [file for file, has_mask in files if has_mask]
    return tuple(masks if document.xrdf_digest is not None else masks[::-1])


@check_arguments
def audit(
    document: Document,
    *,
    file: MaskFile | None = None,
    samples: int = 4096,
    certify: float = 10.0,
    seed: int = 0,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Audit:
    """Compare a mask with the collision shapes of the robot; the document stays as it is.

    `file`: whose mask (default: the first of `masks_of`). A link without a collision shape takes no
    part in an SRDF, as in MoveIt; for an XRDF its visible shapes count. `samples`: configurations.
    `certify`: CPU seconds for proofs. Raises Refused, Cancelled, ImportError without python-fcl.
    """
    started = time.perf_counter()
    available = masks_of(document)
    if file is None:
        if not available:
            raise Refused("no mask to audit: neither the XRDF nor the SRDF ignores a pair")
        file = available[0]
    return _Auditor(document, file, samples, certify, seed, make_stoppable(progress, cancel)).run(
        started
    )


def audit_sources(
    reporter: TaskReporter, sources: RobotSources, file: MaskFile
) -> tuple[tuple[Finding, ...], str]:
    """A job: the findings of the mask of a window's robot, and the result as one sentence."""
    result = audit(sources.document(), file=file, progress=reporter.progress)
    return result.findings, result.told


class _Auditor:
    """One audit: the shapes, the engines and the mask."""

    def __init__(
        self,
        document: Document,
        file: MaskFile,
        samples: int,
        certify: float,
        seed: int,
        progress: Progress,
    ) -> None:
        self.document, self.file = document, file
        self.samples, self.certify, self.seed, self.progress = samples, certify, seed, progress
        self.notes: list[str] = []
        self.robot = document.robot
        progress(0.0, "Loading the shapes")
        placed = locate_robot(document)
        kinds = self._kinds()
        meshes = collision_meshes(
            self.robot,
            placed.urdf_path,
            dict(placed.packages),
            self.notes.append,
            links=kinds.keys(),
        )
        if len(meshes) < 2:
            raise Refused(
                "fewer than two links have shapes that can be loaded: name the folders of the "
                "packages"
            )
        self.meshes = MeshModel(self.robot, meshes)
        self.engines, missing = load_engines(placed, document.urdf_text, kinds)
        self.notes += missing
        self.tree = get_tree(self.robot)
        self.mask = SrdfMask.of(self.robot.srdf)
        self.comments = read_reasons(document.xrdf_now) if file is MaskFile.XRDF else FrozenDict()
        self.sampler = Sampler(self.meshes.model, samples, seed)

    def _kinds(self) -> dict[str, Kind]:
        """Return link -> the shapes of it that count."""
        kinds: dict[str, Kind] = {}
        for link in self.robot.urdf.links:
            if link.collisions:
                kinds[link.name] = "collision"
            elif link.visuals and self.file is MaskFile.XRDF:
                kinds[link.name] = "visual"
        return kinds

    def run(self, started: float) -> Audit:
        model = self.meshes.model
        loose = {
            pair
            for row, pair in enumerate(model.link_pairs)
            if model.relation[row] == Relation.LOOSE
        }
        if loose:
            self.notes.append(
                f"{len(loose)} pairs with a planar or floating joint between them were not "
                "examined."
            )
        ignored = (
            list_masked_pairs(self.robot, self.file, model.link_pairs)
            & model.pair_index.keys() - loose
        )
        others = frozenset(model.link_pairs) - ignored - loose - self._without_spheres()
        suspects = [*self._ignored_claims(ignored), *self._checked_claims(others)]
        claims, disagreements = [], []
        for claim in suspects:
            judged = [opinion.touches for opinion in claim.opinions if opinion.touches is not None]
            if judged and all(touches is (claim.code != "MASK004") for touches in judged):
                claims.append(claim)
            else:
                disagreements.append(_as_disagreement(claim))
        order = list(AUDIT_CODES)
        claims.sort(
            key=lambda claim: (order.index(claim.code), -(claim.depth or 0.0), -claim.share)
        )
        return Audit(
            self.document,
            self.file,
            self.document.xrdf_path if self.file is MaskFile.XRDF else self.document.srdf_path,
            tuple(claims),
            tuple(disagreements),
            tuple(engine.name for engine in self.engines),
            len(ignored),
            len(others),
            self.samples,
            tuple(dict.fromkeys(self.notes)),
            time.perf_counter() - started,
        )

    def _without_spheres(self) -> frozenset[LinkPair]:
        """Return the pairs that an XRDF does not check, because a link of them has no spheres."""
        if self.file is MaskFile.SRDF:
            return frozenset()
        spheres = self.robot.xrdf.spheres_of(self.robot.xrdf.self_group)
        return frozenset(
            p
            for p in self.meshes.model.link_pairs
            if not (spheres.get(p.first) and spheres.get(p.second))
        )

    # -- ignored pairs

    def _ignored_claims(self, ignored: frozenset[LinkPair]) -> Iterator[MaskClaim]:
        settings = AnalysisSettings(self.samples, self.seed, 0.0)
        analysis = analyse_meshes(
            self.meshes, settings, scale_progress(self.progress, 0.05, 0.5), ignored
        )
        always = {self.meshes.model.link_pairs[row] for row in self.meshes.always.tolist()}
        contacts = []
        for pair in sorted(ignored - always):
            evidence, row = analysis[pair], self.meshes.model.pair_index[pair]
            if evidence.hits == 0 and evidence.clearance_min > 0.0:
                continue
            values, depth = self._deepest(row, analysis.witness[row])
            if evidence.hits or (depth or 0.0) > CONTACT:
                yield self._touching_claim(evidence, values, depth)
            else:
                contacts.append(f"{evidence.first} and {evidence.second}")
        if contacts:
            # Closed fingers: no sample collides, and the search found a contact without a depth.
            self.notes.append(
                f"Ignored pairs that come into contact but do not overlap: {', '.join(contacts)}."
            )

    def _touching_claim(
        self, evidence: PairEvidence, values: F64, depth: float | None
    ) -> MaskClaim:
        row = self.meshes.model.pair_index[evidence.pair]
        reason = self._reason(evidence.pair)
        at_default = self.meshes.collides(row, self._rest)
        code = _code_of(reason, evidence.kind is PairClass.ADJACENT, at_default)
        names = f"{evidence.first} and {evidence.second}"
        share = evidence.hits / evidence.samples if evidence.samples else 0.0
        deep = "" if depth is None else f", up to {max(depth * 1e3, 0.01):.2g} mm deep"
        often = (
            f"in {format_percent(share, 2)} of {evidence.samples:,} configurations"
            if evidence.hits
            else "in rare cases"
        )
        word = f"ignored ({reason})" if reason else "ignored"
        why = ""
        if code == "MASK007":
            rest = (
                "they are neighbours"
                if evidence.kind is PairClass.ADJACENT
                else "they touch at the default position"
            )
            why = (
                f". The pair must be ignored, because {rest}; narrow the limits of the joints "
                "between"
            )
        sentence = f"{names} are {word}, but their shapes touch {often}{deep}{why}"
        return self._claim(code, evidence, values, depth, at_default, share, sentence)

    def _deepest(self, row: int, witness: F64) -> tuple[F64, float | None]:
        """Return the variables (n,) with the deepest of the compared collisions, and its depth in
        metres."""
        gaps = self.sampler.clearances(row, self.sampler.count)
        nearest = np.argsort(gaps, kind="stable")[:_LOOKS]
        candidates = [witness, *self.sampler.values_of(nearest)]
        hits = [values for values in candidates if self.meshes.collides(row, values)][:_WITNESSES]
        depths = [self._depth(row, values) for values in hits]
        best = int(np.argmax(depths))
        return hits[best], depths[best] or None

    def _depth(self, row: int, values: F64) -> float:
        model = self.meshes.model
        world = compute_forward(self.tree, model.pose_of(values))
        placed = []
        for frame in (model.frames[k] for k in model.pairs[row].tolist()):
            vertices, faces = self.meshes.shapes[frame]
            matrix = world[self.tree.index[frame]]
            placed.append((vertices @ matrix[:3, :3].T + matrix[:3, 3], faces))
        return depth_of(*placed)

    @property
    def _rest(self) -> F64:
        """The default position (n,): of the XRDF, or MoveIt's, which is 0 or the middle of the
        range."""
        model = self.meshes.model
        if self.file is MaskFile.XRDF:
            return model.default
        has_zero = (model.lower <= 0.0) & (model.upper >= 0.0)
        return np.where(has_zero, 0.0, 0.5 * (model.lower + model.upper))

    # -- checked pairs

    def _checked_claims(self, others: frozenset[LinkPair]) -> Iterator[MaskClaim]:
        model = self.meshes.model
        settings = AnalysisSettings(self.samples, self.seed, self.certify)
        tell = scale_progress(self.progress, 0.5, 0.9)
        analysis = analyse_meshes(self.meshes, settings, tell, others, until_hit=True)
        always = {model.link_pairs[row] for row in self.meshes.always.tolist()}
        for pair in sorted(others):
            row = model.pair_index[pair]
            at_default = self.meshes.collides(row, self._rest)
            if at_default or (pair in always and analysis[pair].clearance_min <= 0.0):
                names = f"{analysis[pair].first} and {analysis[pair].second}"
                code, when = _CHECKED_TOUCH[pair in always]
                depth = self._depth(row, self._rest) or None
                sentence = f"{names} are checked, but their shapes touch {when}"
                yield self._claim(
                    code, analysis[pair], self._rest, depth, at_default, 0.0, sentence
                )
        proofs = analysis if self.file is MaskFile.SRDF else self._sphere_proofs()
        apart = {
            p: proofs[p].certified_clearance for p in sorted(others) if self._is_apart(proofs, p)
        }
        looks = self._look_at(apart, model.spread_values(APART_LOOKS))
        for pair, proven in apart.items():
            evidence = analysis[pair]
            bodies = "spheres" if self.file is MaskFile.XRDF else "shapes"
            sentence = (
                f"{evidence.first} and {evidence.second} are checked, but their {bodies} are "
                "proven to stay "
                f"{proven_mm(proven or 0.0, 1)} mm or more apart"
            )
            row = model.pair_index[pair]
            claim = self._claim(
                "MASK004", evidence, analysis.witness[row], None, False, 0.0, sentence
            )
            yield replace(claim, opinions=looks[pair], proven=proven)

    @staticmethod
    def _is_apart(proofs: Analysis, pair: LinkPair) -> bool:
        evidence = proofs.get(pair)
        return (
            evidence is not None
            and evidence.certified_clearance is not None
            and evidence.clearance_min > 0.0
        )

    def _sphere_proofs(self) -> Analysis:
        """Return the analysis of the spheres, which the readers of an XRDF compare."""
        return analyse(
            build_sphere_model(self.robot), AnalysisSettings(self.samples, self.seed, self.certify)
        )

    def _look_at(
        self, pairs: Mapping[LinkPair, object], values: F64
    ) -> dict[LinkPair, tuple[Opinion, ...]]:
        """Return the verdict of each engine on pairs over configurations (k, n): one collision is
        one too many."""
        seen: dict[LinkPair, dict[str, Opinion]] = {pair: {} for pair in pairs}
        for number, each in enumerate(values if pairs else ()):
            self.progress(0.9 + 0.1 * number / len(values), "Asking the other collision engines")
            pose = self._full_pose(each)
            for pair, opinions in seen.items():
                for opinion in ask_engines(self.engines, pair, pose):
                    before = opinions.get(opinion.engine)
                    opinions[opinion.engine] = (
                        before if before is not None and before.touches else opinion
                    )
        return {pair: tuple(opinions.values()) for pair, opinions in seen.items()}

    # -- parts of a claim

    def _full_pose(self, values: F64) -> Pose:
        return complete_pose(self.tree, self.meshes.model.pose_of(values))

    def _claim(
        self,
        code: str,
        evidence: PairEvidence,
        values: F64,
        depth: float | None,
        at_default: bool,
        share: float,
        sentence: str,
    ) -> MaskClaim:
        model = self.meshes.model
        row = model.pair_index[evidence.pair]
        pose = complete_pose(self.tree, model.pose_of(values, row))
        joints = tuple(
            JointValue(model.variables[k], float(values[k]), *map(float, model.limits[k]))
            for k in model.path_variables(row)
        )
        opinions = () if code == "MASK004" else ask_engines(self.engines, evidence.pair, pose)
        return MaskClaim(
            code,
            evidence.first,
            evidence.second,
            self._reason(evidence.pair),
            sentence,
            pose,
            joints,
            depth,
            share,
            evidence.samples,
            at_default,
            evidence.kind is PairClass.ADJACENT,
            None,
            opinions,
            self._location(evidence.pair),
        )

    def _reason(self, pair: LinkPair) -> str:
        return self.mask.reason(pair) if self.file is MaskFile.SRDF else self.comments.get(pair, "")

    def _location(self, pair: LinkPair) -> Location | None:
        """Return where the mask ignores the pair; the file alone for a checked pair."""
        if self.file is MaskFile.SRDF:
            source = self.document.srdf_now
            if source is None:
                return None
            for element in source.items(source.document.root, "disable_collisions"):
                if {element.get("link1"), element.get("link2")} == {pair.first, pair.second}:
                    return source.document.location(element)
            return Location(source.source.name)
        xrdf = self.document.xrdf_now
        section = self.robot.xrdf.self_collision
        for frame, others in (
            section.ignore if section is not None and section.ignore else {}
        ).items():
            if {frame} < {pair.first, pair.second} and (
                {pair.first, pair.second} - {frame}
            ).pop() in others:
                other = ({pair.first, pair.second} - {frame}).pop()
                span = xrdf.span(("self_collision", "ignore", frame, others.index(other)))
                if span is not None:
                    return xrdf.source.location(span[0])
        return Location(xrdf.source.name)


def _code_of(reason: str, is_adjacent: bool, at_default: bool) -> str:
    """Return the code of an ignored pair that touches in some configurations, and not in all."""
    word = reason.strip().lower()
    if word.startswith("never"):
        return "MASK001"
    if is_adjacent or at_default:
        return "MASK007"
    return "MASK003" if word in ("adjacent", "default", "always") else "MASK002"


def _as_disagreement(claim: MaskClaim) -> MaskClaim:
    verdicts = "; ".join(
        f"{each.engine}: {each.note or ('touch' if each.touches else 'apart')}"
        for each in claim.opinions
    )
    return replace(claim, code="MASK006", sentence=f"{claim.sentence}. Not confirmed: {verdicts}")
