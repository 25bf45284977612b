"""Dates: valid for W3C and XSD or not, the format in which they are written, and their range."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from lxml import etree

from sitemap_action.sitemap import protocol

NOW = datetime(2026, 10, 1, 12, tzinfo=UTC)

# text, code, the date as it is written
FORMATS = (
    # the intersection (SM-43)
    ("2005-05-10", None, "2005-05-10"),
    ("2004-02-29", None, "2004-02-29"),
    ("2005-05-10T17:33:30Z", None, "2005-05-10T17:33:30Z"),
    ("2005-05-10T17:33:30+08:00", None, "2005-05-10T17:33:30+08:00"),
    ("2005-05-10T17:33:30-00:00", None, "2005-05-10T17:33:30-00:00"),
    ("2005-05-10T17:33:30.4Z", None, "2005-05-10T17:33:30.4Z"),
    ("2005-05-10T17:33:30.123456789+14:00", None, "2005-05-10T17:33:30.123456789+14:00"),
    ("2005-12-31T23:59:59-14:00", None, "2005-12-31T23:59:59-14:00"),
    # W3C alone (SM-41): written where they have a day
    ("2005", "date-short", ""),
    ("2005-05", "date-short", ""),
    ("2005-05-10T17:33Z", "date-short", "2005-05-10T17:33:00Z"),
    ("2005-05-10T17:33+08:00", "date-short", "2005-05-10T17:33:00+08:00"),
    # XSD alone (SM-42)
    ("2005-05-10T17:33:30", "date-zone", ""),
    ("2005-05-10T17:33:30.5", "date-zone", ""),
    ("2005-05-10Z", "date-zone", ""),
    ("2005-05-10+02:00", "date-zone", ""),
    ("-2005-05-10", "date-zone", ""),
    ("12005-05-10", "date-zone", ""),
    ("2005-05-10T24:00:00Z", "date-zone", ""),
    ("2005-05-10T24:00:00.000Z", "date-zone", ""),
    # neither: SM-40
    ("2005-05-10T17:33:30+0800", "date", ""),
    ("2005-05-10 17:33:30", "date", ""),
    ("2005-05-10T17:33", "date", ""),
    ("2005-05-10T17Z", "date", ""),
    ("10/05/2005", "date", ""),
    ("10 May 2005", "date", ""),
    ("2005-02-30", "date", ""),
    ("2005-02-29", "date", ""),
    ("2005-13-01", "date", ""),
    ("2005-5-1", "date", ""),
    ("0000-01-01", "date", ""),
    ("20050510", "date", ""),
    ("2005-W19-2", "date", ""),
    ("2005-130", "date", ""),
    ("2005-05-10T25:00:00Z", "date", ""),
    ("2005-05-10T24:00:01Z", "date", ""),
    ("2005-05-10T17:60:00Z", "date", ""),
    ("2005-05-10T17:33:60Z", "date", ""),
    ("2005-05-10t17:33:30z", "date", ""),
    ("2005-05-10T17:33:30.Z", "date", ""),
    ("2005-05-10T17:33:30,5Z", "date", ""),
    ("2005-05-10T17:33:30+15:00", "date", ""),
    ("2005-05-10T17:33:30+14:01", "date", ""),
    ("2005-05-10T17:33:30+08:60", "date", ""),
    ("٢٠٠٥-٠٥-١٠", "date", ""),  # digits, and not those of XML Schema
    ("2005-05-10T17:33:30Z\n", "date", ""),
    ("", "date", ""),
)
IDS = [repr(row[0]) for row in FORMATS]


@pytest.mark.parametrize(("text", "code", "written"), FORMATS, ids=IDS)
def test_SM_40_SM_41_SM_42_formats(text: str, code: str | None, written: str) -> None:
    assert (protocol.date_fault(text), protocol.normal_date(text)) == (code, written)
    if code != "date-zone":  # a year beyond four digits, or none, is judged by its form alone
        assert protocol.lastmod_fault(text, NOW) == code


@pytest.mark.parametrize("text", [row[0] for row in FORMATS if row[0].strip() == row[0]], ids=repr)
def test_the_schema_agrees(text: str) -> None:
    schema = etree.XMLSchema(
        etree.XML(
            '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="d"><xs:simpleType>'
            '<xs:union memberTypes="xs:date xs:dateTime"/></xs:simpleType></xs:element></xs:schema>'
        )
    )
    element = etree.Element("d")
    element.text = text
    assert schema.validate(element) == (protocol.date_fault(text) in {None, "date-zone"})


RANGE = (
    ("2026-10-01", None),  # today
    ("2026-10-02", None),  # a day's skew, for zones (SM-44)
    ("2026-10-02T12:00:00Z", None),
    ("2026-10-02T12:00:01Z", "date-future"),
    ("2026-10-03", "date-future"),
    ("2099-01-01", "date-future"),
    ("2099", "date-future"),
    ("9999-12-31T23:59:59-14:00", "date-future"),
    ("1995-01-01", None),
    ("1994-12-31", "date-old"),
    ("1970-01-01", "date-old"),
    ("1980-01-01T00:00:00Z", "date-old"),
    ("0001-01-01T00:00:00+14:00", "date-old"),
)


@pytest.mark.parametrize(("text", "code"), RANGE)
def test_SM_44_SM_45_range(text: str, code: str | None) -> None:
    assert protocol.lastmod_fault(text, NOW) == code


def test_dates_compare_by_instant() -> None:
    texts = ["2024", "2024-01-02T00:30:00+14:00", "2024-01-01T23:00:00-10:00", "2024-02", "2024-02-03"]
    stamps = [protocol.parse_date(text) for text in texts]
    assert [stamp and (stamp.timed, stamp.day) for stamp in stamps] == [
        (False, ""),
        (True, "2024-01-02"),
        (True, "2024-01-01"),
        (False, ""),
        (False, "2024-02-03"),
    ]
    instants = [stamp.instant for stamp in stamps if stamp]
    assert instants == sorted(instants)
    assert protocol.parse_date("yesterday") is None


def test_SM_43_an_instant_is_formatted_with_its_zone() -> None:
    instant = datetime(2026, 10, 1, 9, 0, 0, 123, tzinfo=UTC)
    assert protocol.format_date(instant) == "2026-10-01T09:00:00Z"
    assert protocol.format_date(instant.astimezone(timezone(timedelta(hours=2)))) == "2026-10-01T11:00:00+02:00"
    with pytest.raises(ValueError, match="time zone"):
        protocol.format_date(instant.replace(tzinfo=None))
