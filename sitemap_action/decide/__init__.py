"""Everything that is decided: verdicts, entries, files, differences, results; nothing here reads or waits."""
