"""How a deployed site is looked at: politely, level by level, the same way every time."""
