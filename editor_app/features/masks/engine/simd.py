"""Vectors of 16 single-precision numbers for kernels: a type of its own, because loops are not
always vectorised.

Inside a kernel `a + b`, `a - b`, `a * b` and `-a` work on `Lanes`, with a plain number on the
right-hand side as well; the functions below do the rest. LLVM maps the type to what the machine
has: one AVX-512 register, two of AVX, four of SSE or NEON.

Kernels come here through lanes.py, which has plain numbers where these vectors cannot be used.

Memory is given by its address, because an array that is handed to a function is counted at each
call with a locked instruction, which costs more than the function. So nothing is checked here, and
the caller keeps the arrays alive: numba frees an array of its own after the last line that names
it.
"""

# numba and llvmlite publish no types.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, import-untyped"

from __future__ import annotations

import numpy as np

from editor_app.features.masks.engine.jit import fast_kernel

import editor_app.core.numba_settings  # noqa: F401  # isort: skip - before numba

import operator

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

#: Numbers in a vector.
WIDTH = 16

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, WIDTH)
_WORDS = ir.VectorType(ir.IntType(32), WIDTH)
_TRUTHS = ir.VectorType(ir.IntType(1), WIDTH)
#: What LLVM may assume: no NaN, sums in any order, multiply-add in one step. Infinities stay what
#: they are.
_FAST = ("nnan", "nsz", "contract", "reassoc")


