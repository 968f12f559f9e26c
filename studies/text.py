"""Managers' Markdown as safe HTML."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable("table")
_TAGS = {
    "p",
    "h2",
    "h3",
    "h4",
    "ul",
    "ol",
    "li",
    "em",
    "strong",
    "a",
    "code",
    "pre",
    "blockquote",
    "br",
    "hr",
}
_TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}


def markdown_html(text: str) -> SafeString:
    """Render Markdown; raw HTML in it is shown as text, and only harmless tags leave."""
    rendered = _markdown.render(text).replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    return mark_safe(nh3.clean(rendered, tags=_TAGS, url_schemes={"https", "http", "mailto"}))  # noqa: S308
