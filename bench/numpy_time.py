#!/usr/bin/env python3
"""numpy_time.py TYPE OP N CALLS ROUNDS: the median time of NumPy's reduction of N elements, in microseconds; nothing
where there is no NumPy or it has no such reduction. Called by the program cpu."""
import statistics
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit()

TYPES = {'schar': 'int8', 'short': 'int16', 'int': 'int32', 'float': 'float32', 'double': 'float64'}


def main(name, op, n, calls, rounds):
    elements = (numpy.arange(n, dtype=numpy.uint32) % 127).astype(TYPES[name])
    reduce = {'sum': numpy.sum, 'max': numpy.max}[op]
    reduce(elements)
    samples = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            reduce(elements)
        samples.append((time.perf_counter() - begin) / calls * 1e6)
    print(statistics.median(samples))


main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
