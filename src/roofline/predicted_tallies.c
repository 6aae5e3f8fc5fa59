/* predicted_tallies.c - the tallies of rooflines, from a prediction.
 * SPDX-License-Identifier: MIT */

#include "kernel/kernel_internal.h"
#include "metrics/prediction.h"
#include "roofline/limit_words.h"

static void set(wl_tallies *t, wl_tally tally, double value)
{
    t->known[tally] = true;
    t->value[tally] = value;
}

/* The sum of two metrics / `unit`. A prediction does not give loads or stores that the launch does
 * not have. */
static void set_sum(const wl_prediction *p, wl_metric a, wl_metric b, double unit, wl_tally tally, wl_tallies *t)
{
    const wl_value *first = &p->metrics[a], *second = &p->metrics[b];
    if (first->known || second->known)
        set(t, tally, ((first->known ? first->value : 0) + (second->known ? second->value : 0)) / unit);
}

/* By type if instructions were counted; else all flops have the kernel's type, and where results
 * are fewer than flops, multiply-adds are fused. */
static void set_flops(const wl_prediction *p, const wl_kernel *k, wl_tallies *t)
{
    static const wl_tally flops[] = {WL_TALLY_flops_f16, WL_TALLY_flops_f32, WL_TALLY_flops_f64},
                          fused[] = {WL_TALLY_fma_f16, WL_TALLY_fma_f32, WL_TALLY_fma_f64};
    const double total = p->metrics[WL_METRIC_flops].value;
    const wl_type type = k->precision <= WL_TYPE_F64 ? k->precision : WL_TYPE_F32;
    double counted = 0;
    if (!p->metrics[WL_METRIC_flops].known)
        return;
    for (int i = 0; i < WL_FLOAT_COUNT; i++)
        counted += p->mix.flops_of[i];
    for (int i = 0; i < WL_FLOAT_COUNT; i++) {
        const bool own = (int)type == i;
        set(t, flops[i], counted > 0 ? p->mix.flops_of[i] : own ? total : 0);
        set(t, fused[i],
            counted > 0           ? p->mix.fma_of[i]
            : own && k->flops > 0 ? 2 * total * (k->flops - k->fp_results) / k->flops
                                  : 0);
    }
}

static void set_tensor(const wl_prediction *p, wl_tallies *t)
{
    static const wl_tally flops[WL_TENSOR_KIND_COUNT] = {[WL_TENSOR_f16] = WL_TALLY_tensor_f16,
                                                         [WL_TENSOR_tf32] = WL_TALLY_tensor_tf32,
                                                         [WL_TENSOR_i8] = WL_TALLY_tensor_i8,
                                                         [WL_TENSOR_f64] = WL_TALLY_tensor_f64};
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++)
        set(t, flops[k], p->mix.tensor[k]);
    if (p->has_mix)
        set(t, WL_TALLY_inst_tensor, p->mix.warp[WL_INST_tensor]);
}

static void set_instructions(const wl_prediction *p, wl_tallies *t)
{
    if (!p->metrics[WL_METRIC_inst_executed].known)
        return;
    set(t, WL_TALLY_inst, p->metrics[WL_METRIC_inst_executed].value);
    set(t, WL_TALLY_thread_inst, p->metrics[WL_METRIC_thread_inst].value);
    if (p->has_mix && p->mix.thread_on > 0)
        set(t, WL_TALLY_thread_inst_on, p->mix.thread_on);
}

/* The instructions include atomics on shared memory, since the passes do. */
static void set_shared(const wl_prediction *p, wl_tallies *t)
{
    const wl_value *atomics = &p->metrics[WL_METRIC_inst_shared_atomic];
    set(t, WL_TALLY_inst_shared, 0);
    set_sum(p, WL_METRIC_inst_shared_ld, WL_METRIC_inst_shared_st, 1, WL_TALLY_inst_shared, t);
    t->value[WL_TALLY_inst_shared] += atomics->known ? atomics->value : 0;
    set(t, WL_TALLY_shared_transactions, wl_value_part(&p->metrics[WL_METRIC_l1_wavefronts], "shared"));
}

