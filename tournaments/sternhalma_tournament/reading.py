"""Reading a TOML document into Structs with errors that name the key.

msgspec alone reports an item of an array as `$.bots[...]`, without its number and without a word
about a mistyped key. The people who write event files are helped most by exactly those two, so the
tables are walked here key by key, and msgspec checks each single value. Items are counted from 1,
as people count.
"""

import difflib
import tomllib
import types
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

_LONGEST_ECHO = 80

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")


class EventFileError(ValueError):
    """An event file that cannot be used; the text is one sentence for its author."""


def wrong_value(where: str, key: str, expected: str, got: object) -> EventFileError:
    """The error for a value that does not fit: file, path of the key, what was expected, what came.

    >>> str(wrong_value("cup.toml", "bots[2].name", "a name", 7))
    'cup.toml: bots[2].name: expected a name, got 7'
    """
    return EventFileError(f"{where}: {key}: expected {expected}, got {_echo(got)}")


def read_toml(data: bytes, where: str) -> dict[str, Any]:
    """The tables of *data*; raises EventFileError where it is not UTF-8 or not TOML."""
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise EventFileError(f"{where}: expected UTF-8, got byte {error.start} wrong") from error
    except tomllib.TOMLDecodeError as error:
        raise EventFileError(f"{where}: expected TOML, got: {error}") from error
    except RecursionError as error:
        raise EventFileError(f"{where}: expected TOML, got it nested too deeply") from error


def read_struct(kind: type[S], table: dict[str, Any], where: str, at: str = "") -> S:
    """The Struct *kind* made of *table*, which stands at the path *at* of the file *where*."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in table:
        if key not in fields:
            raise _unknown_key(where, _join(at, key), key, tuple(fields))
    values: dict[str, Any] = {}
    for key, field in fields.items():
        path = _join(at, key)
        if key in table:
            values[field.name] = _read_value(field.type, table[key], where, path)
        elif field.required:
            raise EventFileError(
                f"{where}: {path}: expected {_expectation(field.type)}, got no such key"
            )
    return kind(**values)


def _read_value(kind: Any, value: Any, where: str, path: str) -> Any:
    expected = _expectation(kind)
    item = _struct_items(kind)
    if item is not None:
        tables = _convert(list[Any], value, where, path, expected)
        return tuple(
            _read_table(item, table, where, f"{path}[{number}]", "a table")
            for number, table in enumerate(tables, start=1)
        )
    struct = _struct(kind)
    if struct is not None:
        return _read_table(struct, value, where, path, expected)
    return _convert(kind, value, where, path, expected)


def _read_table(kind: type[S], value: Any, where: str, path: str, expected: str) -> S:
    table = _convert(dict[str, Any], value, where, path, expected)
    return read_struct(kind, table, where, path)


def _convert(kind: type[T], value: Any, where: str, path: str, expected: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise wrong_value(where, path, expected, value) from error


def _unknown_key(where: str, path: str, key: str, known: tuple[str, ...]) -> EventFileError:
    near = difflib.get_close_matches(key, known, n=1)
    if near:
        return EventFileError(f"{where}: {path}: unknown key, did you mean {near[0]!r}?")
    return EventFileError(f"{where}: {path}: unknown key, expected one of {', '.join(known)}")


def _expectation(kind: Any) -> str:
    """The description in the annotation of *kind*, or of one of the parts of a union."""
    arguments = get_args(kind)
    if get_origin(kind) is Annotated:
        metas = (part for part in arguments[1:] if isinstance(part, msgspec.Meta))
        return next((meta.description for meta in metas if meta.description), "")
    return next((text for part in arguments if (text := _expectation(part))), "")


def _plain(kind: Any) -> Any:
    """*kind* without its annotations and without `| None`."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in {Union, types.UnionType}:
        parts = [part for part in get_args(kind) if part is not type(None)]
        if len(parts) == 1:
            return _plain(parts[0])
    return kind


def _struct(kind: Any) -> type[msgspec.Struct] | None:
    plain = _plain(kind)
    return plain if isinstance(plain, type) and issubclass(plain, msgspec.Struct) else None


def _struct_items(kind: Any) -> type[msgspec.Struct] | None:
    plain = _plain(kind)
    return _struct(get_args(plain)[0]) if get_origin(plain) is tuple else None


def _join(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _echo(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_ECHO else text[: _LONGEST_ECHO - 3] + "..."
