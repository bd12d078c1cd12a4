"""Rust sources for ROS 2 messages and services, written from their .idl files.

Runs inside the Python of a ROS 2 installation, because it stands on that installation's own
`rosidl_parser`. What it writes has the interface that `rosidl_generator_rs` gives, so that a program
cannot tell an overlay made here from a distribution that ships the bindings (Lyrical and later).

    types.py      interface types -> Rust types, and the names Rust allows
    convert.py    the expressions that carry a field from one message flavour to the other
    message.py    one message: struct, constants, trait implementations
    package.py    one ROS package: which files, which module, Cargo.toml
    __main__.py   the command the rest of the tools run

Each message exists twice. `msg::rmw::Image` has the layout of the C struct and is what the middleware
reads and fills; `msg::Image` holds `Vec` and `String` and costs a copy in each direction.
"""
