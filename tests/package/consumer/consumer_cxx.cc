// consumer_cxx.cc - the same in C++, with owners and a callback. SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>
#include <warpline/warpline.h>

namespace
{
void must(wl_status status, const wl_error &err)
{
    if (status != WL_OK)
        throw std::runtime_error(err.message);
}

bool count_records(void *user, const wl_ranked *, size_t count)
{
    *static_cast<size_t *>(user) += count;
    return true;
}

int run()
{
    wl_error err{};
    wl_device *device = nullptr;
    wl_kernel *kernel = nullptr;
    wl_space *space = nullptr;
    wl_ranker *ranker = nullptr;
    must(wl_device_builtin("h200", &device, &err), err);
    const std::unique_ptr<wl_device, void (*)(wl_device *)> own_device(device, wl_device_free);
    must(wl_kernel_from_update("dst[0,0] = src[-1,0] + src[1,0]", "4096x4096", "f32", &kernel, &err), err);
    const std::unique_ptr<wl_kernel, void (*)(wl_kernel *)> own_kernel(kernel, wl_kernel_free);
    must(wl_space_new(&space, &err), err);
    const std::unique_ptr<wl_space, void (*)(wl_space *)> own_space(space, wl_space_free);
    must(wl_space_set(space, "threads", "256", &err), err);

    size_t seen = 0;
    wl_rank_options options{};
    options.each = count_records;
    options.user = &seen;
    must(wl_ranker_new(kernel, device, space, &options, &ranker, &err), err);
    const std::unique_ptr<wl_ranker, void (*)(wl_ranker *)> own_ranker(ranker, wl_ranker_free);
    std::vector<wl_ranked> best(1);
    wl_ranking ranking{};
    must(wl_rank(ranker, best.data(), best.size(), &ranking, &err), err);
    wl_launch launch{};
    wl_ranker_launch(ranker, best.at(0).index, &launch);
    std::cout << wl_version() << ": " << launch.block[0] << "x" << launch.block[1] << "\n";
    return seen > 0 && ranking.count == 1 ? 0 : 1;
}
} // namespace

int main()
{
    try {
        return run();
    } catch (const std::exception &e) {
        std::cerr << e.what() << "\n";
        return 1;
    }
}
