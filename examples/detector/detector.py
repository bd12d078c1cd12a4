#!/usr/bin/env python3
"""Runs an exported YOLO network with ONNX Runtime beside the node and publishes its raw output on `predictions`.

    python3 detector.py MODEL.onnx --parameters > detector.yaml                    (for the node; without ROS 2)
    python3 detector.py MODEL.onnx --ros-args -r image:=/cam0/image_raw            (needs rclpy, onnxruntime, opencv, numpy)
    python3 detector.py MODEL.onnx --image PICTURE.png --out TENSOR.npy            (without ROS 2)

Each prints the parameters `detector.*` that the node needs for this network to the standard output. The newest image is
taken whenever the network is free; what it puts out carries that image's stamp and size in the label of its first
dimension. Images are mono8, 8UC1, rgb8, bgr8 or 8UC3.
"""
import argparse
import ast
import array
import sys

import cv2
import numpy as np
import onnxruntime

GREY = 114  # of the margins, as the networks are trained with
LAYOUTS = {"yolov5": 5, "yolov8": 4, "yolov8_rows": 4}  # values of an anchor before those of the classes
# What the node masks unless `detector.classes` is set; it refuses names that the network does not have.
MOVING = ("person", "bicycle", "car", "motorcycle", "bus", "truck")
CHANNELS = {"mono8": 1, "8UC1": 1, "rgb8": 3, "bgr8": 3, "8UC3": 3}


def one_line(error):
    """ONNX Runtime and OpenCV tell of an error in several lines, and at length."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]


def quoted(names):
    """Any names as a list in YAML."""
    def letter(c):
        return c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}"

    texts = ("".join(map(letter, name)) for name in names)
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def letterbox(picture, width, height):
    """The picture in the network's input, sides in proportion, centred: as YOLOv5 and later do, and the node undoes."""
    scale = min(width / picture.shape[1], height / picture.shape[0])
    inner = round(picture.shape[1] * scale), round(picture.shape[0] * scale)
    if inner != (picture.shape[1], picture.shape[0]):
        picture = cv2.resize(picture, inner, interpolation=cv2.INTER_LINEAR)
    margins = (height - inner[1]) / 2, (width - inner[0]) / 2
    top, left = (round(margin - 0.1) for margin in margins)
    bottom, right = (round(margin + 0.1) for margin in margins)
    return cv2.copyMakeBorder(picture, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(GREY, GREY, GREY))


class Network:
    """A model, from a picture to its raw output."""

    def __init__(self, path, size, providers):
        self.session = onnxruntime.InferenceSession(path, providers=providers or onnxruntime.get_available_providers())
        self.input = self.session.get_inputs()[0]
        if len(self.input.shape) != 4:
            raise ValueError(f"the input is {self.input.shape}, not [1, 3, height, width]")
        # A side that may be any has a name in its place, or nothing.
        self.height, self.width = (side if isinstance(side, int) else size for side in self.input.shape[2:])
        self.kind = np.float16 if "float16" in self.input.type else np.float32

    def run(self, picture):
        """The output for an RGB picture (height x width x 3 bytes): float32, [1, anchors, values] or [1, values, anchors]."""
        fitted = letterbox(picture, self.width, self.height)
        planes = np.ascontiguousarray(fitted.transpose(2, 0, 1)[None]).astype(self.kind) / self.kind(255)
        outputs = self.session.run(None, {self.input.name: planes})
        heads = [output for output in outputs if output.ndim == 5]
        if heads:
            # Raw heads of YOLOv5, [1, anchor sizes, rows, columns, values]: the finest grid first.
            heads.sort(key=lambda head: -head.shape[2])
            outputs = [np.concatenate([head.reshape(1, -1, head.shape[-1]) for head in heads], axis=1)]
        if outputs[0].ndim != 3:
            shapes = [list(output.shape) for output in outputs]
            raise ValueError(f"the outputs are {shapes}, the first is not [1, anchors, values]: "
                             "were boxes chosen in the export already?")
        return np.ascontiguousarray(outputs[0], np.float32)

    def names(self):
        """Of the classes, as the makers wrote them into the file: a dictionary by number, or a list; None without."""
        text = self.session.get_modelmeta().custom_metadata_map.get("names")
        if not text:
            return None
        try:
            names = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            raise ValueError(f"the names in the model's metadata cannot be read: {text[:80]}") from None
        if isinstance(names, dict):
            names = [name for _, name in sorted(names.items())]
        if not isinstance(names, (list, tuple)):
            raise ValueError(f"the names in the model's metadata are no list: {text[:80]}")
        return [str(name) for name in names]

    def layout(self, shape, raw, names):
        """That of an output of this shape; rows are told apart by the number of classes alone."""
        if raw:
            return "yolov5"
        if shape[1] < shape[2]:
            return "yolov8"
        if names is None:
            raise ValueError(f"the model does not name its classes: its output {list(shape)} is yolov5 with {shape[2] - 5} or "
                             f"yolov8_rows with {shape[2] - 4} classes; say which with --layout")
        return "yolov8_rows" if shape[2] == 4 + len(names) else "yolov5"

    def parameters(self, layout=None):
        """What the node has to know, as a parameter file."""
        shape = self.run(np.zeros((self.height, self.width, 3), np.uint8)).shape
        names = self.names()
        raw = any(len(output.shape) == 5 for output in self.session.get_outputs())
        layout = layout or self.layout(shape, raw, names)
        classes = shape[1 if layout == "yolov8" else 2] - LAYOUTS[layout]
        if classes < 1 or names is not None and len(names) != classes:
            told = "no names" if names is None else f"{len(names)} names"
            raise ValueError(f"an output {list(shape)} of layout {layout} has {classes} classes, the model {told}")
        lines = ["/**:", "  ros__parameters:", f"    detector.layout: {layout}    # the output is {list(shape)}",
                 f"    detector.input_size: [{self.width}, {self.height}]"]
        if raw:
            lines.append("    detector.raw: true")
        if names is None and classes == 80:
            lines.append("    # The model does not name its 80 classes: they are taken to be those of COCO.")
        else:
            if names is None:
                lines.append("    # The model does not name its classes.")
                names = [f"class{number}" for number in range(classes)]
            lines.append(f"    detector.class_names: {quoted(names)}")
            masked = [name for name in MOVING if name in names]
            lines.append(f"    detector.classes: {quoted(masked)}    # what is masked")
        return "\n".join(lines)


