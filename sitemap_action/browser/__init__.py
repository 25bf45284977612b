"""Pages as Chromium sees them after their scripts have run."""
