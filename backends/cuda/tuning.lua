-- Measured rows for CUDA (what a row says: gen/plan/tuning.lua), on an H200 where a figure names no other GPU. bench/NOTES.md has what was tried.

-- Look-ahead: tiles of 30 to 50 KiB, of which 4 to 7 are in flight. Wider elements want more threads, or more of them a thread.
row { backend = "cuda", arch = "sm_90", class = "scan", bytes = { 1, 1 }, strategy = "lookahead", from = 16777216, knobs = { block = 480,
    thread_bytes = 80 },
    figure = "89 % of memcpy, 2^29 u8; 384 threads with 112 bytes 88", date = "2026-11-22" }
row { backend = "cuda", arch = "sm_90", class = "scan", bytes = { 2, 15 }, strategy = "lookahead", from = 16777216, knobs = { block = 384,
    thread_bytes = 80 },
    figure = "95 to 96 % of memcpy, 2^28 u16, u32, f32, 2^27 u64, i64, affine maps", date = "2026-11-22" }
row { backend = "cuda", arch = "sm_90", class = "scan_narrow", bytes = { 2, 15 }, strategy = "lookahead", from = 16777216, knobs = { block = 512,
    thread_bytes = 80 },
    figure = "2^26 f32 by affine maps to u8: 101 us, 384 threads 110", date = "2026-11-29" }
row { backend = "cuda", arch = "sm_90", class = "scan", bytes = { 16, 31 }, strategy = "lookahead", from = 16777216, knobs = { block = 480,
    thread_bytes = 80 },
    figure = "96 % of memcpy, 2^25 matrices of 16 bytes; 3 tiles ahead 66", date = "2026-11-22" }
row { backend = "cuda", arch = "sm_90", class = "scan", bytes = { 32, 128 }, strategy = "lookahead", from = 16777216, knobs = { block = 224,
    thread_bytes = 224 },
    figure = "83 % of memcpy, 2^24 matrices of 32 bytes; 256 threads 58", date = "2026-11-22" }

-- By a balanced tree (deterministic = "everywhere"): threads and their items are powers of two, tiles 32 KiB.
row { backend = "cuda", arch = "sm_90", class = "scan_everywhere", bytes = { 1, 4 }, strategy = "lookahead", knobs = { block = 512,
    thread_bytes = 64 },
    figure = "95 % of memcpy, 2^28 f32 sums; reduce_then_scan 62", date = "2026-11-24" }
row { backend = "cuda", arch = "sm_90", class = "scan_everywhere", bytes = { 5, 32 }, strategy = "lookahead", knobs = { block = 256,
    thread_bytes = 128 },
    figure = "90 % of memcpy, 2^27 affine maps of f32; reduce_then_scan 57", date = "2026-11-24" }

row { backend = "cuda", arch = "sm_90", class = "sweep_everywhere", bytes = { 1, 32 }, strategy = "lookahead", knobs = { block = 512,
    thread_bytes = 128 },
    figure = "66 % of memcpy, 2^28 u32 + f32, reduce_by_key of runs of 4 (any order 79); reduce_then_scan 31", date = "2026-11-24" }

-- Sweeps: bytes are those of an item's inputs.
row { backend = "cuda", arch = "sm_90", class = "sweep_packed", bytes = { 1, 32 }, strategy = "lookahead", from = 16777216, knobs = { block = 384,
    thread_bytes = 112 },
    figure = "88, 98, 96 % of memcpy, 2^28 u32, 1, 50, 90 % kept; u64 99; partition 95; unique 84 to 91", date = "2026-11-23" }
row { backend = "cuda", arch = "sm_90", class = "sweep_packed_narrow", bytes = { 1, 2 }, strategy = "lookahead", from = 16777216,
    knobs = { block = 256, items = 36, resident = 2 },
    figure = "2^26 u8, a half kept: 75 us, as above 100; places 81, 88", date = "2026-11-29" }
row { backend = "cuda", arch = "sm_90", class = "sweep", bytes = { 1, 3 }, strategy = "lookahead", from = 16777216, knobs = { block = 512,
    thread_bytes = 112, stages = 3, ahead = 1 },
    figure = "70 and 56 % of memcpy, 2^28 u32, run_length_encode of runs of 4 and 64", date = "2026-11-23" }
row { backend = "cuda", arch = "sm_90", class = "sweep", bytes = { 4, 4 }, strategy = "lookahead", from = 16777216, knobs = { block = 256,
    thread_bytes = 176, stages = 4, ahead = 1 },
    figure = "89, 86, 75 % of memcpy, 2^28 u32, run_length_encode of runs of 1, 4, 64; 384 threads with 112 bytes 89, 86, 69", date = "2026-11-24" }
row { backend = "cuda", arch = "sm_90", class = "sweep", bytes = { 5, 8 }, strategy = "lookahead", from = 16777216, knobs = { block = 256,
    thread_bytes = 224, stages = 4, ahead = 1 },
    figure = "93, 90, 86 % of memcpy, 2^28 u32 + f32, reduce_by_key of runs of 1, 4, 64; 512 threads with 96 bytes 93, 84, 73", date = "2026-11-23" }
