//! The contract once more, written as the text reads, with no regard to speed.

use std::cmp::Reverse;

use vio_frontend::detect::{Candidate, Corner, DetectSettings, Gain, fast9::RING};
use vio_frontend::feature::{Descriptor, Feature};
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;

pub struct Naive {
    pub levels: Vec<GrayImage>,
    pub medians: Vec<u8>,
    pub thresholds: Vec<u8>,
    pub survivors: Vec<Corner>,
    pub merged: Vec<Corner>,
    pub candidates: Vec<Candidate>,
    pub features: Vec<Feature>,
    pub descriptors: Vec<Descriptor>,
    pub gain: Gain,
}

pub fn detect(image: &GrayImage, mask: Option<&Mask>, settings: &DetectSettings, gain: Gain) -> Naive {
    let mut levels = vec![image.clone()];
    while levels.len() < settings.levels as usize {
        levels.push(half(&levels[levels.len() - 1]));
    }
    let medians = medians(image);
    let thresholds: Vec<u8> = medians.iter().map(|&median| threshold(median, settings, gain)).collect();
    let tmin = i32::from(settings.threshold_min);
    let survivors: Vec<Corner> = (0..levels.len()).flat_map(|l| survivors(&levels[l], l, tmin)).collect();
    let merged = merge(&survivors);
    let mut candidates: Vec<Candidate> = merged
        .iter()
        .filter_map(|&corner| {
            let (x, y) = (((corner.half_x + 1) >> 1) as usize, ((corner.half_y + 1) >> 1) as usize);
            let threshold = thresholds[y / 32 * image.width().div_ceil(32) + x / 32];
            let class = u8::from(corner.strength <= threshold);
            mask.is_none_or(|mask| mask.allows(x, y)).then_some(Candidate { corner, threshold, class })
        })
        .collect();
    candidates.sort_by_key(|c| (c.class, Reverse(c.corner.score), c.corner.half_y, c.corner.half_x, c.corner.level));
    let found = candidates.iter().filter(|candidate| candidate.class == 0).count() as i64;
    let selected = select(&candidates, image, settings);
    let features = selected.iter().map(|c| refine(c, &levels, tmin)).collect();
    let described = selected.iter().filter(|_| settings.describe);
    let descriptors = described.map(|c| describe(c, &levels[usize::from(c.corner.level)])).collect();
    Naive {
        levels,
        medians,
        thresholds,
        survivors,
        merged,
        candidates,
        features,
        descriptors,
        gain: advance(gain, found, settings.target),
    }
}

fn half(image: &GrayImage) -> GrayImage {
    GrayImage::from_fn(image.width() / 2, image.height() / 2, |x, y| {
        let sum: u32 =
            [(0, 0), (1, 0), (0, 1), (1, 1)].iter().map(|&(i, j)| u32::from(image.at(2 * x + i, 2 * y + j))).sum();
        ((sum + 2) >> 2) as u8
    })
}

fn medians(image: &GrayImage) -> Vec<u8> {
    let (w, h) = (image.width() as i32, image.height() as i32);
    let pixel = |x: i32, y: i32| i32::from(image.at(x as usize, y as usize));
    let mut medians = Vec::new();
    for tile_y in 0..(h + 31) / 32 {
        for tile_x in 0..(w + 31) / 32 {
            let mut gradients = Vec::new();
            for y in (32 * tile_y - 8..32 * tile_y + 40).filter(|y| y % 2 == 0 && (1..=h - 2).contains(y)) {
                for x in (32 * tile_x - 8..32 * tile_x + 40).filter(|x| x % 2 == 0 && (1..=w - 2).contains(x)) {
                    let (dx, dy) = (pixel(x + 1, y) - pixel(x - 1, y), pixel(x, y + 1) - pixel(x, y - 1));
                    gradients.push((dx.abs() + dy.abs()) >> 1);
                }
            }
            gradients.sort_unstable();
            medians.push(gradients[gradients.len().div_ceil(2) - 1] as u8);
        }
    }
    medians
}

fn threshold(median: u8, settings: &DetectSettings, gain: Gain) -> u8 {
    let scaled = (u128::from(settings.ratio_q8) * u128::from(median) * u128::from(gain.0)) >> 16;
    let clamped = scaled.clamp(u128::from(settings.threshold_min) * 256, u128::from(settings.threshold_max) * 256);
    ((clamped + 128) / 256) as u8
}

