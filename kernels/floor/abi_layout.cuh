// The layout that Rust gives the structs of floor/abi.cuh. Made by `VIO_RENEW_GOLDEN=1 cargo test --test abi`.

static_assert(sizeof(FloorHeader) == 16, "FloorHeader has not 16 bytes");
static_assert(OFFSET_OF(FloorHeader, frame) == 0, "FloorHeader.frame is not at 0");
static_assert(OFFSET_OF(FloorHeader, sum) == 8, "FloorHeader.sum is not at 8");
static_assert(OFFSET_OF(FloorHeader, reserved) == 12, "FloorHeader.reserved is not at 12");

static_assert(sizeof(FloorArgs) == 56, "FloorArgs has not 56 bytes");
static_assert(OFFSET_OF(FloorArgs, source) == 0, "FloorArgs.source is not at 0");
static_assert(OFFSET_OF(FloorArgs, results) == 8, "FloorArgs.results is not at 8");
static_assert(OFFSET_OF(FloorArgs, header) == 16, "FloorArgs.header is not at 16");
static_assert(OFFSET_OF(FloorArgs, state) == 24, "FloorArgs.state is not at 24");
static_assert(OFFSET_OF(FloorArgs, frame) == 32, "FloorArgs.frame is not at 32");
static_assert(OFFSET_OF(FloorArgs, source_count) == 40, "FloorArgs.source_count is not at 40");
static_assert(OFFSET_OF(FloorArgs, result_count) == 44, "FloorArgs.result_count is not at 44");
static_assert(OFFSET_OF(FloorArgs, barriers) == 48, "FloorArgs.barriers is not at 48");
static_assert(OFFSET_OF(FloorArgs, reserved) == 52, "FloorArgs.reserved is not at 52");
