//! Raw images of every encoding, step and byte order through the real entry point, [`ImageView::new`].

use vio_frontend::error::Refusal;
use vio_frontend::image::{Encoding, GrayImage, ImageBuffer, ImageView};

const WIDTH: usize = 66;
const HEIGHT: usize = 41;

/// A grey ramp with some structure; every value from 0 to 255 occurs.
fn scene() -> GrayImage {
    GrayImage::from_fn(WIDTH, HEIGHT, |x, y| ((x * 37 + y * y * 11) % 256) as u8)
}

fn gray(encoding: &str, step: usize, big_endian: bool, data: &[u8]) -> Result<GrayImage, Refusal> {
    let view = ImageView::new(WIDTH as u32, HEIGHT as u32, step as u32, encoding, big_endian, data)?;
    let mut gray = GrayImage::new(3, 3);
    view.to_gray(&mut gray);
    Ok(gray)
}

/// The scene with every pixel spread to bytes by `pixel(value, x)`.
fn spread<const N: usize>(pixel: impl Fn(u8, usize) -> [u8; N]) -> Vec<u8> {
    scene().pixels().iter().enumerate().flat_map(|(i, &v)| pixel(v, i % WIDTH)).collect()
}

#[test]
fn t04_names_of_the_same_layout_agree() {
    for name in ["mono8", "8UC1"] {
        assert_eq!(gray(name, WIDTH, false, scene().pixels()).unwrap(), scene(), "{name}");
    }
}

#[test]
fn t05_mono16_of_257_v_is_mono8_of_v_in_both_byte_orders() {
    let little = spread(|v, _| (257 * u16::from(v)).to_le_bytes());
    let noisy_big = spread(|v, x| (256 * u16::from(v) + (x as u16 * 41) % 256).to_be_bytes());
    for name in ["mono16", "16UC1"] {
        assert_eq!(gray(name, 2 * WIDTH, false, &little).unwrap(), scene(), "{name}");
        assert_eq!(gray(name, 2 * WIDTH, true, &noisy_big).unwrap(), scene(), "{name}");
    }
}

#[test]
fn t13_luma_of_yuv422_is_taken_as_it_is() {
    let luma_first = spread(|v, x| [v, if x % 2 == 0 { 90 } else { 200 }]);
    let chroma_first = spread(|v, x| [if x % 2 == 0 { 90 } else { 200 }, v]);
    for (name, data) in
        [("yuv422_yuy2", &luma_first), ("yuyv", &luma_first), ("yuv422", &chroma_first), ("uyvy", &chroma_first)]
    {
        assert_eq!(gray(name, 2 * WIDTH, false, data).unwrap(), scene(), "{name}");
    }
}

#[test]
fn grey_colours_keep_their_value_and_channels_have_their_weights() {
    for name in ["rgb8", "bgr8"] {
        assert_eq!(gray(name, 3 * WIDTH, false, &spread(|v, _| [v; 3])).unwrap(), scene(), "{name}");
    }
    for name in ["rgba8", "bgra8"] {
        assert_eq!(gray(name, 4 * WIDTH, false, &spread(|v, x| [v, v, v, x as u8])).unwrap(), scene(), "{name}");
    }
    let red_first = spread(|_, _| [255, 0, 0]);
    // ITU-R BT.601: 0.299 red, 0.114 blue.
    assert_eq!(gray("rgb8", 3 * WIDTH, false, &red_first).unwrap().at(5, 5), 76);
    assert_eq!(gray("bgr8", 3 * WIDTH, false, &red_first).unwrap().at(5, 5), 29);
}

#[test]
fn bayer_of_a_uniform_colour_is_uniform_in_every_phase() {
    for name in ["bayer_rggb8", "bayer_bggr8", "bayer_gbrg8", "bayer_grbg8"] {
        let (red_x, red_y) = match name {
            "bayer_rggb8" => (0, 0),
            "bayer_bggr8" => (1, 1),
            "bayer_gbrg8" => (0, 1),
            _ => (1, 0),
        };
        let mosaic = GrayImage::from_fn(WIDTH, HEIGHT, |x, y| match (x % 2 == red_x, y % 2 == red_y) {
            (true, true) => 200,
            (false, false) => 40,
            _ => 100,
        });
        let expected = ((200u32 + 2 * 100 + 40 + 2) / 4) as u8;
        let out = gray(name, WIDTH, false, mosaic.pixels()).unwrap();
        assert!(out.pixels().iter().all(|&v| v == expected), "{name}: {:?}", &out.row(0)[..8]);
    }
}

