#!/bin/sh
# Build everything and run the tests: tools/test.sh [--all] [MESON OPTIONS]
# With --all the thorough suite too. The last line is "N passed, N failed, N skipped", counted in single test cases.
set -eu
. "$(dirname "$0")/common.sh"

setup=usual
if [ "${1-}" = --all ]; then
    setup=all
    shift
fi

(
    need gcc g++ meson ninja pkg-config criterion &&
        configure -Dtests=enabled "$@" &&
        case $setup in
            usual) ninja -C build ;;
            all) ninja -C build all thorough ;;
        esac
) || {
    echo 'No test was run.'
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
}

logs=build/meson-logs
rm -f $logs/testlog*.json
status=0
case $setup in
    usual) meson test -C build --no-rebuild --print-errorlogs </dev/null || status=$? ;;
    all) meson test -C build --setup all --print-errorlogs </dev/null || status=$? ;;
esac
[ $setup = all ] || echo 'The thorough suite has more of the same, with more orders of threads, sizes and types: tools/test.sh --all.'
set -- $logs/testlog*.json # the one that was written now, perhaps with the name of the setup
[ -e "$1" ] || : >"$1"
python3 tools/count-tests.py "$1" || status=1
exit "$status"
