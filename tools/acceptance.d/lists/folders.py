"""What ordinary folders hold: virtual sites."""

import folder_sites

CASES = {**folder_sites.CASES}
