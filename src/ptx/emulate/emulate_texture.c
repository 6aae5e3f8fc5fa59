/* emulate_texture.c - texture fetches, and loads and stores of surfaces: which texels they touch.
 *
 * A fetch without a filter touches one texel per lane. With a filter it touches the texels around
 * the coordinate that have a weight. Four lanes make a request, so texels are reported as the
 * distinct sectors of each four lanes, one per lane: caches work with sectors.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <math.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/module/tensor.h"

#define NOWHERE UINT64_MAX /* outside: nothing is touched */
#define SECTOR ((uint64_t)32)
#define FAR 1e12 /* texels: no texture is that large */
enum { CORNERS_MAX = 8, REQUESTS = WL_PTX_LANES / WL_PTX_REQUEST_LANES };
enum { WEIGHTS = 256 }; /* fractions of a coordinate that a filter distinguishes */

int wl_ptx_fetch_flags(const wl_ptx_instruction *in)
{
    static const struct {
        const char *part;
        int flags;
    } parts[] = {{".1d.", 1},
                 {".2d.", 2},
                 {".3d.", 3},
                 {".a1d.", 1 | WL_PTX_FETCH_LAYERED},
                 {".a2d.", 2 | WL_PTX_FETCH_LAYERED},
                 {"tld4", WL_PTX_FETCH_GATHERS},
                 {".b.", WL_PTX_FETCH_BYTES},
                 {".clamp", WL_PTX_FETCH_CLAMPS},
                 {".zero", WL_PTX_FETCH_SKIPS},
                 {"sured", WL_PTX_FETCH_REDUCES}};
    int flags = 0;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        flags |= wl_ptx_has_part(in, parts[k].part) ? parts[k].flags : 0;
    return flags;
}

/* The lanes of one texture, and the texels they touch. */
typedef struct fetch {
    const wl_ptx_step *step;
    const wl_ptx_buffer *buffer;
    const wl_ptx_texture *texture;
    uint32_t lanes, unknown; /* unknown: coordinates */
    int corners;             /* texels per lane */
    uint64_t address[CORNERS_MAX][WL_PTX_LANES];
    uint16_t weight[3][WL_PTX_LANES]; /* of the second texel on an axis, of WEIGHTS */
} fetch;

/* The described texture or surface with this handle that the instruction can use; NULL: none. */
static const wl_ptx_buffer *described(const wl_ptx_machine *m, const wl_ptx_step *s, uint64_t handle)
{
    const wl_ptx_arguments *a = m->launch.arguments;
    const wl_ptx_buffer *b = wl_ptx_buffer_at(a, handle);
    b = b && b->base == handle && !b->own ? b : NULL;
    for (int i = 0; i < a->view_count && !b; i++)
        b = a->views[i].handle == handle ? &a->views[i].buffer : NULL;
    const wl_ptx_texture *t = b ? b->texture : NULL;
    return t && t->is_surface == (s->in->op != WL_PTX_OP_tex) && t->dims == (s->target & WL_PTX_FETCH_DIMS) &&
                   t->is_layered == ((s->target & WL_PTX_FETCH_LAYERED) != 0)
               ? b
               : NULL;
}

static void results_unknown(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lanes)
{
    if (s->in->op != WL_PTX_OP_sust)
        wl_ptx_write_unknown(m->frame, s, lanes);
}

/* Touches one address per lane, of the texels with this many bytes. */
static wl_status touch(wl_ptx_machine *m, const fetch *f, uint32_t lanes, const uint64_t *address, int bytes,
                       bool store, wl_error *err)
{
    uint32_t rest = 0;
    m->touch.lanes = 0;
    if (!lanes)
        return WL_OK; /* all lanes are outside */
    const wl_ptx_access_request r = {f->step, lanes, address, f->unknown, WL_PTX_GLOBAL, bytes, store, false};
    const wl_status status = wl_ptx_resolve(m, &r, &rest, err);
    m->more = false;
    return status;
}

/* ---- coordinates ---- */

/* Fills *f with lanes that have the handle of the first of `mask`; they are `*same`. */
static bool begin(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, fetch *f, uint32_t *same)
{
    const wl_ptx_frame *frame = m->frame;
    const uint64_t *handle = frame->value[s->from[0]];
    const uint64_t first = handle[wl_ptx_lane_first(mask)];
    *same = 0;
    WL_PTX_FOR_LANES(lane, mask) *same |= (uint32_t)(handle[lane] == first) << lane;
    f->step = s;
    f->lanes = *same;
    f->corners = 1;
    f->unknown = 0;
    for (int k = 1; k <= 3; k++)
        f->unknown |= frame->unknown[s->from[k]];
    f->unknown &= *same;
    f->buffer = frame->unknown[s->from[0]] & *same ? NULL : described(m, s, first);
    f->texture = f->buffer ? f->buffer->texture : NULL;
    return f->texture != NULL;
}

