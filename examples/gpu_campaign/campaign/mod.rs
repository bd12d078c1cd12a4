//! The device beside the plain path, group by group: what was compared, and every difference.
//!
//! On hardware as `gpu_campaign`; on the stub of libcuda, with few cases, in `tests/gpu/campaign.rs`.

mod boxes;
mod draw;
mod groups;
mod twin;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use vio_frontend::gpu::Context;
use vio_frontend::gpu::kernels::Kernels;

use twin::{Outcome, Request, Twin};

/// Differences of a group that are told in full.
const TOLD: usize = 5;

/// A device with its kernels.
#[derive(Debug)]
pub struct Gpu {
    pub context: Arc<Context>,
    pub kernels: Kernels,
    /// Longest wait for a launch: a single block does the work of a whole card, under a sanitizer perhaps.
    pub limit: Duration,
}

/// A part of the campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Every size, content and target of the contract's tests.
    Sizes,
    /// Every input format, with and without the prefilter.
    Formats,
    /// The simulated scenes.
    Scenes,
    /// Every image below a folder.
    Data,
    /// Parameter sets, masks, formats, transfers and points drawn by number.
    Random,
    /// Post-processing of detectors.
    Boxes,
    /// The same stream several times on the device alone.
    Repeat,
}

impl Group {
    pub const ALL: [Self; 7] =
        [Self::Sizes, Self::Formats, Self::Scenes, Self::Data, Self::Random, Self::Boxes, Self::Repeat];
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sizes => "sizes",
            Self::Formats => "formats",
            Self::Scenes => "scenes",
            Self::Data => "data",
            Self::Random => "random",
            Self::Boxes => "boxes",
            Self::Repeat => "repeat",
        })
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|group| group.to_string() == name);
        let names = || Self::ALL.map(|group| group.to_string()).join(", ");
        known.copied().ok_or_else(|| format!("no group '{name}': {}", names()))
    }
}

/// How much of it.
#[derive(Clone, Debug)]
pub struct Extent {
    /// Small images and few of them: under a sanitizer, or on the stub.
    pub few: bool,
    /// First number of the drawn parameter sets, and how many.
    pub first: usize,
    pub cases: usize,
    /// Folder of real images.
    pub data: Option<PathBuf>,
    /// Whether the first difference ends a group.
    pub ends_at_first: bool,
}

impl Extent {
    /// Points of a frame, of as many: each takes as long as a tile.
    fn points(&self, all: usize) -> usize {
        if self.few { all.min(20) } else { all }
    }
}

/// What a group compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    pub group: String,
    /// Parameter sets, sequences, sizes, formats or tensors.
    pub cases: usize,
    pub frames: usize,
    /// Frames times grids.
    pub launches: usize,
    /// Or boxes.
    pub features: usize,
    pub descriptors: usize,
    pub tracks: usize,
    pub different: usize,
    /// The first of them.
    pub differences: Vec<String>,
    /// Why the group ended early.
    pub error: Option<String>,
    #[serde(skip)]
    ends_at_first: bool,
}

impl Report {
    pub fn is_equal(&self) -> bool {
        self.different == 0 && self.error.is_none() && self.frames > 0
    }

    fn differs(&mut self, difference: String) {
        self.different += 1;
        if self.differences.len() < TOLD {
            self.differences.push(difference);
        }
    }

    /// One more frame of `twin`.
    ///
    /// Errors: what the device answers; a difference, if the first one ends it.
    fn frame(&mut self, name: &str, twin: &mut Twin, request: &Request<'_>) -> Result<(), String> {
        let outcome = twin.frame(request).map_err(|error| format!("{name}: {error}"))?;
        let Outcome { features, descriptors, tracks, differences } = outcome;
        self.frames += 1;
        self.launches += twin.grids();
        self.features += features;
        self.descriptors += descriptors;
        self.tracks += tracks;
        for difference in differences {
            self.differs(format!("{name}: {difference}"));
        }
        self.go_on()
    }

    /// Errors: there was a difference, and the first one ends it.
    fn go_on(&self) -> Result<(), String> {
        if self.ends_at_first && self.different > 0 { Err("ended at the first difference".to_owned()) } else { Ok(()) }
    }
}

/// Runs a group. What the device answers ends it.
pub fn run(group: Group, gpu: &Gpu, extent: &Extent) -> Report {
    let mut report = Report { group: group.to_string(), ends_at_first: extent.ends_at_first, ..Report::default() };
    let outcome = match group {
        Group::Sizes => groups::sizes(gpu, extent, &mut report),
        Group::Formats => groups::formats(gpu, extent, &mut report),
        Group::Scenes => groups::scenes(gpu, extent, &mut report),
        Group::Data => groups::data(gpu, extent, &mut report),
        Group::Random => groups::random(gpu, extent, &mut report),
        Group::Boxes => boxes::boxes(gpu, extent, &mut report),
        Group::Repeat => groups::repeat(gpu, extent, &mut report),
    };
    report.error = outcome.err();
    report
}
