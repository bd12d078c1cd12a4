// The layout that Rust gives the structs of abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.

#ifdef __CUDACC_RTC__ // NVRTC before 13 knows no offsetof
#define OFFSET_OF(type, member) __INTADDR__(&(((type*)0)->member))
#else
#define OFFSET_OF(type, member) __builtin_offsetof(type, member)
#endif

static_assert(sizeof(Feature) == 24, "Feature has not 24 bytes");
static_assert(OFFSET_OF(Feature, u) == 0, "Feature.u is not at 0");
static_assert(OFFSET_OF(Feature, v) == 4, "Feature.v is not at 4");
static_assert(OFFSET_OF(Feature, half_x) == 8, "Feature.half_x is not at 8");
static_assert(OFFSET_OF(Feature, half_y) == 12, "Feature.half_y is not at 12");
static_assert(OFFSET_OF(Feature, score) == 16, "Feature.score is not at 16");
static_assert(OFFSET_OF(Feature, level) == 20, "Feature.level is not at 20");
static_assert(OFFSET_OF(Feature, corner_class) == 21, "Feature.corner_class is not at 21");
static_assert(OFFSET_OF(Feature, threshold) == 22, "Feature.threshold is not at 22");

static_assert(sizeof(DetectHeader) == 24, "DetectHeader has not 24 bytes");
static_assert(OFFSET_OF(DetectHeader, frame) == 0, "DetectHeader.frame is not at 0");
static_assert(OFFSET_OF(DetectHeader, count) == 8, "DetectHeader.count is not at 8");
static_assert(OFFSET_OF(DetectHeader, offered) == 12, "DetectHeader.offered is not at 12");
static_assert(OFFSET_OF(DetectHeader, offered_class0) == 16, "DetectHeader.offered_class0 is not at 16");
static_assert(OFFSET_OF(DetectHeader, reserved) == 20, "DetectHeader.reserved is not at 20");

static_assert(sizeof(CornerSlot) == 16, "CornerSlot has not 16 bytes");
static_assert(OFFSET_OF(CornerSlot, u) == 0, "CornerSlot.u is not at 0");
static_assert(OFFSET_OF(CornerSlot, v) == 4, "CornerSlot.v is not at 4");
static_assert(OFFSET_OF(CornerSlot, x) == 8, "CornerSlot.x is not at 8");
static_assert(OFFSET_OF(CornerSlot, y) == 10, "CornerSlot.y is not at 10");
static_assert(OFFSET_OF(CornerSlot, response) == 12, "CornerSlot.response is not at 12");
static_assert(OFFSET_OF(CornerSlot, strength) == 14, "CornerSlot.strength is not at 14");
static_assert(OFFSET_OF(CornerSlot, reserved) == 15, "CornerSlot.reserved is not at 15");

static_assert(sizeof(Candidate) == 16, "Candidate has not 16 bytes");
static_assert(OFFSET_OF(Candidate, key) == 0, "Candidate.key is not at 0");
static_assert(OFFSET_OF(Candidate, u) == 8, "Candidate.u is not at 8");
static_assert(OFFSET_OF(Candidate, v) == 12, "Candidate.v is not at 12");

static_assert(sizeof(Level) == 32, "Level has not 32 bytes");
static_assert(OFFSET_OF(Level, index) == 0, "Level.index is not at 0");
static_assert(OFFSET_OF(Level, width) == 4, "Level.width is not at 4");
static_assert(OFFSET_OF(Level, height) == 8, "Level.height is not at 8");
static_assert(OFFSET_OF(Level, pitch) == 12, "Level.pitch is not at 12");
static_assert(OFFSET_OF(Level, offset) == 16, "Level.offset is not at 16");
static_assert(OFFSET_OF(Level, tiles_x) == 20, "Level.tiles_x is not at 20");
static_assert(OFFSET_OF(Level, tiles_x_inverse) == 24, "Level.tiles_x_inverse is not at 24");
static_assert(OFFSET_OF(Level, first_tile) == 28, "Level.first_tile is not at 28");

