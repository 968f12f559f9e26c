"""Intensity profiling for people: tables with the coverage of every mean beside it, and charts."""

from evaluator.report import Chart, IntervalChart, Table, estimate_text, number_text
from evaluator.resample import Estimate
from evaluator.tasks.ip.aggregate import PairedFigures
from evaluator.tasks.ip.figures import IpFigures
from evaluator.tasks.ip.human import HumanFigures

# Where a column has no such figure.
_NOTHING = "·"


def ip_tables(figures: IpFigures) -> tuple[Table, ...]:
    """All tables, the modes side by side."""
    paired = () if figures.paired is None else (_paired_table(figures.paired),)
    return (_mode_table(figures), *paired, _human_table(figures.human), _channel_table(figures.human))


def _mode_table(figures: IpFigures) -> Table:
    columns = list(figures.modes.values())
    return Table(
        "",
        ("", *figures.modes),
        (
            ("items", *(str(own.n_items) for own in columns)),
            ("parsed", *(str(own.n_parsed) for own in columns)),
            ("missing or unparsed", *(str(own.n_missing) for own in columns)),
            ("constant predictions", *(str(own.n_constant) for own in columns)),
            ("mean ρ0, constants as 0", *(estimate_text(own.rho0) for own in columns)),
            ("  over items", *(str(own.rho0.n) for own in columns)),
            ("mean Spearman, no constants", *(estimate_text(own.spearman_nonconstant) for own in columns)),
            ("  over items", *(str(own.spearman_nonconstant.n) for own in columns)),
            ("Pearson, pooled moments", *(number_text(own.pearson_pooled) for own in columns)),
            ("SD of predictions", *(number_text(own.prediction_sd, 2) for own in columns)),
            ("distinct values", *(str(own.distinct_values) for own in columns)),
        ),
    )


def _paired_table(figures: PairedFigures) -> Table:
    columns = (figures.extended, figures.nonconstant)
    return Table(
        "Independent minus joint, on the items scored in both",
        ("", "constants as 0", "no constants"),
        (
            ("items", *(str(own.delta.n) for own in columns)),
            ("mean change", *(estimate_text(own.delta) for own in columns)),
            ("Wilcoxon p", *(number_text(own.wilcoxon_p, 4) for own in columns)),
        ),
    )


def _human_table(figures: HumanFigures) -> Table:
    return Table(
        "Against single raters, both measured by the remaining raters",
        ("", "raters", *figures.modes),
        (*_matched_rows(figures), *_ranked_rows(figures)),
    )


def _matched_rows(figures: HumanFigures) -> list[tuple[str, ...]]:
    """Over all units, constant profiles included."""
    raters, modes = figures.raters, list(figures.modes.values())
    blank = [_NOTHING] * len(modes)
    accuracy = number_text(raters.pairwise_accuracy)
    return [
        ("units", str(raters.units), *(str(own.pairwise.units) for own in modes)),
        ("  over items", str(raters.videos), *(str(own.pairwise.videos) for own in modes)),
        ("  with a constant rater", str(raters.constant_units), *blank),
        ("pairwise accuracy, human", accuracy, *(number_text(own.pairwise.human) for own in modes)),
        ("pairwise accuracy, model", _NOTHING, *(number_text(own.pairwise.model) for own in modes)),
        ("  model minus human", _NOTHING, *(estimate_text(own.pairwise.delta) for own in modes)),
        ("ρ0, human", _NOTHING, *(number_text(own.rho0.human) for own in modes)),
        ("ρ0, model", _NOTHING, *(number_text(own.rho0.model) for own in modes)),
        ("  model minus human", _NOTHING, *(estimate_text(own.rho0.delta) for own in modes)),
    ]


def _ranked_rows(figures: HumanFigures) -> list[tuple[str, ...]]:
    """Over the units in which nobody is constant."""
    raters, modes = figures.raters, list(figures.modes.values())
    ranked = [own.conditional for own in modes]
    by_video, by_unit = number_text(raters.rho_video_weighted), number_text(raters.rho_unit_weighted)
    humans = [number_text(own.conditional_human_pairwise) for own in modes]
    models = [number_text(own.conditional_model_pairwise) for own in modes]
    return [
        (
            "units in which nobody is constant",
            str(raters.nonconstant_units),
            *(str(own.units) for own in ranked),
        ),
        ("  over items", str(raters.nonconstant_videos), *(str(own.videos) for own in ranked)),
        ("  Spearman, human", by_video, *(number_text(own.human) for own in ranked)),
        ("  Spearman, human, units equal", by_unit, *([_NOTHING] * len(modes))),
        ("  Spearman, model", _NOTHING, *(number_text(own.model) for own in ranked)),
        ("  model minus human", _NOTHING, *(estimate_text(own.delta) for own in ranked)),
        ("  pairwise accuracy, human", _NOTHING, *humans),
        ("  pairwise accuracy, model", _NOTHING, *models),
    ]


def _channel_table(figures: HumanFigures) -> Table:
    rows = [
        (
            f"{channel} {mode}",
            str(own.videos),
            number_text(own.human),
            number_text(own.model),
            number_text(own.delta),
            number_text(own.delta_without),
        )
        for channel, modes in figures.channels.items()
        for mode, own in modes.items()
    ]
    head = ("", "items", "human", "model", "model − human", "without the channel")
    return Table("Pairwise accuracy by channel", head, tuple(rows))


def ip_charts(figures: IpFigures) -> tuple[Chart, ...]:
    """The means with their intervals, and the leads over single raters with theirs."""
    means: list[tuple[str, Estimate]] = []
    leads: list[tuple[str, Estimate]] = []
    for mode, own in figures.modes.items():
        means += [
            (f"{mode}, constants as 0", own.rho0),
            (f"{mode}, no constants", own.spearman_nonconstant),
        ]
    if figures.paired is not None:
        means.append(("independent − joint, constants as 0", figures.paired.extended.delta))
        means.append(("independent − joint, no constants", figures.paired.nonconstant.delta))
    for mode, versus in figures.human.modes.items():
        leads.append((mode, versus.pairwise.delta))
    return (
        IntervalChart("Rank correlation with consensus", "mean over items, 95 % interval", tuple(means)),
        IntervalChart("Pairwise accuracy, model minus human", "mean over items, 95 % interval", tuple(leads)),
    )
