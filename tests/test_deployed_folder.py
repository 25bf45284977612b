"""A site as a folder and over HTTP has the same entries, except pages without links to them."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sitemap_action.__main__ import run
from test_real_sites import mkdocs, python_docs

__all__ = ["mkdocs", "python_docs"]

DOCS = "https://docs.example.com/"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CONFIG = """
daemon off; worker_processes 1; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; types {{ text/html html htm; application/xml xml; application/javascript js; text/css css; text/plain txt; }}
  client_body_temp_path {root}/t; proxy_temp_path {root}/t; fastcgi_temp_path {root}/t; uwsgi_temp_path {root}/t;
  scgi_temp_path {root}/t;
  server {{ listen 127.0.0.1:{port}; root {site}; absolute_redirect off; {directives} }}
}}
"""


@contextmanager
def nginx(root: Path, site: Path, directives: str = "") -> Iterator[str]:
    if NGINX is None:
        pytest.skip("nginx is not installed (Debian: nginx-light)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = root / "nginx.conf"
    user = "user root;" if Path("/proc/self").stat().st_uid == 0 else ""
    config.write_text(user + CONFIG.format(root=root, site=site, port=port, directives=directives))
    server = subprocess.Popen([NGINX, "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.02)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def entries(*source: str, site: str) -> tuple[set[str], dict[str, Any]]:
    flags = ["--site-url", site, "--report", "json=report.json", "--quiet"]
    assert run(["check", *source, *flags, "--set", "sitemaps.use=false"]) == 1
    report = json.loads(Path("report.json").read_text())
    return {row["url"] for row in report["added"]}, report


def test_mkdocs(mkdocs: Path, workspace: Path) -> None:
    by_folder, folder = entries("--path", str(mkdocs), site=DOCS)
    with nginx(workspace, mkdocs) as url:
        over_http, http = entries("--url", url, site=DOCS)
    assert by_folder - over_http == {f["url"] for f in folder["findings"] if f["rule"] == "HTML-68"}
    assert over_http <= by_folder
    assert over_http
    assert http["complete"] is True


def test_the_python_documentation(python_docs: Path, workspace: Path) -> None:
    """526 of its 530 pages have links to them; the four others are reported for the folder."""
    by_folder, folder = entries("--path", str(python_docs), site=f"{DOCS}x/")
    with nginx(workspace, python_docs) as url:
        over_http, http = entries("--url", url, site=f"{DOCS}x/")
    unlinked = {finding["url"] for finding in folder["findings"] if finding["rule"] == "HTML-68"}
    assert (len(by_folder), len(over_http), len(unlinked)) == (530, 526, 4)
    assert by_folder - over_http == unlinked
    assert over_http <= by_folder
    assert http["complete"] is True
