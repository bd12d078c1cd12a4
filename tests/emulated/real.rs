//! Real frames, where there are some.

use std::path::Path;

use vio_frontend::image::{GrayImage, MIN_SIDE};

use crate::twin::{Launch, assert_equal};

/// Their synthetic twin is in sizes.rs.
const FRAMES: [&str; 4] = ["photos", "tum_fr2_desk/rgb", "kitti_07/mav0/cam0/data", "euroc_micro/mav0/cam0/data"];

#[test]
fn real_frames() {
    let Some(data) = std::env::var_os("VIO_TEST_DATA") else {
        println!("VIO_TEST_DATA is not set: real frames left out");
        return;
    };
    let mut seen = 0;
    for folder in FRAMES {
        let mut files: Vec<_> =
            std::fs::read_dir(Path::new(&data).join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        let images = files.iter().filter(|path| path.extension().is_some_and(|e| e == "png")).take(2);
        for path in images {
            let image = GrayImage::decode(&std::fs::read(path).unwrap()).unwrap();
            if image.width().min(image.height()) >= MIN_SIDE as usize {
                assert_equal(&Launch { blocks: 16, ..Launch::new(image.view(), 4600) });
                seen += 1;
            }
        }
    }
    assert!(seen > 0, "no image was read below {}", Path::new(&data).display());
}
