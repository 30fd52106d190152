"""What goes wrong, in one sentence: what, where, what to do."""


class HolonError(Exception):
    """A folder, file or library that is not as it has to be."""


class RunFailed(HolonError):
    """A run that did not finish. `status`: exit status of the program (2 bad input, 3 failed while running)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def missing_library(name: str, package: str, purpose: str) -> HolonError:
    """For a library that only some calls need."""
    return HolonError(f"{name} is needed {purpose}: install it (Debian: {package}; pip install {name})")
