"""The ``touchstone-eval`` command: reports on stdout or in files, talk on stderr.

Exit status: 0 scored, 1 input refused with every problem listed, 2 wrong usage.
"""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from evaluator import __version__, commands
from evaluator.formats.problems import InputRefused
from evaluator.tasks import agreement, ip
from evaluator.usage import Parser, WrongUsage, count, one_of, parse, seed

OK, REFUSED, USAGE = 0, 1, 2

_EXAMPLES = """examples:
  touchstone-eval agreement ratings.jsonl
  touchstone-eval validate demo-1.zip
  touchstone-eval ip demo-1.zip --joint model.jsonl
  touchstone-eval ip demo-1/ --joint model.jsonl --json report.json --group source_group
  touchstone-eval compare first.json second.json

exit status: 0 scored, 1 input refused (every problem listed), 2 wrong usage
"""
_AGREEMENT_EXAMPLES = """a ratings file has one line for each rating, with item_id only if there are items:
  {"moment_id": "66324_c00", "rater": "R1", "score": 2}
  {"item_id": "66324", "moment_id": "66324_c00", "rater": "R1", "score": 2}
or is CSV (comma, semicolon or tab) with a header of the same names

examples:
  touchstone-eval agreement ratings.jsonl
  touchstone-eval agreement answers.csv --json agreement.json
  touchstone-eval agreement demo-1/ratings.jsonl --group item_id
"""
_IP_EXAMPLES = """a predictions file has one line for each item:
  {"item_id": "66324", "scores": {"66324_c00": 22, "66324_c01": 30, "66324_c02": 20}}
  {"item_id": "66324", "output": "{\\"m0\\": 22, \\"m1\\": 30, \\"m2\\": 20}"}
or, with --independent, one for each moment:
  {"item_id": "66324", "moment_id": "66324_c00", "output": "22"}

examples:
  touchstone-eval ip demo-1.zip --joint model.jsonl
  touchstone-eval ip demo-1.zip --joint joint.jsonl --independent single.jsonl --json report.json
  touchstone-eval ip demo-1.zip --joint model.jsonl --group source_group --resamples 20000
"""
_COMPARE_EXAMPLES = """reports are those that --json writes; all must be of one set and one task

examples:
  touchstone-eval compare first.json second.json
  touchstone-eval compare reference.json other.json third.json --group source_group --json all.json
"""
_VALIDATE_EXAMPLES = """examples:
  touchstone-eval validate demo-1.zip
  touchstone-eval validate demo-1/ --strict
"""
_SET = "a gold set: its folder, or a zip of it"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments (by default the process's) and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ρ gets an escape, never a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = parse(*_parser(), arguments)
        run: Callable[[argparse.Namespace], None] = options.command
        run(options)
    except WrongUsage as error:
        commands.say(f"touchstone-eval: {error}")
        return USAGE
    except InputRefused as error:
        commands.say_all("refused", error.problems)
        found = len(error.problems)
        commands.say(f"{found} problem{'' if found == 1 else 's'}; nothing was scored or written")
        return REFUSED
    return OK


def _parser() -> tuple[Parser, dict[str, argparse.ArgumentParser]]:
    parser = Parser(
        prog="touchstone-eval",
        description="Score predictions against frozen Touchstone gold sets.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"touchstone-eval {__version__}")
    known = parser.add_subparsers(dest="name", metavar="COMMAND", required=True)
    return parser, {
        "agreement": _agreement_parser(known),
        "ip": _ip_parser(known),
        "compare": _compare_parser(known),
        "validate": _validate_parser(known),
    }


def _agreement_parser(known: "argparse._SubParsersAction[Parser]") -> argparse.ArgumentParser:
    parser = _command(known, "agreement", "report how far raters agree", _AGREEMENT_EXAMPLES)
    parser.add_argument("file", type=Path, metavar="FILE", help="ratings, as JSONL or CSV")
    _scoring(parser, agreement.GROUPS, "resample whole clips")
    parser.set_defaults(command=commands.agreement)
    return parser


def _ip_parser(known: "argparse._SubParsersAction[Parser]") -> argparse.ArgumentParser:
    parser = _command(known, "ip", "score intensity profiles", _IP_EXAMPLES)
    parser.add_argument("set", type=Path, metavar="SET", help=_SET)
    parser.add_argument("--joint", type=Path, metavar="F", help="predictions, all moments of a clip at once")
    parser.add_argument("--independent", type=Path, metavar="F", help="predictions, one moment at a time")
    _scoring(parser, ip.GROUPS, "resample groups of items")
    parser.set_defaults(command=commands.ip)
    return parser


def _compare_parser(known: "argparse._SubParsersAction[Parser]") -> argparse.ArgumentParser:
    parser = _command(known, "compare", "compare reports over the items they all cover", _COMPARE_EXAMPLES)
    parser.add_argument(
        "reports", type=Path, nargs="+", metavar="REPORT", help="reports; the first is the reference"
    )
    _scoring(parser, ip.GROUPS, "resample groups of items")
    parser.set_defaults(command=commands.compare)
    return parser


def _validate_parser(known: "argparse._SubParsersAction[Parser]") -> argparse.ArgumentParser:
    parser = _command(known, "validate", "name every fault of a gold set", _VALIDATE_EXAMPLES)
    parser.add_argument("set", type=Path, metavar="SET", help=_SET)
    parser.set_defaults(command=commands.validate)
    return parser


def _command(
    known: "argparse._SubParsersAction[Parser]", name: str, purpose: str, examples: str
) -> argparse.ArgumentParser:
    parser = known.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--strict", action="store_true", help="refuse unknown ids, keys and files")
    return parser


def _scoring(parser: argparse.ArgumentParser, groups: Sequence[str], grouping: str) -> None:
    """The options of every command that makes a report with intervals."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the report as a page (needs Plotly)")
    parser.add_argument(
        "--resamples", type=count, default=10_000, metavar="N", help="bootstrap resamples (10000)"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed of the bootstrap (0)")
    parser.add_argument(
        "--group", type=one_of(groups), metavar="FIELD", help=f"{grouping}: {', '.join(groups)}"
    )