#[test]
fn t01_padding_is_never_read() {
    for (name, bytes) in Encoding::names().into_iter().map(|n| (n, Encoding::from_name(n).unwrap().bytes_per_pixel())) {
        let row = bytes * WIDTH;
        let tight: Vec<u8> = (0..row * HEIGHT).map(|i| (i * 31 % 251) as u8).collect();
        let padded: Vec<u8> = tight.chunks(row).flat_map(|r| r.iter().copied().chain([0xFF; 64])).collect();
        assert_eq!(gray(name, row, false, &tight).unwrap(), gray(name, row + 64, false, &padded).unwrap(), "{name}");
    }
}

#[test]
fn t02_t03_impossible_geometry_is_refused_with_field_and_value() {
    let data = vec![7; WIDTH * HEIGHT];
    let refused = |width, height, step, encoding: &str, data: &[u8]| {
        let refusal = ImageView::new(width, height, step, encoding, false, data).unwrap_err();
        (refusal.reason(), refusal.to_string())
    };
    let (w, h) = (WIDTH as u32, HEIGHT as u32);
    for (refusal, reason, value) in [
        (refused(w, h, 0, "mono8", &data), "step", "step is 0"),
        (refused(w, h, w - 1, "mono8", &data), "step", "step is 65"),
        (refused(w, h, w, "rgb8", &data), "step", "198"),
        (refused(w, h, 2 * w + 1, "mono16", &data), "step", "133"),
        (refused(w, h, w, "mono8", &data[1..]), "data_length", "2705 bytes"),
        (refused(w, h, w, "mono8", &[&data[..], &[0]].concat()), "data_length", "2707 bytes"),
        (refused(w, h, w, "mono8", &[]), "data_length", "0 bytes"),
        (refused(0, h, w, "mono8", &data), "zero_size", "0 x 41"),
        (refused(w, 0, w, "mono8", &data), "zero_size", "66 x 0"),
        (refused(31, h, w, "mono8", &data), "too_small", "31 x 41"),
        (refused(u32::MAX, u32::MAX, u32::MAX, "mono8", &data), "data_length", "4294967295"),
        (refused(u32::MAX, h, u32::MAX, "rgba8", &data), "step", "17179869180"),
        (refused(w, h, w, "32FC1", &data), "unknown_encoding", "'32FC1' is not supported; supported: mono8, 8UC1"),
    ] {
        assert_eq!(refusal.0, reason, "{}", refusal.1);
        assert!(refusal.1.contains(value), "{} lacks {value}", refusal.1);
    }
}

#[test]
fn a_buffer_holds_every_encoding_in_rows_of_whole_units() {
    for name in Encoding::names() {
        let encoding = Encoding::from_name(name).unwrap();
        let tight = WIDTH * encoding.bytes_per_pixel();
        let data: Vec<u8> = (0..tight * HEIGHT).map(|i| (i * 31 % 251) as u8).collect();
        for big_endian in [false, true] {
            let view = ImageView::new(WIDTH as u32, HEIGHT as u32, tight as u32, name, big_endian, &data).unwrap();
            let mut buffer = ImageBuffer::new(WIDTH as u32, HEIGHT as u32, name, big_endian).unwrap();
            assert!(buffer.step() >= tight && buffer.step().is_multiple_of(16), "{name}: {}", buffer.step());
            assert_eq!(buffer.bytes_mut().len(), buffer.step() * HEIGHT);
            buffer.copy_from(&view).unwrap();
            let (mut found, mut expected) = (GrayImage::default(), GrayImage::default());
            buffer.view().to_gray(&mut found);
            view.to_gray(&mut expected);
            assert_eq!(found, expected, "{name}");
            // Filled by hand, as a driver does.
            let step = buffer.step();
            buffer.bytes_mut().fill(9);
            buffer.bytes_mut()[step..][..tight].copy_from_slice(&data[..tight]);
            assert_eq!(buffer.view().row(1), &data[..tight]);
            assert!(buffer.view().row(2).iter().all(|&byte| byte == 9));
        }
    }
}

#[test]
fn a_buffer_refuses_what_an_image_may_not_be() {
    assert!(matches!(ImageBuffer::new(31, 480, "mono8", false), Err(Refusal::TooSmall { width: 31, .. })));
    assert!(matches!(ImageBuffer::new(64, 64, "mono7", false), Err(Refusal::UnknownEncoding { .. })));
    let mut buffer = ImageBuffer::new(64, 64, "mono8", false).unwrap();
    let other = GrayImage::new(64, 65);
    assert!(matches!(buffer.copy_from(&other.view()), Err(Refusal::ConfiguredSize { height: 65, .. })));
    let bytes = vec![0; 64 * 64 * 2];
    let deep = ImageView::new(64, 64, 128, "mono16", false, &bytes).unwrap();
    let refused = buffer.copy_from(&deep).unwrap_err().to_string();
    assert_eq!(refused, "encoding 'mono16' is not supported; supported: mono8");
}
