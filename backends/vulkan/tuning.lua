-- Measured rows for Vulkan (what a row says: gen/plan/tuning.lua).

-- llvmpipe on two cores that were not idle: ratios of runs by turns count, not the rates. Of other classes nothing better was found
-- than the formulas.
row { backend = "vulkan", arch = "lavapipe", class = "scan", bytes = 8, strategy = "reduce_then_scan", knobs = { items = 24 },
    figure = "1.30 times as fast as with 8 items, 2^18 affine maps, 0.158 GB/s", date = "2026-11-21" }
row { backend = "vulkan", arch = "lavapipe", class = "scan", bytes = 16, strategy = "reduce_then_scan", knobs = { items = 12 },
    figure = "1.52 times as fast as with 4 items, 2^17 matrices, 0.162 GB/s", date = "2026-11-21" }
row { backend = "vulkan", arch = "lavapipe", class = "reduce", bytes = 8, knobs = { block = 64, blocks = 512, items = 20 },
    figure = "1.35 times as fast as with blocks of 256 and 8 items, 2^18 u64, 1.21 GB/s", date = "2026-11-21" }

-- NVIDIA's driver: few registers and little shared memory, so that more blocks run.
row { backend = "vulkan", arch = "nvidia", class = "sweep_packed", bytes = { 4, 4 }, strategy = "lookback", knobs = { items = 16, packs = 1 },
    figure = "65 and 49 % of the copy kernel, 2^27 u32, 50 and 1 % kept; 24 items 62 and 53, packs = 0 55 and 42", date = "2026-11-24" }

-- Of sorts, blocks that stay and take tiles by turns, two a multiprocessor (one to four are as fast).
row { backend = "vulkan", arch = "nvidia", class = "sort", bytes = { 4, 16 }, knobs = { resident = 2 },
    figure = "H100, 2^27: u32 32.6 Gkeys/s, u64 10.1; with a block for every tile, at most 1024, 30.0 and 9.1", date = "2026-11-27" }
row { backend = "vulkan", arch = "nvidia", class = "sort_pairs", bytes = { 4, 16 }, knobs = { resident = 2 },
    figure = "H100, 2^26: u32 with u32 24.5 Gkeys/s, u64 with u32 7.3; as above 22.9 and 6.8", date = "2026-11-27" }
row { backend = "vulkan", arch = "nvidia", class = "sort_fields", bytes = { 4, 16 }, knobs = { resident = 2 },
    figure = "not measured; as pairs", date = "2026-11-27" }
-- And from when on keys are partitioned first, up to where buckets are as large as a block sorts.
row { backend = "vulkan", arch = "nvidia", class = "sort", bytes = 4, shared = 49152, strategy = "msd_hybrid", from = 33554432,
    figure = "H100, 2^22 u32: 166 us, Onesweep 185; 2^26 1575, 2102", date = "2026-11-27" }
row { backend = "vulkan", arch = "nvidia", class = "sort", bytes = { 5, 16 }, shared = 49152, strategy = "msd_hybrid", from = 16777216,
    figure = "H100, u64 2^20: 106 us, Onesweep 178; 2^24 724, 1765; 16 bytes 2^19 157, 365; 2^24 1584, 7048", date = "2026-11-27" }
row { backend = "vulkan", arch = "nvidia", class = "sort_pairs", bytes = { 5, 16 }, shared = 49152, strategy = "msd_hybrid", from = 25165824,
    figure = "H100, 2^24 u64 with u32: 1141 us, Onesweep 2400; u32 with 8 bytes 988, 1211, with 16 1551, 2039; u64 with 16 1704, 4219;"
        .. " at 2^20 153, 226; 126, 122; 166, 173; 197, 343", date = "2026-11-27" }
row { backend = "vulkan", arch = "nvidia", class = "sort_fields", bytes = { 8, 16 }, shared = 49152, strategy = "msd_hybrid", from = 20971520,
    figure = "H100, splats of 46 bits with indices 2^20: 138 us, Onesweep 158; 2^24 1061, 1694", date = "2026-11-27" }

-- What cuts of pipelines are predicted by, on processors: nearly all of it is what subgroup operations and shared memory cost, which are loops there.
row { backend = "vulkan", arch = "lavapipe", class = "device", constants = { bandwidth = 5.3e8, block_bandwidth = 0, issue_rate = 5.2e9,
    launch_seconds = 4e-5, tile_seconds = 0, look_back_seconds = 0, next_look_back_seconds = 0, reduce_instructions = 0.6, scan_instructions = 66,
    compact_instructions = 165, pass_instructions = 1250, is_serial = 1, multiprocessors = 2, max_resident_blocks = 1, registers = 0 },
    figure = "between three runs of tune --constants on two busy cores: copy 17 ns an element, scan 40, compact 55, sort 1100 to 1350",
    date = "2026-11-26" }
