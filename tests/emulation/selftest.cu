// Kernels that test the emulation itself: correct ones whose results are known, and one with a choice of defects.

namespace selftest {

// All kernels here take the same arguments; each says what it reads and writes.
struct Args {
    const unsigned *input;
    unsigned *output;
    unsigned *state; // of the grid barrier, zero at first
    unsigned count;
    unsigned mode;
};

struct Bins {
    unsigned of[64];
};
struct Sums {
    unsigned of[32];
};
struct Blank {
    unsigned of[4];
};
struct Row {
    unsigned of[256];
};

__device__ __forceinline__ unsigned global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ unsigned all_threads() { return gridDim.x * blockDim.x; }

// Inclusive prefix sum over the block.
__device__ unsigned block_scan(unsigned value) {
    SHARED(Sums, sums);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const unsigned below = __shfl_up_sync(0xffffffffu, value, delta);
        value += lane >= delta ? below : 0;
    }
    if (lane == 31) {
        sums.of[warp] = value;
    }
    __syncthreads();
    unsigned before = 0;
    for (unsigned other = 0; other < warp; ++other) {
        before += sums.of[other];
    }
    __syncthreads();
    return before + value;
}

__device__ unsigned blank(unsigned t) {
    SHARED(Blank, nothing);
    return nothing.of[t % 4];
}

} // namespace selftest

// output[i] = sum of input[first of the block's stretch ..= i], stretches of blockDim dealt out to the blocks in turn.
__global__ void __launch_bounds__(256) selftest_scan(selftest::Args args) {
    for (unsigned base = blockIdx.x * blockDim.x; base < args.count; base += selftest::all_threads()) {
        const unsigned i = base + threadIdx.x;
        const unsigned sum = selftest::block_scan(i < args.count ? args.input[i] : 0);
        if (i < args.count) {
            args.output[i] = sum;
        }
    }
}

// output[b] += number of inputs that are b mod 64.
__global__ void selftest_histogram(selftest::Args args) {
    SHARED(selftest::Bins, bins);
    for (unsigned bin = threadIdx.x; bin < 64; bin += blockDim.x) {
        bins.of[bin] = 0;
    }
    __syncthreads();
    for (unsigned i = selftest::global_thread(); i < args.count; i += selftest::all_threads()) {
        atomicAdd(&bins.of[args.input[i] % 64], 1u);
    }
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < 64; bin += blockDim.x) {
        atomicAdd(&args.output[bin], bins.of[bin]);
    }
}

// Three rounds of: output (two halves in turn) = own value + the next thread's, around the whole grid.
__global__ void selftest_pipeline(selftest::Args args) {
    const unsigned i = selftest::global_thread(), n = selftest::all_threads();
    args.output[i] = args.input[i];
    for (unsigned round = 0; round < 3; ++round) {
        grid_barrier(args.state);
        const unsigned *from = args.output + (round % 2 ? n : 0);
        unsigned *to = args.output + (round % 2 ? 0 : n);
        to[i] = from[i] + from[(i + 1) % n];
    }
}

// output[8 thread ..]: what each kind of shuffle gives, in halves of a warp too; 64-bit; among a part of the lanes.
__global__ void selftest_warp(selftest::Args args) {
    const unsigned i = selftest::global_thread(), lane = threadIdx.x % 32;
    const unsigned value = args.input[i];
    unsigned *out = args.output + 8 * i;
    out[0] = __shfl_sync(0xffffffffu, value, int(lane * 7 + 3));
    out[1] = __shfl_sync(0xffffffffu, value, 5, 16);
    out[2] = __shfl_up_sync(0xffffffffu, value, 3, 8);
    out[3] = __shfl_down_sync(0xffffffffu, value, 2);
    out[4] = __shfl_xor_sync(0xffffffffu, value, 17);
    const unsigned long long wide = (unsigned long long)value << 32 | lane;
    out[5] = unsigned(__shfl_xor_sync(0xffffffffu, wide, 1) >> 32);
    if (lane % 2 != 0) {
        out[6] = __ballot_sync(0xaaaaaaaau, value & 1);
        out[7] = unsigned(__shfl_sync(0xaaaaaaaau, int(value), 31));
    } else {
        out[6] = unsigned(__any_sync(0x55555555u, value & 1));
        out[7] = unsigned(__all_sync(0x55555555u, value & 1));
    }
}

