"""Functions of simd.py in plain numba: a vector of one number. For machines and releases where
simd.py cannot be used.

Memory is an array here, and a place in it a view from there on.
"""

# Types are inferred by numba at the first call.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from editor_app.features.masks.engine.jit import fast_part

#: Numbers in a vector.
WIDTH = 1


@fast_part
def memory(array):
    return array.ravel()


@fast_part
def further(memory, elements):
    return memory[elements:]


@fast_part
def aligned(memory):
    return memory


@fast_part
def load(memory, index):
    return memory[index]


@fast_part
def store(memory, index, lanes):
    memory[index] = lanes


@fast_part
def number(memory, index):
    return memory[index]


@fast_part
def put(memory, index, value):
    memory[index] = value


@fast_part
def whole(memory, index):
    return memory[index]


@fast_part
def units(memory, index, base):
    return np.float32((np.int64(memory[index] ^ base) & 0xFFFFFFFF) >> 8)


@fast_part
def splat(number):
    return np.float32(number)


@fast_part
def multiply_add(a, b, c):
    return a * np.float32(b) + c


@fast_part
def lesser(a, b):
    return a if a < b else b


@fast_part
def nearest_integer(a):
    return np.rint(a)


@fast_part
def magnitude(a):
    return abs(a)


@fast_part
def root(a):
    return np.sqrt(a)


@fast_part
def signed(a, sign):
    return np.float32(math.copysign(a, sign))


@fast_part
def below(a, limit):
    return 1 if a < np.float32(limit) else 0


@fast_part
def bit_count(word):
    return word
