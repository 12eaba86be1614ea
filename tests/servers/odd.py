"""An MCP server over stdio that is odd in one chosen way: odd.py ODDITY.

Each oddity is a function below, named as the tests name it. Only the standard library is used.
"""

import json
import os
import sys
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-11-25"


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(message):
    write(json.dumps(message).encode() + b"\n")


def result(message, value):
    send({"jsonrpc": "2.0", "id": message["id"], "result": value})


def error(message, code, text, data=None):
    body = {"code": code, "message": text}
    if data is not None:
        body["data"] = data
    send({"jsonrpc": "2.0", "id": message["id"], "error": body})


def messages():
    for line in sys.stdin.buffer:
        yield json.loads(line)


def text(words):
    return [{"type": "text", "text": words}]


def tool(name, schema=None):
    return {"name": name, "inputSchema": schema or {"type": "object"}}


def discovered():
    return {
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {}},
        "ttlMs": 0,
        "cacheScope": "private",
        "resultType": "complete",
    }


def initialized(message, version=LEGACY):
    result(
        message,
        {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        },
    )


class Server:
    """Answers as it should; an oddity replaces a part of it."""

    eras = ("legacy",)
    tools = [tool("echo")]
    capabilities = {"tools": {}}

    def complete(self, message, value):
        if "modern" in self.eras and "legacy" not in self.eras:
            value = {"resultType": "complete", **value}
        result(message, value)

    def discover(self, message):
        if "modern" in self.eras:
            result(
                message,
                {
                    **discovered(),
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "1"}},
                },
            )
        else:
            error(message, -32601, "Method not found: server/discover")

    def initialize(self, message):
        if "legacy" in self.eras:
            initialized(message)
        else:
            error(
                message,
                -32022,
                "Unsupported protocol version",
                {"supported": [MODERN], "requested": LEGACY},
            )

    def list_tools(self, message):
        value = {"tools": self.tools}
        if "modern" in self.eras and "legacy" not in self.eras:
            value.update(ttlMs=0, cacheScope="private")
        self.complete(message, value)

    def call(self, message):
        params = message["params"]
        self.complete(message, {"content": text(json.dumps(params.get("arguments", {})))})

    def notified(self, message):
        pass

    def replied(self, message):
        pass

    def take(self, message):
        method = message.get("method")
        if method is None:
            self.replied(message)
        elif "id" not in message:
            self.notified(message)
        elif method == "server/discover":
            self.discover(message)
        elif method == "initialize":
            self.initialize(message)
        elif method == "tools/list":
            self.list_tools(message)
        elif method == "tools/call":
            self.call(message)
        elif method == "ping":
            result(message, {})
        else:
            error(message, -32601, f"Method not found: {method}")

    def run(self):
        for message in messages():
            self.take(message)


class Modern(Server):
    eras = ("modern",)


def crash():
    """Ends at once with a traceback."""
    raise RuntimeError("the database of the server is not there")


def mute():
    """Never answers, and does not end with its stdin."""
    while True:
        sys.stdin.read()
        time.sleep(3600)


class Plain(Server):
    """A legacy server that is well-behaved."""


class PlainModern(Modern):
    """A modern server that is well-behaved."""


class Noise(Server):
    """Text and binary noise on stdout before and between messages."""

    def run(self):
        write(b"Starting the server, please wait\n\x00\xff\xfe\x80 \x1b[31mred\x1b[0m\n{\"level\": \"info\"}\n")
        super().run()

    def call(self, message):
        write(b"calling now...\n\n   \n[1, 2\n")
        super().call(message)
        write(b"called\n")


class Unfinished(Server):
    """Writes words without a newline before each answer to a call, and ends them after a while."""

    def call(self, message):
        write(b"Password: ")
        time.sleep(7)
        write(b"\n")
        super().call(message)


class Id0(Server):
    """Every reply has the id 0."""

    def take(self, message):
        if "id" in message:
            super().take({**message, "id": 0})


class CallId0(Server):
    """The replies to calls have the id 0."""

    def call(self, message):
        super().call({**message, "id": 0})
        write(b"that was the answer\n")


