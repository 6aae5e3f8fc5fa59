// Times of kernels that something slows down, and of the same work without it: what `advise` promises, measured.
// Ten launches in a row, median of 25. Prints rows of validate/probes/h200_causes.csv.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include "../../tests/ptx/cuda/slow.cu"
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e)); exit(1); } } while (0)
template <class F> static void timed(const char *name, F launch)
{
    cudaEvent_t a, b; CHECK(cudaEventCreate(&a)); CHECK(cudaEventCreate(&b));
    for (int i = 0; i < 5; i++) launch();
    std::vector<float> t;
    for (int i = 0; i < 25; i++) {
        CHECK(cudaEventRecord(a)); for (int k = 0; k < 10; k++) launch(); CHECK(cudaEventRecord(b)); CHECK(cudaEventSynchronize(b));
        float ms; CHECK(cudaEventElapsedTime(&ms, a, b)); t.push_back(ms * 100);
    }
    CHECK(cudaGetLastError());
    std::sort(t.begin(), t.end());
    printf("%s,%.2f\n", name, t[t.size() / 2]);
}
int main()
{
    printf("kernel,us\n");
    char *x, *y, *z; const size_t M = 1 << 20;
    CHECK(cudaMalloc(&x, 272 * M)); CHECK(cudaMalloc(&y, 256 * M)); CHECK(cudaMalloc(&z, 4096));
    std::vector<unsigned char> r(64 * M); for (auto &v : r) v = (unsigned char)(rand() >> 8);
    CHECK(cudaMemset(x, 0, 272 * M)); CHECK(cudaMemcpy(x, r.data(), r.size(), cudaMemcpyHostToDevice)); CHECK(cudaMemset(z, 0, 4096));
    float *fx = (float *)x, *fy = (float *)y, *fz = (float *)z; auto *ux = (unsigned char *)x;
    timed("array_of_structs", [&] { array_of_structs<<<65536, 256>>>((particle *)x, fy); });
    timed("struct_of_arrays", [&] { struct_of_arrays<<<65536, 256>>>(fx, fy); });
    dim3 b(32, 8);
    timed("columns", [&] { columns<<<dim3(128, 512), b>>>(fx, fy, 4096); });
    timed("turn_conflicts", [&] { turn_conflicts<<<dim3(128, 128), b>>>(fx, fy, 4096); });
    timed("turn_padded", [&] { turn_padded<<<dim3(128, 128), b>>>(fx, fy, 4096); });
    timed("iterate 0", [&] { iterate<<<4096, 256>>>(fy, 0); });
    timed("iterate 1", [&] { iterate<<<4096, 256>>>(fy, 1); });
    timed("histogram_of_thread", [&] { histogram_of_thread<<<512, 256>>>(ux, (int *)y, 100); });
    timed("look_up 512", [&] { look_up<<<512, 256>>>(ux, fz, fy); });
    timed("look_up_staged 512", [&] { look_up_staged<<<512, 256>>>(ux, fz, fy); });
    timed("filter", [&] { filter<<<16384, 256>>>(fx, fz, fy); });
    timed("filter_constant", [&] { filter_constant<<<16384, 256>>>(fx, fy); });
    timed("four_loads", [&] { four_loads<<<16384, 256>>>(fx, fy); });
    timed("one_load", [&] { one_load<<<16384, 256>>>((float4 *)x, fy); });
}
