"""Answers the environment's requests with the policy as it is: transformers on any device, or TRL's vLLM."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import torch

# Characters behind which a stop text is looked for again when a token is added.
TAIL = 256


def sampler_of(trainer, tokenizer):
    """The sampler that the arguments choose: vLLM's where `use_vllm`, else transformers'."""
    if not trainer.args.use_vllm:
        if trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled and _shards(trainer):
            raise SystemExit("sampling with a sharded policy needs use_vllm: processes take different numbers of steps")
        return None
    if trainer.args.vllm_mode == "server":
        return VllmServer(trainer.args)
    if trainer.args.vllm_tensor_parallel_size != 1:
        raise SystemExit("vllm_tensor_parallel_size: 1 in colocate mode, or use vllm_mode=server: processes take different numbers of steps")
    return VllmColocated(trainer.vllm_generation.llm)


def _shards(trainer):
    return trainer.accelerator.state.deepspeed_plugin.zero_stage == 3


class Transformers:
    """Samples token by token from a model of transformers; every request has its own stops, limit and seed.

    Not `model.generate`: that fills in what a checkpoint's generation_config.json says of sampling.
    """

    def __init__(self, model, tokenizer, batch=64):
        self.model, self.tokenizer, self.batch = model, tokenizer, batch
        self.device = next(model.parameters()).device

    def __call__(self, requests):
        # Contexts of like lengths together, so that little is padded.
        order = sorted(requests, key=lambda request: len(request["context"]))
        answers = []
        for start in range(0, len(order), self.batch):
            answers += self._sample(order[start : start + self.batch])
        return answers

    @torch.no_grad()
    def _sample(self, requests):
        width = max(len(request["context"]) for request in requests)
        pad = self.tokenizer.pad_token_id if self.tokenizer.pad_token_id is not None else 0
        gaps = [width - len(request["context"]) for request in requests]
        rows = [[pad] * gap + request["context"] for gap, request in zip(gaps, requests)]
        ids = torch.tensor(rows, device=self.device)
        mask = torch.tensor([[0] * gap + [1] * (width - gap) for gap in gaps], device=self.device)
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        draws = [_Row(request, self.tokenizer) for request in requests]
        cache = None
        while True:
            out = self.model(
                input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1
            )
            cache = out.past_key_values
            self._draw(out.logits[:, -1].float(), draws)
            if all(row.finish for row in draws):
                return [row.answer() for row in draws]
            ids = torch.tensor([[row.ids[-1]] for row in draws], device=self.device)
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=-1)
            positions = positions[:, -1:] + 1

    def _draw(self, logits, rows):
        temperature = torch.tensor([[row.sampling["temperature"] or 1.0] for row in rows], device=logits.device)
        logprobs = torch.log_softmax(logits / temperature, -1)
        scored = torch.log_softmax(logits, -1)
        for i, row in enumerate(rows):
            if row.finish is None:
                allowed = _truncated(logprobs[i], row.sampling)
                token = row.choose(allowed)
                of = scored[i] if row.scores == "model" or row.sampling["temperature"] == 0 else allowed
                row.add(token, of[token].item())


def _truncated(logprobs, sampling):
    """Log-probabilities after top-k, then top-p."""
    if sampling["topK"] > 0:
        least = logprobs.topk(min(sampling["topK"], logprobs.numel())).values[-1]
        logprobs = torch.log_softmax(logprobs.masked_fill(logprobs < least, -torch.inf), -1)
    if sampling["topP"] < 1:
        ordered, places = logprobs.sort(descending=True)
        before = ordered.exp().cumsum(-1) - ordered.exp()
        cut = places[before >= sampling["topP"]]
        logprobs = torch.log_softmax(logprobs.index_fill(-1, cut, -torch.inf), -1)
    return logprobs


class _Row:
    """What was sampled for one request so far."""

    def __init__(self, request, tokenizer):
        self.id, self.sampling, self.scores = request["id"], request["sampling"], request["scores"]
        self.most, self.stop_ids = request["maxTokens"], set(request["stopIds"])
        self.stop_texts, self.prefix = request["stopTexts"], request["stopPrefix"]
        self.tokenizer = tokenizer
        self.random = torch.Generator().manual_seed(request["seed"])
        self.ids, self.logprobs, self.finish = [], [], None

    def choose(self, logprobs):
        if self.sampling["temperature"] == 0:
            return int(logprobs.argmax())
        whole = logprobs.double().exp().cumsum(-1)
        share = torch.rand((), generator=self.random, dtype=torch.float64).item()
        # `right`: behind every token of probability 0.
        return min(int(torch.searchsorted(whole, share * whole[-1], right=True)), whole.numel() - 1)

    def add(self, token, logprob):
        self.ids.append(token)
        self.logprobs.append(min(logprob, 0.0))
        if token in self.stop_ids or self._ends():
            self.finish = "stop"
        elif len(self.ids) == self.most:
            self.finish = "length"

    def _ends(self):
        if not self.stop_texts:
            return False
        # The environment cuts exactly; here it is enough not to end too early, and soon enough.
        text = self.tokenizer.decode(self.ids[-64:], skip_special_tokens=False, clean_up_tokenization_spaces=False)
        if len(self.ids) <= 64:
            text = self.prefix + text
        return any(stop in text[-TAIL:] for stop in self.stop_texts)

    def answer(self):
        return {"id": self.id, "ids": self.ids, "logprobs": self.logprobs, "finish": self.finish}


def _vllm_parameters(request):
    """What vLLM is told for one request, the same for its library and its server."""
    sampling = request["sampling"]
    return {
        "n": 1,
        "max_tokens": request["maxTokens"],
        "temperature": sampling["temperature"],
        "top_p": sampling["topP"],
        "top_k": sampling["topK"],
        "min_p": 0.0,
        "repetition_penalty": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "seed": request["seed"],
        "stop_token_ids": request["stopIds"],
        "stop": request["stopTexts"] or None,
        # The stop is part of the answer; nothing but the request's own stops ends it.
        "include_stop_str_in_output": True,
        "ignore_eos": True,
        "skip_special_tokens": False,
        "spaces_between_special_tokens": False,
        "logprobs": 0,
    }


def _scored(request):
    """Whether vLLM's log-probabilities, which are of what it draws from, are the ones that are asked for."""
    sampling = request["sampling"]
    plain = sampling["temperature"] in (0, 1) and sampling["topP"] == 1 and sampling["topK"] == 0
    return request["scores"] == "sampling" or plain


