"""The rollouts of this experiment as an agent loop of verl: verl samples, the environment does everything else.

agent_loops.yaml names the class; columns `extra_info.split` and `extra_info.place` of the parquet files say
which rollout a row stands for. FORAGE_ENVIRONMENT holds the address of the environment's server, or several
with commas between them, one a shard; FORAGE_TOKEN its token, where it needs one.
"""
import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from forage_environment import Environment, EnvironmentGone
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.utils.profiler import simple_timer

# A rollout whose sampling failed is begun again, so that its group stays whole.
ATTEMPTS = 3
# Calls of one process under way at once, and rollouts: eight processes stay below the server's own limit.
CALLS, ROLLOUTS = 64, 512

# Of one process: agent loops are made anew for every rollout.
_threads = ThreadPoolExecutor(max_workers=CALLS, thread_name_prefix="environment")
_clients = threading.local()
_of_loop = {}


def _call(address, place, path, body):
    """One call, in a thread that keeps its connections."""
    if getattr(_clients, "address", None) != address:
        patience = float(os.environ.get("FORAGE_PATIENCE", "120"))
        _clients.environment = Environment(address, os.environ.get("FORAGE_TOKEN"), patience=patience)
        _clients.address = address
    if place is None:
        return [server.call(path, body) for server in _clients.environment.servers]
    return _clients.environment.server_of({"draw": place}).call(path, body)


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
        self.address = os.environ.get("FORAGE_ENVIRONMENT") or environment
        self.hash = hash
        self.first_step = int(first_step)

    async def run(self, sampling_params, **row):
        info = row["extra_info"]
        place, held_out = int(info["place"]), info["split"] != "train"
        slots = await self.ready(sampling_params)
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
        async with slots:
            for attempt in range(ATTEMPTS):
                rollout = f"{step}-{place}-{index}-{group[:8]}-{uuid4().hex[:8]}"
                with simple_timer("generate_sequences", metrics):
                    done, steps = await self.rollout(place, {"id": rollout, **episode}, sampling_params)
                if "error" not in done:
                    return self.output(done, steps, metrics)
                print(f"rollout {rollout}, attempt {attempt + 1} of {ATTEMPTS}: {done['error']}", flush=True)
        raise RuntimeError(f"rollout {rollout}: {done['error']}")

    async def call(self, place, path, body=None):
        """place: of the group, which one shard runs; None: all shards, a list of answers."""
        return await asyncio.get_running_loop().run_in_executor(_threads, _call, self.address, place, path, body)

    async def rollout(self, place, episode, sampling_params):
        """From question to result. Several requests at once are probes of one context."""
        # The engine keeps what it read of a context for calls of one session.
        session, steps = uuid4().hex, []
        turn = await self.call(place, "/v1/open", {"rollouts": [episode]})
        done = turn["done"]
        try:
            while turn["requests"]:
                outputs = await asyncio.gather(*(self.sample(r, sampling_params, session) for r in turn["requests"]))
                steps += [output.extra_fields for _, output in outputs]
                turn = await self.call(place, "/v1/step", {"answers": [answer for answer, _ in outputs]})
                done += turn["done"]
        except EnvironmentGone:
            raise
        except BaseException:
            # What nobody goes on with need not wait for its end.
            await self.call(place, "/v1/close", {"rollouts": [episode["id"]]})
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
        # Probes may ask for the model's own softmax, which a tempered or truncated engine cannot tell.
        own = wanted["temperature"] in (0, 1) and wanted["topP"] == 1 and not wanted["topK"]
        if output.log_probs and (own or request["scores"] == "sampling"):
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

    async def ready(self, sampling_params):
        """Once a process: the servers have this experiment, with its questions scored. Gives the slots of rollouts."""
        key = (id(asyncio.get_running_loop()), self.address)
        if key not in _of_loop:
            _of_loop[key] = asyncio.ensure_future(self.prepare(sampling_params)), asyncio.Semaphore(ROLLOUTS)
        prepared, slots = _of_loop[key]
        # One rollout that is given up must not take the others' preparation with it.
        await asyncio.shield(prepared)
        return slots

    async def prepare(self, sampling_params):
        for health in await self.call(None, "/v1/health"):
            shard = health["shard"]["index"]
            if health["hash"] != self.hash:
                raise RuntimeError(f"{self.address} serves another experiment; start environment.sh of this folder")
            # A curriculum may draw from questions that the policy was tried on.
            left = health["scoring"]["left"]
            while left > 0:
                turn = await self.call(shard, "/v1/prepare", {"most": 64})
                left = turn["left"]
                if left > 0 and not turn["requests"]:
                    # Other processes have them all.
                    await asyncio.sleep(1)
                while turn["requests"]:
                    outputs = await asyncio.gather(*(self.sample(r, sampling_params, uuid4().hex) for r in turn["requests"]))
                    turn = await self.call(shard, "/v1/step", {"answers": [answer for answer, _ in outputs]})
