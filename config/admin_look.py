"""How the admin looks and is ordered: the manager's work first, the product's accent as its colour."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

# The accent of static/config/tokens.css, from light to dark, as the theme wants it.
_ACCENT = {
    "50": "#fdf7ea",
    "100": "#faebca",
    "200": "#f4d795",
    "300": "#ecbf5c",
    "400": "#e0a43a",
    "500": "#c4831c",
    "600": "#a8690b",
    "700": "#86520b",
    "800": "#6b4110",
    "900": "#583611",
    "950": "#331d06",
}

_MENU: list[tuple[str, list[tuple[str, str, str]]]] = [
    (
        "Collecting",
        [
            ("Studies", "how_to_vote", "studies_study"),
            ("Clips and items in studies", "playlist_add_check", "studies_studyunit"),
            ("Enrolments", "group", "studies_enrolment"),
            ("Technical faults", "report", "studies_technicalfault"),
        ],
    ),
    (
        "Results",
        [
            ("Answers in and out", "swap_vert", "exports_studyanswers"),
            ("Gold sets", "workspace_premium", "exports_goldsetversion"),
            ("Freeze jobs", "ac_unit", "exports_freezejob"),
        ],
    ),
    (
        "Catalogue",
        [
            ("Clips", "movie", "catalogue_clip"),
            ("Moments", "timelapse", "catalogue_moment"),
            ("Media versions", "video_file", "catalogue_mediaversion"),
            ("Stimulus windows", "view_timeline", "catalogue_stimuluswindow"),
            ("Nominations", "lock", "catalogue_nomination"),
            ("Creators", "person", "catalogue_creator"),
            ("Channels", "podcasts", "catalogue_channel"),
        ],
    ),
    ("Access", [("Users", "badge", "auth_user"), ("Groups", "groups", "auth_group")]),
]


def admin_look() -> dict[str, Any]:
    """The theme's settings."""
    return {
        "SITE_TITLE": "Touchstone",
        "SITE_HEADER": "Touchstone",
        "SITE_SYMBOL": "tune",
        "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": _icon}],
        "COLORS": {"primary": _ACCENT},
        "SIDEBAR": {"show_search": False, "navigation": [_section(*section) for section in _MENU]},
    }


def _icon(request: HttpRequest) -> str:
    return static("config/icon.svg")


def _section(title: str, entries: list[tuple[str, str, str]]) -> dict[str, Any]:
    items = [
        {
            "title": name,
            "icon": icon,
            "link": reverse_lazy(f"admin:{model}_changelist"),
            "permission": _can_view(model),
        }
        for name, icon, model in entries
    ]
    return {"title": title, "separator": True, "items": items}


def _can_view(model: str) -> Any:
    app, _, name = model.partition("_")
    return lambda request: request.user.has_perm(f"{app}.view_{name}")
