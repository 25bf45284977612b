"""Include and exclude patterns: which URLs each matches, and how invalid ones are rejected."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.web import patterns
from sitemap_action.web.patterns import BadPattern, compile_patterns
from sitemap_action.web.urls import BadUrl

MATCHES = [
    # id, pattern, URL, matches
    ("a path, whole", "/exclude", "https://x.com/exclude", True),
    ("peers 2: no match by prefix", "/exclude", "https://x.com/exclude-me.html", False),
    ("no match of a suffix", "/a", "https://x.com/b/a", False),
    ("the root", "/", "https://x.com/", True),
    ("the root is one page", "/", "https://x.com/a", False),
    ("URL-21 final slash counts", "/blog", "https://x.com/blog/", False),
    ("URL-25 case counts", "/Blog", "https://x.com/blog", False),
    ("any query", "/a", "https://x.com/a?b=/c", True),
    ("any host, any port", "/a", "http://y.org:8080/a", True),
    ("* in a name", "/*.html", "https://x.com/a.html", True),
    ("* may be empty", "/a*", "https://x.com/a", True),
    ("* stops at a slash", "/*.html", "https://x.com/a/b.html", False),
    ("* alone is no directory", "/blog/*", "https://x.com/blog/a/", False),
    ("* matches the empty name", "/blog/*", "https://x.com/blog/", True),
    ("* does not reach into the query", "/a*b", "https://x.com/a?b", False),
    ("** below a directory", "/blog/**", "https://x.com/blog/a/b.html", True),
    ("** and the directory itself", "/blog/**", "https://x.com/blog/", True),
    ("** and not the name without slash", "/blog/**", "https://x.com/blog", False),
    ("** and not a longer name", "/blog/**", "https://x.com/blogs/", False),
    ("** with a query", "/blog/**", "https://x.com/blog/?page=2", True),
    ("** does not reach into the query", "/blog/**.html", "https://x.com/blog/?a=.html", False),
    ("/**/ several directories", "/a/**/b", "https://x.com/a/x/y/b", True),
    ("/**/ none", "/a/**/b", "https://x.com/a/b", True),
    ("/**/ not part of a name", "/a/**/b", "https://x.com/a/xb", False),
    ("/**/**/ is one", "/a/**/**/b", "https://x.com/a/b", True),
    ("/**/ before a name", "/**/*.pdf", "https://x.com/a.pdf", True),
    ("/**/ before a name, deep", "/**/*.pdf", "https://x.com/a/b/c.pdf", True),
    ("/** everything", "/**", "https://x.com/a?b", True),
    ("*** is **", "/a***", "https://x.com/a/b", True),
    ("{} first", "/{a,b}/c", "https://x.com/a/c", True),
    ("{} second", "/{a,b}/c", "https://x.com/b/c", True),
    ("{} neither", "/{a,b}/c", "https://x.com/ab/c", False),
    ("{} empty", "/a{,.html}", "https://x.com/a", True),
    ("{} one, literally no choice", "/{a}", "https://x.com/a", True),
    ("{} with wildcards", "/{a/**,*.b}", "https://x.com/a/x/y", True),
    ("{} nested", "/{a{1,2},b}", "https://x.com/a2", True),
    ("{} nested, outer", "/{a{1,2},b}", "https://x.com/b", True),
    ("a comma outside is a comma", "/a,b", "https://x.com/a,b", True),
    ("? is a question mark", "/a?b", "https://x.com/a?b", True),
    ("? is no wildcard", "/a?b", "https://x.com/axb", False),
    ("? the query is whole", "/a?b", "https://x.com/a?b=1", False),
    ("? with a run", "/a?b=*", "https://x.com/a?b=1", True),
    ("? with any run", "/a?**", "https://x.com/a?b=/1", True),
    ("? by alternative: without", "/a{,?print}", "https://x.com/a", True),
    ("? by alternative: with", "/a{,?print}", "https://x.com/a?print", True),
    ("? by alternative: no other query", "/a{,?print}", "https://x.com/a?b", False),
    ("? the first one divides", "/**?b", "https://x.com/a?x?b", False),
    ("dot is a dot", "/a.html", "https://x.com/axhtml", False),
    ("+ ( ) [ ] $ ^ are themselves", "/a+(b)[c]$", "https://x.com/a+(b)[c]$", True),
    ("URL-02 escapes in either case", "/%c3%bc", "https://x.com/%C3%BC", True),
    ("URL-03 unreserved escapes", "/%7ea", "https://x.com/~a", True),
    ("URL-08 letters for escapes", "/ü b", "https://x.com/%C3%BC%20b", True),
    ("URL-08 escapes for letters", "/%C3%BC", "https://x.com/ü", True),
    ("URL-08 the apostrophe in a query", "/a?'*", "https://x.com/a?'b", True),
    ("URL-27 %2F is no slash", "/a%2fb", "https://x.com/a/b", False),
    ("URL-27 %2F is no end for *", "/*", "https://x.com/a%2Fb", True),
    ("host", "https://x.com/a/**", "https://x.com/a/b", True),
    ("host, another", "https://x.com/a/**", "https://y.com/a/b", False),
    ("host, a longer one", "https://x.com/**", "https://x.com.evil.org/", False),
    ("host, another scheme", "https://x.com/**", "http://x.com/", False),
    ("host, another port", "https://x.com/**", "https://x.com:8443/", False),
    ("host, spelt otherwise", "HTTPS://X.com:443/a", "https://x.com/a", True),
    ("host, IDN", "https://exämple.com/", "https://xn--exmple-cua.com/", True),
    ("host, no path", "https://x.com", "https://x.com/", True),
    ("host, no path: one page", "https://x.com", "https://x.com/a", False),
    ("host, any query", "https://x.com/a", "https://x.com/a?b", True),
    ("host, query", "https://x.com?a", "https://x.com/?a", True),
    ("host, *", "https://*.X.com/**", "https://www.x.com/a", True),
    ("host, alternatives", "https://{www.,}x.com/", "https://www.x.com/", True),
    ("re: is searched for", r"re:\d{4}/", "https://x.com/blog/2026/a", True),
    ("re: anchored", "re:^/blog", "https://x.com/blog-old", True),
    ("re: anchored elsewhere", "re:^blog", "https://x.com/blog", False),
    ("re: end", r"re:\.pdf$", "https://x.com/a.pdf?x", False),
    ("re: the query", r"re:[?&]sid=", "https://x.com/a?b&sid=1", True),
    ("re: not the host", "re:x[.]com", "https://x.com/", False),
    ("re: flags", "re:(?i)BLOG", "https://x.com/blog", True),
    ("re: alternatives", "re:^/a$|^/b$", "https://x.com/b", True),
    ("the URL is brought to normal form", "/a", "HTTPS://X.com:443/./%61#b", True),
]


@pytest.mark.parametrize(("pattern", "url", "matches"), [row[1:] for row in MATCHES], ids=[row[0] for row in MATCHES])
def test_match(pattern: str, url: str, matches: bool) -> None:
    assert compile_patterns([pattern]).match(url) == (pattern if matches else None)


ORDER = [
    # id, patterns, URL, the one named
    ("no patterns", [], "https://x.com/a", None),
    ("none matches", ["/b", "/c"], "https://x.com/a", None),
    ("the first listed", ["/b", "/**", "/a"], "https://x.com/a", "/**"),
    ("a path before a host", ["/**", "https://x.com/**"], "https://x.com/a", "/**"),
    ("a host before a path", ["https://x.com/**", "/**"], "https://x.com/a", "https://x.com/**"),
    ("only a host", ["https://x.com/b", "https://x.com/a"], "https://x.com/a", "https://x.com/a"),
    ("a regular expression first", ["/b", "re:a", "/a"], "https://x.com/a", "re:a"),
    ("as written", ["/%7ea"], "https://x.com/~a", "/%7ea"),
    ("the same twice", ["/a", "/a"], "https://x.com/a", "/a"),
]


@pytest.mark.parametrize(("listed", "url", "named"), [row[1:] for row in ORDER], ids=[row[0] for row in ORDER])
def test_match_returns_the_first_listed_pattern(listed: list[str], url: str, named: str | None) -> None:
    compiled = compile_patterns(listed)
    assert compiled.match(url) == named
    assert pickle.loads(pickle.dumps(compiled)).match(url) == named


INVALID = [
    # id, pattern, part of the error
    ("empty", "", "starts with none of"),
    ("no slash: the near miss", "blog/**", "perhaps you meant '/blog/[*][*]'"),
    ("a leading dot", "./blog", "perhaps you meant '/blog'"),
    ("a suffix", "*.pdf", "perhaps you meant '/[*][*]/[*].pdf'"),
    ("any directory", "**/a", "perhaps you meant '/[*][*]/a'"),
    ("another scheme", "ftp://x.com/", "starts with none of"),
    ("a scheme with alternatives", "http{s,}://x.com/", "starts with none of"),
    ("{ left open", "/a{b", "a { has no } after it"),
    ("} alone", "/a}b", "a } has no { before it"),
    ("} before {", "/a}{b", "a } has no { before it"),
    ("backslash", "/a\\b", "no backslash"),
    ("fragment", "/a#b", "without its fragment"),
    ("dot segment", "/a/../b", "no . or .. as directory"),
    ("URL-30 malformed escape", "/100%", "two hexadecimal digits"),
    ("URL-30 control character", "/a\nb", "control character"),
    ("URL-20 a password is not printed", "https://u:s3cret@x.com/", "user name or password"),
    ("URL-20 nor beside a wildcard", "https://u:s3cret@*.x.com/", "user name or password"),
    ("a host that is none", "https://x.com:99999/", "host or port"),
    ("no host", "https:///a", "with a host"),
    ("IDN with a wildcard", "https://*.exämple.com/", "in ASCII"),
    ("no Unicode text", "/\ud800", "surrogate"),
    ("re: nothing", "re:", "no regular expression"),
    ("re: not closed", "re:(", r"missing \)"),
    ("re: closes what it did not open", "re:a)(b", r"unexpected \)"),
    ("re: a quotation left open", r"re:\Qa", r"missing \)"),
    ("re: look-around has no linear time", "re:(?=a)", "not valid"),
    ("re: back-reference has no linear time", r"re:(a)\1", "not valid"),
    ("re: not ASCII", "re:ü", "%C3%BC"),
]


@pytest.mark.parametrize(("pattern", "reason"), [row[1:] for row in INVALID], ids=[row[0] for row in INVALID])
def test_invalid_patterns(pattern: str, reason: str) -> None:
    with pytest.raises(BadPattern, match=reason) as caught:
        compile_patterns(["/fine", pattern])
    assert "s3cret" not in str(caught.value)


@pytest.mark.attack("cost")
def test_patterns_too_large_for_one_automaton_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_MAX_MEMORY", 1 << 16)
    with pytest.raises(BadPattern, match="300 patterns are too large together"):
        compile_patterns([f"/section-{number}/**" for number in range(300)])


def test_many_patterns_fit_one_automaton() -> None:
    compiled = compile_patterns([f"/section-{number}/**/*.{{html,htm}}" for number in range(3000)])
    assert compiled.match("https://x.com/section-2999/a/b.htm") == "/section-2999/**/*.{html,htm}"
    assert compiled.match("https://x.com/section-3000/a/b.htm") is None


def test_a_bad_url_raises() -> None:
    with pytest.raises(BadUrl):
        compile_patterns(["/**"]).match("/relative")


@pytest.mark.attack("cost")
def test_a_pattern_that_backtracks_in_other_engines_takes_linear_time() -> None:
    compiled = compile_patterns(["re:^/(a+)+$", "/" + "*a" * 40])
    assert compiled.match("https://x.com/" + "a" * 5000 + "b") is None


pieces = st.sampled_from(
    ["/", "a", "*", "**", "/**/", "{", ",", "}", "?", ".", "%C3%BC", "ü", "'", " ", "%", "\\", "re:", "https://x.com"]
)


@settings(max_examples=share(300), deadline=None)
@given(st.lists(pieces, max_size=8).map("".join), st.text(max_size=10))
def test_nothing_but_BadPattern_and_BadUrl_is_raised(pattern: str, path: str) -> None:
    try:
        named = compile_patterns([pattern, "/**"]).match("https://x.com/" + path)
    except (BadPattern, BadUrl):
        return
    assert named in {pattern, "/**"}


@settings(max_examples=share(300), deadline=None)
@given(
    st.lists(st.sampled_from(["/", "a", "b.html", "%C3%BC", "ü", "-", "+", "(", "$", "[", "%2F"]), max_size=8).map(
        "".join
    )
)
def test_a_path_without_wildcards_matches_itself_and_nothing_longer(path: str) -> None:
    compiled = compile_patterns(["/" + path])
    assert compiled.match("https://x.com/" + path) == "/" + path
    assert compiled.match("https://x.com/" + path + "x") is None
    assert compiled.match("https://x.com/x" + path) is None
