"""An MCP server over stdio that plays faults: hostile.py SCRIPT.

SCRIPT is a file of JSON: {"at": MOMENT, "acts": [[NAME, ARGUMENT, ...], ...]}. At that moment, and once, it plays the
acts, each a method below, in place of an answer; at any other it is a well-behaved server of the modern era. Bytes are
written in Base64; %ID% in them is the id of the request that is played on. Only the standard library is used.
"""

import base64
import json
import os
import signal
import sys
import time

from odd import Modern, write

PIPES = {"stdin": 0, "stdout": 1, "stderr": 2}
# What one write takes.
BLOCK_LEN = 1 << 16


class Hostile(Modern):
    """Plays its script once."""

    def __init__(self, moment, acts):
        self.moment = moment
        self.acts = acts
        self.request_id = None

    def messages(self):
        # Read by hand: an iterator over stdin would read ahead of the act that stops reading.
        while line := sys.stdin.buffer.readline():
            yield json.loads(line)

    def run(self):
        if self.moment == "start":
            self.play({"id": None})
        for message in self.messages():
            self.take(message)

    def list_tools(self, message):
        if self.moment == "list":
            self.play(message)
        super().list_tools(message)

    def call(self, message):
        if self.moment != "call":
            super().call(message)
            return
        sys.stderr.write("the call came\n")
        self.play(message)

    def play(self, message):
        self.moment = None
        self.request_id = json.dumps(message["id"]).encode()
        for name, *arguments in self.acts:
            getattr(self, name)(*arguments)

    def bytes(self, text):
        return base64.b64decode(text).replace(b"%ID%", self.request_id)

    def say(self, text):
        write(self.bytes(text))

    def repeat(self, text, count):
        self.write_often(1, self.bytes(text), count)

    def stderr(self, text, count):
        self.write_often(2, self.bytes(text), count)

    def write_often(self, pipe, data, count):
        together = max(1, BLOCK_LEN // len(data))
        block = data * together
        for start in range(0, count, together):
            self.write_all(pipe, block[: len(data) * min(together, count - start)])

    def write_all(self, pipe, data):
        left = memoryview(data)
        while left:
            left = left[os.write(pipe, left) :]

    def numbered(self, text, count):
        before, after = self.bytes(text).split(b"%N%")
        for start in range(0, count, 1000):
            numbers = range(start + 1, min(start + 1000, count) + 1)
            write(b"".join(b"%b%d%b" % (before, number, after) for number in numbers))

    def drip(self, text, millis):
        for byte in self.bytes(text):
            write(bytes([byte]))
            time.sleep(millis / 1000)

    def rest(self, millis):
        time.sleep(millis / 1000)

    def wait_for(self, method):
        """Reads on until such a message comes."""
        for message in self.messages():
            if message.get("method") == method:
                return

    def close(self, pipe):
        os.close(PIPES[pipe])

    def leave(self, code):
        os._exit(code)

    def die(self, name):
        os.kill(os.getpid(), signal.Signals[name])

    def ignore(self, name):
        signal.signal(signal.Signals[name], signal.SIG_IGN)

    def fork(self, seconds):
        """A child of the same group that holds all pipes open and heeds no signal that can be refused."""
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(seconds)
            os._exit(0)

    def daemon(self, seconds):
        """A child that has left the group and holds all pipes open."""
        if os.fork() == 0:
            os.setsid()
            time.sleep(seconds)
            os._exit(0)

    def hang(self):
        """Does nothing any more, whatever comes."""
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        script = json.load(file)
    Hostile(script["at"], script["acts"]).run()
