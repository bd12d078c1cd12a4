//! C11 written once more from its text, slowly: every pixel of a window is asked of the image on its own.

use vio_frontend::image::GrayImage;
use vio_frontend::track::{Flow, FlowStart, FlowStatus, TrackSettings};

/// What a search ends with: status, motion, residual, smaller eigenvalue.
type Found = (FlowStatus, [f32; 2], f32, f32);

struct Level<'a>(&'a GrayImage);

/// A point as pixel and weights w00, w10, w01, w11.
struct Place(i64, i64, [i64; 4]);

impl Level<'_> {
    fn pixel(&self, x: i64, y: i64) -> i64 {
        let inside = |i: i64, side: usize| i.max(0).min(side as i64 - 1) as usize;
        self.0.at(inside(x, self.0.width()), inside(y, self.0.height())).into()
    }

    fn scharr_x(&self, x: i64, y: i64) -> i64 {
        (-1..=1).map(|k| [3, 10, 3][(k + 1) as usize] * (self.pixel(x + 1, y + k) - self.pixel(x - 1, y + k))).sum()
    }

    fn scharr_y(&self, x: i64, y: i64) -> i64 {
        (-1..=1).map(|k| [3, 10, 3][(k + 1) as usize] * (self.pixel(x + k, y + 1) - self.pixel(x + k, y - 1))).sum()
    }

    fn holds(&self, [x, y]: [f32; 2]) -> bool {
        (0.0..=self.0.width() as f32 - 1.0).contains(&x) && (0.0..=self.0.height() as f32 - 1.0).contains(&y)
    }
}

fn place([x, y]: [f32; 2]) -> Place {
    let (a, b) = (x - x.floor(), y - y.floor());
    let rint = |w: f32| {
        // Half to even, without the library's function.
        let (low, rest) = (w.floor(), w - w.floor());
        let up = rest > 0.5 || (rest == 0.5 && low as i64 % 2 == 1);
        low as i64 + i64::from(up)
    };
    let w00 = rint(((1.0 - a) * (1.0 - b)) * 16384.0);
    let w10 = rint((a * (1.0 - b)) * 16384.0);
    let w01 = rint(((1.0 - a) * b) * 16384.0);
    Place(x.floor() as i64, y.floor() as i64, [w00, w10, w01, 16384 - w00 - w10 - w01])
}

/// Offsets of the window, with a quantity interpolated at each, times 2^14.
fn exact(place: &Place, radius: i64, value: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    let Place(x, y, w) = *place;
    let mut out = Vec::new();
    for j in -radius..=radius {
        for i in -radius..=radius {
            let (x, y) = (x + i, y + j);
            out.push(w[0] * value(x, y) + w[1] * value(x + 1, y) + w[2] * value(x, y + 1) + w[3] * value(x + 1, y + 1));
        }
    }
    out
}

/// How the quantity changes with the place, along x and along y; times 2^14.
fn slopes(place: &Place, radius: i64, value: impl Fn(i64, i64) -> i64) -> [Vec<i64>; 2] {
    let Place(x, y, w) = *place;
    let along_x = |x: i64, y: i64| {
        let (upper, lower) = (value(x + 1, y) - value(x, y), value(x + 1, y + 1) - value(x, y + 1));
        (w[0] + w[1]) * upper + (w[2] + w[3]) * lower
    };
    let along_y = |x: i64, y: i64| {
        let (left, right) = (value(x, y + 1) - value(x, y), value(x + 1, y + 1) - value(x + 1, y));
        (w[0] + w[2]) * left + (w[1] + w[3]) * right
    };
    let places = || (-radius..=radius).flat_map(|j| (-radius..=radius).map(move |i| (x + i, y + j)));
    [places().map(|(x, y)| along_x(x, y)).collect(), places().map(|(x, y)| along_y(x, y)).collect()]
}

/// The quantity itself, divided by 2^shift and rounded half up.
fn window(place: &Place, radius: i64, shift: u32, value: impl Fn(i64, i64) -> i64) -> Vec<i64> {
    exact(place, radius, value).into_iter().map(|sum| (sum + (1 << (shift - 1))) >> shift).collect()
}

/// Which pixels of a window have so many neighbours before and behind them in the image, along both axes.
fn inside(level: &Level<'_>, place: &Place, radius: i64, [before, after]: [i64; 2]) -> Vec<bool> {
    let holds = |c: i64, side: usize| c - before >= 0 && c + after < side as i64;
    let mut out = Vec::new();
    for j in -radius..=radius {
        for i in -radius..=radius {
            out.push(holds(place.0 + i, level.0.width()) && holds(place.1 + j, level.0.height()));
        }
    }
    out
}

