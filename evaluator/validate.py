"""Reading a gold set whole, and naming every fault of it: files, hashes, fields, and rules across files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluator.formats.canonical import content_sha256, sha256
from evaluator.formats.fields import Fields
from evaluator.formats.goldset import MANIFEST, FileEntry, Manifest, files_read, manifest_read
from evaluator.formats.ip import (
    HIGHEST,
    IP_TASKS_SCHEMA,
    LOWEST,
    RATINGS,
    IpGold,
    IpItem,
    IpSet,
    IpSource,
    IpTask,
    Moment,
    Rating,
    ip_counts,
    ip_tasks,
    moment_order,
)
from evaluator.formats.problems import Findings, shown
from evaluator.formats.strictjson import read_json, read_jsonl, text_of
from evaluator.formats.write import DATASHEET, SCHEMA, TASKS

# A clip's probed length and its moments' times come from different clocks; this much is rounding (seconds).
_END_TOLERANCE_S = 0.1
# Labels that are not exact quotients may be written with fewer digits.
_LABEL_TOLERANCE = 1e-9
_SOURCE_KEYS = ("creator", "channel", "category", "source_group")
_GOLD_KEYS = ("consensus", "consensus_debiased", "n_ratings", "rater_sd")


def ip_set_read(path: Path, findings: Findings) -> IpSet | None:
    """Read and check an intensity set from its folder or zip.

    Every fault goes to ``findings``; the set comes back only when there was none.
    """
    files = files_read(path, findings)
    if findings.problems:
        return None
    manifest = _manifest(files, findings)
    if manifest is not None:
        _check_files(manifest, files, findings)
    if SCHEMA in files:
        read_json(SCHEMA, files[SCHEMA], findings)
    if DATASHEET in files:
        text_of(DATASHEET, files[DATASHEET], findings)
    before = len(findings.problems)
    tasks = _read_tasks(files[TASKS], manifest, findings) if TASKS in files else []
    # Ratings of an item that could not be read would all look like strays.
    known = tasks if len(findings.problems) == before else []
    ratings = _read_ratings(files[RATINGS], known, findings) if RATINGS in files else []
    # Labels are compared only when all ratings could be read: a rating left out would look like wrong labels.
    if not findings.problems:
        _check_labels(tasks, ratings, findings)
        _check_counts(manifest, tasks, ratings, findings)
    if manifest is None or findings.problems:
        return None
    return IpSet(manifest, tuple(tasks), tuple(ratings))


def _manifest(files: Mapping[str, bytes], findings: Findings) -> Manifest | None:
    if MANIFEST not in files:
        findings.problem(MANIFEST, None, None, found="no such file in the set", expected="the set's manifest")
        for name in (TASKS, RATINGS, SCHEMA, DATASHEET):
            if name not in files:
                findings.problem(name, None, None, found="no such file in the set", expected="the file")
        return None
    manifest = manifest_read(files[MANIFEST], findings)
    if manifest is not None and manifest.set != "ip":
        findings.problem(MANIFEST, None, "set", found=shown(manifest.set), expected='an intensity set, "ip"')
        return None
    return manifest


def _check_files(manifest: Manifest, files: Mapping[str, bytes], findings: Findings) -> None:
    for name in (TASKS, RATINGS, SCHEMA, DATASHEET):
        if name not in manifest.files:
            findings.problem(MANIFEST, None, f"files.{name}", found="nothing", expected="its hash and length")
    for name, entry in manifest.files.items():
        if name not in files:
            findings.problem(
                name, None, None, found="no such file in the set", expected="the file the manifest lists"
            )
            continue
        _check_file(name, files[name], entry, findings)
    for name in files:
        if name != MANIFEST and name not in manifest.files:
            findings.warning(
                name, None, None, found="a file the manifest does not list", expected="no such file"
            )
    content = content_sha256({name: entry.sha256 for name, entry in manifest.files.items()})
    if content != manifest.content_sha256:
        findings.problem(
            MANIFEST,
            None,
            "content_sha256",
            found=manifest.content_sha256,
            expected=f"{content}, the hash of the listed files",
        )


def _check_file(name: str, data: bytes, entry: FileEntry, findings: Findings) -> None:
    says = "as the manifest says"
    if len(data) != entry.bytes:
        findings.problem(name, None, None, found=f"{len(data)} bytes", expected=f"{entry.bytes} bytes {says}")
    digest = sha256(data)
    if digest != entry.sha256:
        findings.problem(name, None, None, found=f"SHA-256 {digest}", expected=f"{entry.sha256} {says}")


def _read_tasks(data: bytes, manifest: Manifest | None, findings: Findings) -> list[IpTask]:
    value = read_json(TASKS, data, findings)
    if value is None:
        return []
    fields = Fields(value, findings, file=TASKS)
    fields.known(("schema", "name", "version", "items"))
    fields.choice("schema", (IP_TASKS_SCHEMA,))
    name, version = fields.text("name"), fields.integer("version", low=1)
    if manifest is not None:
        if name is not None and name != manifest.name:
            fields.refuse("name", expected=f"{shown(manifest.name)} as in the manifest")
        if version is not None and version != manifest.version:
            fields.refuse("version", expected=f"{manifest.version} as in the manifest")
    members = fields.objects("items")
    if members is not None and not members:
        fields.refuse("items", expected="at least one item")
    tasks: list[IpTask] = []
    first: dict[str, str] = {}
    for member in members or []:
        task = _read_task(member)
        item_id = member.value.get("item_id")
        if isinstance(item_id, str) and first.setdefault(item_id, member.path) != member.path:
            member.refuse("item_id", expected=f"each id once (first in {first[item_id]})")
        if task is not None:
            tasks.append(task)
    return tasks


def _read_task(fields: Fields) -> IpTask | None:
    fields.known(("item_id", "input", "gold", "source"))
    item_id = fields.text("item_id")
    inputs, gold, source = fields.nested("input"), fields.nested("gold"), fields.nested("source")
    item_source = _read_source(source) if source is not None else None
    duration, moments = _read_input(inputs, item_id) if inputs is not None else (None, None)
    labels = _read_gold(gold, None if moments is None else len(moments)) if gold is not None else None
    if item_id is None or duration is None or moments is None or labels is None or item_source is None:
        return None
    return IpTask(IpItem(item_id, duration, tuple(moments), item_source), labels)


def _read_source(fields: Fields) -> IpSource | None:
    fields.known(_SOURCE_KEYS)
    values = [fields.text(key) for key in _SOURCE_KEYS]
    texts = [value for value in values if value is not None]
    return IpSource(*texts) if len(texts) == len(values) else None


def _read_input(fields: Fields, item_id: str | None) -> tuple[float | None, list[Moment] | None]:
    fields.known(("reaction", "duration_s", "moments"))
    reaction = fields.text("reaction")
    if reaction is not None and item_id is not None and reaction != f"{item_id}/reaction":
        fields.refuse("reaction", expected=shown(f"{item_id}/reaction"))
    duration = fields.number("duration_s", low=0)
    members = fields.objects("moments")
    if members is None:
        return duration, None
    if not members:
        fields.refuse("moments", expected="at least one moment")
    read = [_read_moment(member, duration) for member in members]
    moments = [moment for moment in read if moment is not None]
    if len(moments) < len(members):
        return duration, None
    ids = Counter(moment.moment_id for moment in moments)
    for member, moment in zip(members, moments, strict=True):
        if ids[moment.moment_id] > 1:
            member.refuse("moment_id", expected="each id once in an item")
    if moments != sorted(moments, key=moment_order):
        fields.refuse("moments", found="moments out of order", expected="moments ordered by time")
    return duration, moments


def _read_moment(fields: Fields, duration: float | None) -> Moment | None:
    fields.known(("moment_id", "start_s", "end_s"))
    moment_id = fields.text("moment_id")
    start, end = fields.number("start_s", low=0), fields.number("end_s", low=0)
    if start is not None and end is not None and end <= start:
        fields.refuse("end_s", expected=f"a time after start_s ({start})")
    elif end is not None and duration is not None and end > duration + _END_TOLERANCE_S:
        fields.refuse("end_s", expected=f"a time within the clip ({duration} s)")
    if moment_id is None or start is None or end is None:
        return None
    return Moment(moment_id, start, end)


def _read_gold(fields: Fields, n_moments: int | None) -> IpGold | None:
    fields.known(_GOLD_KEYS)
    consensus = _numbers(fields, "consensus", n_moments, low=LOWEST, high=HIGHEST)
    debiased = _numbers(fields, "consensus_debiased", n_moments)
    counts = _numbers(fields, "n_ratings", n_moments, integer=True)
    spread = _numbers(fields, "rater_sd", n_moments, low=0, nullable=True)
    if consensus is None or debiased is None or counts is None or spread is None:
        return None
    return IpGold(
        consensus=tuple(value for value in consensus if value is not None),
        consensus_debiased=tuple(value for value in debiased if value is not None),
        n_ratings=tuple(int(value) for value in counts if value is not None),
        rater_sd=tuple(spread),
    )


def _numbers(
    fields: Fields,
    key: str,
    length: int | None,
    *,
    low: float | None = None,
    high: float | None = None,
    integer: bool = False,
    nullable: bool = False,
) -> list[float | None] | None:
    """An array with one number for each moment; ``None`` after noting faults."""
    members = fields.array(key)
    if members is None:
        return None
    if length is not None and len(members) != length:
        fields.refuse(key, found=f"{len(members)} values", expected=f"{length} values, one for each moment")
        return None
    before = len(fields.findings.problems)
    # Each member is examined under its own path, such as gold.consensus[2].
    cells = Fields(
        {f"{key}[{index}]": member for index, member in enumerate(members)},
        fields.findings,
        file=fields.file,
        line=fields.line,
        path=fields.path,
    )
    values: list[float | None]
    if integer:
        values = [cells.integer(cell, low=1) for cell in cells.value]
    else:
        values = [cells.number(cell, low=low, high=high, optional=nullable) for cell in cells.value]
    return values if len(fields.findings.problems) == before else None


def _read_ratings(data: bytes, tasks: Sequence[IpTask], findings: Findings) -> list[Rating]:
    known = {(task.item.item_id, moment.moment_id) for task in tasks for moment in task.item.moments}
    first: dict[tuple[str, str, str], int] = {}
    ratings: list[Rating] = []
    for row in read_jsonl(RATINGS, data, findings):
        fields = Fields(row.value, findings, file=RATINGS, line=row.line)
        fields.known(("item_id", "moment_id", "rater", "score"))
        item_id, moment_id, rater = fields.text("item_id"), fields.text("moment_id"), fields.text("rater")
        score = fields.integer("score", low=LOWEST, high=HIGHEST)
        if item_id is None or moment_id is None or rater is None or score is None:
            continue
        if tasks and (item_id, moment_id) not in known:
            fields.refuse("moment_id", expected=f"a moment of item {shown(item_id)} in {TASKS}")
        line = first.setdefault((item_id, moment_id, rater), row.line)
        if line != row.line:
            fields.refuse("rater", expected=f"each rater once on a moment (first on line {line})")
        ratings.append(Rating(item_id, moment_id, rater, score))
    return ratings


def _check_labels(tasks: Sequence[IpTask], ratings: Sequence[Rating], findings: Findings) -> None:
    rated = {(rating.item_id, rating.moment_id) for rating in ratings}
    for index, task in enumerate(tasks):
        for at, moment in enumerate(task.item.moments):
            if (task.item.item_id, moment.moment_id) not in rated:
                findings.problem(
                    TASKS,
                    None,
                    f"items[{index}].input.moments[{at}].moment_id",
                    found=f"{shown(moment.moment_id)}, which has no rating",
                    expected=f"at least one line in {RATINGS}",
                )
    if findings.problems:
        return
    right = ip_tasks([task.item for task in tasks], ratings)
    for index, (task, expected) in enumerate(zip(tasks, right, strict=True)):
        for key in _GOLD_KEYS:
            _compare(
                f"items[{index}].gold.{key}", getattr(task.gold, key), getattr(expected.gold, key), findings
            )


def _compare(
    path: str, found: Sequence[float | None], expected: Sequence[float | None], findings: Findings
) -> None:
    # Consensus decides ties, so it must be the exact quotient; rounded labels may differ in the last digits.
    exact = path.endswith(("consensus", "n_ratings"))
    for at, (got, right) in enumerate(zip(found, expected, strict=True)):
        if got is None or right is None:
            same = got is right
        else:
            same = got == right if exact else abs(got - right) <= _LABEL_TOLERANCE
        if not same:
            findings.problem(
                TASKS, None, f"{path}[{at}]", found=shown(got), expected=f"{shown(right)} by {RATINGS}"
            )


def _check_counts(
    manifest: Manifest | None, tasks: Sequence[IpTask], ratings: Sequence[Rating], findings: Findings
) -> None:
    if manifest is None:
        return
    for key, right in ip_counts(tasks, ratings).items():
        if key in manifest.counts and manifest.counts[key] != right:
            findings.problem(
                MANIFEST,
                None,
                f"counts.{key}",
                found=shown(manifest.counts[key]),
                expected=f"{right} by the files",
            )