static_assert(sizeof(DetectArgs) == 352, "DetectArgs has not 352 bytes");
static_assert(OFFSET_OF(DetectArgs, source) == 0, "DetectArgs.source is not at 0");
static_assert(OFFSET_OF(DetectArgs, mask) == 8, "DetectArgs.mask is not at 8");
static_assert(OFFSET_OF(DetectArgs, pyramid) == 16, "DetectArgs.pyramid is not at 16");
static_assert(OFFSET_OF(DetectArgs, features) == 24, "DetectArgs.features is not at 24");
static_assert(OFFSET_OF(DetectArgs, descriptors) == 32, "DetectArgs.descriptors is not at 32");
static_assert(OFFSET_OF(DetectArgs, header) == 40, "DetectArgs.header is not at 40");
static_assert(OFFSET_OF(DetectArgs, barrier) == 48, "DetectArgs.barrier is not at 48");
static_assert(OFFSET_OF(DetectArgs, totals) == 56, "DetectArgs.totals is not at 56");
static_assert(OFFSET_OF(DetectArgs, peaks) == 64, "DetectArgs.peaks is not at 64");
static_assert(OFFSET_OF(DetectArgs, medians) == 72, "DetectArgs.medians is not at 72");
static_assert(OFFSET_OF(DetectArgs, thresholds) == 80, "DetectArgs.thresholds is not at 80");
static_assert(OFFSET_OF(DetectArgs, slot_counts) == 88, "DetectArgs.slot_counts is not at 88");
static_assert(OFFSET_OF(DetectArgs, slots) == 96, "DetectArgs.slots is not at 96");
static_assert(OFFSET_OF(DetectArgs, cell_counts) == 104, "DetectArgs.cell_counts is not at 104");
static_assert(OFFSET_OF(DetectArgs, candidates) == 112, "DetectArgs.candidates is not at 112");
static_assert(OFFSET_OF(DetectArgs, pool_bins) == 120, "DetectArgs.pool_bins is not at 120");
static_assert(OFFSET_OF(DetectArgs, bin_starts) == 128, "DetectArgs.bin_starts is not at 128");
static_assert(OFFSET_OF(DetectArgs, cell_class0) == 136, "DetectArgs.cell_class0 is not at 136");
static_assert(OFFSET_OF(DetectArgs, cell_all) == 144, "DetectArgs.cell_all is not at 144");
static_assert(OFFSET_OF(DetectArgs, cell_nexts) == 152, "DetectArgs.cell_nexts is not at 152");
static_assert(OFFSET_OF(DetectArgs, selected) == 160, "DetectArgs.selected is not at 160");
static_assert(OFFSET_OF(DetectArgs, bin_counts) == 168, "DetectArgs.bin_counts is not at 168");
static_assert(OFFSET_OF(DetectArgs, bin_members) == 176, "DetectArgs.bin_members is not at 176");
static_assert(OFFSET_OF(DetectArgs, frame) == 184, "DetectArgs.frame is not at 184");
static_assert(OFFSET_OF(DetectArgs, source_pitch) == 192, "DetectArgs.source_pitch is not at 192");
static_assert(OFFSET_OF(DetectArgs, source_format) == 196, "DetectArgs.source_format is not at 196");
static_assert(OFFSET_OF(DetectArgs, binomial_passes) == 200, "DetectArgs.binomial_passes is not at 200");
static_assert(OFFSET_OF(DetectArgs, width) == 204, "DetectArgs.width is not at 204");
static_assert(OFFSET_OF(DetectArgs, height) == 208, "DetectArgs.height is not at 208");
static_assert(OFFSET_OF(DetectArgs, levels) == 212, "DetectArgs.levels is not at 212");
static_assert(OFFSET_OF(DetectArgs, target) == 216, "DetectArgs.target is not at 216");
static_assert(OFFSET_OF(DetectArgs, threshold_min) == 220, "DetectArgs.threshold_min is not at 220");
static_assert(OFFSET_OF(DetectArgs, threshold_max) == 224, "DetectArgs.threshold_max is not at 224");
static_assert(OFFSET_OF(DetectArgs, ratio_q8) == 228, "DetectArgs.ratio_q8 is not at 228");
static_assert(OFFSET_OF(DetectArgs, gain_q16) == 232, "DetectArgs.gain_q16 is not at 232");
static_assert(OFFSET_OF(DetectArgs, grid_x) == 236, "DetectArgs.grid_x is not at 236");
static_assert(OFFSET_OF(DetectArgs, grid_y) == 240, "DetectArgs.grid_y is not at 240");
static_assert(OFFSET_OF(DetectArgs, describe) == 244, "DetectArgs.describe is not at 244");
static_assert(OFFSET_OF(DetectArgs, cell_capacity) == 248, "DetectArgs.cell_capacity is not at 248");
static_assert(OFFSET_OF(DetectArgs, tiles) == 252, "DetectArgs.tiles is not at 252");
static_assert(OFFSET_OF(DetectArgs, level0) == 256, "DetectArgs.level0 is not at 256");
static_assert(OFFSET_OF(DetectArgs, level1) == 288, "DetectArgs.level1 is not at 288");
static_assert(OFFSET_OF(DetectArgs, level2) == 320, "DetectArgs.level2 is not at 320");

