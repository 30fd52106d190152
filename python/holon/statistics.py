"""Averages, their errors and drifts of a series, as at the end of md.log."""

import dataclasses
import math

from .table import Array

FEWEST_BLOCKS = 16


@dataclasses.dataclass(frozen=True)
class Statistics:
    """Of one series of values. The unit is that of the values."""

    mean: float
    error: float | None  # standard error of the mean; None: too few values to tell
    rms_fluctuation: float  # about the mean, drift included
    drift_per_ps: float  # slope of the straight line that fits best


def series_statistics(time: Array, values: Array) -> Statistics:
    """Statistics of values [row] at times [row] in ps.

    Error: from the means of blocks of 1, 2, 4, ... values, the largest that 16 blocks or more give (H. Flyvbjerg,
    H. G. Petersen, J. Chem. Phys. 91, 461 (1989)).
    """
    if len(values) == 0:
        return Statistics(math.nan, None, math.nan, math.nan)
    mean = float(values.mean())
    from_mean, from_time = values - mean, time - time.mean()
    squares = float(from_time @ from_time)
    return Statistics(
        mean=mean,
        error=block_error(from_mean),
        rms_fluctuation=math.sqrt(float(from_mean @ from_mean) / len(values)),
        drift_per_ps=float(from_time @ from_mean) / squares if squares > 0 else 0.0,
    )


def block_error(values: Array) -> float | None:
    """Standard error of the mean of correlated values [row]; None of less than 32."""
    if len(values) < 2 * FEWEST_BLOCKS:
        return None
    largest = 0.0
    while len(values) >= FEWEST_BLOCKS:
        largest = max(largest, float(values.std()) / math.sqrt(len(values) - 1))
        pairs = len(values) // 2
        values = 0.5 * (values[: 2 * pairs : 2] + values[1 : 2 * pairs : 2])
    return largest
