"""What a run may say and do on the network: given by whoever starts it, never by a file of the repository."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Access:
    """Secrets, and switches that open something."""

    headers: tuple[tuple[str, str], ...] = field(
        default=(), repr=False
    )  # sent to the start page's origin alone (NET-12)
    tls_verify: bool = True
    allow_private_hosts: tuple[str, ...] = ()  # hosts, addresses or CIDR ranges (NET-13)
    hosts: tuple[str, ...] = ()  # globs: where an address may lie that was found, and not given; empty: anywhere