static int64_t layer_of(const wl_ptx_machine *m, const fetch *f, uint32_t lane)
{
    const int64_t layer = (int32_t)m->frame->value[f->step->from[1]][lane];
    return f->texture->is_layered ? wl_max(0, wl_min(layer, f->texture->layers - 1)) : 0;
}

/* The texels on one axis: one, or the two that a filter joins; measured: the second is not read if
 * its weight is 0. Returns that weight. */
static uint16_t texels_on_axis(const fetch *f, uint64_t bits, int axis, int64_t at[2])
{
    const wl_ptx_texture *t = f->texture;
    const int64_t extent = t->extent[axis];
    if (f->step->in->from != WL_PTX_F32) { /* outside of linear memory nothing is read */
        const wl_ptx_address_mode mode = t->dims == 1 ? WL_PTX_BORDERED : t->mode;
        at[0] = at[1] = wl_ptx_texture_index(mode, (int32_t)bits, extent);
        return 0;
    }
    const double given = (double)wl_ptx_f32_of(bits) * (t->is_normalized ? (double)extent : 1);
    const double x = isnan(given) ? 0 : fmax(-FAR, fmin(given, FAR));
    if (f->corners == 1) {
        at[0] = at[1] = wl_ptx_texture_index(t->mode, (int64_t)floor(x), extent);
        return 0;
    }
    const int64_t weighed = (int64_t)floor((x - 0.5) * WEIGHTS + 0.5), first = wl_floor_div(weighed, WEIGHTS);
    const bool both = f->step->target & WL_PTX_FETCH_GATHERS || wl_floor_mod(weighed, WEIGHTS) > 0;
    at[0] = wl_ptx_texture_index(t->mode, first, extent);
    at[1] = both ? wl_ptx_texture_index(t->mode, first + 1, extent) : at[0];
    return t->mode == WL_PTX_CLAMPED && at[0] == at[1] ? 0 : (uint16_t)wl_floor_mod(weighed, WEIGHTS);
}

static void find_texels(const wl_ptx_machine *m, fetch *f)
{
    const wl_ptx_texture *t = f->texture;
    const int first = 1 + t->is_layered;
    WL_PTX_FOR_LANES(lane, f->lanes)
    {
        int64_t at[3][2] = {{0}};
        const int64_t layer = layer_of(m, f, lane);
        for (int d = 0; d < t->dims; d++)
            f->weight[d][lane] = texels_on_axis(f, m->frame->value[f->step->from[first + d]][lane], d, at[d]);
        for (int c = 0; c < f->corners; c++) {
            const int64_t x = at[0][c & 1], y = at[1][c >> 1 & 1], z = at[2][c >> 2];
            const bool inside = x >= 0 && y >= 0 && z >= 0;
            f->address[c][lane] =
                f->unknown >> lane & 1 ? f->buffer->base
                : inside ? f->buffer->base + (uint64_t)wl_ptx_texture_place(t, x * t->texel_bytes, y, z, layer)
                         : NOWHERE;
        }
    }
}

/* ---- textures ---- */

static uint32_t lanes_inside(const fetch *f)
{
    uint32_t inside = 0;
    WL_PTX_FOR_LANES(lane, f->lanes) inside |= (uint32_t)(f->address[0][lane] != NOWHERE) << lane;
    return inside;
}

/* An integer channel that is read as a float: this is 1. */
static double one_of(wl_ptx_type channel)
{
    const int digits = wl_ptx_type_bits(channel) - wl_ptx_type_is_signed(channel);
    return wl_ptx_type_is_float(channel) || digits > 16 ? 1 : (1 << digits) - 1;
}

static double channel_value(uint64_t bits, wl_ptx_type channel)
{
    return wl_ptx_type_is_float(channel) ? wl_ptx_float_value(bits, channel, false)
                                         : fmax(-one_of(channel), (double)(int64_t)wl_ptx_extended(bits, channel));
}

