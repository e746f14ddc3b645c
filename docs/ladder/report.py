#!/usr/bin/env python3
"""Writes docs/ladder.md and docs/ladder/*.svg: from ladder.md.in, from what the simulator records, from the kernels'
source, and from the results of the benchmark.

    report.py write RECORD SIMT++ FOLDER    all of it; RECORD is record.cu, built by simt++ --record; programs
                                            go into FOLDER
    report.py check RECORD                  whether pictures and counts are as they would be written now
    report.py quoted FOLDER                 whether the page quotes what tests/mistakes/run FOLDER has seen

In the template {{WORD ...}} stands for what is generated: see page()."""

import glob
import hashlib
import json
import math
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
import source
import warps

PAGE = os.path.join(ROOT, 'docs', 'ladder.md')
MISTAKES = os.path.join(ROOT, 'tests', 'mistakes')

Shape = namedtuple('Shape', 'blocks threads numbers')
DRAWN = {'W': Shape(1, 32, 32), 'B': Shape(1, 64, 64), 'G': Shape(2, 64, 128),
         'G7': Shape(2, 64, 512), 'G8': Shape(2, 64, 2048), 'G9': Shape(2, 64, 2048)}  # whole packs for every thread
COUNTED = {'W': Shape(1, 32, 32), 'B': Shape(1, 512, 512), 'G': Shape(4, 128, 4096)}

ABOUT = 'Threads across, time down.'
# What the atomics of a rung are done on, and the rung that it begins from where that is not the one before it.
PLACES = {'G2': 'the ticket', 'G3': 'the result', 'G4': 'the result', 'G7': 'the ticket', 'G8': 'the ticket', 'G9': picture.SLOT}
BEGINS_FROM = {'G5': 'G1', 'G6': 'G1', 'G7': 'G2'}

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
    return f'{os.path.basename(command)} {version.split(".")[0].strip()}'


def skip_unless_written_with_this_compiler():
    if f"they count the code that {compiler()} makes" not in contents(PAGE):
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


def drawn(rung):
    return DRAWN.get(rung, DRAWN[rung[0]])


def svg(runs, rung):
    shape = drawn(rung)
    rows = picture.rows_of(runs.launches(rung, shape))
    if rows[0].at_work != rows[0].useful:
        raise ValueError(f'{rung}: a number of the array does not reach the sum, says the picture')
    return picture.draw(runs.heading(rung), f'{spelt(shape)} {ABOUT}', rows, shape.blocks, shape.threads,
                        PLACES.get(rung, ''))


# ---- tables ----

def table(heads, rows, names=1):
    """The first columns are names, the others figures."""
    lines = ['| ' + ' | '.join(heads) + ' |', '|---' * names + '|--:' * (len(heads) - names) + '|']
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
    rows = picture.rows_of(runs.launches(rung, drawn(rung)))
    named = [(f'{number}. {picture.name_of(row)}', row.counts) for number, row in enumerate(rows, 1)]
    return counted('step', named + [('**together**', together([of for _, of in named]))])


def together(steps):
    """Of all steps. Threads and warps at work are not to be added up."""
    return dict(warps.total(steps), lanes=0, warps=0)


def rung_section(runs, rung):
    """The picture of a rung and its counts."""
    shape = drawn(rung)
    return (f'![{runs.heading(rung)}](ladder/{rung.lower()}.svg)\n\n'
            f'<details><summary>Step by step: {spelt(shape)[0].lower() + spelt(shape)[1:-1]}</summary>\n\n'
            f'{steps_table(runs, rung)}\n\n</details>')


def side_by_side(runs, scale):
    shape = COUNTED[scale]
    rows = [(f'{rung} {title}', together(runs.counts(rung, shape))) for rung, title in runs.titles.items()
            if rung[0] == scale]
    return f'{spelt(shape)}\n\n{counted("rung", rows)}'


# ---- results ----