/* Mean bytes per lane of global accesses, weighted by executions. */
static void set_width(const wl_prediction *p, const wl_kernel *k, wl_tallies *t)
{
    double bytes = 0, inst = 0;
    for (size_t f = 0; p->fields && f < k->field_count; f++) {
        double width = 0, count = 0;
        for (size_t a = 0; a < k->access_count; a++)
            if (k->accesses[a].field == f && !k->accesses[a].atomic) {
                width += k->accesses[a].width_bytes;
                count++;
            }
        if (k->fields[f].shared || k->fields[f].reached != WL_BY_LOADS || count == 0)
            continue;
        bytes += p->fields[f].inst * width / count;
        inst += p->fields[f].inst;
    }
    if (inst > 0)
        set(t, WL_TALLY_element_bytes, bytes / inst);
}

static void set_transactions(const wl_prediction *p, const wl_device *device, wl_tallies *t)
{
    double sector = WL_TRANSACTION;
    (void)wl_device_get(device, WL_DEVICE_l1_sector, &sector);
    const double per_sector = WL_TRANSACTION / sector;
    set_sum(p, WL_METRIC_l1_sectors_ld, WL_METRIC_l1_sectors_st, per_sector, WL_TALLY_global_transactions, t);
    if (t->known[WL_TALLY_global_transactions])
        t->value[WL_TALLY_global_transactions] -= p->bulk_sectors / per_sector;
    /* predictions do not give what a launch does not have */
    set(t, WL_TALLY_inst_local, 0);
    set(t, WL_TALLY_local_transactions, 0);
    set(t, WL_TALLY_texture_transactions, 0);
    set_sum(p, WL_METRIC_inst_local_ld, WL_METRIC_inst_local_st, 1, WL_TALLY_inst_local, t);
    set_sum(p, WL_METRIC_l1_sectors_local_ld, WL_METRIC_l1_sectors_local_st, per_sector, WL_TALLY_local_transactions,
            t);
    if (p->metrics[WL_METRIC_texture_sectors].known)
        set(t, WL_TALLY_texture_transactions, p->metrics[WL_METRIC_texture_sectors].value / per_sector);
    set_sum(p, WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes, WL_TRANSACTION, WL_TALLY_l2_transactions, t);
    if (p->metrics[WL_METRIC_dram_load_bytes].known)
        set_sum(p, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes, WL_TRANSACTION, WL_TALLY_dram_transactions,
                t);
}

static void set_limit(const wl_prediction *p, const wl_kernel *k, const wl_device *device, wl_tallies *t)
{
    const wl_limited launch = {p, k, device};
    const wl_explanation e = wl_explanation_of(p);
    t->limit = wl_limit_words(&launch, &e, e.first.bound);
    t->remedy = wl_limit_remedy(&launch, e.first.bound);
    t->limit_share = e.first.share;
}

void wl_tallies_predicted(const wl_prediction *p, const wl_kernel *kernel, const wl_device *device, wl_tallies *t)
{
    /* the kernel at this launch */
    const wl_kernel *k = p->fields && p->kernel ? p->kernel : kernel;
    *t = (wl_tallies){.kernel = wl_kernel_name(k), .launch = ""};
    if (p->model.time_s > 0)
        set(t, WL_TALLY_time, p->model.time_s);
    if (p->model.time_s > 0)
        set_limit(p, k, device, t);
    set_flops(p, k, t);
    set_tensor(p, t);
    set_instructions(p, t);
    set_sum(p, WL_METRIC_inst_global_ld, WL_METRIC_inst_global_st, 1, WL_TALLY_inst_global, t);
    set_shared(p, t);
    set_transactions(p, device, t);
    set_width(p, k, t);
}
