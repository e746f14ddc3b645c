"""Reads the record of a program built by `simt++ --record`, and computes what warps would have done.

The simulator runs one thread after another. Here the 32 threads of a warp are brought together again: of the lanes that do
not wait, those at the lowest place in the program go on, all of them that are at that place. So lanes part at a branch and
meet again below it, as they do on a GPU, and what they do together is one instruction of the warp.

What lies between one exchange of values and the next is a step. A barrier, a __syncwarp or a shuffle ends a step in which
something was written, and a value that another thread wrote is read in a later step than it was written in."""

from collections import namedtuple

WARP = 32
BANKS, BANK = 32, 4  # of shared memory: so many, each so many bytes wide
SECTOR = 32  # bytes of global memory that are moved at once

Event = namedtuple('Event', 'kind step code space offset size name meeting lane source', defaults=[None] * 8)
# kind: b block, r load, w store, a atomic, m collective, f fence. source: the writes that a load, atomic or shuffle gets

Thread = namedtuple('Thread', 'block index')
Write = namedtuple('Write', 'launch thread step')


class Launch:
    def __init__(self, number, blocks, threads):
        self.number, self.blocks, self.threads = number, blocks, threads
        self.events = {}  # of each Thread, in its order
        self.steps = 0

    def warps(self):
        """Each warp, as its block and the list of its lanes' events."""
        for block in range(self.blocks):
            for first in range(0, self.threads, WARP):
                lanes = range(first, min(first + WARP, self.threads))
                yield block, first // WARP, [self.events.get(Thread(block, i), []) for i in lanes]


def is_shared(space):
    return space[0] in 'sd'


# ---- from lines to events with steps ----

