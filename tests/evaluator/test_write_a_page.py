"""The report as a page: whole in one file, safe to open, readable without script or network."""

import re
import sys

import pytest

LINES = [
    {"item_id": "66324", "scores": {"66324_c00": 15, "66324_c01": 75, "66324_c02": 25}},
    {"item_id": "70001", "scores": {"70001_c00": 90, "70001_c01": 10}},
]


@pytest.fixture
def page_file(evaluate, demo_set, jsonl, tmp_path):
    path = tmp_path / "report.html"
    assert evaluate("ip", demo_set, "--joint", jsonl(*LINES), "--html", path)[0] == 0
    return path


def own_markup(text):
    """The page without Plotly's own code."""
    return re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_tables_and_signature_can_be_read_without_script(page_file, evaluate, demo_set, jsonl):
    report = evaluate("ip", demo_set, "--joint", jsonl(*LINES))[3]
    text = own_markup(page_file.read_text(encoding="utf-8"))
    assert report["signature"] in text
    assert "mean ρ0, constants as 0" in text
    assert "Against single raters" in text
    assert "Why figures are missing" in text


def test_the_page_names_no_other_place(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert not re.search(r"""<(?:link|iframe|img)|<script[^>]*\ssrc|(?:src|href)\s*=""", own_markup(text))
    assert "<script src" not in text
    assert "default-src 'none'" in text


def test_the_same_report_gives_the_same_page(page_file, evaluate, demo_set, jsonl, tmp_path):
    again = tmp_path / "again.html"
    evaluate("ip", demo_set, "--joint", jsonl(*LINES), "--html", again)
    assert again.read_bytes() == page_file.read_bytes()


def test_names_from_files_are_shown_never_run(evaluate, jsonl, tmp_path):
    path = tmp_path / "page.html"
    rater = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
    rows = [{"moment_id": f"m{at}", "rater": who, "score": at} for at in (0, 1) for who in (rater, "R2")]
    assert evaluate("agreement", jsonl(*rows), "--html", path)[0] == 0
    text = path.read_text(encoding="utf-8")
    assert "<img" not in own_markup(text)
    assert "alert(2)</script>" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


def test_without_plotly_the_page_is_refused_with_the_way_to_get_it(
    evaluate, demo_set, jsonl, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "plotly", None)
    status, out, err, report = evaluate(
        "ip", demo_set, "--joint", jsonl(*LINES), "--html", tmp_path / "p.html"
    )
    assert (status, out, report) == (2, "", None)
    assert "pip install 'touchstone-eval[html]'" in err
    assert evaluate("ip", demo_set, "--joint", jsonl(*LINES))[0] == 0


def test_a_refused_input_writes_no_page(evaluate, jsonl, tmp_path):
    assert evaluate("agreement", jsonl("x"), "--html", tmp_path / "p.html")[0] == 1
    assert not (tmp_path / "p.html").exists()


def test_comparisons_have_a_page_too(evaluate, demo_set, jsonl, tmp_path):
    evaluate("ip", demo_set, "--joint", jsonl(*LINES))
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_bytes((tmp_path / "report.json").read_bytes())
    path = tmp_path / "c.html"
    assert evaluate("compare", tmp_path / "a.json", tmp_path / "b.json", "--html", path)[0] == 0
    assert "differences of mean ρ0" in path.read_text(encoding="utf-8")


@pytest.mark.browser
def test_charts_are_drawn_offline_under_the_pages_own_policy(new_context, page_file):
    page = new_context(offline=True).new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    page.locator(".js-plotly-plot .xy .scatterlayer").first.wait_for(state="attached")
    assert page.locator(".js-plotly-plot").count() == 2
    assert page.locator("path.xerror").count() >= 2
    assert (said, asked) == ([], [page_file.as_uri()])
