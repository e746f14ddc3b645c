#!/bin/sh
# Build everything and run every test: tools/test.sh [MESON OPTIONS]
# The last line is "N passed, N failed, N skipped", counted in single test cases.
set -eu
. "$(dirname "$0")/common.sh"

(
    need gcc g++ meson ninja pkg-config criterion &&
        configure -Dtests=enabled "$@" &&
        ninja -C build
) || {
    echo 'No test was run.'
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
}

results=build/meson-logs/testlog.json
: >"$results"
status=0
meson test -C build --no-rebuild --print-errorlogs </dev/null || status=$?
python3 tools/count-tests.py "$results" || status=1
exit "$status"
