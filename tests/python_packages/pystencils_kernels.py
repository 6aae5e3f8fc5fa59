"""Kernels of pystencils and lbmpy, for release 1 or 2, whichever is installed. SPDX-License-Identifier: MIT"""
import functools

import pystencils
import sympy
from pystencils import Assignment, fields

NEWER = hasattr(pystencils, "Kernel")
GPU = pystencils.Target.CUDA if NEWER else pystencils.Target.GPU
SHAPE = (136, 70, 40)
PLANE = (1030, 515)


def created(assignments, **config):
    return pystencils.create_kernel(assignments, config=pystencils.CreateKernelConfig(target=GPU, **config))


def star(src, dims, reach):
    """The sum of a cell and of those up to so many cells away along the axes."""
    steps = [k for k in range(-reach, reach + 1) if k != 0]
    return src.center + sum(src[tuple(k if d == e else 0 for d in range(dims))] for e in range(dims) for k in steps)


def star_of_the_paper():
    """share/kernels/star3d_r4.yaml, with its strides: rows of 672 elements, 16 of them before the first cell."""
    of = dict(shape=(672, 520, 520), dtype="float64", layout=(2, 1, 0))
    src, dst = (pystencils.Field.create_fixed_size(name, **of) for name in ("src", "dst"))
    total = sympy.Symbol("total")
    return created([Assignment(total, star(src, 3, 4)), Assignment(dst.center, 0.25 * total)],
                   iteration_slice=pystencils.make_slice[16:656, 4:516, 4:516])


def star_3d(reach, kind="double", layout="fzyx", ghost_layers=None):
    src, dst = fields(f"src, dst: {kind}[3D]", layout=layout)
    total, weight = sympy.Symbol("total"), pystencils.TypedSymbol("weight", "float32" if "32" in kind else "float64")
    return created([Assignment(total, star(src, 3, reach)), Assignment(dst.center, weight * total)],
                   ghost_layers=ghost_layers, **({} if NEWER else {"data_type": kind}))


def box():
    src, dst = fields("src, dst: double[3D]", layout="fzyx")
    cells = [src[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    return created([Assignment(dst.center, sum(cells))])


def heat():
    u, v = fields("u, v: double[2D]", layout="fzyx")
    a, total = sympy.symbols("a total")
    return created([Assignment(total, u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1] - 4 * u.center),
                    Assignment(v.center, u.center + a * total)])


def gradient():
    """A scalar field, and a vector field with an index."""
    phi, grad = fields("phi, grad(3): double[3D]", layout="fzyx")
    return created([Assignment(grad(d), 0.5 * (phi[tuple(int(d == e) for e in range(3))]
                                               - phi[tuple(-int(d == e) for e in range(3))])) for d in range(3)])


def divergence():
    """The index is the fastest dimension."""
    flux, out = fields("flux(3), out: double[3D]", layout="numpy")
    return created([Assignment(out.center, sum(flux[tuple(int(d == e) for e in range(3))](d) - flux(d) for d in range(3)))])


def normalized():
    v, n = fields("v(3), n(3): double[3D]", layout="fzyx")
    length = sympy.Symbol("length")
    return created([Assignment(length, sympy.sqrt(v(0)**2 + v(1)**2 + v(2)**2)),
                    *(Assignment(n(d), v(d) / length) for d in range(3))])


def in_place():
    f, = fields("f: double[3D]", layout="fzyx"),
    return created([Assignment(f.center, 2 * f.center + 1)])


def exchanged():
    """Two fields that are both read and written."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    s, d = sympy.symbols("s d")
    return created([Assignment(s, a.center + b.center), Assignment(d, a.center - b.center), Assignment(a.center, s * d),
                    Assignment(b.center, s / d)])


def loaded_again():
    """A load after a store that may have changed the element: its strides are not known to the compiler."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    return created([Assignment(b[0, 0], a[1, 0] + b[0, 1]), Assignment(a[0, 0], b[0, 1] + b[1, 0] + a[1, 0])],
                   skip_independence_check=True)


