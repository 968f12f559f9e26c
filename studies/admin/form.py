"""The form of a study: what a manager sets, grouped as they think of it, and what does not go together."""

import re
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from studies.kinds import StudyKind, kinds_all
from studies.models import Path, Study

FROZEN_FIELDS = (
    *("instructions", "consent", "content_warning", "language", "parameters"),
    *("training_pass", "training_attempts", "check_every", "repeats", "repeat_gap"),
)
"""What shapes answers: changing one of them in a study that has been open makes a new version."""

FIXED_ONCE_MADE = ("kind", "seed")
FIXED_ONCE_OPEN = ("slug", "mode")

FIELDSETS: tuple[tuple[str | None, dict[str, Any]], ...] = (
    (None, {"fields": ("title", "slug", "kind", "state", "version", "study_link")}),
    ("What people read", {"fields": ("consent", "instructions", "content_warning", "contact", "language")}),
    (
        "How work is given out",
        {
            "fields": (
                "mode",
                "raters_per_unit",
                ("units_per_participant", "units_most"),
                ("reservation_minutes", "seat_hours"),
                "technical_reports_limit",
                "parameters",
            )
        },
    ),
    (
        "Before the work",
        {
            "fields": (("device_check", "screen_min_width"), ("training_pass", "training_attempts")),
            "description": "Practice items are set on their own page; without any there is no practice.",
        },
    ),
    (
        "Among the work",
        {
            "fields": ("check_every", ("repeats", "repeat_gap")),
            "description": "Attention checks are set on their own page. Checks and repeats enter no figure "
            "and no set, and nothing is done silently with how somebody did.",
        },
    ),
    ("What counts", {"fields": ("partial", "late", "returned", "seed")}),
    (
        "Where people come from",
        {"fields": ("shared_link", "keeps_out", "prolific", "prolific_study_ids", "prolific_signed")},
    ),
    ("Pay", {"fields": (("reward", "currency"), "pay_floor")}),
)


class StudyForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A study as a manager writes it; the kind is chosen among those installed."""

    kind = forms.ChoiceField(
        help_text="What people are asked to judge. Fixed once the study exists.",
        widget=UnfoldAdminSelectWidget,
    )

    class Meta:
        model = Study
        fields = (
            *("title", "slug", "kind", "consent", "instructions", "content_warning", "contact", "language"),
            *("mode", "raters_per_unit", "units_per_participant", "units_most", "reservation_minutes"),
            *("seat_hours", "technical_reports_limit", "parameters", "device_check", "screen_min_width"),
            *(
                "training_pass",
                "training_attempts",
                "check_every",
                "repeats",
                "repeat_gap",
                "partial",
                "late",
            ),
            *("returned", "seed", "shared_link", "keeps_out", "prolific", "prolific_study_ids"),
            *("prolific_signed", "reward", "currency", "pay_floor"),
        )
        widgets = {"keeps_out": UnfoldAdminCheckboxSelectMultipleWidget}
        labels = {
            "slug": "Address",
            "mode": "Pool or panel",
            "raters_per_unit": "Raters for each, or seats",
            "units_per_participant": "Portion of one visit",
            "units_most": "Most for one person",
            "reservation_minutes": "Reservation (minutes)",
            "seat_hours": "Seat kept (hours)",
            "screen_min_width": "Narrowest window",
            "training_pass": "Practice items to pass",
            "training_attempts": "Tries of the practice",
            "check_every": "Attention check every",
            "repeat_gap": "Gap before a repeat",
            "partial": "Clips left half-way",
            "late": "Late answers",
            "returned": "Returned on Prolific",
            "shared_link": "Open to anyone",
            "keeps_out": "Keep out people of",
            "prolific": "People from Prolific",
            "prolific_signed": "Signed links only",
            "pay_floor": "Floor an hour",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = kinds_all()
        if "kind" in self.fields:
            self.fields["kind"].choices = [(k.name, k.title) for k in kinds]  # type: ignore[attr-defined]
        if "mode" in self.fields:
            self._mode_follows_kind(kinds)
        if "keeps_out" in self.fields:
            others = Study.objects.exclude(pk=self.instance.pk) if self.instance.pk else Study.objects.all()
            self.fields["keeps_out"].queryset = others  # type: ignore[attr-defined]
            for offer in (
                "add",
                "change",
                "delete",
                "view",
            ):  # a choice among studies, not a way to make them
                setattr(self.fields["keeps_out"].widget, f"can_{offer}_related", False)
        if "parameters" in self.fields:
            self.fields["parameters"].help_text = "JSON. " + " ".join(
                f"{k.title}: "
                + "; ".join(f"{p.name} ({p.default!r}): {p.meaning}" for p in k.parameters)
                + "."
                for k in kinds
            )

    def _mode_follows_kind(self, kinds: list[StudyKind]) -> None:
        """A new study gives work out as its kind does, unless somebody says otherwise."""
        mode = self.fields["mode"]
        mode.help_text = "Fixed once the study has been open."
        if self.instance.pk is None:
            usual = ", ".join(f"{k.title}: {k.mode}" for k in kinds)
            mode.required = False
            mode.choices = [("", f"as usual for the kind ({usual})"), *Study.Mode.choices]  # type: ignore[attr-defined]
            self.initial["mode"] = ""

    def _kind(self) -> StudyKind | None:
        name = self.instance.kind or self.cleaned_data.get("kind")
        return next((k for k in kinds_all() if k.name == name), None)

    def clean_parameters(self) -> dict[str, Any]:
        """Only parameters that the kind declares, with values it knows."""
        given = self.cleaned_data["parameters"] or {}
        kind = self._kind()
        if not isinstance(given, dict):
            raise forms.ValidationError("expected a JSON object, for instance {}")
        declared = {p.name: p for p in kind.parameters} if kind else {}
        for key, value in given.items():
            if key not in declared:
                raise forms.ValidationError(f"{key}: unknown; expected one of {', '.join(declared)}")
            parameter = declared[key]
            if parameter.choices and value not in parameter.choices:
                expected = ", ".join(map(repr, parameter.choices))
                raise forms.ValidationError(f"{key}: found {value!r}, expected one of {expected}")
            if not parameter.choices and type(value) is not type(parameter.default):
                expected = type(parameter.default).__name__
                raise forms.ValidationError(f"{key}: found {value!r}, expected {expected}")
        return given

    def clean_raters_per_unit(self) -> int:
        """A study that has been open never wants fewer raters than it did: some may be there already."""
        wanted = int(self.cleaned_data["raters_per_unit"])
        before = self.initial.get("raters_per_unit") or 1
        if wanted < 1:
            raise forms.ValidationError(f"found {wanted}, expected 1 or more")
        if self.instance.version and wanted < before:
            raise forms.ValidationError(
                f"found {wanted}, expected {before} or more: a study that has been open is never lowered"
            )
        return wanted

    def clean_training_attempts(self) -> int:
        """Once at least."""
        return _at_least(1, self.cleaned_data["training_attempts"])

    def clean_units_per_participant(self) -> int | None:
        """A portion holds something."""
        given = self.cleaned_data["units_per_participant"]
        return None if given is None else _at_least(1, given)

    def clean_currency(self) -> str:
        """A code of three letters, as ISO 4217 has them."""
        given = str(self.cleaned_data["currency"]).strip().upper()
        if not re.fullmatch("[A-Z]{3}", given):
            raise forms.ValidationError(f"found {given!r}, expected three letters, for instance GBP")
        return given

    def clean_reward(self) -> Any:
        """Nobody pays to take part."""
        return _not_negative(self.cleaned_data["reward"])

    def clean_pay_floor(self) -> Any:
        """A floor under what is paid."""
        return _not_negative(self.cleaned_data["pay_floor"])

    def clean_prolific_study_ids(self) -> str:
        """One space between ids, whatever they were pasted with."""
        return " ".join(re.split(r"[\s,;]+", str(self.cleaned_data["prolific_study_ids"]).strip()))

    def clean(self) -> dict[str, Any]:
        """What does not go together, each at the field where it is mended."""
        data = super().clean() or self.cleaned_data
        kind = self._kind()
        if "mode" in self.fields and not data.get("mode") and kind is not None:
            data["mode"] = kind.mode
        portion, most = data.get("units_per_participant"), data.get("units_most")
        if portion and most is not None and most < portion:
            self.add_error("units_most", f"found {most}, expected {portion} or more: one visit's portion")
        if data.get("prolific_signed") and not data.get("prolific"):
            self.add_error("prolific_signed", "only people from Prolific have signed links: turn that on too")
        if data.get("prolific") and self.instance.version:
            there = set(self.instance.codes.exclude(code="").values_list("path", flat=True))
            if lacking := [path.label for path in Path if path not in there]:
                self.add_error(
                    "prolific",
                    f"this study has been open, and has no completion code for: {', '.join(lacking)}. "
                    "Set them under Links and codes first.",
                )
        return data


def _at_least(least: int, given: int) -> int:
    if given < least:
        raise forms.ValidationError(f"found {given}, expected {least} or more")
    return given


def _not_negative(given: Any) -> Any:
    if given is not None and given < 0:
        raise forms.ValidationError(f"found {given}, expected 0 or more")
    return given
