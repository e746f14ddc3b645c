#!/usr/bin/env python3
"""Times of the sum of floats over the GPUs of a machine by PyTorch: torch.sum on each GPU, then all_reduce, with a process
for each GPU.

    bench/torch_many.py [--gpus 2] [--log 32]     2^32 bytes on each GPU

Prints the times in a CUDA graph, and the bits of the result: by one GPU that has all elements, and by several GPUs that
share them."""

import argparse
import os
import struct

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def bits(x):
    return '0x%08x' % struct.unpack('I', struct.pack('f', float(x)))[0]


def graph_time(call, calls, rounds=15):
    """Microseconds of a call, the median of rounds."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(calls):
            call()
    times = []
    for _ in range(rounds + 1):
        dist.barrier()
        torch.cuda.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / calls)
    return sorted(times[1:])[rounds // 2]


def numbers(count, first):
    """Elements first and on of one array, whatever the number of processes."""
    i = torch.arange(first, first + count, device='cuda')
    return ((i * 1664525 + i * i % 1000003) % 16777213 - 8388606).float().mul_(1e-3)


def work(rank, gpus, log):
    os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29513')
    torch.cuda.set_device(rank)
    dist.init_process_group('nccl', rank=rank, world_size=gpus, device_id=torch.device('cuda', rank))
    n = 1 << (log - 2)
    step = 1 << 24
    x = torch.empty(n, device='cuda')
    for first in range(0, n, step):
        x[first:first + step] = numbers(min(step, n - first), rank * n + first)
    one, small = torch.zeros(1, device='cuda'), torch.zeros(4096, device='cuda')
    gathered = torch.zeros(4096 * gpus, device='cuda')

    def both():
        total = torch.sum(x).reshape(1)
        dist.all_reduce(total)

    calls = 3 if log > 28 else 16
    rows = {'sum': graph_time(lambda: torch.sum(x), calls), 'sum + all_reduce': graph_time(both, calls),
            'smallest all_reduce': graph_time(lambda: dist.all_reduce(one), 16),
            'all_gather of 16 KiB': graph_time(lambda: dist.all_gather_into_tensor(gathered, small), 16)}
    if rank == 0:
        print(f'PyTorch {torch.__version__}, NCCL {torch.cuda.nccl.version()}, {gpus} GPUs, {1 << log} bytes on each, a graph')
        for name, us in rows.items():
            print(f'{name:24} {us:9.2f} us', flush=True)
    for small in range(20, log + 1, 4):
        m = 1 << (small - 2)
        total = torch.cat([numbers(min(step, m - k), rank * m + k) for k in range(0, m, step)]).sum().reshape(1)
        dist.all_reduce(total)
        if rank == 0:
            whole = torch.cat([numbers(min(step, gpus * m - k), k) for k in range(0, gpus * m, step)]).sum()
            print(f'{1 << small} bytes on each: by one GPU {bits(whole)}, by {gpus} GPUs {bits(total)}', flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpus', type=int, default=torch.cuda.device_count())
    parser.add_argument('--log', type=int, default=32)
    arguments = parser.parse_args()
    mp.spawn(work, args=(arguments.gpus, arguments.log), nprocs=arguments.gpus)
