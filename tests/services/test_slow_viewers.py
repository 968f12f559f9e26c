"""Viewers who stop reading take nobody else's place (real server, real sockets)."""

import time

import pytest

from tests.services.annotator import HttpAnnotator
from tests.services.filler import clip_of_bytes, open_study

pytestmark = pytest.mark.services


@pytest.mark.parametrize("ranges", [True, False], ids=["ranges", "whole files"])
def test_answers_are_saved_while_forty_viewers_read_nothing(live_site, ranges):
    clip_of_bytes("big", moments=5, size=8 * 1024 * 1024)
    annotator = HttpAnnotator(live_site.url, open_study())
    opened = annotator.open()
    with annotator.unread(opened["media"]["reaction"]["url"], 40, ranges=ranges):
        began = time.monotonic()
        for moment in opened["view"]["moments"]:
            status, body = annotator.answer(opened, moment["key"], 2)
            assert status == 201, body
        assert time.monotonic() - began < 5  # generous: `make bench` holds the exact promise
