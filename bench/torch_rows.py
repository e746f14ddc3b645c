#!/usr/bin/env python3
"""Times of torch.sum over the rows and the columns of a matrix of floats, for each shape that the program rows takes.

    torch_rows.py [--of sum] [--log 26] [--rounds 9] [--json FILE]

With --of max or --of var it times torch.max with indices, or torch.var_mean, for each shape that the program shapes takes.
Each time is the median of the rounds, in microseconds. A round replays a CUDA graph of four calls on different inputs.
Sums and maxima are written into tensors that are allocated already.
"""
import argparse
import json
import statistics

import torch

OTHERS = (3, 5, 7, 17, 33, 100, 129, 320, 515, 768, 1000, 1023, 1280, 5120, 10007, 100003)
SHAPES = (3, 7, 16, 31, 64, 100, 256, 1000, 1001, 4096, 10007, 65536, 100003, 1000000)
CALLS = 4


def call_of(of, count, dim):
    """The call that is timed."""
    out = torch.empty(count, device='cuda')
    indices = torch.empty(count, device='cuda', dtype=torch.int64)
    return {'sum': lambda matrix: torch.sum(matrix, dim=dim, out=out),
            'max': lambda matrix: torch.max(matrix, dim, out=(out, indices)),
            'var': lambda matrix: torch.var_mean(matrix, dim=dim, correction=0)}[of]


def time_of(matrices, dim, of, rounds):
    call = call_of(of, matrices[0].shape[1 - dim], dim)
    graph, begin, end = torch.cuda.CUDAGraph(), torch.cuda.Event(True), torch.cuda.Event(True)
    call(matrices[0])
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for matrix in matrices:
            call(matrix)
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
    parser.add_argument('--of', choices=('sum', 'max', 'var'), default='sum')
    parser.add_argument('--log', type=int, default=26)
    parser.add_argument('--rounds', type=int, default=9)
    parser.add_argument('--json')
    options = parser.parse_args()
    count = 1 << options.log
    inputs = [torch.rand(count, device='cuda') for _ in range(CALLS)]
    rows = []
    powers, others = ([1 << k for k in range(options.log + 1)], OTHERS) if options.of == 'sum' else ([], SHAPES)
    for n in powers + [n for n in others if n < count]:
        matrices = [x[:count // n * n].view(count // n, n) for x in inputs]
        times = {'rows_us': time_of(matrices, 1, options.of, options.rounds),
                 'columns_us': time_of(matrices, 0, options.of, options.rounds)}
        rows.append({'rows': count // n, 'n': n, **times})
        print(f'{count // n:10} x {n:<10} rows {times["rows_us"]:9.2f} us   columns {times["columns_us"]:9.2f} us', flush=True)
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({'program': 'torch_rows', 'of': options.of, 'device': torch.cuda.get_device_name(), 'torch': torch.__version__,
                       'rows': rows}, file, indent=1)


main()
