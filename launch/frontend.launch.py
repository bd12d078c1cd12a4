"""Starts the front end.

    ros2 launch vio_frontend frontend.launch.py image:=/cam0/image_raw imu:=/imu0 params_file:=my.yaml
    ros2 launch vio_frontend frontend.launch.py --show-args
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

DEFAULT_PARAMS = PathJoinSubstitution([FindPackageShare("vio_frontend"), "params", "default.yaml"])

# Inputs that can be connected by an argument: name -> what it carries.
INPUTS = {
    "image": "sensor_msgs/Image; its /compressed neighbour is read with image_transport:=compressed",
    "camera_info": "sensor_msgs/CameraInfo; read when the parameters give no calibration",
    "imu": "sensor_msgs/Imu",
    "mask": "sensor_msgs/Image mono8; 0 excludes features",
}
# Parameters that an argument may set over the parameter file; empty leaves the file's value.
OVERRIDES = {
    "device": "auto, cuda or cpu",
    "image_transport": "raw or compressed",
}


def arguments():
    yield DeclareLaunchArgument("namespace", default_value="", description="Namespace of the node and its topics.")
    yield DeclareLaunchArgument("name", default_value="vio_frontend", description="Name of the node.")
    yield DeclareLaunchArgument("params_file", default_value=DEFAULT_PARAMS, description="ROS 2 parameter file.")
    yield DeclareLaunchArgument("use_sim_time", default_value="false", choices=["true", "false"],
                                description="Take the time of /clock.")
    yield DeclareLaunchArgument("log_level", default_value="info", description="debug, info, warn or error.")
    yield DeclareLaunchArgument("backend", default_value="none", choices=["none"],
                                description="Back end whose topic layout is published besides `features`.")
    for name, content in INPUTS.items():
        yield DeclareLaunchArgument(name, default_value=name, description=f"Topic in: {content}.")
    for name, values in OVERRIDES.items():
        yield DeclareLaunchArgument(name, default_value="",
                                    description=f"{values}; empty takes the parameter file's value.")


def node(context):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    overrides = {name: value(name) for name in OVERRIDES if value(name)}
    overrides["use_sim_time"] = value("use_sim_time") == "true"
    remappings = [(name, value(name)) for name in INPUTS]
    # A remap of the base topic does not reach the compressed one below it.
    remappings.append(("image/compressed", value("image") + "/compressed"))
    return [Node(
        package="vio_frontend",
        executable="vio_frontend_node",
        name=value("name"),
        namespace=value("namespace"),
        parameters=[value("params_file"), overrides],
        remappings=[(name, topic) for name, topic in remappings if name != topic],
        arguments=["--ros-args", "--log-level", value("log_level")],
        output="screen",
        emulate_tty=True,
    )]


def generate_launch_description():
    return LaunchDescription([*arguments(), OpaqueFunction(function=node)])
