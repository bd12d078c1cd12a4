"""Expressions that carry one field between the idiomatic message and its C layout.

`place` is a Rust expression naming the field or element: a value for `owned` and `from_rmw`, something
borrowed for `borrowed` (`by_ref` says that the expression is a reference already, as in an iterator).
`idiomatic` is the flavour whose types name the conversions.
"""

from rosidl_parser.definition import (
    AbstractGenericString, Array, BasicType, NamespacedType, UnboundedSequence)

from .types import is_copy, same_in_both


def owned(idiomatic, of, place):
    """Idiomatic -> C layout, using the message up."""
    if same_in_both(of):
        return place
    if isinstance(of, AbstractGenericString):
        return f"{place}.as_str().into()"
    if isinstance(of, NamespacedType):
        return f"{idiomatic.type(of)}::into_rmw_message(std::borrow::Cow::Owned({place})).into_owned()"
    element = owned(idiomatic, of.value_type, "v")
    if isinstance(of, Array):
        return f"{place}.map(|v| {element})"
    return _sequence(of, place, f".into_iter().map(|v| {element})")


def borrowed(idiomatic, of, place, by_ref=False):
    """Idiomatic -> C layout, leaving the message whole."""
    if is_copy(of):
        return f"*{place}" if by_ref else place
    if same_in_both(of):
        return f"{place}.clone()"
    if isinstance(of, AbstractGenericString):
        return f"{place}.as_str().into()"
    if isinstance(of, NamespacedType):
        reference = place if by_ref else f"&{place}"
        return f"{idiomatic.type(of)}::into_rmw_message(std::borrow::Cow::Borrowed({reference})).into_owned()"
    if isinstance(of, Array):
        return f"std::array::from_fn(|i| {borrowed(idiomatic, of.value_type, place + '[i]')})"
    element = borrowed(idiomatic, of.value_type, "v", by_ref=True)
    return _sequence(of, place, f".iter().map(|v| {element})")


def from_rmw(idiomatic, of, place):
    """C layout -> idiomatic."""
    if same_in_both(of):
        return place
    if isinstance(of, AbstractGenericString):
        return f"{place}.to_string()"
    if isinstance(of, NamespacedType):
        return f"{idiomatic.type(of)}::from_rmw_message({place})"
    element = from_rmw(idiomatic, of.value_type, "v")
    if isinstance(of, Array):
        return f"{place}.map(|v| {element})"
    if isinstance(of.value_type, BasicType):
        return f"{place}.into()"  # one memcpy
    return f"{place}.into_iter().map(|v| {element}).collect()"


def _sequence(of, place, elements):
    """Elements alike in both flavours are copied as one slice (a memcpy for numbers)."""
    assert isinstance(of, UnboundedSequence), of
    if same_in_both(of.value_type):
        return f"{place}.as_slice().into()"
    return f"{place}{elements}.collect()"
