//! The figures side by side.

use std::io::{self, Write};

use serde::Serialize;
use vio_frontend::eval::Figures;
use vio_frontend::eval::matching::RECALLS;

use super::Document;

/// This project's figures over those of another detector; `None` where that one has none.
#[derive(Debug, Serialize)]
pub struct Ratios {
    over: String,
    cells_served: Option<f64>,
    entropy: Option<f64>,
    /// By level.
    rms: Vec<Option<f64>>,
    /// By level.
    matched: Vec<Option<f64>>,
    /// By change.
    repeatability: Vec<Option<f64>>,
}

fn ratio(ours: f64, theirs: f64) -> Option<f64> {
    (theirs > 0.0).then(|| ours / theirs)
}

impl Ratios {
    pub fn new(ours: &Figures, peer: &Figures) -> Self {
        let levels = || ours.precision.iter().zip(&peer.precision);
        Self {
            over: peer.detector.clone(),
            cells_served: ratio(ours.spread.cells_served, peer.spread.cells_served),
            entropy: ratio(ours.spread.entropy, peer.spread.entropy),
            rms: levels().map(|(a, b)| ratio(a.rms_px, b.rms_px)).collect(),
            matched: levels().map(|(a, b)| ratio(a.matched, b.matched)).collect(),
            repeatability: ours
                .repeatability
                .iter()
                .map(|a| {
                    let b = peer.repeatability.iter().find(|b| b.change == a.change)?;
                    ratio(a.share, b.share)
                })
                .collect(),
        }
    }
}

/// One row: a figure of every detector, and whether ratios to the first are of interest.
struct Row {
    name: String,
    values: Vec<Option<f64>>,
    digits: usize,
    compared: bool,
}

pub fn print(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let Document { source, images, left_out, detectors, .. } = document;
    writeln!(out, "{source}: {images} images")?;
    for reason in left_out {
        writeln!(out, "left out: {reason}")?;
    }
    writeln!(out, "\nIn brackets: the first detector's figure over this one.\n")?;
    write!(out, "{:<28}", "")?;
    for figures in detectors {
        write!(out, "{:>20}", figures.detector)?;
    }
    writeln!(out)?;
    for row in rows(detectors) {
        write!(out, "{:<28}", row.name)?;
        let first = row.values.first().copied().flatten();
        for (i, value) in row.values.iter().enumerate() {
            let text = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.*}", row.digits));
            let beside = first.zip(*value).and_then(|(a, b)| ratio(a, b)).filter(|_| row.compared && i > 0);
            let beside = beside.map_or_else(String::new, |ratio| format!(" ({ratio:.2})"));
            write!(out, "{:>20}", text + &beside)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn rows(detectors: &[Figures]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: String, digits, compared, value: &dyn Fn(&Figures) -> Option<f64>| {
        rows.push(Row { name, values: detectors.iter().map(value).collect(), digits, compared });
    };
    row("points wanted".to_owned(), 0, false, &|f| Some(f.count.wanted as f64));
    row("points offered".to_owned(), 1, false, &|f| f.count.offered);
    row("points got".to_owned(), 1, false, &|f| Some(f.count.got));
    row("8 x 6 cells served".to_owned(), 3, true, &|f| Some(f.spread.cells_served));
    row("entropy over cells".to_owned(), 3, true, &|f| Some(f.spread.entropy));
    let Some(first) = detectors.first() else { return rows };
    for level in 0..first.precision.len() {
        row(format!("level {level}: RMS an axis, px"), 3, true, &|f| {
            f.precision.get(level).filter(|p| p.pairs > 0).map(|p| p.rms_px)
        });
        row(format!("level {level}: matched"), 3, true, &|f| f.precision.get(level).map(|p| p.matched));
        row(format!("level {level}: pairs"), 0, false, &|f| f.precision.get(level).map(|p| p.pairs as f64));
        for (axis, name) in ["x", "y"].iter().enumerate() {
            row(format!("level {level}: bias {name}, px"), 3, false, &|f| {
                f.precision.get(level).map(|p| p.bias_px[axis])
            });
        }
    }
    for i in 0..first.repeatability.len() {
        let name = first.repeatability.get(i).map_or_else(String::new, |r| format!("found again: {}", r.change));
        row(name, 3, true, &|f| f.repeatability.get(i).map(|r| r.share));
    }
    row("found again: mean".to_owned(), 3, true, &|f| {
        let shares: Vec<f64> = f.repeatability.iter().map(|r| r.share).collect();
        (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
    });
    for matching in &first.matching {
        for (i, recall) in RECALLS.iter().enumerate() {
            row(format!("matching, {}: at {recall}", matching.change), 3, true, &|f| {
                f.matching.iter().find(|other| other.change == matching.change)?.precision[i]
            });
        }
    }
    rows
}