def result_of(program):
    """What a program of bench/ has measured, from the first of its files in bench/results."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'bench', 'results', 'ladder*.json'))):
        result = json.loads(contents(path))
        if result['program'] == program:
            return result
    fail(f'no results of {program} in bench/results')


def figure(value, digits=3):
    """So many digits that count, without powers of ten: thousands with a comma."""
    if not value:
        return '·'
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    return f'{round(value, digits - 1 - math.floor(math.log10(abs(value)))):,.{decimals}f}'


def whole(value):
    return f'{value:,.0f}'


class Results:
    """The figures of one run of bench/ladder, and of ladder_counters."""

    def __init__(self, runs):
        self.runs, self.ladder, self.counters = runs, result_of('ladder'), result_of('ladder_counters')
        self.multiprocessors = int(re.search(r'(\d+) SMs', self.ladder['device']).group(1))

    def rows(self, setup):
        found = [row for row in self.ladder['rows'] if row['setup'] == setup]
        return found or fail(f'no set-up {setup} in the results')

    def row(self, setup, rung):
        for row in self.rows(setup):
            if row['rung'] == rung:
                return row
        return fail(f'no {rung} in {setup} in the results')

    def us(self, setup, rung):
        return self.row(setup, rung)['us']

    def per_block(self, rung, what):
        for row in self.counters['rows']:
            if row['rung'] == rung:
                return row[what] / self.counters['blocks']
        return fail(f'no {rung} in the counts')

    def lone(self, rung):
        """Microseconds from the start of a block to that of the next, where one runs at a time."""
        row = self.row('lone', rung)
        return row['us'] * self.multiprocessors / row['blocks']

    def title(self, rung):
        return f'{rung} {self.runs.titles[rung]}' if rung in self.runs.titles else None

    # What the template asks for, by name.

    def text_us(self, setup, *rung):
        return figure(self.us(setup, ' '.join(rung)))

    def text_times(self, setup, *rungs):
        """How many times as long the first takes as the second, with + for a space."""
        slow, fast = (rung.replace('+', ' ') for rung in rungs)
        return f'{self.us(setup, slow) / self.us(setup, fast):.2f}'

    def text_gbs(self, setup, *rung):
        return figure(self.row(setup, ' '.join(rung))['gbs'], 4)

    def text_machine(self):
        return self.ladder['device']

    def text_date(self):
        return self.ladder['date']

    def text_commands(self):
        return f'`{self.ladder["command"]}` and `{self.counters["command"]}`'

    def text_wholes(self):
        """Every rung, from the array to one result."""
        setups = ['512x512', '1024', '1GiB']
        first = {setup: self.row(setup, 'B1') for setup in setups}
        heads = [f'{figure(row["n"], 9)} ints, {row["blocks"]} × {row["threads"]}' for row in first.values()]
        lines = []
        for row in self.rows('1GiB'):
            name = self.title(row['rung']) or row['title']
            times = [figure(self.us(setup, row['rung']), 4) for setup in setups]
            lines.append([name] + times + [figure(row['gbs'], 4), f'{first["1GiB"]["us"] / row["us"]:.2f}×'])
        return table(['µs'] + heads + ['GB/s of the last', 'over B1'], lines)

    def text_folds(self):
        lines = []
        for row in self.rows('folds'):
            rung = row['rung']
            if rung in self.runs.titles:
                lines.append([self.title(rung), figure(row['us']), figure(self.us('floats', rung)), figure(self.lone(rung)),
                              whole(self.per_block(rung, 'instructions')), whole(self.per_block(rung, 'shared_passes'))])
        return table(['rung', 'ints, µs', 'floats, µs', 'a block alone, µs', 'instructions of a block',
                      'passes over shared memory'], lines)

    def text_why(self, *rungs):
        """Folds of ints: of rungs and of kernels changed in one thing, whose names have + for a space."""
        lines = []
        for rung in (rung.replace('+', ' ') for rung in rungs):
            row = self.row('folds', rung)
            of_floats = [other['us'] for other in self.rows('floats') if other['rung'] == rung]
            lines.append([self.title(rung) or row['title'], figure(row['us']), f'{spread(row):.1f} %',
                          figure(of_floats[0] if of_floats else 0), figure(self.lone(rung)),
                          whole(self.per_block(rung, 'instructions')), whole(self.per_block(rung, 'shared_passes'))])
        return table(['kernel', 'ints, µs', 'spread', 'floats, µs', 'a block alone, µs', 'instructions of a block',
                      'passes over shared memory'], lines)

    def text_grids(self):
        by_blocks = {}
        for row in self.rows('grids'):
            by_blocks.setdefault(row['blocks'], {})[row['rung']] = row
        rungs = list(dict.fromkeys(row['rung'] for row in self.rows('grids')))
        lines = [[str(blocks), f'{blocks // self.multiprocessors}'] + [figure(of[rung]['us'], 4) for rung in rungs]
                 for blocks, of in by_blocks.items()]
        return table(['blocks of 512', 'for each multiprocessor'] + [f'{rung}, µs' for rung in rungs], lines)

    def text_meetings(self):
        lines = [[self.title(row['rung']) or row['title'], figure(row['us']), f'{spread(row):.1f} %']
                 for row in self.rows('meetings')]
        return table(['way for the blocks to meet', 'µs', 'spread'], lines)

    def text_latencies(self):
        return table(['from one result to the next that needs it', 'cycles'],
                     [[row['title'], figure(row['cycles'])] for row in self.rows('latencies')])

    def text_managed(self):
        return table(['800 MB of doubles in managed memory, filled by the host', 'ms', 'GB/s'],
                     [[row['title'], figure(row['us'] / 1000), figure(row['gbs'])] for row in self.rows('managed')])

    def text_published(self):
        rows = [row for row in self.rows('512x512') if row['published_as']]
        return table(['in the text', 'taken for', 'the text, ms', 'here, ms'],
                     [[row['published_as'], self.title(row['rung']),
                       f'{row["published_ms"]:.4f}' + ', void' * ('void' in row['note']), figure(row['us'] / 1000)]
                      for row in rows], names=2)

    def text_trips(self):
        lines = [[row['published_as'] or '·', row['title'], row['type'], f'{row["total_us"] / 1000:.4g}',
                  figure((row['us'] or 0) / 1000), figure(row['published_total_ms']), figure(row['published_ms'])]
                 for row in self.rows('trips')]
        return table(['in the text', 'taken for', 'elements', 'in all, ms', 'kernels, ms', 'the text, in all',
                      'the text, execution'], lines, names=3)

    def text_times_of(self, rung):
        """A rung's own times, its bandwidth, and its gain over the rung before it and over the first."""
        rungs = [other for other in self.runs.titles if other[0] == rung[0]]
        last = BEGINS_FROM.get(rung, rungs[rungs.index(rung) - 1]) if rung != rungs[0] else None
        first = rungs[0]
        setups = {'G': ['1GiB', 'meetings']}.get(rung[0], ['folds', 'floats'] + ['1GiB'] * (rung[0] == 'B'))
        names = {'folds': '2^26 ints, one for each thread', 'floats': '2^26 floats, one for each thread',
                 '1GiB': '2^28 ints to one sum', 'meetings': '2^20 ints to one sum, in the cache'}

        def over(setup, other):
            return f'{self.us(setup, other) / self.us(setup, rung):.2f}×' if other and other != rung else '·'
        others = [last] * bool(last) + [first] * (last not in (None, first))
        heads = ['measured', 'time', 'bandwidth'] + [f'over {other}' for other in others]
        lines = []
        for setup in setups:
            row = self.row(setup, rung)
            line = [names[setup], f'{figure(row["us"])} µs', f'{figure(row["gbs"])} GB/s']
            line += [over(setup, other) for other in others]
            if rung[0] == 'G':
                line.append(f'{self.us(setup, "B1") / row["us"]:.2f}×' if setup == '1GiB' else '·')
            lines.append(line)
        return table(heads + ['over B1'] * (rung[0] == 'G'), lines)


