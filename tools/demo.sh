#!/bin/sh
# Sum 100,000,000 numbers with the library and with a plain loop, and show that whoever adds gets the same bits:
# tools/demo.sh [N]
set -eu
. "$(dirname "$0")/common.sh"

need gcc g++ meson ninja
configure -Dexamples=true
step 'Building the demo' ninja -C build demo

simt=build/tools/demo.simt
gpu=build/tools/demo.gpu
if [ -x "$gpu" ] && tests/if-gpu true >"$log"; then has_gpu=yes; else has_gpu=; fi

# Without nvcc, the simulator builds it and reports no GPU: the call then runs on the CPU, as it does wherever there is none.
if [ -x "$gpu" ]; then "$gpu" "${1-100000000}"; else SIMT_DEVICES=0 "$simt" "${1-100000000}"; fi

few=1000000
printf '\nThe same bits, whoever adds: reduce_float_sum of 1,000,000 floats\n'
bits() { # WHO, then SETTINGS... PROGRAM
    who=$1
    shift
    row=$(env "$@" --bits "$few" "$who")
    echo "$row"
    echo "$row" >>"$log"
}
: >"$log"
bits 'the CPU, one thread' SIMT_DEVICES=0 OMP_NUM_THREADS=1 "$simt"
bits "the CPU, $(nproc) threads" SIMT_DEVICES=0 "$simt"
bits 'simulated kernel, threads in order' SIMT_SEED=0 "$simt"
bits 'simulated kernel, in reverse' SIMT_SEED=1 "$simt"
bits 'simulated kernel, in random order' SIMT_SEED=2 "$simt"
[ -z "$has_gpu" ] || bits 'the GPU' "$gpu"

if [ "$(awk '{ print $NF }' "$log" | sort -u | wc -l)" = 1 ]; then
    echo '  The same bits.'
else
    echo '  THE BITS DIFFER.'
    exit 1
fi
