"""Starts the front end: ros2 launch vio_frontend frontend.launch.py namespace:=robot1"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    return LaunchDescription([
        DeclareLaunchArgument("namespace", default_value="", description="Namespace of the node and its topics."),
        Node(package="vio_frontend", executable="vio_frontend_node", namespace=LaunchConfiguration("namespace"),
             output="screen"),
    ])
