"""A report as one self-contained page: its tables, and charts drawn by Plotly, which the page carries along.

Plotly is an optional extra (``touchstone-eval[html]``); nothing else in the evaluator needs it.
"""

import importlib.util
from collections.abc import Mapping, Sequence
from html import escape

from evaluator.report import BarChart, Chart, IntervalChart, Result, Table

# The page may run what it holds and fetch nothing, whoever opens it and wherever.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #8886; }
th:first-child { text-align: left; white-space: pre; }
code { overflow-wrap: anywhere; }
.chart { background: #fff; }
"""
_INK = "#1f4e79"


def html_available() -> bool:
    """Whether pages can be made here: whether Plotly is installed."""
    return importlib.util.find_spec("plotly") is not None


def html_page(result: Result) -> bytes:
    """The page as bytes, the same for the same result. Raises ``ImportError`` where Plotly is missing."""
    from plotly.offline import get_plotlyjs  # loads slowly, and only pages need it

    charts = [part for at, chart in enumerate(result.charts) for part in _chart(chart, f"chart-{at}")]
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(result.title)}</title>",
        f"<style>{_STYLE}</style>",
        f"<script>{get_plotlyjs()}</script>",
        "</head>",
        "<body>",
        f"<h1>{escape(result.title)}</h1>",
        f"<p><code>{escape(result.signature)}</code></p>",
        *(_table(table) for table in result.tables),
        *charts,
        *_notes(result.report.get("notes")),
        "</body>",
        "</html>",
    ]
    return ("\n".join(parts) + "\n").encode("utf-8", "backslashreplace")


def _table(table: Table) -> str:
    heading = f"<h2>{escape(table.heading)}</h2>" if table.heading else ""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = "".join(_row(row) for row in table.rows)
    return f"{heading}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(cells: Sequence[str]) -> str:
    figures = "".join(f"<td>{escape(cell)}</td>" for cell in cells[1:])
    return f'<tr><th scope="row">{escape(cells[0])}</th>{figures}</tr>'


def _notes(notes: object) -> list[str]:
    if not isinstance(notes, Mapping) or not notes:
        return []
    lines = "".join(f"<li><code>{escape(key)}</code>: {escape(why)}</li>" for key, why in notes.items())
    return [f"<details><summary>Why figures are missing ({len(notes)})</summary><ul>{lines}</ul></details>"]


def _chart(chart: Chart, name: str) -> list[str]:
    """A chart's heading and its Plotly figure; nothing where there is nothing to draw."""
    figure = _bars(chart) if isinstance(chart, BarChart) else _intervals(chart)
    if figure is None:
        return []
    import plotly.graph_objects as go
    from plotly.io import to_html

    drawing = to_html(
        go.Figure(figure), include_plotlyjs=False, include_mathjax=False, full_html=False, div_id=name
    )
    return [f"<h2>{escape(chart.heading)}</h2>", f'<div class="chart">{drawing}</div>']


def _bars(chart: BarChart) -> dict[str, object] | None:
    if not chart.bars:
        return None
    trace = {
        "type": "bar",
        "x": [escape(label) for label, _ in chart.bars],
        "y": [value for _, value in chart.bars],
        "marker": {"color": _INK},
    }
    layout = {"xaxis": {"type": "category"}, "yaxis": {"title": {"text": chart.axis}}}
    return {"data": [trace], "layout": _layout(layout, 320)}


def _intervals(chart: IntervalChart) -> dict[str, object] | None:
    drawn = [(escape(label), own, own.mean) for label, own in chart.points if own.mean is not None]
    if not drawn:
        return None
    arms = [(0.0, 0.0) if own.ci is None else (mean - own.ci[0], own.ci[1] - mean) for _, own, mean in drawn]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [mean for _, _, mean in drawn],
        "y": [label for label, _, _ in drawn],
        "error_x": {
            "type": "data",
            "symmetric": False,
            "arrayminus": [low for low, _ in arms],
            "array": [high for _, high in arms],
        },
        "marker": {"color": _INK, "size": 9},
    }
    layout = {
        "xaxis": {"title": {"text": chart.axis}, "zeroline": True},
        "yaxis": {"type": "category", "autorange": "reversed", "automargin": True},
    }
    return {"data": [trace], "layout": _layout(layout, 140 + 32 * len(drawn))}


def _layout(layout: Mapping[str, object], height: int) -> dict[str, object]:
    return {**layout, "height": height, "margin": {"t": 16, "r": 16}, "template": "plotly_white"}
