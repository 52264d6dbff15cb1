"""Runs every item of torch's child on the processor with tiny sizes and prints what came of it: the code without the device."""

from __future__ import annotations

import json

from engine.probe.items import ITEMS
from kernels import torch_bench
from kernels.child_torch import MEASURES, _guarded
from kernels.schedule import Schedule


def main() -> None:
    import torch

    torch_bench.SMALL = torch_bench.LARGE = 128
    torch_bench.COPY_BYTES = 1 << 20
    torch_bench.ATTENTION = (1, 2, 128, 32)
    backend = torch_bench.Backend("cpu", "cpu", "processor", free_bytes=8e9)
    items = [ITEMS[name] for name in MEASURES]
    bench = torch_bench.TorchBench(torch, backend, Schedule(items, 20))
    found = {item.id: _guarded(item, lambda i=item: MEASURES[i.id](bench, i))[0] for item in items}
    print(json.dumps({name: [r.status.value, r.value, r.detail] for name, r in found.items()}))


if __name__ == "__main__":
    main()
