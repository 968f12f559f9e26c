"""Which answers to practice items and attention checks are accepted.

A unit's `accepts` maps a question's key to a rule. A rule is a list of accepted values (`[2, 3]`), a range
(`{"from": 2, "to": 3}`, ends included, either may be missing), or for payloads of several fields
`{"fields": {name: rule}}`. Any answer to a question without a rule is accepted.
"""

from collections.abc import Mapping
from typing import Any

Rule = Any
Rules = Mapping[str, Rule]


def accepted(rule: Rule, value: Any) -> bool:
    """Whether a rule (None: no rule) accepts a payload. `True` is not 1, and a range takes numbers only."""
    if rule is None:
        return True
    if isinstance(rule, list):
        return any(_same(value, one) for one in rule)
    if "fields" in rule:
        return isinstance(value, dict) and all(
            accepted(inner, value.get(name)) for name, inner in rule["fields"].items()
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bool(rule.get("from", value) <= value <= rule.get("to", value))


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def all_accepted(accepts: Rules, answers: Mapping[str, Any]) -> bool:
    """Whether every question with a rule was answered as accepted; an answer that is not there was not."""
    return all(key in answers and accepted(rule, answers[key]) for key, rule in accepts.items())


def rule_words(rule: Rule) -> str:
    """A rule in words, for feedback and for managers: `2 to 3`, `yes or no`, `anything`."""
    if rule is None:
        return "anything"
    if isinstance(rule, list):
        return " or ".join(map(str, rule))
    if "fields" in rule:
        return ", ".join(f"{name} {rule_words(inner)}" for name, inner in rule["fields"].items())
    low, high = rule.get("from"), rule.get("to")
    if low == high:
        return str(low)
    if low is None:
        return f"{high} or less"
    return f"{low} or more" if high is None else f"{low} to {high}"


def rule_fault(rule: Any) -> str:
    """What is wrong with a rule as somebody wrote it: found and expected; empty when it is fine."""
    expected = 'a list of accepted values, {"from": a, "to": b}, or {"fields": {name: rule}}'
    if isinstance(rule, list):
        return "" if rule else f"found an empty list, expected {expected}"
    if not isinstance(rule, dict) or not rule:
        return f"found {rule!r}, expected {expected}"
    if set(rule) == {"fields"} and isinstance(rule["fields"], dict) and rule["fields"]:
        return next((fault for fault in map(rule_fault, rule["fields"].values()) if fault), "")
    ends = [rule[end] for end in ("from", "to") if end in rule]
    numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
    if set(rule) - {"from", "to"} or not numbers:
        return f"found {rule!r}, expected {expected}"
    return "" if ends == sorted(ends) else f"found {rule!r}, expected from not above to"
