"""served.py KILN ROOT: `kiln report --serve` as a browser, a stranger and a user who ends it see it. Exits with 1 and says what is wrong,
with 77 where kiln was built without cpp-httplib. With a Chromium the page itself is watched while a record comes."""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

import devtools

JOB = """workload: minibude
device: cpu
set: {nposes: 64, natpro: 32}
sweep: {wg: [1, 2, 4]}
measure: {min_time: 1 ms, max_time: 10 ms, min_samples: 6}
"""
SECONDS = 20


class Served:
    """One `kiln report RESULTS --serve`."""

    def __init__(self, kiln, results, *options):
        command = [kiln, "report", str(results), "--serve", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        if not match:
            raise RuntimeError(f"no address, but {self.address!r} and {self.end()}")
        self.port, self.token = int(match[1]), match[2]

    def get(self, path, method="GET", headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def status(self, path, **more):
        return self.get(path, **more)[0]

    def state(self, seen=""):
        code, text = self.get(f"/state?token={self.token}&seen={seen}")
        return code, json.loads(text) if text else None

    def send(self, data):
        """Bytes as they are; whatever comes back is dropped."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass
            except OSError:
                pass  # it hung up

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        _, error = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, error


def own_addresses():
    """Addresses of this machine that are not loopback."""
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            found.add(probe.getsockname()[0])
    except OSError:
        pass
    return sorted(address for address in found if not address.startswith("127."))


def refused(address, port):
    try:
        socket.create_connection((address, port), timeout=5).close()
    except OSError:
        return True
    return False


def strangers(served, root):
    """Who is not answered."""
    token = served.token
    for path in ("/", "/state", "/?token=", "/?token=" + "0" * 32, f"/?token={token[:-1]}", f"/?token={token}0"):
        yield served.status(path) == 403, f"answered without the token: {path}"
    yield served.status(f"/?token={token}", headers={"Host": "evil.example"}) == 403, "answered as another host"
    for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/records.jsonl", "//etc/passwd", str(root)):
        code, text = served.get(f"{path}?token={token}")
        yield code in (400, 404) and "root:" not in text, f"{path}: status {code}"
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        yield served.status(f"/?token={token}", method=method) >= 400, f"{method} is answered"
    for address in own_addresses():
        yield refused(address, served.port), f"it listens at {address}, too"


def bad_requests(served):
    for data in (b"", b"\r\n\r\n", b"GET", b"GET / HTTP/9.9\r\n\r\n", bytes(range(256)) * 400, b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n", b"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                 b"GET /?token=%00%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"):
        served.send(data)
    yield served.process.poll() is None, "it ended at a bad request"
    yield served.status(f"/?token={served.token}") == 200, "no page after bad requests"


def growth(served, source, results):
    """What is written while it serves; `source`: lines of records."""
    code, answer = served.state()
    yield code == 503 and "records" in answer["error"], f"an empty folder: {code} {answer}"
    target = results / "records.jsonl"
    target.write_text(source[0], encoding="utf-8")
    code, first = served.state()
    yield code == 200 and len(first["data"]["records"]) == 1, "the first record is not seen"
    yield served.state(first["version"]) == (204, None), "something new without a change"
    with target.open("a", encoding="utf-8") as file:
        file.write(source[1] + source[2][:40])  # a line that is being written
    code, second = served.state(first["version"])
    yield code == 200 and len(second["data"]["records"]) == 2, "the second record is not seen"
    yield second["version"] != first["version"] and "All records" in second["content"], "the content of the second record"


def watched(served, source, results):
    """In a browser: the page shows what comes."""
    path = devtools.find_browser()
    if not path:
        return
    (results / "records.jsonl").write_text(source[0] + source[1], encoding="utf-8")
    with devtools.Browser(path) as browser:
        browser.open(served.address, 1280, 900, "light")
        rows = "document.querySelectorAll('#records tbody tr').length === "
        yield browser.settles(rows + "2", SECONDS), "the page does not show two records"
        with (results / "records.jsonl").open("a", encoding="utf-8") as file:
            file.write(source[2])
        yield browser.settles(rows + "3", SECONDS), "the page does not show the record that came"
        said = [event for event in browser.events if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown")]
        yield not said, f"the browser says {said}"
        served.end()
        yield browser.settles("document.getElementById('live').textContent.startsWith('not live')", SECONDS), "it does not say that the server ended"


def main():
    kiln, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    if not (pathlib.Path(kiln).parent / "libkiln_serve.so").exists():
        print("skipped: kiln was built without cpp-httplib (package libcpp-httplib-dev)")
        return 77
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ.update(KILN_CACHE_DIR=str(folder / "cache"), KILN_WORKLOAD_PATH=str(root / "kernels_src"))
        (folder / "job.yaml").write_text(JOB, encoding="utf-8")
        subprocess.run([kiln, "run", "job.yaml", "--output", "done", "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        source = (folder / "done/records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        results = folder / "results"
        results.mkdir()
        served = Served(kiln, results)
        checks = [*growth(served, source, results), *strangers(served, root), *bad_requests(served)]
        taken = subprocess.run([kiln, "report", str(results), "--serve", "--port", str(served.port)], capture_output=True, text=True, check=False, timeout=SECONDS)
        checks.append((taken.returncode == 3 and "is the port taken?" in taken.stderr, f"a port that is taken: {taken.returncode} {taken.stderr}"))
        code, error = served.end()
        checks.append((code == 0, f"exit code {code} at SIGINT: {error}"))
        checks.append((refused("127.0.0.1", served.port), "it still listens"))
        served = Served(kiln, results)
        checks.append((served.end(signal.SIGTERM)[0] == 0, "SIGTERM"))
        checks += watched(Served(kiln, results), source, results)
        for options, words in ((["--port", "70000"], "expected 0 to 65535"), (["-o", "x.html"], "expected no --output")):
            bad = subprocess.run([kiln, "report", str(results), "--serve", *options], capture_output=True, text=True, check=False, timeout=SECONDS)
            checks.append((bad.returncode == 2 and words in bad.stderr, f"{options}: {bad.returncode} {bad.stderr}"))
        problems = [text for holds, text in checks if not holds]
    print(f"{len(checks)} checks")
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
