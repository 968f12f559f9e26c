"""The ``touchstone-eval`` command: reports on stdout or in files, talk on stderr.

Exit status: 0 scored, 1 input refused with every problem listed, 2 wrong usage.
"""

import argparse
import difflib
import io
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from evaluator import __version__
from evaluator.formats.ip import IpSet
from evaluator.formats.problems import Findings, InputRefused, Problem
from evaluator.report import report_write
from evaluator.resample import Resampling
from evaluator.tasks.ip import GROUPS, ip_score
from evaluator.tasks.ip.parse import MODES, Mode
from evaluator.validate import ip_set_read

OK, REFUSED, USAGE = 0, 1, 2

_EXAMPLES = """examples:
  touchstone-eval validate demo-1.zip
  touchstone-eval ip demo-1.zip --joint model.jsonl
  touchstone-eval ip demo-1/ --joint model.jsonl --json report.json --group source_group

exit status: 0 scored, 1 input refused (every problem listed), 2 wrong usage
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
_VALIDATE_EXAMPLES = """examples:
  touchstone-eval validate demo-1.zip
  touchstone-eval validate demo-1/ --strict
"""


class WrongUsage(Exception):
    """The command line asks for something that does not exist; the message says what does."""


class _Parser(argparse.ArgumentParser):
    """An argument parser that leaves saying goodbye to :func:`main`."""

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}\n{self.format_usage().strip()}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the given arguments (by default the process's) and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show ρ gets an escape, never a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        options = _options(arguments)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except WrongUsage as error:
        _say(f"touchstone-eval: {error}")
        return USAGE
    except InputRefused as error:
        _say_all("refused", error.problems)
        count = len(error.problems)
        _say(f"{count} problem{'' if count == 1 else 's'}; nothing was scored or written")
        return REFUSED


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser, commands = _parser()
    first = next((argument for argument in arguments if not argument.startswith("-")), None)
    if first is not None and first not in commands:
        raise WrongUsage(f"no command {first!r}{_nearest(first, commands)}")
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = [flag for action in commands[options.name]._actions for flag in action.option_strings]
        flags = [word for word in unknown if word.startswith("-")] or unknown
        early = [word for word in flags if word in known]
        if early:
            raise WrongUsage(f"{', '.join(early)}: expected after the command {options.name!r}")
        raise WrongUsage("; ".join(f"no argument {word!r}{_nearest(word, known)}" for word in flags))
    return options


def _nearest(word: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(word, names, n=2, cutoff=0.5)
    return f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(sorted(names))}"


def _parser() -> tuple[_Parser, dict[str, argparse.ArgumentParser]]:
    parser = _Parser(
        prog="touchstone-eval",
        description="Score predictions against frozen Touchstone gold sets.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"touchstone-eval {__version__}")
    commands = parser.add_subparsers(dest="name", metavar="COMMAND", required=True)
    return parser, {"ip": _ip_parser(commands), "validate": _validate_parser(commands)}


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, purpose: str, examples: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("set", type=Path, metavar="SET", help="a gold set: its folder, or a zip of it")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report as JSON")
    parser.add_argument("--strict", action="store_true", help="refuse unknown ids, keys and files")
    return parser


def _ip_parser(commands: "argparse._SubParsersAction[_Parser]") -> argparse.ArgumentParser:
    parser = _command(commands, "ip", "score intensity profiles", _IP_EXAMPLES)
    parser.add_argument("--joint", type=Path, metavar="F", help="predictions, all moments of a clip at once")
    parser.add_argument("--independent", type=Path, metavar="F", help="predictions, one moment at a time")
    parser.add_argument(
        "--resamples", type=_count, default=10_000, metavar="N", help="bootstrap resamples (10000)"
    )
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="seed of the bootstrap (0)")
    parser.add_argument(
        "--group", type=_group, metavar="FIELD", help=f"resample groups of items: {', '.join(GROUPS)}"
    )
    parser.set_defaults(command=_ip)
    return parser


def _validate_parser(commands: "argparse._SubParsersAction[_Parser]") -> argparse.ArgumentParser:
    parser = _command(commands, "validate", "name every fault of a gold set", _VALIDATE_EXAMPLES)
    parser.set_defaults(command=_validate)
    return parser


def _count(text: str) -> int:
    return _integer(text, 1)


def _seed(text: str) -> int:
    return _integer(text, 0)


def _integer(text: str, low: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < low:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least {low}")
    return int(text)


def _group(text: str) -> str:
    if text not in GROUPS:
        raise argparse.ArgumentTypeError(f"no field {text!r}{_nearest(text, GROUPS)}")
    return text


def _ip(options: argparse.Namespace) -> int:
    paths: dict[Mode, Path] = {mode: getattr(options, mode) for mode in MODES if getattr(options, mode)}
    if not paths:
        raise WrongUsage("ip needs --joint F, --independent F or both")
    _check_target(options.json)
    findings = Findings(strict=options.strict)
    ip_set = ip_set_read(options.set, findings)
    predictions = {mode: (str(path), _bytes(path, findings)) for mode, path in paths.items()}
    if ip_set is None:
        raise InputRefused(findings.problems)
    findings.raise_if_any()
    plan = Resampling(options.resamples, options.seed)
    try:
        result = ip_score(ip_set, predictions, plan, findings, group=options.group)
    finally:
        _say_all("warning", findings.warnings)
    _write(options.json, result.report)
    print(result.table)
    return OK


def _validate(options: argparse.Namespace) -> int:
    _check_target(options.json)
    findings = Findings(strict=options.strict)
    ip_set = ip_set_read(options.set, findings)
    _say_all("warning", findings.warnings)
    if ip_set is None:
        raise InputRefused(findings.problems)
    report = _validation(ip_set)
    _write(options.json, report)
    counts = ", ".join(
        f"{report[key]} {key[2:]}" for key in ("n_items", "n_moments", "n_ratings", "n_raters")
    )
    print(f"{report['set']}: no fault found ({counts})")
    return OK


def _validation(ip_set: IpSet) -> dict[str, object]:
    return {
        "task": "validate",
        "set": ip_set.manifest.label,
        "content_sha256": ip_set.manifest.content_sha256,
        "v": __version__,
        "n_items": len(ip_set.tasks),
        "n_moments": sum(len(task.item.moments) for task in ip_set.tasks),
        "n_ratings": len(ip_set.ratings),
        "n_raters": len({rating.rater for rating in ip_set.ratings}),
    }


def _bytes(path: Path, findings: Findings) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or "an unreadable file"
        findings.problem(str(path), None, None, found=reason, expected="a readable predictions file")
        return b""


def _check_target(path: Path | None) -> None:
    """Refuse a report file that could not be written before any work is done."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise WrongUsage(f"--json {path}: expected a file name in a folder that exists")


def _write(path: Path | None, report: dict[str, object]) -> None:
    if path is None:
        return
    try:
        report_write(path, report)
    except OSError as error:
        raise WrongUsage(f"--json {path}: {error.strerror}") from None
    _say(f"report written to {path}")


def _say_all(what: str, problems: Iterable[Problem]) -> None:
    for problem in problems:
        _say(f"{what}: {problem.text}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
