"""robots.txt: section 3 of the rule sheet row by row, in both profiles."""

import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share
from sitemap_action.model.sitemap import Fault
from sitemap_action.robots.groups import Profile, RobotsStatus, RobotsVerdict, parse, robots_status

RFC, GOOGLE = Profile.RFC, Profile.GOOGLE
SITE = "https://x.com"

TWO = "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /y"
THREE = "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /z\nuser-agent: A\ndisallow: /y"
ANY_AGENT_AND_A = "user-agent: *\ndisallow: /x\nuser-agent: a\ndisallow: /y"
NESTED = "user-agent: *\ndisallow: /a\nallow: /a/b\ndisallow: /a/b/c"
LARGEST = "\nuser-agent: *\ndisallow: /xyz".rjust(512_000, "#")  # a comment line fills the space
CUT = "/" + "a" * 16_652  # the value of `disallow: ` in a line of 16,663 bytes

VERDICTS = [
    # id, robots.txt, agent, path, allowed to rfc, allowed to google
    ("RB-02 byte-order mark", b"\xef\xbb\xbfUser-agent: *\nDisallow: /", "a", "/x", False, False),
    ("RB-02 its first two bytes", b"\xef\xbbUser-agent: *\nDisallow: /", "a", "/x", False, False),
    ("RB-02 its first byte", b"\xefUser-agent: *\nDisallow: /", "a", "/x", False, False),
    ("RB-02 a broken one", b"\xef\x11\xbfUser-agent: *\nDisallow: /", "a", "/x", True, True),
    ("RB-02 two", b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /", "a", "/x", True, True),
    ("RB-02 elsewhere its line is no rule", "User-agent: *\n\ufeffDisallow: /x\nDisallow: /y", "a", "/x", True, True),
    ("RB-02 elsewhere, the next line is", "User-agent: *\n\ufeffDisallow: /x\nDisallow: /y", "a", "/y", False, False),
    ("RB-03 CR only", "User-agent: *\rDisallow: /x\r", "a", "/x", False, False),
    ("RB-03 CRLF", "User-agent: *\r\nDisallow: /x\r\n", "a", "/x", False, False),
    ("RB-03 mixed", "User-agent: *\r\n\nDisallow: /y\rDisallow: /x", "a", "/x", False, False),
    ("RB-03 no other line end", "User-agent: *\vDisallow: /x", "a", "/x", True, True),
    ("RB-04 case, space, comment", "uSER-AGENT : *#z\n\tDISALLOW : /x # y", "a", "/x", False, False),
    ("RB-04 the comment is no part of the rule", "User-agent: *\nDisallow: /x # y", "a", "/x%20#%20y", False, False),
    ("RB-04 a comment ends the value at once", "User-agent: *\nDisallow: /x#y", "a", "/x", False, False),
    ("RB-05 blank lines do not end a group", "user-agent: a\n\n\ndisallow: /x", "a", "/x", False, False),
    ("RB-05 one of several agents", "user-agent: a\nuser-agent: b\ndisallow: /x", "a", "/x", False, False),
    ("RB-05 the other", "user-agent: a\nuser-agent: b\ndisallow: /x", "b", "/x", False, False),
    ("RB-05 a rule ends the user-agent lines", TWO, "a", "/y", True, True),
    ("RB-05 an empty rule too", "user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /y", "a", "/y", True, True),
    ("RB-06 a sitemap between", "user-agent: a\nsitemap: /s\nuser-agent: b\ndisallow: /", "a", "/x", False, False),
    ("RB-06 a delay between", "user-agent: a\ncrawl-delay: 1\nuser-agent: b\ndisallow: /", "a", "/x", False, False),
    ("RB-06 anything between", "user-agent: a\nfoo: bar\nuser-agent: b\ndisallow: /", "a", "/x", False, False),
    ("RB-06 a sitemap among the rules", "user-agent: a\nallow: /y\nsitemap: /s\ndisallow: /x", "a", "/x", False, False),
    ("RB-07 case", "user-agent: GoogleBot\ndisallow: /", "gOOGLEbOT", "/", False, False),
    ("RB-07 a version in the file", "user-agent: googlebot/1.2\ndisallow: /", "googlebot", "/", False, False),
    ("RB-07 a star in the file", "user-agent: googlebot*\ndisallow: /", "googlebot", "/", False, False),
    (
        "RB-07 text after the token in the file",
        "user-agent: googlebot (x)\ndisallow: /",
        "googlebot",
        "/",
        False,
        False,
    ),
    ("RB-07 a version in the request", "user-agent: googlebot\ndisallow: /", "Googlebot/2.1", "/", False, False),
    ("RB-07 no prefix", "user-agent: googlebot-news\ndisallow: /", "googlebot", "/", True, True),
    ("RB-07 no longer name", "user-agent: foo\ndisallow: /", "foobar", "/", True, True),
    ("RB-07 no substring", "user-agent: bot\ndisallow: /", "googlebot", "/", True, True),
    ("RB-07 a name that is no product token", "user-agent: MJ12bot\ndisallow: /", "mj12bot", "/", False, True),
    ("RB-07 such a name matches no other one", "user-agent: bot1\ndisallow: /", "bot2", "/", True, True),
    ("RB-07 such a name also matches by its token", "user-agent: MJ12bot\ndisallow: /", "MJ", "/", False, False),
    ("RB-07 an empty user-agent matches none", "user-agent:\ndisallow: /", "", "/", True, True),
    ("RB-08 the specific group", ANY_AGENT_AND_A, "a", "/x", True, True),
    ("RB-08 without it the * group", ANY_AGENT_AND_A, "b", "/x", False, False),
    ("RB-08 with an empty rule", "user-agent: *\ndisallow: /\nuser-agent: a\ndisallow:", "a", "/x", True, True),
    ("RB-08 without rules", "user-agent: *\ndisallow: /\nuser-agent: a", "a", "/x", True, True),
    ("RB-08 text after the star", "user-agent: * all\ndisallow: /", "a", "/x", False, False),
    ("RB-08 requested for *", "user-agent: a\ndisallow: /\nuser-agent: *\ndisallow: /x", "*", "/y", True, True),
    ("RB-09 merged, first", THREE, "a", "/x", False, False),
    ("RB-09 merged, last", THREE, "a", "/y", False, False),
    ("RB-09 merged, not with others", THREE, "a", "/z", True, True),
    ("RB-09 * groups too", THREE.replace(": a", ": *"), "a", "/y", False, False),
    ("RB-10 no group matches", "user-agent: b\ndisallow: /", "a", "/x", True, True),
    ("RB-10 a rule before any agent", "disallow: /x\nuser-agent: *\ndisallow: /y", "a", "/x", True, True),
    ("RB-10 empty file", "", "a", "/x", True, True),
    ("RB-11 the query counts", "user-agent: *\ndisallow: /*?", "a", "/a?b", False, False),
    ("RB-11 and its text", "user-agent: *\ndisallow: /*?*sid=", "a", "/a?b&sid=1", False, False),
    ("RB-11 the fragment does not", "user-agent: *\ndisallow: /*x", "a", "/a#x", True, True),
    ("RB-11 nor a query in it", "user-agent: *\ndisallow: /*?", "a", "/a#?", True, True),
    ("RB-11 from the first octet", "user-agent: *\ndisallow: /x", "a", "/a/x", True, True),
    ("RB-11 no path is the root", "user-agent: *\ndisallow: /$", "a", "", False, False),
    ("RB-11 no path, a query", "user-agent: *\ndisallow: /?x", "a", "?x", False, False),
    ("RB-12 longest: allow", "user-agent: *\nallow: /p\ndisallow: /", "a", "/page", True, True),
    ("RB-12 tie: allow", "user-agent: *\nallow: /folder\ndisallow: /folder", "a", "/folder/page", True, True),
    ("RB-12 tie, other order", "user-agent: *\ndisallow: /folder\nallow: /folder", "a", "/folder/page", True, True),
    ("RB-12 longest: disallow", "user-agent: *\nallow: /page\ndisallow: /*.htm", "a", "/page.htm", False, False),
    ("RB-12 tie with a wildcard", "user-agent: *\nallow: /page\ndisallow: /*.ph", "a", "/page.php5", True, True),
    ("RB-12 the same, other order", "user-agent: *\ndisallow: /page\nallow: /*.ph", "a", "/page.php5", True, True),
    ("RB-12 one octet more", "user-agent: *\nallow: /$\ndisallow: /", "a", "/", True, True),
    ("RB-12 but not elsewhere", "user-agent: *\nallow: /$\ndisallow: /", "a", "/page.htm", False, False),
    ("RB-12 the longest of nested prefixes", NESTED, "a", "/a/b/d", True, True),
    ("RB-12 deeper", NESTED, "a", "/a/b/c/d", False, False),
    ("RB-12 a neighbour", "user-agent: *\ndisallow: /a\nallow: /ab\nallow: /abb", "a", "/ac", False, False),
    ("RB-12 stars count as text", "user-agent: *\nallow: /ab\ndisallow: /a***", "a", "/abc", False, False),
    ("RB-12 escapes count as text", "user-agent: *\nallow: /ツ\ndisallow: /*******", "a", "/ツ", True, True),
    ("RB-13 * any run", "user-agent: *\ndisallow: /fish*.php", "a", "/fish/salmon.php?x", False, False),
    ("RB-13 * none", "user-agent: *\ndisallow: /fish*.php", "a", "/fish.php", False, False),
    ("RB-13 * first", "user-agent: *\ndisallow: *.gif$", "a", "/a/b.gif", False, False),
    ("RB-13 * missing part", "user-agent: *\ndisallow: /*a*b", "a", "/b/a", True, True),
    ("RB-13 parts in their order", "user-agent: *\ndisallow: /*a*b*cc", "a", "/bcca", True, True),
    ("RB-13 * last is redundant", "user-agent: *\ndisallow: /fish*", "a", "/fish", False, False),
    ("RB-13 ** is *", "user-agent: *\ndisallow: /a**b", "a", "/axb", False, False),
    ("RB-13 * alone", "user-agent: *\ndisallow: *", "a", "/x", False, False),
    ("RB-13 parts do not overlap", "user-agent: *\ndisallow: /*aba*aba$", "a", "/xababa", True, True),
    ("RB-13 parts side by side", "user-agent: *\ndisallow: /*aba*aba$", "a", "/xabaaba", False, False),
    ("RB-13 $ the end", "user-agent: *\ndisallow: /*.php$", "a", "/a.php", False, False),
    ("RB-13 $ not before a query", "user-agent: *\ndisallow: /*.php$", "a", "/a.php?x", True, True),
    ("RB-13 $ the last of several", "user-agent: *\ndisallow: /*.php$", "a", "/a.php/b.php", False, False),
    ("RB-13 $ whole path", "user-agent: *\ndisallow: /a$", "a", "/ab", True, True),
    ("RB-13 *$", "user-agent: *\ndisallow: /a*$", "a", "/abc?d", False, False),
    ("RB-13 $ in the middle is a character", "user-agent: *\ndisallow: /a$b", "a", "/a$b", False, False),
    ("RB-13 $ in the middle is no end", "user-agent: *\ndisallow: /a$b", "a", "/a", True, True),
    ("RB-13 $* is a character", "user-agent: *\ndisallow: /a$*", "a", "/a$b", False, False),
    ("RB-13 %24 is a character", "user-agent: *\ndisallow: /a%24", "a", "/a$", False, False),
    ("RB-13 %24 is no end", "user-agent: *\ndisallow: /a%24", "a", "/a$b", False, False),
    ("RB-13 %2a is a character", "user-agent: *\ndisallow: /a%2ab", "a", "/a*b", False, False),
    ("RB-13 %2A is no wildcard", "user-agent: *\ndisallow: /a%2Ab", "a", "/axb", True, True),
    ("RB-13 %2A in both", "user-agent: *\ndisallow: /a%2Ab", "a", "/a%2ab", False, False),
    ("RB-14 non-ASCII in the rule", "user-agent: *\ndisallow: /ツ", "a", "/%E3%83%84", False, False),
    ("RB-14 non-ASCII in the URL", "user-agent: *\ndisallow: /%E3%83%84", "a", "/ツ", False, False),
    ("RB-14 lower-case hex in the rule", "user-agent: *\ndisallow: /%e3%83%84", "a", "/ツ", False, False),
    ("RB-14 lower-case hex in the URL", "user-agent: *\ndisallow: /%E3", "a", "/%e3%83%84", False, False),
    ("RB-14 bytes that are no UTF-8", b"user-agent: *\ndisallow: /b\xfc", "a", "/b%FCcher", False, False),
    ("RB-14 unreserved escapes in the rule", "user-agent: *\ndisallow: /%62%61%7A", "a", "/baz", False, True),
    ("RB-14 unreserved escapes in the URL", "user-agent: *\ndisallow: /baz", "a", "/%62%61%7A", False, True),
    ("RB-14 reserved escapes stay", "user-agent: *\ndisallow: /a%2f", "a", "/a/", True, True),
    ("RB-14 reserved escapes equal each other", "user-agent: *\ndisallow: /a%2f", "a", "/a%2Fb", False, False),
    ("RB-14 a character that no URL holds", "user-agent: *\ndisallow: /{id}", "a", "/%7Bid%7D", False, True),
    ("RB-14 a malformed escape stands for itself", "user-agent: *\ndisallow: /%a%a", "a", "/%a%a/", False, False),
    ("RB-15 case of paths", "user-agent: *\ndisallow: /Private/", "a", "/private/a", True, True),
    ("RB-16 empty disallow", "user-agent: *\ndisallow:", "a", "/x", True, True),
    ("RB-16 empty allow", "user-agent: *\nallow:\ndisallow: /", "a", "/x", False, False),
    ("RB-17 no slash: never matches", "user-agent: *\ndisallow: private", "a", "/private", True, True),
    ("RB-18 the last byte that is read", LARGEST + "zyplugh", "a", "/xyz", False, False),
    ("RB-18 a rule after it", "#" * 512_000 + "\nuser-agent: *\ndisallow: /", "a", "/x", True, True),
    ("RB-23 the file itself", "user-agent: *\ndisallow: /", "a", "/robots.txt", True, True),
    ("RB-23 no other", "user-agent: *\ndisallow: /", "a", "/robots.txt/", False, False),
    ("RB-25 a delay is no rule", "user-agent: *\ncrawl-delay: 10", "a", "/x", True, True),
    ("RB-26 noindex is no rule", "user-agent: *\nnoindex: /x", "a", "/x", True, True),
    ("RB-27 HTML is read line by line", "<!doctype html>\nuser-agent: *\ndisallow: /x", "a", "/x", False, False),
    ("RB-28 disalow", "user-agent: *\ndisalow: /", "a", "/x", True, False),
    ("RB-28 dissallow", "user-agent: *\ndissallow: /", "a", "/x", True, False),
    ("RB-28 dissalow", "user-agent: *\nDissalow: /", "a", "/x", True, False),
    ("RB-28 disallaw", "user-agent: *\ndisallaw: /", "a", "/x", True, False),
    ("RB-28 diasllow", "user-agent: *\ndiasllow: /", "a", "/x", True, False),
    ("RB-28 useragent", "useragent: *\ndisallow: /", "a", "/x", True, False),
    ("RB-28 user agent", "user agent: *\ndisallow: /", "a", "/x", True, False),
    ("RB-28 any name with that prefix", "user-agent: *\ndisallowed: /", "a", "/x", True, False),
    ("RB-28 no colon", "user-agent *\ndisallow /", "a", "/x", True, False),
    ("RB-28 no colon, tabs", "user-agent\t\t*\ndisallow\t/", "a", "/x", True, False),
    ("RB-28 no colon, three words", "user-agent: *\ndisallow / x", "a", "/x", True, True),
    (
        "RB-28 a misspelt rule does not end the user-agent lines",
        TWO.replace("disallow: /x", "disalow: /x"),
        "a",
        "/y",
        False,
        True,
    ),
    ("RB-29 index.html is its directory", "user-agent: *\nallow: /d/index.html\ndisallow: /", "a", "/d/", False, True),
    ("RB-29 index.htm too", "user-agent: *\nallow: /d/index.htm\ndisallow: /", "a", "/d/", False, True),
    ("RB-29 only the directory", "user-agent: *\nallow: /d/index.html\ndisallow: /", "a", "/d/x", False, False),
    ("RB-29 only allow", "user-agent: *\ndisallow: /d/index.html", "a", "/d/", True, True),
    ("RB-29 a long line is cut", "user-agent: *\ndisallow: /" + "a" * 16_651, "a", "/" + "a" * 16_651, False, False),
    ("RB-29 the cut part does not count", "user-agent: *\ndisallow: /" + "a" * 16_653, "a", CUT, True, False),
    ("NUL is a character", "user-agent: *\ndisallow: /x\0y", "a", "/x", True, True),
]


CASES = [
    pytest.param(text, agent, path, profile, allowed, id=f"{name}, {profile}")
    for name, text, agent, path, rfc, google in VERDICTS
    for profile, allowed in ((RFC, rfc), (GOOGLE, google))
]


@pytest.mark.parametrize(("text", "agent", "path", "profile", "allowed"), CASES)
def test_verdict(text: str | bytes, agent: str, path: str, profile: Profile, allowed: bool) -> None:
    body = text.encode() if isinstance(text, str) else text
    assert parse(body, profile).verdict(agent, SITE + path).allowed is allowed


FILE = """\
User-agent: Googlebot
User-agent: bingbot
Allow: /shop/
Disallow: /*.pdf$

User-agent: *
Crawl-delay: 1.5
Disallow: /private/  # not for robots
Disallow: /é
"""

DECIDED = [
    # id, agent, path, verdict
    ("an allow line", "googlebot", "/shop/x", RobotsVerdict(True, "Googlebot", 3, "Allow: /shop/")),
    ("a longer line", "Bingbot", "/x/shop.pdf", RobotsVerdict(False, "bingbot", 4, "Disallow: /*.pdf$")),
    ("a group without a matching line", "googlebot", "/private/", RobotsVerdict(True, "Googlebot", 0, "")),
    ("the * group", "other", "/private/x", RobotsVerdict(False, "*", 8, "Disallow: /private/")),
    ("the * group, no line", "other", "/x", RobotsVerdict(True, "*", 0, "")),
    ("the rule as written", "other", "/%C3%A9", RobotsVerdict(False, "*", 9, "Disallow: /é")),
    ("RB-23", "other", "/robots.txt", RobotsVerdict(True, "", 0, "")),
]


@pytest.mark.parametrize(("agent", "path", "verdict"), [row[1:] for row in DECIDED], ids=[row[0] for row in DECIDED])
def test_the_verdict_names_the_deciding_rule(agent: str, path: str, verdict: RobotsVerdict) -> None:
    robots = parse(FILE.encode(), GOOGLE)
    assert robots.verdict(agent, SITE + path) == verdict
    assert pickle.loads(pickle.dumps(robots)).verdict(agent, SITE + path) == verdict


def test_without_groups_the_verdict_names_none() -> None:
    assert parse(b"user-agent: b\ndisallow: /", RFC).verdict("a", SITE + "/x") == RobotsVerdict(True, "", 0, "")


def test_the_verdict_names_the_first_of_equal_rules() -> None:
    robots = parse(b"user-agent: *\ndisallow: /x\ndisallow: /x\nallow: /y\ndisallow: /y", RFC)
    assert robots.verdict("a", SITE + "/x").line == 2
    assert robots.verdict("a", SITE + "/y").line == 4


URLS = [
    # id, URL, disallowed pattern that matches all of its path
    ("absolute", "https://x.com/a?b", "/a?b$"),
    ("a port", "https://x.com:8080/a", "/a$"),
    ("no scheme", "//x.com/a", "/a$"),
    ("no scheme, no slashes", "x.com/a", "/a$"),
    ("a path", "/a", "/a$"),
    ("parameters without path", "https://x.com;a", "/;a$"),
    ("a query without path", "https://x.com?a", "/?a$"),
    ("a scheme in the query", "https://x.com/a?u=https://y.com/b", "/a?u=https://y.com/b$"),
    ("a scheme in the fragment", "https://x.com#https://y.com/b", "/$"),
    ("nothing", "", "/$"),
    ("half a surrogate pair", "https://x.com/\ud800", "/%ED%A0%80$"),
]


@pytest.mark.parametrize(("url", "pattern"), [row[1:] for row in URLS], ids=[row[0] for row in URLS])
def test_RB_11_any_text_has_a_path(url: str, pattern: str) -> None:
    assert not parse(f"user-agent: *\ndisallow: {pattern}".encode(), GOOGLE).verdict("a", url).allowed


FAULTS = [
    # id, robots.txt, code, line, detail; None = none
    ("clean", "user-agent: *\ndisallow: /x\nsitemap: https://x.com/s.xml", None),
    ("an unknown field", "user-agent: *\nhost: x.com\nclean-param: a", None),
    ("prose", "hello there\nsome more words", None),
    ("RB-17", "user-agent: *\ndisallow: private", Fault("rule-without-slash", 2, "private")),
    ("RB-17 allow", "user-agent: *\nallow: ./a", Fault("rule-without-slash", 2, "./a")),
    ("RB-17 a star is fine", "user-agent: *\ndisallow: *.gif$", None),
    ("RB-16 empty is fine", "user-agent: *\ndisallow:", None),
    ("RB-18", "#" * 512_001, Fault("too-large", 0, "512001 bytes, of which the first 512000 count")),
    ("RB-18 the largest", "#" * 512_000, None),
    ("SM-68 a path", "Sitemap: /s.xml", Fault("relative-sitemap", 1, "/s.xml")),
    ("SM-68 a host", "sitemap: //x.com/s.xml", Fault("relative-sitemap", 1, "//x.com/s.xml")),
    ("SM-68 nothing", "\nsitemap:", Fault("relative-sitemap", 2, "")),
    ("RB-25", "user-agent: *\nCrawl-Delay: 10", Fault("crawl-delay", 2, "10")),
    ("RB-26", "user-agent: *\nNoindex: /x", Fault("noindex", 2, "/x")),
    ("RB-27", "\n <!DOCTYPE html>\n", Fault("html-body", 0, "the body is markup, not the lines of a robots.txt")),
    ("RB-27 html", "<html>", Fault("html-body", 0, "the body is markup, not the lines of a robots.txt")),
    ("RB-28 typo", "user-agent: *\nDisalow: /x", Fault("misspelt-field", 2, "disalow")),
    ("RB-28 site-map", "Site-Map: https://x.com/s.xml", Fault("misspelt-field", 1, "site-map")),
    ("RB-28 longer name", "user-agent: *\ndisallowed: /x", Fault("misspelt-field", 2, "disallowed")),
    ("RB-28 no colon", "user-agent: *\ndisallow /x", Fault("missing-colon", 2, "disallow /x")),
    ("line numbers count CRLF once", "user-agent: *\r\n\r\ndisallow: x\r\n", Fault("rule-without-slash", 3, "x")),
    ("comments have no faults", "# Noindex: /x\nuser-agent: * # disallow: x", None),
    ("no UTF-8", b"user-agent: *\ndisallow: \xff", Fault("rule-without-slash", 2, "\ufffd")),
]


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize(("text", "fault"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_faults_are_the_same_in_both_profiles(text: str | bytes, fault: Fault | None, profile: Profile) -> None:
    body = text.encode() if isinstance(text, str) else text
    assert parse(body, profile).faults == ((fault,) if fault else ())


def test_faults_are_in_file_order() -> None:
    robots = parse(b"<html>\nuseragent: *\ndisallow x\ndisallow: y\ncrawl-delay: 1", GOOGLE)
    assert [(fault.code, fault.line) for fault in robots.faults] == [
        ("html-body", 0),
        ("misspelt-field", 2),
        ("missing-colon", 3),
        ("rule-without-slash", 3),
        ("rule-without-slash", 4),
        ("crawl-delay", 5),
    ]


SITEMAPS = [
    # id, robots.txt, sitemaps to rfc, to google
    ("RB-24 any case of the name", "SITEMAP: https://x.com/A.xml", ((1, "https://x.com/A.xml"),), None),
    ("RB-24 not encoded", "sitemap: https://cdn.x.org/テスト.xml", ((1, "https://cdn.x.org/テスト.xml"),), None),
    ("RB-24 anywhere", "sitemap: http://a/\n\nsitemap: http://b/", ((1, "http://a/"), (3, "http://b/")), None),
    ("RB-24 tied to no group", "user-agent: a\ndisallow: /\nsitemap: http://a/", ((3, "http://a/"),), None),
    ("RB-24 a comment is none", "sitemap: http://a/ # x", ((1, "http://a/"),), None),
    ("SM-68 relative URLs are returned", "sitemap: /s.xml", ((1, "/s.xml"),), None),
    ("an empty URL is none", "sitemap:", (), None),
    ("RB-28 site-map", "site-map: http://a/", (), ((1, "http://a/"),)),
]


@pytest.mark.parametrize(("text", "rfc", "google"), [row[1:] for row in SITEMAPS], ids=[row[0] for row in SITEMAPS])
def test_sitemaps(text: str, rfc: tuple[tuple[int, str], ...], google: tuple[tuple[int, str], ...] | None) -> None:
    assert parse(text.encode(), RFC).sitemaps == rfc
    assert parse(text.encode(), GOOGLE).sitemaps == (rfc if google is None else google)


DELAYS = [
    # id, robots.txt, agent, seconds
    ("RB-25 stated", "user-agent: a\ncrawl-delay: 2", "a", 2.0),
    ("RB-25 fraction", "user-agent: a\ncrawl-delay: 0.5", "a", 0.5),
    ("RB-25 of the * group", "user-agent: *\ncrawl-delay: 2", "a", 2.0),
    (
        "RB-08 not those of the * group",
        "user-agent: *\ncrawl-delay: 2\nuser-agent: b\ndisallow:\nuser-agent: a\ndisallow:",
        "a",
        None,
    ),
    ("RB-06 shared by all its user agents", "user-agent: a\ncrawl-delay: 2\nuser-agent: b\ndisallow: /", "b", 2.0),
    ("RB-09 of a later group", "user-agent: a\ndisallow:\nuser-agent: a\ncrawl-delay: 3", "a", 3.0),
    ("the first", "user-agent: a\ncrawl-delay: 3\ncrawl-delay: 1", "a", 3.0),
    ("no number", "user-agent: a\ncrawl-delay: soon\ncrawl-delay: 1", "a", 1.0),
    ("negative", "user-agent: a\ncrawl-delay: -1", "a", None),
    ("endless", "user-agent: a\ncrawl-delay: inf", "a", None),
    ("no group", "crawl-delay: 1", "a", None),
    ("no file", "", "a", None),
]


@pytest.mark.parametrize(("text", "agent", "seconds"), [row[1:] for row in DELAYS], ids=[row[0] for row in DELAYS])
def test_crawl_delay(text: str, agent: str, seconds: float | None) -> None:
    assert parse(text.encode(), RFC).crawl_delay(agent) == seconds


SHADOWED = [
    # id, robots.txt, agent, rules of the * group that do not apply to the agent
    ("RB-34", "user-agent: *\ndisallow: /admin/\nuser-agent: GPTBot\ndisallow: /x", "gptbot", ["Disallow: /admin/"]),
    ("RB-34 repeated", "user-agent: *\ndisallow: /admin/\nuser-agent: a\ndisallow: /admin/", "a", []),
    ("RB-34 covered", "user-agent: *\ndisallow: /admin/\nuser-agent: a\ndisallow: /", "a", []),
    (
        "RB-34 wildcards",
        "user-agent: *\ndisallow: *.pdf$\ndisallow: /*?\nuser-agent: a\ndisallow: /*.pdf$",
        "a",
        ["Disallow: /*?"],
    ),
    (
        "RB-34 allowed by the * group too",
        "user-agent: *\ndisallow: /x\nallow: /x\nuser-agent: a\ndisallow: /y",
        "a",
        [],
    ),
    ("RB-34 no specific group", "user-agent: *\ndisallow: /admin/", "a", []),
    ("RB-34 no * group", "user-agent: a\ndisallow: /admin/", "a", []),
    ("RB-34 empty rule", "user-agent: *\ndisallow:\nuser-agent: a\ndisallow: /y", "a", []),
]


@pytest.mark.parametrize(("text", "agent", "rules"), [row[1:] for row in SHADOWED], ids=[row[0] for row in SHADOWED])
def test_shadowed(text: str, agent: str, rules: list[str]) -> None:
    assert [verdict.rule for verdict in parse(text.encode(), RFC).find_shadowed(agent)] == rules


def test_agents_are_listed_as_written() -> None:
    names = b"*", b"MJ12bot", b"", b"Googlebot/2.1", b"GOOGLEBOT"
    text = b"\ndisallow: /\n".join(b"user-agent: " + name for name in names)
    assert parse(text, RFC).agents == ("MJ12bot", "Googlebot")
    assert parse(text, GOOGLE).agents == ("MJ12bot", "Googlebot")


STATUSES = [
    # id, status, what it means
    ("found", 200, RobotsStatus.PARSE),
    ("empty", 204, RobotsStatus.PARSE),
    ("RB-19 the sixth redirect", 301, RobotsStatus.ALLOW),
    ("RB-20 missing", 404, RobotsStatus.ALLOW),
    ("RB-20 gone", 410, RobotsStatus.ALLOW),
    ("RB-20 unauthorised", 401, RobotsStatus.ALLOW),
    ("RB-20 forbidden", 403, RobotsStatus.ALLOW),
    ("RB-21 too many requests", 429, RobotsStatus.UNREACHABLE),
    ("RB-21 server error", 500, RobotsStatus.UNREACHABLE),
    ("RB-21 unavailable", 503, RobotsStatus.UNREACHABLE),
    ("RB-21 beyond", 599, RobotsStatus.UNREACHABLE),
    ("RB-21 no answer", None, RobotsStatus.UNREACHABLE),
    ("no final answer", 100, RobotsStatus.UNREACHABLE),
]


@pytest.mark.parametrize(("status", "meaning"), [row[1:] for row in STATUSES], ids=[row[0] for row in STATUSES])
def test_robots_status(status: int | None, meaning: RobotsStatus) -> None:
    assert robots_status(status) is meaning


HOSTILE = [
    # id, robots.txt, path
    ("many stars", "user-agent: *\ndisallow: /" + "*a" * 8000 + "*b", "/" + "a" * 8000),
    ("many long parts", "user-agent: *\ndisallow: /" + ("*" + "a" * 50) * 300 + "b$", "/" + "a" * 8000),
    (
        "many nested prefixes",
        "user-agent: *\n" + "".join(f"allow: /{'a' * n}b\n" for n in range(900)),
        "/" + "a" * 1000,
    ),
    ("many agents, then many rules", "user-agent: a\n" * 16_000 + "allow: /x\n" * 20_000, "/y"),
    ("many groups", "user-agent: a\nallow: /x\n" * 20_000, "/y"),
    ("spaces", "user-agent: *\ndisallow" + " " * 400_000 + "/ x", "/y"),
]


@pytest.mark.attack("cost")
@pytest.mark.parametrize(("text", "path"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_files_have_a_verdict(text: str, path: str) -> None:
    for profile in Profile:
        assert parse(text.encode(), profile).verdict("a", SITE + path).allowed


lines = st.sampled_from(
    [
        "user-agent: *",
        "user-agent: a",
        "Disallow: ",
        "disallow:/",
        "Allow: /",
        "sitemap: ",
        "crawl-delay: 1",
        "#",
        "disalow",
    ]
)
pieces = st.sampled_from(
    ["/", "a", "b", "*", "$", "%", "%2", "%2A", "%24", "%61", "é", "?", "\r", "\n", "\ufeff", " ", ":", "\0"]
)
files = st.one_of(
    st.binary(max_size=80),
    st.lists(st.one_of(lines.map("\n{}".format), pieces), max_size=20).map("".join).map(str.encode),
)
paths = st.lists(pieces, max_size=8).map("".join)
examples = settings(max_examples=share(300), deadline=None)


@pytest.mark.attack("bytes")
@examples
@given(files, st.sampled_from(Profile), st.one_of(st.text(max_size=4), st.just("a")), paths)
def test_any_bytes_have_a_verdict(body: bytes, profile: Profile, agent: str, path: str) -> None:
    robots = parse(body, profile)
    verdict = robots.verdict(agent, SITE + "/" + path)
    assert verdict.allowed or verdict.line > 0
    assert robots.verdict(agent, SITE + "/robots.txt").allowed  # RB-23
    assert parse(b"", profile).verdict(agent, SITE + "/" + path) == RobotsVerdict(True)
    assert all(shadowed.line for shadowed in robots.find_shadowed(agent))
    delay = robots.crawl_delay(agent)
    assert delay is None or delay >= 0


rules = st.lists(
    st.tuples(st.booleans(), st.lists(st.sampled_from(["a", "b", "/", "*", "$"]), max_size=5).map("".join)), max_size=6
)


@examples
@given(rules, st.lists(st.sampled_from(["a", "b", "/"]), max_size=8).map("".join))
def test_RB_12_RB_13_the_longest_match_decides(listed: list[tuple[bool, str]], rest: str) -> None:
    path = "/" + rest
    text = "user-agent: *\n" + "".join(f"{'allow' if allow else 'disallow'}: /{pattern}\n" for allow, pattern in listed)
    allowed, longest = True, 0
    for allow, pattern in ((allow, "/" + pattern) for allow, pattern in listed):
        end = "$" if pattern.endswith("$") else ""
        expression = ".*".join(map(re.escape, pattern.removesuffix("$").split("*"))) + end
        if re.match(expression, path) and (len(pattern) > longest or (len(pattern) == longest and allow)):
            allowed, longest = allow, len(pattern)
    assert parse(text.encode(), RFC).verdict("a", SITE + path).allowed is allowed
