// Kernels that read through textures and read and write surfaces: which sectors a warp asks for tells how arrays are laid out.
#include <cstdarg>
#include "harness.h"

// --- textures on linear memory -------------------------------------------------------------------------------------------
__global__ void k_tex1d(cudaTextureObject_t a, float *__restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = tex1Dfetch<float>(a, i) + tex1Dfetch<float>(a, (i + 1) % n);
}
// Every third element: sectors that are touched in part.
__global__ void k_tex1d_stride(cudaTextureObject_t a, float *__restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = tex1Dfetch<float>(a, 3 * i);
}

// --- 2D and 3D -----------------------------------------------------------------------------------------------------------
// One fetch per thread. dx, dy: where in the texel; off its centre a linear filter reads four of them.
__device__ float sum(float v) { return v; }
__device__ float sum(unsigned char v) { return v; }
__device__ float sum(float2 v) { return v.x + v.y; }
__device__ float sum(uchar4 v) { return v.x + v.y + v.z + v.w; }
__device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }
template <class T> __global__ void k_tex2d_copy(cudaTextureObject_t a, float *__restrict__ o, int w, int h, float dx, float dy) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
  o[y * w + x] = sum(tex2D<T>(a, x + dx, y + dy));
}
// Coordinates from 0 to 1.
__global__ void k_tex2d_normal(cudaTextureObject_t a, float *__restrict__ o, int w, int h, float sx, float sy, float tx, float ty) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
  o[y * w + x] = tex2D<float>(a, x * sx + tx, y * sy + ty);
}
__global__ void k_tex2d(cudaTextureObject_t a, float *__restrict__ o, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
  float s = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s += tex2D<float>(a, x + i + .5f, y + j + .5f); o[y * w + x] = s;
}
__global__ void k_tex3d(cudaTextureObject_t a, float *__restrict__ o, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= w || y >= h || z >= d) return;
  float u = x + .5f, v = y + .5f, t = z + .5f;
  o[((size_t)z * h + y) * w + x] = tex3D<float>(a, u, v, t) + tex3D<float>(a, u - 1, v, t) + tex3D<float>(a, u + 1, v, t) + tex3D<float>(a, u, v - 1, t) +
    tex3D<float>(a, u, v + 1, t) + tex3D<float>(a, u, v, t - 1) + tex3D<float>(a, u, v, t + 1);
}

// --- surfaces ------------------------------------------------------------------------------------------------------------
template <class T> __global__ void k_surface(cudaSurfaceObject_t a, cudaSurfaceObject_t b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
  T v; surf2Dread(&v, a, x * (int)sizeof(T), y); surf2Dwrite(v, b, x * (int)sizeof(T), y);
}
__global__ void k_surface_from(const float *__restrict__ a, cudaSurfaceObject_t b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return;
  surf2Dwrite(a[y * w + x], b, x * 4, y);
}

static std::vector<Config> cs;
static void add(std::string fam, std::string var, std::string params, dim3 g, dim3 b, double work, const void *f, std::function<void()> l) { cs.push_back({fam, var, params, g, b, work, f, 0, l}); }
static std::string P(const char *fmt, ...) { char s[200]; va_list a; va_start(a, fmt); vsnprintf(s, sizeof s, fmt, a); va_end(a); return s; }
static dim3 cover(dim3 b, int w, int h = 1, int d = 1) { return dim3(up(w, b.x), up(h, b.y), up(d, b.z)); }

