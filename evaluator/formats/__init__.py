"""The files Touchstone exchanges: their objects, readers and writers, and the problems readers report."""

from evaluator.formats.canonical import (
    content_sha256,
    json_document,
    json_line,
    json_lines,
    sha256,
    zip_bytes,
)
from evaluator.formats.fields import Fields
from evaluator.formats.goldset import Manifest, SetName, manifest_read
from evaluator.formats.ip import IpGold, IpItem, IpSet, IpSource, IpTask, Moment, Rating, ip_goldset_files
from evaluator.formats.problems import Findings, InputRefused, Problem, shown
from evaluator.formats.ratings import RatingLine, ratings_read
from evaluator.formats.strictjson import Row, read_json, read_jsonl

__all__ = [
    "Fields",
    "Findings",
    "InputRefused",
    "IpGold",
    "IpItem",
    "IpSet",
    "IpSource",
    "IpTask",
    "Manifest",
    "Moment",
    "Problem",
    "Rating",
    "RatingLine",
    "Row",
    "SetName",
    "content_sha256",
    "ip_goldset_files",
    "json_document",
    "json_line",
    "json_lines",
    "manifest_read",
    "ratings_read",
    "read_json",
    "read_jsonl",
    "sha256",
    "shown",
    "zip_bytes",
]
