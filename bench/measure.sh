#!/bin/sh
# Measures everything that README's tables say, in about nine minutes: sh bench/measure.sh BUILD OUT [COMMIT]
# BUILD: a build with -DMSW_BUILD_BENCH=ON by an nvcc for the device; OUT: a folder, for the raw results, which then go to bench/results, and
#   build/msw_lua bench/tables.lua . bench/results README.md README.md
# SWEEPS=1 measures sweeps by CUDA instead, into OUT/sweeps.csv.
# DIGITS=1 measures, in two minutes at most, sorts by the bits of a digit and the baselines of few keys, into OUT/digits.csv, of which
#   build/msw_lua bench/digits.lua . bench/results/digits.csv bench/results/digits.svg
#   draws README's picture.
# CUDA and VULKAN name other devices ("" leaves one out), SMALL=1 takes few elements: to try this script where there is no GPU.
set -u
build=${1:?sh bench/measure.sh BUILD OUT [COMMIT]} out=${2:?sh bench/measure.sh BUILD OUT [COMMIT]}
commit=${3:-$(git describe --always --dirty --exclude '*' 2>/dev/null || echo "not known")}
cuda=${CUDA-cuda} vulkan=${VULKAN-vulkan} small=${SMALL:-}
most_seconds=520 begun=$(date +%s) failures=0
parts=$(mktemp -d) || exit 1
sampler= holder=
trap 'kill $sampler $holder 2>/dev/null; rm -rf "$parts"' EXIT
mkdir -p "$out" || exit 1
exec 3>"$out/log.txt"

left() { echo $((most_seconds - ($(date +%s) - begun))); }

# step SECONDS COMMAND..: of the time that is left; what it says goes to the log, and that it failed, to whoever looks.
step() {
    seconds=$1 rest=$(left)
    shift
    [ "$rest" -lt "$seconds" ] && seconds=$rest
    if [ "$seconds" -lt 5 ]; then echo "no time left: $*"; failures=$((failures + 1)); return 1; fi
    echo "$(date +%T) $*" >&3
    timeout "$seconds" "$@" >&3 2>&1 || { echo "failed or too slow ($seconds s): $*"; failures=$((failures + 1)); return 1; }
}

# power N: 2^N elements, or few.
power() { if [ "$small" ]; then echo 12; else echo "$1"; fi; }

# The clocks while it runs: lines "SM memory", in MHz.
sample() {
    nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv,noheader,nounits -lms 200 >"$parts/clocks" 2>/dev/null &
    sampler=$!
}

