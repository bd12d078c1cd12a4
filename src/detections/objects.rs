//! The names of classes, and which of them may move on their own.

/// The classes of COCO in the order in which published YOLO networks number them.
pub const COCO: [&str; 80] = [
    "person",
    "bicycle",
    "car",
    "motorcycle",
    "airplane",
    "bus",
    "train",
    "truck",
    "boat",
    "traffic light",
    "fire hydrant",
    "stop sign",
    "parking meter",
    "bench",
    "bird",
    "cat",
    "dog",
    "horse",
    "sheep",
    "cow",
    "elephant",
    "bear",
    "zebra",
    "giraffe",
    "backpack",
    "umbrella",
    "handbag",
    "tie",
    "suitcase",
    "frisbee",
    "skis",
    "snowboard",
    "sports ball",
    "kite",
    "baseball bat",
    "baseball glove",
    "skateboard",
    "surfboard",
    "tennis racket",
    "bottle",
    "wine glass",
    "cup",
    "fork",
    "knife",
    "spoon",
    "bowl",
    "banana",
    "apple",
    "sandwich",
    "orange",
    "broccoli",
    "carrot",
    "hot dog",
    "pizza",
    "donut",
    "cake",
    "chair",
    "couch",
    "potted plant",
    "bed",
    "dining table",
    "toilet",
    "tv",
    "laptop",
    "mouse",
    "remote",
    "keyboard",
    "cell phone",
    "microwave",
    "oven",
    "toaster",
    "sink",
    "refrigerator",
    "book",
    "clock",
    "vase",
    "scissors",
    "teddy bear",
    "hair drier",
    "toothbrush",
];

/// What most often moves before a camera.
pub const MOVING: [&str; 6] = ["person", "bicycle", "car", "motorcycle", "bus", "truck"];

/// A class that the network does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("class '{name}' is unknown{}", nearest.as_ref().map(|n| format!("; did you mean '{n}'?")).unwrap_or_default())]
pub struct UnknownClass {
    pub name: String,
    /// The nearest known one, if any is near.
    pub nearest: Option<String>,
}

/// Below this similarity (Jaro-Winkler, 0 to 1) a name is not taken for a misspelt one.
const NEAR: f64 = 0.75;

/// Numbers of the classes with these names among those that the network knows, in its order ([`COCO`]).
///
/// Errors: the first name that is none of them.
pub fn classes(wanted: &[&str], known: &[&str]) -> Result<Vec<u32>, UnknownClass> {
    let number = |&name: &&str| match known.iter().position(|known| *known == name) {
        Some(index) => Ok(index as u32),
        None => {
            let likeness = |other: &str| strsim::jaro_winkler(name, other);
            let nearest = known.iter().copied().filter(|known| likeness(known) > NEAR);
            let nearest = nearest.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).map(str::to_owned);
            Err(UnknownClass { name: name.to_owned(), nearest })
        }
    };
    wanted.iter().map(number).collect()
}
