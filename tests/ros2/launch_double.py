"""Stand-ins for `launch` and `launch_ros`, of which there are no wheels: just what the launch file uses.

They evaluate it and yield the arguments that `launch_ros` would give to the node.
"""

import json
import runpy
import sys
from types import ModuleType
from unittest import mock

from harness import REPOSITORY


class Argument:
    def __init__(self, name, *, default_value, description, choices=None):
        assert description and (choices is None or default_value in choices)
        self.name, self.default, self.choices = name, default_value, choices


class Configuration:
    def __init__(self, name):
        self.name = name

    def perform(self, context):
        return context[self.name]


class Node:
    def __init__(self, **fields):
        assert (fields["package"], fields["executable"]) == ("vio_frontend", "vio_frontend_node")
        self.fields = fields


def modules():
    """What `import` finds."""
    contents = {
        "launch": {"LaunchDescription": list},
        "launch.actions": {"DeclareLaunchArgument": Argument, "OpaqueFunction": lambda function: function},
        "launch.substitutions": {"LaunchConfiguration": Configuration, "PathJoinSubstitution": lambda parts: parts},
        "launch_ros": {},
        "launch_ros.actions": {"Node": Node},
        "launch_ros.substitutions": {"FindPackageShare": lambda package: REPOSITORY},
    }
    made = {}
    for name, content in contents.items():
        made[name] = ModuleType(name)
        vars(made[name]).update(content)
    return made


def node_arguments(folder, **chosen):
    """What follows `--ros-args` for these launch arguments; parameters go to a file in `folder`, as in launch_ros."""
    with mock.patch.dict(sys.modules, modules()):
        *declared, function = runpy.run_path(REPOSITORY / "launch/frontend.launch.py")["generate_launch_description"]()
    context = {argument.name: argument.default for argument in declared}
    assert chosen.keys() <= context.keys()
    for argument in declared:
        assert argument.choices is None or chosen.get(argument.name, argument.default) in argument.choices
    (node,) = function({**context, **chosen})
    arguments = node.fields["arguments"][1:] + ["-r", f"__node:={node.fields['name']}"]
    for i, source in enumerate(node.fields["parameters"]):
        if isinstance(source, dict):
            path = folder / f"{i}.yaml"
            path.write_text(json.dumps({"/**": {"ros__parameters": source}}))
        else:
            path = "/".join(map(str, source)) if isinstance(source, list) else source
        arguments += ["--params-file", str(path)]
    for name, topic in node.fields["remappings"]:
        arguments += ["-r", f"{name}:={topic}"]
    return arguments