class LanesType(types.Type):
    """numba's type of a vector."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{WIDTH}")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, type_) -> None:
        super().__init__(manager, type_, _VECTOR)


def _spread(builder, number):
    """The vector with `number` in each lane."""
    one = builder.insert_element(
        ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
    )
    return builder.shuffle_vector(
        one, ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_WORDS, None)
    )


def _as_float(context, builder, value, type_):
    return context.cast(builder, value, type_, types.float32)


def _place(context, builder, address, address_type, index, index_type, element):
    """Pointer to the element at an index from an address on."""
    start = builder.inttoptr(
        context.cast(builder, address, address_type, types.intp), element.as_pointer()
    )
    return builder.gep(
        start, [context.cast(builder, index, index_type, types.intp)], source_etype=element
    )


def _register(symbol, emit):
    """`symbol` on two vectors, and on a vector and a number."""
    cases = [signature(LANES, LANES, LANES), signature(LANES, LANES, types.float32)]

    @infer_global(symbol)
    class _Typing(ConcreteTemplate):
        pass

    _Typing.cases = cases

    @lower_builtin(symbol, LANES, LANES)
    def _both(context, builder, sig, args):
        return emit(builder, args[0], args[1])

    @lower_builtin(symbol, LANES, types.float32)
    def _one(context, builder, sig, args):
        return emit(builder, args[0], _spread(builder, args[1]))


_register(operator.add, lambda builder, a, b: builder.fadd(a, b, flags=_FAST))
_register(operator.sub, lambda builder, a, b: builder.fsub(a, b, flags=_FAST))
_register(operator.mul, lambda builder, a, b: builder.fmul(a, b, flags=_FAST))


@infer_global(operator.neg)
class _Negative(ConcreteTemplate):
    cases = [signature(LANES, LANES)]  # noqa: RUF012


@lower_builtin(operator.neg, LANES)
def _negate(context, builder, sig, args):
    return builder.fneg(args[0])


def _unary(name):
    def emit(context, builder, sig, args):
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.{name}.v{WIDTH}f32"
        )
        return builder.call(function, [args[0]], fastmath=_FAST)

    return emit


@numba.njit(forceinline=True)
def memory(array):
    """The address of an array of four-byte elements."""
    return array.ctypes.data


@numba.njit(forceinline=True)
def further(memory, elements):
    """The address of the element that many further on."""
    return memory + 4 * elements


@numba.njit(forceinline=True)
def aligned(memory):
    """The next address that a cache line begins at."""
    return (memory + 63) & ~63


@intrinsic
def load(typingctx, address, index):
    """The WIDTH numbers from element `index` of float32 memory on."""

    def emit(context, builder, sig, args):
        spot = _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], _FLOAT)
        return builder.load(builder.bitcast(spot, _VECTOR.as_pointer()), align=4, typ=_VECTOR)

    return LANES(address, index), emit


@intrinsic
def store(typingctx, address, index, lanes):
    """Writes a vector to element `index` of float32 memory, and those after it."""

    def emit(context, builder, sig, args):
        spot = _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], _FLOAT)
        builder.store(args[2], builder.bitcast(spot, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.none(address, index, lanes), emit


@intrinsic
def number(typingctx, address, index):
    """Element `index` of float32 memory."""

    def emit(context, builder, sig, args):
        return builder.load(
            _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], _FLOAT), typ=_FLOAT
        )

    return types.float32(address, index), emit


@intrinsic
def put(typingctx, address, index, value):
    """Writes a float32 to element `index` of memory."""

    def emit(context, builder, sig, args):
        spot = _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], _FLOAT)
        builder.store(_as_float(context, builder, args[2], sig.args[2]), spot)
        return context.get_dummy_value()

    return types.none(address, index, value), emit


@intrinsic
def whole(typingctx, address, index):
    """Element `index` of int32 memory."""

    def emit(context, builder, sig, args):
        word = ir.IntType(32)
        return builder.load(
            _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], word), typ=word
        )

    return types.int32(address, index), emit


@intrinsic
def units(typingctx, address, index, base):
    """(words[index + lane] XOR base) / 2^8 as numbers: the upper 24 bits of points of a digital
    sequence (int32)."""

    def emit(context, builder, sig, args):
        spot = _place(context, builder, args[0], sig.args[0], args[1], sig.args[1], ir.IntType(32))
        low = builder.load(builder.bitcast(spot, _WORDS.as_pointer()), align=4, typ=_WORDS)
        one = builder.insert_element(
            ir.Constant(_WORDS, ir.Undefined), args[2], ir.Constant(ir.IntType(32), 0)
        )
        every = builder.shuffle_vector(
            one, ir.Constant(_WORDS, ir.Undefined), ir.Constant(_WORDS, None)
        )
        point = builder.lshr(builder.xor(low, every), ir.Constant(_WORDS, [8] * WIDTH))
        return builder.sitofp(point, _VECTOR)

    return LANES(address, index, types.int32), emit


@intrinsic
def splat(typingctx, number):
    """The number in every lane."""

    def emit(context, builder, sig, args):
        return _spread(builder, _as_float(context, builder, args[0], sig.args[0]))

    return LANES(number), emit


@intrinsic
def multiply_add(typingctx, a, b, c):
    """a * b + c for vectors a and c, and b a vector or a number."""

    def emit(context, builder, sig, args):
        b = (
            args[1]
            if sig.args[1] == LANES
            else _spread(builder, _as_float(context, builder, args[1], sig.args[1]))
        )
        return builder.fadd(builder.fmul(args[0], b, flags=_FAST), args[2], flags=_FAST)

    return LANES(a, b, c), emit


@intrinsic
def lesser(typingctx, a, b):
    """Lane by lane the smaller one."""

    def emit(context, builder, sig, args):
        return builder.select(
            builder.fcmp_ordered("<", args[0], args[1], flags=_FAST), args[0], args[1]
        )

    return LANES(a, b), emit


@intrinsic
def nearest_integer(typingctx, a):
    """Lane by lane the nearest whole number."""
    return LANES(a), _unary("rint")


@intrinsic
def magnitude(typingctx, a):
    """Lane by lane the absolute value."""
    return LANES(a), _unary("fabs")


@intrinsic
def root(typingctx, a):
    """Lane by lane the square root."""
    return LANES(a), _unary("sqrt")


@intrinsic
def signed(typingctx, a, sign):
    """Lane by lane the absolute value of `a` with the sign of `sign`."""

    def emit(context, builder, sig, args):
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_VECTOR, [_VECTOR, _VECTOR]),
            f"llvm.copysign.v{WIDTH}f32",
        )
        return builder.call(function, [args[0], args[1]])

    return LANES(a, sign), emit


@intrinsic
def below(typingctx, a, limit):
    """How many lanes are smaller than the number `limit`, as a word with one bit per lane."""

    def emit(context, builder, sig, args):
        other = _spread(builder, _as_float(context, builder, args[1], sig.args[1]))
        truths = builder.fcmp_ordered("<", args[0], other, flags=_FAST)
        word = builder.bitcast(truths, ir.IntType(WIDTH))
        return builder.zext(word, ir.IntType(64))

    return types.int64(a, limit), emit


@intrinsic
def bit_count(typingctx, word):
    """How many bits of an int64 are set."""

    def emit(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), emit


@fast_kernel
def every_function(x, y, words, base, limit, out):
    """out: nine vectors and a number, in the order of `expected`; returns the bits of `below` and
    how many are set."""
    a = load(memory(x), 0)
    b = load(further(memory(y), 1), 2)
    to = memory(out)
    store(to, 0, a + b)
    store(to, 16, -(a - b))
    store(to, 32, multiply_add(a, b, a * np.float32(3.0)))
    store(to, 48, lesser(a, b))
    store(to, 64, root(magnitude(b)))
    store(to, 80, nearest_integer(b))
    store(to, 96, signed(a, b))
    store(to, 112, units(memory(words), 1, base))
    store(to, 128, splat(number(memory(x), 5)))
    put(to, 144, np.float32(whole(memory(words), 2)))
    word = below(a, limit)
    return word, bit_count(word)


def expected(x, y, words, base, limit):
    """((145,) float32, bits, their number) by numpy; x, y and words have 20 elements."""
    a, b = x[:16], y[3:19]
    rows = (
        a + b,
        b - a,
        a * b + 3 * a,
        np.minimum(a, b),
        np.sqrt(np.abs(b)),
        np.rint(b),
        np.copysign(a, b),
        ((words[1:17] ^ base).view(np.uint32) >> 8).astype(np.float32),
        np.full(16, x[5]),
        words[2:3],
    )
    bits = a < limit
    return (
        np.concatenate(rows).astype(np.float32),
        int((bits << np.arange(16)).sum()),
        int(bits.sum()),
    )


def is_right() -> bool:
    """Return whether every function compiles here and computes what plain numbers do.

    Compiles at the first use after installing (or a change of numba); an error of numba's is the
    caller's.
    """
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=20).astype(np.float32) * 5 for _ in range(2))
    words = rng.integers(0, 2**31, 20, dtype=np.int64).astype(np.int32)
    base, limit = np.int32(123456789), np.float32(0.25)
    out = np.zeros(145, np.float32)
    word, count = every_function(x, y, words, base, limit, out)
    numbers, *bits = expected(x, y, words, base, limit)
    return [word, count] == bits and bool(np.allclose(out, numbers, rtol=1e-5, atol=1e-5))
