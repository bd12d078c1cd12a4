// Structs of `detections` shared with Rust (src/gpu/detections/abi.rs); abi_layout.cuh beside asserts their layout.

const u32 MAX_HEADS = 4;
const u32 MAX_HEAD_ANCHORS = 4;

// The fields of `Layout`.
enum DetectionLayout : u32 {
    LAYOUT_OBJECTNESS_ROWS = 0, // [B, N, 5 + C]
    LAYOUT_PLANES = 1,          // [B, 4 + C, N]
    LAYOUT_ROWS = 2,            // [B, N, 4 + C]
};

// A box that was kept; the fields of `Detection`.
struct DetectionRecord {
    f32 x1, y1, x2, y2; // px of the image
    f32 score;
    u32 class_index, anchor;
    u32 reserved;
};

// The fields of `Counts`.
struct DetectionCounts {
    u32 candidates, considered, kept, written;
};

// The fields of `Letterbox`.
struct LetterboxRecord {
    f32 scale, pad_x, pad_y, width, height;
};

// A head whose values are raw.
struct HeadRecord {
    u32 first;          // its first anchor
    u32 columns, cells; // of its grid
    f32 stride;         // px of the network's input
    f32 widths[MAX_HEAD_ANCHORS], heights[MAX_HEAD_ANCHORS]; // of its anchor sizes, px of the network's input
};

// What the host waits for: `frame` is written last.
struct DetectionsHeader {
    u64 frame;
    u32 bad_index;      // of the first value that is refused, NO_INDEX for none
    f32 bad_value;
};

// Everything a launch of `detections` reads. Sizes are those of buffers() in Rust's gpu/detections/plan.rs.
struct DetectionsArgs {
    const u8* tensor;                   // f32 or f16
    const LetterboxRecord* letterboxes; // batch
    DetectionRecord* records;           // max_detections per image
    DetectionCounts* counts;            // batch
    DetectionsHeader* header;
    // Zero before the first launch, and left so by each:
    u32* barrier;           // 2: of the grid, which is not left so; blocks that have written their boxes
    u32* bad;               // 1: complement of the index of the first value that is refused
    u32* candidate_counts;  // batch
    // Whatever they hold:
    u64* keys;              // candidates: anchors per image
    u32* key_classes;       // beside the keys
    f32* boxes;             // in order: x1, y1, x2, y2, max_candidates per image
    u64* box_keys;          // max_candidates per image
    u32* box_classes;       // max_candidates per image
    u32* overlaps;          // bits of 32 earlier boxes: per image words of all boxes, max_candidates a column
    u64 frame;              // number of the launch, for the header
    u32 batch, anchors, channels;
    u32 layout;             // DetectionLayout
    u32 half_floats;        // whether values are f16
    u32 head_count;         // 0: values are decoded
    u32 agnostic;
    u32 max_candidates, max_detections;
    f32 confidence, iou;
    u32 reserved;
    HeadRecord heads[MAX_HEADS];
};
