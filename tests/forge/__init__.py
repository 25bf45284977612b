"""A GitHub on loopback for tests: its REST and GraphQL API, and git over smart HTTP, over the same bare repositories.

    def test_it(hub: Hub) -> None:
        site = hub.repository("octo-org/site")
        run(env=hub.environment(hub.token(), site))
        assert site.read("sitemap.xml") == b"…"

README.md beside this file lists what can be played.
"""