class Batches(Server):
    """Answers two calls at once, in one batch, the later one first and by an error."""

    def __init__(self):
        self.waiting = []

    def call(self, message):
        self.waiting.append(message)
        if len(self.waiting) < 2:
            return
        first, second = self.waiting
        self.waiting = []
        words = text(json.dumps(first["params"].get("arguments", {})))
        send(
            [
                {"jsonrpc": "2.0", "id": second["id"], "error": {"code": -32099, "message": "not this one"}},
                {"jsonrpc": "2.0", "id": first["id"], "result": {"content": words}},
            ]
        )


class IgnoresDiscover(Server):
    """Never answers what it does not know."""

    def discover(self, message):
        pass


class DiesBeforeInitialize(Server):
    """Ends on anything that comes before initialize."""

    def run(self):
        stream = messages()
        first = next(stream)
        if first.get("method") != "initialize":
            sys.stderr.write("expected initialize, got " + first.get("method", "?") + "\n")
            os._exit(2)
        self.take(first)
        for message in stream:
            self.take(message)


class WakesAndDies(DiesBeforeInitialize):
    """The same, and at first not there, as a package that has to be downloaded."""

    def run(self):
        if not os.path.exists(sys.argv[2]):
            open(sys.argv[2], "w").close()
            time.sleep(6)
        super().run()


class InvalidParams(Server):
    """Answers the probe with -32602."""

    def discover(self, message):
        error(message, -32602, "Invalid request parameters")


class ServerError(Server):
    """Answers the probe with -32000."""

    def discover(self, message):
        error(message, -32000, "Bad Request: Server not initialized")


class NullId(Server):
    """Answers the probe with an error that has no id."""

    def discover(self, message):
        error({"id": None}, -32600, "Invalid Request")


class Nameless(Modern):
    """A discover result without serverInfo."""

    def discover(self, message):
        result(message, discovered())


class EmptyName(Modern):
    """A discover result whose name is empty."""

    def discover(self, message):
        result(
            message,
            {**discovered(), "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "", "version": ""}}},
        )


class OddSchemas(Server):
    """Tools whose input schemas are no schemas."""

    tools = [
        {"name": "true", "inputSchema": True},
        {"name": "text", "inputSchema": "x"},
        {"name": "none"},
        {"name": "null", "inputSchema": None},
        {"name": "list", "inputSchema": []},
        "not even an object",
        tool("good"),
    ]


class ListFails(Server):
    """tools/list fails the first time."""

    asked = 0

    def list_tools(self, message):
        self.asked += 1
        if self.asked == 1:
            error(message, -32603, "the tools are on holiday")
        else:
            super().list_tools(message)


class NoList(Server):
    """tools/list is answered with something that is no list."""

    def list_tools(self, message):
        result(message, {"items": []})


class ManyTools(Server):
    """54 tools in pages of 50."""

    tools = [tool(f"tool_{number}") for number in range(54)]

    def list_tools(self, message):
        start = int((message.get("params") or {}).get("cursor", "0"))
        page = {"tools": self.tools[start : start + 50]}
        if start + 50 < len(self.tools):
            page["nextCursor"] = str(start + 50)
        result(message, page)


class LongLists(Server):
    """5 000 tools in 100 pages, and 10 000 resources in 100."""

    tools = [tool(f"tool_{number}") for number in range(5000)]

    def page(self, message, name, entries, size):
        start = int((message.get("params") or {}).get("cursor", "0"))
        page = {name: entries[start : start + size]}
        if start + size < len(entries):
            page["nextCursor"] = str(start + size)
        result(message, page)

    def list_tools(self, message):
        self.page(message, "tools", self.tools, 50)

    def initialize(self, message):
        result(
            message,
            {
                "protocolVersion": LEGACY,
                "capabilities": {"tools": {}, "resources": {}},
                "serverInfo": {"name": "long", "version": "1"},
            },
        )

    def take(self, message):
        if message.get("method") == "resources/list":
            entries = [{"uri": f"odd://{number}", "name": f"resource {number}"} for number in range(10000)]
            self.page(message, "resources", entries, 100)
        elif message.get("method") == "resources/templates/list":
            result(message, {"resourceTemplates": []})
        else:
            super().take(message)


class Circle(Server):
    """A cursor that comes again."""

    def list_tools(self, message):
        result(message, {"tools": self.tools, "nextCursor": "again"})


class OddResults(Server):
    """Results at the edge of what is allowed."""

    tools = [
        {**tool("fails"), "outputSchema": {"type": "object", "required": ["sum"]}},
        tool("empty"),
        tool("structured"),
        tool("text"),
        tool("nothing"),
    ]
    results = {
        "fails": {"isError": True, "content": text("it broke"), "structuredContent": {"oops": 1}},
        "empty": {"content": []},
        "structured": {"content": [], "structuredContent": {"temperature": 22.50, "big": 12345678901234567890}},
        "text": "just a string",
        "nothing": {},
    }

    def call(self, message):
        result(message, self.results[message["params"]["name"]])


class Hostile(Server):
    """Replies that strain a reader."""

    replies = {
        "latin-1": b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"caf\xe9 \x96"}]}}',
        "surrogate": b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"half a pair: \\ud83d!"}]}}',
        "controls": b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"\\u0000\\u001b[31m\\u0007"}]}}',
        "twice": b'{"id":-1,"jsonrpc":"2.0","id":%d,"result":{"content":[],"content":[{"type":"text","text":"no","text":"the last one"}]}}',
        "large": b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' + b"x" * 8_000_000 + b'"}]}}',
        "deep": b'{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"a":'
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}}}",
    }
    tools = [tool(name) for name in [*replies, "no-id"]]

    def call(self, message):
        name = message["params"]["name"]
        if name == "no-id":
            write(b'{"jsonrpc":"2.0","result":{"content":[]}}\n')
        else:
            write(self.replies[name].replace(b"%d", str(message["id"]).encode()) + b"\n")


