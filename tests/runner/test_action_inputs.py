"""Inputs of the action that are not options of the config: secrets, and switches that loosen a protection."""

import pytest

from sitemap_action.errors import UsageError
from sitemap_action.model.context import split_list
from sitemap_action.runner.inputs import read_inputs

X = "https://x.com/"


def test_defaults() -> None:
    action = read_inputs(
        {"INPUT_HEADERS": "", "INPUT_STATE": "", "INPUT_TLS-VERIFY": "", "INPUT_ALLOW-PRIVATE-HOSTS": ""}
    )
    assert (action.state, action.headers, action.tls_verify, action.allow_private_hosts) == ("", "", True, ())
    assert action.layers == ()


def test_every_input() -> None:
    action = read_inputs({
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
def test_secret_headers_need_the_input_url(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="input headers is set, and url is not") as caught:
        read_inputs({"INPUT_HEADERS": "X-A: s3cret", **environment})
    assert caught.value.exit_code == 2
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"


def test_secret_headers_with_url_auto_need_the_input_hosts() -> None:
    environment = {"INPUT_HEADERS": "X-A: s3cret", "INPUT_URL": "auto"}
    with pytest.raises(UsageError, match="headers is set, url is auto, and hosts is not") as caught:
        read_inputs(environment)
    assert caught.value.exit_code == 2
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"
    assert read_inputs({**environment, "INPUT_HOSTS": "a-*.vercel.app, b.org"}).hosts == ("a-*.vercel.app", "b.org")


@pytest.mark.attack("arguments")
@pytest.mark.parametrize("text", ["https://x.org", "x.org/", "x.org:443", "x..org", ".x.org", "re:.*", "a b", "[a-z].org", "x.org."])  # fmt: skip
def test_hosts_are_names(text: str) -> None:
    with pytest.raises(UsageError, match=r"input hosts: .* is not a host"):
        read_inputs({"INPUT_HOSTS": f"good.org\n{text}"})


def test_a_shell_may_have_changed_dashes_to_underscores() -> None:
    action = read_inputs({"INPUT_TLS_VERIFY": "False", "INPUT_ALLOW_PRIVATE_HOSTS": "a"})
    assert (action.tls_verify, action.allow_private_hosts) == (False, ("a",))


@pytest.mark.parametrize("text", ["yes", "no", "1", "0", "on", "off", "tRUE", "true, false"])
@pytest.mark.parametrize("name", ["summary", "tls-verify"])
def test_a_boolean_has_six_spellings(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"input {name}: {text} is neither true nor false"):
        read_inputs({f"INPUT_{name.upper()}": text})


LISTS = [
    ("", ()),
    ("a", ("a",)),
    ("a,b", ("a", "b")),
    (" a \n\n b ,, c\n", ("a", "b", "c")),
]


@pytest.mark.parametrize(("text", "found"), LISTS)
def test_split_list(text: str, found: tuple[str, ...]) -> None:
    assert split_list(text) == found


@pytest.mark.parametrize("text", ["10.0.0.1,\n intranet.example \n\n", "10.0.0.1\r\nintranet.example"])
def test_items_are_separated_by_lines_or_commas(text: str) -> None:
    assert read_inputs({"INPUT_ALLOW-PRIVATE-HOSTS": text}).allow_private_hosts == ("10.0.0.1", "intranet.example")


def test_secret_headers_are_not_in_the_repr() -> None:
    with pytest.raises(UsageError, match="secrets are sent only to an address from an input"):
        read_inputs({"INPUT_HEADERS": "X-Key: secret", "INPUT_URL": ""})
    assert "secret" not in repr(read_inputs({"INPUT_HEADERS": "X-Key: secret", "INPUT_URL": "https://x.example/"}))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("/github/workspace/dist", "dist"),
        ("/github/workspace//dist/", "dist/"),
        ("/github/workspace", "."),
        ("/github/workspace/../secret", "../secret"),  # refused where the path is used
        ("/github/workspaces/dist", "/github/workspaces/dist"),
        ("dist", "dist"),
    ],
)
def test_U_02_an_absolute_path_inside_the_workspace_is_a_relative_one(given: str, read: str) -> None:
    names = ("path", "sitemap", "config", "report-path", "state", "baseline")
    inputs = {f"INPUT_{name.upper()}": given for name in names}
    action = read_inputs({**inputs, "GITHUB_WORKSPACE": "/github/workspace/"})
    assert (action.config, action.report_path, action.state) == (read, read, read)
    assert {setting.key: setting.text for setting in action.layers} == {
        "source.path": read,
        "sitemap": read,
        "baseline": read,
    }
