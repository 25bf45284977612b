"""Every option: its type, default and help; and the way from YAML, inputs and flags to one typed `Config`."""
