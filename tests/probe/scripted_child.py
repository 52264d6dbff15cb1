"""A child that misbehaves as told: the parent must end with a sentence and keep what it heard."""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def say(event: str, **more: object) -> None:
    sys.stdout.write(json.dumps({"event": event, **more}) + "\n")
    sys.stdout.flush()


def main(kind: str, spoken_items: int = 1) -> int:
    say("hello", child="device", protocol=1, pid=os.getpid())
    say("facts", device={"id": "abc", "name": "Test GPU", "backend": "cuda"}, chosen=True)
    for _ in range(spoken_items):
        say("start", item="read", silence_s=0.4)
        reading = {
            "item": "read",
            "value": 4.0e11,
            "unit": "B/s",
            "low": 3.9e11,
            "high": 4.1e11,
            "n": 7,
            "spread": 0.01,
        }
        say("result", reading=reading)
    say("start", item="copy", silence_s=0.4)
    if kind == "silent":
        time.sleep(60)
    elif kind == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)
    elif kind == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif kind == "exit":
        return 7
    elif kind == "chatter":
        while True:
            say("progress", item="copy", done=0.1)
            time.sleep(0.01)
    elif kind == "garbage":
        sys.stdout.write('not json\n{"event": "from the future"}\n[1, 2]\n' + "x" * 3_000_000 + "\n")
    elif kind == "lost":
        reason = {
            "key": "probe.reason.illegal_address",
            "params": {"code": "700", "name": "CUDA_ERROR_ILLEGAL_ADDRESS"},
        }
        say("failed", reading={"item": "copy", "reason": reason}, fatal=True)
    elif kind == "noisy_errors":
        sys.stderr.write("e" * 300_000)
    say("done", seconds=0.1)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
