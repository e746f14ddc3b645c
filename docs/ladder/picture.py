"""Draws what a record says of one run: threads across, steps down, arrows for who reads whose value.

Everything in a picture comes from the record: which threads work, whose values they take and by what way,
what does not reach the result, where lanes of a warp part, and how many words are wanted of each bank."""

from html import escape

import warps

# A card with a ground of its own, light or dark as the reader's screen is.
GROUND, EDGE, INK, FAINT = '#fcfbf8', '#d8d4ca', '#22303c', '#6b7680'
IDLE, IDLE_EDGE, BAND = '#e4e3de', '#cfcdc6', '#e9eff6'
WORK, VAIN = '#2b6cb0', '#a9c8e8'
SHARED, SHUFFLE, GLOBAL = '#44546a', '#0f8a7e', '#a05a1c'
CONFLICT, PARTED, BARRIER = '#d6336c', '#e8860c', '#5b6570'
WAY = {'shared': SHARED, 'shuffle': SHUFFLE, 'global': GLOBAL}

DARK = {GROUND: '#161b21', EDGE: '#39424c', INK: '#e2e7ec', FAINT: '#98a4af',
        IDLE: '#2b323a', IDLE_EDGE: '#3c454f', BAND: '#1f2a37',
        WORK: '#5aa2ea', VAIN: '#33506f', SHARED: '#a9b8ca', SHUFFLE: '#3cc4b4', GLOBAL: '#de9553',
        CONFLICT: '#ff6f9f', PARTED: '#f0a24a', BARRIER: '#a3adb7'}

LEFT, ACROSS, RIGHT = 126, 700, 204  # widths: the steps' names, the threads, what a step costs
TOP, CELL, BOTTOM = 156, 18, 96
ROOM_OF_ATOMICS, ROOM_OF_LAUNCH = 34, 38
SLOT = 'a slot'  # a place of atomics that one thread fills and another empties
MOST_APART = 64  # threads that are drawn one by one; of more, four neighbours make a cell
WARP_GAP, BLOCK_GAP = 10, 26
FONT = "font-family='DejaVu Sans, Verdana, Helvetica, Arial, sans-serif'"


class Row:
    """One step of one launch, as it is drawn."""

    def __init__(self, launch, step, counts):
        self.launch, self.step, self.counts = launch, step, counts
        self.at_work, self.useful = set(), set()
        self.arrows = []  # (from thread, to thread, way)
        self.loads, self.stores = set(), set()  # threads that touch global memory
        self.atomics = {}  # of a place: the threads
        self.fences = []  # (thread, whether it has done an atomic before, in this step)
        self.conflicts, self.parted = set(), set()  # threads; (block, warp)
        self.banks = []  # words wanted of each bank by the worst instruction
        self.barrier, self.syncwarps = None, set()  # the barrier that ends the step; (block, warp)
        self.kinds = set()
        self.shuffles = 0  # that are drawn together


def rows_of(launches):
    """The steps in which there is work, of all launches of more than one thread."""
    useful = warps.useful(launches)
    rows = []
    for launch in launches:
        if launch.blocks * launch.threads == 1:
            continue
        rows_of_launch = [Row(launch, step, counts) for step, counts in enumerate(warps.count(launch))]
        for thread, events in launch.events.items():
            for event in events:
                add_event(rows_of_launch[event.step], thread, event)
        first = first_static_word(launch)
        for block, warp, lanes in launch.warps():
            for what, issued in warps.lockstep(lanes):
                if what == 'divergent':
                    rows_of_launch[issued].parted.add((block, warp))
                elif issued[0][1].kind in 'rwa' and warps.is_shared(issued[0][1].space):
                    add_banks(rows_of_launch[issued[0][1].step], block, warp, issued, first)
        for row in rows_of_launch:
            row.useful = {t for t in row.at_work if warps.Write(launch.number, t, row.step) in useful}
        rows += with_work(rows_of_launch)
    return rows


