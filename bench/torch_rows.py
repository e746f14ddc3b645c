#!/usr/bin/env python3
"""Times of torch.sum over the rows and the columns of a matrix of floats, for each shape that the program rows takes.

    torch_rows.py [--log 26] [--rounds 9] [--json FILE]

Each time is the median of the rounds, in microseconds. A round replays a CUDA graph of four calls on different inputs.
Each call writes its results into a tensor that is allocated already.
"""
import argparse
import json
import statistics

import torch

OTHERS = (3, 5, 7, 17, 33, 100, 129, 320, 515, 768, 1000, 1023, 1280, 5120, 10007, 100003)
CALLS = 4


def time_of(matrices, dim, rounds):
    out = torch.empty(matrices[0].shape[1 - dim], device='cuda')
    graph, begin, end = torch.cuda.CUDAGraph(), torch.cuda.Event(True), torch.cuda.Event(True)
    torch.sum(matrices[0], dim=dim, out=out)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for matrix in matrices:
            torch.sum(matrix, dim=dim, out=out)
    samples = []
    for _ in range(rounds + 1):  # the first is not counted
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1000 / CALLS)
    return statistics.median(samples[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--log', type=int, default=26)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--json')
    options = parser.parse_args()
    count = 1 << options.log
    inputs = [torch.rand(count, device='cuda') for _ in range(CALLS)]
    rows = []
    for n in [1 << k for k in range(options.log + 1)] + [n for n in OTHERS if n < count]:
        matrices = [x[:count // n * n].view(count // n, n) for x in inputs]
        times = {'rows_us': time_of(matrices, 1, options.rounds), 'columns_us': time_of(matrices, 0, options.rounds)}
        rows.append({'rows': count // n, 'n': n, **times})
        print(f'{count // n:10} x {n:<10} rows {times["rows_us"]:9.2f} us   columns {times["columns_us"]:9.2f} us', flush=True)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({'program': 'torch_rows', 'device': torch.cuda.get_device_name(), 'torch': torch.__version__,
                       'rows': rows}, file, indent=1)


main()
