"""Where and when a run happens: read once from the environment, passed to everything else."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath


class Mode(StrEnum):
    """What may be done with the outcome; only `plan` looks at it."""

    CHECK = "check"
    WRITE = "write"

    @property
    def writes(self) -> bool:
        return self is not Mode.CHECK


@dataclass(frozen=True, slots=True)
class Context:
    """The surroundings of one run."""

    mode: Mode
    now: datetime  # with zone
    workspace: PurePath  # absolute; every path of the config is relative to it