class Late(Server):
    """Answers a call only once it was cancelled."""

    waiting = None

    def call(self, message):
        if message["params"].get("arguments", {}).get("quick"):
            super().call(message)
        else:
            self.waiting = message

    def notified(self, message):
        if message["method"] == "notifications/cancelled" and self.waiting:
            result(self.waiting, {"content": text("too late")})


class Hangs(Server):
    """Never answers a call; says on stderr that it came."""

    def call(self, message):
        sys.stderr.write("the call came\n")
        sys.stderr.flush()


class Reversed(Server):
    """Answers ten calls at once, the last first."""

    waiting = []

    def call(self, message):
        self.waiting.append(message)
        if len(self.waiting) == 10:
            for waiting in reversed(self.waiting):
                super().call(waiting)


class Sleepy(Modern):
    """Is not there at first, as a package that has to be downloaded."""

    def run(self):
        time.sleep(6)
        super().run()


class Answers(Server):
    """Answers initialize with the JSON that it is given."""

    def initialize(self, message):
        write(b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (message["id"], sys.argv[2].encode()))


class ModernAsks(Modern):
    """Sends a request of its own, which its revision does not have; an answer to it ends the server."""

    def call(self, message):
        send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        super().call(message)

    def replied(self, message):
        os._exit(4)


class Asks(Server):
    """Asks on its own, as legacy servers do: a ping, then a form, then what nobody advertised."""

    waiting = None

    def call(self, message):
        self.waiting = message
        send({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})

    def replied(self, message):
        if message["id"] == "ping-1":
            send({"jsonrpc": "2.0", "id": "roots-1", "method": "roots/list"})
        elif message["id"] == "roots-1":
            self.refused = message["error"]["code"]
            send(
                {
                    "jsonrpc": "2.0",
                    "id": "form-1",
                    "method": "elicitation/create",
                    "params": {
                        "message": "How many?",
                        "requestedSchema": {"type": "object", "properties": {"count": {"type": "integer"}}},
                    },
                }
            )
        elif message["id"] == "form-1":
            words = json.dumps({"roots": self.refused, "form": message["result"]})
            result(self.waiting, {"content": text(words)})


class Environment(Server):
    """Tells a variable of its environment and its arguments, on stderr too."""

    def call(self, message):
        value = os.environ.get("ODD_TOKEN", "")
        rest = " ".join(sys.argv[2:])
        sys.stderr.write(f"my token is {value} {rest}\n")
        sys.stderr.flush()
        result(message, {"content": text(f"the token has {len(value)} letters: {value} {rest}")})


class Turncoat(Server):
    """Legacy until the file that it is given exists; modern from then on."""

    def __init__(self):
        if os.path.exists(sys.argv[2]):
            self.eras = ("modern",)


