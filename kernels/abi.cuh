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

// One feature as it leaves the device; the fields of `Feature`.
struct FeatureRecord {
    f32 u, v;           // level-0 px
    u32 score;          // S (C5)
    u16 half_x, half_y; // half level-0 px (C0)
    u8 level, corner_class, threshold, reserved;
};

// What the host waits for: `frame` is written last.
struct DetectHeader {
    u64 frame;
    u32 count;          // features and descriptors written
    u32 offered;        // candidates after merge and mask
    u32 offered_class0; // those of class 0: what moves the gain (C3)
    u32 reserved;
};

// A corner that survived suppression (C5), in the slot of its tile.
struct CornerSlot {
    f32 u, v;           // level-0 px (C9)
    u16 x, y;           // pixel of its level
    u16 response;       // S
    u8 strength;        // V
    u8 reserved;
};

// Everything a launch of `detect` reads. Sizes are those of sizes() in Rust's gpu/plan.rs.
struct DetectArgs {
    const u8* source;       // height rows of source_pitch bytes
    const u8* mask;         // width * height bytes, 0 excludes; null: none
    u8* pyramid;            // all levels one after the other, rows of level_pitch(width) bytes
    FeatureRecord* features;// target
    u8* descriptors;        // target * 128 bytes, written if `describe`
    DetectHeader* header;
    u32* barrier;           // 2, zero before the first launch
    u16* peaks;             // S at survivors, else 0; laid out as `pyramid`
    u8* medians;            // per level-0 tile
    u8* thresholds;         // per level-0 tile
    u32* slot_counts;       // per tile of every level
    CornerSlot* slots;      // TILE_SLOTS per tile
    u64* slot_keys;         // per slot: order key, or NO_KEY for one that fell or is masked
    u32* pool_bins;         // ORDER_BINS: candidates by bin of the order
    u32* cell_class0;       // per cell: n of C8
    u32* cell_all;          // per cell: m of C8
    u64* cell_limits;       // per cell: greatest key within its quota, 0 for none
    u64* cell_nexts;        // per cell: the key after it, or NO_KEY
    u64* list_keys;         // the pool of C8 cell by cell
    u32* list_slots;
    u32* bin_counts;        // ORDER_BINS: selected within the quotas, by bin of the order
    u32* bin_cursors;       // ORDER_BINS
    u64* order_keys;        // target: selected, bin by bin
    u32* order_slots;
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
