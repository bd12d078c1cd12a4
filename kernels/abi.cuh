// Structs shared with Rust (src/gpu/abi.rs). abi_layout.cuh, made from the Rust side, asserts every size and offset.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

// How a source pixel becomes grey; colours by their order in memory.
enum SourceFormat : u32 {
    SOURCE_BYTE = 0,      // the byte: mono8, Bayer
    SOURCE_FIRST_OF_2 = 1,  // mono16 big endian, YUYV
    SOURCE_SECOND_OF_2 = 2, // mono16 little endian, UYVY
    SOURCE_RGB = 3,
    SOURCE_BGR = 4,
    SOURCE_RGBA = 5,
    SOURCE_BGRA = 6,
};

// One feature: what the host hands out, as it lies here.
struct Feature {
    f32 u, v;           // level-0 px
    i32 half_x, half_y; // half level-0 px (C0)
    u32 score;          // S (C5)
    u8 level, corner_class, threshold, reserved;
};

// Numbers that stages of `detect` hand to later ones.
enum DetectTotal : u32 {
    TOTAL_LISTED = 0,       // entries of `selected`
    TOTAL_REMAINING = 1,    // of the target after the quotas (C8)
};

const u32 BARRIER_FINISHED = 1; // place in `barrier`

// What the host waits for: `frame` is written last.
struct DetectHeader {
    u64 frame;
    u32 count;          // features and descriptors written
    u32 offered;        // candidates after merge and mask
    u32 offered_class0; // those of class 0: what moves the gain (C3)
    u32 reserved;
};

// A corner that survived suppression (C5), in the slot of its tile.
struct alignas(16) CornerSlot {
    f32 u, v;           // level-0 px (C9)
    u16 x, y;           // pixel of its level
    u16 response;       // S
    u8 strength;        // V
    u8 reserved;
};

// A candidate of C7: a corner that stays after the merge.
struct alignas(16) Candidate {
    u64 key;            // its order (detect/key.cuh)
    f32 u, v;           // level-0 px
};

// Where a level of the pyramid lies, and its tiles of 32 x 32 pixels.
struct Level {
    u32 index;
    i32 width, height;
    u32 pitch;              // pixels a row of `pyramid`
    u32 offset;             // of the first pixel there
    u32 tiles_x;            // tiles a row
    u32 tiles_x_inverse;    // 2^31 / tiles_x, rounded up: divides the number of a tile
    u32 first_tile;         // tiles of all levels are numbered through, row by row
};

// Everything a launch of `detect` reads. Sizes are those of buffers() in Rust's gpu/plan.rs.
struct DetectArgs {
    const u8* source;       // height rows of source_pitch bytes
    const u8* mask;         // width * height bytes, 0 excludes; null: none
    u8* pyramid;            // all levels one after the other, rows of level_pitch(width) bytes
    Feature* features;      // target
    u8* descriptors;        // target * 128 bytes, written if `describe`
    DetectHeader* header;
    u32* barrier;           // 2, zero before the first launch: of grid_barrier, the blocks that have finished
    u32* totals;            // 2, DetectTotal
    u16* peaks;             // per 2 x 2 pixels of every tile: S at its survivor, and where; else 0
    u8* medians;            // per level-0 tile, where the ratio is not 0
    u8* thresholds;         // per level-0 tile
    u32* slot_counts;       // per tile of every level
    CornerSlot* slots;      // TILE_SLOTS per tile
    u32* cell_counts;       // per cell: candidates
    Candidate* candidates;  // cell_capacity per cell
    u32* pool_bins;         // ORDER_BINS: candidates by bin of the order
    u32* bin_starts;        // ORDER_BINS: candidates in the bins before
    u32* cell_class0;       // per cell: n of C8
    u32* cell_all;          // per cell: m of C8
    u64* cell_nexts;        // per cell: the key after its quota, or NO_KEY where none is wanted
    Candidate* selected;    // target + cells: those within the quotas, and those next, in no order
    u32* bin_counts;        // ORDER_BINS: selected within the quotas, by bin of the order
    u64* bin_members;       // their keys, bin by bin from bin_starts on
    u64 frame;              // number of the frame, for the header
    u32 source_pitch;       // bytes, a multiple of 16; at least the width rounded up to 4 pixels
    u32 source_format;      // SourceFormat
    u32 binomial_passes;    // 3x3 binomial filters after the conversion: Bayer and prefilter, one each
    u32 width, height;
    u32 levels;             // 1 to 3
    u32 target;
    u32 threshold_min, threshold_max;
    u32 ratio_q8, gain_q16;
    u32 grid_x, grid_y;
    u32 describe;           // whether descriptors are written
    u32 cell_capacity;      // most candidates of a cell
    u32 tiles;              // of all levels
    Level level0, level1, level2; // those above `levels` are not used
};

// A point to be found again; the fields of `FlowStart`.
struct TrackStart {
    f32 u, v;           // level-0 px in the previous image
    f32 guess_u, guess_v; // where to look first in the current one
    u32 trusted;        // whether the guess is good to a few pixels
    u32 reserved;
};

// Where it went; the fields of `Flow`.
struct TrackRecord {
    f32 u, v;           // level-0 px in the current image
    f32 residual;       // grey levels
    f32 min_eigenvalue; // per 1024 (grey levels / px)^2
    f32 backward_error; // level-0 px
    u32 status;         // FlowStatus
};

// What the host waits for: `frame` is written last.
struct TrackHeader {
    u64 frame;
    u32 count;          // records written
    u32 reserved;
};

// Everything a launch of `track` reads. Sizes are those of buffers() in Rust's gpu/track_plan.rs.
struct TrackArgs {
    const u8* previous;     // pyramid of the previous image, laid out as `detect` leaves it
    const u8* current;      // that of the current image
    const TrackStart* starts; // count
    TrackRecord* flows;     // count
    TrackHeader* header;
    u32* arrivals;          // 1, zero before the first launch
    u64 frame;              // number of the frame, for the header
    u32 width, height;
    u32 levels;             // used: 1 to 3
    u32 count;              // points
    u32 radius;             // of the window: 2 to 15
    u32 max_iter;
    f32 eps;
    f32 min_eigenvalue;
    f32 max_residual;
    f32 max_backward_error; // negative: no tracking back
    u32 illumination;       // whether the light is free
    u32 refine_radius;      // of the last search's window: 2 to 15; 0: no such search
};
