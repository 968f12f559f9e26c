"""The sound of the demo, synthesised: room tone, voices, thuds, bangs and shrieks.

Sounds are mono float32 in -1..1 at `SAMPLE_RATE`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from catalogue.demo.acting import SYLLABLES_PER_S
from catalogue.demo.looks import Look
from catalogue.demo.plan import ClipPlan

SAMPLE_RATE = 48_000

Sound = NDArray[np.float32]


def reaction_sound(plan: ClipPlan, look: Look) -> Sound:
    """Soft room tone throughout; a laugh at strength 2, a scream at 3, nothing below (000 Table 5)."""
    track = _room_tone(plan, 0.006)
    for moment in plan.moments:
        seconds = (moment.end_ms - moment.onset_ms) / 1000 - 0.35
        if moment.strength == 2:
            _add(track, moment.onset_ms / 1000 + 0.08, 0.42 * _laugh(look.voice_hz, seconds))
        elif moment.strength == 3:
            _add(track, moment.onset_ms / 1000, 0.8 * _scream(look.voice_hz, min(seconds, 1.9)))
    return _limit(track)


def stimulus_sound(plan: ClipPlan) -> Sound:
    """What can be heard of every event, the louder the bigger it is."""
    track = _room_tone(plan, 0.008)
    if plan.scene == "corridor":
        t = _time(plan.duration_ms / 1000)
        track += 0.03 * np.sin(2 * np.pi * 55 * t) * (1 + 0.4 * np.sin(2 * np.pi * 0.23 * t))
    for moment in plan.moments:
        at = moment.event_ms / 1000
        if plan.scene == "fireworks":
            whistle = _whistle()
            _add(track, at - 1.0, 0.05 * whistle)
        _add(track, at, _EVENTS[plan.scene](moment.strength))
    return _limit(track)


def _time(seconds: float) -> Sound:
    return np.arange(round(seconds * SAMPLE_RATE), dtype=np.float32) / np.float32(SAMPLE_RATE)


def _noise(seconds: float, name: str) -> Sound:
    size = round(seconds * SAMPLE_RATE)
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    return generator.standard_normal(size, dtype=np.float32)


def _muffled(noise: Sound, window: int) -> Sound:
    """Noise without its high end: a running mean, brought back to its old loudness."""
    total = np.cumsum(np.concatenate([np.zeros(window, np.float64), noise.astype(np.float64)]))
    return np.asarray((total[window:] - total[:-window]) / np.sqrt(window), np.float32)


def _room_tone(plan: ClipPlan, level: float) -> Sound:
    return level * _muffled(_noise(plan.duration_ms / 1000, plan.clip_id), 24)


def _add(track: Sound, at: float, sound: Sound) -> None:
    """Mix `sound` into `track` from second `at`; what lies outside the track is cut."""
    start = round(at * SAMPLE_RATE)
    if start < 0:
        sound, start = sound[-start:], 0
    stop = min(len(track), start + len(sound))
    track[start:stop] += sound[: max(0, stop - start)]


def _limit(track: Sound) -> Sound:
    return np.asarray(np.tanh(track) * np.float32(0.9), np.float32)


def _voice(pitch: Sound, formants: tuple[tuple[float, float], ...], breath: float) -> Sound:
    """A sung vowel: harmonics of a changing pitch, weighted by how near they lie to the formants."""
    phase = 2 * np.pi * np.cumsum(pitch.astype(np.float64)) / SAMPLE_RATE
    mean = float(pitch.mean())
    voice = np.zeros(len(pitch), np.float64)
    for harmonic in range(1, int(5000 / mean) + 1):
        hertz = harmonic * mean
        weight = sum(gain * np.exp(-(((hertz - centre) / (0.22 * centre)) ** 2)) for centre, gain in formants)
        voice += (weight + 0.25 / harmonic**1.6) * np.sin(harmonic * phase)
    voice /= np.abs(voice).max()
    rough = _muffled(_noise(len(pitch) / SAMPLE_RATE, "breath"), 3)[: len(pitch)]
    return np.asarray(voice + breath * rough, np.float32)


def _laugh(hertz: float, seconds: float) -> Sound:
    """Ha-ha-ha: syllables that fall in pitch and loudness."""
    t = _time(seconds)
    beat = (t * SYLLABLES_PER_S) % 1
    pitch = hertz * (1.45 - 0.35 * t / seconds) * (1 + 0.1 * np.cos(2 * np.pi * beat))
    voice = _voice(np.asarray(pitch, np.float32), ((820, 1.0), (1250, 0.6), (2700, 0.25)), 0.1)
    syllable = np.exp(-(((beat - 0.28) / 0.19) ** 2))
    fade = np.minimum(1, (seconds - t) / 0.25) * (1 - 0.35 * t / seconds)
    return np.asarray(voice * syllable * fade, np.float32)


def _scream(hertz: float, seconds: float) -> Sound:
    """Aah: a jump to a high, trembling pitch that sinks at the end."""
    t = _time(seconds)
    pitch = hertz * (2.4 + 0.9 * np.minimum(1, t / 0.18) - 0.7 * (t / seconds) ** 3)
    pitch = pitch * (1 + 0.025 * np.sin(2 * np.pi * 8 * t))
    voice = _voice(np.asarray(pitch, np.float32), ((900, 1.0), (1500, 0.8), (3200, 0.6)), 0.14)
    return np.asarray(voice * np.minimum(1, t / 0.04) * np.minimum(1, (seconds - t) / 0.3), np.float32)


def _thud(strength: int) -> Sound:
    t = _time(0.9)
    hertz = (400, 230, 110, 62)[strength]
    tone = np.sin(2 * np.pi * hertz * t * (1 - 0.25 * t)) * np.exp(-t * (40, 18, 9, 4.5)[strength])
    crack = _muffled(_noise(0.9, "thud"), (4, 6, 9, 14)[strength]) * np.exp(-t * (60, 45, 16, 7)[strength])
    return np.asarray((0.012, 0.3, 0.6, 1.1)[strength] * (tone + 0.45 * crack), np.float32)


def _bang(strength: int) -> Sound:
    t = _time(1.6)
    boom = _muffled(_noise(1.6, "bang"), (6, 8, 16, 30)[strength]) * np.exp(-t * (30, 14, 6, 3.2)[strength])
    low = np.sin(2 * np.pi * 58 * t) * np.exp(-t * 5) * (0, 0.1, 0.5, 1.0)[strength]
    crackle = (_noise(1.6, "crackle") > 3.2) * np.exp(-((t - 0.7) ** 2) / 0.1) * (0, 0.2, 0.5, 0.6)[strength]
    return np.asarray((0.03, 0.2, 0.55, 1.0)[strength] * (boom + low + crackle), np.float32)


def _whistle() -> Sound:
    t = _time(1.0)
    return np.asarray(
        np.sin(2 * np.pi * (1500 * t - 350 * t * t)) * np.minimum(1, t * 4) * (1 - t), np.float32
    )


def _fright(strength: int) -> Sound:
    t = _time(1.4)
    if strength == 0:
        buzz = np.sign(np.sin(2 * np.pi * 100 * t)) * ((t % 0.28) < 0.13) * (t < 0.7)
        return np.asarray(0.012 * buzz, np.float32)
    if strength == 1:
        bell = np.sin(2 * np.pi * 620 * t) + 0.6 * np.sin(2 * np.pi * 930 * t)
        return np.asarray(0.09 * bell * np.exp(-3 * t), np.float32)
    if strength == 2:
        return np.concatenate([1.1 * _thud(3)[: round(0.5 * SAMPLE_RATE)], np.zeros(10, np.float32)])
    chord = sum(np.sin(2 * np.pi * hertz * t * (1 + 0.02 * t)) for hertz in (740, 784, 1108, 1175, 1568))
    rasp = _muffled(_noise(1.4, "shriek"), 3)
    return np.asarray((0.3 * chord + 0.35 * rasp) * np.minimum(1, t / 0.02) * np.exp(-1.8 * t), np.float32)


_EVENTS: dict[str, Callable[[int], Sound]] = {"drops": _thud, "fireworks": _bang, "corridor": _fright}