template <class T> static cudaArray_t array_of(int w, int h, int d, unsigned flags = 0) {
  cudaArray_t a; cudaChannelFormatDesc f = cudaCreateChannelDesc<T>(); CHECK(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, d), flags));
  T *fill; size_t n = (size_t)w * h * (d ? d : 1); CHECK(cudaMalloc(&fill, n * sizeof(T))); CHECK(cudaMemset(fill, 63, n * sizeof(T)));
  cudaMemcpy3DParms p = {}; p.srcPtr = make_cudaPitchedPtr(fill, w * sizeof(T), w, h); p.dstArray = a; p.extent = make_cudaExtent(w, h, d ? d : 1);
  p.kind = cudaMemcpyDeviceToDevice; CHECK(cudaMemcpy3D(&p)); CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(fill)); return a;
}
static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized) {
  cudaTextureDesc t = {}; for (auto &m : t.addressMode) m = mode;
  t.filterMode = filter; t.readMode = cudaReadModeElementType; t.normalizedCoords = normalized;
  cudaTextureObject_t o; CHECK(cudaCreateTextureObject(&o, &r, &t, nullptr)); return o;
}
static cudaResourceDesc of_array(cudaArray_t a) { cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; return r; }
static cudaTextureObject_t point(cudaArray_t a) { return texture(of_array(a), cudaFilterModePoint, cudaAddressModeClamp, false); }
static cudaTextureObject_t linear(cudaArray_t a) { return texture(of_array(a), cudaFilterModeLinear, cudaAddressModeClamp, false); }
static cudaSurfaceObject_t surface(cudaArray_t a) { cudaResourceDesc r = of_array(a); cudaSurfaceObject_t s; CHECK(cudaCreateSurfaceObject(&s, &r)); return s; }