class EndsSoon(Server):
    """Ends by itself once it has told its tools."""

    def list_tools(self, message):
        super().list_tools(message)
        sys.stderr.write("that was all\n")
        sys.stderr.flush()
        time.sleep(0.2)
        os._exit(7)


class Ticks(Server):
    """Reports progress every 0.1 s, as often as the call says, and answers then."""

    def call(self, message):
        params = message["params"]
        for count in range(params["arguments"]["ticks"]):
            time.sleep(0.1)
            token = params["_meta"]["progressToken"]
            send(
                {
                    "jsonrpc": "2.0",
                    "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": count + 1},
                }
            )
        super().call(message)


class Chatters(Server):
    """Logs without end while a call waits, and never answers it."""

    def call(self, message):
        def chatter():
            while True:
                send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "..."}})
                time.sleep(0.1)

        threading.Thread(target=chatter, daemon=True).start()


class Twice(Server):
    """Answers each call twice."""

    def call(self, message):
        super().call(message)
        super().call(message)


class AsksBesideTwo(Server):
    """Asks a form once two calls wait, without saying for which, and answers both with what it is told."""

    capabilities = {"tools": {}}
    waiting = []

    def call(self, message):
        self.waiting.append(message)
        if len(self.waiting) == 2:
            send(
                {
                    "jsonrpc": "2.0",
                    "id": "form",
                    "method": "elicitation/create",
                    "params": {
                        "message": "How many?",
                        "requestedSchema": {"type": "object", "properties": {"count": {"type": "integer"}}},
                    },
                }
            )

    def replied(self, message):
        for waiting in self.waiting:
            result(waiting, {"content": text(json.dumps(message["result"]))})


class Links(Modern):
    """Needs a link to be opened, and is done when the file that it is given exists. All that it knows is in its state."""

    state = 'STATE-mark-"7"/ü-Zx9'
    # Valid JSON that no writer would make: what goes back must be this, to the byte.
    token = r'"\u0053TATE-mark-\"7\"\/\u00fc-Zx9"'

    def run(self):
        for line in sys.stdin.buffer:
            self.line = line.decode()
            self.take(json.loads(line))

    def call(self, message):
        params = message["params"]
        answer = params.get("inputResponses", {}).get("go", {}).get("action")
        if answer == "accept" and os.path.exists(sys.argv[2]):
            kept = params["requestState"] == self.state and self.token in self.line
            self.complete(message, {"content": text(f"kept: {kept}")})
            return
        link = {"mode": "url", "url": "https://login.example.com/connect", "message": "Sign in."}
        asks = {"go": {"method": "elicitation/create", "params": link}}
        reply = {"resultType": "input_required", "inputRequests": asks, "requestState": "@"}
        line = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": reply})
        write(line.replace('"@"', self.token).encode() + b"\n")


ODDITIES = {
    "crash": crash,
    "mute": mute,
    "plain": Plain,
    "plain-modern": PlainModern,
    "noise": Noise,
    "unfinished": Unfinished,
    "id-0": Id0,
    "call-id-0": CallId0,
    "batches": Batches,
    "ignores-discover": IgnoresDiscover,
    "dies-before-initialize": DiesBeforeInitialize,
    "wakes-and-dies": WakesAndDies,
    "invalid-params": InvalidParams,
    "server-error": ServerError,
    "null-id": NullId,
    "nameless": Nameless,
    "empty-name": EmptyName,
    "odd-schemas": OddSchemas,
    "list-fails": ListFails,
    "no-list": NoList,
    "many-tools": ManyTools,
    "long-lists": LongLists,
    "circle": Circle,
    "odd-results": OddResults,
    "hostile": Hostile,
    "late": Late,
    "hangs": Hangs,
    "reversed": Reversed,
    "sleepy": Sleepy,
    "answers": Answers,
    "modern-asks": ModernAsks,
    "asks": Asks,
    "environment": Environment,
    "turncoat": Turncoat,
    "ends-soon": EndsSoon,
    "ticks": Ticks,
    "chatters": Chatters,
    "twice": Twice,
    "asks-beside-two": AsksBesideTwo,
    "links": Links,
}

if __name__ == "__main__":
    odd = ODDITIES[sys.argv[1]]()
    if odd is not None:
        odd.run()
