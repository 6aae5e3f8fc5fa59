"""Kernels in Triton for the tests of warpline.triton. SPDX-License-Identifier: MIT"""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def gather(x, index, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + tl.load(index + at, mask=inside, other=0), mask=inside), mask=inside)


@triton.jit
def softmax(out, x, row, width, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    inside = at < width
    first = tl.program_id(0) * row
    values = tl.load(x + first + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + first + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(x, out, weight, bias, row, width, eps, WIDTH: tl.constexpr):
    at = tl.arange(0, WIDTH)
    inside = at < width
    first = tl.program_id(0) * row
    values = tl.load(x + first + at, mask=inside, other=0.0).to(tl.float32)
    apart = tl.where(inside, values - tl.sum(values, axis=0) / width, 0.0)
    rate = 1 / tl.sqrt(tl.sum(apart * apart, axis=0) / width + eps)
    scaled = apart * rate * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
    tl.store(out + first + at, scaled, mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
           ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    from_a = a + rows[:, None] * a_row + depth[None, :] * a_column
    from_b = b + depth[:, None] * b_row + columns[None, :] * b_column
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, DEPTH)):
        left = tl.load(from_a, mask=depth[None, :] < K - step * DEPTH, other=0.0)
        right = tl.load(from_b, mask=depth[:, None] < K - step * DEPTH, other=0.0)
        sums = tl.dot(left, right, sums)
        from_a += DEPTH * a_column
        from_b += DEPTH * b_row
    to = c + rows[:, None] * c_row + columns[None, :] * c_column
    tl.store(to, sums.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def copy_tiles(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """By descriptors of tensors, from Triton 3.4 on."""
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * COLUMNS
    target.store([row, column], source.load([row, column]))


@triton.jit
def wrong(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), nothing_of_this_name)  # noqa: F821