class Steps:
    """Gives the events of one launch their steps, and loads their sources, in the order in which they happened."""

    def __init__(self, launch, written):
        self.launch = launch
        self.written = written  # of a place in memory: its last Write
        self.step, self.wrote, self.did = {}, {}, {}  # of a thread; the last step in which it wrote, did anything
        self.shuffles = {}  # of a thread: the sources of the shuffle that it has just done
        self.blocks = {}  # (step, code): the event

    def log(self, thread, kind, **more):
        step = self.step.setdefault(thread, 0)
        self.launch.events.setdefault(thread, []).append(Event(kind, step, **more))
        self.launch.steps = max(self.launch.steps, step + 1)
        self.shuffles.pop(thread, None)
        if kind in 'rwa':
            self.did[thread] = step
        if kind in 'wa':
            self.wrote[thread] = step

    def block(self, thread, code):
        """Most kinds of events occur many times."""
        step = self.step.setdefault(thread, 0)
        self.launch.steps = max(self.launch.steps, step + 1)
        if (step, code) not in self.blocks:
            self.blocks[step, code] = Event('b', step, code)
        self.launch.events.setdefault(thread, []).append(self.blocks[step, code])

    def access(self, thread, kind, place, offset, size, code):
        block = (thread.block,) if is_shared(place) else ()
        cells = [block + (place, byte) for byte in range(offset, offset + size)]
        source = None
        if kind != 'w':
            source = frozenset(self.written[cell] for cell in cells if cell in self.written)
            others = [write.step for write in source if write.launch == self.launch.number and write.thread != thread]
            if others and kind == 'r':
                self.step[thread] = max([self.step.get(thread, 0)] + [step + 1 for step in others])
        self.log(thread, kind, code=code, space=place, offset=offset, size=size, source=source)
        if kind in 'wa':
            for cell in cells:
                self.written[cell] = Write(self.launch.number, thread, self.step[thread])

    def shuffle(self, name, meeting, lanes):
        threads = list(lanes)
        last = max(self.step.get(t, 0) for t in threads)
        goes_on = all(self.shuffles.get(t) == (last, lanes[t]) for t in threads)  # the next word of a larger value
        if not goes_on:  # the first step is for loads, also in a warp that has none
            last = max(1, last + any(self.did.get(t) == last for t in threads))
        for t in threads:
            self.step[t] = last
        for t in threads:
            source = Write(self.launch.number, Thread(t.block, t.index // WARP * WARP + lanes[t]), last - 1)
            self.log(t, 'm', name=name, meeting=meeting, lane=lanes[t], source=frozenset([source]))
            self.did[t] = self.wrote[t] = last
        for t in threads:
            self.shuffles[t] = (last, lanes[t])

    def barrier(self, name, meeting, threads):
        last = max(self.step.get(t, 0) for t in threads)
        for t in threads:
            self.step[t] = last
            self.log(t, 'm', name=name, meeting=meeting)
        if any(self.wrote.get(t) == last for t in threads):
            last += 1
        for t in threads:
            self.step[t] = last


def read(path):
    """The launches in a file."""
    launches, written, met = [], {}, {}
    steps = None

    def meet():
        """All threads of a meeting have been read: the lines of one meeting follow each other."""
        name, meeting, lanes = met['name'], met['meeting'], dict(met['lanes'])
        if name.startswith('__shfl'):
            steps.shuffle(name, meeting, lanes)
        else:
            steps.barrier(name, meeting, list(lanes))
        met.clear()

    with open(path, encoding='ascii') as lines:
        for line in lines:
            word = line.split()
            if word[0] == 'launch':
                if met:
                    meet()
                launches.append(Launch(len(launches), int(word[1]), int(word[2])))
                written = {cell: write for cell, write in written.items() if not is_shared(cell[-2])}
                steps = Steps(launches[-1], written)
                continue
            thread, kind = Thread(int(word[0]), int(word[1])), word[2]
            if kind == 'm':
                if met and met['meeting'] != int(word[4]):
                    meet()
                met.setdefault('name', word[3])
                met.setdefault('meeting', int(word[4]))
                met.setdefault('lanes', []).append((thread, int(word[5])))
                continue
            if met:
                meet()
            if kind == 'b':
                steps.block(thread, int(word[3], 16))
            elif kind == 'f':
                steps.log(thread, 'f', name=int(word[3]))
            else:
                steps.access(thread, kind, word[3], int(word[4]), int(word[5]), int(word[6], 16))
        if met:
            meet()
    return launches


# ---- the lanes of a warp together ----

class Parted:
    """Lanes that a branch has parted, until they go on together. A branch around arithmetic alone is none here: compilers
    for GPUs let all lanes compute, and some forget the result."""

    def __init__(self):
        self.groups = []  # (step, the lanes that were together)

    def part(self, step, lanes):
        self.groups.append((step, frozenset(lanes)))

    def issue(self, lanes, touches, ended):
        """The steps of those branches after which these lanes touch memory or meet without the others."""
        apart, still = [], []
        for step, group in self.groups:
            missing = group - lanes - ended
            if touches and group & lanes and group - lanes:
                apart.append(step)
            elif missing:
                still.append((step, group))
        self.groups = still
        return apart


def lockstep(lanes):
    """What a warp issues, in order: ('issue', a list of (lane, event)) for each instruction, block or collective; before
    it ('divergent', step) for each branch that has parted its lanes from others."""
    at, block = [0] * len(lanes), [(0, 0)] * len(lanes)  # of each lane: its next event; its basic block, events in it
    ended, parted = set(), Parted()

    def place(lane):
        """Where the lane is in the program, or None when it waits or has ended."""
        if lane in ended or lanes[lane][at[lane]].kind == 'm':
            return None
        event = lanes[lane][at[lane]]
        return (event.code, 0) if event.kind == 'b' else (block[lane][0], block[lane][1] + 1)

    def go_on(lane, here):
        at[lane] += 1
        block[lane] = here or (block[lane][0], block[lane][1] + 1)
        if at[lane] == len(lanes[lane]):
            ended.add(lane)

    def next_group():
        """The lanes that go on together, and where; those that wait only when all do."""
        places = {lane: place(lane) for lane in range(len(lanes))}
        here = min((p for p in places.values() if p), default=None)
        if here:
            return [lane for lane, p in places.items() if p == here], here
        meetings = {lane: lanes[lane][at[lane]].meeting for lane in places if lane not in ended}
        first = min(meetings.values(), default=None)
        return [lane for lane, meeting in meetings.items() if meeting == first], None

    ended.update(lane for lane in range(len(lanes)) if not lanes[lane])
    while len(ended) < len(lanes):
        group, here = next_group()
        issued = [(lane, lanes[lane][at[lane]]) for lane in group]
        for step in parted.issue(frozenset(group), issued[0][1].kind != 'b', frozenset(ended)):
            yield 'divergent', step
        yield 'issue', issued
        for lane in group:
            go_on(lane, here)
        alive = [lane for lane in group if lane not in ended]
        if alive and len({'ended' if lane in ended else place(lane) for lane in group}) > 1:
            parted.part(min(lanes[lane][at[lane]].step for lane in alive), group)


# ---- counts ----

def words_of_banks(accesses):
    """For each turn that the lanes of one instruction take at shared memory, the words that it wants of each bank. A bank gives
    one word at a time, to all who want it. For 8 bytes each the halves of the warp take turns, for 16 its quarters."""
    size = max(event.size for _, event in accesses)
    together = WARP if size <= 4 else WARP // 2 if size <= 8 else WARP // 4
    for first in range(0, WARP, together):
        words = [set() for _ in range(BANKS)]
        for lane, event in accesses:
            if first <= lane < first + together:
                for word in range(event.offset // BANK, (event.offset + event.size - 1) // BANK + 1):
                    words[word % BANKS].add(word)
        if any(words):
            yield words


def passes(accesses):
    """How often shared memory is read or written for one instruction, and how often it would be without bank conflicts."""
    turns = [max(len(words) for words in banks) for banks in words_of_banks(accesses)]
    return sum(turns), len(turns)


def sectors(accesses):
    """Sectors of global memory that one instruction touches."""
    return len({(event.space, byte // SECTOR) for _, event in accesses
                for byte in (event.offset, event.offset + event.size - 1)})


NAMES = ('warps', 'lanes', 'instructions', 'slowest', 'divergent', 'shared', 'conflicts', 'ways', 'requests', 'sectors', 'shuffles', 'votes',
         'syncwarps', 'barriers', 'atomics', 'fences')


def empty():
    return dict.fromkeys(NAMES, 0)


def count(launch):
    """What each step of a launch costs, all its warps together:

    warps         that have a lane at work: one that loads, stores, or gets another lane's value
    lanes         at work
    instructions  loads, stores, atomics and shuffles that warps issue
    slowest       of the warp that has most to do: its instructions, and the passes that bank conflicts add
    divergent     branches after which some lanes of a warp touch memory, or meet, without the others
    shared        passes over shared memory; conflicts: those that bank conflicts add; ways: the worst of them
    requests      loads and stores of global memory that warps issue; sectors: of 32 bytes that these move
    shuffles, votes, syncwarps    of warps
    barriers      of blocks
    atomics, fences               of lanes"""
    steps = [empty() for _ in range(launch.steps)]
    at_work = set()
    blocks_met = set()
    of_warp = {}  # (step, block, warp): as slowest counts
    for block, warp, lanes in launch.warps():
        for what, issued in lockstep(lanes):
            if what == 'divergent':
                steps[issued]['divergent'] += 1
                continue
            event = issued[0][1]
            of = steps[event.step]
            before = of['instructions'] + of['conflicts']
            if event.kind in 'rwa':
                count_access(of, event.kind, issued)
            elif event.kind == 'f':
                of['fences'] += len(issued)
            elif event.kind == 'm' and event.name.startswith('__syncthreads'):
                of['barriers'] += (block, event.meeting) not in blocks_met
                blocks_met.add((block, event.meeting))
            elif event.kind == 'm':
                shuffled = event.name.startswith('__shfl')
                of['syncwarps' if event.name == '__syncwarp' else 'shuffles' if shuffled else 'votes'] += 1
                of['instructions'] += shuffled
            key = event.step, block, warp
            of_warp[key] = of_warp.get(key, 0) + of['instructions'] + of['conflicts'] - before
            at_work |= {(e.step, block, warp, lane) for lane, e in issued if is_work(lane, e)}
    for step, of in enumerate(steps):
        of['lanes'] = sum(1 for s, *_ in at_work if s == step)
        of['warps'] = len({(b, w) for s, b, w, _ in at_work if s == step})
        of['slowest'] = max((done for (s, *_), done in of_warp.items() if s == step), default=0)
    return steps


def is_work(lane, event):
    return event.kind in 'rwa' or (event.kind == 'm' and event.lane is not None and event.lane != lane)


def count_access(of, kind, issued):
    of['instructions'] += 1
    shared = [(lane, e) for lane, e in issued if is_shared(e.space)]
    elsewhere = [(lane, e) for lane, e in issued if not is_shared(e.space)]
    if kind == 'a':
        of['atomics'] += len(issued)
        return
    if shared:
        needed, ideal = passes(shared)
        of['shared'] += needed
        of['conflicts'] += needed - ideal
        of['ways'] = max(of['ways'], needed // ideal)
    if elsewhere:
        of['requests'] += 1
        of['sectors'] += sectors(elsewhere)


def total(steps):
    """The counts of a list of steps together."""
    all_of = {name: sum(of[name] for of in steps) for name in NAMES}
    all_of['ways'] = max((of['ways'] for of in steps), default=0)
    return all_of


# ---- what is of use ----

def useful(launches):
    """The (launch, thread, step) whose values reach the final contents of global memory. A thread that shuffles or stores keeps
    what it had before, in registers; one that loads is taken to forget it, unless it loads what it has just stored itself."""
    needs, final, steps_of, loads = {}, {}, {}, set()
    for launch in launches:
        for thread, events in launch.events.items():
            for e in events:
                if e.kind not in 'rwam' or (e.kind == 'm' and e.lane is None):
                    continue
                node = Write(launch.number, thread, e.step)
                steps_of.setdefault((launch.number, thread), []).append(e.step)
                needs.setdefault(node, set()).update(e.source or ())
                if e.kind == 'r' and node not in (e.source or ()):
                    loads.add(node)
                if e.kind in 'wa' and not is_shared(e.space):
                    final[e.space, e.offset] = max(node, final.get((e.space, e.offset), node), key=lambda w: (w.launch, w.step))
    found, todo = set(), list(final.values())
    while todo:
        node = todo.pop()
        if node in found:
            continue
        found.add(node)
        todo += needs.get(node, ())
        before = [step for step in steps_of.get((node.launch, node.thread), ()) if step < node.step]
        if before and node not in loads:
            todo.append(Write(node.launch, node.thread, max(before)))
    return found
