#!/usr/bin/env python3
"""Draws docs/demo.svg, a terminal in which tools/demo.sh has run, from what it printed: docs/demo/screen.txt.

    picture.py write COMMAND...   runs the command, records what it prints and the machine, and draws it
    picture.py draw               draws the record that is there
    picture.py check              fails if the committed picture is not that of the record"""

import datetime
import os
import re
import shutil
import subprocess
import sys
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
SCREEN = os.path.join(HERE, 'screen.txt')  # the machine, an empty line, and what was printed
PICTURE = os.path.join(HERE, '..', 'demo.svg')

GROUND, BAR, EDGE, INK, FAINT, DOT = '#fcfbf8', '#efeee9', '#d8d4ca', '#22303c', '#6b7680', '#c9c5ba'
WRONG, RIGHT = '#c02640', '#0f7a45'
DARK = {GROUND: '#161b21', BAR: '#20272f', EDGE: '#39424c', INK: '#e2e7ec', FAINT: '#98a4af', DOT: '#4a545f',
        WRONG: '#ff7a8c', RIGHT: '#4fca8b'}
FONT = "font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace\""
WIDTH, LEFT, SIZE, ADVANCE, LINE = 850, 30, 16, 9.63, 21.5
BAR_HEIGHT, FOOT = 38, 44


def machine():
    """The processors and the compiler, as they call themselves, and the date."""
    def printed(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    processor = re.search(r'^Model name: *(.*)$', printed('lscpu'), re.M)[1].strip()
    graphics = 'no GPU'
    if shutil.which('nvidia-smi'):
        names = subprocess.run(['nvidia-smi', '--query-gpu=name', '--format=csv,noheader'], capture_output=True, text=True)
        graphics = names.stdout.split('\n')[0] if names.returncode == 0 else graphics
    count = len(os.sched_getaffinity(0))
    return f"{processor}, {count} core{'s' * (count != 1)}, {graphics}; g++ {printed('g++', '-dumpfullversion').strip()}; " \
           f"{datetime.date.today()}"


def text(x, y, words, colour=INK, size=SIZE, weight='normal', anchor='start'):
    """Every character is as wide as in DejaVu Sans Mono, in any other font too."""
    length = f"{len(words) * ADVANCE * size / SIZE:.1f}"
    return (f"<text x='{x}' y='{y:.1f}' font-size='{size}' font-weight='{weight}' fill='{colour}' text-anchor='{anchor}' "
            f"textLength='{length}' xml:space='preserve'>{escape(words)}</text>")


def row(y, words):
    """A line of the screen, with what is bold or coloured on a terminal."""
    if words == 'The same bits.':
        return text(LEFT, y, words, RIGHT, weight='bold')
    if not words.startswith(' '):
        return text(LEFT, y, words, weight='bold')
    return text(LEFT, y, words, WRONG if '^' in words else INK)


def draw(screen):
    place, _, *lines = screen.rstrip('\n').split('\n')
    top = BAR_HEIGHT + 14
    height = round(top + len(lines) * LINE + FOOT)
    rules = ''.join(f"[fill='{light}']{{fill:{dark}}}[stroke='{light}']{{stroke:{dark}}}" for light, dark in DARK.items())
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' width='{WIDTH}' height='{height}' "
           f"{FONT} role='img'>", '<title>What tools/demo.sh prints</title>',
           f'<style>@media (prefers-color-scheme:dark){{{rules}}}</style>',
           f"<rect x='0.5' y='0.5' width='{WIDTH - 1}' height='{height - 1}' rx='10' fill='{GROUND}' stroke='{EDGE}'/>",
           f"<path d='M1 {BAR_HEIGHT}V10.5a9.5 9.5 0 0 1 9.5-9.5h{WIDTH - 21}a9.5 9.5 0 0 1 9.5 9.5V{BAR_HEIGHT}z' fill='{BAR}'/>"]
    out += [f"<circle cx='{24 + 20 * k}' cy='{BAR_HEIGHT / 2}' r='5.5' fill='{DOT}'/>" for k in range(3)]
    out.append(text(WIDTH / 2, BAR_HEIGHT / 2 + 5, 'tools/demo.sh', FAINT, 14, anchor='middle'))
    out += [row(top + (k + .75) * LINE, words) for k, words in enumerate(lines) if words]
    out.append(text(LEFT, height - 16, place, FAINT, 13))
    return '\n'.join(out + ['</svg>', ''])


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def write(path, words):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(words)


def main():
    what, *command = sys.argv[1:]
    if what == 'write':
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        write(SCREEN, f'{machine()}\n\n{printed.strip()}\n')
    if what in ('write', 'draw'):
        write(PICTURE, draw(read(SCREEN)))
    elif read(PICTURE) != draw(read(SCREEN)):
        sys.exit('docs/demo.svg is not the picture of docs/demo/screen.txt: docs/demo/picture.py draw')


if __name__ == '__main__':
    main()
