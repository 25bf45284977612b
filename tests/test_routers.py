"""Applications with routers of their own (`.ci/applications`): at any speed of their API a page is what a person sees.

Each application has one delay here, by its number. `make delays` asks a person and the program at every delay.
"""

import pytest

import routers

DELAYS = [(*routers.DELAYS, None)[number % 6] for number, _ in enumerate(routers.NAMES)]  # seconds; None: at random


@pytest.mark.rows_apart
@pytest.mark.parametrize(("name", "delay"), list(zip(routers.NAMES, DELAYS, strict=True)), ids=routers.NAMES)
def test_G_01_the_speed_of_an_interface_decides_nothing(name: str, delay: float | None) -> None:
    run = routers.compare_with(routers.EXPECTED, name, delay)
    assert (run.wrong, run.undetermined) == ((), ())


def test_a_person_sees_what_is_expected() -> None:
    with routers.harbour("vue-router", 0.1) as site:
        assert routers.person(site) == routers.EXPECTED
