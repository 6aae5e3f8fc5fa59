/* shares.c - see shares.h. SPDX-License-Identifier: MIT */
#include "metrics/shares.h"

#include <string.h>

void wl_field_shares(const wl_costs *p, const wl_volumes *v, wl_share *shares)
{
    memset(shares, 0, p->kernel->field_count * sizeof *shares);
    for (size_t a = 0; a < p->kernel->access_count; a++) {
        wl_share *s = &shares[p->kernel->accesses[a].field];
        s->inst += p->access[a].inst;
        s->l1_sectors += p->access[a].sectors;
        s->l1_wavefronts += wl_access_wavefronts(p, a);
    }
    for (size_t f = 0; f < p->kernel->field_count; f++) {
        wl_share *s = &shares[f];
        const wl_volume *vol = &v->fields[f];
        s->l2_load_bytes = vol->l2_compulsory + vol->l2_capacity;
        s->l2_store_bytes = vol->l2_store;
        s->dram_load_bytes = wl_volume_dram_loads(vol);
        s->dram_store_bytes = vol->dram_store;
    }
}

size_t wl_fields_replayed(const wl_kernel *kernel, const wl_volumes *v, bool *replayed)
{
    size_t count = 0;
    for (size_t f = 0; f < kernel->field_count; f++) {
        replayed[f] = v->fields[f].replayed && v->fields[f].l2_compulsory + v->fields[f].l2_capacity > 0;
        count += replayed[f];
    }
    return count;
}

void wl_access_shares(const wl_costs *p, wl_share *shares)
{
    for (size_t a = 0; a < p->kernel->access_count; a++)
        shares[a] = (wl_share){
            .inst = p->access[a].inst, .l1_sectors = p->access[a].sectors, .l1_wavefronts = wl_access_wavefronts(p, a)};
}
