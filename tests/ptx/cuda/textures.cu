/* textures.cu - texture and surface objects. SPDX-License-Identifier: MIT */
__global__ void k_textures(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, float4 *out, int *i)
{
    const float x = threadIdx.x + 0.5f, y = threadIdx.y + 0.5f;
    float4 v = tex1Dfetch<float4>(t1, i[0]);
    const float4 w = tex2D<float4>(t2, x, y), z = tex3D<float4>(t3, x, y, 0.5f);
    const float4 l = tex2DLayered<float4>(t2, x, y, 3), g = tex2Dgather<float4>(t2, x, y, 1);
    const int4 n = tex2DLod<int4>(t2, x, y, 2.0f);
    v.x += w.x + z.y + l.z + g.w + (float)n.x;
    v.y += tex1D<float>(t1, x) + texCubemap<float>(t3, x, y, 1.0f);
    v.z += tex2DGrad<float>(t2, x, y, make_float2(0.1f, 0.2f), make_float2(0.3f, 0.4f));
    out[threadIdx.x] = v;
}

__global__ void k_surfaces(cudaSurfaceObject_t s, cudaSurfaceObject_t s3, float4 *out)
{
    float4 v;
    surf2Dread(&v, s, threadIdx.x * 16, threadIdx.y);
    unsigned char c;
    surf1Dread(&c, s, threadIdx.x, cudaBoundaryModeZero);
    v.x += c;
    surf2Dwrite(v, s, threadIdx.x * 16, threadIdx.y);
    surf3Dwrite(make_uint2(1, 2), s3, threadIdx.x * 8, threadIdx.y, 3, cudaBoundaryModeClamp);
    surf2DLayeredwrite((short)5, s3, threadIdx.x * 2, threadIdx.y, 1);
    out[threadIdx.x] = v;
}