// output[4 thread ..]: votes of the block on the lowest bit of the input; neighbour's value through a warp barrier.
__global__ void selftest_votes(selftest::Args args) {
    SHARED(selftest::Row, row);
    const unsigned i = selftest::global_thread();
    const int bit = int(args.input[i] & 1);
    unsigned *out = args.output + 4 * i;
    out[0] = unsigned(__syncthreads_count(bit));
    out[1] = unsigned(__syncthreads_or(bit));
    out[2] = unsigned(__syncthreads_and(bit));
    row.of[threadIdx.x] = args.input[i];
    __syncwarp();
    out[3] = row.of[threadIdx.x ^ 1];
}

// Each thread waits, polling, until those before it have passed: output[0] counts them. Ends in every schedule.
__global__ void selftest_polling(selftest::Args args) {
    while (atomicAdd(args.output, 0u) != selftest::global_thread()) {
    }
    atomicAdd(args.output, 1u);
}

// `count` barriers, of warps in mode 1, for measuring; output[thread] = count.
__global__ void selftest_barriers(selftest::Args args) {
    unsigned value = 0;
    for (unsigned i = 0; i < args.count; ++i) {
        if (args.mode == 1) {
            value = __shfl_xor_sync(0xffffffffu, value, 1) + 1;
        } else {
            __syncthreads();
            ++value;
        }
    }
    args.output[selftest::global_thread()] = value;
}

// One defect by mode.
__global__ void selftest_defect(selftest::Args args) {
    SHARED(selftest::Row, row);
    const unsigned t = threadIdx.x;
    row.of[t] = t;
    switch (args.mode) {
    case 0: // none
        __syncthreads();
        args.output[t] = row.of[(t + 1) % blockDim.x];
        break;
    case 1: // race in shared memory: no barrier
        args.output[t] = row.of[(t + 1) % blockDim.x];
        break;
    case 2: // race in shared memory: a shuffle is no barrier
        __shfl_sync(0xffffffffu, t, 0);
        args.output[t] = row.of[t ^ 1];
        break;
    case 3: // race in shared memory: a warp barrier where the other warp is meant
        __syncwarp();
        args.output[t] = row.of[(t + 32) % blockDim.x];
        break;
    case 4: // race in global memory between threads
        args.output[t] = t;
        __threadfence();
        row.of[t] = args.output[(t + 1) % blockDim.x];
        break;
    case 5: // race in global memory between blocks: a block's barrier does not order them
        __syncthreads();
        args.output[t] = blockIdx.x;
        __syncthreads();
        break;
    case 6: // beyond a shared object
        row.of[t + args.count] = t;
        break;
    case 7: // beyond a buffer
        args.output[t + args.count] = t;
        break;
    case 8: // half of the block at another barrier
        if (t % 64 < 32) {
            __syncthreads();
        } else {
            __syncthreads();
        }
        break;
    case 9: // half of the block exits before the barrier
        if (t < blockDim.x / 2) {
            __syncthreads();
        }
        break;
    case 10: // lanes at different collectives
        if (t % 2 == 0) {
            __syncwarp();
        } else {
            __ballot_sync(0xffffffffu, 1);
        }
        break;
    case 11: // a lane has exited
        if (t % 32 != 7) {
            __syncwarp();
        }
        break;
    case 12: // one warp at a warp barrier, the others at the block's
        if (t == 0) {
            __syncwarp();
        } else {
            __syncthreads();
        }
        break;
    case 13: // one block misses the grid's barrier
        if (blockIdx.x > 0) {
            grid_barrier(args.state);
        }
        break;
    case 14: // shared memory that nobody wrote
        args.output[t] = selftest::blank(t);
        break;
    case 15: // a failed check
        if (t == 33) {
            emulation_fail("index %u of %u", 7u, 5u);
        }
        break;
    }
}
