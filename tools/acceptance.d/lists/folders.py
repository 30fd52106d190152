"""What ordinary folders hold: virtual sites, function types, restraints, periodic molecules, other formats."""

import folder_converted
import folder_sites
import folder_terms

CASES = {**folder_sites.CASES, **folder_terms.CASES, **folder_converted.CASES}
