// advice.h - times of the pairs of kernels of advice.cu and advice_more.cu:
// medians of 25 times of ten launches in a row. SPDX-License-Identifier: MIT
#pragma once
#include "cuda_check.h"
#include <algorithm>
#include <vector>

template <class F> static void timed(const char *name, F launch)
{
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    for (int i = 0; i < 5; i++)
        launch();
    std::vector<float> t;
    for (int i = 0; i < 25; i++) {
        float ms;
        CHECK(cudaEventRecord(a));
        for (int k = 0; k < 10; k++)
            launch();
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        CHECK(cudaEventElapsedTime(&ms, a, b));
        t.push_back(ms * 100);
    }
    CHECK(cudaGetLastError());
    std::sort(t.begin(), t.end());
    printf("%s,%.2f\n", name, t[t.size() / 2]);
    fflush(stdout);
}
