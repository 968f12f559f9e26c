"""A small anti-aliased drawing board on a NumPy array.

Coordinates are local to a `Pen`: a place, a scale and a tilt on the picture. Shapes are signed distances, so
edges are smooth at any size; colours are RGB 0-255.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 640, 360

Picture = NDArray[np.float32]
"""(3, HEIGHT, WIDTH), 0-255: one plane a colour, which NumPy blends three times faster than pixels."""

Grid = NDArray[np.float32]
Colour = tuple[float, float, float]
Distance = Callable[[Grid, Grid], Grid]
"""From local coordinates to the signed distance from a shape's edge in local units, negative inside."""


def sky(top: Colour, bottom: Colour) -> Picture:
    """A picture that fades from `top` to `bottom`."""
    share = np.linspace(0, 1, HEIGHT, dtype=np.float32)[None, :, None]
    start, end = (np.asarray(colour, np.float32)[:, None, None] for colour in (top, bottom))
    return np.ascontiguousarray(np.broadcast_to(start * (1 - share) + end * share, (3, HEIGHT, WIDTH)))


def vignette(picture: Picture, strength: float = 0.35) -> None:
    """Darken the corners in place."""
    y, x = np.mgrid[-1 : 1 : HEIGHT * 1j, -1 : 1 : WIDTH * 1j].astype(np.float32)
    picture *= (1 - strength * np.clip(x * x * 0.55 + y * y * 0.6 - 0.25, 0, 1))[None]


def pixels(picture: Picture) -> NDArray[np.uint8]:
    """The picture as (HEIGHT, WIDTH, 3) bytes, as an encoder takes it."""
    result = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    for channel, plane in enumerate(picture):
        result[..., channel] = np.clip(plane, 0, 255)
    return result


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """The colour `share` of the way from a to b."""
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share)


