"""`validate --schema FILE.xsd`: the user's own XML Schema besides ours, from local files alone."""

from pathlib import Path

import pytest

from servers import serve
from sitemap_action.__main__ import run

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
SITEMAP = (
    f'<urlset xmlns="{NS}">\n<url><loc>https://x.com/a</loc></url>\n<url><loc>https://y.com/a</loc></url>\n</urlset>'
)
OWN = """<xs:element name="urlset"><xs:complexType><xs:sequence><xs:element name="url" maxOccurs="unbounded"><xs:complexType>
<xs:sequence><xs:element name="loc" type="ours"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element>
"""
OURS = '<xs:simpleType name="ours"><xs:restriction base="xs:anyURI"><xs:pattern value="https://x.com/.*"/></xs:restriction></xs:simpleType>'


def schema(body: str) -> str:
    head = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="{NS}" xmlns="{NS}" elementFormDefault="qualified">'
    return f"{head}\n{body}\n</xs:schema>"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(SITEMAP)
    return tmp_path


def test_a_sitemap_is_judged_by_both(capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.xsd").write_text(schema(OWN + OURS))
    assert run(["validate", "--schema", "own.xsd", "sitemap.xml"]) == 1
    out = capsys.readouterr().out
    assert "sitemap.xml: valid\nsitemap.xml: invalid by own.xsd\n  line 3: " in out
    assert "https://y.com/a" in out


def test_a_schema_includes_local_files(folder: Path) -> None:
    (folder / "parts").mkdir()
    Path("own.xsd").write_text(schema('<xs:include schemaLocation="parts/ours.xsd"/>' + OWN))
    Path("parts/ours.xsd").write_text(schema(OURS))
    Path("sitemap.xml").write_text(SITEMAP.replace("y.com", "x.com"))
    assert run(["validate", "--schema", "own.xsd", "sitemap.xml"]) == 0


@pytest.mark.parametrize("arguments", [["--schema", "sitemap.xml"], ["sitemap.xml", "--schema"]])
def test_without_a_schema_ours_alone_counts(arguments: list[str]) -> None:
    assert run(["validate", *arguments]) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(schema('\n<xs:element nam="urlset"/>'), "own.xsd:3: ", id="a wrong attribute"),
        pytest.param(schema("\n<xs:element"), "own.xsd:4: ", id="not well-formed"),
        pytest.param("<urlset/>", "own.xsd: The XML document", id="no schema"),
        pytest.param(schema('<xs:include schemaLocation="gone.xsd"/>'), "it asks for gone.xsd", id="a file that is not there"),
        pytest.param(schema('<xs:include schemaLocation="/dev/zero"/>'), "it asks for /dev/zero", id="a device"),
        pytest.param(None, "own.xsd: No such file", id="no file"),
    ],
)  # fmt: skip
def test_a_broken_schema_is_a_usage_error_with_its_line(
    content: str | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path("own.xsd").write_text(content)
    assert run(["validate", "--schema", "own.xsd", "sitemap.xml"]) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_requested_and_no_entity_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "secret").write_text("xs:string-secret")
    with serve({"/b.xsd": schema(OURS).encode()}) as site:
        Path("own.xsd").write_text(schema(f'<xs:include schemaLocation="{site.url}b.xsd"/>' + OWN))
        assert run(["validate", "--schema", "own.xsd", "sitemap.xml"]) == 2
        assert site.paths == []
    assert f"it asks for {site.url}b.xsd" in capsys.readouterr().err
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{folder / "secret"}">]>'
    Path("own.xsd").write_text(
        entity + schema(f"<xs:annotation><xs:documentation>&e;</xs:documentation></xs:annotation>{OWN}{OURS}")
    )
    assert run(["validate", "--schema", "own.xsd", "sitemap.xml"]) == 1
    assert "secret" not in "".join(capsys.readouterr())


def test_a_sitemap_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--schema", "own.xsd"]) == 2
    assert "SITEMAP" in capsys.readouterr().err
