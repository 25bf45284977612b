"""What every command needs to read the config."""

from pathlib import Path

from sitemap_action.checks.all import RULES as FILE_RULES
from sitemap_action.checks.severity import families
from sitemap_action.checks.site import SITE_RULES
from sitemap_action.config.layers import File
from sitemap_action.config.shapes import Known
from sitemap_action.errors import ConfigError
from sitemap_action.hosts.all import HOSTS

DEFAULT_CONFIG = ".github/sitemap.yml"
RULES = dict(sorted({**FILE_RULES, **SITE_RULES}.items()))

KNOWN = Known(
    rules=frozenset(RULES),
    families=families(RULES),
    formats=("xml", "text", "json"),
    hosts=tuple(HOSTS),
)


def config_file(name: str, *, required: bool) -> tuple[File, ...]:
    """The config file as a layer; none when it does not exist and nobody asked for it."""
    try:
        return (File(name, Path(name).read_bytes()),)
    except FileNotFoundError:
        if not required:
            return ()
        raise ConfigError(f"{name}: no such file", hint="correct --config, or leave it out") from None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}") from None
