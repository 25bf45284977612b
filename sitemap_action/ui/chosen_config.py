"""What was filled in, as a config file that `check --config` accepts, or a problem for each field."""

from collections.abc import Mapping

from msgspec import Struct

from sitemap_action.config.layers import File, Origin, Setting, parse, read_layer
from sitemap_action.config.schema import AUTO, DEFAULT_CONFIG, Config
from sitemap_action.config.types import RuleNames
from sitemap_action.config.yaml import MappingNode, Mark
from sitemap_action.errors import ConfigError
from sitemap_action.ui.config_tree import merged, node_text, without
from sitemap_action.ui.form import ADDRESS, FOLDER, KEYS

_EMPTY = MappingNode(Mark(""), ())


class FormProblem(Exception):  # noqa: N818 - about what was filled in; the program did not fail
    """Key of a field → what is wrong there; "" is the key of what no field shows."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(problems)
        self.problems = problems


class ChosenConfig(Struct, frozen=True):
    """The options of one run."""

    text: str  # of the config file
    config: Config
    address: str  # or
    folder: str

    @property
    def target(self) -> str:
        return self.address or self.folder


def read_base(data: bytes, rules: RuleNames) -> MappingNode:
    """The config file of the folder, which the form can start from. Raises ConfigError."""
    parse((File(DEFAULT_CONFIG, data),), rules)
    root = read_layer(File(DEFAULT_CONFIG, data)).root
    return root if isinstance(root, MappingNode) else _EMPTY


def chosen_config(values: Mapping[str, str], rules: RuleNames, base: MappingNode | None) -> ChosenConfig:
    """Of keys that the form has, their text is all that counts; others are as in `base`. Raises FormProblem."""
    given = {key: values[key].strip() for key in KEYS if values.get(key, "").strip()}
    problems = {key: why for key, text in given.items() if (why := _problem(key, text, rules))}
    address, folder = given.get(ADDRESS, ""), given.get(FOLDER, "")
    if not address and not folder:
        problems[ADDRESS] = "give an address, or choose a folder"
    elif address and folder:
        problems[ADDRESS] = "give an address or a folder, not both"
    elif address == AUTO:
        problems[ADDRESS] = "auto is for a workflow; give the address"
    if problems:
        raise FormProblem(problems)
    tree = without(base, KEYS) if base else _EMPTY
    for key, text in given.items():
        root = read_layer(_setting(key, text)).root
        tree = merged(tree, root) if isinstance(root, MappingNode) else tree
    text = node_text(tree)
    try:
        config = parse((File("sitemap.yml", text.encode()),), rules)
    except ConfigError as error:
        raise FormProblem({"": str(error)}) from None
    return ChosenConfig(text, config, address, folder)


def _setting(key: str, text: str) -> Setting:
    return Setting(Origin.COMMAND_LINE, key, key, text)


def _problem(key: str, text: str, rules: RuleNames) -> str:
    """What is wrong with one value; "" for nothing."""
    try:
        text.encode()
        parse((_setting(key, text),), rules)
    except UnicodeEncodeError:
        return "half a surrogate pair is not a character"
    except ConfigError as error:
        return str(error).replace(f"{key}: ", "")
    return ""