row { backend = "cuda", arch = "sm_90", class = "sweep", bytes = { 9, 32 }, strategy = "lookahead", from = 16777216, knobs = { block = 320,
    thread_bytes = 168, stages = 4, ahead = 1 },
    figure = "94, 90, 79 % of memcpy, 2^28 u32 + affine maps of 8 bytes, reduce_by_key of runs of 1, 4, 64", date = "2026-11-23" }
-- Segments by offsets: large tiles, since half of a thread's work is for the tile, however many items it has.
row { backend = "cuda", arch = "sm_90", class = "sweep_segments", bytes = { 1, 32 }, strategy = "lookahead", from = 4194304, knobs = { block = 512,
    thread_bytes = 144 },
    figure = "85 and 96 % of memcpy, 2^28 f32, segments of 64 and 2^26; 384 threads with 176 bytes 84 and 95", date = "2026-11-24" }
row { backend = "cuda", arch = "sm_90", class = "scan_segments", bytes = { 1, 32 }, strategy = "lookahead", from = 16777216, knobs = { block = 384,
    thread_bytes = 112 },
    figure = "93 and 95 % of memcpy, 2^28 f32, scans of segments of 64 and 1024; 384 threads with 144 bytes 91 and 92", date = "2026-11-24" }

-- Sorts where a multiprocessor has room for two blocks of 64 KiB. Images of several fields take registers too.
row { backend = "cuda", arch = "sm_80", class = "sort", bytes = 4, shared = 163840, knobs = { block = 384, items = 32 },
    figure = "sm_90: 50.1 Gkeys/s, 2^28 u32", date = "2026-11-21" }
row { backend = "cuda", arch = "sm_80", class = "sort_pairs", bytes = 4, shared = 163840, knobs = { block = 256, items = 40 },
    figure = "sm_90: 36.2 Gkeys/s, 2^28 u32 with u32", date = "2026-11-21" }
row { backend = "cuda", arch = "sm_80", class = "sort_fields", bytes = 4, shared = 163840, knobs = { block = 256, items = 40 },
    figure = "as pairs", date = "2026-11-21" }
row { backend = "cuda", arch = "sm_80", class = "sort_fields", bytes = 8, shared = 163840, knobs = { block = 256, items = 28 },
    figure = "sm_90: 18.45 Gkeys/s, 2^28 splats of 46 bits with indices; 32 items 17.7, 24 items 17.7", date = "2026-11-21" }

-- From when on keys are partitioned first (msd_hybrid): where random ones take four fifths of the time. README, "By buckets".
row { backend = "cuda", arch = "sm_90", class = "sort", bytes = 4, shared = 163840, strategy = "msd_hybrid", from = 4325384,
    figure = "H100, 881744 u32: 21.3 Gkeys/s, Onesweep 13.3", date = "2026-11-27" }
row { backend = "cuda", arch = "sm_90", class = "sort", bytes = { 5, 16 }, shared = 163840, strategy = "msd_hybrid", from = 524304,
    figure = "H200, 65536 u64: 1.9 Gkeys/s, Onesweep 1.1, a cluster 1.4", date = "2026-11-28" }
row { backend = "cuda", arch = "sm_90", class = "sort_pairs", bytes = { 5, 8 }, shared = 163840, strategy = "msd_hybrid", from = 1572864,
    figure = "H200, 65536 u64 with u32: 1.44 Gkeys/s, Onesweep 0.96", date = "2026-11-28" }
row { backend = "cuda", arch = "sm_90", class = "sort_pairs", bytes = { 9, 16 }, shared = 163840, strategy = "msd_hybrid", from = 6488088,
    figure = "H200, 2^17 u64 with 16 bytes: 1.5 times as fast", date = "2026-11-28" }
row { backend = "cuda", arch = "sm_90", class = "sort_pairs", bytes = 4, shared = 163840, strategy = "msd_hybrid", from = 4325392,
    figure = "H100, 440872 u32 with u32: 8.92 Gkeys/s, Onesweep 6.63", date = "2026-11-27" }
row { backend = "cuda", arch = "sm_90", class = "sort_fields", bytes = { 8, 16 }, shared = 163840, strategy = "msd_hybrid", from = 20971520,
    figure = "H100, 2^20 splats: 14.7 Gkeys/s, Onesweep 8.27", date = "2026-11-27" }

-- What cuts of pipelines are predicted by; the rest as in gen/cut/device.c, an H200's. Later GPUs go by it, too.
row { backend = "cuda", arch = "sm_90", class = "device", constants = { bandwidth = 4.1e12 },
    figure = "fitted to seventeen pipelines of 2^26 elements by all cuts on an H200: 0.82 to 1.16 of what is predicted", date = "2026-11-26" }
row { backend = "cuda", arch = "sm_90", class = "device", device = "H100", constants = { bandwidth = 3.0e12 },
    figure = "ten pipelines: 0.99 to 1.09 of what is predicted; look-backs in a row, 2^26 u32: 593 us",
    date = "2026-11-26" }
