"""Generate, rank, choose, emit, without a GPU: python3 stencil_workflow.py [DEVICE [FOLDER]].

Kernels of pystencils and lbmpy (1 or 2): a star that reaches four cells, and steps of a lattice Boltzmann method with two
collision operators and with in-place streaming. Each is ranked over blocks and foldings; the CUDA of the best launch is
written into the folder.
"""
import pathlib
import sys

import lbmpy
import pystencils
import sympy
import warpline.pystencils

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "h200"
FOLDER = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")
GPU = pystencils.Target.CUDA if hasattr(pystencils, "Kernel") else pystencils.Target.GPU  # of pystencils 2, and of 1
SHAPE = (258, 258, 258)  # of the arrays, with ghost layers


def star(reach):
    src, dst = pystencils.fields("src, dst: double[3D]", layout="fzyx")
    cells = [src[tuple(k if d == e else 0 for d in range(3))] for e in range(3) for k in range(-reach, reach + 1) if k]
    total = sympy.Symbol("total")
    return [pystencils.Assignment(total, src.center + sum(cells)), pystencils.Assignment(dst.center, 0.25 * total)]


def lattice(method, **options):
    config = lbmpy.LBMConfig(stencil=lbmpy.Stencil.D3Q15, method=getattr(lbmpy.Method, method), relaxation_rate=1.9, **options)
    return lbmpy.create_lb_update_rule(lbm_config=config, lbm_optimisation=lbmpy.LBMOptimisation(field_layout="fzyx"))


KERNELS = {  # generate
    "star_range_4": star(4),
    "lbm_srt": lattice("SRT"),
    "lbm_trt": lattice("TRT"),
    "lbm_in_place": lattice("SRT", streaming_pattern="aa", timestep=lbmpy.advanced_streaming.Timestep.ODD),
}
for name, assignments in KERNELS.items():
    config = pystencils.CreateKernelConfig(target=GPU, function_name=name)
    kernel = pystencils.create_kernel(assignments, config=config)
    best = warpline.pystencils.best_launch(kernel, DEVICE, shape=SHAPE, registers="nvcc", threads="64..512")  # rank, choose
    (FOLDER / f"{name}.cu").write_text(best.cuda)  # emit
    first = best.ranking.best
    print(f"{name:13} {len(best.ranking)} launches: block {'x'.join(map(str, best.block))}, fold {'x'.join(map(str, best.fold))}, "
          f"{first['registers']} registers: {1e6 * best.time_s:.0f} us, {first['items_per_s'] / 1e9:.1f} GLUP/s, {first['limiter']}")
