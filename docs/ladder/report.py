#!/usr/bin/env python3
"""Writes docs/ladder.md and docs/ladder/*.svg, from ladder.md.in and from what the simulator records.

    report.py write RECORD SIMT++ FOLDER    all of it; RECORD is record.cu, built by simt++ --record; programs
                                            go into FOLDER
    report.py check RECORD                  whether pictures and counts are as they would be written now
    report.py quoted FOLDER                 whether the page quotes what tests/mistakes/run FOLDER has seen

In the template {{WORD ...}} stands for what is generated: see page()."""

import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import namedtuple

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, 'tests', 'simt'))

import picture
import warps

PAGE = os.path.join(ROOT, 'docs', 'ladder.md')
MISTAKES = os.path.join(ROOT, 'tests', 'mistakes')

Shape = namedtuple('Shape', 'blocks threads numbers')
DRAWN = {'W': Shape(1, 32, 32), 'B': Shape(1, 64, 64), 'G': Shape(2, 64, 128)}
COUNTED = {'W': Shape(1, 32, 32), 'B': Shape(1, 512, 512), 'G': Shape(4, 128, 4096)}

ABOUT = 'Threads across, time down. An arrow leads from the thread whose value is taken to the one that takes it.'

# A count of warps.py, and the head of its column.
COLUMNS = [('lanes', 'threads at work'), ('warps', 'warps at work'), ('instructions', 'instructions'),
           ('slowest', 'of the slowest warp'), ('divergent', 'divergent branches'),
           ('shared', 'passes over shared memory'), ('conflicts', 'of which conflicts'),
           ('ways', 'worst conflict'), ('sectors', 'sectors'), ('shuffles', 'shuffles'),
           ('syncwarps', '`__syncwarp`'), ('barriers', '`__syncthreads`'), ('atomics', 'atomics'),
           ('fences', 'fences')]


SKIPPED = 77  # an exit status
REMEDY = 'out of date, to be written again by `meson compile -C build ladder-report`'


def fail(words):
    sys.exit('report.py: ' + words)


def output_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiler():
    command = os.environ.get('SIMT_CXX') or 'g++'
    version = output_of(command.split() + ['-dumpversion'])
    return f'{os.path.basename(command)} {version.split(".")[0]}'


def skip_unless_written_with_this_compiler():
    if f"they are of {compiler()}'s code" not in contents(PAGE):
        print(f'docs/ladder.md was not written with {compiler()}, and its counts may differ')
        sys.exit(SKIPPED)


