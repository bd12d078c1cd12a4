//! What a GPU says of itself, and which kind of memory system that makes.
#![allow(unsafe_code, reason = "asks the CUDA driver")]

use std::ffi::{CStr, c_int};
use std::fmt;
use std::sync::Arc;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute_enum as Attribute};

use super::driver::Driver;
use super::error::GpuError;

/// How CPU and GPU share memory; buffers are chosen by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySystem {
    /// One memory, pinned pages not cached by the CPU (TX2): read and write them once, in order.
    Uncached,
    /// One memory, coherent for both (Xavier, Orin).
    Coherent,
    /// Memory of its own behind a bus.
    Discrete,
}

impl fmt::Display for MemorySystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uncached => "integrated, pinned memory uncached on the CPU",
            Self::Coherent => "integrated, coherent",
            Self::Discrete => "discrete",
        })
    }
}

/// A GPU and what of it matters here.
#[derive(Clone, Debug)]
pub struct Device {
    pub(super) driver: Arc<Driver>,
    pub(super) handle: CUdevice,
    pub name: String,
    /// Compute capability, such as (6, 2).
    pub capability: (u32, u32),
    pub memory: MemorySystem,
    /// Bytes.
    pub total_memory: usize,
    pub multiprocessors: u32,
    /// Whether host memory can be registered (cuMemHostRegister).
    pub registers_host_memory: bool,
}

impl Device {
    /// Device number `ordinal`.
    ///
    /// Errors: no such device; one that cannot map host memory or launch cooperatively; what the driver answers.
    pub fn open(driver: &Arc<Driver>, ordinal: u32) -> Result<Self, GpuError> {
        let (mut count, mut handle, mut bytes) = (0, 0, 0);
        // SAFETY: written to a local.
        unsafe { driver.cuDeviceGetCount(&mut count)? };
        let count = count.max(0).unsigned_abs();
        if ordinal >= count {
            return Err(GpuError::NoDevice { ordinal, count });
        }
        // SAFETY: written to locals; the ordinal is below the count.
        unsafe {
            driver.cuDeviceGet(&mut handle, ordinal as c_int)?;
            driver.cuDeviceTotalMem_v2(&mut bytes, handle)?;
        }
        let attribute = |attribute: Attribute| -> Result<u32, GpuError> {
            let mut value = 0;
            // SAFETY: written to a local.
            unsafe { driver.cuDeviceGetAttribute(&mut value, attribute as c_int, handle)? };
            Ok(value.max(0).unsigned_abs())
        };
        let registers_host_memory = attribute(Attribute::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)? != 0;
        let integrated = attribute(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED)? != 0;
        let device = Self {
            driver: Arc::clone(driver),
            handle,
            name: name(driver, handle)?,
            capability: (
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            // Tegra registers host memory from the generation on whose pinned memory is I/O coherent (CUDA for Tegra).
            memory: match (integrated, registers_host_memory) {
                (false, _) => MemorySystem::Discrete,
                (true, false) => MemorySystem::Uncached,
                (true, true) => MemorySystem::Coherent,
            },
            total_memory: bytes,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            registers_host_memory,
        };
        let lacks = |lacks| Err(GpuError::Unfit { device: device.name.clone(), lacks });
        if attribute(Attribute::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)? == 0 {
            return lacks("mapped host memory");
        }
        if attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? == 0 {
            return lacks("cooperative launches");
        }
        Ok(device)
    }

    /// The architecture as compilers count it: 62 for compute capability 6.2.
    pub fn architecture(&self) -> u32 {
        10 * self.capability.0 + self.capability.1
    }

    pub fn driver(&self) -> &Driver {
        &self.driver
    }
}

fn name(driver: &Driver, handle: CUdevice) -> Result<String, GpuError> {
    let mut buffer = [0u8; 256];
    // SAFETY: the driver writes at most the length that is named, a zero included; the last byte stays zero.
    unsafe { driver.cuDeviceGetName(buffer.as_mut_ptr().cast(), buffer.len() as c_int - 1, handle)? };
    let name = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}
