// Structs of floor.cu shared with Rust (src/gpu/floor/abi.rs). floor/abi_layout.cuh, made from the Rust side, asserts
// every size and offset.

// Sixteen bytes, which a thread reads or writes at once.
struct alignas(16) FloorWords {
    u32 words[4];
};

// What the host waits for: `frame` is written last.
struct FloorHeader {
    u64 frame;
    u32 sum;            // of all words of the source
    u32 reserved;
};

// Everything a launch of `frame_floor` reads. Sizes are those of buffers() in Rust's gpu/floor.rs.
struct FloorArgs {
    const FloorWords* source; // source_count
    FloorWords* results;    // result_count
    FloorHeader* header;
    u32* state;             // 3: the barrier's two, the sum; zero before the first launch
    u64 frame;              // number of the frame, for the header
    u32 source_count, result_count;
    u32 barriers;           // how often all blocks meet: at least 2
    u32 reserved;
};
