"""What one shard of a run has seen: no verdict, which the merge of all shards gives."""

from msgspec import Struct

from sitemap_action.model.site_shard import SiteShard


class ShardResult(Struct, frozen=True):
    """Of `check --shard K/N`."""

    shard: SiteShard
    state: str  # file
    looked_at: int  # URLs, or files of a build
    files: bool  # whether a build was read
    incomplete: tuple[str, ...] = ()  # why not all of it was seen
    interrupted: int = 0  # exit code of the signal that ended the run
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return self.interrupted or (3 if self.incomplete else 0)

    def text(self) -> str:
        """For a person."""
        noun, done = ("file", "read") if self.files else ("URL", "asked for")
        many = f"{noun} was" if self.looked_at == 1 else f"{noun}s were"
        lines = [f"shard {self.shard}: {self.looked_at:,} {many} {done}; merge gives the verdict, with {self.state}"]
        lines += [f"note: {note}" for note in self.notes]
        lines += [f"not all of the part was seen: {why}" for why in self.incomplete]
        return "\n".join(lines) + "\n"
