"""The manager's view of the catalogue. Rows come and change by import alone; here they are looked at,
and clips and creators are taken out of sight and back."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from catalogue.models import Channel, Clip, Creator, MediaVersion, Moment, StimulusWindow
from catalogue.private import Nomination
from catalogue.services import clip_block, clip_unblock, creator_block, creator_unblock

MOST_LISTED = 100
"""How many rows a question names one by one."""


class ImportedAdmin(ModelAdmin):
    """A table that only an import fills: nothing is added, edited or deleted by hand."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """Every field of the model."""
        return [field.name for field in self.model._meta.fields]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: see import_catalogue."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: what has been judged stays; what must not be seen is blocked."""
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The row, without buttons that would save nothing."""
        hidden = {"show_save": False, "show_save_and_continue": False, "show_close": True}
        response: HttpResponse = super().changeform_view(
            request, object_id, form_url, (extra_context or {}) | hidden
        )
        return response

    def confirmed(self, request: HttpRequest, rows: QuerySet[Any], question: str) -> HttpResponse | None:
        """The page that asks first, or None when the answer was yes."""
        if request.POST.get("confirmed") == "yes":
            return None
        name = request.POST["action"]
        context = self.admin_site.each_context(request) | {
            "title": "Are you sure?",
            "opts": self.model._meta,
            "question": question,
            "objects": rows[:MOST_LISTED],
            "more": max(rows.count() - MOST_LISTED, 0),
            "across": request.POST.get("select_across") == "1",
            "verb": name.removesuffix("_selected").capitalize(),
            "action": name,
            "checkbox_name": ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "catalogue/confirm.html", context)

    def blocking(
        self, request: HttpRequest, rows: QuerySet[Any], question: str, write: Callable[[], int], done: str
    ) -> HttpResponse | None:
        """Ask, write, and say how many rows changed."""
        page = self.confirmed(request, rows, question)
        if page is None:
            count = write()
            noun = self.model._meta.verbose_name if count == 1 else self.model._meta.verbose_name_plural
            self.message_user(request, f"{count} {noun} {done}.", messages.SUCCESS)
        return page


class BlockedFilter(admin.SimpleListFilter):
    """Blocked or shown."""

    title = "blocked"
    parameter_name = "blocked"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The two states."""
        return [("yes", "Blocked"), ("no", "Shown")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Rows of the chosen state."""
        if self.value() is None:
            return queryset
        return queryset.filter(blocked_at__isnull=self.value() == "no")


class ImportedInline(TabularInline):
    """Rows of a clip, to be looked at."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: see import_catalogue."""
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """All that is shown."""
        return tuple(self.fields)


class MomentInline(ImportedInline):
    """A clip's moments."""

    model = Moment
    fields = ("moment_id", "start_ms", "end_ms")


class MediaInline(ImportedInline):
    """A clip's media, with earlier versions."""

    model = MediaVersion
    fields = ("role", "current", "duration_ms", "has_audio", "content_type", "created_at")


@admin.register(Clip)
class ClipAdmin(ImportedAdmin):
    """The clips, with what makes each ready to be judged."""

    list_display = (
        "clip_id",
        "category",
        "creator",
        "length",
        "number_of_moments",
        "media_state",
        "state",
    )
    list_filter = (BlockedFilter, "category", "creator__channel")
    list_select_related = ("creator__channel",)
    search_fields = ("clip_id", "creator__name", "creator__channel__name", "source_group")
    list_before_template = "catalogue/how_to_import.html"
    inlines = (MomentInline, MediaInline)
    actions = ("block_selected", "unblock_selected")
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Clip]:
        """Clips with their number of moments and of media in force."""
        rows: QuerySet[Clip] = super().get_queryset(request)
        return rows.annotate(
            moment_count=_count(Moment.objects.filter(clip=OuterRef("pk"))),
            media_count=_count(MediaVersion.objects.filter(clip=OuterRef("pk"), current=True)),
        )

    @display(description="length", ordering="duration_ms")
    def length(self, clip: Clip) -> str:
        """Seconds, for people."""
        return f"{clip.duration_ms / 1000:.1f} s"

    @display(description="moments", ordering="moment_count")
    def number_of_moments(self, clip: Clip) -> int:
        """How many moments are marked."""
        return clip.moment_count  # type: ignore[attr-defined]

    @display(description="media", label={"complete": "success", "incomplete": "danger"})
    def media_state(self, clip: Clip) -> str:
        """Whether reaction and stimulus are there."""
        complete = clip.media_count == len(MediaVersion.Role.values)  # type: ignore[attr-defined]
        return "complete" if complete else "incomplete"

    @display(
        description="state", label={"shown": "success", "blocked": "danger", "creator blocked": "danger"}
    )
    def state(self, clip: Clip) -> str:
        """Whether annotators may see it."""
        if clip.blocked_at:
            return "blocked"
        return "creator blocked" if clip.creator.blocked_at else "shown"

    @action(description="Block: show these clips to nobody", permissions=["change"])
    def block_selected(self, request: HttpRequest, rows: QuerySet[Clip]) -> HttpResponse | None:
        """Take clips out of sight, after asking."""
        question = (
            "Show these clips to nobody? It holds at once, in every study, also for those who have one open. "
            "Answers already given stay, and the clips can be unblocked."
        )
        ids = list(rows.values_list("clip_id", flat=True))
        return self.blocking(request, rows, question, lambda: clip_block(clip_ids=ids), "blocked")

    @action(description="Unblock: show these clips again", permissions=["change"])
    def unblock_selected(self, request: HttpRequest, rows: QuerySet[Clip]) -> HttpResponse | None:
        """Bring clips back, after asking."""
        question = "Show these clips again? Those whose creator is blocked stay out of sight."
        ids = list(rows.values_list("clip_id", flat=True))
        return self.blocking(request, rows, question, lambda: clip_unblock(clip_ids=ids), "unblocked")


