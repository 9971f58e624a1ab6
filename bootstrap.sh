#!/bin/sh
# sh bootstrap.sh demo: installs what is missing (Debian 12, as root or with sudo), builds, scans the system's licence texts.
# sh bootstrap.sh test: the same, then runs the whole suite.
set -eu
cd "$(dirname "$0")"

packages="cmake ninja-build gcc g++ pkg-config liblua5.4-dev glslang-dev spirv-tools libvulkan-dev libcmocka-dev libxxhash-dev
mesa-vulkan-drivers vulkan-validationlayers"

say() { printf 'monosweep: %s\n' "$*" >&2; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_missing() {
    missing=
    for package in $packages; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    say "installing$missing"
    as_root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive as_root apt-get install -qq -y --no-install-recommends $missing >/dev/null
}

build() {
    install_missing
    cmake -G Ninja -S . -B build "$@" >build.log 2>&1 || { cat build.log; exit 1; }
    ninja -C build >>build.log 2>&1 || { cat build.log; exit 1; }
    mv build.log build/
    say "built in build/"
}

# Real input: the licence texts; every result is verified against the oracle, the totals also against wc.
demo() {
    mkdir -p build/demo
    find /usr/share/common-licenses -type f | LC_ALL=C sort | xargs cat >build/demo/licences.txt
    input=in=build/demo/licences.txt
    say "line, word and column of every byte of build/demo/licences.txt"
    build/monosweep run examples/text_offsets.lua --op offsets --input $input --output out=build/demo/offsets.npy --verify
    say "lines, words, longest line"
    build/monosweep run examples/text_offsets.lua --op totals --input $input --output out=build/demo/totals.bin --verify
    say "a moving average of its bytes, an affine recurrence"
    build/monosweep run examples/affine.lua --input $input --output out=build/demo/average.npy --verify
    # shellcheck disable=SC2046
    set -- $(od -A n -t u4 build/demo/totals.bin)
    say "$1 lines, $2 words, longest line $3 bytes"
    # shellcheck disable=SC2046
    [ "$1 $2" = "$(echo $(LC_ALL=C wc -lw <build/demo/licences.txt))" ] || { say "wc counts otherwise"; exit 1; }
    say "wc counts the same"
}

case "${1:-}" in
demo)
    build
    demo
    ;;
test)
    build -DMSW_WERROR=ON
    ctest --test-dir build --output-on-failure --no-tests=error
    ;;
*)
    echo "usage: sh bootstrap.sh demo | test" >&2
    exit 2
    ;;
esac
