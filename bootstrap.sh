#!/bin/sh
# sh bootstrap.sh demo   builds, scans a real text on the default device, and sorts its words
# sh bootstrap.sh test   builds without a warning, and passes the whole suite
# sh bootstrap.sh clang  builds with clang, without a warning, and has its fuzzers run for a while
# sh bootstrap.sh lint   after that: clang-format, clang-tidy, lines of at most 150 columns
# Each installs what is missing first (Debian 12; as root or with sudo). Without dpkg it says what is needed, and goes on. A second run is quick.
set -eu
cd "$(dirname "$0")"
LC_ALL=C
export LC_ALL

packages="cmake ninja-build make gcc g++ pkg-config liblua5.4-dev glslang-dev spirv-tools libvulkan-dev libcmocka-dev libxxhash-dev
mesa-vulkan-drivers vulkan-validationlayers spin locales"
updated=

say() { printf 'monosweep: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# ---- what the machine needs ----

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "'$*' needs root; run it as root, or install sudo"
    fi
}

update_lists() {
    [ -n "$updated" ] || as_root apt-get update -qq >/dev/null
    updated=1
}

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "there is no dpkg, so nothing is installed; what is needed, by Debian's names: $*"
        return 0
    fi
    missing=
    for package in "$@"; do
        is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || die "missing:$missing; there is no apt-get, install them by hand"
    say "installing$missing"
    update_lists
    # shellcheck disable=SC2086 # a list of words
    if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >build/install.log 2>&1; then
        cat build/install.log
        die "installing failed; see above"
    fi
}

download() { apt-get download -qq -o APT::Sandbox::User=root "$1"; }

# A second Vulkan driver for the tests, out of Debian's chromium, which is not installed.
fetch_swiftshader() {
    [ ! -f build/swiftshader/vk_swiftshader_icd.json ] || return 0
    say "fetching SwiftShader out of chromium-common"
    rm -rf build/swiftshader.part
    mkdir -p build/swiftshader.part
    (
        cd build/swiftshader.part
        download chromium-common 2>/dev/null || { update_lists && download chromium-common; } || exit 1
        dpkg-deb --fsys-tarfile chromium-common_*.deb | tar -x --wildcards --strip-components=4 '*/libvk_swiftshader.so' '*/vk_swiftshader_icd.json'
        rm -f chromium-common_*.deb
        [ -f libvk_swiftshader.so ] && [ -f vk_swiftshader_icd.json ]
    ) || return 1
    mv build/swiftshader.part build/swiftshader
}

# The directory of a CUDA run-time compiler that knows sm_100, for the tests; the system's own where there is one.
find_nvrtc() {
    for library in build/nvrtc/libnvrtc.so.1[3-9] /usr/local/cuda*/lib64/libnvrtc.so.1[3-9]; do
        [ ! -f "$library" ] || { (cd "$(dirname "$library")" && pwd) && return; }
    done
    return 1
}

fetch_nvrtc() {
    ! find_nvrtc >/dev/null || return 0
    say "fetching NVRTC"
    python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
    rm -rf build/nvrtc.part
    mkdir -p build/nvrtc.part
    python3 -m pip download -q --no-deps -d build/nvrtc.part nvidia-cuda-nvrtc==13.0.88 >build/install.log 2>&1 ||
        { cat build/install.log && return 1; }
    python3 -m zipfile -e build/nvrtc.part/*.whl build/nvrtc.part || return 1
    rm -rf build/nvrtc
    mv build/nvrtc.part/nvidia/*/lib build/nvrtc
    rm -rf build/nvrtc.part
}

# ---- building ----

# build DIRECTORY TARGET OPTION..: a warning counts as a failure where the options say so
build() {
    directory=$1 target=$2
    shift 2
    mkdir -p "$directory"
    if ! cmake -G Ninja -S . -B "$directory" -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@" >"$directory/build.log" 2>&1 ||
        ! cmake --build "$directory" --target "$target" >>"$directory/build.log" 2>&1; then
        cat "$directory/build.log"
        die "building failed; see above"
    fi
    say "built in $directory"
}

refuse_warnings() {
    ! grep -i 'warning:' "$1/build.log" || die "the build warned; see above"
}

# ---- the commands ----

run_test() {
    install_packages doxygen
    fetch_swiftshader || die "SwiftShader cannot be fetched; the suite needs it"
    fetch_nvrtc || die "NVRTC cannot be fetched; the suite needs it"
    build build all -DMSW_WERROR=ON "-DMSW_SWIFTSHADER_ICD=$PWD/build/swiftshader/vk_swiftshader_icd.json" "-DMSW_NVRTC_DIR=$(find_nvrtc)"
    refuse_warnings build
    passed=1
    ctest --test-dir build -j "$(nproc)" --output-on-failure --no-tests=error --output-log "$PWD/build/ctest.log" || passed=
    ! grep 'did not run' build/ctest.log || passed=
    ! grep '\[  SKIPPED \] [a-z]' build/Testing/Temporary/LastTest.log | grep -v '\] no_cuda_device$' || passed= # what needs a GPU
    [ -n "$passed" ] || die "tests failed or were skipped; see above"
}

