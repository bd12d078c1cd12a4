"""Starts the front end.

    ros2 launch vio_frontend frontend.launch.py image:=/cam0/image_raw imu:=/imu0 params_file:=my.yaml
    ros2 launch vio_frontend frontend.launch.py backend:=vins_mono image:=/cam0/image_raw params_file:=camera.yaml
    ros2 launch vio_frontend frontend.launch.py --show-args

Later wins: the preset of `backend` (params/default.yaml without one), `params_file`, the other arguments.
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

# Back end -> where it listens: output -> topic. Its parameters are params/<back end>.yaml.
BACKENDS = {
    "none": {},
    "vins_mono": {"feature": "/feature_tracker/feature", "restart": "/feature_tracker/restart"},
    "vins_fusion": {"feature": "/feature_tracker/feature", "restart": "/vins_restart"},
}
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
    yield DeclareLaunchArgument("params_file", default_value="",
                                description="ROS 2 parameter file; it wins over the preset of the back end.")
    yield DeclareLaunchArgument("use_sim_time", default_value="false", choices=["true", "false"],
                                description="Take the time of /clock.")
    yield DeclareLaunchArgument("log_level", default_value="info", description="debug, info, warn or error.")
    yield DeclareLaunchArgument("respawn_after_gpu_loss", default_value="false", choices=["true", "false"],
                                description="Start the node again when its process has lost the GPU, at a moment at "
                                            "which no track is lost with it.")
    yield DeclareLaunchArgument("backend", default_value="none", choices=list(BACKENDS),
                                description="Back end that also gets tracks: sets layout, topics and parameters.")
    for name, content in INPUTS.items():
        yield DeclareLaunchArgument(name, default_value=name, description=f"Topic in: {content}.")
    for name, values in OVERRIDES.items():
        yield DeclareLaunchArgument(name, default_value="",
                                    description=f"{values}; empty takes the parameter file's value.")


def node(context):
    def value(name):
        return LaunchConfiguration(name).perform(context)

    backend = value("backend")
    preset = "default" if backend == "none" else backend
    preset = PathJoinSubstitution([FindPackageShare("vio_frontend"), "params", preset + ".yaml"])
    files = [preset, *filter(None, [value("params_file")])]
    overrides = {name: value(name) for name in OVERRIDES if value(name)}
    overrides["use_sim_time"] = value("use_sim_time") == "true"
    respawn = value("respawn_after_gpu_loss") == "true"
    if respawn:
        overrides["respawn_after_gpu_loss"] = True
    if backend != "none":
        # A copy of params/default.yaml as `params_file` must not silence the topic that was asked for.
        overrides["output_layout"] = backend
    remappings = [(name, value(name)) for name in INPUTS] + list(BACKENDS[backend].items())
    # A remap of the base topic does not reach the compressed one below it.
    remappings.append(("image/compressed", value("image") + "/compressed"))
    return [Node(
        package="vio_frontend",
        executable="vio_frontend_node",
        name=value("name"),
        namespace=value("namespace"),
        parameters=[*files, overrides],
        remappings=[(name, topic) for name, topic in remappings if name != topic],
        arguments=["--ros-args", "--log-level", value("log_level")],
        respawn=respawn,
        respawn_delay=1.0,
        output="screen",
        emulate_tty=True,
    )]


def generate_launch_description():
    return LaunchDescription([*arguments(), OpaqueFunction(function=node)])
