"""Client of `lab serve-environment` (`forage.environment/1`): Forage's agent loop, retrieval and rewards,
stepped by whoever samples. Standard library only.

    environment = Environment("http://127.0.0.1:8765")
    environment.expect(experiment["hash"])
    results = environment.run(episodes, sample)

An episode is `{"id", "draw" | "heldOut" | "question", "index", "step"}`. `sample(requests)` is handed
`{"id", "rollout", "context", "maxTokens", "stopIds", "stopTexts", "stopPrefix", "sampling", "scores", "seed"}`
and returns `{"id", "ids", "logprobs"?, "finish"?}` for each, in any order. What it samples behind a stop or
beyond `maxTokens` is cut off by the environment.
"""

import http.client
import json
import time
import urllib.parse

SCHEMA = "forage.environment/1"


class EnvironmentFault(RuntimeError):
    """The environment refused a call, or a rollout failed there. One line."""


class EnvironmentGone(EnvironmentFault):
    """Nobody answers at the address."""


class _Server:
    """One process of the environment."""

    def __init__(self, url, token, timeout, patience):
        parts = urllib.parse.urlsplit(url if "//" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EnvironmentFault(f"{url} is no address of an environment; write http://HOST:PORT")
        self.url, self.token, self.timeout, self.patience = parts, token, timeout, patience
        self.connection = None
        self.health = self.call("/v1/health")
        if self.health.get("schema") != SCHEMA:
            raise EnvironmentFault(f"{url} speaks {self.health.get('schema')}, and this client {SCHEMA}")

    def _connect(self):
        secure = self.url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self.url.hostname, self.url.port, timeout=self.timeout)

    def call(self, path, body=None):
        """POST of a body, or GET without one. A call that is lost is made again: the same call gives the same answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        where = f"{self.url.scheme}://{self.url.netloc}"
        until, pause = time.monotonic() + self.patience, 0.2
        while True:
            try:
                if self.connection is None:
                    self.connection = self._connect()
                self.connection.request("GET" if data is None else "POST", self.url.path + path, data, headers)
                reply = self.connection.getresponse()
                status, text = reply.status, reply.read()
            except (OSError, http.client.HTTPException) as reason:
                if self.connection is not None:
                    self.connection.close()
                self.connection = None
                if time.monotonic() >= until:
                    raise EnvironmentGone(
                        f"the environment at {where} does not answer ({reason or type(reason).__name__}); "
                        "start it again (environment.sh), then go on from the last checkpoint as README.md says"
                    ) from reason
                time.sleep(pause)
                pause = min(5.0, 2 * pause)
                continue
            try:
                answer = json.loads(text)
            except ValueError as reason:
                raise EnvironmentFault(f"{where}{path} answered {status} and no JSON: {text[:200]!r}") from reason
            if status == 503 and time.monotonic() < until:
                time.sleep(pause)
                continue
            if status != 200:
                raise EnvironmentFault(f"{where}{path}: {status}: {answer.get('error', answer)}")
            return answer


class Environment:
    """One environment, in one process or sharded by group over several.

    url: its address, or several with commas between.
    patience: seconds for which a call is made again while nobody answers.
    """

    def __init__(self, url, token=None, timeout=600, patience=60):
        urls = [part.strip() for part in url.split(",") if part.strip()]
        self.servers = [_Server(part, token, timeout, patience) for part in urls]
        if not self.servers:
            raise EnvironmentFault("no address of an environment is given")
        self.health = self.servers[0].health
        self._by_shard = {server.health["shard"]["index"]: server for server in self.servers}
        shards = self.health["shard"]["of"]
        if sorted(self._by_shard) != list(range(shards)) or len(self.servers) != shards:
            raise EnvironmentFault(
                f"the environment has {shards} shards; given are the addresses of {sorted(self._by_shard)}"
            )

    def expect(self, digest):
        """Refuses an environment of another experiment."""
        for server in self.servers:
            if server.health["hash"] != digest:
                raise EnvironmentFault(
                    f"{server.url.netloc} serves another experiment (hash {server.health['hash'][:12]}, "
                    f"here {digest[:12]}); start environment.sh of this folder"
                )

    def prepare(self, sample, most=64):
        """Has the questions scored that the curriculum draws from; returns at once where there are none."""
        for server in self.servers:
            while server.call("/v1/health")["scoring"]["left"] > 0:
                turn = server.call("/v1/prepare", {"most": most})
                if not turn["requests"]:
                    # Another process has all that are left.
                    time.sleep(1)
                self._drive({server: turn}, sample)

    def run(self, episodes, sample):
        """Runs rollouts to their ends; results in the order of the episodes."""
        parts = {}
        for episode in episodes:
            parts.setdefault(self.server_of(episode), []).append(episode)
        turns = {server: server.call("/v1/open", {"rollouts": own}) for server, own in parts.items()}
        done = self._drive(turns, sample)
        missing = [episode["id"] for episode in episodes if episode["id"] not in done]
        if missing:
            raise EnvironmentFault(f"the environment never ended rollout {missing[0]}")
        for episode in episodes:
            error = done[episode["id"]].get("error")
            if error is not None:
                raise EnvironmentFault(f"rollout {episode['id']}: {error}")
        return [done[episode["id"]] for episode in episodes]

    def close(self, ids):
        """Ends rollouts that nobody will go on with."""
        for server in self.servers:
            server.call("/v1/close", {"rollouts": list(ids)})

    def server_of(self, episode):
        """The process that runs the group of an episode."""
        place = episode.get("draw", episode.get("heldOut", 0))
        return self._by_shard[place % len(self.servers)]

    def _drive(self, turns, sample):
        done = {}
        while True:
            for turn in turns.values():
                done.update((end["rollout"], end) for end in turn["done"])
            asked = [(server, request) for server, turn in turns.items() for request in turn["requests"]]
            if not asked:
                return done
            answers = {answer["id"]: answer for answer in sample([request for _, request in asked])}
            parts = {}
            for server, request in asked:
                parts.setdefault(server, []).append(answers[request["id"]])
            turns = {server: server.call("/v1/step", {"answers": own}) for server, own in parts.items()}
