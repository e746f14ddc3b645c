# shellcheck shell=sh
# Sourced by the test scripts: each check is one test case, reported in TAP.

export LC_ALL=C # compilers' messages in English, in ASCII
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cases=0
failures=0

# check NAME COMMAND...: passes when the command succeeds; shows what it printed when it fails.
check() {
    cases=$((cases + 1))
    name=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        echo "ok $cases - $name"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $name"
        sed 's/^/# /' "$scratch/output"
    fi
}

# kept COMPILER...: as the compiler, which does not run where it already has on the same. here: the script's folder.
kept() {
    case $here in
        */tests) python3 -SE "$here/simt/kept.py" "$@" ;; # -SE: nothing but Python itself, which starts sooner
        *) python3 -SE "$here/../simt/kept.py" "$@" ;;
    esac
}

# skip NAME REASON
skip() {
    cases=$((cases + 1))
    echo "ok $cases - $1 # SKIP $2"
}

# Ends every script that calls check; a script that stops earlier has no plan, which fails it.
finish() {
    echo "1..$cases"
    exit "$((failures > 0))"
}
