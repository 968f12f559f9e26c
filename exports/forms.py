"""The form that asks for a freeze."""

from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from studies.kinds import Parameter, StudyKind, kinds_all
from studies.models import Study


class StudiesField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """A choice among all studies, each with its address and state."""

    def label_from_instance(self, obj: Any) -> str:
        """What stands beside the box of one study."""
        return f"{obj.title} ({obj.slug}, {obj.state})"


class FreezeForm(forms.Form):
    """What to freeze, under which name, chosen how. Parameters are those that the kinds' sets declare."""

    set = forms.ChoiceField(
        label="Set",
        widget=UnfoldAdminSelectWidget,
        help_text="What kind of gold set; the studies have to be of the kind that makes it.",
    )
    studies = StudiesField(
        queryset=Study.objects.order_by("slug"),
        to_field_name="slug",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Answers of all of them go in. Where a person scored a moment twice, the earliest counts.",
    )
    name = forms.SlugField(
        max_length=80,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Freezing under a name that exists makes its next version. "
        "Left empty: the address of the first study.",
    )
    seed = forms.IntegerField(
        initial=0,
        widget=UnfoldAdminIntegerFieldWidget,
        help_text="Behind the draw among eligible items. The same seed draws the same items.",
    )
    line = forms.SlugField(
        label="Release line",
        max_length=80,
        initial="main",
        widget=UnfoldAdminTextInputWidget,
        help_text="Sets of one line share the labels R1, P1, C1, S1. Take another line where two sets must "
        "not be matched with each other.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._kinds = {kind.goldset_name: kind for kind in kinds_all()}
        sets = self.fields["set"]
        assert isinstance(sets, forms.ChoiceField)
        sets.choices = [(name, f"{name}: {kind.title}") for name, kind in self._kinds.items()]
        for kind in self._kinds.values():
            for parameter in kind.goldset_parameters:
                self.fields.setdefault(parameter.name, _field(parameter))
        self.order_fields([name for name in self.fields if name not in ("seed", "line")])

    def clean(self) -> dict[str, Any]:
        """Fill in the name that was left empty."""
        super().clean()
        chosen = self.cleaned_data.get("studies")
        if not self.cleaned_data.get("name") and chosen:
            self.cleaned_data["name"] = chosen[0].slug
        return self.cleaned_data

    def asked(self) -> dict[str, Any]:
        """The valid form as keyword arguments of `freeze_job_start`, `by` left to the caller."""
        data = self.cleaned_data
        kind: StudyKind = self._kinds[data["set"]]
        return {
            "set": data["set"],
            "studies": [study.slug for study in data["studies"]],
            "name": data["name"],
            "line": data["line"],
            "seed": data["seed"],
            "parameters": {parameter.name: data[parameter.name] for parameter in kind.goldset_parameters},
        }


def _field(parameter: Parameter) -> forms.Field:
    """The form field of a parameter, by its choices or the type of its default."""
    label = parameter.name.replace("_", " ").capitalize()
    if parameter.choices:
        return forms.TypedChoiceField(
            label=label,
            choices=[(choice, str(choice)) for choice in parameter.choices],
            coerce=lambda value: type(parameter.default)(value),
            initial=parameter.default,
            help_text=parameter.meaning,
            widget=UnfoldAdminSelectWidget,
        )
    if isinstance(parameter.default, bool):
        return forms.BooleanField(
            label=label,
            initial=parameter.default,
            required=False,
            help_text=parameter.meaning,
            widget=UnfoldBooleanWidget,
        )
    return forms.IntegerField(
        label=label,
        initial=parameter.default,
        help_text=parameter.meaning,
        widget=UnfoldAdminIntegerFieldWidget,
    )