/* The bits that a fetch returns for a channel. False: not known here. */
static bool converted(uint64_t bits, wl_ptx_type channel, wl_ptx_type to, uint64_t *out)
{
    const bool is_float = wl_ptx_type_is_float(channel);
    if (to == WL_PTX_S32 || to == WL_PTX_U32) {
        *out = (uint32_t)wl_ptx_extended(bits, channel);
        return !is_float;
    }
    *out = channel == WL_PTX_F32 ? bits : wl_ptx_f32_bits((float)(channel_value(bits, channel) / one_of(channel)));
    return to == WL_PTX_F32 && (is_float || wl_ptx_type_bits(channel) <= 16);
}

/* Writes what the lanes have read: elements of a surface as they are, channels of a texture
 * converted. */
static void return_values(wl_ptx_machine *m, const fetch *f, uint32_t inside)
{
    const wl_ptx_step *s = f->step;
    const bool is_texture = s->in->op == WL_PTX_OP_tex;
    const int bytes = is_texture ? wl_ptx_type_bits(f->texture->type) / 8 : s->bytes;
    /* a kernel does not write textures */
    if (is_texture && f->buffer->content == WL_PTX_UNTOUCHED) {
        results_unknown(m, s, f->lanes);
        return;
    }
    for (int e = 0; e < s->elements; e++) {
        uint64_t value[WL_PTX_LANES] = {0};
        const bool beyond = is_texture && e >= f->texture->channels;
        uint32_t unknown = f->unknown | (beyond ? f->lanes : 0) | (inside & ~m->touch.lanes);
        WL_PTX_FOR_LANES(lane, m->touch.lanes & ~unknown)
        {
            bool hidden = false;
            value[lane] = wl_ptx_memory_read(m, lane, (int64_t)e * bytes, bytes, &hidden);
            if (is_texture)
                hidden = !converted(value[lane], f->texture->type, s->in->type, &value[lane]) || hidden;
            unknown |= (uint32_t)hidden << lane;
        }
        wl_ptx_write(m->frame, m->frame->program->lists[s->list + e], f->lanes, value, unknown);
    }
}

/* A channel of a texel that a filter joins with others; outside of the texture: 0. */
static uint64_t texel(wl_ptx_machine *m, const fetch *f, int corner, uint32_t lane, int channel, bool *unknown)
{
    const int bytes = wl_ptx_type_bits(f->texture->type) / 8;
    bool hidden = false;
    if (f->address[corner][lane] == NOWHERE)
        return 0;
    m->buffer = NULL;
    m->touch.space = WL_PTX_GLOBAL;
    m->touch.address[lane] = f->address[corner][lane];
    const uint64_t bits = wl_ptx_memory_read(m, lane, (int64_t)channel * bytes, bytes, &hidden);
    *unknown = *unknown || hidden;
    return bits;
}

/* Whole numbers, of WEIGHTS in all: along one axis after the other, the rounded share of the second
 * texels (validate/probes/h200_texture_filter.csv). */
static void corner_weights(const fetch *f, uint32_t lane, int weight[CORNERS_MAX])
{
    static const int order[3][3] = {{0}, {0, 1}, {0, 2, 1}};
    memset(weight, 0, CORNERS_MAX * sizeof *weight);
    weight[0] = WEIGHTS;
    for (int d = 0; d < f->texture->dims; d++) {
        const int axis = order[f->texture->dims - 1][d];
        for (int c = f->corners - 1; c >= 0; c--) {
            const int second = (weight[c] * f->weight[axis][lane] + WEIGHTS / 2 - !(c & 1)) / WEIGHTS;
            if (c >> axis & 1)
                continue;
            weight[c | 1 << axis] = second;
            weight[c] -= second;
        }
    }
}

/* The sum of the texels around a coordinate by their weights; integers and halves as numbers of 16
 * bits. */
static uint64_t filtered(wl_ptx_machine *m, const fetch *f, uint32_t lane, int channel, bool *unknown)
{
    const wl_ptx_type type = f->texture->type;
    const double most = wl_ptx_type_is_signed(type) ? INT16_MAX : UINT16_MAX;
    int weight[CORNERS_MAX];
    double sum = 0;
    corner_weights(f, lane, weight);
    for (int c = 0; c < f->corners; c++)
        if (weight[c] > 0)
            sum += weight[c] * channel_value(texel(m, f, c, lane, channel, unknown), type);
    sum /= WEIGHTS;
    *unknown = *unknown || (!wl_ptx_type_is_float(type) && wl_ptx_type_bits(type) > 16);
    if (type == WL_PTX_F16)
        sum = wl_ptx_half_value(wl_ptx_half_bits(sum, false, WL_PTX_RN), false);
    else if (type != WL_PTX_F32)
        sum = floor(sum * most / one_of(type) + 0.5) / most;
    return wl_ptx_f32_bits((float)sum);
}

