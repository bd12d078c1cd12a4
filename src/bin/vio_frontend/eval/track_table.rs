//! Figures of tracks, a column a tracker.

use std::io::{self, Write};

use vio_frontend::eval::tracks::TrackFigures;

use super::Tracking;

/// Rows without a figure of any tracker are left out.
pub fn print(out: &mut impl Write, source: &str, tracking: &Tracking) -> io::Result<()> {
    let Tracking { frames, known, trackers } = tracking;
    let known = if known.is_empty() { "no truth".to_owned() } else { known.join(", ") };
    writeln!(out, "{source}: {frames} frames, {known}\n")?;
    write!(out, "{:<36}", "")?;
    for figures in trackers {
        write!(out, "{:>16}", figures.tracker)?;
    }
    writeln!(out)?;
    let mut rows = Rows { trackers, lines: Vec::new() };
    rows.basics();
    rows.flow();
    rows.geometry();
    for line in rows.lines {
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}

struct Rows<'a> {
    trackers: &'a [TrackFigures],
    lines: Vec<String>,
}

impl Rows<'_> {
    fn row(&mut self, name: &str, digits: usize, value: impl Fn(&TrackFigures) -> Option<f64>) {
        let values: Vec<Option<f64>> = self.trackers.iter().map(value).collect();
        if values.iter().any(Option::is_some) {
            let cell = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"));
            let cells: String = values.iter().map(|value| format!("{:>16}", cell(value))).collect();
            self.lines.push(format!("{name:<36}{cells}"));
        }
    }

    fn basics(&mut self) {
        self.row("tracks", 0, |f| Some(f.basics.tracks as f64));
        self.row("tracks a frame", 1, |f| Some(f.basics.tracks_per_frame));
        self.row("fewest in a frame", 0, |f| Some(f.basics.fewest as f64));
        self.row("length, mean", 2, |f| f.basics.length.mean);
        self.row("length, median", 0, |f| f.basics.length.median);
        self.row("length, mean over observations", 2, |f| f.basics.length.of_observation);
        self.row("kept to the next frame", 4, |f| f.basics.kept);
        self.row("8 x 6 cells served", 3, |f| Some(f.basics.spread.cells_served));
        self.row("entropy over cells", 3, |f| Some(f.basics.spread.entropy));
        let mut reasons: Vec<String> = self.trackers.iter().flat_map(|f| f.basics.losses.keys().cloned()).collect();
        reasons.sort();
        reasons.dedup();
        for reason in reasons {
            self.row(&format!("lost: {reason}"), 0, |f| f.basics.losses.get(&reason).map(|&count| count as f64));
        }
    }

    fn flow(&mut self) {
        let trackers = self.trackers;
        self.row("error a frame, median px", 4, |f| f.flow.as_ref()?.median_px);
        self.row("error a frame, p95 px", 3, |f| f.flow.as_ref()?.p95_px);
        self.row("within 1 px a frame", 4, |f| f.flow.as_ref()?.within_1px);
        self.row("drift in 100 frames, px", 2, |f| f.flow.as_ref()?.drift_px_per_100);
        let ages = trackers.iter().filter_map(|f| f.flow.as_ref()).flat_map(|flow| flow.drift.iter().map(|at| at.age));
        let mut ages: Vec<usize> = ages.collect();
        ages.sort_unstable();
        ages.dedup();
        for age in ages {
            let at = move |f: &TrackFigures| f.flow.as_ref()?.drift.iter().find(|at| at.age == age).copied();
            self.row(&format!("error at age {age}, median px"), 3, |f| at(f)?.median_px);
            self.row(&format!("error at age {age}, within 1 px"), 3, |f| at(f)?.within_1px);
        }
        self.row("survival", 4, |f| f.flow.as_ref()?.survival.kept);
        self.row("survival within 1 px", 4, |f| f.flow.as_ref()?.survival.kept_right);
        self.row("survival, worst pair of frames", 4, |f| f.flow.as_ref()?.survival.worst);
        self.row("survival, worst at frame", 0, |f| Some(f.flow.as_ref()?.survival.worst_frame? as f64));
        self.row("lost though seen soon after", 0, |f| Some(f.flow.as_ref()?.reacquisition.lost as f64));
        self.row("of these found again", 3, |f| f.flow.as_ref()?.reacquisition.rate);
        self.row("of these within 2 px", 3, |f| f.flow.as_ref()?.reacquisition.right);
        self.row("|error a frame| / sigma, median", 3, |f| f.flow.as_ref()?.sigma?.of_step);
        self.row("|error since birth| / sigma, median", 3, |f| f.flow.as_ref()?.sigma?.of_drift);
        self.row("outliers: cases", 0, |f| Some(f.outliers?.cases as f64));
        self.row("outliers: recall", 4, |f| f.outliers?.recall);
        self.row("outliers: dropped", 0, |f| Some(f.outliers?.dropped? as f64));
        self.row("outliers: precision", 4, |f| f.outliers?.precision);
    }

    fn geometry(&mut self) {
        self.row("direct over 5 frames: confirmed", 4, |f| f.direct?.confirmed);
        self.row("direct over 5 frames: in a frame", 1, |f| f.direct?.confirmed_per_frame);
        self.row("direct over 5 frames: median px", 4, |f| f.direct?.median_px);
        self.row("off epipolar line, median px", 4, |f| f.epipolar?.median_px);
        self.row("off epipolar line, p95 px", 3, |f| f.epipolar?.p95_px);
        self.row("off epipolar line, within 1 px", 4, |f| f.epipolar?.within_1px);
        self.row("moved a frame, median px", 3, |f| f.rotation?.moved_median_px);
        self.row("left by the turn, median px", 3, |f| f.rotation?.left_median_px);
        self.row("wander over 20 frames, median px", 4, |f| f.wander?.median_px);
        self.row("wander over 20 frames, p95 px", 4, |f| f.wander?.p95_px);
        self.row("wander alone, median px", 4, |f| f.wander?.alone_median_px);
        self.row("wander alone, p95 px", 4, |f| f.wander?.alone_p95_px);
        self.row("annotated corners: tracks", 0, |f| Some(f.corners?.tracks as f64));
        self.row("annotated corners: off, median px", 3, |f| f.corners?.median_px);
        self.row("annotated corners: off, p95 px", 3, |f| f.corners?.p95_px);
        self.row("annotated corners: within 2 px", 3, |f| f.corners?.within_2px);
    }
}
