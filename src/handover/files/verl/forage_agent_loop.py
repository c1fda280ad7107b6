"""The rollouts of this experiment as an agent loop of verl: verl samples, the environment does everything else.

agent_loops.yaml names the class; columns `extra_info.split` and `extra_info.place` of the parquet files say
which rollout a row stands for. FORAGE_ENVIRONMENT holds the address of the environment's server, or several
with commas between them, one a shard; FORAGE_TOKEN its token, where it needs one.
"""
import asyncio
import http.client
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import local
from urllib.parse import urlsplit
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

SCHEMA = "forage.environment/1"
# Seconds that a server may be away before the trainer gives up on it.
PATIENCE = float(os.environ.get("FORAGE_PATIENCE", "120"))
# A rollout whose sampling failed is begun again, so that its group stays whole.
ATTEMPTS = 3


class EnvironmentLost(RuntimeError):
    """Nothing answers at the environment's address."""


class EnvironmentRefused(RuntimeError):
    """The environment answered, and said no."""


class Environment:
    """Calls of one server. The same call again has the same effect as once, so that lost replies are asked for again."""

    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EnvironmentLost(f"FORAGE_ENVIRONMENT: '{url}' is no address such as http://127.0.0.1:8765")
        self.kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self.host, self.port, self.prefix = parts.hostname, parts.port, parts.path
        self.headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        self.kept = local()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        until = time.monotonic() + PATIENCE
        pause = 0.1
        while True:
            try:
                status, answer = self.once(method, path, data)
            except (OSError, http.client.HTTPException) as error:
                status, answer = None, error
            if status == 200:
                return answer
            # Away, stopping or full: all of these pass. Everything else is a fault that stays.
            if status not in (None, 429, 503):
                raise EnvironmentRefused(f"environment {self.url}{path}: {answer.get('error', status)}")
            if time.monotonic() > until:
                why = answer if status is None else answer.get("error", status)
                raise EnvironmentLost(
                    f"environment {self.url} has not answered for {PATIENCE:.0f} s ({why}); start it with `sh environment.sh`"
                )
            time.sleep(pause)
            pause = min(5.0, 2 * pause)

    def once(self, method, path, data):
        connection = getattr(self.kept, "connection", None)
        if connection is None:
            connection = self.kept.connection = self.kind(self.host, self.port, timeout=600)
        try:
            connection.request(method, self.prefix + path, data, self.headers)
            reply = connection.getresponse()
            text = reply.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            self.kept.connection = None
            raise
        try:
            return reply.status, json.loads(text)
        except ValueError:
            return reply.status, {"error": f"status {reply.status} without JSON"}


# Of one process: agent loops are made anew for every rollout.
_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="environment")
_environments = {}
_ready = {}


def environments(default):
    addresses = os.environ.get("FORAGE_ENVIRONMENT") or default
    if addresses not in _environments:
        token = os.environ.get("FORAGE_TOKEN")
        _environments[addresses] = [Environment(url.strip(), token) for url in addresses.split(",")]
    return _environments[addresses]


async def call(environment, method, path, body=None):
    return await asyncio.get_running_loop().run_in_executor(_threads, environment.call, method, path, body)


