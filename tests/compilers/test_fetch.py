"""Compilers out of a package index: which one is asked, how much of a wheel is read, what a failure says."""

import hashlib
import io
import re
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cudaenv import compilers
from cudaenv.wheel import setting
from ros2env import once
from ros2env.installation import made
from ros2env.problem import Problem

WANTED = b"the library"
NAME = "tool/lib/libtool.so.1"
WHEEL = "tool-1.0-cp37-cp37m-manylinux1_x86_64.whl"


def tool(**changes):
    return compilers.Tool(**{"name": "Tool 1", "package": "tool", "version": "1.0", "tag": "manylinux1_x86_64.whl",
                             "files": {NAME: hashlib.sha256(WANTED).hexdigest()}, **changes})


@pytest.fixture
def index(monkeypatch):
    """A package index with one large wheel, configured for pip. Its list holds the bytes that were asked for."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.writestr("tool/filler", bytes(4_000_000))
        wheel.writestr(NAME, WANTED)
    content, sent = archive.getvalue(), []

    class Index(BaseHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/simple/tool/":
                body, status = f'<a href="/files/{WHEEL}">{WHEEL}</a>'.encode(), 200
            elif self.path == f"/files/{WHEEL}":
                first, last = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "bytes=0-")).groups()
                end = len(content) if not first or not last else min(int(last) + 1, len(content))
                start = int(first) if first else max(len(content) - int(last), 0)
                body, status = content[start:end], 206
                sent.append(len(body))
            else:
                body, status = b"", 404
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    # Before the index changes: what reads wheels comes from the real one.
    compilers.packages(made() / "cuda", print)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple/")
    yield sent
    server.shutdown()
    server.server_close()
    thread.join()


def test_only_the_wanted_files_of_the_configured_index_are_read_and_only_once(index, tmp_path):
    path = compilers.ensure(tool(), print, tmp_path)
    assert path.read_bytes() == WANTED and path.name == "libtool.so.1"
    assert 0 < sum(index) < 200_000
    before = list(index)
    assert compilers.ensure(tool(), print, tmp_path) == path
    assert index == before


@pytest.mark.parametrize("changes, named", [
    ({"files": {NAME: "0" * 64}}, "has SHA-256 [0-9a-f]{64}, expected 0{64}"),
    ({"files": {"tool/none.so": "0" * 64}}, f"{WHEEL} has no tool/none.so"),
    ({"version": "2.0"}, "the index has 0 wheels of 2.0"),
    ({"package": "unheard-of"}, "unheard-of"),
])
def test_what_the_index_lacks_is_named_and_nothing_is_kept(index, tmp_path, changes, named):
    wanted = tool(**changes)
    with pytest.raises(Problem, match=named) as problem:
        compilers.ensure(wanted, print, tmp_path)
    assert f"Tool 1 (package {wanted.package} {wanted.version}) could not be fetched" in str(problem.value)
    assert "Traceback" not in str(problem.value)
    # The stamp of a finished folder is what a second run looks for.
    assert not (tmp_path / "tool-1" / once.STAMP).exists()


def test_an_index_that_cannot_be_reached_is_a_message_with_the_package(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    with pytest.raises(Problem, match="package tool 1.0. could not be fetched") as problem:
        compilers.ensure(tool(), print, tmp_path)
    assert "Traceback" not in str(problem.value)


def test_the_setting_nearest_to_the_command_wins():
    listed = "global.index-url='http://a/'\ninstall.index-url='http://b/'\n"
    assert setting("index-url", listed) == "http://b/"
    assert setting("index-url", listed + ":env:.index-url='http://c/'\n") == "http://c/"
    assert setting("cert", listed) is None