def spread(row):
    """Between the quartiles, in percent of the median."""
    return 100 * (row['high_us'] - row['low_us']) / row['us']


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
    results = Results(runs)
    writers = {'rung': lambda rung: f'### {runs.heading(rung)}\n\n{rung_section(runs, rung)}',
               'times_of': results.text_times_of,
               'code': source.code,
               'counts': lambda scale: side_by_side(runs, scale),
               'compiler': compiler,
               'mistake': lambda mistake: mistake_section(mistake, folder) if folder
               else f'<!-- run {mistake} -->\n<!-- end -->'}
    writers.update({name[5:]: getattr(results, name) for name in dir(Results) if name.startswith('text_')})
    template = contents(os.path.join(HERE, 'ladder.md.in'))
    used = re.findall(r'\{\{(?:rung|mistake) (\w+)\}\}', template)
    missing = set(runs.titles).union(every_mistake()).difference(used)
    missing |= {f'times_of {rung}' for rung in runs.titles if f'{{{{times_of {rung}}}}}' not in template}
    shown = re.findall(r'\{\{rung (\w+)\}\}\n\n\{\{code ', template)
    missing |= {f'code of {rung}' for rung in runs.titles if rung not in shown}
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
    files += source.FILES + glob.glob(os.path.join(ROOT, 'bench', 'results', 'ladder*'))
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
