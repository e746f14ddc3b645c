#!/usr/bin/env python3
"""numpy_time.py TYPE OP N CALLS ROUNDS: prints the median time of NumPy's reduction of N elements, in microseconds, or
nothing where NumPy is not installed. The program cpu calls it."""
import statistics
import sys
import time

try:
    import numpy
except ImportError:
    sys.exit()

TYPES = {'schar': 'int8', 'uchar': 'uint8', 'short': 'int16', 'ushort_': 'uint16', 'int': 'int32', 'uint_': 'uint32',
         'llong': 'int64', 'ullong': 'uint64', 'float': 'float32', 'double': 'float64'}
OPERATORS = {'sum': numpy.add, 'prod': numpy.multiply, 'min': numpy.minimum, 'max': numpy.maximum, 'fmin': numpy.fmin,
             'fmax': numpy.fmax, 'band': numpy.bitwise_and, 'bor': numpy.bitwise_or, 'bxor': numpy.bitwise_xor,
             'land': numpy.logical_and, 'lor': numpy.logical_or}


def main(name, op, n, calls, rounds):
    elements = (numpy.arange(n, dtype=numpy.uint32) % 127).astype(TYPES[name])
    reduce = OPERATORS[op].reduce
    reduce(elements)
    samples = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            reduce(elements)
        samples.append((time.perf_counter() - begin) / calls * 1e6)
    print(statistics.median(samples))


main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
