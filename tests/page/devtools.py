"""A headless Chromium, spoken to by the DevTools protocol over a pipe (--remote-debugging-pipe): nothing beside Python's own
library, and no port."""

import base64
import collections
import fcntl
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chrome-headless-shell", "google-chrome", "google-chrome-stable", "chromium", "chromium-browser")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-breakpad",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)


def find_browser():
    """The first that starts; one from a snap is none, for it cannot read the files of a test."""
    for name in NAMES:
        path = shutil.which(name)
        if not path or "/snap/" in os.path.realpath(path):
            continue
        started = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
        if started.returncode == 0:
            return path
    return None


class Browser:
    """One browser with one open page. Used with `with`; the process and its folder go at the end."""

    def __init__(self, path, seconds=60):
        self.deadline_seconds = seconds
        self.folder = tempfile.TemporaryDirectory(prefix="kiln_browser_")
        command_in, self.commands = os.pipe()
        self.answers, answer_out = os.pipe()
        # The browser reads from descriptor 3 and writes to 4: ours go out of the way first.
        given = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (command_in, answer_out)]
        shell = f'exec "$0" "$@" 3<&{given[0]} 4>&{given[1]}'
        arguments = ["bash", "-c", shell, path, *FLAGS, "--user-data-dir=" + self.folder.name, "about:blank"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(arguments, pass_fds=given, start_new_session=True, **silent)
        for fd in (command_in, answer_out, *given):
            os.close(fd)
        self.text, self.count, self.session = b"", 0, None
        self.events = collections.deque()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.folder.name, ignore_errors=True)

    def read(self, deadline):
        """The next message."""
        while b"\0" not in self.text:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.answers, 1 << 16) if ready else b""
            if not chunk:
                raise RuntimeError("the browser ended" if ready else f"no answer of the browser in {self.deadline_seconds} s")
            self.text += chunk
        message, self.text = self.text.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.commands, text):]
        deadline = time.monotonic() + self.deadline_seconds
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, height, theme):
        """Opens a page as a reader with this window and theme does, and waits until it is loaded; returns what happened meanwhile."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.events.clear()
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + self.deadline_seconds
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read(deadline))
        self.call("Runtime.evaluate", expression="document.fonts.ready.then(() => 0)", awaitPromise=True)
        return list(self.events)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"]["value"]

    def settles(self, expression, seconds=5):
        """Whether a condition comes to hold: what input does is done in a later frame."""
        wait = f"""new Promise((done) => {{ const end = performance.now() + {1000 * seconds};
        const look = () => ({expression}) ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20); look(); }})"""
        return self.call("Runtime.evaluate", expression=wait, awaitPromise=True, returnByValue=True)["result"]["value"]

    def screenshot(self, path, height):
        """The whole page, up to `height`."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height), "scale": 1}
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))
