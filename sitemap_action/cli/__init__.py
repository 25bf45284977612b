"""The command line: commands, options, and the process that runs them."""
