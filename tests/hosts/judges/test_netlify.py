"""Netlify's own parsers and matcher judge the rules of the profile `netlify` (HOST-05, HOST-07, HOST-08).

How its servers look files up is not published: for the spellings there is the table of `tests/hosts/test_tables.py`, and sirv
(test_plain_servers.py) for `netlify-plain`.
"""

from pathlib import Path
from typing import Any

from host_builds import served
from host_judges import Answer, Expected, answer, claimed, node, unexpected
from sitemap_action.hosts.base import Host

SITE = "www.example.com"

# rule, paths that it may be about
RULES = (
    ("/r1 /new", "/r1 /r1/ /R1 /r1.html"),
    ("/r2/ /new", "/r2 /r2/"),
    ("/r3 /new 302", "/r3"),
    ("/r4 /new 301!", "/r4"),
    ("/r5/* /b/:splat", "/r5 /r5/ /r5/x/y"),
    ("/r6/:id /b/:id", "/r6/7 /r6/7/ /r6/7/8 /r6"),
    ("/r7/:id/x /b?id=:id", "/r7/7/x"),
    ("/r8/*/z /b/:splat", "/r8/x/y/z /r8/z"),
    ("/r9 https://y.com/b", "/r9"),
    ("/r10 https://y.com/b 200", "/r10"),
    ("/r11 /b 404", "/r11"),
    ("/r12 /b 410", "/r12"),
    ("/r13 /b 303", "/r13"),
    ("/r14 /b 418", "/r14"),
    ("/r15 b", "/r15"),
    ("r16 /b", "/r16"),
    ("/r17/:a/:a /b/:a", "/r17/1/1 /r17/1/2"),
    ("/r18 //y.com/b", "/r18"),
    ("/r19 /b#part", "/r19"),
    ("/r20 id=:id /b/:id", "/r20"),
    ("/r21 /b 302 Country=de", "/r21"),
    ("/r22 /b # why", "/r22"),
    ("# /r23 /b", "/r23"),
    ("\t/r24\t\t/b  ", "/r24"),
    ("/r25 /first", "/r25"),
    ("/r25 /second", "/r25"),
    ("/r26/* https://y.com/:splat 301", "/r26/x"),
    ("/r27/:none /b/:other", "/r27/x"),
    ("/r28 /b 301 302", "/r28"),
    ("/r29 /b x", "/r29"),
    ("/r30", "/r30"),
    ("/r31 /r32", "/r31"),
    ("/r32 /r31", "/r32"),
    ("/r33 /r33", "/r33"),
    ("/r34 /r34/", "/r34 /r34/"),
    ("/r35/* /r35/:splat", "/r35/x"),
    ("/ü /b", "/%C3%BC"),
    ("/%C3%A4 /b", "/%C3%A4"),
    ("/r36%20x /b", "/r36%20x"),
    ("https://www.example.com/r37 /b", "/r37"),
    ("https://other.com/r38 /b", "/r38"),
    ("http://www.example.com/r39 /b", "/r39"),
    ("/r40/:id.html /b/:id", "/r40/x.html /r40/x"),
    ("/r41/x* /b", "/r41/xyz /r41/x"),
    ("/r42/a+b(c)[d] /b", "/r42/a+b(c)[d]"),
    ("/r43/:id/* /b/:splat/:id", "/r43/1/2/3"),
    ("/r44/* 200", "/r44/x"),
    ("/r45 /.netlify/functions/x 200", "/r45"),
    ("/.netlify/r46 /b", "/.netlify/r46"),
    ("/r47?x=1 /b", "/r47"),
    ("/r48 /b 200!", "/r48"),
    ("/r49 /b Country=de", "/r49"),
    ("/r50/** /b", "/r50/x"),
    ("/r51/:1 /b", "/r51/x"),
    ("/r52/a:id /b/:id", "/r52/ax /r52/a:id"),
    ("/r53/:a-:b /b/:a", "/r53/1-2 /r53/1"),
    ("/r54/*/:id /b/:splat/:id", "/r54/1/2/3 /r54/3"),
    ("/r55/:id/ /b/:id?x=:id", "/r55/7 /r55/7/"),
    ("/r56/* /b/:splat/c", "/r56 /r56/x"),
    ("/r57 /b/:splat", "/r57"),
)
TABLES = """
[[redirects]]
from = "/t1"
to = "/new"

[[redirects]]
from = "/t2/*"
to = "/b/:splat"
status = 302
force = true

[[redirects]]
from = "/t3"
to = "/b"
status = 200

[[redirects]]
from = "/t4"
to = "/b"
query = {id = ":id"}

[[redirects]]
from = "/t5"
to = "/b"
conditions = {Country = ["de"]}

[[redirects]]
from = "/r1"
to = "/from-toml"

[[redirects]]
from = "https://www.example.com/t6"
to = "/b"

[[redirects]]
from = "/t7/*"
status = 404
to = "/404.html"
"""
PATHS = sorted(
    {path for _, paths in RULES for path in paths.split()} | {"/t1", "/t2/x", "/t3", "/t4", "/t5", "/t6", "/t7/x"}
)


