"""Files and folders of this machine: only regular files are read, and what a config names is reached by no link."""
