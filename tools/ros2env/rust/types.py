"""Interface types and names as Rust spells them."""

from rosidl_parser.definition import (
    AbstractGenericString, AbstractNestedType, AbstractWString, Array, BasicType, BoundedSequence,
    BoundedString, BoundedWString, NamespacedType, UnboundedSequence)

RUNTIME = "rosidl_runtime_rs"

BASIC = {
    "boolean": "bool", "byte": "u8", "octet": "u8", "char": "u8", "wchar": "u16",
    "float": "f32", "double": "f64",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
}

# Every word that is or may become reserved, up to edition 2024.
KEYWORDS = frozenset("""
    as break const continue crate else enum extern false fn for if impl in let loop match mod move mut
    pub ref return self Self static struct super trait true type unsafe use where while
    async await dyn gen
    abstract become box do final macro override priv try typeof unsized virtual yield
""".split())


def name(identifier):
    """Rust words get a trailing underscore: the field `type` of a message is `type_`."""
    return identifier + "_" if identifier in KEYWORDS else identifier


class Flavour:
    """How one module of one package spells types: idiomatic (`msg`) or C layout (`msg::rmw`)."""

    def __init__(self, package, idiomatic):
        self.package = package
        self.idiomatic = idiomatic

    def type(self, of, inside_bounded=False):
        """The Rust type of an interface type.

        The elements of a bounded sequence keep their C layout in the idiomatic flavour too, for the
        container is the C one (`inside_bounded`).
        """
        rust = self.idiomatic and not inside_bounded
        if isinstance(of, BasicType):
            return BASIC[of.typename]
        if isinstance(of, BoundedString):
            return f"{RUNTIME}::BoundedString<{of.maximum_size}>"
        if isinstance(of, BoundedWString):
            return f"{RUNTIME}::BoundedWString<{of.maximum_size}>"
        if isinstance(of, AbstractGenericString):
            c_string = "WString" if isinstance(of, AbstractWString) else "String"
            return "std::string::String" if rust else f"{RUNTIME}::{c_string}"
        if isinstance(of, Array):
            return f"[{self.type(of.value_type, inside_bounded)}; {of.size}]"
        if isinstance(of, UnboundedSequence):
            container = "Vec" if rust else f"{RUNTIME}::Sequence"
            return f"{container}<{self.type(of.value_type, inside_bounded)}>"
        if isinstance(of, BoundedSequence):
            return f"{RUNTIME}::BoundedSequence<{self.type(of.value_type, True)}, {of.maximum_size}>"
        if isinstance(of, NamespacedType):
            return self._path(of, rust)
        raise TypeError(f"an interface type this generator does not know: {of!r}")

    def _path(self, of, rust):
        """`other_pkg::msg[::rmw]::Foo`, or relative to the module that holds `msg` and `srv`."""
        package, *modules = of.namespaces
        if package == self.package:
            root = ["super"] if self.idiomatic else ["super", "super"]
        else:
            root = [package]
        return "::".join([*root, *modules, *([] if rust else ["rmw"]), of.name])


def same_in_both(of):
    """Whether the idiomatic and the C flavour give a field one and the same Rust type."""
    if isinstance(of, Array):
        return same_in_both(of.value_type)
    return isinstance(of, (BasicType, BoundedString, BoundedWString, BoundedSequence))


def is_copy(of):
    """Whether the Rust type is `Copy`, so that reading it out of a borrowed message is enough."""
    return is_copy(of.value_type) if isinstance(of, Array) else isinstance(of, BasicType)


def packages_named_by(of):
    """The packages whose types a field mentions."""
    while isinstance(of, AbstractNestedType):
        of = of.value_type
    return {of.namespaces[0]} if isinstance(of, NamespacedType) else set()


def literal(of, value):
    """A constant's value as a Rust literal of its type."""
    if isinstance(of, AbstractGenericString):
        return '"' + "".join(_escape(char) for char in value) + '"'
    rust = BASIC[of.typename]
    if rust == "bool":
        return "true" if value else "false"
    # A float constant may be written as an integer in the .msg file; Rust wants the point.
    return repr(float(value)) if rust in ("f32", "f64") else str(value)


def _escape(char):
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\u{{{ord(char):x}}}"
