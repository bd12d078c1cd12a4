"""One message or service in Rust."""

from rosidl_parser.definition import AbstractGenericString, Array

from . import convert
from .types import RUNTIME, Flavour, literal, name

COW = "std::borrow::Cow<'_, Self>"
RMW_COW = "std::borrow::Cow<'_, Self::RmwMsg>"
TYPE_SUPPORT = "*const std::ffi::c_void"
# serde derives arrays up to 32 elements by itself.
SERDE_ARRAY_LIMIT = 32


def c_name(message):
    """`sensor_msgs__msg__Image`, the stem of the C symbols."""
    return "__".join(message.structure.namespaced_type.namespaced_name())


def definition(message, flavour):
    """The struct and its constants."""
    structure = message.structure
    type_name = structure.namespaced_type.name
    lines = [*_doc(structure, "")]
    lines += ["#[allow(non_camel_case_types)]"] if "_" in type_name else []
    lines += [] if flavour.idiomatic else ["#[repr(C)]"]
    lines += [
        '#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]',
        "#[derive(Clone, Debug, PartialEq, PartialOrd)]",
        f"pub struct {type_name} {{",
    ]
    for member in structure.members:
        lines += _doc(member, "    ")
        if isinstance(member.type, Array) and member.type.size > SERDE_ARRAY_LIMIT:
            lines.append('    #[cfg_attr(feature = "serde", serde(with = "serde_big_array::BigArray"))]')
        lines.append(f"    pub {name(member.name)}: {flavour.type(member.type)},")
    lines.append("}")
    if message.constants:
        lines += ["", f"impl {type_name} {{"]
        for constant in message.constants:
            is_text = isinstance(constant.type, AbstractGenericString)
            rust_type = "&'static str" if is_text else flavour.type(constant.type)
            lines += _doc(constant, "    ")
            lines.append(f"    pub const {name(constant.name)}: {rust_type} = "
                         f"{literal(constant.type, constant.value)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def idiomatic_traits(message, package):
    """`Default` and the conversions from and to the C layout."""
    flavour = Flavour(package, idiomatic=True)
    kind, type_name = message.structure.namespaced_type.namespaced_name()[1:]

    def fields(expression, indent):
        return "\n".join(
            f"{indent}{name(m.name)}: {expression(flavour, m.type, 'msg.' + name(m.name))},"
            for m in message.structure.members)

    return f"""
impl Default for {type_name} {{
    // By way of the C initialiser, which knows the default values of the .msg file.
    fn default() -> Self {{
        <Self as {RUNTIME}::Message>::from_rmw_message(super::{kind}::rmw::{type_name}::default())
    }}
}}

impl {RUNTIME}::Message for {type_name} {{
    type RmwMsg = super::{kind}::rmw::{type_name};

    fn into_rmw_message(msg_cow: {COW}) -> {RMW_COW} {{
        std::borrow::Cow::Owned(match msg_cow {{
            std::borrow::Cow::Owned(msg) => Self::RmwMsg {{
{fields(convert.owned, " " * 16)}
            }},
            std::borrow::Cow::Borrowed(msg) => Self::RmwMsg {{
{fields(convert.borrowed, " " * 16)}
            }},
        }})
    }}

    fn from_rmw_message(msg: Self::RmwMsg) -> Self {{
        Self {{
{fields(convert.from_rmw, " " * 12)}
        }}
    }}
}}
"""


def rmw_traits(message):
    """What makes the C-layout struct known to the middleware: allocation and type support, both in C."""
    c = c_name(message)
    full_name = "/".join(message.structure.namespaced_type.namespaced_name())
    package, _, type_name = message.structure.namespaced_type.namespaced_name()
    sequence = f"{RUNTIME}::Sequence"
    support = f"rosidl_typesupport_c__get_message_type_support_handle__{c}"
    return f"""
#[link(name = "{package}__rosidl_typesupport_c")]
extern "C" {{
    fn {support}() -> {TYPE_SUPPORT};
}}

#[link(name = "{package}__rosidl_generator_c")]
extern "C" {{
    fn {c}__init(msg: *mut {type_name}) -> bool;
    fn {c}__Sequence__init(seq: *mut {sequence}<{type_name}>, size: usize) -> bool;
    fn {c}__Sequence__fini(seq: *mut {sequence}<{type_name}>);
    fn {c}__Sequence__copy(from: *const {sequence}<{type_name}>, to: *mut {sequence}<{type_name}>) -> bool;
}}

impl Default for {type_name} {{
    fn default() -> Self {{
        // SAFETY: every field is a C number, array, string or sequence, for which all zeros is a
        // valid value, and a zeroed message is what init() asks for.
        unsafe {{
            let mut msg = std::mem::zeroed();
            assert!({c}__init(&mut msg), "no memory for a {full_name}");
            msg
        }}
    }}
}}

impl {RUNTIME}::SequenceAlloc for {type_name} {{
    fn sequence_init(seq: &mut {sequence}<Self>, size: usize) -> bool {{
        // SAFETY: a reference is a valid pointer, and the layout is the C one.
        unsafe {{ {c}__Sequence__init(seq, size) }}
    }}
    fn sequence_fini(seq: &mut {sequence}<Self>) {{
        // SAFETY: as above.
        unsafe {{ {c}__Sequence__fini(seq) }}
    }}
    fn sequence_copy(in_seq: &{sequence}<Self>, out_seq: &mut {sequence}<Self>) -> bool {{
        // SAFETY: as above.
        unsafe {{ {c}__Sequence__copy(in_seq, out_seq) }}
    }}
}}

impl {RUNTIME}::Message for {type_name} {{
    type RmwMsg = Self;
    fn into_rmw_message(msg_cow: {COW}) -> {RMW_COW} {{
        msg_cow
    }}
    fn from_rmw_message(msg: Self::RmwMsg) -> Self {{
        msg
    }}
}}

impl {RUNTIME}::RmwMessage for {type_name} {{
    const TYPE_NAME: &'static str = "{full_name}";
    fn get_type_support() -> {TYPE_SUPPORT} {{
        // SAFETY: the function has no preconditions.
        unsafe {{ {support}() }}
    }}
}}
"""


def service(srv):
    """The type that ties request and response together; the same text serves both flavours."""
    package, _, type_name = srv.namespaced_type.namespaced_name()
    support = ("rosidl_typesupport_c__get_service_type_support_handle__"
               + "__".join(srv.namespaced_type.namespaced_name()))
    return f"""
#[link(name = "{package}__rosidl_typesupport_c")]
extern "C" {{
    fn {support}() -> {TYPE_SUPPORT};
}}

#[allow(missing_docs, non_camel_case_types)]
pub struct {type_name};

impl {RUNTIME}::Service for {type_name} {{
    type Request = {type_name}_Request;
    type Response = {type_name}_Response;
    fn get_type_support() -> {TYPE_SUPPORT} {{
        // SAFETY: the function has no preconditions.
        unsafe {{ {support}() }}
    }}
}}
"""


def _doc(element, indent):
    """The comments of the .msg file as Rust documentation."""
    # Constants carry no comments in the rosidl_parser of Humble.
    comments = getattr(element, "get_comment_lines", list)()
    return [f"{indent}/// {line}".rstrip() for line in comments]