static_assert(sizeof(TrackStart) == 24, "TrackStart has not 24 bytes");
static_assert(OFFSET_OF(TrackStart, u) == 0, "TrackStart.u is not at 0");
static_assert(OFFSET_OF(TrackStart, v) == 4, "TrackStart.v is not at 4");
static_assert(OFFSET_OF(TrackStart, guess_u) == 8, "TrackStart.guess_u is not at 8");
static_assert(OFFSET_OF(TrackStart, guess_v) == 12, "TrackStart.guess_v is not at 12");
static_assert(OFFSET_OF(TrackStart, trusted) == 16, "TrackStart.trusted is not at 16");
static_assert(OFFSET_OF(TrackStart, reserved) == 20, "TrackStart.reserved is not at 20");

static_assert(sizeof(TrackRecord) == 24, "TrackRecord has not 24 bytes");
static_assert(OFFSET_OF(TrackRecord, u) == 0, "TrackRecord.u is not at 0");
static_assert(OFFSET_OF(TrackRecord, v) == 4, "TrackRecord.v is not at 4");
static_assert(OFFSET_OF(TrackRecord, residual) == 8, "TrackRecord.residual is not at 8");
static_assert(OFFSET_OF(TrackRecord, min_eigenvalue) == 12, "TrackRecord.min_eigenvalue is not at 12");
static_assert(OFFSET_OF(TrackRecord, backward_error) == 16, "TrackRecord.backward_error is not at 16");
static_assert(OFFSET_OF(TrackRecord, status) == 20, "TrackRecord.status is not at 20");

static_assert(sizeof(TrackHeader) == 16, "TrackHeader has not 16 bytes");
static_assert(OFFSET_OF(TrackHeader, frame) == 0, "TrackHeader.frame is not at 0");
static_assert(OFFSET_OF(TrackHeader, count) == 8, "TrackHeader.count is not at 8");
static_assert(OFFSET_OF(TrackHeader, reserved) == 12, "TrackHeader.reserved is not at 12");

static_assert(sizeof(TrackArgs) == 104, "TrackArgs has not 104 bytes");
static_assert(OFFSET_OF(TrackArgs, previous) == 0, "TrackArgs.previous is not at 0");
static_assert(OFFSET_OF(TrackArgs, current) == 8, "TrackArgs.current is not at 8");
static_assert(OFFSET_OF(TrackArgs, starts) == 16, "TrackArgs.starts is not at 16");
static_assert(OFFSET_OF(TrackArgs, flows) == 24, "TrackArgs.flows is not at 24");
static_assert(OFFSET_OF(TrackArgs, header) == 32, "TrackArgs.header is not at 32");
static_assert(OFFSET_OF(TrackArgs, arrivals) == 40, "TrackArgs.arrivals is not at 40");
static_assert(OFFSET_OF(TrackArgs, frame) == 48, "TrackArgs.frame is not at 48");
static_assert(OFFSET_OF(TrackArgs, width) == 56, "TrackArgs.width is not at 56");
static_assert(OFFSET_OF(TrackArgs, height) == 60, "TrackArgs.height is not at 60");
static_assert(OFFSET_OF(TrackArgs, levels) == 64, "TrackArgs.levels is not at 64");
static_assert(OFFSET_OF(TrackArgs, count) == 68, "TrackArgs.count is not at 68");
static_assert(OFFSET_OF(TrackArgs, radius) == 72, "TrackArgs.radius is not at 72");
static_assert(OFFSET_OF(TrackArgs, max_iter) == 76, "TrackArgs.max_iter is not at 76");
static_assert(OFFSET_OF(TrackArgs, eps) == 80, "TrackArgs.eps is not at 80");
static_assert(OFFSET_OF(TrackArgs, min_eigenvalue) == 84, "TrackArgs.min_eigenvalue is not at 84");
static_assert(OFFSET_OF(TrackArgs, max_residual) == 88, "TrackArgs.max_residual is not at 88");
static_assert(OFFSET_OF(TrackArgs, max_backward_error) == 92, "TrackArgs.max_backward_error is not at 92");
static_assert(OFFSET_OF(TrackArgs, illumination) == 96, "TrackArgs.illumination is not at 96");
static_assert(OFFSET_OF(TrackArgs, refine_radius) == 100, "TrackArgs.refine_radius is not at 100");
