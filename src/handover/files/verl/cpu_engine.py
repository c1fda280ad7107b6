"""Stands for verl's engine where there is no GPU: samples with transformers, token by token, many contexts together."""
import asyncio

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from verl.workers.rollout.replica import TokenOutput


class CpuEngine:
    """`generate` of verl's LLMServerClient. Made where it is asked: a worker of Ray gets the folder's path alone."""

    def __init__(self, path, seed=0):
        self.path, self.seed = path, seed
        self.model = self.task = None
        self.queue, self.calls = [], 0

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_):
        if self.model is None:
            self.tokenizer = AutoTokenizer.from_pretrained(self.path)
            self.model = AutoModelForCausalLM.from_pretrained(self.path, dtype=torch.float32).eval()
            self.generator = torch.Generator().manual_seed(self.seed)
        self.calls += 1
        future = asyncio.get_running_loop().create_future()
        self.queue.append((prompt_ids, sampling_params, future))
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self.flush())
        return await future

    async def flush(self):
        while True:
            # What comes within a moment goes through the model together.
            await asyncio.sleep(0.05)
            batch, self.queue = self.queue, []
            if not batch:
                return
            try:
                answers = self.sample([(ids, params) for ids, params, _ in batch])
            except Exception as error:
                for *_, future in batch:
                    future.set_exception(error)
                continue
            for (*_, future), (ids, logprobs) in zip(batch, answers):
                future.set_result(
                    TokenOutput(
                        token_ids=ids,
                        log_probs=logprobs,
                        stop_reason="completed",
                        extra_fields={"global_steps": 1, "min_global_steps": 1, "max_global_steps": 1},
                    )
                )

    @torch.no_grad()
    def sample(self, requests):
        width = max(len(ids) for ids, _ in requests)
        tokens = torch.zeros(len(requests), width, dtype=torch.long)
        mask = torch.zeros_like(tokens)
        for row, (ids, _) in enumerate(requests):
            tokens[row, width - len(ids) :] = torch.tensor(ids)
            mask[row, width - len(ids) :] = 1
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        out = [([], []) for _ in requests]
        ended = [False] * len(requests)
        cache = None
        while not all(ended):
            result = self.model(
                input_ids=tokens, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True
            )
            cache = result.past_key_values
            logits = result.logits[:, -1].double()
            following = []
            for row, (_, params) in enumerate(requests):
                # Greedy tokens have the model's own log-probabilities, as vLLM gives them.
                drawn = (logits[row] / (params["temperature"] or 1)).log_softmax(-1)
                if params["temperature"] == 0:
                    token = int(drawn.argmax())
                else:
                    token = int(torch.multinomial(drawn.exp(), 1, generator=self.generator))
                following.append(token)
                if ended[row]:
                    continue
                ids, logprobs = out[row]
                ids.append(token)
                logprobs.append(float(drawn[token]))
                text = self.tokenizer.decode(ids, skip_special_tokens=False) if params.get("stop") else ""
                ended[row] = (
                    len(ids) >= params["max_tokens"]
                    or token in params["stop_token_ids"]
                    or any(stop in text for stop in params.get("stop") or [])
                )
            tokens = torch.tensor(following).unsqueeze(1)
            positions = positions[:, -1:] + 1
            mask = torch.cat([mask, torch.ones(len(requests), 1, dtype=torch.long)], dim=1)
        return out
