//! One run: every frame is processed, refused or skipped, and counted.

use std::collections::BTreeSet;
use std::time::Duration;

use indicatif::ProgressBar;
use vio_frontend::error::Refusal;
use vio_frontend::frame::{Frame, ImuSample, StampNs};
use vio_frontend::frontend::{Calibration, FrameOutput, Frontend, Tracking};
use vio_frontend::image::GrayImage;
use vio_frontend::output::{Fallback, Run, Summary};
use vio_frontend::telemetry::Telemetry;
use vio_frontend::trigger::{Decision, Trigger, Waiting};

use super::folder::OutFolder;

/// The front end, what it is fed with, and what is kept of its results.
pub struct Session<'a> {
    frontend: Frontend,
    folder: Option<OutFolder>,
    bar: &'a ProgressBar,
    trigger: Trigger,
    last_imu: Option<StampNs>,
    telemetry: Telemetry,
    run: Run,
    /// Reasons that were shown, of refusals and of frames without prediction: one message each.
    shown: BTreeSet<&'static str>,
}

impl<'a> Session<'a> {
    pub fn new(frontend: Frontend, folder: Option<OutFolder>, bar: &'a ProgressBar) -> Self {
        Self {
            frontend,
            folder,
            bar,
            trigger: Trigger::default(),
            last_imu: None,
            telemetry: Telemetry::default(),
            run: Run::default(),
            shown: BTreeSet::new(),
        }
    }

    /// Frames accounted for so far.
    pub fn frames(&self) -> usize {
        (self.telemetry.processed + self.telemetry.refused_total() + self.run.skipped) as usize
    }

    pub fn imu(&mut self, sample: ImuSample) {
        self.run.imu_samples += 1;
        self.last_imu = self.last_imu.max(Some(sample.stamp_ns));
        self.frontend.add_imu(sample);
    }

    /// Errors: only those of writing results.
    pub fn image(&mut self, stamp_ns: StampNs, image: &GrayImage) -> anyhow::Result<()> {
        if !self.is_due(stamp_ns) {
            self.run.skipped += 1;
            return Ok(());
        }
        let outcome = image.checked_view().and_then(|image| self.frontend.process(&Frame { stamp_ns, image }));
        match outcome {
            Ok(output) => self.keep(&output),
            Err(refusal) => {
                self.refuse(stamp_ns, &refusal);
                Ok(())
            }
        }
    }

    /// Counts a refused frame; the first of each reason is shown.
    pub fn refuse(&mut self, stamp_ns: StampNs, refusal: &Refusal) {
        if self.shown.insert(refusal.reason()) {
            let frame = self.frames();
            self.bar.suspend(|| tracing::warn!("frame {frame} (stamp {stamp_ns}) refused: {refusal}"));
        }
        self.telemetry.refused(refusal);
    }

    /// Closes the files. Yields the summary and the names of what was written.
    pub fn finish(mut self, source: &str) -> anyhow::Result<(Summary, Vec<String>)> {
        self.run.source = source.to_owned();
        let gpu = self.frontend.gpu_report();
        self.run.device = self.frontend.backend().name();
        self.run.gpu_transfers = gpu.transfers.map(|transfers| transfers.to_string());
        (self.run.gpu, self.run.no_gpu) = (gpu.name, gpu.why_not);
        let summary = Summary::new(&self.telemetry, self.run);
        let written = match self.folder {
            Some(folder) => folder.finish(&summary)?,
            None => Vec::new(),
        };
        Ok((summary, written))
    }

    /// The parameter `trigger` on recorded time. Samples come in the order of stamps, so none is waited for; the IMU
    /// counts as silent by the distance from its last sample to the image.
    fn is_due(&mut self, stamp_ns: StampNs) -> bool {
        let silent = self.last_imu.map_or(u64::MAX, |last| stamp_ns.saturating_sub(last).max(0) as u64);
        let waiting = Waiting {
            stamp_ns,
            waited: Duration::ZERO,
            wants_imu: false,
            crowded: false,
            imu_newest_ns: Some(StampNs::MAX),
            imu_silent: Duration::from_nanos(silent),
        };
        self.trigger.decide(self.frontend.params(), waiting) != Decision::Skip
    }

    fn keep(&mut self, output: &FrameOutput) -> anyhow::Result<()> {
        let index = self.frames();
        if let Calibration::OtherSize(error) = &output.calibration
            && self.shown.insert("calibration")
        {
            self.bar.suspend(|| tracing::warn!("features go out without normalised coordinates: {error}"));
        }
        if let Some((kind, reason)) = output.tracking.as_ref().and_then(Tracking::complaint)
            && self.shown.insert(kind)
        {
            self.bar.suspend(|| tracing::warn!("frame {index}: tracks are not predicted: {reason}"));
        }
        self.telemetry.processed(output);
        self.telemetry.took("total", output.times.total);
        let frame = index as u64;
        self.run.fallbacks.extend(output.fallback.clone().map(|reason| Fallback { frame, reason }));
        self.run.calibrated = output.calibration == Calibration::Valid;
        self.run.published += u64::from(output.publish);
        match &mut self.folder {
            Some(folder) => folder.frame(index, output, self.frontend.gray(), self.frontend.mask()),
            None => Ok(()),
        }
    }
}
