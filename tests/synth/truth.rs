//! Flow, depth and visibility agree with each other and with the images.

use nalgebra::Vector3;
use vio_frontend::source::synth::{Sight, Synth};

use crate::{grey, grid, image, scene, scenes};

#[test]
fn flow_is_projection_of_depth_through_the_poses() {
    for synth in scenes() {
        let mut seen = 0;
        for k in [0, 50, 199] {
            let cam_from_world = synth.world_from_cam(k + 1);
            for pixel in grid(16) {
                let Some([u, v]) = synth.flow(k, k + 1, pixel) else { continue };
                let back = synth.flow(k + 1, k, [u, v]).expect("visible from both");
                assert!((back[0] - pixel[0]).abs() < 1e-6 && (back[1] - pixel[1]).abs() < 1e-6, "{pixel:?} {back:?}");
                seen += 1;
                if synth.moving(k, pixel) {
                    continue;
                }
                let depth = synth.depth(k, pixel).expect("a surface");
                let [x, y] = synth.camera().normalise(pixel).expect("a point");
                let world = synth.world_from_cam(k).apply(Vector3::new(x, y, 1.0) * depth);
                let [pu, pv] = synth.camera().project(cam_from_world.apply_inverse(world).into()).expect("a pixel");
                assert!((pu - u).abs() < 1e-9 && (pv - v).abs() < 1e-9);
            }
        }
        assert!(seen > 2500, "{}: {seen}", synth.name());
    }
}

#[test]
fn pixels_keep_their_grey_level_along_the_flow() {
    for synth in scenes() {
        let (here, next) = (image(synth, 60), image(synth, 61));
        let (mut along, mut still, mut n) = (0.0, 0.0, 0.0);
        for pixel in grid(3) {
            let Some(moved) = synth.flow(60, 61, pixel) else { continue };
            along += (grey(&here, pixel) - grey(&next, moved)).abs();
            still += (grey(&here, pixel) - grey(&next, pixel)).abs();
            n += 1.0;
        }
        println!("{}: {} grey levels along the flow, {} without", synth.name(), along / n, still / n);
        // Half a grey level of rounding is much where there is little texture.
        assert!(along / n < 0.25 * still / n + 0.5, "{}: {} of {}", synth.name(), along / n, still / n);
    }
}

/// Every pixel's fate over half a second, told apart by depth and projection.
#[test]
fn points_are_hidden_where_something_is_nearer_and_outside_where_they_project_outside() {
    for synth in scenes() {
        let (mut seen, mut hidden, mut outside) = (0, 0, 0);
        for (from, to) in [(20, 30), (90, 80), (140, 150)] {
            for pixel in grid(8) {
                let point = synth.surface_point(from, pixel).expect("a surface");
                let in_camera = synth.world_from_cam(to).apply_inverse(synth.position(to, &point));
                let projected = synth.camera().project(in_camera.into());
                match synth.trace(from, to, pixel).expect("a surface") {
                    Sight::Seen(moved) => {
                        seen += 1;
                        assert_eq!(Some(moved), projected);
                        let depth = synth.depth(to, moved).expect("a surface");
                        assert!(
                            (depth - in_camera.z).abs() < 1e-6 * depth,
                            "{}: {depth} {}",
                            synth.name(),
                            in_camera.z
                        );
                        assert_eq!(synth.surface_point(to, moved).map(|there| there.moving), Some(point.moving));
                    }
                    Sight::Hidden(moved) => {
                        hidden += 1;
                        assert_eq!(Some(moved), projected);
                        assert!(synth.depth(to, moved).expect("a surface") < in_camera.z);
                    }
                    Sight::Outside => {
                        outside += 1;
                        let within = |[u, v]: [f64; 2]| (0.0..=639.0).contains(&u) && (0.0..=479.0).contains(&v);
                        assert!(!projected.is_some_and(within), "{pixel:?} {projected:?}");
                    }
                }
            }
        }
        println!("{}: {seen} seen, {hidden} hidden, {outside} outside", synth.name());
        assert!(seen > 2000 && hidden > 0 && outside > 100, "{}: {seen} {hidden} {outside}", synth.name());
    }
}

/// Where a still world would put what `pixel` of image `k` shows.
fn still_flow(synth: &Synth, k: usize, pixel: [f64; 2]) -> Option<[f64; 2]> {
    let point = synth.world_from_cam(k + 1).apply_inverse(synth.world_point(k, pixel)?);
    synth.camera().project(point.into())
}

#[test]
fn only_moving_surfaces_leave_the_flow_of_a_still_world() {
    for synth in scenes() {
        let (mut moving, mut apart) = (0, 0);
        for k in [0, 60, 130] {
            for pixel in grid(8) {
                let Some([u, v]) = synth.flow(k, k + 1, pixel) else { continue };
                let [su, sv] = still_flow(synth, k, pixel).expect("a pixel");
                let distance = ((u - su) * (u - su) + (v - sv) * (v - sv)).sqrt();
                if synth.moving(k, pixel) {
                    moving += 1;
                    apart += usize::from(distance > 0.2);
                } else {
                    assert!(distance < 1e-9, "{}: {distance} px", synth.name());
                }
            }
        }
        if synth.name() == "moving_objects" {
            assert!(moving > 800 && apart > moving / 2, "{moving} {apart}");
        } else {
            assert_eq!(moving, 0);
        }
    }
}

/// Along the true flow the moving boxes keep their grey levels; along the flow of a still world they do not.
#[test]
fn moving_boxes_are_drawn_where_the_truth_says() {
    let synth = scene("moving_objects");
    let (here, next) = (image(&synth, 60), image(&synth, 61));
    let (mut along, mut still, mut n) = (0.0, 0.0, 0.0);
    for pixel in grid(2).filter(|pixel| synth.moving(60, *pixel)) {
        let Some(moved) = synth.flow(60, 61, pixel) else { continue };
        let Some(wrong @ [0.0..639.0, 0.0..479.0]) = still_flow(&synth, 60, pixel) else { continue };
        along += (grey(&here, pixel) - grey(&next, moved)).abs();
        still += (grey(&here, pixel) - grey(&next, wrong)).abs();
        n += 1.0;
    }
    println!("{n} pixels: {} grey levels along the flow, {} as if still", along / n, still / n);
    assert!(n > 3000.0 && along < 0.5 * still, "{n} {} {}", along / n, still / n);
}
