#!/bin/sh
# sh bootstrap.sh test: installs what is missing (Debian 12, as root or with sudo), builds, runs the whole suite.
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

case "${1:-}" in
test)
    build -DMSW_WERROR=ON
    ctest --test-dir build --output-on-failure --no-tests=error
    ;;
*)
    echo "usage: sh bootstrap.sh test" >&2
    exit 2
    ;;
esac
