//! Compiled programs on the device, and kernels whose argument has a type.
#![allow(unsafe_code, reason = "calls the CUDA driver and starts kernels")]

use std::ffi::{CString, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::sys::{
    CUfunction, CUfunction_attribute_enum as FunctionAttribute, CUjit_option_enum as Jit, CUmodule,
};

use super::context::{Context, Stream};
use super::error::GpuError;
use super::image::{Image, parameter_bytes};

const LOG_BYTES: usize = 8192;

/// A program in a context.
#[derive(Debug)]
pub struct Module {
    context: Arc<Context>,
    handle: CUmodule,
    program: String,
    image: Image,
}

// SAFETY: as with a context, the driver lets any thread use it whose current context is that of the module.
unsafe impl Send for Module {}
// SAFETY: as above; nothing is changed after `load`.
unsafe impl Sync for Module {}

impl Module {
    /// Hands the image to the driver, which assembles PTX: milliseconds to a second.
    ///
    /// Errors: what the driver answers, with its log.
    pub fn load(context: &Arc<Context>, program: &str, image: Image) -> Result<Arc<Self>, GpuError> {
        let driver = context.current()?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER as c_int, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_int];
        // A number is passed as a pointer with its value.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(LOG_BYTES - 1)];
        let code = image.with_zero();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the image ends with a zero, as PTX must, or is a cubin, which tells its length; two options with two
        // values; the log is as long as is said, but for the zero that is left at its end.
        let loaded = unsafe {
            driver.cuModuleLoadDataEx(
                &mut handle,
                code.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        loaded.map_err(|error| {
            let end = log.iter().position(|&byte| byte == 0).unwrap_or(LOG_BYTES);
            let log = String::from_utf8_lossy(log.get(..end).unwrap_or_default()).into_owned();
            GpuError::Load { program: program.to_owned(), error, log }
        })?;
        Ok(Arc::new(Self { context: Arc::clone(context), handle, program: program.to_owned(), image }))
    }

    /// What was loaded.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The kernel `name`, which takes one `A` by value.
    ///
    /// Errors: no such kernel, or one whose parameters have another size (known of PTX only).
    pub fn kernel<A: Pod>(self: &Arc<Self>, name: &str) -> Result<Kernel<A>, GpuError> {
        let signature = |found: String| GpuError::Signature {
            program: self.program.clone(),
            kernel: name.to_owned(),
            bytes: size_of::<A>(),
            found,
        };
        match parameter_bytes(&self.image, name) {
            Some(bytes) if bytes != size_of::<A>() => return Err(signature(format!("it takes {bytes}"))),
            _ => {}
        }
        let symbol = CString::new(name).map_err(|_| signature("the name holds a zero".to_owned()))?;
        let driver = self.context.current()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: written to a local; the module is alive and of the current context, the name ends with a zero.
        unsafe { driver.cuModuleGetFunction(&mut handle, self.handle, symbol.as_ptr()) }
            .map_err(|error| GpuError::Load { program: self.program.clone(), error, log: format!("kernel {name}") })?;
        Ok(Kernel { module: Arc::clone(self), handle, argument: PhantomData })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(driver) = self.context.releasing() {
            // SAFETY: loaded once, unloaded once; kernels hold an Arc of it.
            let _ = unsafe { driver.cuModuleUnload(self.handle) };
        }
    }
}

/// The shape of a launch, in one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether all blocks must be resident together, because they wait for each other.
    pub cooperative: bool,
}

/// A kernel that takes one `A` by value.
#[derive(Debug)]
pub struct Kernel<A> {
    module: Arc<Module>,
    handle: CUfunction,
    argument: PhantomData<fn(A)>,
}

// SAFETY: the handle belongs to the module, which is Send and Sync; no `A` is held.
unsafe impl<A> Send for Kernel<A> {}

impl<A: Pod> Kernel<A> {
    /// Blocks of `threads` threads that are resident on the device at once.
    pub fn resident_blocks(&self, threads: u32) -> Result<u32, GpuError> {
        let driver = self.module.context.current()?;
        let mut blocks = 0;
        // SAFETY: written to a local; the function is alive and of the current context.
        unsafe {
            driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, self.handle, threads as c_int, 0)?;
        }
        Ok(blocks.max(0).unsigned_abs() * self.module.context.device().multiprocessors)
    }

    /// Registers of a thread.
    pub fn registers(&self) -> Result<u32, GpuError> {
        let driver = self.module.context.current()?;
        let mut value = 0;
        let attribute = FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS as c_int;
        // SAFETY: as above.
        unsafe { driver.cuFuncGetAttribute(&mut value, attribute, self.handle)? };
        Ok(value.max(0).unsigned_abs())
    }

    /// Queues a launch; the argument is copied at once.
    ///
    /// # Safety
    /// The addresses in `argument` are those of buffers of the stream's context, large enough for what the kernel reads
    /// and writes, and the buffers live until the work of `stream` is done.
    pub unsafe fn launch(&self, stream: &Stream, shape: Shape, argument: &A) -> Result<(), GpuError> {
        let driver = self.module.context.current()?;
        let mut arguments = [std::ptr::from_ref(argument).cast_mut().cast::<c_void>()];
        let (function, stream) = (self.handle, stream.handle());
        let Shape { blocks, threads, cooperative } = shape;
        let arguments = arguments.as_mut_ptr();
        // SAFETY: the kernel has one parameter, of the size of `A` (checked for PTX, asserted by abi_layout.cuh for the
        // project's own), which the driver reads before it returns; function and stream are alive; what the kernel does
        // with its addresses is the caller's obligation.
        unsafe {
            if cooperative {
                driver.cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments)?;
            } else {
                let extra = std::ptr::null_mut();
                driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, extra)?;
            }
        }
        Ok(())
    }
}