@admin.register(Creator)
class CreatorAdmin(ImportedAdmin):
    """The creators, who can be blocked with all their clips."""

    list_display = ("name", "channel", "number_of_clips", "state")
    list_filter = (BlockedFilter, "channel")
    list_select_related = ("channel",)
    search_fields = ("name", "channel__name")
    actions = ("block_selected", "unblock_selected")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Creator]:
        """Creators with their number of clips."""
        rows: QuerySet[Creator] = super().get_queryset(request)
        return rows.annotate(clip_count=_count(Clip.objects.filter(creator=OuterRef("pk")), "creator"))

    @display(description="clips", ordering="clip_count")
    def number_of_clips(self, creator: Creator) -> int:
        """How many clips are theirs."""
        return creator.clip_count  # type: ignore[attr-defined]

    @display(description="state", label={"shown": "success", "blocked": "danger"})
    def state(self, creator: Creator) -> str:
        """Whether annotators may see their clips."""
        return "blocked" if creator.blocked_at else "shown"

    @action(description="Block: show no clip of these creators", permissions=["change"])
    def block_selected(self, request: HttpRequest, rows: QuerySet[Creator]) -> HttpResponse | None:
        """Take creators out of sight, after asking."""
        question = (
            "Show no clip of these creators to anybody, those imported later included? "
            "It holds at once, in every study; answers already given stay."
        )
        keys = list(rows.values_list("pk", flat=True))
        return self.blocking(request, rows, question, lambda: creator_block(creators=keys), "blocked")

    @action(description="Unblock: show their clips again", permissions=["change"])
    def unblock_selected(self, request: HttpRequest, rows: QuerySet[Creator]) -> HttpResponse | None:
        """Bring creators back, after asking."""
        question = (
            "Show the clips of these creators again? Clips that are blocked themselves stay out of sight."
        )
        keys = list(rows.values_list("pk", flat=True))
        return self.blocking(request, rows, question, lambda: creator_unblock(creators=keys), "unblocked")


@admin.register(Channel)
class ChannelAdmin(ImportedAdmin):
    """The channels."""

    list_display = ("name",)
    search_fields = ("name",)


@admin.register(Moment)
class MomentAdmin(ImportedAdmin):
    """The moments; times in milliseconds of media time."""

    list_display = ("moment_id", "clip", "start_ms", "end_ms")
    list_select_related = ("clip",)
    search_fields = ("moment_id", "clip__clip_id")


@admin.register(StimulusWindow)
class StimulusWindowAdmin(ImportedAdmin):
    """Candidate segments of the stimulus."""

    list_display = ("window_id", "clip", "start_ms", "end_ms")
    list_select_related = ("clip",)
    search_fields = ("window_id", "clip__clip_id")


@admin.register(Nomination)
class NominationAdmin(ImportedAdmin):
    """Why moments were proposed: for staff, never for annotators."""

    list_display = ("moment", "selector", "score", "rank")
    list_filter = ("selector",)
    list_select_related = ("moment",)
    search_fields = ("moment__moment_id",)


@admin.register(MediaVersion)
class MediaVersionAdmin(ImportedAdmin):
    """Every file that was ever shown."""

    list_display = ("clip", "role", "current", "duration_ms", "has_audio", "size", "created_at")
    list_filter = ("role", "current", "has_audio")
    list_select_related = ("clip",)
    search_fields = ("clip__clip_id", "sha256")


def _count(rows: QuerySet[Any], by: str = "clip") -> Coalesce:
    """How many of the rows belong to the outer one, counted apart so that lists stay quick."""
    return Coalesce(Subquery(rows.order_by().values(by).annotate(n=Count("pk")).values("n")), 0)
