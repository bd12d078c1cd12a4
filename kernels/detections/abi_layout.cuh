// The layout that Rust gives the structs of detections/abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.

static_assert(sizeof(DetectionRecord) == 32, "DetectionRecord has not 32 bytes");
static_assert(OFFSET_OF(DetectionRecord, x1) == 0, "DetectionRecord.x1 is not at 0");
static_assert(OFFSET_OF(DetectionRecord, y1) == 4, "DetectionRecord.y1 is not at 4");
static_assert(OFFSET_OF(DetectionRecord, x2) == 8, "DetectionRecord.x2 is not at 8");
static_assert(OFFSET_OF(DetectionRecord, y2) == 12, "DetectionRecord.y2 is not at 12");
static_assert(OFFSET_OF(DetectionRecord, score) == 16, "DetectionRecord.score is not at 16");
static_assert(OFFSET_OF(DetectionRecord, class_index) == 20, "DetectionRecord.class_index is not at 20");
static_assert(OFFSET_OF(DetectionRecord, anchor) == 24, "DetectionRecord.anchor is not at 24");
static_assert(OFFSET_OF(DetectionRecord, reserved) == 28, "DetectionRecord.reserved is not at 28");

static_assert(sizeof(DetectionCounts) == 16, "DetectionCounts has not 16 bytes");
static_assert(OFFSET_OF(DetectionCounts, candidates) == 0, "DetectionCounts.candidates is not at 0");
static_assert(OFFSET_OF(DetectionCounts, considered) == 4, "DetectionCounts.considered is not at 4");
static_assert(OFFSET_OF(DetectionCounts, kept) == 8, "DetectionCounts.kept is not at 8");
static_assert(OFFSET_OF(DetectionCounts, written) == 12, "DetectionCounts.written is not at 12");

static_assert(sizeof(LetterboxRecord) == 20, "LetterboxRecord has not 20 bytes");
static_assert(OFFSET_OF(LetterboxRecord, scale) == 0, "LetterboxRecord.scale is not at 0");
static_assert(OFFSET_OF(LetterboxRecord, pad_x) == 4, "LetterboxRecord.pad_x is not at 4");
static_assert(OFFSET_OF(LetterboxRecord, pad_y) == 8, "LetterboxRecord.pad_y is not at 8");
static_assert(OFFSET_OF(LetterboxRecord, width) == 12, "LetterboxRecord.width is not at 12");
static_assert(OFFSET_OF(LetterboxRecord, height) == 16, "LetterboxRecord.height is not at 16");

static_assert(sizeof(HeadRecord) == 48, "HeadRecord has not 48 bytes");
static_assert(OFFSET_OF(HeadRecord, first) == 0, "HeadRecord.first is not at 0");
static_assert(OFFSET_OF(HeadRecord, columns) == 4, "HeadRecord.columns is not at 4");
static_assert(OFFSET_OF(HeadRecord, cells) == 8, "HeadRecord.cells is not at 8");
static_assert(OFFSET_OF(HeadRecord, stride) == 12, "HeadRecord.stride is not at 12");
static_assert(OFFSET_OF(HeadRecord, widths) == 16, "HeadRecord.widths is not at 16");
static_assert(OFFSET_OF(HeadRecord, heights) == 32, "HeadRecord.heights is not at 32");

static_assert(sizeof(DetectionsHeader) == 16, "DetectionsHeader has not 16 bytes");
static_assert(OFFSET_OF(DetectionsHeader, frame) == 0, "DetectionsHeader.frame is not at 0");
static_assert(OFFSET_OF(DetectionsHeader, bad_index) == 8, "DetectionsHeader.bad_index is not at 8");
static_assert(OFFSET_OF(DetectionsHeader, bad_value) == 12, "DetectionsHeader.bad_value is not at 12");

static_assert(sizeof(DetectionsArgs) == 360, "DetectionsArgs has not 360 bytes");
static_assert(OFFSET_OF(DetectionsArgs, tensor) == 0, "DetectionsArgs.tensor is not at 0");
static_assert(OFFSET_OF(DetectionsArgs, letterboxes) == 8, "DetectionsArgs.letterboxes is not at 8");
static_assert(OFFSET_OF(DetectionsArgs, records) == 16, "DetectionsArgs.records is not at 16");
static_assert(OFFSET_OF(DetectionsArgs, counts) == 24, "DetectionsArgs.counts is not at 24");
static_assert(OFFSET_OF(DetectionsArgs, header) == 32, "DetectionsArgs.header is not at 32");
static_assert(OFFSET_OF(DetectionsArgs, barrier) == 40, "DetectionsArgs.barrier is not at 40");
static_assert(OFFSET_OF(DetectionsArgs, bad) == 48, "DetectionsArgs.bad is not at 48");
static_assert(OFFSET_OF(DetectionsArgs, candidate_counts) == 56, "DetectionsArgs.candidate_counts is not at 56");
static_assert(OFFSET_OF(DetectionsArgs, keys) == 64, "DetectionsArgs.keys is not at 64");
static_assert(OFFSET_OF(DetectionsArgs, key_classes) == 72, "DetectionsArgs.key_classes is not at 72");
static_assert(OFFSET_OF(DetectionsArgs, boxes) == 80, "DetectionsArgs.boxes is not at 80");
static_assert(OFFSET_OF(DetectionsArgs, box_keys) == 88, "DetectionsArgs.box_keys is not at 88");
static_assert(OFFSET_OF(DetectionsArgs, box_classes) == 96, "DetectionsArgs.box_classes is not at 96");
static_assert(OFFSET_OF(DetectionsArgs, overlaps) == 104, "DetectionsArgs.overlaps is not at 104");
static_assert(OFFSET_OF(DetectionsArgs, frame) == 112, "DetectionsArgs.frame is not at 112");
static_assert(OFFSET_OF(DetectionsArgs, batch) == 120, "DetectionsArgs.batch is not at 120");
static_assert(OFFSET_OF(DetectionsArgs, anchors) == 124, "DetectionsArgs.anchors is not at 124");
static_assert(OFFSET_OF(DetectionsArgs, channels) == 128, "DetectionsArgs.channels is not at 128");
static_assert(OFFSET_OF(DetectionsArgs, layout) == 132, "DetectionsArgs.layout is not at 132");
static_assert(OFFSET_OF(DetectionsArgs, half_floats) == 136, "DetectionsArgs.half_floats is not at 136");
static_assert(OFFSET_OF(DetectionsArgs, head_count) == 140, "DetectionsArgs.head_count is not at 140");
static_assert(OFFSET_OF(DetectionsArgs, agnostic) == 144, "DetectionsArgs.agnostic is not at 144");
static_assert(OFFSET_OF(DetectionsArgs, max_candidates) == 148, "DetectionsArgs.max_candidates is not at 148");
static_assert(OFFSET_OF(DetectionsArgs, max_detections) == 152, "DetectionsArgs.max_detections is not at 152");
static_assert(OFFSET_OF(DetectionsArgs, confidence) == 156, "DetectionsArgs.confidence is not at 156");
static_assert(OFFSET_OF(DetectionsArgs, iou) == 160, "DetectionsArgs.iou is not at 160");
static_assert(OFFSET_OF(DetectionsArgs, reserved) == 164, "DetectionsArgs.reserved is not at 164");
static_assert(OFFSET_OF(DetectionsArgs, heads) == 168, "DetectionsArgs.heads is not at 168");
