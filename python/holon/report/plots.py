"""Plots as SVG that follow the colours of the page. However many rows there are, a curve has a few hundred points."""

import dataclasses
import html
import math

import numpy
import numpy.typing

from ..table import Array

WIDTH, HEIGHT = 480, 220
TOP, RIGHT, BOTTOM = 12, 12, 38
BUCKETS = 400  # in which the smallest and the largest value are shown, where there are more rows
SMOOTH = 60  # parts of the time for moving averages
DIGIT_WIDTH = 6.4


@dataclasses.dataclass(frozen=True)
class Curve:
    """A series of one run: x and y [row], x ascending; `run`: number of the run, for its colour."""

    run: int
    x: Array
    y: Array


@dataclasses.dataclass(frozen=True)
class Look:
    """What is drawn over the values: their running average, the straight line that fits best, or nothing."""

    x_label: str
    overlay: str = "average"  # average, line, none
    marks: tuple[float, ...] = ()  # x of vertical lines


def ticks(low: float, high: float, count: int) -> Array:
    """Round numbers within [low, high], about `count` of them."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    return step * numpy.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)


def tick_labels(values: Array) -> list[str]:
    """As many decimals as tell neighbours apart."""
    step = float(values[1] - values[0]) if len(values) > 1 else 1.0
    size = float(numpy.abs(values).max())
    if size >= 1e7 or (size < 1e-3 and size > 0):
        digits = max(0, math.ceil(math.log10(size / step) + 0.01))
        return [f"{value:.{min(digits, 6)}e}" if value else "0" for value in values.tolist()]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(round(step, decimals) - step) > 1e-6 * step:
        decimals += 1  # steps of 2.5
    return [f"{value:,.{decimals}f}".replace(",", "\u2009").replace("-", "\u2212") for value in (values + 0.0).tolist()]


def y_range(curves: list[Curve]) -> tuple[float, float, bool]:
    """What the axis shows, and whether values lie beyond: single ones far from all others would flatten the rest."""
    low, high = min(float(curve.y.min()) for curve in curves), max(float(curve.y.max()) for curve in curves)
    quantiles = numpy.array([numpy.quantile(curve.y, [0.02, 0.98]) for curve in curves])
    q_low, q_high = float(quantiles[:, 0].min()), float(quantiles[:, 1].max())
    span = q_high - q_low
    clipped = span > 0 and high - low > 30 * span
    if clipped:
        low, high = max(low, q_low - 0.3 * span), min(high, q_high + 0.3 * span)
    margin = 0.06 * (high - low) or max(abs(high) * 1e-3, 1e-9)
    return low - margin, high + margin, clipped


def far_apart(curves: list[Curve]) -> bool:
    """Whether in one frame each curve would be flat: other runs are of another size."""
    spans = [float(numpy.ptp(curve.y)) for curve in curves]
    both = max(float(c.y.max()) for c in curves) - min(float(c.y.min()) for c in curves)
    return len(curves) > 1 and both > 5 * sum(spans)


def envelope(curve: Curve) -> tuple[Array, Array, Array]:
    """x, smallest and largest y in at most BUCKETS equal parts of the time [bucket]."""
    starts = _bucket_starts(curve.x, BUCKETS)
    return curve.x[starts], numpy.minimum.reduceat(curve.y, starts), numpy.maximum.reduceat(curve.y, starts)


def moving_average(curve: Curve) -> tuple[Array, Array]:
    """Averages over SMOOTH equal parts of the time, and the middles of these."""
    starts = _bucket_starts(curve.x, SMOOTH)
    counts = numpy.diff(numpy.append(starts, len(curve.x)))
    return numpy.add.reduceat(curve.x, starts) / counts, numpy.add.reduceat(curve.y, starts) / counts


def running_average(curve: Curve) -> tuple[Array, Array]:
    """Averages from the start on, at 200 rows at most."""
    y0 = curve.y[0]  # sums of differences: digits are not lost to a large mean
    average = y0 + numpy.cumsum(curve.y - y0) / numpy.arange(1, len(curve.y) + 1)
    rows = numpy.unique(numpy.linspace(0, len(average) - 1, 200).astype(int))
    return curve.x[rows], average[rows]


def _bucket_starts(x: Array, buckets: int) -> numpy.typing.NDArray[numpy.int64]:
    starts = numpy.searchsorted(x, numpy.linspace(x[0], x[-1], buckets + 1)[:-1])
    rows: numpy.typing.NDArray[numpy.int64] = numpy.unique(starts)
    return rows


def best_line(curve: Curve) -> tuple[Array, Array]:
    """The two ends of the straight line that fits best."""
    x, y = curve.x - curve.x.mean(), curve.y - curve.y.mean()
    slope = float(x @ y) / (float(x @ x) or 1.0)
    return curve.x[[0, -1]], curve.y.mean() + slope * x[[0, -1]]


class Frame:
    """Axes, and what turns values into places."""

    def __init__(self, curves: list[Curve]) -> None:
        self.x_low = min(float(curve.x[0]) for curve in curves)
        self.x_high = max(float(curve.x[-1]) for curve in curves)
        self.y_low, self.y_high, self.clipped = y_range(curves)
        self.y_ticks = ticks(self.y_low, self.y_high, 5)
        self.y_labels = tick_labels(self.y_ticks)
        self.left = max(34.0, DIGIT_WIDTH * max(len(label) for label in self.y_labels) + 12)

    def x(self, values: Array) -> Array:
        width = WIDTH - RIGHT - self.left
        return self.left + (values - self.x_low) / ((self.x_high - self.x_low) or 1.0) * width

    def y(self, values: Array) -> Array:
        share = (numpy.clip(values, self.y_low, self.y_high) - self.y_low) / (self.y_high - self.y_low)
        return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)

    def points(self, x: Array, y: Array) -> str:
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(self.x(x).tolist(), self.y(y).tolist()))

    def axes(self, look: Look) -> str:
        bottom = HEIGHT - BOTTOM
        parts = []
        for y, label in zip(self.y(self.y_ticks).tolist(), self.y_labels):
            parts.append(f'<line class="grid" x1="{self.left:.1f}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<text x="{self.left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
        x_ticks = ticks(self.x_low, self.x_high, 6)
        for x, label in zip(self.x(x_ticks).tolist(), tick_labels(x_ticks)):
            anchor = "end" if x > WIDTH - RIGHT - 14 else "middle"
            parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="{anchor}">{label}</text>')
        marks = numpy.array([mark for mark in look.marks if self.x_low < mark < self.x_high])
        for x in self.x(marks).tolist():
            parts.append(f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{bottom}"/>')
        parts.append(f'<line class="axis" x1="{self.left:.1f}" x2="{WIDTH - RIGHT}" y1="{bottom}" y2="{bottom}"/>')
        middle = (self.left + WIDTH - RIGHT) / 2
        label = html.escape(look.x_label)
        parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 5}" text-anchor="middle">{label}</text>')
        return "".join(parts)


def line_plot(title: str, curves: list[Curve], look: Look) -> str:
    """An <svg> of curves, each with two values or more that are numbers. Empty text, if none has."""
    shown = [_finite(curve) for curve in curves]
    shown = [curve for curve in shown if len(curve.x) > 1 and curve.x[-1] > curve.x[0]]
    if not shown:
        return ""
    frame = Frame(shown)
    label = html.escape(title, quote=True)
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">', frame.axes(look)]
    for curve in shown:
        parts.append(_values(frame, curve, look))
    for curve in shown:
        parts.append(_overlay(frame, curve, look))
    if frame.clipped:
        low, high = min(float(c.y.min()) for c in shown), max(float(c.y.max()) for c in shown)
        text = f"values reach from {low:.4g} to {high:.4g}"
        parts.append(f'<text x="{WIDTH - RIGHT}" y="{TOP + 10}" text-anchor="end">{text}</text>')
    return "".join([*parts, "</svg>"])


def _finite(curve: Curve) -> Curve:
    good = numpy.isfinite(curve.y)
    return curve if good.all() else Curve(curve.run, curve.x[good], curve.y[good])


def _values(frame: Frame, curve: Curve, look: Look) -> str:
    if len(curve.x) <= 2 * BUCKETS:
        weight = "" if look.overlay == "none" else " thin"
        return f'<polyline class="run{curve.run}{weight}" points="{frame.points(curve.x, curve.y)}"/>'
    x, low, high = envelope(curve)
    around = frame.points(numpy.append(x, x[::-1]), numpy.append(high, low[::-1]))
    return f'<polygon class="band run{curve.run}" points="{around}"/>'


def _overlay(frame: Frame, curve: Curve, look: Look) -> str:
    parts = []
    if len(curve.x) >= 4 * SMOOTH:
        parts.append(f'<polyline class="run{curve.run}" points="{frame.points(*moving_average(curve))}"/>')
    if look.overlay == "average":
        parts.append(f'<polyline class="run{curve.run} dashed" points="{frame.points(*running_average(curve))}"/>')
    elif look.overlay == "line":
        parts.append(f'<polyline class="run{curve.run} dashed" points="{frame.points(*best_line(curve))}"/>')
    return "".join(parts)
