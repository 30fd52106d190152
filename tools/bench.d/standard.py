"""The standard cases of tools/bench: small and large systems, other settings, each with its ratio to GROMACS."""

import dataclasses


@dataclasses.dataclass
class Case:
    """What is run: water of a size, or the folder that is named, with these settings and ranks (None: as asked)."""

    about: str
    water: str = ""
    ranks: int | None = None
    settings: dict = dataclasses.field(default_factory=dict)


REACTION_FIELD = {"coulombtype": "reaction-field", "epsilon_rf": 78}

CASES = {
    "small": Case("3,852 atoms of water", water="4k"),
    "large": Case("104,004 atoms of water", water="100k"),
    "million": Case("1.1 million atoms of water", water="1M"),
    "reaction-field": Case("the folder with a reaction field", settings=REACTION_FIELD),
    "double": Case("the folder in double precision", settings={"precision": "double"}),
    "one-rank": Case("the folder on one rank", ranks=1),
}
