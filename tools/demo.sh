#!/bin/sh
# Reduce 100,000,000 floats with plain loops and with the library, and show that the library's bits do not depend on
# who adds: tools/demo.sh [--built FOLDER] [N]
# With --built it builds nothing: FOLDER is a build folder that has the demo. The last line is "The same bits."; or it is
# "THE BITS DIFFER.", and the exit status is 1.
set -eu
. "$(dirname "$0")/common.sh"

build=build
if [ "${1-}" = --built ]; then
    build=$2
    shift 2
else
    need gcc g++ meson ninja
    configure -Dexamples=true
    step 'Building the demo' ninja -C build demo
fi

simt=$build/tools/demo.simt
gpu=$build/tools/demo.gpu
if [ -x "$gpu" ] && tests/if-gpu true >"$log"; then has_gpu=yes; else has_gpu=; fi

# Threads that wait sleep. On a machine with other work they would take time from the thread that they wait for.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY-passive}"

# Where there is no GPU the simulator reports none either: the simple call then runs on the CPU.
same=yes
set -- "${1-100000000}"
if [ "$has_gpu" ]; then set -- "$gpu" "$1"; else set -- env SIMT_DEVICES=0 "$simt" "$1"; fi
"$@" || if [ $? = 1 ]; then same=; else exit 2; fi

# What a terminal that may show colours shows bold, green and red.
if [ -t 1 ] && [ -z "${NO_COLOR+set}" ]; then
    style() { printf '\033[%sm' "$1"; }
else
    style() { :; }
fi

printf '\n%s%-41s%-18s%s%s\n' \
    "$(style 1)" 'sin(1) + ... + sin(1,000,000), by' 'an OpenMP loop' 'reduce_float_sum' "$(style 0)"
bits() { # WHO HOW [SETTINGS...] PROGRAM
    printf '  %-39s' "$1"
    how=$2
    shift 2
    row=$(env "$@" --bits "$how" 1000000)
    echo "$row"
    echo "$row" >>"$log"
}
: >"$log"
bits '1 thread' cpu OMP_NUM_THREADS=1 "$simt"
bits '2 threads' cpu OMP_NUM_THREADS=2 "$simt"
bits '3 threads' cpu OMP_NUM_THREADS=3 "$simt"
bits '8 threads, array moved by 4 bytes' moved OMP_NUM_THREADS=8 "$simt"
bits '3 processes, a part each' parts "$simt"
bits 'simulated GPU, threads in order' kernel SIMT_SEED=0 "$simt"
bits 'simulated GPU, threads in reverse order' kernel SIMT_SEED=1 "$simt"
bits 'simulated GPU, threads in random order' kernel SIMT_SEED=2 "$simt"
[ -z "$has_gpu" ] || bits 'the GPU' kernel "$gpu"

if [ "$same" ] && [ "$(awk '{ print $NF }' "$log" | sort -u | wc -l)" = 1 ]; then
    echo "$(style '1;32')The same bits.$(style 0)"
else
    echo "$(style '1;31')THE BITS DIFFER.$(style 0)"
    exit 1
fi
