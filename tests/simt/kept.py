#!/usr/bin/env python3
"""kept.py COMPILER [OPTION]... FILE... -o OUTPUT

Runs a compiler, unless it has already run on the same: then the output and the messages are those of that time. What it made is
kept in $SIMT_CACHE/kept, under a hash of all that it was made from: the command, the compiler's file, the files that are
named, and every header of the checkout and every file of the simulator. Without $SIMT_CACHE, or where the output depends on the
machine ("native"), the compiler always runs. simt++ keeps its runtime in the same way."""

import fcntl, functools, hashlib, os, sys  # others where they are needed: what is kept already is to be there soon

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MOST = 800  # kept at once; beyond that, the half that was used longest ago is removed
ENVIRONMENT = ('SIMT_CXX', 'CPATH', 'C_INCLUDE_PATH', 'CPLUS_INCLUDE_PATH', 'LIBRARY_PATH', 'NVCC_APPEND_FLAGS',
               'NVCC_PREPEND_FLAGS', 'NVCC_CCBIN')


@functools.lru_cache(None)
def simulator():
    """The files of the simulator: what is compiled by simt++ comes from them too."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(HERE) if '.simt' not in folder and '__pycache__' not in folder
            for name in names]


@functools.lru_cache(None)
def headers():
    return [os.path.join(folder, name) for top in ('include', 'bench', 'tests') for folder, _, names in os.walk(os.path.join(ROOT, top))
            for name in names if name.endswith(('.h', '.cuh'))]


def digest_of(path):
    with open(path, 'rb') as f:
        return path.encode() + b'\0' + hashlib.sha256(f.read()).digest()


@functools.lru_cache(None)
def digest_of_checkout(files):
    """For files that do not change while this runs."""
    return b''.join(map(digest_of, sorted(set(files))))


@functools.lru_cache(None)
def stamp_of(compiler):
    """An update changes its date or size."""
    folders = [''] if '/' in compiler else os.environ.get('PATH', '').split(':')
    places = [os.path.join(folder, compiler) for folder in folders]
    found = os.path.realpath(next((place for place in places if os.access(place, os.X_OK)), compiler))
    return repr((found, os.path.exists(found) and (os.stat(found).st_size, os.stat(found).st_mtime_ns))).encode()


def key_of(command, files, named):
    key = hashlib.sha256(repr((command, [os.environ.get(name) for name in ENVIRONMENT])).encode())
    for compiler in (command[0], os.environ.get('SIMT_CXX', 'g++').split()[0]):
        key.update(stamp_of(compiler))
    key.update(digest_of_checkout(tuple(files)))
    for path in named:
        key.update(digest_of(path))
    return key.hexdigest()[:32]


def is_lasting(status, said):
    """Whether the same would come of it again: a refusal by the compiler would, being killed or a full disk would not."""
    import re
    return status == 0 or ('error:' in said and not re.search('fatal error(?!: too many errors)|collect2|No space left|Killed', said))


def time_of(entry):
    try:
        return os.path.getmtime(entry)
    except OSError:  # another process has removed or renamed it
        return float('inf')


def prune(folder):
    entries = [os.path.join(folder, name) for name in os.listdir(folder)]
    if len(entries) > MOST:
        import shutil
        for old in sorted(entries, key=time_of)[:len(entries) // 2]:
            shutil.rmtree(old, ignore_errors=True)


def entry(cache, command, files, named=()):
    """The folder in which the command's output and messages are, made now if need be; the folder is removed by the caller if
    it is not in the cache. command has no -o: that is added. Of several who want the same at once, one makes it."""
    folder = os.path.join(cache, 'kept')
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, key_of(command, files, named))
    if os.path.exists(target):
        os.utime(target)
        return target
    lock = os.path.join(cache, os.path.basename(target) + '.lock')
    with open(lock, 'w') as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        made = target if os.path.exists(target) else make(target, command)
        try:
            os.remove(lock)  # who has waited for it finds what was made
        except OSError:
            pass
    return made


def make(target, command):
    import shutil, subprocess, tempfile
    folder = os.path.dirname(target)
    fresh = tempfile.mkdtemp(prefix='new', dir=folder)
    with open(os.path.join(fresh, 'said'), 'w') as said:
        status = subprocess.call(command + ['-o', os.path.join(fresh, 'output')], stdout=said, stderr=said)
    with open(os.path.join(fresh, 'status'), 'w') as f:
        f.write(str(status))
    with open(os.path.join(fresh, 'said'), errors='replace') as f:
        if not is_lasting(status, f.read()):
            return fresh
    try:
        os.rename(fresh, target)
    except OSError:  # another made it in the meantime
        shutil.rmtree(fresh)
    prune(folder)
    return target


def take(made, output):
    with open(made, 'rb') as source, open(output, 'wb') as target:
        while data := source.read(1 << 20):
            target.write(data)
        os.fchmod(target.fileno(), os.fstat(source.fileno()).st_mode & 0o777)


def run(command):
    """Runs the command, or takes what it made before: its exit status and its messages."""
    cache = os.environ.get('SIMT_CACHE')
    if not cache or '-o' not in command or any('native' in word for word in command):
        import subprocess
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        return done.returncode, done.stdout
    at = command.index('-o')
    output, rest = command[at + 1], command[:at] + command[at + 2:]
    made = entry(cache, rest, simulator() + headers(), [word for word in rest[1:] if os.path.isfile(word)])
    with open(os.path.join(made, 'status')) as f:
        status = int(f.read())
    with open(os.path.join(made, 'said'), errors='replace') as f:
        said = f.read()
    if os.path.exists(os.path.join(made, 'output')):
        if os.path.exists(output):
            os.remove(output)  # a program that is running stays as it is
        take(os.path.join(made, 'output'), output)
    if os.path.basename(made).startswith('new'):
        import shutil
        shutil.rmtree(made)
    return status, said


def main(command):
    if not command or command[0] in ('-h', '--help'):
        print(__doc__)
        return 0
    status, said = run(command)
    sys.stderr.write(said)
    return status if status >= 0 else 128 - status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
