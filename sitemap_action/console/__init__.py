"""Output of a run: report, log, progress, events, and the files that a GitHub runner reads."""
