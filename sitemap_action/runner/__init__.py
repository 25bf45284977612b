"""A CI runner: its event, trust, deployment, secrets to mask, and workflow commands."""
