"""Imports everything that a run may need, before root is given up: from then on no import reads the disk.

A user who owns the workspace, or a page that took the process over, could otherwise place a module; and what only root
may read could not be imported at all.
"""

import codecs
from contextlib import suppress
from encodings.aliases import aliases
from importlib import import_module

from sitemap_action.fetch.options import trust_store
from sitemap_action.sitemap.schema import schema_faults

_MODULES = (  # whatever is imported late for the sake of start-up; tests/cli/test_preload.py finds what is missing
    "asyncio",
    "concurrent.futures.process",
    "concurrent.futures.thread",
    "email.utils",
    "encodings.idna",
    "httpcore",
    "anyio._backends._asyncio",
    "httpcore._backends.anyio",
    "multiprocessing.popen_fork",
    "multiprocessing.resource_tracker",
    "multiprocessing.spawn",
    "multiprocessing.synchronize",
    "tomllib",
    "traceback",
    "sitemap_action.baseline.asked_again",
    "sitemap_action.baseline.diff_sitemaps",
    "sitemap_action.cli.action_shard",
    "sitemap_action.config.yaml",
    "sitemap_action.crawl.deployed_source",
    "sitemap_action.fetch.curl",
    "sitemap_action.fetch.policies",
    "sitemap_action.fetch.options",
    "sitemap_action.fetch.rendering",
    "sitemap_action.folder.file_rows",
    "sitemap_action.folder.folder_part",
    "sitemap_action.folder.kept_build",
    "sitemap_action.folder.remembered",
    "sitemap_action.folder.rendered_build",
    "sitemap_action.html.extract",
    "sitemap_action.html.rendered",
    "sitemap_action.hosts.azure_swa",
    "sitemap_action.hosts.cloudflare.profiles",
    "sitemap_action.hosts.detect",
    "sitemap_action.hosts.firebase",
    "sitemap_action.hosts.netlify",
    "sitemap_action.hosts.unconfigured",
    "sitemap_action.hosts.vercel.vercel_json",
    "sitemap_action.loader.collect_served",
    "sitemap_action.inventory.checkpoints",
    "sitemap_action.look.branch",
    "sitemap_action.look.copies",
    "sitemap_action.look.deployment",
    "sitemap_action.look.fingerprints",
    "sitemap_action.look.given_shards",
    "sitemap_action.look.one_shard",
    "sitemap_action.look.source_dates",
    "sitemap_action.look.state_place",
    "sitemap_action.publish.comment",
    "sitemap_action.publish.commit",
    "sitemap_action.publish.indexnow",
    "sitemap_action.publish.pull_request",
    "sitemap_action.repo.api",
    "sitemap_action.repo.deployments",
    "sitemap_action.repo.git",
    "sitemap_action.repo.git_remote",
    "sitemap_action.repo.github",
    "sitemap_action.repo.github_commits",
    "sitemap_action.reports.annotations",
    "sitemap_action.reports.csv",
    "sitemap_action.reports.gitlab",
    "sitemap_action.reports.html.report_page",
    "sitemap_action.reports.json",
    "sitemap_action.reports.junit",
    "sitemap_action.reports.markdown",
    "sitemap_action.reports.sarif",
    "sitemap_action.reports.text",
    "sitemap_action.decide.extensions",
    "sitemap_action.decide.lastmod",
    "sitemap_action.decide.repair",
)


def preload() -> None:
    for name in _MODULES:
        import_module(name)
    for codec in {*aliases.values()}:  # a page may have any encoding
        with suppress(LookupError):
            codecs.lookup(codec)
    # Data of packages, kept after the first use: where the trusted certificates are, and the schemas of the protocol.
    trust_store({})
    schema_faults(b"<urlset/>")