/// V where it exceeds tmin, else 0.
pub fn strength(image: &GrayImage, x: i32, y: i32, tmin: i32) -> i32 {
    let (w, h) = (image.width() as i32, image.height() as i32);
    if x < 3 || y < 3 || x > w - 4 || y > h - 4 {
        return 0;
    }
    let pixel = |x: i32, y: i32| i32::from(image.at(x as usize, y as usize));
    let d = RING.map(|(dx, dy)| pixel(x + dx as i32, y + dy as i32) - pixel(x, y));
    let arc = |first: usize| (first..first + 9).map(move |k| k % 16);
    let of_arc = |first: usize| {
        let brighter = arc(first).map(|k| d[k]).min().unwrap();
        let darker = arc(first).map(|k| -d[k]).min().unwrap();
        brighter.max(darker)
    };
    let v = (0..16).map(of_arc).max().unwrap();
    if v > tmin { v } else { 0 }
}

pub fn response(image: &GrayImage, x: i32, y: i32, tmin: i32) -> i32 {
    let weights = [1, 2, 1];
    let mut sum = 0;
    for j in 0..3 {
        for i in 0..3 {
            sum += weights[i] * weights[j] * strength(image, x + i as i32 - 1, y + j as i32 - 1, tmin);
        }
    }
    sum
}

fn survivors(image: &GrayImage, level: usize, tmin: i32) -> Vec<Corner> {
    let (w, h) = (image.width() as i32, image.height() as i32);
    let map: Vec<Vec<i32>> = (0..h).map(|y| (0..w).map(|x| response(image, x, y, tmin)).collect()).collect();
    let key = |x: i32, y: i32| (map[y as usize][x as usize], -y, -x);
    let mut survivors = Vec::new();
    for y in 4..h - 4 {
        for x in 4..w - 4 {
            let v = strength(image, x, y, tmin);
            let neighbours = (-1..=1).flat_map(|j| (-1..=1).map(move |i| (i, j))).filter(|&n| n != (0, 0));
            if v > 0 && neighbours.into_iter().all(|(i, j)| key(x, y) > key(x + i, y + j)) {
                survivors.push(Corner {
                    half_x: (2 * x + 1) * (1 << level) - 1,
                    half_y: (2 * y + 1) * (1 << level) - 1,
                    level: level as u8,
                    strength: v as u8,
                    score: key(x, y).0 as u32,
                });
            }
        }
    }
    survivors
}

/// C6 over all pairs.
pub fn merge(corners: &[Corner]) -> Vec<Corner> {
    let near = |a: &Corner, b: &Corner| {
        let distance = (a.half_x - b.half_x).abs().max((a.half_y - b.half_y).abs());
        a.level != b.level && distance <= 2 << a.level.max(b.level)
    };
    let before = |a: &Corner| (Reverse(a.score), a.half_y, a.half_x, a.level);
    let mut merged = Vec::new();
    for c in corners {
        if corners.iter().filter(|n| near(c, n)).all(|n| before(c) < before(n)) {
            merged.push(*c);
        }
    }
    merged
}

/// The bin of a candidate: class, and from S the code of C8, greatest first.
fn bin(candidate: &Candidate) -> (u8, std::cmp::Reverse<u32>) {
    let s = candidate.corner.score;
    let e = (0..32).rev().find(|&e| s >= 1 << e).unwrap_or(0);
    (candidate.class, std::cmp::Reverse(if s < 32 { s } else { 32 * (e - 4) + (s >> (e - 5)) % 32 }))
}

/// C8: the pool bin by bin, the water level by counting up.
pub fn select(candidates: &[Candidate], image: &GrayImage, settings: &DetectSettings) -> Vec<Candidate> {
    let mut bins: Vec<_> = candidates.iter().map(bin).collect();
    bins.sort();
    let last = bins.get((3 * settings.target as usize).div_ceil(2) - 1).or(bins.last()).copied();
    let candidates: Vec<Candidate> = candidates.iter().filter(|c| Some(bin(c)) <= last).copied().collect();
    let candidates = &candidates[..];
    let (w, h) = (image.width() as i64, image.height() as i64);
    let (gx, gy) = (i64::from(settings.grid_x), i64::from(settings.grid_y));
    let cell = |c: &Candidate| {
        (i64::from(c.corner.half_y + 1) * gy / (2 * h) * gx + i64::from(c.corner.half_x + 1) * gx / (2 * w)) as usize
    };
    let mut cells: Vec<Vec<Candidate>> = vec![Vec::new(); (gx * gy) as usize];
    candidates.iter().for_each(|c| cells[cell(c)].push(*c));
    let class0 = |cell: &Vec<Candidate>| cell.iter().filter(|c| c.class == 0).count();
    let target = settings.target as usize;
    let suffices = cells.iter().map(class0).sum::<usize>() >= target;
    let quota = |cell: &Vec<Candidate>, c: usize| match suffices {
        true => class0(cell).min(c),
        false => class0(cell).max(cell.len().min(c)),
    };
    if candidates.len() <= target {
        return candidates.to_vec();
    }
    let sum = |c: usize| cells.iter().map(|cell| quota(cell, c)).sum::<usize>();
    // Beyond the number of candidates the level changes nothing.
    let level = (0..=candidates.len()).take_while(|&c| sum(c) <= target).last().unwrap();
    let mut selected: Vec<Candidate> = cells.iter().flat_map(|cell| cell[..quota(cell, level)].to_vec()).collect();
    let mut next: Vec<Candidate> = cells.iter().filter_map(|cell| cell.get(quota(cell, level)).copied()).collect();
    next.sort_by_key(Candidate::order_key);
    next.truncate(target - selected.len());
    selected.extend(next);
    selected.sort_by_key(Candidate::order_key);
    selected
}