# Needs the build of `clang`, whose commands clang-tidy reads.
run_lint() {
    install_packages clang-format clang-tidy
    sources=$(find backends bench examples gen include runtime tests \( -name '*.[ch]' -o -name '*.cpp' \) ! -path 'tests/emit/golden/*')
    printf '%s\n' "$sources" | xargs clang-format --dry-run -Werror || die "some files are not as clang-format has them: clang-format -i FILE"
    texts=$(find . \( -path './build*' -o -path './.git' -o -path './tests/spec/*_specs' -o -path './tests/fuzz/seeds' \) -prune -o \
        \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.lua' -o -name '*.cmake' -o -name CMakeLists.txt -o -name '*.sh' \) -print)
    ! printf '%s\n' "$texts" | xargs awk 'length > 150 { print FILENAME ":" FNR ": " length " columns"; found = 1 } END { exit !found }' ||
        die "lines have at most 150 columns"
    find gen runtime backends -name '*.c' ! -name instrument.c |
        xargs -P "$(nproc)" -n 8 clang-tidy -p build/clang --quiet >build/tidy.log 2>/dev/null ||
        { cat build/tidy.log && die "clang-tidy found something; see above"; }
    say "formatted, and clang-tidy is silent"
}

run_clang() {
    install_packages clang libclang-rt-14-dev
    # Its warnings are the same whatever it optimises, and only the fuzzers run, which have options of their own.
    build build/clang all -DMSW_WERROR=ON -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
        "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0 -DNDEBUG" "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -DNDEBUG"
    refuse_warnings build/clang
    ctest --test-dir build/clang -R '^fuzz_' -j "$(nproc)" --output-on-failure --no-tests=error --output-log "$PWD/build/clang/ctest.log" ||
        die "a fuzzer found something; see above. Its input is in build/clang/tests/fuzz"
}

# numbers FORMAT FILE FIRST_BYTE BYTES
numbers() {
    tail -c "+$(($3 + 1))" "$2" | head -c "$4" | od -A n -t "$1"
}

same() {
    [ "$2" = "$3" ] || die "$1: $2, but $3 was expected"
}

run_demo() {
    build build monosweep_cli
    demo=build/demo
    mkdir -p "$demo"
    for file in /usr/share/common-licenses/*; do
        [ -L "$file" ] || [ ! -f "$file" ] || cat "$file"
    done >"$demo/licences.txt"
    run="build/monosweep run --verify --input in=$demo/licences.txt"
    $run examples/text_offsets.lua --op offsets --output "out=$demo/places.bin"
    $run examples/text_offsets.lua --op totals --output "out=$demo/totals.bin"
    $run examples/affine.lua --output "out=$demo/average.bin"
    show_scans
    sort_words
}

# What the scans found, beside what the system's tools say.
show_scans() {
    # shellcheck disable=SC2046 # three numbers
    set -- $(numbers u4 "$demo/totals.bin" 0 12)
    same "lines" "$1" "$(($(wc -l <"$demo/licences.txt")))"
    same "words" "$2" "$(($(wc -w <"$demo/licences.txt")))"
    same "longest line" "$3" "$(awk '{ if (length > most) most = length } END { print most }' "$demo/licences.txt")"
    printf 'licences.txt: %s lines, %s words, longest line %s bytes; wc and awk agree\n' "$1" "$2" "$3"
    bytes=$(($(wc -c <"$demo/licences.txt")))
    for at in $((bytes / 3)) $((bytes / 2)) $((bytes - 1)); do
        # shellcheck disable=SC2046 # four numbers
        set -- $(numbers u4 "$demo/places.bin" $((12 * at)) 12) $(numbers f4 "$demo/average.bin" $((4 * at)) 4)
        same "line of byte $at" "$1" "$(($(head -c "$at" "$demo/licences.txt" | wc -l) + 1))"
        printf 'byte %s: line %s, word %s, column %s; moving average %s\n' "$at" "$@"
    done
}

# The words' places, the longest words first, beside what sort makes of their lengths and letters; a record has 24 bytes.
sort_words() {
    tr -cs '[:alpha:]' '\n' <"$demo/licences.txt" | tr '[:upper:]' '[:lower:]' | cut -c 1-24 | sed '/^$/d' >"$demo/words.txt"
    awk '{ printf "%-24s", $0 }' "$demo/words.txt" >"$demo/words.bin"
    build/monosweep run --verify examples/words.lua --input "in=$demo/words.bin" --output "values_out=$demo/order.bin"
    od -A n -v -t u4 -w4 "$demo/order.bin" | tr -d ' ' >"$demo/order.txt"
    awk '{ print length($0), substr($0, 1, 4), NR - 1 }' "$demo/words.txt" | sort -s -k1,1nr -k2,2 | cut -d ' ' -f 3 >"$demo/expected.txt"
    cmp "$demo/order.txt" "$demo/expected.txt" || die "the words are not in sort's order"
    awk 'NR == FNR { word[NR - 1] = $0; next } { print word[$1] }' "$demo/words.txt" "$demo/order.txt" >"$demo/sorted.txt"
    printf 'words.txt: %s words sorted by length and letters; sort agrees on every place; the longest:' "$(($(wc -l <"$demo/words.txt")))"
    uniq "$demo/sorted.txt" | sed -n '1,5s/^/ /p' | tr -d '\n'
    echo
}

case "${1:-}" in
demo | test | clang | lint)
    mkdir -p build
    # shellcheck disable=SC2086 # a list of words
    install_packages $packages
    "run_$1"
    ;;
*)
    echo "usage: sh bootstrap.sh demo|test|clang|lint" >&2
    exit 2
    ;;
esac