class ForageAgentLoop(AgentLoopBase):
    """
    environment: address of the server, unless FORAGE_ENVIRONMENT says another.
    hash: of the experiment, which the server must have opened.
    first_step: steps that were made before verl's first.
    """

    def __init__(self, *args, environment, hash, first_step=0, **kwargs):
        # Prompts come as ids, so no builder of chats is needed; the one for Qwen asks the tokenizer for tokens
        # that a base model may not have.
        kwargs["hf_model_type"] = None
        super().__init__(*args, **kwargs)
        self.environments = environments(environment)
        self.hash = hash
        self.first_step = int(first_step)

    async def run(self, sampling_params, **row):
        info = row["extra_info"]
        place, held_out = int(info["place"]), info["split"] != "train"
        # Shards hold groups by their place, so that a group stays with one server.
        environment = self.environments[place % len(self.environments)]
        await self.ready(environment, sampling_params)
        step = self.first_step + max(1, int(row.get("global_steps", 1)))
        group = str(row.get("uid") or uuid4().hex)
        index = int(row.get("session_id", 0))
        episode = {
            ("heldOut" if held_out else "draw"): place,
            "index": index,
            "step": step,
            "logprobsOf": self.logprobs_of(),
        }
        metrics = {"tool_calls": 0.0}
        with simple_timer("generate_sequences", metrics):
            for attempt in range(ATTEMPTS):
                rollout = f"{step}-{place}-{index}-{group[:8]}-{uuid4().hex[:8]}"
                done, steps = await self.rollout(environment, {"id": rollout, **episode}, sampling_params)
                if "error" not in done:
                    return self.output(done, steps, metrics)
                print(f"rollout {rollout}, attempt {attempt + 1} of {ATTEMPTS}: {done['error']}", flush=True)
        raise RuntimeError(f"rollout {rollout}: {done['error']}")

    async def rollout(self, environment, episode, sampling_params):
        """From question to result. Several requests at once are probes of one context."""
        # The engine keeps what it read of a context for calls of one session.
        session, steps = uuid4().hex, []
        turn = await call(environment, "POST", "/v1/open", {"rollouts": [episode]})
        done = turn["done"]
        try:
            while turn["requests"]:
                outputs = await asyncio.gather(*(self.sample(r, sampling_params, session) for r in turn["requests"]))
                steps += [output.extra_fields for _, output in outputs]
                turn = await call(environment, "POST", "/v1/step", {"answers": [answer for answer, _ in outputs]})
                done += turn["done"]
        except EnvironmentLost:
            raise
        except BaseException:
            # What nobody goes on with need not wait for its end.
            await call(environment, "POST", "/v1/close", {"rollouts": [episode["id"]]})
            raise
        return done[0], steps

    async def sample(self, request, sampling_params, session):
        """One answer of the engine; the environment cuts what stands behind the first stop."""
        wanted = request["sampling"]
        params = dict(sampling_params)
        params.update(
            temperature=wanted["temperature"],
            top_p=wanted["topP"],
            top_k=wanted["topK"] or -1,
            stop_token_ids=list(request["stopIds"]),
            logprobs=self.rollout_config.calculate_log_probs,
        )
        sglang = self.rollout_config.name == "sglang"
        params["max_new_tokens" if sglang else "max_tokens"] = request["maxTokens"]
        if request["stopTexts"]:
            # The stop belongs to the answer: by default engines cut it off. Tags may be spelt with special tokens.
            params.update(stop=list(request["stopTexts"]), skip_special_tokens=False)
            params["no_stop_trim" if sglang else "include_stop_str_in_output"] = True
        if sglang:
            params.pop("repetition_penalty", None)
        output = await self.server_manager.generate(
            request_id=session, prompt_ids=list(request["context"]), sampling_params=params
        )
        ids = [int(i) for i in output.token_ids]
        if not ids:
            raise RuntimeError(f"the engine answered no token ({output.stop_reason}) to a context of {len(request['context'])}")
        answer = {"id": request["id"], "ids": ids, "finish": "stop" if len(ids) < request["maxTokens"] else "length"}
        if output.log_probs:
            # Rounding may lift a certain token above 0.
            answer["logprobs"] = [min(0.0, float(value)) for value in output.log_probs]
        return answer, output

    def logprobs_of(self):
        """What the engine's log-probabilities are of; a record of others could not be trained on."""
        config = self.rollout_config
        plain = config.temperature == 1 and config.top_p == 1
        return "sampling" if config.logprobs_mode == "processed_logprobs" and (config.name == "vllm" or plain) else "unknown"

    def output(self, done, steps, metrics):
        config = self.rollout_config
        prompt, completion = done["promptIds"], done["completionIds"]
        if len(prompt) > config.prompt_length or len(completion) > config.response_length:
            raise RuntimeError(
                f"rollout {done['rollout']}: {len(prompt)} + {len(completion)} tokens, over data.max_prompt_length"
                f" {config.prompt_length} or data.max_response_length {config.response_length}"
            )
        if config.calculate_log_probs and "logprobs" not in done:
            raise RuntimeError("the engine gives no log-probabilities: set actor_rollout_ref.rollout.calculate_log_probs=False")
        versions = [step[key] for step in steps for key in ("min_global_steps", "max_global_steps") if step.get(key) is not None]
        return AgentLoopOutput(
            prompt_ids=prompt,
            response_ids=completion,
            response_mask=done["mask"],
            response_logprobs=done.get("logprobs"),
            reward_score=done["reward"],
            num_turns=done["turns"],
            metrics=metrics,
            extra_fields={
                # `acc` is what groups are filtered by.
                "reward_extra_info": {name: float(value) for name, value in done["metrics"].items()},
                "rollout": done["rollout"],
                "turn_scores": [],
                "tool_rewards": [],
                "min_global_steps": min(versions, default=None),
                "max_global_steps": max(versions, default=None),
            },
        )

    async def ready(self, environment, sampling_params):
        """Once a process: the server has this experiment, and its questions are scored where the curriculum asks for it."""
        key = (id(asyncio.get_running_loop()), environment.url)
        if key not in _ready:
            _ready[key] = asyncio.ensure_future(self.prepare(environment, sampling_params))
        # One rollout that is given up must not take the others' preparation with it.
        await asyncio.shield(_ready[key])

    async def prepare(self, environment, sampling_params):
        health = await call(environment, "GET", "/v1/health")
        if health.get("schema") != SCHEMA:
            raise EnvironmentRefused(f"{environment.url} speaks {health.get('schema')}, not {SCHEMA}")
        if health["hash"] != self.hash:
            raise EnvironmentRefused(f"{environment.url} serves another experiment; start environment.sh of this folder")
        left = health["scoring"]["left"]
        while left > 0:
            turn = await call(environment, "POST", "/v1/prepare", {"most": 64})
            left = turn["left"]
            if left > 0 and not turn["requests"]:
                # Other processes have them all.
                await asyncio.sleep(1)
            while turn["requests"]:
                answers = await asyncio.gather(*(self.sample(r, sampling_params, uuid4().hex) for r in turn["requests"]))
                turn = await call(environment, "POST", "/v1/step", {"answers": [answer for answer, _ in answers]})