def contents(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


# ---- runs ----

class Runs:
    """The rungs, and the records of their runs."""

    def __init__(self, program, folder):
        self.program, self.folder, self.kept = program, folder, {}
        self.titles = dict(line.split(' ', 1) for line in output_of([program]).splitlines())

    def launches(self, rung, shape):
        if (rung, shape) not in self.kept:
            record = os.path.join(self.folder, rung)
            subprocess.run([self.program, rung] + [str(x) for x in shape], check=True,
                           env=dict(os.environ, SIMT_RECORD=record, SIMT_SEED='0', SIMT_BLOCKS='4'))
            self.kept[rung, shape] = [x for x in warps.read(record) if x.blocks * x.threads > 1]
            os.remove(record)
        return self.kept[rung, shape]

    def counts(self, rung, shape):
        """Of each step with work."""
        return [of for launch in self.launches(rung, shape) for of in warps.count(launch)]

    def heading(self, rung):
        return f'{rung} · {self.titles[rung]}'


def spelt(shape):
    """A shape in words."""
    blocks = f'{shape.blocks} blocks' if shape.blocks > 1 else 'One block'
    return f'{blocks} of {shape.threads} threads over {shape.numbers} numbers.'


def svg(runs, rung):
    shape = DRAWN[rung[0]]
    rows = picture.rows_of(runs.launches(rung, shape))
    return picture.draw(runs.heading(rung), f'{spelt(shape)} {ABOUT}', rows, shape.blocks, shape.threads)


# ---- tables ----

def table(heads, rows):
    lines = ['| ' + ' | '.join(heads) + ' |', '|---' + '|--:' * (len(heads) - 1) + '|']
    return '\n'.join(lines + ['| ' + ' | '.join(row) + ' |' for row in rows])


def counted(names, rows):
    """A table of the counts that are not zero in all rows, which are (name, counts)."""
    columns = [(key, head) for key, head in COLUMNS if any(of[key] > (key == 'ways') for _, of in rows)]
    cells = [[name] + [cell(key, of[key]) for key, _ in columns] for name, of in rows]
    return table([names] + [head for _, head in columns], cells)


def cell(key, value):
    if key == 'ways':
        return f'{value}-way' if value > 1 else '·'
    return str(value) if value else '·'


def steps_table(runs, rung):
    rows = picture.rows_of(runs.launches(rung, DRAWN[rung[0]]))
    named = [(f'{number}. {picture.name_of(row)}', row.counts) for number, row in enumerate(rows, 1)]
    return counted('step', named + [('**together**', together([of for _, of in named]))])


def together(steps):
    """Of all steps. Threads and warps at work are not to be added up."""
    return dict(warps.total(steps), lanes=0, warps=0)


def rung_section(runs, rung):
    """The picture of a rung and its counts."""
    shape = DRAWN[rung[0]]
    return (f'![{runs.heading(rung)}](ladder/{rung.lower()}.svg)\n\n'
            f'<details><summary>Step by step: {spelt(shape)[0].lower() + spelt(shape)[1:-1]}</summary>\n\n'
            f'{steps_table(runs, rung)}\n\n</details>')


def side_by_side(runs, scale):
    shape = COUNTED[scale]
    rows = [(f'{rung} {title}', together(runs.counts(rung, shape))) for rung, title in runs.titles.items()
            if rung[0] == scale]
    return f'{spelt(shape)}\n\n{counted("rung", rows)}'


def measured(runs):
    """What bench/ladder.cu has measured, from the files in bench/results."""
    results = [json.loads(contents(path))
               for path in sorted(glob.glob(os.path.join(ROOT, 'bench', 'results', 'ladder*.json')))]
    texts = [f'### On {result["device"]}\n\nMeasured on {result["date"]} by `{result["command"]}`; medians.'
             f'\n\n{kernels_table(runs, result["rows"])}\n\n{trips_table(result["rows"])}' for result in results]
    return '\n\n'.join(texts) or 'No results of `bench/ladder.cu` have been committed yet.'


def figure(value, digits=4):
    return f'{value:.{digits}g}' if value else '·'


def kernels_table(runs, rows):
    """Microseconds of each rung in each set-up, with the texts' own figure for one of them."""
    rows = [row for row in rows if 'total_us' not in row]
    setups = {row['setup']: f'`{row["setup"]}`: {row["n"]} {row["type"]}s, {row["blocks"]} blocks of '
                            f'{row["threads"]}' for row in rows if row['rung'] == 'B1'}
    lines = []
    for rung in dict.fromkeys(row['rung'] for row in rows):
        of = {row['setup']: row for row in rows if row['rung'] == rung}
        first = next(iter(of.values()))
        published = figure(first['published_ms'], 5) + ', void' * ('void' in first['note'])
        times = [figure(of.get(setup, {}).get('us')) for setup in setups]
        name = f'{rung} {first["title"]}' if rung in runs.titles else first['title']
        lines.append([name] + times + [published])
    return (f'Microseconds of {"; ".join(setups.values())}.\n\n'
            + table(['rung'] + list(setups) + ["published, in ms, another's machine"], lines))


def trips_table(rows):
    """Whole trips: milliseconds in all, and of the kernels alone."""
    lines = [[f'{row["title"]}, {row["type"]}', f'{row["total_us"] / 1000:.4g}',
              figure((row['us'] or 0) / 1000), figure(row['published_total_ms']),
              figure(row['published_ms'])] for row in rows if 'total_us' in row]
    return table(['whole trip, in milliseconds', 'total', 'execution', "published total, another's machine",
                  'published execution'], lines)


# ---- mistakes ----

def without(text, macro, keep):
    """The text with each MACRO(...) replaced by what is inside, or by nothing."""
    while macro + '(' in text:
        start = text.index(macro + '(')
        end = start + len(macro)
        depth = 0
        while depth or end == start + len(macro):
            depth += (text[end] == '(') - (text[end] == ')')
            end += 1
        text = text[:start] + (text[start + len(macro) + 1:end - 1] if keep else '') + text[end:]
    return text


def tidy(line):
    indent = len(line) - len(line.lstrip())
    return line[:indent] + re.sub(' ([;,])', r'\1', re.sub(' +', ' ', line[indent:])).rstrip()


def in_both_forms(mistake):
    """The lines of a program, each as (wrong, repaired)."""
    text = contents(os.path.join(MISTAKES, mistake + '.cu'))
    if '#include "last_block.h"' in text:
        return in_both_forms_of_last_block(text)
    return [(tidy(without(without(line, 'IF_WRONG', True), 'IF_REPAIRED', False)),
             tidy(without(without(line, 'IF_WRONG', False), 'IF_REPAIRED', True)))
            for line in text.splitlines()]


def in_both_forms_of_last_block(text):
    """Those of last_block.h, whose macros the program redefines."""
    defines = re.compile(r'^#define (\w+(?:\(\w+\))?)(.*)$', re.M)
    wrong = dict(defines.findall(text.split('#ifndef REPAIRED')[1].split('#endif')[0]))
    shared = contents(os.path.join(MISTAKES, 'last_block.h')).split('/* Thread 0', 1)
    right = {name: body for name, body in defines.findall(shared[0]) if body}

    def expanded(line, bodies):
        for name, body in bodies.items():
            line = re.sub(rf'\b{re.escape(name)}(?!\w)', body.strip(), line)
        return tidy(line)
    return [(expanded(line, {**right, **wrong}), expanded(line, right)) for line in shared[1].splitlines()]


def repair(mistake):
    """What differs between the wrong program and the repaired one, with a line before and after."""
    lines = in_both_forms(mistake)
    changed = [k for k, (wrong, right) in enumerate(lines) if wrong != right]
    shown = sorted({near for k in changed for near in (k - 1, k, k + 1) if 0 <= near < len(lines)})
    hunk, last = [], None
    for k in shown:
        if last is not None and k > last + 1:
            hunk.append((' ', '…'))
        wrong, right = lines[k]
        hunk += [(' ', wrong)] if wrong == right else [('-', wrong), ('+', right)]
        last = k
    hunk = [(mark, line) for mark, line in hunk if line.strip()]
    indent = min(len(line) - len(line.lstrip()) for _, line in hunk if line != '…')
    return '\n'.join(mark + (line if line == '…' else line[indent:]) for mark, line in hunk)


# What a failing program says is quoted: of a sanitizer's report, what was accessed and at which of the mistake's
# own lines.
ACCESS = re.compile(r'\s*(?:Previous )?(?:atomic )?(?:read|write) of size \d+', re.I)
FRAME = re.compile(r'\s+#\d+ .*?(\w+) /?(?:\S*/)?tests/mistakes/([\w.]+:\d+)')
ALONE = re.compile(r'simt: .*|.*wrong result: .*|\(seed .*')
REPORT = re.compile(r'(?:=+\d+=+)?(WARNING: ThreadSanitizer: data race|ERROR: AddressSanitizer: [\w-]+)')


def said(path):
    kept, reports, is_placed = [], 0, True
    for line in contents(path).splitlines():
        report, access, frame = REPORT.match(line), ACCESS.match(line), FRAME.match(line)
        reports += bool(report)
        if ALONE.match(line):
            kept.append(re.sub(r'/\S*/(?=[\w.]+:\d)', '', line))
        elif reports != 1:
            continue
        elif report:
            kept.append(report.group(1))
        elif access:
            kept.append('  ' + access.group().strip())
            is_placed = False
        elif frame and not is_placed:
            kept.append(f'    in {frame.group(1)}, {frame.group(2)}')
            is_placed = True
        elif re.match(r'\s+(Location|Thread|.* is located)', line):
            is_placed = True
    return '\n'.join(dict.fromkeys(kept))


def kinds_of(mistake):
    return re.findall(r'^// caught: ([a-z-]+),', contents(os.path.join(MISTAKES, mistake + '.cu')), re.M)


def quote(mistake, folder):
    runs = '\n\n'.join(said(os.path.join(folder, f'{mistake}-{kind}.said')) for kind in kinds_of(mistake))
    return f'```\n{runs}\n```'


def mistake_section(mistake, folder):
    return (f'<!-- run {mistake} -->\n[`tests/mistakes/{mistake}.cu`](../tests/mistakes/{mistake}.cu):\n\n'
            f'{quote(mistake, folder)}\n\n```diff\n{repair(mistake)}\n```\n<!-- end -->')


RUN = re.compile(r'(<!-- run (\w+) -->\n).*?(<!-- end -->)', re.S)


# ---- the page ----

def page(runs, folder):
    """The template, filled in. Without a folder, the runs of mistakes are left out."""
    writers = {'rung': lambda rung: f'### {runs.heading(rung)}\n\n{rung_section(runs, rung)}',
               'counts': lambda scale: side_by_side(runs, scale),
               'measured': lambda: measured(runs),
               'compiler': compiler,
               'mistake': lambda mistake: mistake_section(mistake, folder) if folder
               else f'<!-- run {mistake} -->\n<!-- end -->'}
    template = contents(os.path.join(HERE, 'ladder.md.in'))
    used = re.findall(r'\{\{(?:rung|mistake) (\w+)\}\}', template)
    missing = set(runs.titles).union(every_mistake()).difference(used)
    if missing:
        fail('not in ladder.md.in: ' + ' '.join(sorted(missing)))
    text = re.sub(r'\{\{(\w+) ?(.*?)\}\}', lambda m: writers[m.group(1)](*m.group(2).split()), template)
    headings = {anchor(title) for title in re.findall(r'^#+ (.*)', text, re.M)}
    dead = set(re.findall(r'\(#([^)]*)\)', text)) - headings
    if dead:
        fail('links to no heading: ' + ' '.join(sorted(dead)))
    return text


def anchor(title):
    return re.sub(r'[^\w -]', '', title.lower()).replace(' ', '-')


def every_mistake():
    return [os.path.basename(path)[:-3] for path in glob.glob(os.path.join(MISTAKES, '*.cu'))]


def pictures(runs):
    return {os.path.join(HERE, rung.lower() + '.svg'): svg(runs, rung) for rung in runs.titles}


def write(program, simt, folder):
    os.makedirs(folder, exist_ok=True)
    for path in glob.glob(os.path.join(folder, '*.said')):
        os.remove(path)
    # It may find that the page is old.
    subprocess.run([os.path.join(MISTAKES, 'run'), folder], env=dict(os.environ, SIMT=simt), check=False, stdout=sys.stderr)
    with tempfile.TemporaryDirectory() as records:
        runs = Runs(program, records)
        for path, text in list(pictures(runs).items()) + [(PAGE, page(runs, folder))]:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            print(os.path.relpath(path, ROOT))


def made_of(program):
    """A hash of all that the page and its pictures are made of, and of themselves."""
    files = [program, warps.__file__, PAGE] + glob.glob(os.path.join(HERE, '*')) + glob.glob(os.path.join(MISTAKES, '*.cu'))
    files += glob.glob(os.path.join(ROOT, 'bench', '*.cuh')) + glob.glob(os.path.join(ROOT, 'bench', 'results', 'ladder*'))
    digest = hashlib.sha256()
    for path in sorted(files):
        if os.path.isfile(path):
            with open(path, 'rb') as file:
                digest.update(path.encode() + b'\0' + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def check(program):
    """What was right stays so while it is made of the same: beside the program stands what that was."""
    skip_unless_written_with_this_compiler()
    known, now = program + '.checked', made_of(program)
    if os.path.exists(known) and contents(known) == now:
        return
    with tempfile.TemporaryDirectory() as records:
        runs = Runs(program, records)
        stale = [path for path, text in pictures(runs).items()
                 if not os.path.exists(path) or contents(path) != text]
        if RUN.sub(r'\1\3', contents(PAGE)) != page(runs, None):
            stale.append(PAGE)
    if stale:
        fail(f'{REMEDY}: ' + ' '.join(os.path.relpath(path, ROOT) for path in stale))
    with open(known, 'w', encoding='utf-8') as file:
        file.write(now)


def quoted(folder):
    skip_unless_written_with_this_compiler()
    page_now = contents(PAGE)
    stale = [mistake for mistake in every_mistake() if mistake_section(mistake, folder) not in page_now]
    if stale:
        fail(f'{REMEDY}: docs/ladder.md quotes other runs of ' + ' '.join(stale))


COMMANDS = {'write': write, 'check': check, 'quoted': quoted}

if __name__ == '__main__':
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        fail(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
