"""Kernels in Triton whose configurations are searched: products in bf16, in fp8 and split along their depth, attention,
layer normalisation. SPDX-License-Identifier: MIT"""
# pylint: disable=too-many-arguments,too-many-positional-arguments,too-many-locals,invalid-name
import triton
import triton.language as tl


@triton.jit
def place(program, down, across, GROUP: tl.constexpr):
    """Row and column of a tile; GROUP tiles below each other run one after the other."""
    in_group = GROUP * across
    first = program // in_group * GROUP
    height = tl.minimum(down - first, GROUP)
    return first + program % in_group % height, program % in_group // height


@triton.jit
def matmul(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    """C = A B of rows without gaps. Extents are multiples of the tile's."""
    row, column = place(tl.program_id(0), M // ROWS, N // COLUMNS, GROUP)
    rows = row * ROWS + tl.arange(0, ROWS)
    columns = column * COLUMNS + tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    from_a = a + rows[:, None] * K + depth[None, :]
    from_b = b + depth[:, None] * N + columns[None, :]
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, K, DEPTH):
        sums = tl.dot(tl.load(from_a), tl.load(from_b), sums)
        from_a += DEPTH
        from_b += DEPTH * N
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(c.dtype.element_ty))


@triton.jit
def matmul_turned(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
                  GROUP: tl.constexpr):
    """C = A B', as products of fp8 read them: the depth is contiguous in both."""
    row, column = place(tl.program_id(0), M // ROWS, N // COLUMNS, GROUP)
    rows = row * ROWS + tl.arange(0, ROWS)
    columns = column * COLUMNS + tl.arange(0, COLUMNS)
    depth = tl.arange(0, DEPTH)
    from_a = a + rows[:, None] * K + depth[None, :]
    from_b = b + columns[None, :] * K + depth[:, None]
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, K, DEPTH):
        sums = tl.dot(tl.load(from_a), tl.load(from_b), sums)
        from_a += DEPTH
        from_b += DEPTH
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(c.dtype.element_ty))


@triton.jit
def split_product(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
                  PARTS: tl.constexpr):
    """Adds a part of the depth to C, which other programs add to as well."""
    row, column = place(tl.program_id(0), M // ROWS, N // COLUMNS, 8)
    part = tl.program_id(1)
    rows = row * ROWS + tl.arange(0, ROWS)
    columns = column * COLUMNS + tl.arange(0, COLUMNS)
    depth = part * (K // PARTS) + tl.arange(0, DEPTH)
    from_a = a + rows[:, None] * K + depth[None, :]
    from_b = b + depth[:, None] * N + columns[None, :]
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for _ in range(0, K // PARTS, DEPTH):
        sums = tl.dot(tl.load(from_a), tl.load(from_b), sums)
        from_a += DEPTH
        from_b += DEPTH * N
    tl.atomic_add(c + rows[:, None] * N + columns[None, :], sums, sem="relaxed")


@triton.jit
def attention(q, k, v, out, scale, LENGTH, WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Causal attention of ROWS queries of a head."""
    first = tl.program_id(0) * ROWS
    head = tl.program_id(1).to(tl.int64) * LENGTH * WIDTH
    rows = first + tl.arange(0, ROWS)
    width = tl.arange(0, WIDTH)
    at = head + rows[:, None] * WIDTH + width[None, :]
    queries = tl.load(q + at)
    most = tl.full([ROWS], -float("inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    sums = tl.zeros([ROWS, WIDTH], dtype=tl.float32)
    scale *= 1.44269504  # powers of two are computed
    columns = tl.arange(0, COLUMNS)
    from_k = k + head + columns[None, :] * WIDTH + width[:, None]
    from_v = v + head + columns[:, None] * WIDTH + width[None, :]
    for key in range(0, first + ROWS, COLUMNS):
        scores = tl.dot(queries, tl.load(from_k)) * scale
        scores = tl.where(rows[:, None] >= key + columns[None, :], scores, -float("inf"))
        larger = tl.maximum(most, tl.max(scores, 1))
        weights = tl.math.exp2(scores - larger[:, None])
        shrink = tl.math.exp2(most - larger)
        total = total * shrink + tl.sum(weights, 1)
        sums = tl.dot(weights.to(v.dtype.element_ty), tl.load(from_v), sums * shrink[:, None])
        most = larger
        from_k += COLUMNS * WIDTH
        from_v += COLUMNS * WIDTH
    tl.store(out + at, (sums / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def layer_norm(x, y, weight, bias, height, width, eps, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """ROWS rows per program, read twice, COLUMNS at a time: sums, then the result."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    sums = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    squares = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
    for first in range(0, width, COLUMNS):
        columns = first + tl.arange(0, COLUMNS)
        inside = (rows[:, None] < height) & (columns[None, :] < width)
        values = tl.load(x + rows[:, None] * width + columns[None, :], mask=inside, other=0.0).to(tl.float32)
        sums += values
        squares += values * values
    mean = tl.sum(sums, axis=1) / width
    rate = 1 / tl.sqrt(tl.sum(squares, axis=1) / width - mean * mean + eps)
    for first in range(0, width, COLUMNS):
        columns = first + tl.arange(0, COLUMNS)
        inside = (rows[:, None] < height) & (columns[None, :] < width)
        w = tl.load(weight + columns, mask=columns < width, other=0.0).to(tl.float32)
        b = tl.load(bias + columns, mask=columns < width, other=0.0).to(tl.float32)
        values = tl.load(x + rows[:, None] * width + columns[None, :], mask=inside, other=0.0).to(tl.float32)
        result = (values - mean[:, None]) * rate[:, None] * w[None, :] + b[None, :]
        tl.store(y + rows[:, None] * width + columns[None, :], result.to(y.dtype.element_ty), mask=inside)
