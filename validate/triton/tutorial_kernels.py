"""Kernels in Triton, with the structure and the tile shapes of Triton's tutorials: product, softmax, layer normalisation and
attention, forward and backward. SPDX-License-Identifier: MIT"""
# pylint: disable=too-many-arguments,too-many-positional-arguments,too-many-locals,invalid-name
import triton
import triton.language as tl


@triton.jit
def k_matmul(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
             ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    """C = A B, a tile per program; GROUP tiles below each other run one after the other, so that they share columns of B."""
    program = tl.program_id(0)
    down = tl.cdiv(M, ROWS)
    across = tl.cdiv(N, COLUMNS)
    in_group = GROUP * across
    first = program // in_group * GROUP
    height = min(down - first, GROUP)
    row = first + program % in_group % height
    column = program % in_group // height
    tl.assume(row >= 0)
    tl.assume(column >= 0)
    tl.assume(a_row > 0)
    tl.assume(a_column > 0)
    tl.assume(b_row > 0)
    tl.assume(b_column > 0)
    tl.assume(c_row > 0)
    tl.assume(c_column > 0)

    rows = (row * ROWS + tl.arange(0, ROWS)) % M
    columns = (column * COLUMNS + tl.arange(0, COLUMNS)) % N
    depth = tl.arange(0, DEPTH)
    from_a = a + (rows[:, None] * a_row + depth[None, :] * a_column)
    from_b = b + (depth[:, None] * b_row + columns[None, :] * b_column)
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, DEPTH)):
        left = tl.load(from_a, mask=depth[None, :] < K - step * DEPTH, other=0.0)
        right = tl.load(from_b, mask=depth[:, None] < K - step * DEPTH, other=0.0)
        sums = tl.dot(left, right, sums)
        from_a += DEPTH * a_column
        from_b += DEPTH * b_row
    rows = row * ROWS + tl.arange(0, ROWS)
    columns = column * COLUMNS + tl.arange(0, COLUMNS)
    to = c + c_row * rows[:, None] + c_column * columns[None, :]
    tl.store(to, sums.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def k_softmax(out, x, x_row, out_row, height, width, WIDTH: tl.constexpr, STAGES: tl.constexpr):
    """Rows whose number is this program's, modulo the number of programs."""
    columns = tl.arange(0, WIDTH)
    inside = columns < width
    for row in tl.range(tl.program_id(0), height, tl.num_programs(0), num_stages=STAGES):
        values = tl.load(x + row * x_row + columns, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_row + columns, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def k_layer_norm(x, y, weight, bias, means, rates, x_row, width, eps, WIDTH: tl.constexpr):
    """A row per program, read three times: mean, variance, result."""
    row = tl.program_id(0)
    y += row * x_row
    x += row * x_row
    sums = tl.zeros([WIDTH], dtype=tl.float32)
    for first in range(0, width, WIDTH):
        columns = first + tl.arange(0, WIDTH)
        sums += tl.load(x + columns, mask=columns < width, other=0.).to(tl.float32)
    mean = tl.sum(sums, axis=0) / width
    squares = tl.zeros([WIDTH], dtype=tl.float32)
    for first in range(0, width, WIDTH):
        columns = first + tl.arange(0, WIDTH)
        values = tl.load(x + columns, mask=columns < width, other=0.).to(tl.float32)
        values = tl.where(columns < width, values - mean, 0.)
        squares += values * values
    rate = 1 / tl.sqrt(tl.sum(squares, axis=0) / width + eps)
    tl.store(means + row, mean)
    tl.store(rates + row, rate)
    for first in range(0, width, WIDTH):
        columns = first + tl.arange(0, WIDTH)
        inside = columns < width
        w = tl.load(weight + columns, mask=inside)
        b = tl.load(bias + columns, mask=inside)
        values = tl.load(x + columns, mask=inside, other=0.).to(tl.float32)
        tl.store(y + columns, (values - mean) * rate * w + b, mask=inside)


@triton.jit
def k_layer_norm_rows(d_x, d_y, d_weight, d_bias, x, weight, means, rates, locks, x_row, width,
                      GROUPS: tl.constexpr, WIDTH: tl.constexpr):
    """Derivative by a row. Sums of weights and biases go to one of GROUPS rows, under a lock."""
    row = tl.program_id(0)
    columns = tl.arange(0, WIDTH)
    inside = columns < width
    x += row * x_row
    d_y += row * x_row
    d_x += row * x_row
    group = row % GROUPS
    locks += group
    counts = locks + GROUPS
    d_weight = d_weight + group * width + columns
    d_bias = d_bias + group * width + columns
    values = tl.load(x + columns, mask=inside, other=0).to(tl.float32)
    slopes = tl.load(d_y + columns, mask=inside, other=0).to(tl.float32)
    w = tl.load(weight + columns, mask=inside).to(tl.float32)
    mean = tl.load(means + row)
    rate = tl.load(rates + row)
    normal = tl.where(inside, (values - mean) * rate, 0.)
    weighted = tl.where(inside, w * slopes, 0.)
    along = tl.sum(normal * weighted, axis=0) / width
    level = tl.sum(weighted, axis=0) / width
    tl.store(d_x + columns, (weighted - (normal * along + level)) * rate, mask=inside)
    part_weight = (slopes * normal).to(w.dtype)
    part_bias = slopes.to(w.dtype)
    while tl.atomic_cas(locks, 0, 1) == 1:
        pass
    if tl.load(counts) == 0:
        tl.atomic_xchg(counts, 1)
    else:
        part_weight += tl.load(d_weight, mask=inside)
        part_bias += tl.load(d_bias, mask=inside)
    tl.store(d_weight, part_weight, mask=inside)
    tl.store(d_bias, part_bias, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(locks, 0)


@triton.jit
def k_layer_norm_sums(d_weight, d_bias, sum_weight, sum_bias, height, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Sums over the rows that k_layer_norm_rows wrote."""
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    weights = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    biases = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for first in range(0, height, ROWS):
        rows = first + tl.arange(0, ROWS)
        inside = (rows[:, None] < height) & (columns[None, :] < width)
        at = rows[:, None] * width + columns[None, :]
        weights += tl.load(d_weight + at, mask=inside, other=0.)
        biases += tl.load(d_bias + at, mask=inside, other=0.)
    tl.store(sum_weight + columns, tl.sum(weights, axis=0), mask=columns < width)
    tl.store(sum_bias + columns, tl.sum(biases, axis=0), mask=columns < width)


@triton.jit
def attend(sums, total, most, q, keys, values, head, first, scale, rows, columns,
           ROWS: tl.constexpr, COLUMNS: tl.constexpr, PART: tl.constexpr, LENGTH: tl.constexpr):
    """Keys and values of one part: 1: those before the queries, 2: those beside them, 3: all."""
    if PART == 1:
        begin, end = 0, first * ROWS
    elif PART == 2:
        begin, end = first * ROWS, (first + 1) * ROWS
        begin = tl.multiple_of(begin, ROWS)
    else:
        begin, end = 0, LENGTH
    at = head + begin
    for key in tl.range(begin, end, COLUMNS):
        key = tl.multiple_of(key, COLUMNS)
        k = keys.load([at, 0]).T
        scores = tl.dot(q, k)
        if PART == 2:
            scores = scores * scale + tl.where(rows[:, None] >= (key + columns[None, :]), 0, -1.0e6)
            larger = tl.maximum(most, tl.max(scores, 1))
            scores -= larger[:, None]
        else:
            larger = tl.maximum(most, tl.max(scores, 1) * scale)
            scores = scores * scale - larger[:, None]
        weights = tl.math.exp2(scores)
        shrink = tl.math.exp2(most - larger)
        added = tl.sum(weights, 1)
        sums = sums * shrink[:, None]
        v = values.load([at, 0])
        sums = tl.dot(weights.to(tl.float16), v, sums)
        total = total * shrink + added
        most = larger
        at += COLUMNS
    return sums, total, most


@triton.jit
def k_attention(scale, logs, batch, heads, queries, keys, values, out, LENGTH,
                WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr):
    """ROWS queries per program; arrays are tensor descriptors of all heads' rows."""
    tl.static_assert(COLUMNS <= WIDTH)
    first = tl.program_id(0)
    at_head = tl.program_id(1)
    head = at_head // heads * (LENGTH * heads) + at_head % heads * LENGTH
    rows = first * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, COLUMNS)
    most = tl.zeros([ROWS], dtype=tl.float32) - float("inf")
    total = tl.zeros([ROWS], dtype=tl.float32) + 1.0
    sums = tl.zeros([ROWS, WIDTH], dtype=tl.float32)
    scale *= 1.44269504  # powers of two are computed
    q = queries.load([head + first * ROWS, 0])
    if CAUSAL:
        sums, total, most = attend(sums, total, most, q, keys, values, head, first, scale, rows, columns, ROWS, COLUMNS, 1, LENGTH)
        sums, total, most = attend(sums, total, most, q, keys, values, head, first, scale, rows, columns, ROWS, COLUMNS, 2, LENGTH)
    else:
        sums, total, most = attend(sums, total, most, q, keys, values, head, first, scale, rows, columns, ROWS, COLUMNS, 3, LENGTH)
    most += tl.math.log2(total)
    sums = sums / total[:, None]
    tl.store(logs + at_head * LENGTH + rows, most)
    out.store([head + first * ROWS, 0], sums.to(tl.float16))


@triton.jit
def k_attention_delta(out, d_out, delta, batch, heads, LENGTH, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    """Sums of out * d_out over rows."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    head = tl.program_id(1)
    columns = tl.arange(0, WIDTH)
    o = tl.load(out + head * WIDTH * LENGTH + rows[:, None] * WIDTH + columns[None, :])
    d = tl.load(d_out + head * WIDTH * LENGTH + rows[:, None] * WIDTH + columns[None, :]).to(tl.float32)
    tl.store(delta + head * LENGTH + rows, tl.sum(o * d, axis=1))


@triton.jit
def by_keys(d_k, d_v, queries, k, v, d_out, logs, delta, row, column, first_key, first, steps,
            ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, MASK: tl.constexpr):
    """Adds what `steps` tiles of queries add to the derivatives by keys and values."""
    rows = first + tl.arange(0, ROWS)
    keys = first_key + tl.arange(0, KEYS)
    columns = tl.arange(0, WIDTH)
    from_q = queries + rows[None, :] * row + columns[:, None] * column
    from_d = d_out + rows[:, None] * row + columns[None, :] * column
    tl.static_assert(KEYS % ROWS == 0)
    now = first
    for _ in range(steps):
        turned = tl.load(from_q)
        rows = now + tl.arange(0, ROWS)
        log = tl.load(logs + rows)
        weights = tl.math.exp2(tl.dot(k, turned) - log[None, :])
        if MASK:
            weights = tl.where(rows[None, :] >= keys[:, None], weights, 0.0)
        d = tl.load(from_d)
        d_v += tl.dot(weights.to(tl.float16), d)
        less = tl.load(delta + rows)
        slopes = tl.dot(v, tl.trans(d)).to(tl.float32)
        slopes = (weights * (slopes - less[None, :])).to(tl.float16)
        d_k += tl.dot(slopes, tl.trans(turned))
        now += ROWS
        from_q += ROWS * row
        from_d += ROWS * row
    return d_k, d_v


@triton.jit
def by_queries(d_q, q, keys, values, d, log, delta, row, column, first_query, first, steps,
               ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, MASK: tl.constexpr):
    """Adds what `steps` tiles of keys add to the derivative by queries."""
    rows = first_query + tl.arange(0, ROWS)
    at = first + tl.arange(0, KEYS)
    columns = tl.arange(0, WIDTH)
    from_k = keys + at[None, :] * row + columns[:, None] * column
    from_v = values + at[None, :] * row + columns[:, None] * column
    less = tl.load(delta + rows)
    tl.static_assert(ROWS % KEYS == 0)
    now = first
    for _ in range(steps):
        k = tl.load(from_k)
        v = tl.load(from_v)
        weights = tl.math.exp2(tl.dot(q, k) - log)
        if MASK:
            at = now + tl.arange(0, KEYS)
            weights = tl.where(rows[:, None] >= at[None, :], weights, 0.0)
        slopes = tl.dot(d, v).to(tl.float32)
        slopes = (weights * (slopes - less[:, None])).to(tl.float16)
        d_q += tl.dot(slopes, tl.trans(k))
        now += KEYS
        from_k += KEYS * row
        from_v += KEYS * row
    return d_q


@triton.jit
def k_attention_backward(queries, keys, values, scale, d_out, d_queries, d_keys, d_values, logs, delta,
                         batch_step, head_step, row, column, heads, LENGTH,
                         ROWS1: tl.constexpr, KEYS1: tl.constexpr, ROWS2: tl.constexpr, KEYS2: tl.constexpr,
                         SLICES: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr):
    """KEYS1 keys and values, then ROWS2 queries of the same number. Keys come multiplied by the scale and 1 / ln 2."""
    at_head = tl.program_id(2)
    program = tl.program_id(0)
    jump = (head_step * (at_head % heads) + batch_step * (at_head // heads)).to(tl.int64)
    queries += jump
    keys += jump
    values += jump
    d_out += jump
    d_queries += jump
    d_keys += jump
    d_values += jump
    logs += (at_head * LENGTH).to(tl.int64)
    delta += (at_head * LENGTH).to(tl.int64)
    columns = tl.arange(0, WIDTH)

    key = program * KEYS1
    first = 0
    narrow: tl.constexpr = ROWS1 // SLICES
    at = key + tl.arange(0, KEYS1)
    d_v = tl.zeros([KEYS1, WIDTH], dtype=tl.float32)
    d_k = tl.zeros([KEYS1, WIDTH], dtype=tl.float32)
    k = tl.load(keys + at[:, None] * row + columns[None, :] * column)
    v = tl.load(values + at[:, None] * row + columns[None, :] * column)
    if CAUSAL:
        first = key
        steps = KEYS1 // narrow
        d_k, d_v = by_keys(d_k, d_v, queries, k, v, d_out, logs, delta, row, column, key, first, steps, narrow, KEYS1, WIDTH, True)
        first += steps * narrow
    steps = (LENGTH - first) // ROWS1
    d_k, d_v = by_keys(d_k, d_v, queries, k, v, d_out, logs, delta, row, column, key, first, steps, ROWS1, KEYS1, WIDTH, False)
    tl.store(d_values + at[:, None] * row + columns[None, :] * column, d_v)
    d_k *= scale
    tl.store(d_keys + at[:, None] * row + columns[None, :] * column, d_k)

    query = program * ROWS2
    first = 0
    steps = LENGTH // KEYS2
    thin: tl.constexpr = KEYS2 // SLICES
    at = query + tl.arange(0, ROWS2)
    q = tl.load(queries + at[:, None] * row + columns[None, :] * column)
    d_q = tl.zeros([ROWS2, WIDTH], dtype=tl.float32)
    d = tl.load(d_out + at[:, None] * row + columns[None, :] * column)
    log = tl.load(logs + at)[:, None]
    if CAUSAL:
        end = query + ROWS2
        steps = ROWS2 // thin
        d_q = by_queries(d_q, q, keys, values, d, log, delta, row, column, query, end - steps * thin, steps, ROWS2, thin, WIDTH, True)
        end -= steps * thin
        steps = end // KEYS2
        first = end - steps * KEYS2
    d_q = by_queries(d_q, q, keys, values, d, log, delta, row, column, query, first, steps, ROWS2, KEYS2, WIDTH, False)
    d_q *= 0.6931471824645996
    tl.store(d_queries + at[:, None] * row + columns[None, :] * column, d_q)
