#!/bin/sh
# Expands one use of a macro, laid out to be read, or to be compiled and stepped through in the macro's place:
#   tools/expand.sh 'DEFINE_REDUCE(float, max)'            as a C compiler sees it: the operator and the CPU's function
#   tools/expand.sh 'DEFINE_REDUCE(float, max)' --cuda     with the kernels and the functions that launch them
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
header=$root/include/reduce.cuh
use=${1-}

case $#,$use,${2-} in
    1,DEFINE_REDUCE*,) ;;
    2,DEFINE_REDUCE*,--cuda) ;;
    *)
        echo "usage: $0 'DEFINE_REDUCE(float, max)' [--cuda]" >&2
        exit 2
        ;;
esac
if [ $# -eq 2 ]; then
    set -- "${CXX:-g++}" -x c++ -D__CUDACC__ "-I$root/tests/simt/include"
else
    set -- "${CC:-gcc}" -x c -std=c11
fi

preprocess() {
    {
        echo '#include "reduce.cuh"'
        # Only what depends on NAME, or is the operator, is generated: the rest stays as it is written. Checks go.
        sed -nE -e '/^#define REDUCE_(IDENTITY|COMBINE)_[a-z]/d' \
            -e '/^#define REDUCE_(UNLESS|MARKED|SECOND|NOTHING|LINE)_/d' \
            -e 's/^#define (REDUCE_CHECK_[A-Z_]+|REDUCE_ASSERT_).*/#undef \1\n#define \1(...)/p' -e t \
            -e '/^#define REDUCE_[A-Z_]*\(NAME/d' -e 's/^#define (REDUCE_[A-Z_]+).*/#undef \1/p' "$header"
        for word in __host__ __device__ __global__ __shared__ __forceinline__ __launch_bounds__ bool true false NULL INFINITY NAN; do
            echo "#undef $word"
        done
        echo 'reduce_expansion_starts_here'
        echo "$use"
    } | "$@" -E -P -I"$root/include" - | sed '1,/^reduce_expansion_starts_here/d'
}

# A line for each statement, indented by its braces. The semicolons of a for stand in parentheses.
lay_out() {
    awk '
        function end_line() {
            if (line != "") printf "%*s%s\n", 4 * indent, "", line
            line = ""
        }
        /^ *#/ { end_line(); print; next }
        {
            for (i = 1; i <= length($0); i++) {
                c = substr($0, i, 1)
                if (c == "\"") quoted = !quoted
                if (line == "" && c == " ") continue
                if (!quoted) {
                    if (c == "(") depth++
                    if (c == ")") depth--
                    if (c == "}" && depth == 0) { end_line(); indent-- }
                }
                line = line c
                if (quoted || depth > 0) continue
                if (c == "{") { end_line(); indent++ }
                if (c == ";" || c == "}") end_line()
                if (c == "}" && indent == 0) print ""
            }
            if (line != "") line = line " "
        }
        END { end_line() }'
}

expansion=$(preprocess "$@")
case $expansion in
    '') exit 1 ;; # the compiler has said why
    *DEFINE_REDUCE*)
        echo "$0: only macros of reduce.cuh are expanded, not those of companion headers" >&2
        exit 1
        ;;
esac
if command -v "${CLANG_FORMAT:=clang-format}" >/dev/null; then
    printf '%s\n' "$expansion" | "$CLANG_FORMAT" --style="file:$root/.clang-format" --assume-filename=expanded.cu
else
    printf '%s\n' "$expansion" | lay_out
fi
