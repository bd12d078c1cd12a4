//! The entry points of libcuda: found one by one at run time, each a function that answers a number.
//!
//! cudarc's own table panics on a missing symbol, and its result type is an enum, for which an unknown code would be
//! undefined behaviour; so its types and constants are used, its calls are not. Only names that CUDA 10.2 (the TX2)
//! exports are in the table. What each call asks of its caller is said by NVIDIA:
//! <https://docs.nvidia.com/cuda/cuda-driver-api/index.html>.
#![allow(unsafe_code, reason = "calls the CUDA driver")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUmodule, CUstream};

use super::error::{CudaError, GpuError};
use super::library::{Library, LibraryError, Wanted};

const LIBCUDA: Wanted = Wanted {
    what: "the CUDA driver (libcuda)",
    // The last is the file of a Jetson, to which a container need not have a link.
    names: &["libcuda.so.1", "libcuda.so", "libcuda.so.1.1"],
    folders: &[
        // JetPack 4 and 5, JetPack 6, JetPack 7 in two layouts; containers and WSL.
        "/usr/lib/aarch64-linux-gnu/tegra",
        "/usr/lib/aarch64-linux-gnu/nvidia",
        "/opt/nvidia/l4t-gpu-libs/nvgpu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/local/nvidia/lib64",
        "/usr/lib/wsl/lib",
    ],
};

/// The least version that is accepted.
const LEAST_VERSION: (u32, u32) = (10, 2);

macro_rules! entry_points {
    ($($symbol:ident($($argument:ident: $type:ty),*);)+) => {
        /// Addresses of the entry points.
        #[allow(non_snake_case, reason = "the names of the driver")]
        struct Entries { $($symbol: unsafe extern "C" fn($($type),*) -> u32,)+ }

        impl Entries {
            fn find(library: &Library) -> Result<Self, LibraryError> {
                // SAFETY: the types are those of cuda.h (CUDA 10.2), with CUresult as the number that it is.
                Ok(unsafe { Self { $($symbol: library.symbol(stringify!($symbol))?,)+ } })
            }
        }

        /// Every symbol that is asked of libcuda.
        pub const SYMBOLS: &[&str] = &[$(stringify!($symbol)),+];

        #[allow(non_snake_case, clippy::too_many_arguments, dead_code, reason = "names and parameters of the driver")]
        impl Driver {
            $(
                /// # Safety
                /// What NVIDIA's page of the function asks: pointers that are valid for what it reads and writes,
                /// handles that are alive and, where it says so, of the context that is current.
                pub(super) unsafe fn $symbol(&self, $($argument: $type),*) -> Result<(), CudaError> {
                    // SAFETY: passed on to the caller.
                    let code = unsafe { (self.entries.$symbol)($($argument),*) };
                    if code == 0 { Ok(()) } else { Err(self.error(stringify!($symbol), code)) }
                }
            )+
        }
    };
}

entry_points! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuGetErrorName(code: u32, name: *mut *const c_char);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    cuCtxCreate_v2(context: *mut CUcontext, flags: c_uint, device: CUdevice);
    cuCtxDestroy_v2(context: CUcontext);
    cuCtxSetCurrent(context: CUcontext);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDevicePrimaryCtxRelease(device: CUdevice);
    cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut c_int,
        values: *mut *mut c_void);
    cuModuleUnload(module: CUmodule);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, threads: c_int,
        shared: usize);
    cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamSynchronize(stream: CUstream);
    cuStreamQuery(stream: CUstream);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventSynchronize(event: CUevent);
    cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    cuMemFreeHost(address: *mut c_void);
    cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: c_uint);
    cuMemHostUnregister(address: *mut c_void);
    cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemsetD8Async(address: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
    cuLaunchKernel(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, arguments: *mut *mut c_void,
        extra: *mut *mut c_void);
    cuLaunchCooperativeKernel(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint,
        block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, arguments: *mut *mut c_void);
}

/// The CUDA driver, loaded and initialised.
pub struct Driver {
    path: PathBuf,
    version: (u32, u32),
    entries: Entries,
}

impl Driver {
    /// Loads and initialises libcuda, from the places where it is usually kept or from one file `only`.
    ///
    /// Errors: no library that can be loaded, a missing symbol, a driver older than 10.2, a refused `cuInit`.
    pub fn load(only: Option<&Path>) -> Result<Arc<Self>, GpuError> {
        let library = Library::open(&LIBCUDA, only)?;
        let entries = Entries::find(&library)?;
        let mut driver = Self { path: library.into_path(), version: (0, 0), entries };
        let mut version = 0;
        // SAFETY: flags must be 0; the version is written to a local.
        unsafe {
            driver.cuInit(0)?;
            driver.cuDriverGetVersion(&mut version)?;
        }
        let version = version.max(0).unsigned_abs();
        driver.version = (version / 1000, version % 1000 / 10);
        if driver.version < LEAST_VERSION {
            return Err(GpuError::OldDriver { version: driver.version });
        }
        Ok(Arc::new(driver))
    }

    /// The file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The CUDA version that it supports, such as (10, 2).
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Whether the work of `stream` has ended. That it has not is no error, whose name would be fetched at every look.
    ///
    /// # Safety
    /// The stream is alive and of the context that is current.
    pub(super) unsafe fn is_stream_done(&self, stream: CUstream) -> Result<bool, CudaError> {
        const NOT_READY: u32 = 600;
        // SAFETY: passed on to the caller. Through the table, not the checked method, which would make an error of it.
        match unsafe { (self.entries.cuStreamQuery)(stream) } {
            0 => Ok(true),
            NOT_READY => Ok(false),
            code => Err(self.error("cuStreamQuery", code)),
        }
    }

    fn error(&self, call: &'static str, code: u32) -> CudaError {
        let mut name = std::ptr::null();
        // SAFETY: the pointer is written to a local; what it points to is a constant of the driver. Called through the
        // table, not the checked method, which would come back here.
        let found = unsafe { (self.entries.cuGetErrorName)(code, &mut name) } == 0 && !name.is_null();
        let name = if found {
            // SAFETY: not null, and the driver's own string, which lives as long as the driver.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        } else {
            "a code that the driver has no name for".to_owned()
        };
        CudaError { call, code, name }
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").field("path", &self.path).field("version", &self.version).finish_non_exhaustive()
    }
}