fn pick(values: &[i64], which: &[bool]) -> Vec<i64> {
    values.iter().zip(which).filter(|(_, counts)| **counts).map(|(value, _)| *value).collect()
}

/// <ab>
fn product(a: &[i64], b: &[i64], free: bool) -> i128 {
    let ab: i128 = a.iter().zip(b).map(|(a, b)| i128::from(a * b)).sum();
    let (n, a, b) = (a.len() as i128, a.iter().sum::<i64>(), b.iter().sum::<i64>());
    if free { n * ab - i128::from(a) * i128::from(b) } else { ab }
}

fn level(from_image: &Level<'_>, to_image: &Level<'_>, p: [f32; 2], start: [f32; 2], s: &TrackSettings) -> Found {
    if !from_image.holds(p) {
        return (FlowStatus::Outside, start, 0.0, 0.0);
    }
    let radius = i64::from(s.window / 2);
    let at = place(p);
    let own = inside(from_image, &at, radius, [1, 2]);
    let all_i = exact(&at, radius, |x, y| from_image.pixel(x, y));
    let rounded_i = window(&at, radius, 9, |x, y| from_image.pixel(x, y));
    let all_gx = window(&at, radius, 14, |x, y| from_image.scharr_x(x, y));
    let all_gy = window(&at, radius, 14, |x, y| from_image.scharr_y(x, y));
    let [gx, gy] = [&all_gx, &all_gy].map(|values| pick(values, &own));
    let dot = |a: &[i64], b: &[i64]| product(a, b, s.illumination) as f64;
    let (xx, xy, yy) = (dot(&gx, &gx), dot(&gx, &gy), dot(&gy, &gy));
    let n = gx.len() as f64;
    let n = if s.illumination { n * n } else { n };
    let det = xx * yy - xy * xy;
    let root = ((xx - yy) * (xx - yy) + 4.0 * (xy * xy)).sqrt();
    let eigenvalue = (((xx + yy) - root) / (2.0 * n * 1048576.0)) as f32;
    if eigenvalue < s.min_eigenvalue || det <= 0.0 {
        return (FlowStatus::LowTexture, start, 0.0, eigenvalue);
    }
    let (mut d, mut residual) = (start, 0.0);
    let (mut last, mut stretch) = ([0.0_f32; 2], 1.0_f32);
    for _ in 0..s.max_iter {
        let q = [p[0] + d[0], p[1] + d[1]];
        if !to_image.holds(q) {
            return (FlowStatus::Outside, start, 0.0, eigenvalue);
        }
        let there = inside(to_image, &place(q), radius, [0, 1]);
        let both: Vec<bool> = own.iter().zip(&there).map(|(a, b)| *a && *b).collect();
        let all_j = exact(&place(q), radius, |x, y| to_image.pixel(x, y));
        let [i, gx, gy, j] = [&all_i, &all_gx, &all_gy, &all_j].map(|values| pick(values, &both));
        let n = if s.illumination { (j.len() * j.len()) as f64 } else { j.len() as f64 };
        let (xx, xy, yy) = (dot(&gx, &gx), dot(&gx, &gy), dot(&gy, &gy));
        let det = xx * yy - xy * xy;
        if det <= 0.0 {
            return (FlowStatus::Outside, start, 0.0, eigenvalue);
        }
        let (ii, jj) = (dot(&i, &i), dot(&j, &j));
        let factor = match (s.illumination, jj > 0.0) {
            (false, _) => 1.0,
            (true, false) => 8.0,
            (true, true) => (ii as f32 / jj as f32).sqrt().clamp(0.125, 8.0),
        };
        let factor = f64::from(factor);
        let scaled = |a: &[i64], b: &[i64]| dot(a, b) / 512.0;
        let (bx, by) = (scaled(&gx, &j) * factor - scaled(&gx, &i), scaled(&gy, &j) * factor - scaled(&gy, &i));
        let inverse = 1.0 / det;
        let step = [((xy * by - yy * bx) * inverse) as f32, ((xy * bx - xx * by) * inverse) as f32];
        let dot2 = |a: [f32; 2], b: [f32; 2]| a[0] * b[0] + a[1] * b[1];
        let [jx, jy] = slopes(&place(q), radius, |x, y| to_image.pixel(x, y)).map(|slope| pick(&slope, &both));
        let slope = |g: &[i64], j: &[i64]| (scaled(g, j) * factor) as f32;
        let (axx, axy, ayx, ayy) = (slope(&gx, &jx), slope(&gx, &jy), slope(&gy, &jx), slope(&gy, &jy));
        let (fx, fy) = (bx as f32, by as f32);
        let slope_det = axx * ayy - axy * ayx;
        let newton = [(axy * fy - ayy * fx) * (1.0 / slope_det), (ayx * fx - axx * fy) * (1.0 / slope_det)];
        let good = slope_det >= 0.125 * (det as f32) && dot2(newton, newton) <= 4.0 && dot2(newton, step) > 0.0;
        let step = if good { newton } else { step };
        let long = 2.0 * stretch;
        let leads_on = !good && dot2(step, last) > 0.0 && long * long * dot2(step, step) <= 4.0;
        stretch = if leads_on { long } else { 1.0 };
        let turns = dot2(step, last) < 0.0 && dot2(last, last) < 4.0 * dot2(step, step);
        let step = step.map(|c| c * if turns { 0.5 } else { stretch });
        last = step;
        let rounded_j = window(&place(q), radius, 9, |x, y| to_image.pixel(x, y));
        let [i, j] = [&rounded_i, &rounded_j].map(|values| pick(values, &both));
        let squares = (factor * factor * dot(&j, &j) - 2.0 * factor * dot(&i, &j)) + dot(&i, &i);
        residual = (squares.max(0.0) / (n * 1024.0)).sqrt() as f32;
        d = [d[0] + step[0], d[1] + step[1]];
        if step[0] * step[0] + step[1] * step[1] <= s.eps * s.eps {
            break;
        }
    }
    if to_image.holds([p[0] + d[0], p[1] + d[1]]) {
        (FlowStatus::Tracked, d, residual, eigenvalue)
    } else {
        (FlowStatus::Outside, start, 0.0, eigenvalue)
    }
}

