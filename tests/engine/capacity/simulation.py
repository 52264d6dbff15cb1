"""A discrete-event simulation of replicas behind a balancer, to hold the formulas against.

Each replica serves up to `batch` requests at once; how fast all of them advance depends on how many it holds. A request first
has its prompt read (time to first token, in proportion to its length), then its tokens written. One that finds every place
taken waits in one queue, first come first served.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import simpy
from attrs import define

Speed = Callable[[float], tuple[float, float]]
"""Requests held at once -> (time to first token, time per output token)."""


@define
class Job:
    arrived: float
    prompt: float
    """Length over the mean."""
    tokens: float
    started: float = 0.0
    first_token: float = 0.0
    done: float = 0.0
    prompt_left: float = 0.0
    tokens_left: float = 0.0


class Replica:
    def __init__(self, env: simpy.Environment, speed: Speed, batch: int, freed: Callable[[], None]) -> None:
        self.env, self.speed, self.batch, self.freed = env, speed, batch, freed
        self.jobs: list[Job] = []
        self.finished: list[Job] = []
        self.changed = env.event()
        self.since = 0.0
        env.process(self.run())

    def _advance(self) -> None:
        passed, self.since = self.env.now - self.since, self.env.now
        if not self.jobs:
            return
        first, per_token = self.speed(len(self.jobs))
        for job in self.jobs:
            left = passed
            if job.prompt_left > 0:
                used = min(left, job.prompt_left * first)
                job.prompt_left -= used / first
                left -= used
                if job.prompt_left < 1e-9:
                    job.prompt_left = 0.0
                    job.first_token = self.env.now - left
            if left > 0:
                job.tokens_left -= left / per_token

    def take(self, job: Job) -> None:
        self._advance()
        job.started, job.prompt_left, job.tokens_left = self.env.now, job.prompt, job.tokens - 1
        self.jobs.append(job)
        event, self.changed = self.changed, self.env.event()
        event.succeed()

    def run(self) -> Generator[Any, Any, None]:
        while True:
            changed = self.changed
            if not self.jobs:
                yield changed
                continue
            first, per_token = self.speed(len(self.jobs))
            soonest = min(j.prompt_left * first + j.tokens_left * per_token for j in self.jobs)
            yield self.env.timeout(max(soonest, 0.0)) | changed
            self._advance()
            gone = [j for j in self.jobs if j.prompt_left <= 1e-9 and j.tokens_left <= 1e-6]
            for job in gone:
                job.done = self.env.now
                self.jobs.remove(job)
                self.finished.append(job)
            for _ in gone:
                self.freed()


def simulate(
    rate: float,
    replicas: int,
    batch: int,
    speed: Speed,
    output_tokens: float,
    prompt_sigma: float,
    output_sigma: float,
    requests: int,
    seed: int,
) -> list[Job]:
    """Finished requests after a warm-up of a tenth of them; Poisson arrivals, lognormal lengths."""
    generator = np.random.default_rng(seed)
    gaps = generator.exponential(1 / rate, requests)
    prompts = generator.lognormal(-(prompt_sigma**2) / 2, prompt_sigma, requests)
    answers = generator.lognormal(np.log(output_tokens) - output_sigma**2 / 2, output_sigma, requests)
    env = simpy.Environment()
    waiting: deque[Job] = deque()

    def freed() -> None:
        if waiting:
            free = min(pool, key=lambda r: len(r.jobs))
            free.take(waiting.popleft())

    pool = [Replica(env, speed, batch, freed) for _ in range(replicas)]

    def arrivals() -> Generator[Any, Any, None]:
        for gap, prompt, tokens in zip(gaps, prompts, answers, strict=True):
            yield env.timeout(gap)
            job = Job(env.now, float(prompt), max(float(tokens), 1.0))
            free = min(pool, key=lambda r: len(r.jobs))
            if len(free.jobs) < batch:
                free.take(job)
            else:
                waiting.append(job)

    env.process(arrivals())
    env.run(until=float(gaps.sum()))
    done = sorted((j for r in pool for j in r.finished), key=lambda j: j.arrived)
    return done[len(done) // 10 :]
