"""Secrets of the environment, in every encoding that a log may show."""

import pytest

from sitemap_action.runner.job_log import masks, secrets


@pytest.mark.attack("secrets")
def test_secrets_are_masked_in_every_form() -> None:
    found = masks(
        {
            "INPUT_TOKEN": " ghs_abc/def ",
            "INPUT_HEADERS": "Authorization: Basic dXNlcjpwYXNz\nX-Key: k/1\n",
            "INPUT_PATH": "dist",
        }
    )
    assert set(found) >= {"ghs_abc/def", "Z2hzX2FiYy9kZWY=", "ghs_abc%2Fdef", "Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "k/1"}  # fmt: skip
    assert "dist" not in found
    assert "" not in found


def test_the_token_of_the_command_line_is_masked() -> None:
    """`commit` and `pull-request` take it from the environment."""
    assert secrets({"GITHUB_TOKEN": "ghs_0123456789"}) == ("ghs_0123456789",)
