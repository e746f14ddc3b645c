# shellcheck shell=sh
# Sourced by demo.sh and test.sh: from a bare system to a configured build folder.

cd "$(dirname "$0")/.." || exit
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:${CUDA_PATH:-/usr/local/cuda}/bin
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# step TEXT COMMAND...: a line of progress; the command's own output only if it fails.
step() {
    printf '%s ...' "$1"
    shift
    since=$(date +%s)
    if "$@" >"$log" 2>&1 </dev/null; then
        echo " $(($(date +%s) - since)) s"
    else
        echo ' failed:'
        cat "$log"
        return 1
    fi
}

# The tools that can be needed, and the package of each.
packages='
NEEDED      DEBIAN/UBUNTU     FEDORA           ARCH             HOMEBREW
gcc         gcc               gcc              gcc              gcc
g++         g++               gcc-c++          gcc              gcc
meson       meson             meson            meson            meson
ninja       ninja-build       ninja-build      ninja            ninja
pkg-config  pkg-config        pkgconf          pkgconf          pkgconf
criterion   libcriterion-dev  criterion-devel  criterion(AUR)   criterion
'

there() {
    case $1 in
        criterion) echo '#include <criterion/criterion.h>' | gcc -E - >"$log" 2>&1 ;;
        *) command -v "$1" >"$log" ;;
    esac
}

missing() {
    for name; do there "$name" || printf '%s ' "$name"; done
}

apt_get() {
    set -- env DEBIAN_FRONTEND=noninteractive apt-get "$@"
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# need NAME...: have each of these, by apt-get where that is possible.
need() {
    absent=$(missing "$@")
    [ -n "$absent" ] || return 0

    if command -v apt-get >"$log" && { [ "$(id -u)" = 0 ] || command -v sudo >"$log"; }; then
        debian=$(echo "$packages" | awk -v absent=" $absent" 'index(absent, " " $1 " ") { print $2 }' | xargs)
        # shellcheck disable=SC2086 # one word a package
        step 'Reading the lists of packages' apt_get update -q &&
            step "Installing $debian" apt_get install -q -y --no-install-recommends $debian
    fi

    absent=$(missing "$@")
    [ -n "$absent" ] || return 0
    {
        echo "$0 needs: $absent"
        echo 'They could not be installed from here (that takes apt-get, and root or sudo). Their usual packages:'
        echo "$packages" | awk -v absent=" NEEDED $absent" 'index(absent, " " $1 " ") { print "    " $0 }'
    } >&2
    exit 1
}

# configure [MESON OPTIONS]: make build/ ready, or ready again: a compiler or a GPU may be new since the last time.
configure() {
    if [ -e build ]; then
        meson setup --reconfigure "$@" build >"$log" 2>&1 && return
        # Half made, or another Meson's? Then a fresh one works. If not, leave the old one as it was.
        rm -rf build.old
        mv build build.old
    fi
    if step 'Setting up build/' meson setup "$@" build; then
        rm -rf build.old
    else
        rm -rf build
        [ ! -e build.old ] || mv build.old build
        exit 1
    fi
}