fn refine(candidate: &Candidate, levels: &[GrayImage], tmin: i32) -> Feature {
    let corner = candidate.corner;
    let image = &levels[usize::from(corner.level)];
    let scale = 1 << corner.level;
    let (x, y) = (((corner.half_x + 1) / scale - 1) / 2, ((corner.half_y + 1) / scale - 1) / 2);
    let s = |i: i32, j: i32| response(image, x + i, y + j, tmin);
    let (gx, gy) = (s(1, 0) - s(-1, 0), s(0, 1) - s(0, -1));
    let (hxx, hyy) = (s(1, 0) + s(-1, 0) - 2 * s(0, 0), s(0, 1) + s(0, -1) - 2 * s(0, 0));
    let hxy = s(1, 1) + s(-1, -1) - s(1, -1) - s(-1, 1);
    let det = 16 * hxx * hyy - hxy * hxy;
    let peaked = det > 0 && hxx < 0;
    let off = |n: i32| if peaked { (n as f32 / det as f32).clamp(-0.5, 0.5) } else { 0.0 };
    Feature {
        u: ((x as f32 + off(2 * hxy * gy - 8 * hyy * gx)) + 0.5) * scale as f32 - 0.5,
        v: ((y as f32 + off(2 * hxy * gx - 8 * hxx * gy)) + 0.5) * scale as f32 - 0.5,
        half_x: corner.half_x,
        half_y: corner.half_y,
        level: corner.level,
        class: candidate.class,
        threshold: candidate.threshold,
        score: corner.score,
    }
}

/// C10, pixel by pixel in whole numbers.
fn describe(candidate: &Candidate, image: &GrayImage) -> Descriptor {
    let (w, h) = (image.width() as i64, image.height() as i64);
    let pixel = |x: i64, y: i64| i64::from(image.at(x.clamp(0, w - 1) as usize, y.clamp(0, h - 1) as usize));
    let corner = candidate.corner;
    let (x, y) =
        (i64::from(corner.half_x + 1) >> (corner.level + 1), i64::from(corner.half_y + 1) >> (corner.level + 1));
    let mut bins = [0; 128];
    for j in -8..8 {
        for i in -8..8 {
            let sum =
                |x: i64, y: i64, (dx, dy): (i64, i64)| pixel(x - dx, y - dy) + 2 * pixel(x, y) + pixel(x + dx, y + dy);
            let down = |x: i64| (sum(x, y + j, (0, 1)) + 2) >> 2;
            let across = |y: i64| (sum(x + i, y, (1, 0)) + 2) >> 2;
            let (gx, gy) = (down(x + i + 1) - down(x + i - 1), across(y + j + 1) - across(y + j - 1));
            let axis = match gx.abs() >= gy.abs() {
                true if gx >= 0 => 0,
                true => 4,
                false if gy >= 0 => 2,
                false => 6,
            };
            let diagonal = match (gx >= 0, gy >= 0) {
                (true, true) => 1,
                (false, true) => 3,
                (false, false) => 5,
                (true, false) => 7,
            };
            let (low, high) = (gx.abs().min(gy.abs()), gx.abs().max(gy.abs()));
            let share = |offset: i64, cell: i64| (8 - (2 * offset + 13 - 8 * cell).abs()).max(0);
            for (row, column) in (0..16).map(|cell| (cell / 4, cell % 4)) {
                let weight = share(j, row) * share(i, column);
                bins[((row * 4 + column) * 8 + axis) as usize] += weight * (high - low);
                bins[((row * 4 + column) * 8 + diagonal) as usize] += weight * 2 * low;
            }
        }
    }
    let sum: i64 = bins.iter().sum();
    let root = |v: i64| (0..=255).rev().find(|q| q * q * sum <= 65025 * v).unwrap();
    Descriptor(bins.map(|v| if sum == 0 { 0 } else { root(v) as u8 }))
}

pub fn advance(gain: Gain, found: i64, target: u32) -> Gain {
    let (gain, wanted) = (i64::from(gain.0), (3 * i64::from(target) + 1) / 2);
    let step = (gain * (found - wanted) / wanted).clamp(-gain / 20, gain / 20);
    Gain((gain + step).clamp(65536 / 16, 65536 * 16) as u32)
}