def dead():
    """What no store needs is not loaded."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    unused, used = sympy.symbols("unused used")
    return created([Assignment(unused, a[1, 1]), Assignment(used, a[1, 0]), Assignment(b.center, used * used)])


def mixed():
    """A field of f32, and one of f64."""
    a, = fields("a: float32[2D]", layout="fzyx"),
    b, = fields("b: double[2D]", layout="fzyx"),
    if NEWER:
        return created([Assignment(b.center, b.center + pystencils.tcast(a[1, 0], "float64"))])
    return created([Assignment(b.center, b.center + a[1, 0])])


def sliced():
    """The inside of the array only."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    return created([Assignment(b.center, a[0, 1] + a[0, -1])], iteration_slice=pystencils.make_slice[5:-9, 3:-3])


def every_other():
    """A slice with a step."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    return created([Assignment(b.center, a.center + a[1, 0])], iteration_slice=pystencils.make_slice[2:-1:2, 1:-1])


def edge():
    """A condition on cells: what lies beyond it is not loaded."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    x = pystencils.x_ if NEWER else pystencils.astnodes.LoopOverCoordinate.get_loop_counter_symbol(0)
    return created([Assignment(b.center, sympy.Piecewise((a[1, 0], x < 100), (2 * a[0, 1], True)))])


def limited():
    """A condition on data."""
    a, b = fields("a, b: double[2D]", layout="fzyx")
    slope = sympy.Symbol("slope")
    return created([Assignment(slope, a[1, 0] - a.center),
                    Assignment(b.center, sympy.Piecewise((slope, slope > 0), (0.5 * slope, True)))])


@functools.lru_cache(maxsize=None)
def rule(stencil, method, streaming, compressible, options):
    import lbmpy
    optimisation = lbmpy.LBMOptimisation(field_layout="fzyx", symbolic_field=None)
    config = lbmpy.LBMConfig(stencil=getattr(lbmpy.Stencil, stencil), method=getattr(lbmpy.Method, method),
                             relaxation_rate=1.9, compressible=compressible, streaming_pattern=streaming, **dict(options))
    return lbmpy.create_lb_update_rule(lbm_config=config, lbm_optimisation=optimisation)


def lbm(stencil, method, streaming="pull", compressible=False, **options):
    made = rule(stencil, method, streaming, compressible, tuple(options.items()))
    return created(made)


def in_place_streaming(step):
    import lbmpy
    timestep = getattr(lbmpy.advanced_streaming.Timestep, step)
    return lbm("D3Q15", "SRT", "aa", timestep=timestep)


# what makes a kernel, and the extents of its arrays
KERNELS = {
    "star, range 4, of the paper": (star_of_the_paper, None),
    "star, range 1": (lambda: star_3d(1), SHAPE),
    "star, range 2, f32": (lambda: star_3d(2, "float32"), SHAPE),
    "star, range 1, of C order": (lambda: star_3d(1, layout="numpy"), SHAPE),
    "star, range 1, 3 ghost layers": (lambda: star_3d(1, ghost_layers=3), SHAPE),
    "box": (box, SHAPE),
    "heat": (heat, PLANE),
    "gradient": (gradient, SHAPE),
    "divergence of C order": (divergence, SHAPE),
    "normalized": (normalized, SHAPE),
    "in place": (in_place, SHAPE),
    "exchanged": (exchanged, PLANE),
    "loaded again": (loaded_again, PLANE),
    "dead": (dead, PLANE),
    "mixed": (mixed, PLANE),
    "sliced": (sliced, PLANE),
    "every other": (every_other, PLANE),
    "edge": (edge, PLANE),
    "limited": (limited, PLANE),
    "D2Q9, SRT": (lambda: lbm("D2Q9", "SRT"), PLANE),
    "D3Q15, SRT": (lambda: lbm("D3Q15", "SRT"), SHAPE),
    "D2Q9, central moments": (lambda: lbm("D2Q9", "CENTRAL_MOMENT", compressible=True), PLANE),
    "D3Q15, TRT": (lambda: lbm("D3Q15", "TRT"), SHAPE),
    "D3Q27, cumulants": (lambda: lbm("D3Q27", "CUMULANT", compressible=True), SHAPE),
    "D3Q15, in place, even": (lambda: in_place_streaming("EVEN"), SHAPE),
    "D3Q15, in place, odd": (lambda: in_place_streaming("ODD"), SHAPE),
}