def in_colour(image):
    """The pixels of a sensor_msgs/Image as RGB."""
    channels = CHANNELS.get(image.encoding)
    if channels is None:
        raise ValueError(f"encoding '{image.encoding}' is none of {', '.join(CHANNELS)}")
    rows = np.frombuffer(image.data, np.uint8).reshape(image.height, image.step)
    pixels = rows[:, : image.width * channels].reshape(image.height, image.width, channels)
    if channels == 1:
        return np.repeat(pixels, 3, axis=2)
    return pixels if image.encoding == "rgb8" else pixels[:, :, ::-1]


def predictions(output, header, width, height):
    """The message: the tensor's shape as dimensions, stamp and image size as words of the first label."""
    from std_msgs.msg import Float32MultiArray, MultiArrayDimension

    message = Float32MultiArray()
    stride = output.size
    for index, side in enumerate(output.shape):
        label = f"stamp={header.stamp.sec}.{header.stamp.nanosec:09d} image={width}x{height}" if index == 0 else ""
        message.layout.dim.append(MultiArrayDimension(label=label, size=side, stride=stride))
        stride //= max(side, 1)
    # An array goes into the message as it is; a list would be looked at value by value.
    message.data = array.array("f", output.tobytes())
    return message


def run_node(network, arguments):
    import rclpy
    from rclpy.qos import QoSProfile, ReliabilityPolicy
    from sensor_msgs.msg import Image
    from std_msgs.msg import Float32MultiArray

    rclpy.init(args=arguments)
    node = rclpy.create_node("detector")
    newest = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = node.create_publisher(Float32MultiArray, "predictions", QoSProfile(depth=1))

    def on_image(image):
        try:
            output = network.run(in_colour(image))
        except Exception as error:  # Those of ONNX Runtime and OpenCV have no other base; the next image may do.
            node.get_logger().error(one_line(error), throttle_duration_sec=5.0)
            return
        publisher.publish(predictions(output, image.header, image.width, image.height))

    node.create_subscription(Image, "image", on_image, newest)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass


def side(text):
    if not text.isdecimal() or not 1 <= int(text) <= 32768:
        raise argparse.ArgumentTypeError(f"{text} is no side of 1 to 32768 pixels")
    return int(text)


def main():
    # What stands from --ros-args on is for rclpy.
    own, others = sys.argv[1:], []
    if "--ros-args" in own:
        at = own.index("--ros-args")
        own, others = own[:at], own[at:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("model", help="ONNX file")
    parser.add_argument("--size", type=side, default=640, help="a side of the input that the model leaves open, px")
    parser.add_argument("--layout", choices=LAYOUTS, help="of the output, where the model does not tell")
    parser.add_argument("--provider", action="append", help="of ONNX Runtime, such as CUDAExecutionProvider")
    parser.add_argument("--parameters", action="store_true", help="print the parameters, and end")
    parser.add_argument("--image", help="a picture in place of the topic")
    parser.add_argument("--out", default="tensor.npy", help="where its output goes")
    options = parser.parse_args(own)
    try:
        network = Network(options.model, options.size, options.provider)
        print(network.parameters(options.layout), flush=True)
        if options.image:
            picture = cv2.imread(options.image, cv2.IMREAD_COLOR)
            if picture is None:
                sys.exit(f"detector: {options.image} is no picture")
            np.save(options.out, network.run(picture[:, :, ::-1]))
    except Exception as error:  # As above.
        sys.exit(f"detector: {options.model}: {one_line(error)}")
    if not (options.image or options.parameters):
        run_node(network, others)


if __name__ == "__main__":
    main()