fn search(
    from_levels: &[&GrayImage],
    to_levels: &[&GrayImage],
    from: [f32; 2],
    motion: [f32; 2],
    trusted: bool,
    settings: &TrackSettings,
) -> Found {
    let top = (settings.levels as usize).min(from_levels.len()) as i32 - 1;
    let top = if trusted { top.min(1) } else { top };
    let mut found = (FlowStatus::Outside, motion, 0.0, 0.0);
    for l in (0..=top).rev() {
        let (scale, l) = (2.0_f32.powi(l), l as usize);
        let p = from.map(|c| (c + 0.5) / scale - 0.5);
        found = level(&Level(from_levels[l]), &Level(to_levels[l]), p, found.1.map(|c| c / scale), settings);
        found.1 = found.1.map(|c| c * scale);
    }
    found
}

pub fn track(previous: &[&GrayImage], current: &[&GrayImage], start: &FlowStart, settings: &TrackSettings) -> Flow {
    let guess = [start.guess[0] - start.from[0], start.guess[1] - start.from[1]];
    let (status, m, residual, min_eigenvalue) = search(previous, current, start.from, guess, start.trusted, settings);
    let mut flow = Flow { position: start.from, status, residual, min_eigenvalue, backward_error: 0.0 };
    if status != FlowStatus::Tracked {
        return flow;
    }
    flow.position = [start.from[0] + m[0], start.from[1] + m[1]];
    if residual > settings.max_residual {
        return Flow { status: FlowStatus::Residual, ..flow };
    }
    let Some(most) = settings.max_backward_error else { return refined(previous, current, start, settings, m, flow) };
    let open = TrackSettings { min_eigenvalue: 0.0, ..*settings };
    let (status, n, ..) = search(current, previous, flow.position, [-m[0], -m[1]], true, &open);
    if status != FlowStatus::Tracked {
        return Flow { status: FlowStatus::Inconsistent, ..flow };
    }
    let e = [(flow.position[0] + n[0]) - start.from[0], (flow.position[1] + n[1]) - start.from[1]];
    let squares = e[0] * e[0] + e[1] * e[1];
    flow.backward_error = squares.sqrt();
    if squares > most * most {
        return Flow { status: FlowStatus::Inconsistent, ..flow };
    }
    refined(previous, current, start, settings, m, flow)
}

fn refined(
    previous: &[&GrayImage],
    current: &[&GrayImage],
    start: &FlowStart,
    settings: &TrackSettings,
    m: [f32; 2],
    flow: Flow,
) -> Flow {
    if settings.refine_window == 0 || m[0] * m[0] + m[1] * m[1] < 1.0 {
        return flow;
    }
    let small = TrackSettings { window: settings.refine_window, ..*settings };
    let p = start.from.map(|c| (c + 0.5) - 0.5);
    let (status, fine, ..) = level(&Level(previous[0]), &Level(current[0]), p, m, &small);
    let (x, y) = (fine[0] - m[0], fine[1] - m[1]);
    if status != FlowStatus::Tracked || x * x + y * y > 1.0 {
        return flow;
    }
    Flow { position: [start.from[0] + fine[0], start.from[1] + fine[1]], ..flow }
}
