"""Values that name a place: what they accept, the value that results, and the message for what they refuse."""

from typing import TypeAlias

import pytest

from sitemap_action.config import locations, values
from sitemap_action.config.problem import InvalidValue, Mark
from sitemap_action.config.types import KnownNames, OptionType
from sitemap_action.config.yaml import read_value

KNOWN = KnownNames()
AnyType: TypeAlias = OptionType[object]

SITE: AnyType = locations.site_url
FILE: AnyType = locations.sitemap_file
BASE: AnyType = locations.baseline

GOOD: list[tuple[AnyType, str, object]] = [
    # type, YAML, value
    (SITE, "https://www.example.com", "https://www.example.com/"),
    (SITE, "https://www.example.com/docs", "https://www.example.com/docs/"),  # a directory, so it ends in a slash
    (SITE, "HTTPS://WWW.Example.COM:443/Docs/", "https://www.example.com/Docs/"),
    (SITE, "http://localhost:8000/", "http://localhost:8000/"),
    (SITE, "https://müller.example/", "https://xn--mller-kva.example/"),
    (values.optional(locations.site_url), "''", ""),
    (values.optional(locations.site_url), "https://x.com/", "https://x.com/"),
    (locations.url, "https://x.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "https://X.com/sitemap.xml?v=1", "https://x.com/sitemap.xml?v=1"),
    (BASE, "HTTP://x.com", "http://x.com/"),
    (locations.folder, "dist", "dist"),
    (locations.folder, ".", "."),
    (locations.folder, "./a//b/", "a/b"),
    (locations.folder, "2024", "2024"),
    (locations.folder, "..a/b..", "..a/b.."),  # no part is two dots
    (locations.folder, "a b/ü", "a b/ü"),
    (FILE, "public/sitemap.xml", "public/sitemap.xml"),
    (FILE, "./sitemap.xml.gz", "sitemap.xml.gz"),
    (FILE, "sitemap.txt", "sitemap.txt"),
    (FILE, ".gitlab/sitemap.json", ".gitlab/sitemap.json"),
    (BASE, "auto", "auto"),
    (BASE, "committed", "committed"),
    (BASE, "old/sitemap.xml", "old/sitemap.xml"),
    (BASE, "git:origin/main", "git:origin/main"),
    (BASE, "git:HEAD~1:./public/sitemap.xml", "git:HEAD~1:public/sitemap.xml"),
    (locations.robots, "auto", "auto"),
    (locations.robots, "ignore", "ignore"),
    (locations.robots, "file:./robots.txt", "file:robots.txt"),
    (locations.server_path, "/", "/"),
    (locations.server_path, "/status.html?a=b", "/status.html?a=b"),
    (locations.server_path, "/ü", "/ü"),
    (locations.deployment_url, "auto", "auto"),
    (locations.deployment_url, "https://X.com", "https://x.com/"),
    (locations.deployment_url, "https://auto", "https://auto/"),
]  # fmt: skip


@pytest.mark.parametrize(("value_type", "text", "value"), GOOD)
def test_good(value_type: AnyType, text: str, value: object) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    assert value_type.read(node, "key", KNOWN) == value


SITE_TEXT = "an http or https URL without user name, query and fragment; for example https://www.example.com/docs/"
FOLDER_TEXT = "a path inside the workspace, parts joined by /; for example dist"
FILE_TEXT = (
    "a path inside the workspace, not below .git or .github, that ends in .xml, .txt or .json, perhaps with .gz; "
    "for example public/sitemap.xml"
)
BASE_TEXT = "auto, committed, git:REF, git:REF:PATH, an http or https URL or a path inside the workspace; for example git:origin/main"
ROBOTS_TEXT = "auto, ignore, or file: and a path; for example file:robots.txt"
PATH = "a path on the server that begins with /; for example /status.html"
DEPLOYED = (
    "auto, or an http or https URL without user name, query and fragment; for example https://preview.example.net/"
)

BAD: list[tuple[AnyType, str, list[str]]] = [
    # type, YAML, problems
    (SITE, "www.example.com", [f'"www.example.com" is not {SITE_TEXT}']),
    (SITE, "ftp://x.com/", [f'"ftp://x.com/" is not {SITE_TEXT}']),
    (SITE, "https://x.com/?a=b", [f'"https://x.com/?a=b" is not {SITE_TEXT}']),
    (SITE, "'https://x.com/#'", [f'"https://x.com/#" is not {SITE_TEXT}']),
    # URL-20: a password is shown nowhere, wherever the text is cut
    (SITE, "https://u:secret@x.com/", [f'"https://…@x.com/" is not {SITE_TEXT}']),
    (SITE, f"https://u:{'secret' * 20}@x.com/", [f'"https://…@x.com/" is not {SITE_TEXT}']),
    (SITE, "https://u:se/cret@x.com/", ['"https://…@x.com/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com:99999/", ['"https://x.com:99999/" cannot be used: the host or port of the URL is not valid']),
    (SITE, "https://x.com/%zz", [
        '"https://x.com/%zz" cannot be used: a % is not followed by two hexadecimal digits; a literal % is written %25'
    ]),
    (SITE, "''", [f"an empty text is not {SITE_TEXT}"]),
    (locations.folder, "/dist", [f'"/dist" is not {FOLDER_TEXT}']),
    (locations.folder, "../dist", [f'"../dist" is not {FOLDER_TEXT}']),
    (locations.folder, "a/../../b", [f'"a/../../b" is not {FOLDER_TEXT}']),
    (locations.folder, "a/..", [f'"a/.." is not {FOLDER_TEXT}']),
    (locations.folder, "~/dist", [f'"~/dist" is not {FOLDER_TEXT}']),
    (locations.folder, "C:/dist", [f'"C:/dist" is not {FOLDER_TEXT}']),
    (locations.folder, r"a\b", [rf'"a\b" is not {FOLDER_TEXT}']),
    (locations.folder, r'"a\0b"', [rf'"a\x00b" is not {FOLDER_TEXT}']),
    (locations.folder, "https://x.com/", [f'"https://x.com/" is not {FOLDER_TEXT}']),
    (FILE, "sitemap", [f'"sitemap" is not {FILE_TEXT}']),
    (FILE, "action.yml", [f'"action.yml" is not {FILE_TEXT}']),
    (FILE, "a.xml/b", [f'"a.xml/b" is not {FILE_TEXT}']),
    (FILE, ".git/sitemap.xml", [f'".git/sitemap.xml" is not {FILE_TEXT}']),
    (FILE, "./.GitHub/sitemap.xml", [f'"./.GitHub/sitemap.xml" is not {FILE_TEXT}']),
    (FILE, "a/.git/b.xml", [f'"a/.git/b.xml" is not {FILE_TEXT}']),
    (FILE, "../sitemap.xml", [f'"../sitemap.xml" is not {FILE_TEXT}']),
    (BASE, "'git:'", [f'"git:" is not {BASE_TEXT}']),
    (BASE, "git:--output=x", [f'"git:--output=x" is not {BASE_TEXT}']),  # would be an option of git
    (BASE, "git:a b", [f'"git:a b" is not {BASE_TEXT}']),
    (BASE, "git:main:../x", [f'"git:main:../x" is not {BASE_TEXT}']),
    (BASE, "ftp://x.com/sitemap.xml", [f'"ftp://x.com/sitemap.xml" is not {BASE_TEXT}']),
    (locations.robots, "allow", [f'"allow" is not {ROBOTS_TEXT}']),
    (locations.robots, "file:/etc/passwd", [f'"file:/etc/passwd" is not {ROBOTS_TEXT}']),
    (locations.server_path, "status", [f'"status" is not {PATH}']),
    (locations.server_path, "https://x.com/", [f'"https://x.com/" is not {PATH}']),
    (locations.server_path, "/a b", [f'"/a b" is not {PATH}']),
    (locations.server_path, r"'/a\b'", [rf'"/a\b" is not {PATH}']),
    (locations.deployment_url, "Auto", [f'"Auto" is not {DEPLOYED}']),
    (locations.deployment_url, "automatic", [f'"automatic" is not {DEPLOYED}']),
    (locations.deployment_url, "https://a@b.com/", [f'"https://…@b.com/" is not {DEPLOYED}']),
]  # fmt: skip


@pytest.mark.attack("arguments")
@pytest.mark.parametrize(("value_type", "text", "problems"), BAD)
def test_bad(value_type: AnyType, text: str, problems: list[str]) -> None:
    node = read_value(Mark("x"), text).root
    assert node is not None
    with pytest.raises(InvalidValue) as caught:
        value_type.read(node, "key", KNOWN)
    expected = [f"x: key{problem if problem.startswith('.') else f': {problem}'}" for problem in problems]
    assert [str(problem) for problem in caught.value.problems] == expected
