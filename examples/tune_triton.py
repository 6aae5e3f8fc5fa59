"""Ranks configurations of a matrix product in Triton, without a GPU: python3 tune_triton.py [DEVICE]. Needs Triton."""
import itertools
import sys

import triton
import triton.language as tl
import warpline.triton

CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": 64}, num_warps=warps, num_stages=stages)
           for m, n, warps, stages in itertools.product((64, 128), (64, 128, 256), (4, 8), (3, 5))]
DEVICE = sys.argv[1] if len(sys.argv) > 1 else "h200"


@warpline.triton.autotune(CONFIGS, key=["M", "N", "K"], device=DEVICE)  # instead of @triton.autotune(CONFIGS, key=[..])
@triton.jit
def matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    depth = tl.arange(0, BLOCK_K)
    from_a = a + rows[:, None] * K + depth[None, :]
    from_b = b + depth[:, None] * N + columns[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        sums = tl.dot(tl.load(from_a), tl.load(from_b), sums)
        from_a += BLOCK_K
        from_b += BLOCK_K * N
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16))


n = 4096
matrix = warpline.triton.Tensor((n, n), "f16")  # or torch.empty(n, n, dtype=torch.float16, device="meta")
matmul[lambda meta: (n // meta["BLOCK_M"], n // meta["BLOCK_N"])](matrix, matrix, matrix, n, n, n)
for config, time_s, prediction in matmul.ranking[:5]:
    print(f"{1e6 * time_s:7.1f} us  {prediction['model']['limiter']:8}  {config}")
for config, reason in matmul.ranking.left_out:
    print(f"left out: {config}: {reason}")
