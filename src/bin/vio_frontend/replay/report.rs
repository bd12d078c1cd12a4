//! `report.html`: one self-contained page about a run.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::anyhow;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use plotters::prelude::*;
use vio_frontend::frontend::FrameOutput;
use vio_frontend::output::Summary;

/// Overlays shown, spread evenly over the run.
const SAMPLES: usize = 4;
/// Bars of the histogram, at most.
const BARS: u32 = 40;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em}\
    table{border-collapse:collapse}td,th{padding:.1em 1em .1em 0;text-align:left}img,svg{max-width:100%;height:auto}";

/// What the page shows, gathered frame by frame.
pub struct Report {
    /// Frame index and latency, ms.
    latency: Vec<(f64, f64)>,
    /// Frame index and number of features.
    counts: Vec<(f64, f64)>,
    /// Frames that each track was tracked over, by id; none in `mode: detect`.
    lengths: HashMap<u64, u32>,
    /// Captions and PNG files.
    samples: Vec<(String, String)>,
    sample_every: usize,
}

impl Report {
    pub fn new(frames: usize) -> Self {
        let sample_every = frames.div_ceil(SAMPLES).max(1);
        Self { latency: Vec::new(), counts: Vec::new(), lengths: HashMap::new(), samples: Vec::new(), sample_every }
    }

    /// Adds a frame to the plots; true if its overlay is wanted too.
    pub fn frame(&mut self, index: usize, output: &FrameOutput) -> bool {
        self.latency.push((index as f64, output.times.total.as_secs_f64() * 1e3));
        self.counts.push((index as f64, output.points.len() as f64));
        if output.tracking.is_some() {
            self.lengths.extend(output.points.iter().map(|point| (point.id, point.age)));
        }
        self.samples.len() < SAMPLES && index >= self.samples.len() * self.sample_every
    }

    pub fn sample(&mut self, index: usize, stamp_ns: i64, png: &[u8]) {
        self.samples.push((format!("frame {index}, stamp {stamp_ns} ns"), BASE64_STANDARD.encode(png)));
    }

    /// The page.
    pub fn html(&self, summary: &Summary) -> anyhow::Result<String> {
        let title = format!("vio_frontend {}: {}", summary.version, escape(&summary.source));
        let mut page = String::new();
        write!(page, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>")?;
        write!(page, "<style>{STYLE}</style><h1>{title}</h1>{}", table(summary)?)?;
        write!(page, "<h2>Latency</h2>{}", plot("frame", "ms per frame", &self.latency)?)?;
        write!(page, "<h2>Features</h2>{}", plot("frame", "features per frame", &self.counts)?)?;
        if !self.lengths.is_empty() {
            let bars = histogram(self.lengths.values().copied());
            write!(page, "<h2>Track lengths</h2>{}", plot("frames tracked over", "tracks", &bars)?)?;
        }
        page.push_str("<h2>Sample frames</h2>");
        for (caption, png) in &self.samples {
            write!(page, "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,{png}\">")?;
            write!(page, "<figcaption>{caption}</figcaption></figure>")?;
        }
        page.push_str("</html>\n");
        Ok(page)
    }
}

/// The summary's numbers as rows.
fn table(summary: &Summary) -> anyhow::Result<String> {
    let mut rows = String::from("<table>");
    let mut row = |name: &str, value: String| write!(rows, "<tr><th>{name}</th><td>{value}</td></tr>");
    row("frames", format!("{} ({} processed, {} skipped)", summary.frames, summary.processed, summary.skipped))?;
    for (reason, count) in &summary.refused {
        row("refused", format!("{count} for {reason}"))?;
    }
    row("restarts", summary.restarts.to_string())?;
    if let (Some(mean), Some(min), Some(max)) = (summary.features_mean, summary.features_min, summary.features_max) {
        row("features per frame", format!("{mean:.1} on average, {min} to {max}"))?;
    }
    if let (Some(mean), Some(length)) = (summary.tracks_alive_mean, summary.track_length_median) {
        row("tracks", format!("{mean:.1} alive on average, median length {length} frames"))?;
    }
    for (reason, count) in &summary.tracks_lost {
        row("tracks lost", format!("{count} for {reason}"))?;
    }
    row("device", summary.device.to_owned())?;
    for (stage, p) in &summary.latency_us {
        row(stage, format!("p50 {:.0} us, p95 {:.0} us, p99 {:.0} us", p.p50, p.p95, p.p99))?;
    }
    rows.push_str("</table>");
    Ok(rows)
}

/// The outline of the bars.
fn histogram(lengths: impl Iterator<Item = u32> + Clone) -> Vec<(f64, f64)> {
    let width = lengths.clone().max().unwrap_or(0) / BARS + 1;
    let mut bars = vec![0_u32; BARS as usize];
    for length in lengths {
        if let Some(bar) = bars.get_mut((length / width) as usize) {
            *bar += 1;
        }
    }
    let used = bars.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let edge = |i: usize| i as f64 * f64::from(width);
    let outline = bars.into_iter().take(used).map(f64::from).enumerate();
    let outline = outline.flat_map(|(i, count)| [(edge(i), count), (edge(i + 1), count)]);
    std::iter::once((0.0, 0.0)).chain(outline).chain([(edge(used), 0.0)]).collect()
}

/// A line from x = 0 on, from 0 to a little above the greatest value, as SVG.
fn plot(x_label: &str, label: &str, points: &[(f64, f64)]) -> anyhow::Result<String> {
    let last = points.last().map_or(1.0, |(x, _)| x.max(1.0));
    let greatest = points.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let mut svg = String::new();
    let draw = |svg: &mut String| -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let area = SVGBackend::with_string(svg, (920, 260)).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(36)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..last, 0.0..(greatest * 1.1).max(1e-3))?;
        let font = ("sans-serif", 15);
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().light_line_style(TRANSPARENT).label_style(font).axis_desc_style(font);
        mesh.x_label_formatter(&|index| format!("{index:.0}")).x_desc(x_label).y_desc(label).draw()?;
        chart.draw_series(LineSeries::new(points.iter().copied(), &BLUE))?;
        area.present()?;
        Ok(())
    };
    draw(&mut svg).map_err(|error| anyhow!("cannot plot {label}: {error}"))?;
    Ok(svg)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