def matched(host: Host, path: str, match: dict[str, Any] | None) -> Answer:
    """A rule with a condition is for some visitors; where a rewrite leads to is as the profile has it."""
    if match is None or match["conditions"] or match["exceptions"]:
        return Answer("404")
    status, target = match["status"], match["to"]
    if status != 200:
        return answer(path, status, target, "")
    return Answer("200", "/") if target.startswith(("http", "/.netlify/")) else claimed(host, [target])[target]


def test_HOST_05_rules(tmp_path: Path) -> None:
    text = "\n".join(rule for rule, _ in RULES)
    (tmp_path / "_redirects").write_text(text)
    (tmp_path / "netlify.toml").write_text(TABLES)
    found = node("netlify.mjs", {"folder": str(tmp_path), "host": SITE, "paths": PATHS})
    controls = {"_redirects": text, "netlify.toml": TABLES}
    host = served("netlify", controls, ("index.html", "404.html"), site_url=f"https://{SITE}/").host
    theirs = {path: matched(host, path, found["matches"][path]) for path in PATHS}
    expected = (
        Expected(
            "/%C3%BC", "404", "permanent /b", "the matcher compares bytes; a path is one, escaped or not (HOST-11)"
        ),
        Expected("/r14", "418", "404", "a status that the documentation does not name"),
        Expected("/r18", "permanent http://y.com/b", "permanent https://y.com/b", "it was asked over http"),
        Expected(
            "/r3[34]/?", "permanent .*", "404", "the documentation: a rule that leads back to its path is ignored"
        ),
    )
    assert unexpected(theirs, claimed(host, PATHS), expected) == []


HEADERS = """
/h1
  X-Robots-Tag: noindex
/h2
X-Robots-Tag: not indented
/h3
  X-Robots-Tag: a
  x-robots-tag: b
/h4
  X-Robots-Tag:
/h5
  X-Robots-Tag
/h6
  : value
  X-Robots-Tag: after
/h7
  X-Robots-Tag: before
https://www.example.com/h8
  X-Robots-Tag: after an address
# /h9
/h9
  # X-Robots-Tag: noindex
  X-Robots-Tag: noindex # and more
/h10
  ! X-Robots-Tag
  !X-Robots-Tag: odd
"""


def test_HOST_07_headers(tmp_path: Path) -> None:
    (tmp_path / "_headers").write_text(HEADERS)
    toml = '[[headers]]\nfor = "/h11"\n[headers.values]\nX-Robots-Tag = ["noindex", "nofollow"]\n'
    (tmp_path / "netlify.toml").write_text(toml)
    found = node("netlify.mjs", {"folder": str(tmp_path), "host": SITE, "paths": []})["headers"]
    theirs = {
        block["for"]: ", ".join(value for name, value in block["values"].items() if name.lower() == "x-robots-tag")
        for block in found
    }
    pages = tuple(f"h{number}.html" for number in range(1, 12))
    controls = {"_headers": HEADERS, "netlify.toml": toml}
    host = served("netlify", controls, pages, site_url=f"https://{SITE}/").host
    ours = {
        path: ", ".join(value for _, value in host.answer(path).headers)
        for path in (f"/{page.removesuffix('.html')}" for page in pages)
    }
    assert {path: text for path, text in ours.items() if text} == {path: text for path, text in theirs.items() if text}
