"""What a CI runner means: its event, whom it trusts, its deployment, what its log must not show, its commands."""
