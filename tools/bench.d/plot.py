"""Plots as SVG text, without a library."""

import math

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 400, 80, 60
COLOURS = {"holon-md": "#1f6f8b", "gmx_mpi": "#c96f3b"}


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="13" font-family="sans-serif" {more}>{words}</text>'


def frame(title, upright, body):
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(WIDTH / 2, 24, title),
        text(20, HEIGHT / 2, upright, more=f'transform="rotate(-90 20 {HEIGHT / 2})"'),
        f'<path d="M{LEFT} 40V{HEIGHT - BOTTOM}H{WIDTH - 20}" fill="none" stroke="black"/>',
        *body,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def ticks(top):
    """Three to six round numbers from 0 to `top`."""
    step = 10 ** math.floor(math.log10(top / 2))
    step *= next(k for k in (1, 2, 5, 10) if top / (k * step) < 6)
    return [k * step for k in range(int(top / step) + 1)]


class Scale:
    """From 0 at the bottom to `top`."""

    def __init__(self, top):
        self.top = 1.1 * top

    def __call__(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 40) * value / self.top

    def axis(self):
        return [text(LEFT - 8, self(tick) + 4, f"{tick:g}", "end") for tick in ticks(self.top)]


def speeds(results):
    """Bars of ns/day, each system's own of Holon and GROMACS side by side."""
    values = {
        "holon-md": [found["ns_per_day"] for found in results],
        "gmx_mpi": [found["gromacs_ns_per_day"] or 0.0 for found in results],
    }
    scale = Scale(max(max(row) for row in values.values()))
    body, room = scale.axis(), (WIDTH - 20 - LEFT) / len(results)
    for at, found in enumerate(results):
        for side, (program, row) in enumerate(values.items()):
            x = LEFT + room * (at + 0.15 + 0.35 * side)
            y = scale(row[at])
            body.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{0.33 * room:.1f}" height="{scale(0) - y:.1f}" '
                f'fill="{COLOURS[program]}"/>'
            )
        body.append(text(LEFT + room * (at + 0.5), HEIGHT - BOTTOM + 20, found["system"]))
    for at, program in enumerate(values):
        body.append(text(LEFT + 100 + 140 * at, HEIGHT - 12, program, more=f'fill="{COLOURS[program]}"'))
    return frame("Speed", "ns/day", body)


def cost_by_size(results):
    """CPU time per atom and step against the number of atoms, logarithmic."""
    costs = [found["cpu_us_per_atom_step"] for found in results]
    scale = Scale(max(costs))
    low, high = (math.log10(limit([found["atoms"] for found in results])) for limit in (min, max))
    points = [
        (LEFT + 40 + (WIDTH - LEFT - 120) * (math.log10(found["atoms"]) - low) / max(high - low, 1e-9), scale(cost))
        for found, cost in zip(results, costs)
    ]
    body = scale.axis()
    body.append(
        f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{COLOURS["holon-md"]}"/>'
    )
    for (x, y), found in zip(points, results):
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS["holon-md"]}"/>')
        body.append(text(x, HEIGHT - BOTTOM + 20, f"{found['atoms']:,}"))
    body.append(text(WIDTH / 2, HEIGHT - 12, "atoms"))
    return frame("Cost of water per atom", "CPU time per atom and step [us]", body)


def cost_by_error(title, rows):
    """Cost per constraint against the largest error left, both logarithmic: a line for each method of the rows, whose
    points are its settings. Names stand at the last of them."""

    def scaled(values, begin, end):
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        place = [begin + (end - begin) * (math.log10(value) - low) / (high - low) for value in values]
        return place, [(k, begin + (end - begin) * (k - low) / (high - low)) for k in range(low, high + 1)]

    across, columns = scaled([row["residual"] for row in rows], LEFT + 20, WIDTH - 110)
    up, lines = scaled([row["us"] for row in rows], HEIGHT - BOTTOM - 10, 50)
    body = [text(LEFT - 8, y + 4, f"{10.0**k:g}", "end") for k, y in lines]
    body += [text(x, HEIGHT - BOTTOM + 20, f"1e{k}") for k, x in columns[:: max(1, len(columns) // 7)]]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    taken = []
    for number, method in enumerate(methods):
        colour = f"hsl({360 * number // len(methods)},70%,40%)"
        points = [(x, y) for x, y, row in zip(across, up, rows) if row["method"] == method]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        x, y = points[0]
        while any(abs(x - a) < 80 and abs(y - b) < 13 for a, b in taken):
            y += 13
        taken.append((x, y))
        body.append(text(x + 6, y + 4, method, "start", f'fill="{colour}"'))
    body.append(text((LEFT + WIDTH) / 2, HEIGHT - 12, "largest relative error of a length"))
    return frame(title, "CPU time per constraint [us]", body)
