"""What the server is told from outside: its environment, read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MODES = ("live", "snapshot", "record")
# Beside the code, wherever a client starts the server.
DATA_DIR = Path(__file__).resolve().parents[1] / "var"


@dataclass(frozen=True)
class ServerConfig:
    """The settings of one server process.

    `gateway` stands for all hosts (`BURP_UPSTREAM_GATEWAY`); `contact` goes into the User-Agent;
    `spool_dir` is where results above `spool_over_bytes` are handed over as files;
    `cache` keeps answers of live upstreams on disk (`BURP_UPSTREAM_CACHE`); `http_token` is what clients
    over HTTP must bring.
    """

    upstreams: str = "snapshot"
    data_dir: Path = DATA_DIR
    spool_dir: Path | None = None
    spool_over_bytes: int = 256 * 1024
    snapshot_dirs: tuple[Path, ...] = ()
    gateway: str = ""
    contact: str = ""
    ncbi_api_key: str = ""
    tool_timeout_s: float = 60.0
    cache: bool = False
    http_token: str = ""

    def __repr__(self) -> str:
        return f"ServerConfig(upstreams={self.upstreams!r}, data_dir={str(self.data_dir)!r})"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], upstreams: str | None = None) -> "ServerConfig":
        """Read the variables; `upstreams` from the command line wins."""
        mode = upstreams or environment.get("BURP_UPSTREAMS") or "snapshot"
        if mode not in MODES:
            raise ValueError(f"BURP_UPSTREAMS is {mode!r}; it must be one of {', '.join(MODES)}")
        spool = environment.get("BURP_SPOOL_DIR")
        folders = environment.get("BURP_SNAPSHOT_DIRS", "")
        return cls(
            upstreams=mode,
            data_dir=Path(environment.get("BURP_DATA_DIR") or DATA_DIR),
            spool_dir=Path(spool) if spool else None,
            snapshot_dirs=tuple(Path(folder) for folder in folders.split(":") if folder),
            gateway=environment.get("BURP_UPSTREAM_GATEWAY", ""),
            contact=environment.get("BURP_CONTACT", ""),
            ncbi_api_key=environment.get("NCBI_API_KEY", ""),
            cache=environment.get("BURP_UPSTREAM_CACHE", "1") not in ("0", "off", "no"),
            http_token=environment.get("BURP_MCP_TOKEN", "").strip(),
            tool_timeout_s=float(environment.get("BURP_TOOL_TIMEOUT_S") or 60),
        )