def with_work(rows):
    """Leaves out the steps without work, whose barriers then belong to the step before."""
    kept = []
    for row in rows:
        if row.at_work:
            kept.append(row)
        elif kept:
            kept[-1].barrier = kept[-1].barrier or row.barrier
    return kept


def add_event(row, thread, event):
    lane = thread.index % warps.WARP
    if warps.is_work(lane, event):
        row.at_work.add(thread)
    if event.kind == 'm':
        if event.name == '__syncwarp':
            row.syncwarps.add((thread.block, thread.index // warps.WARP))
        elif event.lane is None:
            row.barrier = event.name
        elif event.lane != lane:
            row.kinds.add('shuffle')
            add_arrows(row, thread, event, 'shuffle')
        return
    if event.kind == 'f':
        row.fences.append((thread, any(thread in threads for threads in row.atomics.values())))
    if event.kind not in 'rwa':
        return
    is_shared = warps.is_shared(event.space)
    row.kinds.add({'r': 'read', 'w': 'write', 'a': 'atomic'}[event.kind] + (' shared' if is_shared else ''))
    if event.kind == 'a':
        row.atomics.setdefault((event.space, event.offset), set()).add(thread)
    elif event.kind == 'w' and not is_shared:
        row.stores.add(thread)
    elif event.kind == 'r' and event.source:
        add_arrows(row, thread, event, 'shared' if is_shared else 'global')
    elif event.kind == 'r' and not is_shared:
        row.loads.add(thread)


def add_arrows(row, thread, event, way):
    row.arrows += [(write, thread, way) for write in sorted(event.source)
                   if write.launch < row.launch.number or write.step < row.step]


def first_static_word(launch):
    """Of static shared memory: on a GPU the first variable begins in bank 0."""
    return min((event.offset // warps.BANK for events in launch.events.values() for event in events
                if event.kind in 'rwa' and event.space[0] == 's'), default=0)


def add_banks(row, block, warp, issued, first_static):
    for banks in warps.words_of_banks(issued):
        wanted = [len(words) for words in banks]
        if max(wanted) > max(row.banks, default=0):
            turn = first_static % warps.BANKS if issued[0][1].space[0] == 's' else 0
            row.banks = wanted[turn:] + wanted[:turn]
        for lane, event in issued:
            if wanted[event.offset // warps.BANK % warps.BANKS] > 1:
                row.conflicts.add(warps.Thread(block, warp * warps.WARP + lane))


def without_shuffles(rows):
    """The shuffles of a warp that follow each other as one row: arrows from all lanes to those of use after them. An atomic
    after the last one stays."""
    kept = []
    for row in rows:
        before = kept[-1] if kept else None
        if 'shuffle' not in row.kinds or not row.kinds <= {'shuffle', 'atomic'}:
            kept.append(row)
            continue
        row.shuffles = 1
        if not before or not before.shuffles or before.launch is not row.launch or before.barrier:
            kept.append(row)
            continue
        row.shuffles += before.shuffles
        row.arrows = [(warps.Write(row.launch.number, source, row.step), thread, 'shuffle')
                      for thread in row.useful for source in row.at_work
                      if source.block == thread.block and source.index // warps.WARP == thread.index // warps.WARP]
        kept[-1] = row
    return kept


# ---- drawing ----

def number(x):
    """As short as may be."""
    return f'{x:.1f}'.rstrip('0').rstrip('.')


class Picture:
    def __init__(self, blocks, threads):
        self.blocks, self.threads = blocks, threads
        self.together = 1 if blocks * threads <= MOST_APART else 4  # threads of a cell
        warps_of_block = (threads + warps.WARP - 1) // warps.WARP
        gaps = (blocks - 1) * BLOCK_GAP + blocks * (warps_of_block - 1) * WARP_GAP
        self.pitch = (ACROSS - gaps) * self.together / (blocks * threads)  # from a cell to the next
        self.cell = self.pitch - (3 if self.pitch > 16 else 2)
        self.block_width = threads * self.pitch / self.together + (warps_of_block - 1) * WARP_GAP + BLOCK_GAP
        self.height = 82  # from one step to the next
        self.lines = []

    def x(self, block, index):
        """The left side of a thread's column."""
        cell, within = divmod(index, self.together)
        return (LEFT + block * self.block_width + index // warps.WARP * WARP_GAP + cell * self.pitch
                + within * self.cell / self.together)

    def width(self):
        """Of a thread."""
        return self.cell / self.together

    def cells(self, threads):
        """Where the arrows of these threads are: one for each cell that has any of them."""
        of_cell = {}
        for thread in threads:
            of_cell.setdefault((thread.block, thread.index // self.together), set()).add(self.middle(thread))
        return sorted(sum(some) / len(some) for some in of_cell.values())

    def pairs(self, pairs):
        """The same of arrows from one thread to another."""
        of_cells = {}
        for source, thread in pairs:
            ends = of_cells.setdefault((source.block, source.index // self.together,
                                        thread.block, thread.index // self.together), (set(), set()))
            ends[0].add(self.middle(source))
            ends[1].add(self.middle(thread))
        return sorted((sum(a) / len(a), sum(b) / len(b)) for a, b in of_cells.values())

    def middle(self, thread):
        return self.x(*thread) + self.width() / 2

    def warp_span(self, block, warp):
        last = min(warp * warps.WARP + warps.WARP, self.threads) - 1
        return self.x(block, warp * warps.WARP), self.x(block, last) + self.width()

    def add(self, line):
        self.lines.append(line)

    def text(self, x, y, words, size=14, fill=INK, anchor='start', weight='normal'):
        self.add(f"<text x='{number(x)}' y='{number(y)}' font-size='{size}' fill='{fill}' "
                 f"text-anchor='{anchor}' font-weight='{weight}'>{escape(words)}</text>")

    def rect(self, x, y, width, height, fill, edge='none', radius=2, stroke=1):
        self.add(f"<rect x='{number(x)}' y='{number(y)}' width='{number(width)}' height='{number(height)}' "
                 f"rx='{radius}' fill='{fill}' stroke='{edge}' stroke-width='{stroke}'/>")

    def line(self, x1, y1, x2, y2, stroke, width=1.0, dash=''):
        dashes = f" stroke-dasharray='{dash}'" if dash else ''
        self.add(f"<path d='M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}' stroke='{stroke}' "
                 f"stroke-width='{width}'{dashes}/>")

    def boxes(self, corners, fill, edge, width=1.0):
        """Cells of one kind, their upper left corners given. The joins of their edges round them off."""
        inset = 1 if self.together == 1 else 0
        w, h = number(self.width() - 2 * inset), number(CELL - 2)
        d = ''.join(f'M{number(x + inset)} {number(y + 1)}h{w}v{h}h-{w}z' for x, y in corners)
        if d:
            self.add(f"<path d='{d}' fill='{fill}' stroke='{edge if inset else fill}' "
                     f"stroke-width='{width if inset else .6}' stroke-linejoin='round'/>")

    def arrows(self, ends, colour, opacity=.85):
        """Arrows of one kind: from x1, y1 to x2, y2."""
        width, head = (1.6, 3.8) if self.pitch > 16 else (1.2, 3.6)
        lines = heads = ''
        for x1, y1, x2, y2 in ends:
            up = -1 if y2 < y1 else 1
            stop, bend = y2 - head * up, (y2 - y1) * .22
            dx, dy = number(x2 - x1), number(stop - y1)
            lines += f'M{number(x1)} {number(y1)}' + (f'v{dy}' if dx in ('0', '-0') else
                     f'c0 {number(bend)} {dx} {number(stop - bend - y1)} {dx} {dy}')
            heads += (f'M{number(x2)} {number(y2)}l{number(head * .8)} {number(-head * 1.5 * up)}'
                      f'h{number(-head * 1.6)}z')
        if lines:
            self.add(f"<g opacity='{opacity}'>"
                     f"<path d='{lines}' fill='none' stroke='{colour}' stroke-width='{width}'/>"
                     f"<path d='{heads}' fill='{colour}'/></g>")


def style():
    """Other colours on a dark screen: these rules take precedence over the attributes."""
    rules = ''.join(f"[fill='{light}']{{fill:{dark}}}[stroke='{light}']{{stroke:{dark}}}" for light, dark in DARK.items())
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"


def draw(title, about, rows, blocks, threads, place=''):
    """The SVG of a run in so many blocks of so many threads. place: what its atomics are done on."""
    picture = Picture(blocks, threads)
    picture.place = place
    if picture.together > 1:
        rows = without_shuffles(rows)
    heights = [picture.height + ROOM_OF_ATOMICS * bool(row.atomics)
               + ROOM_OF_LAUNCH * (row.launch is not after.launch)
               for row, after in zip(rows, rows[1:] + rows[-1:])]
    width, height = LEFT + ACROSS + RIGHT, TOP + sum(heights) + BOTTOM - 20
    picture.rect(.5, .5, width - 1, height - 1, GROUND, EDGE, 10)
    picture.text(24, 40, title, 24, weight='bold')
    if picture.together > 1:
        about += ' A cell is four neighbouring threads.'
    picture.text(24, 66, about, 15, FAINT)
    picture.text(24, 87, 'An arrow leads from the thread whose value is taken to the one that takes it.', 15, FAINT)
    head(picture)
    y, before = TOP, None
    for row, room in zip(rows, heights):
        draw_row(picture, row, before, y)
        y, before = y + room, row
    legend(picture, rows, y)
    return (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
            f"height='{height}' {FONT} role='img'>\n"
            f"<title>{escape(title)}</title>\n{style()}\n" + '\n'.join(picture.lines) + '\n</svg>\n')


def head(picture):
    """The warps, and the numbers of some threads."""
    for block in range(picture.blocks):
        for warp in range((picture.threads + warps.WARP - 1) // warps.WARP):
            left, right = picture.warp_span(block, warp)
            name = f'warp {warp}' if picture.blocks == 1 else f'block {block}, warp {warp}'
            picture.text((left + right) / 2, TOP - 42, name, 14, FAINT, 'middle')
        for index in range(0, picture.threads, 8 if picture.together == 1 else 16):
            x = picture.x(block, index) + min(picture.width(), 8) / 2
            picture.text(x, TOP - 24, str(index), 13, FAINT, 'middle')


def combines(row):
    """Whether some thread takes two values or more."""
    takers = [thread for _, thread, way in row.arrows if way == 'shared']
    return len(takers) > len(set(takers))


def name_of(row):
    if row.loads:
        return 'load'
    if 'shuffle' in row.kinds:
        return f'{row.shuffles} shuffles' if row.shuffles > 1 else 'shuffle'
    if 'read shared' in row.kinds and 'write shared' in row.kinds and combines(row):
        return 'combine'
    if 'read shared' in row.kinds or 'read' in row.kinds:
        return 'read'
    return 'atomic' if row.atomics else 'store'


def draw_row(picture, row, before, y):
    if before and before.launch is not row.launch:
        picture.line(24, y - 52, LEFT + ACROSS + RIGHT - 24, y - 52, INK, 1.5)
        picture.text(24, y - 34, 'next launch', 14)
    picture.text(24, y + 14, name_of(row), 16, weight='bold')
    if row.atomics and name_of(row) != 'atomic':
        picture.text(24, y + 31, 'then atomic', 14, GLOBAL)
    elif row.stores:
        picture.text(24, y + 31, 'then store', 14, GLOBAL)
    draw_arrows(picture, row, y)
    draw_cells(picture, row, y)
    draw_meeting(picture, row, y)
    draw_costs(picture, row, y)


def members(row, block, warp):
    first = warp * warps.WARP
    return [warps.Thread(block, i) for i in range(first, min(first + warps.WARP, row.launch.threads))]


def draw_cells(picture, row, y):
    cells = {}
    for block in range(row.launch.blocks):
        for warp in range((row.launch.threads + warps.WARP - 1) // warps.WARP):
            left, right = picture.warp_span(block, warp)
            if row.at_work.intersection(members(row, block, warp)):
                edge = PARTED if (block, warp) in row.parted else BAND
                picture.rect(left - 4, y - 4, right - left + 8, CELL + 8, BAND, edge, 4, 1.8)
            for thread in members(row, block, warp):
                fill = IDLE if thread not in row.at_work else WORK if thread in row.useful else VAIN
                edge = CONFLICT if thread in row.conflicts else IDLE_EDGE if fill == IDLE else fill
                cells.setdefault((fill, edge), []).append((picture.x(*thread), y))
    for (fill, edge), corners in sorted(cells.items()):
        picture.boxes(corners, fill, edge, 2.4 if edge == CONFLICT else 1.2)


def values_taken(row):
    """Whose value each thread takes, and by what way: (thread, thread, way)."""
    taken = {(write.thread, thread, way) for write, thread, way in row.arrows
             if write.thread != thread or way == 'shared'}
    own = {(thread, thread, 'shuffle') for _, thread, way in taken if way == 'shuffle'}  # in a register
    return taken | own


def draw_arrows(picture, row, y):
    pairs = {}
    for source, thread, way in sorted(values_taken(row)):
        pairs.setdefault((thread in row.useful, WAY[way]), []).append((source, thread))
    for (is_useful, colour), some in sorted(pairs.items()):
        ends = [(x1, y - picture.height + CELL + 7, x2, y - 3) for x1, x2 in picture.pairs(some)]
        picture.arrows(ends, colour, .85 if is_useful else .3)
    for threads, top in ((row.loads, y - 19), (row.stores, y + CELL + 3)):
        picture.arrows([(x, top, x, top + 16) for x in picture.cells(threads)], GLOBAL)
    for threads in row.atomics.values():
        draw_atomics(picture, threads, y + CELL + 3)
    for thread, is_after in row.fences:
        draw_fence(picture, picture.middle(thread), y + CELL + 42 if is_after else y - 12)


def draw_atomics(picture, threads, y):
    """One place of global memory, and all who change it. Out of a slot the block with the highest index takes what the others
    have put there."""
    last = max(thread.block for thread in threads)
    takers = [t for t in threads if t.block == last] if picture.place == SLOT else []
    middles = picture.cells(threads)
    x = sum(middles) / len(middles)
    picture.arrows([(at, y, x + (at - x) * .06, y + 28) for at in picture.cells(set(threads).difference(takers))], GLOBAL)
    picture.arrows([(x + (at - x) * .06, y + 28, at, y + 2) for at in picture.cells(takers)], GLOBAL)
    picture.rect(x - 42, y + 28, 84, 19, GLOBAL, GLOBAL, 4)
    picture.text(x, y + 42, picture.place, 13, GROUND, 'middle')


def draw_fence(picture, x, y):
    picture.rect(x - 12, y - 2, 24, 4, GLOBAL, GLOBAL, 1)
    picture.text(x + 18, y + 4, 'fence', 13, GLOBAL)


def draw_meeting(picture, row, y):
    below = y + CELL + 9 + (ROOM_OF_ATOMICS + 7 if row.atomics else 0)
    if row.barrier:
        for block in range(row.launch.blocks):
            left, right = picture.x(block, 0), picture.x(block, row.launch.threads - 1) + picture.width()
            picture.line(left - 4, below, right + 4, below, BARRIER, 2, '9 4')
    for block, warp in sorted(row.syncwarps):
        left, right = picture.warp_span(block, warp)
        picture.line(left - 2, below, right + 2, below, BARRIER, 2, '2 4')


def plural(count, what):
    return f'{count} {what}' + ('s' if count != 1 else '')


def draw_costs(picture, row, y):
    x, of = LEFT + ACROSS + 20, row.counts
    in_vain = len(row.at_work - row.useful)
    notes = [(f"{of['ways']}-way bank conflict", CONFLICT, of['conflicts']),
             (f"{plural(of['atomics'], 'atomic')}, in turn", GLOBAL, of['atomics']),
             (f"{plural(len(row.parted), 'warp')} divergent", PARTED, row.parted),
             (f'{in_vain} to no effect', FAINT, in_vain),
             (f"{of['sectors']} sectors of 32 bytes", GLOBAL, row.loads)]
    picture.text(x, y + 5, f"{plural(of['lanes'], 'thread')}, {plural(of['warps'], 'warp')}", 14)
    for k, (words, colour, _) in enumerate([note for note in notes if note[2]][:3]):
        picture.text(x, y + 23 + 17 * k, words, 14, colour)
    if row.banks and picture.together == 1:
        draw_banks(picture, row.banks, 24, y + 34)


def draw_banks(picture, banks, x, y):
    """How many words are wanted of each of the 32 banks."""
    unit, pitch = 20 / max(max(banks), 2), 2.1
    shape = f'v-{number(unit - 1)}h1.5v{number(unit - 1)}z'
    for colour, above in ((SHARED, False), (CONFLICT, True)):
        d = ''.join(f'M{number(x + bank * pitch)} {number(y + 24 - k * unit)}{shape}'
                    for bank, words in enumerate(banks) if (words > 1) == above for k in range(words))
        if d:
            picture.add(f"<path d='{d}' fill='{colour}'/>")
    picture.line(x, y + 25, x + 32 * pitch, y + 25, FAINT, .8)


def legend(picture, rows, y):
    boxes = [(WORK, WORK, 'at work', True),
             (VAIN, VAIN, 'at work, but its value does not reach the result',
              any(row.at_work - row.useful for row in rows)),
             (IDLE, IDLE_EDGE, 'idle', True),
             (WORK, CONFLICT, 'in a bank conflict', any(row.conflicts for row in rows)),
             (BAND, PARTED, 'divergent warp', any(row.parted for row in rows))]
    x = 24
    for fill, edge, words, is_there in boxes:
        if is_there:
            picture.rect(x, y, 14, 14, fill, edge, 3, 2 if edge in (CONFLICT, PARTED) else 1)
            picture.text(x + 21, y + 12, words, 14)
            x += 45 + 7.6 * len(words)
    ways = {way for row in rows for *_, way in values_taken(row)} | {'global'}
    x, y = 24, y + 26
    arrows = [('shared', 'shared memory'), ('shuffle', 'a shuffle'), ('global', 'global memory')]
    for way, words in arrows:
        if way in ways:
            picture.arrows([(x + 7, y, x + 7, y + 16)], WAY[way])
            picture.text(x + 21, y + 13, words, 14)
            x += 46 + 7.4 * len(words)
    lines = [('9 4', '__syncthreads()', any(row.barrier for row in rows)),
             ('2 4', '__syncwarp()', any(row.syncwarps for row in rows))]
    for dash, words, is_there in lines:
        if is_there:
            picture.line(x, y + 9, x + 34, y + 9, BARRIER, 2, dash)
            picture.text(x + 42, y + 13, words, 14)
            x += 58 + 7.9 * len(words)
    if any(row.fences for row in rows):
        picture.rect(x, y + 7, 24, 4, GLOBAL, GLOBAL, 1)
        picture.text(x + 32, y + 13, '__threadfence()', 14)
        x += 46 + 7.9 * len('__threadfence()')
    if picture.together == 1 and any(row.banks for row in rows):
        draw_banks(picture, [1] * 32, x, y - 11)
        picture.text(x + 74, y + 13, 'words of each bank', 14)