# In seen_clocks: the middle one of the samples, which compilations are among.
stop_sampling() {
    kill $sampler 2>/dev/null
    sampler= seen_clocks="not known"
    [ -s "$parts/clocks" ] || return 0
    seen_clocks=$(tr -d , <"$parts/clocks" | sort -n | awk '{ sm[NR] = $1; if ($2 > memory) memory = $2 }
        END { printf "SM %d MHz, median (%d to %d with compilations), memory %d MHz", sm[int((NR + 1) / 2)], sm[1], sm[NR], memory }')
}

# gather NAME LINES: the parts NAME.*.csv as one table, after what LINES say of them besides.
gather() {
    is_first=1
    stop_sampling
    {
        echo "# commit: $commit"
        echo "# date: $(date -u +%F)"
        echo "# clocks: $seen_clocks"
        echo "# remark: NVIDIA driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)"
        [ "$2" ] && echo "$2"
        for part in "$parts/$1".*.csv; do
            [ -s "$part" ] || continue
            if [ $is_first ]; then cat "$part"; else grep -v '^#' "$part" | sed 1d; fi
            is_first=
        done
    } >"$out/$1.csv"
}

cat >"$parts/u32_sum.lua" <<'LUA'
return scan { name = "u32_sum", monoid = sum(u32), kind = "exclusive" }
LUA
cat >"$parts/sort_u32.lua" <<'LUA'
return sort { name = "sort_u32", key = u32 }
LUA
cat >"$parts/sort_u64_u32.lua" <<'LUA'
return sort { name = "sort_u64_u32", key = u64, value = u32 }
LUA

finish() {
    echo "$(($(date +%s) - begun)) s; results in $out, what was said in $out/log.txt"
    [ $failures = 0 ] || { echo "$failures of these failed: what they measure is missing"; exit 1; }
    exit 0
}

# Sweeps are as many cases as all the others: a run of their own. Cases that were measured before the time was over are kept.
if [ "${SWEEPS:-}" ]; then
    sample
    step "$most_seconds" "$build/bench/bench_sweep" --device "$cuda" --n "$(power 28)" --rounds 15 --csv "$parts/sweeps.all.csv"
    gather sweeps ""
    finish
fi

# Few keys first; then each strategy by all digits, the usual ones and larger ones apart: what does not come to an end costs the rest nothing.
if [ "${DIGITS:-}" ]; then
    most_seconds=118
    sample
    if [ "$cuda" ]; then
        step 20 "$build/bench/bench_sort" --device "$cuda" --n "$([ "$small" ] && echo '2^5..2^7' || echo '2^5..2^20')" --rounds 9 --case u32 \
            --set strategy=onesweep,digit_bits=1 --set strategy=split --csv "$parts/digits.few.csv"
    fi
    for device in $cuda $vulkan; do
        for strategy in onesweep msd_hybrid; do
            for digits in 1..8 9..11; do
                step 24 "$build/bench/bench_sort" --device "$device" --n "$(power 26)" --rounds 5 --case u32 --digits $digits \
                    --set strategy=$strategy --csv "$parts/digits.$device.$strategy.$digits.csv"
            done
        done
    done
    gather digits ""
    finish
fi

if [ "$cuda" ]; then
    step 60 "$build/monosweep" gen "$parts/u32_sum.lua" --target header --backend cuda --embed ptx -o "$parts/header"
    nvrtc=$(cat "$parts"/header/*.h 2>/dev/null | grep -o 'NVRTC [0-9]*\.[0-9]*' | head -1)

    sample
    while read -r n name; do
        step 60 "$build/bench/bench_scan" --device "$cuda" --n "$(power "$n")" --rounds 31 --set strategy=auto --case "$name" \
            --csv "$parts/scans.$name.csv" </dev/null
    done <<'CASES'
28 u32 sum
28 f32 sum
27 u64 sum
27 i64 max
27 affine u32x2
26 matrix u32 2x2
25 matrix u64 2x2
28 u16 sum
28 f16 sum
29 u8 sum
28 u32 reduce
CASES
    gather scans ""

    sample
    for name in u32 u32+u32 argsort u64 u64+u32 tile_depth u16 u8; do
        step 60 "$build/bench/bench_sort" --device "$cuda" --n "$([ "$small" ] && echo 10,12 || echo 16,20,24,28)" --rounds 15 --case $name \
            --csv "$parts/sorts.$name.csv"
    done
    gather sorts ""

    sample
    for spec in "$parts/u32_sum.lua" examples/affine.lua "$parts/sort_u32.lua" "$parts/sort_u64_u32.lua" examples/words.lua; do
        step 60 "$build/monosweep" bench "$spec" --jit --device "$cuda" --cache-dir "$parts/cache" \
            --csv "$parts/jit.$(basename "$spec" .lua).csv"
    done
    gather jit "$(grep -E '^# (device|driver):' "$out/scans.csv")
# nvrtc: ${nvrtc:-not known}"
fi

if [ "$vulkan" ]; then
    # By Vulkan alone the clock falls between submissions. For scans the whole device is held up by one thread of CUDA's; sorts are long enough by
    # themselves, and would lose a fifth to it.
    if [ -x "$build/bench/bench_hold_clock" ]; then "$build/bench/bench_hold_clock" "$most_seconds" & holder=$!; fi
    sample
    while read -r n name; do
        step 45 "$build/bench/bench_scan" --device "$vulkan" --n "$(power "$n")" --rounds 31 --set strategy=auto --case "$name" \
            --csv "$parts/vulkan.$name.csv" </dev/null
    done <<'CASES'
27 u32 sum
26 u64 sum
26 affine u32x2
CASES
    [ -z "$holder" ] || kill "$holder"
    holder=
    for name in u32 argsort u16 u8 u64 u64+u32; do
        step 45 "$build/bench/bench_sort" --device "$vulkan" --n "$(power 27)" --rounds 9 --case $name --csv "$parts/vulkan.sort $name.csv"
    done
    gather vulkan ""
fi

if [ "$cuda" ]; then
    sample
    step 120 "$build/bench/bench_scan" --device "$cuda" --n "$([ "$small" ] && echo '2^10..2^12' || echo '2^10..2^26:2^0.5')" --rounds 15 \
        --case "u32 sum" --csv "$parts/curves.u32.csv"
    gather curves ""
fi
finish