def _answer(request, ids, logprobs, finish):
    answer = {"id": request["id"], "ids": list(ids), "finish": "length" if finish == "length" else "stop"}
    if _scored(request) and logprobs is not None:
        answer["logprobs"] = [min(value, 0.0) for value in logprobs]
    return answer


class VllmColocated:
    """The vLLM that TRL holds in each process, whose weights TRL has brought up to date."""

    def __init__(self, llm):
        self.llm = llm

    def __call__(self, requests):
        from vllm import SamplingParams

        outputs = self.llm.generate(
            [{"prompt_token_ids": request["context"]} for request in requests],
            sampling_params=[SamplingParams(**_vllm_parameters(request)) for request in requests],
            use_tqdm=False,
        )
        answers = []
        for request, output in zip(requests, outputs, strict=True):
            [one] = output.outputs
            logprobs = [held[token].logprob for token, held in zip(one.token_ids, one.logprobs, strict=True)]
            answers.append(_answer(request, one.token_ids, logprobs, one.finish_reason))
        return answers


class VllmServer:
    """A `vllm serve` that TRL keeps up to date; every process asks it by itself, a call a request."""

    def __init__(self, args, at_once=128):
        self.url = args.vllm_server_base_url or f"http://{args.vllm_server_host}:{args.vllm_server_port}"
        self.timeout = args.vllm_server_timeout
        with urllib.request.urlopen(f"{self.url}/v1/models", timeout=self.timeout) as reply:
            self.model = json.load(reply)["data"][0]["id"]
        self.at_once = at_once

    def __call__(self, requests):
        with ThreadPoolExecutor(min(self.at_once, len(requests))) as pool:
            return list(pool.map(self._one, requests))

    def _one(self, request):
        body = {
            "model": self.model,
            "prompt": request["context"],
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
            **_vllm_parameters(request),
        }
        call = urllib.request.Request(
            f"{self.url}/v1/completions", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(call, timeout=self.timeout) as reply:
            [choice] = json.load(reply)["choices"]
        logprobs = (choice["logprobs"] or {}).get("token_logprobs")
        return _answer(request, choice["token_ids"], logprobs, choice["finish_reason"])
