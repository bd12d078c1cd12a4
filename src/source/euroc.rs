//! The layout of the EuRoC MAV (ASL) data set: `mav0/cam0/{data.csv,data/,sensor.yaml}`, `mav0/imu0/data.csv`.

use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::images::{image_files, stem};
use super::recorded::{FrameFile, Recorded};
use super::{SourceError, stamp};
use crate::camera::{CamImu, SensorYaml};
use crate::frame::ImuSample;

/// Opens `mav0`: cam0 with its calibration if there is one, imu0 if there is one.
///
/// Errors: no images and no listing of them, an unreadable listing, a refused calibration. A damaged row of cam0 is a
/// frame that cannot be read; damaged rows of imu0 are left out with a warning.
pub(super) fn open(mav0: &Path) -> Result<Recorded, SourceError> {
    let cam0 = mav0.join("cam0");
    let listing = cam0.join("data.csv");
    let frames = if listing.is_file() { listed_frames(&cam0, &listing)? } else { named_frames(&cam0)? };
    let sensor = cam0.join("sensor.yaml");
    let sensor = if sensor.is_file() { Some(SensorYaml::read(&sensor)?) } else { None };
    let imu0 = mav0.join("imu0");
    let cam_from_body = sensor.as_ref().and_then(SensorYaml::cam_from_body);
    let body_from_imu = SensorYaml::read_pose(&imu0.join("sensor.yaml"))?;
    // Without a pose of its own the IMU is the body.
    let cam_from_imu = cam_from_body.map(|cam| cam * body_from_imu.unwrap_or_default());
    let cam_imu = cam_from_imu.map(|cam_from_imu| CamImu { cam_from_imu, timeshift_s: 0.0 });
    let camera = sensor.map(|sensor| sensor.camera);
    let imu = imu0.join("data.csv");
    let imu = if imu.is_file() { imu_samples(&imu)? } else { Vec::new() };
    Ok(Recorded { frames, imu, camera, cam_imu, ..Recorded::default() })
}

/// The frames of `data.csv` (`timestamp [ns],filename`), one for every row.
fn listed_frames(cam0: &Path, listing: &Path) -> Result<Vec<FrameFile>, SourceError> {
    let mut frames: Vec<FrameFile> = Vec::new();
    for row in rows(listing)? {
        let damaged = |what: &str| Err(format!("{}:{}: {what}", listing.display(), row.line));
        let field = row.fields.first().map_or("", String::as_str);
        let stamp = stamp::from_ns(field);
        let file = match (stamp, row.fields.get(1)) {
            (None, _) => damaged(&format!("'{field}' is no stamp in ns")),
            (_, None) => damaged("no file name"),
            (_, Some(name)) if name.is_empty() => damaged("no file name"),
            (_, Some(name)) => Ok(cam0.join("data").join(name)),
        };
        // A row without a stamp keeps its place among the rows before it.
        let stamp_ns = stamp.or(frames.last().map(|frame| frame.stamp_ns)).unwrap_or_default();
        frames.push(FrameFile { stamp_ns, file });
    }
    Ok(frames)
}

/// Without a listing: the files of `data/`, named by their stamps in ns.
fn named_frames(cam0: &Path) -> Result<Vec<FrameFile>, SourceError> {
    let frame = |path| match stamp::from_ns(&stem(path)) {
        Some(stamp_ns) => FrameFile { stamp_ns, file: Ok(path.to_owned()) },
        None => FrameFile { stamp_ns: 0, file: Err(format!("{}: the name is no stamp in ns", path.display())) },
    };
    Ok(image_files(&cam0.join("data"))?.iter().map(|path| frame(path)).collect())
}

/// The samples of `imu0/data.csv` (`timestamp [ns], gyro xyz [rad/s], accel xyz [m/s^2]`).
fn imu_samples(listing: &Path) -> Result<Vec<ImuSample>, SourceError> {
    let (mut samples, mut damaged) = (Vec::new(), Vec::new());
    for row in rows(listing)? {
        match imu_sample(&row.fields) {
            Some(sample) => samples.push(sample),
            None => damaged.push(row.line),
        }
    }
    if let Some(first) = damaged.first() {
        let (path, count) = (listing.display(), damaged.len());
        tracing::warn!("{path}: {count} rows are no IMU samples and are left out; the first is line {first}");
    }
    Ok(samples)
}

/// Stamp, three finite rates and, if they are there, three finite accelerations.
fn imu_sample(fields: &[String]) -> Option<ImuSample> {
    let numbers = |range: std::ops::Range<usize>| -> Option<[f64; 3]> {
        let parse = |text: &String| text.parse().ok().filter(|v: &f64| v.is_finite());
        fields.get(range)?.iter().map(parse).collect::<Option<Vec<f64>>>()?.try_into().ok()
    };
    let accel = if fields.len() > 4 { Some(numbers(4..7)?) } else { None };
    Some(ImuSample { stamp_ns: stamp::from_ns(fields.first()?)?, gyro: numbers(1..4)?, accel })
}

/// One row of a listing.
struct Row {
    line: u64,
    fields: Vec<String>,
}

/// All rows but comments, blank lines and a title row without `#`. Lines may end in CR LF; bytes that are no UTF-8 are
/// kept as replacement characters, so that no row is lost.
fn rows(path: &Path) -> Result<Vec<Row>, SourceError> {
    let unreadable = |error: csv::Error| SourceError::Csv { path: path.to_owned(), error };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .quoting(false)
        .comment(Some(b'#'))
        .trim(Trim::All)
        .from_path(path)
        .map_err(unreadable)?;
    let mut rows = Vec::new();
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(unreadable)? {
        let fields: Vec<String> = record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
        let line = record.position().map_or(0, csv::Position::line);
        let is_title = rows.is_empty() && fields.iter().all(|f| !f.starts_with(|c: char| c.is_ascii_digit()));
        if fields.iter().any(|f| !f.is_empty()) && !is_title {
            rows.push(Row { line, fields });
        }
    }
    Ok(rows)
}
