#!/usr/bin/env python3
"""Draws docs/exact/digits.svg from what digits.c prints of the accumulators.

    picture.py write PROGRAM      draws it anew
    picture.py check PROGRAM      fails if the committed picture is another one"""

import os
import subprocess
import sys
from html import escape

PICTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'digits.svg')
MORE = 4  # words after the digits, of which the first counts what is pending

GROUND, EDGE, INK, FAINT = '#fcfbf8', '#d8d4ca', '#22303c', '#6b7680'
EMPTY, PLUS, MINUS, SUM = '#efeee9', '#d6e4f3', '#f8dfc4', '#d5ebe4'
FONT = "font-family='DejaVu Sans, Verdana, Helvetica, Arial, sans-serif'"
LEFT, CELL, GAP, PENDING, RIGHT = 142, 98, 4, 76, 20
TOP, ROW = 132, 34


def text(x, y, words, size=14, anchor='middle', colour=INK, weight='normal'):
    return (f"<text x='{x}' y='{y}' font-size='{size}' fill='{colour}' text-anchor='{anchor}' "
            f"font-weight='{weight}'>{escape(str(words))}</text>")


def cell(x, y, width, value, colour):
    box = f"<rect x='{x}' y='{y}' width='{width}' height='{ROW - 6}' rx='4' fill='{colour}'/>"
    return box + (text(x + width / 2, y + 19, value, 13) if value != '' else '')


def row(y, name, digits, pending, colour=None):
    """A line of the picture: the highest digit stands left."""
    out = [text(LEFT - 12, y + 19, name, 14, 'end', weight='bold' if colour else 'normal')]
    for place, digit in enumerate(reversed(digits)):
        ground = EMPTY if digit == 0 else colour or (PLUS if digit > 0 else MINUS)
        out.append(cell(LEFT + place * CELL, y, CELL - GAP, digit or '', ground))
    out.append(cell(LEFT + len(digits) * CELL + GAP, y, PENDING, pending, EMPTY))
    return out


def carried(digits):
    """Every digit but the last of 0 to 2^32 - 1, as rounding sees them."""
    digits = list(digits)
    for k in range(len(digits) - 1):
        digits[k + 1] += digits[k] >> 32
        digits[k] &= 0xffffffff
    return digits


def draw(lines):
    *numbers, (total, words) = lines
    count = len(words) - MORE
    width = LEFT + count * CELL + GAP + PENDING + RIGHT
    height = TOP + (len(numbers) + 3) * ROW + 24
    out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' height='{height}' "
           f"{FONT} role='img'>", '<title>A sum of floats as a long integer</title>',
           f"<rect x='0.5' y='0.5' width='{width - 1}' height='{height - 1}' rx='10' fill='{GROUND}' stroke='{EDGE}'/>",
           text(24, 38, 'A sum of floats as a long integer', 22, 'start', weight='bold'),
           text(24, 64, 'In units of 2^-149, the least subnormal float. A digit is a signed 64-bit integer, which holds 32 bits '
                        'of a number, a sign and carries that wait.', 14, 'start', FAINT),
           text(24, 84, 'An empty digit is 0. The power of 2 under its name is what 1 in it stands for.', 14, 'start', FAINT)]
    for place in range(count):
        x, k = LEFT + place * CELL + (CELL - GAP) / 2, count - 1 - place
        out += [text(x, TOP - 24, f'digit {k}', 13), text(x, TOP - 8, f'2^{32 * k - 149}', 12, colour=FAINT)]
    out.append(text(LEFT + count * CELL + GAP + PENDING / 2, TOP - 24, 'pending', 13))
    y = TOP
    for number, own in numbers:
        out += row(y, number, own[:count], own[count])
        y += ROW
    out.append(f"<line x1='24' x2='{width - 20}' y1='{y + 1}' y2='{y + 1}' stroke='{INK}'/>")
    out += row(y + 8, 'sum of digits', words[:count], words[count], SUM)
    out += row(y + 8 + ROW, 'after carries', carried(words[:count]), 1, SUM)
    out.append(text(LEFT - 12, y + 27 + 2 * ROW, 'rounded once', 14, 'end', weight='bold'))
    out.append(text(LEFT, y + 27 + 2 * ROW, f'{total}: the float nearest to the sum of the floats above', 14, 'start'))
    return '\n'.join(out + ['</svg>', ''])


def main():
    what, program = sys.argv[1:]
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    lines = [(line.split()[0], [int(word) for word in line.split()[1:]]) for line in printed.splitlines()]
    picture = draw(lines)
    if what == 'write':
        with open(PICTURE, 'w', encoding='utf-8') as file:
            file.write(picture)
        return
    with open(PICTURE, encoding='utf-8') as file:
        if file.read() != picture:
            sys.exit('docs/exact/digits.svg is out of date: meson compile -C build exact-picture')


if __name__ == '__main__':
    main()
