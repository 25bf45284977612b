"""Inputs of the action that are no options: secrets, and switches that open something."""

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.runner.event import read_action, words

X = "https://x.com/"


def test_nothing_given() -> None:
    action = read_action(
        {"INPUT_HEADERS": "", "INPUT_STATE": "", "INPUT_TLS-VERIFY": "", "INPUT_ALLOW-PRIVATE-HOSTS": ""}
    )
    assert (action.state, action.headers, action.tls_verify, action.allow_private_hosts) == ("", "", True, ())
    assert action.layers == ()


def test_everything_given() -> None:
    action = read_action({
        "INPUT_STATE": " .cache/state ",
        "INPUT_URL": X,
        "INPUT_HEADERS": "Authorization: Bearer s3cret\nX-A: b",
        "INPUT_TLS-VERIFY": "false",
        "INPUT_ALLOW-PRIVATE-HOSTS": "10.0.0.0/8, intranet\n::1",
    })  # fmt: skip
    assert (action.state, action.tls_verify) == (".cache/state", False)
    assert action.headers == "Authorization: Bearer s3cret\nX-A: b"
    assert action.allow_private_hosts == ("10.0.0.0/8", "intranet", "::1")
    assert "s3cret" not in repr(action)


@pytest.mark.parametrize("environment", [{}, {"INPUT_PATH": "dist"}, {"INPUT_URL": " "}])
def test_a_config_file_never_chooses_where_a_secret_is_sent(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="input headers is set, and url is not") as caught:
        read_action({"INPUT_HEADERS": "X-A: s3cret", **environment})
    assert caught.value.exit_code == 2
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"


def test_where_a_secret_goes_is_found_only_where_an_input_says() -> None:
    given = {"INPUT_HEADERS": "X-A: s3cret", "INPUT_URL": "auto"}
    with pytest.raises(UsageError, match="headers is set, url is auto, and hosts is not") as caught:
        read_action(given)
    assert caught.value.exit_code == 2
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"
    assert read_action({**given, "INPUT_HOSTS": "a-*.vercel.app, b.org"}).hosts == ("a-*.vercel.app", "b.org")


@pytest.mark.parametrize("text", ["https://x.org", "x.org/", "x.org:443", "x..org", ".x.org", "re:.*", "a b", "[a-z].org", "x.org."])  # fmt: skip
def test_hosts_are_names(text: str) -> None:
    with pytest.raises(UsageError, match=r"input hosts: .* is no host"):
        read_action({"INPUT_HOSTS": f"good.org\n{text}"})


def test_a_shell_may_have_respelled_the_names() -> None:
    action = read_action({"INPUT_TLS_VERIFY": "False", "INPUT_ALLOW_PRIVATE_HOSTS": "a"})
    assert (action.tls_verify, action.allow_private_hosts) == (False, ("a",))


@pytest.mark.parametrize("text", ["no", "0", "off", "yes"])
def test_a_switch_that_opens_something_is_spelt_out(text: str) -> None:
    with pytest.raises(UsageError, match=f"input tls-verify: {text} is neither true nor false"):
        read_action({"INPUT_TLS-VERIFY": text})


LISTS = [
    ("", ()),
    ("a", ("a",)),
    ("a,b", ("a", "b")),
    (" a \n\n b ,, c\n", ("a", "b", "c")),
]


@pytest.mark.parametrize(("text", "found"), LISTS)
def test_lists(text: str, found: tuple[str, ...]) -> None:
    assert words(text) == found