@dataclass
class Pen:
    """Draws on `picture` around (x, y): one local unit is `scale` pixels, turned by `tilt` radians."""

    picture: Picture
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    tilt: float = 0.0

    def at(self, u: float, v: float, *, scale: float = 1.0, tilt: float = 0.0) -> Pen:
        """A pen whose origin is this pen's (u, v)."""
        x, y = self._place(u, v)
        return Pen(self.picture, x, y, self.scale * scale, self.tilt + tilt)

    def _place(self, u: float, v: float) -> tuple[float, float]:
        cos, sin = math.cos(self.tilt) * self.scale, math.sin(self.tilt) * self.scale
        return self.x + u * cos - v * sin, self.y + u * sin + v * cos

    def shape(
        self,
        box: tuple[float, float, float, float],
        distance: Distance,
        colour: Colour,
        alpha: float = 1.0,
        soft: float = 1.0,
    ) -> None:
        """Paint what `distance` says is inside, within the local box (u0, v0, u1, v1).

        `soft` is the width of the edge in pixels: 1 is crisp, more is a glow.
        """
        u0, v0, u1, v1 = box
        corners = [self._place(u, v) for u in (u0, u1) for v in (v0, v1)]
        margin = soft / 2 + 1
        left = max(0, math.floor(min(c[0] for c in corners) - margin))
        right = min(WIDTH, math.ceil(max(c[0] for c in corners) + margin))
        top = max(0, math.floor(min(c[1] for c in corners) - margin))
        bottom = min(HEIGHT, math.ceil(max(c[1] for c in corners) + margin))
        if left >= right or top >= bottom or alpha <= 0:
            return
        x = (np.arange(left, right, dtype=np.float32) + np.float32(0.5 - self.x))[None, :]
        y = (np.arange(top, bottom, dtype=np.float32) + np.float32(0.5 - self.y))[:, None]
        cos, sin = np.float32(math.cos(self.tilt) / self.scale), np.float32(math.sin(self.tilt) / self.scale)
        edge = distance(x * cos + y * sin, y * cos - x * sin)
        cover = np.clip(0.5 - edge * np.float32(self.scale / soft), 0, 1) * np.float32(alpha)
        for plane, value in zip(self.picture[:, top:bottom, left:right], colour, strict=True):
            plane += cover * (np.float32(value) - plane)

    def ellipse(
        self,
        u: float,
        v: float,
        ru: float,
        rv: float,
        colour: Colour,
        alpha: float = 1.0,
        soft: float = 1.0,
    ) -> None:
        if min(ru, rv) <= 0:
            return

        def distance(gu: Grid, gv: Grid) -> Grid:
            pu, pv = (gu - u) / ru, (gv - v) / rv
            reach = np.sqrt(pu * pu + pv * pv)
            slope = np.sqrt((pu / ru) ** 2 + (pv / rv) ** 2)
            return np.asarray((reach - 1) * reach / np.maximum(slope, 1e-4), np.float32)

        self.shape((u - ru, v - rv, u + ru, v + rv), distance, colour, alpha, soft)

    def glow(self, u: float, v: float, radius: float, colour: Colour, alpha: float) -> None:
        """A light that falls off smoothly to nothing at `radius`."""

        def distance(gu: Grid, gv: Grid) -> Grid:
            far = np.clip(1 - ((gu - u) ** 2 + (gv - v) ** 2) / (radius * radius), 0, 1)
            return np.asarray((0.5 - far * far) / self.scale, np.float32)

        self.shape((u - radius, v - radius, u + radius, v + radius), distance, colour, alpha)

    def box(
        self,
        u0: float,
        v0: float,
        u1: float,
        v1: float,
        colour: Colour,
        round_: float = 0.0,
        alpha: float = 1.0,
        soft: float = 1.0,
    ) -> None:
        """A rectangle with corners rounded by `round_`."""
        cu, cv, hu, hv = (u0 + u1) / 2, (v0 + v1) / 2, (u1 - u0) / 2 - round_, (v1 - v0) / 2 - round_

        def distance(gu: Grid, gv: Grid) -> Grid:
            du, dv = np.abs(gu - cu) - hu, np.abs(gv - cv) - hv
            outside = np.sqrt(np.maximum(du, 0) ** 2 + np.maximum(dv, 0) ** 2)
            return np.asarray(outside + np.minimum(np.maximum(du, dv), 0) - round_, np.float32)

        self.shape((u0, v0, u1, v1), distance, colour, alpha, soft)

    def line(
        self, points: Sequence[tuple[float, float]], radius: float, colour: Colour, alpha: float = 1.0
    ) -> None:
        """A stroke of round ends through the points."""

        def distance(gu: Grid, gv: Grid) -> Grid:
            far = np.full(np.broadcast_shapes(gu.shape, gv.shape), np.inf, np.float32)
            for (a, b), (c, d) in itertools.pairwise(points):
                du, dv = c - a, d - b
                along = np.clip(
                    ((gu - a) * du + (gv - b) * dv) / max(du * du + dv * dv, 1e-9),
                    0,
                    1,
                )
                far = np.minimum(far, (gu - a - along * du) ** 2 + (gv - b - along * dv) ** 2)
            return np.asarray(np.sqrt(far) - radius, np.float32)

        us, vs = [p[0] for p in points], [p[1] for p in points]
        bounds = (min(us) - radius, min(vs) - radius, max(us) + radius, max(vs) + radius)
        self.shape(bounds, distance, colour, alpha)

    def bow(
        self,
        start: tuple[float, float],
        through: tuple[float, float],
        end: tuple[float, float],
        radius: float,
        colour: Colour,
        alpha: float = 1.0,
    ) -> None:
        """A stroke along the quadratic curve whose control point is `through`."""
        points = []
        for step in range(7):
            t = step / 6
            a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
            points.append(
                (
                    a * start[0] + b * through[0] + c * end[0],
                    a * start[1] + b * through[1] + c * end[1],
                )
            )
        self.line(points, radius, colour, alpha)

    def between(
        self,
        half_width: float,
        upper: Callable[[Grid], Grid],
        lower: Callable[[Grid], Grid],
        reach: float,
        colour: Colour,
        alpha: float = 1.0,
    ) -> None:
        """Fill |u| < half_width between two curves v = upper(u) and v = lower(u), within |v| < reach."""

        def distance(gu: Grid, gv: Grid) -> Grid:
            return np.asarray(
                np.maximum(np.maximum(upper(gu) - gv, gv - lower(gu)), np.abs(gu) - half_width), np.float32
            )

        self.shape((-half_width, -reach, half_width, reach), distance, colour, alpha)