/* What a fetch with a filter returns. A gather returns one channel of four texels. */
static void return_filtered(wl_ptx_machine *m, const fetch *f)
{
    static const int order[] = {2, 3, 1, 0};
    static const char *const channels[] = {"tld4.r", "tld4.g", "tld4.b", "tld4.a"};
    const wl_ptx_step *s = f->step;
    const bool gathers = s->target & WL_PTX_FETCH_GATHERS;
    int gathered = 0;
    for (int k = 0; k < 4 && gathers; k++)
        gathered = wl_ptx_has_part(s->in, channels[k]) ? k : gathered;
    for (int e = 0; e < s->elements; e++) {
        const int channel = gathers ? gathered : e;
        const bool given = channel < f->texture->channels && f->buffer->content != WL_PTX_UNTOUCHED;
        uint64_t value[WL_PTX_LANES] = {0};
        uint32_t unknown = f->unknown;
        WL_PTX_FOR_LANES(lane, f->lanes & ~f->unknown)
        {
            bool hidden = !given || (!gathers && s->in->type != WL_PTX_F32);
            if (!hidden && gathers)
                hidden = !converted(texel(m, f, order[e & 3], lane, channel, &hidden), f->texture->type, s->in->type,
                                    &value[lane]) ||
                         hidden;
            else if (!hidden)
                value[lane] = filtered(m, f, lane, channel, &hidden);
            unknown |= (uint32_t)hidden << lane;
        }
        wl_ptx_write(m->frame, m->frame->program->lists[s->list + e], f->lanes, value, unknown);
    }
}

/* The sectors of one request, and how many lanes have taken. */
typedef struct request {
    uint64_t sector[CORNERS_MAX * WL_PTX_REQUEST_LANES];
    int count, taken;
} request;

static void find_sectors(const fetch *f, request *requests)
{
    for (int c = 0; c < f->corners; c++)
        WL_PTX_FOR_LANES(lane, f->lanes & ~f->unknown)
        {
            request *r = &requests[lane / WL_PTX_REQUEST_LANES];
            const uint64_t found = f->address[c][lane] & ~(SECTOR - 1);
            int k = 0;
            while (k < r->count && r->sector[k] != found)
                k++;
            if (k == r->count && f->address[c][lane] != NOWHERE)
                r->sector[r->count++] = found;
        }
}

/* The lanes of a request take its sectors in order, in as many rounds as needed. In the first
 * round, the remaining lanes repeat a sector, so that all lanes are active. */
static wl_status touch_sectors(wl_ptx_machine *m, const fetch *f, wl_error *err)
{
    request requests[REQUESTS] = {{{0}, 0, 0}};
    uint64_t address[WL_PTX_LANES] = {0};
    uint32_t lanes = 1, known = f->lanes & ~f->unknown;
    find_sectors(f, requests);
    for (int round = 0; lanes; round++) {
        lanes = 0;
        WL_PTX_FOR_LANES(lane, known)
        {
            request *r = &requests[lane / WL_PTX_REQUEST_LANES];
            if (r->count == 0 || (round > 0 && r->taken >= r->count))
                continue;
            address[lane] = r->sector[r->taken++ % r->count];
            lanes |= (uint32_t)1 << lane;
        }
        m->more = round > 0;
        WL_TRY(touch(m, f, lanes, address, f->texture->texel_bytes, false, err));
    }
    m->more = known != 0;
    const wl_status status = touch(m, f, f->unknown, f->address[0], f->texture->texel_bytes, false, err);
    m->more = false;
    return status;
}

static wl_status run_texture(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    fetch f;
    if (s->other != m->frame->program->spare)
        wl_ptx_write_predicate(m->frame, s->other, mask, 0, mask);
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        if (!begin(m, s, rest, &f, &same)) {
            WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_TEXTURE, err));
            results_unknown(m, s, same);
            continue;
        }
        if (s->target & WL_PTX_FETCH_GATHERS || (f.texture->filters && s->in->from == WL_PTX_F32))
            f.corners = 1 << f.texture->dims;
        find_texels(m, &f);
        if (f.corners > 1) {
            WL_TRY(touch_sectors(m, &f, err));
            return_filtered(m, &f);
        } else {
            const uint32_t inside = lanes_inside(&f);
            WL_TRY(touch(m, &f, inside, f.address[0], f.texture->texel_bytes, false, err));
            return_values(m, &f, inside);
        }
    }
    return WL_OK;
}

/* ---- surfaces ---- */

