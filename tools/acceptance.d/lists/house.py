"""A step made of parts, state with an owner, a box that can change: with the trajectories of before."""

import house_bits
import house_habits
from cases.house import deform
from cases.house import speed as house_speed

CASES = {name: case for part in (house_bits, house_speed, deform, house_habits) for name, case in part.CASES.items()}
