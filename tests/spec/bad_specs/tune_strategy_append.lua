-- expect: :2: unique: tune: strategy = fast: choose auto, .. block_atomic (append in any order), atomic_bump (append in any order) or single_block
return unique { input = u32, tune = { strategy = "fast" } }
