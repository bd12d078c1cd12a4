// D1 to D3: values of the tensor, and the box of an anchor.

const f32 MAX_VALUE = 1048576.0f;
const u32 NO_INDEX = 0xFFFFFFFFu;

__device__ f32 widen(f32 value) { return value; }

// An f16 by its bits: moved to f32's fields, the exponent is 112 short. Multiplying is exact, for subnormals too.
__device__ f32 widen(u16 bits) {
    const u32 magnitude = u32(bits & 0x7FFFu) << 13;
    const u32 finite = __float_as_uint(__uint_as_float(magnitude) * 5192296858534827628530496329220096.0f);
    const u32 value = magnitude >= 0x0F800000u ? magnitude | 0x7F800000u : finite;
    return __uint_as_float(value | u32(bits & 0x8000u) << 16);
}

__device__ u32 leading_channels(const DetectionsArgs& args) { return args.layout == LAYOUT_OBJECTNESS_ROWS ? 5 : 4; }

// D1: whether a value may stand in this channel.
__device__ bool admitted(const DetectionsArgs& args, f32 value, u32 channel) {
    const bool probability = args.head_count == 0 && channel >= 4;
    const f32 low = probability ? 0.0f : -MAX_VALUE, high = probability ? 1.0f : MAX_VALUE;
    return low <= value && value <= high;
}

// D2; x is finite.
__device__ f32 logistic(f32 x) {
    const f32 negative = -x;
    const f32 raised = negative < -80.0f ? -80.0f : negative;
    const f32 t = 80.0f < raised ? 80.0f : raised;
    const f32 n = rintf(t * 1.44269504f);
    const f32 r = (t - n * 0.693359375f) - n * -2.12194440e-4f;
    f32 p = 1.98756915e-4f;
    p = p * r + 1.39819995e-3f;
    p = p * r + 8.3334519e-3f;
    p = p * r + 4.16657959e-2f;
    p = p * r + 1.66666655e-1f;
    p = p * r + 0.500000012f;
    const f32 y = (p * (r * r) + r) + 1.0f;
    return 1.0f / (1.0f + y * __uint_as_float(u32(i32(n) + 127) << 23));
}

// D2: the score of an anchor, from its greatest class value and its objectness.
__device__ f32 score_of(const DetectionsArgs& args, f32 of_class, f32 objectness) {
    const bool raw = args.head_count != 0;
    const f32 probability = raw ? logistic(of_class) : of_class;
    if (args.layout != LAYOUT_OBJECTNESS_ROWS) return probability;
    return (raw ? logistic(objectness) : objectness) * probability;
}

// D4: ascending keys are the order. Scores are above 0.
__device__ u64 candidate_key(f32 score, u32 anchor) { return u64(~__float_as_uint(score)) << 32 | anchor; }
__device__ f32 candidate_score(u64 key) { return __uint_as_float(~u32(key >> 32)); }
__device__ u32 candidate_anchor(u64 key) { return u32(key); }

struct Corners {
    f32 x1, y1, x2, y2;
};

__device__ f32 box_area(const Corners& c) { return (c.x2 - c.x1) * (c.y2 - c.y1); }

// Value of a box's channel.
__device__ f32 box_value(const DetectionsArgs& args, u32 image, u32 anchor, u32 channel) {
    const u32 of_image = image * args.anchors * args.channels;
    const u32 at = args.layout == LAYOUT_PLANES ? channel * args.anchors + anchor : anchor * args.channels + channel;
    if (args.half_floats != 0) return widen(reinterpret_cast<const u16*>(args.tensor)[of_image + at]);
    return widen(reinterpret_cast<const f32*>(args.tensor)[of_image + at]);
}

// D3, from the values of the box's channels.
__device__ Corners corners_of(const DetectionsArgs& args, u32 anchor, f32 x, f32 y, f32 w, f32 h) {
    if (args.head_count != 0) {
        u32 index = args.head_count - 1;
        while (index > 0 && anchor < args.heads[index].first) --index;
        const HeadRecord& head = args.heads[index];
        const u32 within = anchor - head.first, size = within / head.cells, cell = within % head.cells;
        CHECK_INDEX(size, MAX_HEAD_ANCHORS);
        x = ((2.0f * logistic(x) - 0.5f) + f32(cell % head.columns)) * head.stride;
        y = ((2.0f * logistic(y) - 0.5f) + f32(cell / head.columns)) * head.stride;
        w = 2.0f * logistic(w);
        h = 2.0f * logistic(h);
        w = (w * w) * head.widths[size];
        h = (h * h) * head.heights[size];
    }
    const f32 half_w = w * 0.5f, half_h = h * 0.5f;
    const Corners corners = {x - half_w, y - half_h, x + half_w, y + half_h};
    return corners;
}
