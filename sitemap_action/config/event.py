"""What a GitHub runner hands to an action: inputs as variables of the environment."""

from collections.abc import Mapping
from dataclasses import dataclass

from sitemap_action.config.layers import Setting, inputs
from sitemap_action.errors import UsageError
from sitemap_action.model.context import Mode

_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(frozen=True, slots=True)
class Action:
    """Inputs that are no options, and those that are, as layers of the config."""

    mode: Mode
    config: str
    summary: bool
    report_path: str
    layers: tuple[Setting, ...]


def read_action(environment: Mapping[str, str]) -> Action:
    """The runner exports `INPUT_SITE-URL`; a shell between it and us may have made `INPUT_SITE_URL` of it."""
    values = {
        name.removeprefix("INPUT_").lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith("INPUT_")
    }
    return Action(
        mode=_mode(values.get("mode") or Mode.CHECK.value),
        config=values.get("config") or ".github/sitemap.yml",
        summary=_flag("summary", values.get("summary") or "true"),
        report_path=values.get("report-path") or ".sitemap-action",
        layers=inputs(values),
    )


def _mode(text: str) -> Mode:
    if text not in {mode.value for mode in Mode}:
        hint = f"use one of {', '.join(mode.value for mode in Mode)}"
        raise UsageError(f"input mode: {text} is no mode", hint=hint)
    return Mode(text)


def _flag(name: str, text: str) -> bool:
    if text not in _TRUTH:
        raise UsageError(f"input {name}: {text} is neither true nor false", hint=f"accepted: {', '.join(_TRUTH)}")
    return _TRUTH[text]