static void one_dimensional(float *f, float *o) {
  for (int n : {1 << 24, 5000001}) { cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = f; r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = (size_t)n * 4;
    cudaTextureObject_t t = texture(r, cudaFilterModePoint, cudaAddressModeClamp, false); dim3 b(256), g = cover(b, n), g3 = cover(b, n / 3);
    add("tex1d", "pair", P("n=%d", n), g, b, n, (const void *)k_tex1d, [=] { k_tex1d<<<g, b>>>(t, o, n); });
    add("tex1d", "stride3", P("n=%d;length=%d", n / 3, n), g3, b, n / 3, (const void *)k_tex1d_stride, [=] { k_tex1d_stride<<<g3, b>>>(t, o, n / 3); }); }
}
template <class T> static void copies(const char *type, std::initializer_list<dim3> blocks, int w, int h, float *o) {
  cudaTextureObject_t t = point(array_of<T>(w, h, 0));
  for (dim3 b : blocks) { dim3 g = cover(b, w, h); auto k = k_tex2d_copy<T>; add("tex2d_copy", P("point_%s", type), P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k, [=] { k<<<g, b>>>(t, o, w, h, .5f, .5f); }); }
}
static void filtered(float *f, float *o) {
  int w = 2048, h = 2048; dim3 b(16, 16), g = cover(b, w, h); auto k = k_tex2d_copy<float>; cudaArray_t a = array_of<float>(w, h, 0); cudaTextureObject_t t = linear(a);
  struct { const char *name; float dx, dy; } places[] = {{"linear_centre", .5f, .5f}, {"linear_right", .75f, .5f}, {"linear_corner", 1.f, 1.f}};
  for (auto &p : places) { float dx = p.dx, dy = p.dy; add("tex2d_copy", p.name, P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k, [=] { k<<<g, b>>>(t, o, w, h, dx, dy); }); }
  cudaTextureObject_t wrapped = texture(of_array(a), cudaFilterModePoint, cudaAddressModeWrap, true); float s = 1.f / 2048, c = .5f / 2048 + .25f;
  add("tex2d_normal", "wrap", P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k_tex2d_normal, [=] { k_tex2d_normal<<<g, b>>>(wrapped, o, w, h, s, s, c, c); });
  cudaResourceDesc r = {}; r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = f; r.res.pitch2D.desc = cudaCreateChannelDesc<float>(); r.res.pitch2D.width = w; r.res.pitch2D.height = h; r.res.pitch2D.pitchInBytes = (size_t)w * 4;
  cudaTextureObject_t rows = texture(r, cudaFilterModePoint, cudaAddressModeClamp, false);
  add("tex2d_copy", "pitch_f32", P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k, [=] { k<<<g, b>>>(rows, o, w, h, .5f, .5f); });
}
static void stencils(float *o) {
  struct { int w, h; dim3 b; } planes[] = {{2048, 2048, {16, 16}}, {2048, 2048, {32, 8}}, {1999, 1501, {32, 8}}, {5000, 5000, {16, 16}}, {5000, 5000, {128, 2}}};
  for (auto &p : planes) { int w = p.w, h = p.h; dim3 b = p.b, g = cover(b, w, h); cudaTextureObject_t t = point(array_of<float>(w, h, 0));
    add("tex2d", "point3x3", P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k_tex2d, [=] { k_tex2d<<<g, b>>>(t, o, w, h); }); }
  int w = 2048, h = 2048; dim3 b(16, 16), g = cover(b, w, h); cudaTextureObject_t t = linear(array_of<float>(w, h, 0));
  add("tex2d", "linear3x3", P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k_tex2d, [=] { k_tex2d<<<g, b>>>(t, o, w, h); });
  struct { int w, h, d; dim3 b; } boxes[] = {{256, 256, 256, {32, 8, 1}}, {256, 256, 256, {8, 8, 8}}, {201, 150, 99, {16, 4, 4}}};
  for (auto &p : boxes) { int w = p.w, h = p.h, d = p.d; dim3 b = p.b, g = cover(b, w, h, d); cudaTextureObject_t t = point(array_of<float>(w, h, d));
    add("tex3d", "point7", P("w=%d;h=%d;d=%d", w, h, d), g, b, (double)w * h * d, (const void *)k_tex3d, [=] { k_tex3d<<<g, b>>>(t, o, w, h, d); }); }
}
template <class T> static void surface_copies(const char *type, std::initializer_list<dim3> blocks, int w, int h) {
  cudaSurfaceObject_t s = surface(array_of<T>(w, h, 0, cudaArraySurfaceLoadStore)), d = surface(array_of<T>(w, h, 0, cudaArraySurfaceLoadStore));
  for (dim3 b : blocks) { dim3 g = cover(b, w, h); auto k = k_surface<T>; add("surface", type, P("w=%d;h=%d", w, h), g, b, (double)w * h, (const void *)k, [=] { k<<<g, b>>>(s, d, w, h); }); }
}
int main(int argc, char **argv) {
  size_t n = (size_t)1 << 25; float *f = device_array<float>(n), *o = device_array<float>(n);
  one_dimensional(f, o);
  copies<float>("f32", {{32, 8}, {16, 16}, {8, 32}, {4, 64}, {2, 128}, {1, 256}}, 2048, 2048, o); copies<uchar4>("u8x4", {{16, 16}}, 2048, 2048, o);
  copies<float2>("f32x2", {{16, 16}}, 2048, 2048, o); copies<float4>("f32x4", {{16, 16}, {8, 32}}, 2048, 2048, o); copies<unsigned char>("u8", {{32, 8}, {16, 16}}, 4096, 4096, o);
  filtered(f, o); stencils(o);
  surface_copies<float>("f32", {{32, 8}, {16, 16}, {8, 32}}, 2048, 2048); surface_copies<float>("f32", {{32, 8}}, 1999, 1501); surface_copies<float4>("f32x4", {{16, 16}}, 2048, 2048);
  cudaSurfaceObject_t s = surface(array_of<float>(2048, 2048, 0, cudaArraySurfaceLoadStore)); dim3 b(32, 8), g = cover(b, 2048, 2048);
  add("surface_from", "f32", P("w=%d;h=%d", 2048, 2048), g, b, 2048. * 2048, (const void *)k_surface_from, [=] { k_surface_from<<<g, b>>>(f, s, 2048, 2048); });
  return run(argc, argv, cs);
}
