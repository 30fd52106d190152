"""Items of the acceptance lists, by capability."""