/* Bytes of a lane, and whether x counts bytes: in suld.b and sust.b, not in suld.p and sust.p. */
static int surface_bytes(const fetch *f, bool *in_bytes)
{
    *in_bytes = f->step->target & WL_PTX_FETCH_BYTES;
    return *in_bytes ? f->step->bytes * f->step->elements : f->texture->texel_bytes;
}

/* Outside, .clamp takes the nearest element and .zero touches nothing; .trap is an error, which an
 * address beyond the buffer causes. */
static void find_elements(const wl_ptx_machine *m, fetch *f, int bytes, bool in_bytes)
{
    const wl_ptx_texture *t = f->texture;
    const bool clamps = f->step->target & WL_PTX_FETCH_CLAMPS, skips = f->step->target & WL_PTX_FETCH_SKIPS;
    const int first = 1 + t->is_layered;
    WL_PTX_FOR_LANES(lane, f->lanes)
    {
        int64_t at[3] = {0};
        bool inside = true;
        for (int d = 0; d < t->dims; d++) {
            const int64_t unit = d > 0 ? 1 : bytes, scale = d > 0 || in_bytes ? 1 : bytes;
            const int64_t end = d > 0 ? t->extent[d] : t->extent[0] * t->texel_bytes;
            const int64_t given = (int32_t)m->frame->value[f->step->from[first + d]][lane] * scale;
            at[d] = wl_max(0, wl_min(given, end - unit));
            inside = inside && given == at[d];
        }
        f->address[0][lane] =
            inside || clamps || f->unknown >> lane & 1
                ? f->buffer->base + (uint64_t)wl_ptx_texture_place(t, at[0], at[1], at[2], layer_of(m, f, lane))
            : skips ? NOWHERE
                    : f->buffer->base + (uint64_t)f->buffer->bytes;
    }
}

/* The result of a reduction or of a formatted store is not computed. */
static void store_elements(wl_ptx_machine *m, const fetch *f, int bytes, bool exact)
{
    const wl_ptx_step *s = f->step;
    for (int e = 0; e < s->elements && exact; e++) {
        const int32_t slot = m->frame->program->lists[s->list + e];
        const uint32_t unknown = m->frame->unknown[slot] | m->touch.unknown;
        WL_PTX_FOR_LANES(lane, m->touch.lanes)
        wl_ptx_memory_write(m, lane, (int64_t)e * s->bytes, s->bytes, m->frame->value[slot][lane], unknown >> lane & 1);
    }
    for (int at = 0; at < bytes && !exact; at += bytes < 8 ? bytes : 8)
        WL_PTX_FOR_LANES(lane, m->touch.lanes) wl_ptx_memory_write(m, lane, at, bytes < 8 ? bytes : 8, 0, true);
}

static wl_status run_surface(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const bool stores = s->in->op == WL_PTX_OP_sust;
    fetch f;
    for (uint32_t rest = mask, same; rest; rest &= ~same) {
        bool in_bytes = false;
        const bool known = begin(m, s, rest, &f, &same);
        const int bytes = known ? surface_bytes(&f, &in_bytes) : 0;
        if (!known || !wl_is_pow2(bytes) || bytes > 16 || bytes > f.texture->extent[0] * f.texture->texel_bytes) {
            WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_TEXTURE, err));
            results_unknown(m, s, same);
            continue;
        }
        find_elements(m, &f, bytes, in_bytes);
        const uint32_t inside = lanes_inside(&f);
        WL_TRY(touch(m, &f, inside, f.address[0], bytes, stores, err));
        if (stores)
            store_elements(m, &f, bytes, in_bytes && !(s->target & WL_PTX_FETCH_REDUCES));
        else if (in_bytes)
            return_values(m, &f, inside);
        else
            results_unknown(m, s, same);
    }
    return WL_OK;
}

/* Cube maps, and fetches with offsets: nothing is touched. */
static wl_status run_unknown(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    results_unknown(m, s, mask);
    return wl_ptx_assume(m, s, WL_PTX_ASSUMED_TEXTURE, err);
}

wl_ptx_run wl_ptx_find_texture(const wl_ptx_instruction *in)
{
    bool offsets = false;
    for (int k = 2; k < in->operand_count && in->op == WL_PTX_OP_tex; k++)
        offsets = offsets || (in->operands[k].kind == WL_PTX_OPERAND_VECTOR && !wl_ptx_has_part(in, ".grad"));
    if ((wl_ptx_fetch_flags(in) & WL_PTX_FETCH_DIMS) == 0 || offsets)
        return run_unknown;
    return in->op == WL_PTX_OP_tex ? run_texture : run_surface;
}
