"""What the tests of whole runs share: starting programs, making systems, reading files, and promises to check."""
