"""What a run must find on a random site: the documents (spec.md, defects.md) in few lines, without code of the package."""

from functools import cache

from random_sites import Node, RandomSite

GONE, PERMANENT = {404, 410}, {301, 308}


class Reference:
    """`crawled`: the site is served, so links decide what is known, and robots.txt what may be fetched."""

    def __init__(self, site: RandomSite, *, crawled: bool) -> None:
        self.site, self.crawled = site, crawled
        self.seeds = site.baseline | site.committed
        self.known = self.reach() if crawled else set(site.nodes) | self.seeds | self.targets()
        self.twin = self.twins()
        self.verdict = cache(self._verdict)

    def node(self, path: str) -> Node:
        """The answer at a path, as a plain web server has it."""
        nodes = self.site.nodes
        if f"{path}/" in nodes:
            return Node(301, f"{path}/")
        return nodes.get(path) or nodes.get(path.removesuffix("index.html")) or Node(404)

    def blocked(self, path: str, agent: str) -> bool:
        """RB-08: the agent's own group, else that of all."""
        return path.startswith(self.site.robots.get(agent, self.site.robots.get("*", ())))

    def fetched(self, path: str) -> bool:
        return not (self.crawled and self.blocked(path, "sitemap-action"))

    def document(self, path: str) -> Node | None:
        """The HTML that is read at a path."""
        node = self.node(path)
        return node if node.status == 200 and node.media == "text/html" and self.fetched(path) else None

    def reach(self) -> set[str]:
        """Start page, seeds, and what they link, redirect to or name as canonical (HTML-60, HTML-66)."""
        known, queue = set(), ["/", *self.seeds]
        while queue:
            path = queue.pop()
            if path in known or not path.startswith("/"):
                continue
            known.add(path)
            if node := self.document(path):
                queue += [*node.links, *filter(None, [node.canonical]), *([node.refresh[1]] if node.refresh else [])]
                queue += [path.removesuffix("index.html")]
            elif self.fetched(path):
                queue += filter(None, [self.node(path).to])
        return known

    def targets(self) -> set[str]:
        """Of canonicals and refreshes: what a folder answers for beside its files and the seeds."""
        nodes = self.site.nodes.values()
        return {node.canonical for node in nodes if node.canonical} | {
            node.refresh[1] for node in nodes if node.refresh
        }

    def twins(self) -> dict[str, str]:
        """V-15: the other spelling that canonical, links, redirects or a sitemap prefer; an index file has its directory."""
        found = {path: path.removesuffix("index.html") for path in self.known if path.endswith("/index.html")}
        found = {
            path: directory for path, directory in found.items() if self.document(path) and self.document(directory)
        }
        both = [path for path in ("/t0", "/t0.html") if path in self.known and self.document(path)]
        if len(both) == 2:
            (least, other), (most, preferred) = sorted((self.preference(path), path) for path in both)
            if most > least:
                found[other] = preferred
        return found

    def preference(self, path: str) -> tuple[bool, int, int, bool]:
        redirects = [one for one in self.known if self.fetched(one) and self.node(one).to == path]
        links = sum(self.inlinks(one) for one in (path, *redirects))
        return self.node(path).canonical == path, links, len(redirects), path in self.seeds

    def inlinks(self, path: str) -> int:
        documents = ((one, self.document(one)) for one in self.known if one != path)
        return sum(1 for _, node in documents if node and path in node.links)

    def hop(self, path: str) -> tuple[str, bool] | None:
        """HTML-41, HTML-42: (target, permanent) of a redirect or a refresh; a refresh to the page itself is a reload."""
        node = self.node(path)
        if node.to:
            return node.to, node.status in PERMANENT
        if node.refresh and self.document(path) and self.same(node.refresh[1]) != self.same(path):
            return node.refresh[1], node.refresh[0] == 0
        return None

    def same(self, path: str) -> str:
        return self.twin.get(path, path) if self.crawled else self.file(path)

    def file(self, path: str) -> str:
        return path.removesuffix("index.html") if path.endswith("/index.html") else path

    def end(self, path: str) -> tuple[str, bool]:
        """Where redirects end, and whether all are permanent; ("", …) for a loop (HTML-43).

        V-30: a hop that search engines may not fetch is the end, whatever it would redirect to.
        """
        seen, permanent = {path}, True
        while path.startswith("/") and self.fetched(path) and (hop := self.hop(path)):
            path, permanent = self.same(hop[0]), permanent and hop[1]
            if any(self.blocked(path, agent) for agent in ("Googlebot", "Bingbot")) and self.hop(path):
                break
            if path in seen:
                return "", permanent
            seen.add(path)
        return path, permanent

    def _verdict(self, path: str) -> str:  # noqa: PLR0911 - a list of reasons, the first of which holds
        """A class of removal (DIFF-03), or "listed"."""
        if any(self.blocked(path, agent) for agent in ("Googlebot", "Bingbot")):
            return "deindexed"  # V-01: whatever was fetched
        if not self.fetched(path):
            return "undetermined"  # NET-02
        if (other := self.same(path)) != path and self.document(path):
            if self.node(path).canonical == path and self.verdict(other) == "merged":
                return "listed"  # the spelling that the document names
            verdict = self.verdict(other)
            return "merged" if verdict == "listed" else verdict
        node = self.node(path)
        if self.hop(path):
            return self.redirect(path)
        if node.status != 200:
            return "gone" if node.status in GONE else "undetermined"
        if node.media != "text/html":
            return "other-type"
        if node.noindex in ("robots", "googlebot", "header"):
            return "deindexed"
        if node.canonical in ("", path):
            return "listed"
        return self.named(path, node.canonical)

    def named(self, path: str, canonical: str) -> str:
        """V-03: a canonical that comes back is the page's own; an index file that answers is listed in its place."""
        if any(self.blocked(canonical, agent) for agent in ("Googlebot", "Bingbot")) or not self.fetched(canonical):
            return "deindexed"
        if self.same(canonical) == path and self.document(canonical):
            return "merged"
        return "listed" if self.hop(canonical) and self.end(canonical)[0] == path else "deindexed"

    def redirect(self, path: str) -> str:
        end, permanent = self.end(path)
        if not end:
            return "redirect-broken"
        if not end.startswith("/"):
            return "moved-offsite"
        verdict = self.verdict(end)
        if verdict in ("listed", "merged"):
            return "moved" if permanent else "moved-temporary"
        return "undetermined" if verdict == "undetermined" else "redirect-broken"
