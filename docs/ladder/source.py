"""Cuts kernels out of the files that define them, as the compiler sees them: without the macros around them.

In a macro's body NAME is written "sum" and T "float"; what is said after a colon stands for its other parameters."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
FILES = [os.path.join(ROOT, path) for path in ('bench/ladder.cuh', 'bench/ladder_why.cuh', 'include/reduce_teaching.cuh',
                                                'include/reduce.cuh')]

USUAL = {'NAME': 'sum', 'T': 'float', 'GATHER': 'sum_ladder_gather_', 'ATOMIC': 'atomicAdd'}
WORDS = {'LADDER_DEVICE_': '__device__', 'REDUCE_DEVICE_': '__device__', 'REDUCE_OUT_OF_LINE_': '__device__',
         'LADDER_GLOBAL_': '__global__ void', 'WHY_KERNEL_': '__global__ void', 'sum_result': 'float',
         'LADDER_WARP': '32', 'REDUCE_WARP': '32', 'LADDER_LOADS': '4'}
# The kernel around a function is shown once.
LEFT_OUT = re.compile(r'\s*(LADDER_NEEDS_\w+\(.*|REDUCE_UNROLL_|LADDER_FOLD_KERNEL_\(.*|LADDER_G2_\(.*)$')


def lines_of(name):
    """The lines of a macro's body with its parameters, or those of a function with none."""
    for path in FILES:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        macro = re.search(rf'^#define {name}\((.*?)\) *((?:.*\\\n)*.*)', text, re.M)
        if macro:
            body = [re.sub(r' *\\$', '', line) for line in macro.group(2).split('\n')]
            return [line for line in body if line.strip()], [p.strip() for p in macro.group(1).split(',')]
        function = re.search(rf'^REDUCE_\w+_ [^\n]*\b{name}\((?:.*\n)+?\}}', text, re.M)
        if function:
            return function.group(0).split('\n'), []
    raise SystemExit(f'source.py: no {name} in ' + ' '.join(os.path.basename(path) for path in FILES))


def cut(what):
    """NAME or NAME:parameter=value,parameter=value"""
    name, _, given = what.partition(':')
    values = dict(USUAL, **dict(pair.split('=') for pair in given.split(',') if pair))
    lines, parameters = lines_of(name)
    missing = [p for p in parameters if p not in values and p != '...']
    if missing:
        raise SystemExit(f'source.py: {name} has {missing}, too')
    text = '\n'.join(lines)
    if parameters:
        text = re.sub(r'\b(' + '|'.join(parameters) + r')\b', lambda m: values[m.group()], text)
    text = re.sub(r' *## *', '', text)
    text = re.sub(r'\b(' + '|'.join(WORDS) + r')\b', lambda m: WORDS[m.group()], text)
    text = re.sub(r'(?<=\S) {2,}(?=\S)', ' ', text).replace('( ', '(')
    text = re.sub(r'(?<=[ <>+])\((\d+)\)', r'\1', text)
    text = re.sub(r'\bNAME_', 'sum_', text)
    kept = [line.rstrip() for line in text.split('\n') if not LEFT_OUT.match(line)]
    indent = min(len(line) - len(line.lstrip()) for line in kept if line.strip())
    kept = [line[indent:] for line in kept]
    if parameters and not re.match('__|enum', kept[0]):
        kept.insert(0, f'/* {name}({", ".join(values[p] for p in parameters)}): */')
    text = re.sub(r'\n(?=__device__|__global__|/\*)', '\n\n', '\n'.join(kept))
    return re.sub(r'\*/\n\n', '*/\n', text)


def code(*names):
    """A block of code for the page: these macros and functions, one after the other."""
    return '```cuda\n' + '\n\n'.join(cut(name) for name in names) + '\n```'
