"""The Rust crate of one ROS package: `<prefix>/share/<package>/rust/` as `ros-env` looks for it."""

from pathlib import Path
from xml.etree import ElementTree

from rosidl_parser.definition import IdlLocator, Message, Service
from rosidl_parser.parser import parse_idl_file

from . import message as emit
from .types import Flavour, packages_named_by

KINDS = ("msg", "srv")

MANIFEST = """\
[package]
name = "{package}"
version = "{version}"
edition = "2021"

[dependencies]
rosidl_runtime_rs = "0.7"
serde = {{ version = "1", optional = true, features = ["derive"] }}
serde-big-array = {{ version = "0.5.1", optional = true }}
{dependencies}
[features]
serde = [{serde}]

# What makes the build of ros-env take this crate in.
[package.metadata.ros-env]
include = true
"""


def read(share):
    """All messages and services of a package, by module: `{"msg": [...], "srv": [...]}`."""
    elements = {kind: [] for kind in KINDS}
    for kind in KINDS:
        for idl in sorted((share / kind).glob("*.idl")):
            content = parse_idl_file(IdlLocator(share, idl.relative_to(share))).content
            elements[kind] += content.get_elements_of_type(Message if kind == "msg" else Service)
    return elements


def write(share, rust):
    """Writes the crate of the package installed at `share` into the folder `rust`."""
    package = share.name
    elements = read(share)
    kinds = [kind for kind in KINDS if elements[kind]]
    messages = [m for kind in kinds for e in elements[kind] for m in _messages(e)]
    dependencies = sorted({p for m in messages for f in m.structure.members
                           for p in packages_named_by(f.type)} - {package})

    files = {"Cargo.toml": _manifest(package, _version(share), dependencies),
             "src/lib.rs": _library(kinds)}
    for kind in kinds:
        for idiomatic, path in ((True, f"src/{kind}.rs"), (False, f"src/{kind}/rmw.rs")):
            files[path] = "".join(_element(e, package, idiomatic) for e in elements[kind])
    for path, text in files.items():
        target = rust / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return dependencies


def _messages(element):
    """A message itself, or the two messages of a service (its event message is left out, as
    rosidl_generator_rs does: no client library publishes it from Rust)."""
    if isinstance(element, Service):
        return [element.request_message, element.response_message]
    return [element]


def _element(element, package, idiomatic):
    flavour = Flavour(package, idiomatic)
    text = ""
    for message in _messages(element):
        traits = emit.idiomatic_traits(message, package) if idiomatic else emit.rmw_traits(message)
        text += "\n" + emit.definition(message, flavour) + traits
    return text + (emit.service(element) if isinstance(element, Service) else "")


def _version(share):
    return ElementTree.parse(share / "package.xml").getroot().findtext("version", "0.0.0").strip()


def _manifest(package, version, dependencies):
    # "*" is also how ros-env tells the ROS packages among the dependencies from the others.
    features = ["dep:serde", "dep:serde-big-array", "rosidl_runtime_rs/serde",
                *(f"{d}/serde" for d in dependencies)]
    return MANIFEST.format(package=package, version=version,
                           dependencies="".join(f'{d} = "*"\n' for d in dependencies),
                           serde=", ".join(f'"{f}"' for f in features))


def _library(kinds):
    modules = "".join(f"""
#[path = "{kind}.rs"]
mod {kind}_idiomatic;
pub mod {kind} {{
    pub use super::{kind}_idiomatic::*;
    pub mod rmw;
}}
""" for kind in kinds)
    return "#![allow(non_camel_case_types)]\n" + modules


def share_of(prefixes, package):
    """Where a package is installed: the first prefix that has its .idl files, or None."""
    for prefix in map(Path, prefixes):
        share = prefix / "share" / package
        if any(any((share / kind).glob("*.idl")) for kind in KINDS):
            return share
    return None
