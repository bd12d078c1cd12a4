#!/usr/bin/env python3
"""Runs an exported YOLO network with ONNX Runtime beside the node and publishes its raw output on `predictions`.

    python3 detector.py MODEL.onnx --ros-args -r image:=/cam0/image_raw            (needs rclpy, onnxruntime, opencv, numpy)
    python3 detector.py MODEL.onnx --image PICTURE.png --out TENSOR.npy            (without ROS 2)

At start it says which parameters `detector.*` the node needs for this network. The newest image is taken whenever the
network is free; what it puts out carries that image's stamp and size in the label of its first dimension.
"""
import argparse
import ast
import array
import sys

import cv2
import numpy as np
import onnxruntime

GREY = 114  # of the margins, as the networks are trained with


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
        sides = self.input.shape[2:]
        # Exported with sides that may be any, it has names in their place.
        self.height, self.width = sides if all(isinstance(side, int) for side in sides) else (size, size)
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
        return np.ascontiguousarray(outputs[0], np.float32)

    def parameters(self):
        """What the node has to know, as a parameter file."""
        shape = self.run(np.zeros((self.height, self.width, 3), np.uint8)).shape
        names = self.session.get_modelmeta().custom_metadata_map.get("names")
        names = list(ast.literal_eval(names).values()) if names else None
        raw = any(len(output.shape) == 5 for output in self.session.get_outputs())
        layout = "yolov8" if shape[1] < shape[2] else "yolov5"
        if layout == "yolov5" and names and shape[2] == 4 + len(names):
            layout = "yolov8_rows"
        lines = ["/**:", "  ros__parameters:", f"    detector.layout: {layout}    # the output is {list(shape)}",
                 f"    detector.input_size: [{self.width}, {self.height}]"]
        if raw:
            lines.append("    detector.raw: true")
        if names:
            lines.append(f"    detector.class_names: {names}".replace("'", '"'))
        return "\n".join(lines)


def in_colour(image):
    """The pixels of a sensor_msgs/Image as RGB."""
    channels = {"mono8": 1, "8UC1": 1, "rgb8": 3, "bgr8": 3, "8UC3": 3}.get(image.encoding)
    if channels is None:
        raise ValueError(f"encoding {image.encoding} is none of mono8, rgb8, bgr8")
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
        except ValueError as error:
            node.get_logger().warning(str(error), throttle_duration_sec=5.0)
            return
        publisher.publish(predictions(output, image.header, image.width, image.height))

    node.create_subscription(Image, "image", on_image, newest)
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="ONNX file")
    parser.add_argument("--size", type=int, default=640, help="side of the input, where the model leaves it open")
    parser.add_argument("--provider", action="append", help="of ONNX Runtime, such as CUDAExecutionProvider")
    parser.add_argument("--image", help="a picture in place of the topic")
    parser.add_argument("--out", default="tensor.npy", help="where its output goes")
    options, others = parser.parse_known_args()
    network = Network(options.model, options.size, options.provider)
    print(network.parameters(), file=sys.stderr, flush=True)
    if options.image:
        picture = cv2.imread(options.image, cv2.IMREAD_COLOR)
        if picture is None:
            sys.exit(f"{options.image} is no picture")
        np.save(options.out, network.run(picture[:, :, ::-1]))
    else:
        run_node(network, others)


if __name__ == "__main__":
    main()
