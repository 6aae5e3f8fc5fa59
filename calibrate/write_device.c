/* write_device.c - see write_device.h. SPDX-License-Identifier: MIT */
#include "write_device.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum dimension { COUNT, RATIO, FREQUENCY, BYTES, BANDWIDTH, CYCLES, TIME, PER_CYCLE, RATE };

static const struct key_info {
    const char *name;
    enum dimension dimension;
    bool list;
} keys[CAL_KEY_COUNT] = {
#define WL_DEVICE_KEY(name, role, dimension, need, of, meaning) {#name, dimension, false},
#define WL_DEVICE_LIST(name, role, dimension, need, of, meaning) {#name, dimension, true},
#include "warpline/device_keys.def"
};

/* The first key of each part of the file. */
static const struct {
    cal_key key;
    const char *heading;
} headings[] = {
    {CAL_sm_count, "the machine"},
    {CAL_max_block, "launch limits and occupancy"},
    {CAL_l1_size, "L1"},
    {CAL_l2_size, "L2 and memory"},
    {CAL_fp64_rate, "arithmetic, results per cycle and multiprocessor"},
    {CAL_l1_miss_curve, "curves [a, b, c] of a exp(-b exp(-c O))"},
    {CAL_l1_warp_extra, "L1 and stores as measured"},
    {CAL_l2_reuse_room, "two L2 partitions"},
    {CAL_block_rate, "the block-turnover time model"},
    {CAL_l1_mshr, "interval models"},
};

/* Counts read better with what they count; "1" otherwise. */
static const struct {
    cal_key key;
    const char *unit;
} count_units[] = {
    {CAL_sm_count, "sm"},
    {CAL_warp_size, "lanes"},
    {CAL_sub_partitions, "schedulers"},
    {CAL_max_block, "threads"},
    {CAL_max_threads_per_sm, "threads"},
    {CAL_max_blocks_per_sm, "blocks"},
    {CAL_registers_per_sm, "registers"},
    {CAL_max_registers_per_thread, "registers"},
    {CAL_register_granularity, "registers"},
    {CAL_l1_banks, "banks"},
    {CAL_l1_tag_hash, "bank"},
    {CAL_l2_partitions, "partitions"},
    {CAL_l1_mshr, "entries"},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

const char *cal_key_name(cal_key key) { return keys[key].name; }

bool cal_set_list(cal_device *device, cal_key key, const double *values, size_t count, const char *source)
{
    const bool whole = keys[key].dimension == COUNT || keys[key].dimension == BYTES;
    cal_entry *e = &device->entries[key];
    if (count == 0 || count > CAL_LIST_MAX || (count > 1 && !keys[key].list))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]) || values[i] < 0 || values[i] > 1e18)
            return false;
    for (size_t i = 0; i < count; i++)
        e->values[i] = whole ? round(values[i]) : values[i];
    e->count = count;
    (void)snprintf(e->source, sizeof e->source, "%s", source);
    e->why_not[0] = '\0';
    e->none = false;
    return true;
}

bool cal_set(cal_device *device, cal_key key, double value, const char *source)
{
    return cal_set_list(device, key, &value, 1, source);
}

void cal_leave_out(cal_device *device, cal_key key, const char *why)
{
    cal_entry *e = &device->entries[key];
    e->count = 0;
    (void)snprintf(e->why_not, sizeof e->why_not, "%s", why);
}

void cal_set_none(cal_device *device, cal_key key, const char *why)
{
    cal_entry *e = &device->entries[key];
    e->count = 0;
    e->none = true;
    (void)snprintf(e->source, sizeof e->source, "%s", why);
}

void cal_note(cal_device *device, cal_key key, const char *text)
{
    (void)snprintf(device->entries[key].note, sizeof device->entries[key].note, "%s", text);
}

size_t cal_knee(const double *costs, size_t count, double factor)
{
    double least = INFINITY;
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, costs[i - 1]);
        size_t above = i;
        while (above < count && costs[above] > factor * least)
            above++;
        if (above == count)
            return i - 1;
    }
    return count ? count - 1 : 0;
}

static const char *architecture(int major, int minor)
{
    switch (major) {
    case 5: return "maxwell";
    case 6: return "pascal";
    case 7: return minor == 5 ? "turing" : "volta";
    case 8: return minor == 9 ? "ada" : "ampere";
    case 9: return "hopper";
    case 10:
    case 11:
    case 12: return "blackwell";
    default: return "unknown";
    }
}

void cal_identify(cal_device *device, const char *title, int major, int minor)
{
    static const char maker[] = "NVIDIA ";
    const char *rest = strncmp(title, maker, strlen(maker)) == 0 ? title + strlen(maker) : title;
    size_t n = 0;
    (void)snprintf(device->title, sizeof device->title, "%s", title);
    (void)snprintf(device->architecture, sizeof device->architecture, "%s", architecture(major, minor));
    device->major = major;
    device->minor = minor;
    for (; *rest && n + 1 < sizeof device->name; rest++) {
        const char c = (char)tolower((unsigned char)*rest);
        if (isalnum((unsigned char)c))
            device->name[n++] = c;
        else if (n > 0 && device->name[n - 1] != '-')
            device->name[n++] = '-';
    }
    while (n > 0 && device->name[n - 1] == '-')
        n--;
    device->name[n] = '\0';
    if (n == 0)
        (void)snprintf(device->name, sizeof device->name, "gpu");
}

/* ---- writing ---- */

struct unit {
    const char *name;
    double scale;
};

/* The largest unit in which every value is whole (sizes) or at least one (the rest). */
static struct unit pick_unit(cal_key key, const cal_entry *e)
{
    static const struct unit bytes[] = {{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}, {"B", 1}};
    static const struct unit bandwidths[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"B/s", 1}};
    static const struct unit frequencies[] = {{"GHz", 1e9}, {"MHz", 1e6}, {"Hz", 1}};
    static const struct unit times[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    static const struct unit rates[] = {{"1/ns", 1e9}, {"1/us", 1e6}, {"1/s", 1}};
    const struct unit *choice = NULL;
    size_t n = 3;
    switch (keys[key].dimension) {
    case COUNT:
        for (size_t i = 0; i < LENGTH(count_units); i++)
            if (count_units[i].key == key)
                return (struct unit){count_units[i].unit, 1};
        return (struct unit){"1", 1};
    case RATIO: return (struct unit){"1", 1};
    case CYCLES: return (struct unit){"cycles", 1};
    case PER_CYCLE: return (struct unit){"1/cycle", 1};
    case BYTES:
        choice = bytes;
        n = 4;
        break;
    case BANDWIDTH: choice = bandwidths; break;
    case FREQUENCY: choice = frequencies; break;
    case TIME: choice = times; break;
    case RATE: choice = rates; break;
    }
    for (size_t u = 0; u + 1 < n; u++) {
        bool fits = true, any = false;
        for (size_t i = 0; i < e->count; i++) {
            const double v = e->values[i] / choice[u].scale;
            fits = fits && (keys[key].dimension == BYTES ? v == floor(v) : v >= 1);
            any = any || v >= 1;
        }
        if (fits && any)
            return choice[u];
    }
    return choice[n - 1];
}

/* Four digits of a measurement; all digits of a whole number. */
static void print_number(FILE *stream, double value)
{
    if (value == floor(value) && value < 1e15)
        (void)fprintf(stream, "%.0f", value);
    else
        (void)fprintf(stream, value >= 1000 ? "%.0f" : "%.4g", value);
}

/* A double-quoted YAML scalar on one line. */
static void print_quoted(FILE *stream, const char *text)
{
    (void)fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            (void)fputc('\\', stream);
        (void)fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
    }
    (void)fputc('"', stream);
}

static void print_entry(FILE *stream, cal_key key, const cal_entry *e)
{
    const struct unit unit = pick_unit(key, e);
    (void)fprintf(stream, "%s: {value: %s", keys[key].name, keys[key].list ? "[" : "");
    for (size_t i = 0; i < e->count; i++) {
        (void)fputs(i ? ", " : "", stream);
        print_number(stream, e->values[i] / unit.scale);
    }
    (void)fprintf(stream, "%s, unit: %s, source: ", keys[key].list ? "]" : "", unit.name);
    print_quoted(stream, e->source);
    (void)fputs("}\n", stream);
}

bool cal_write(const cal_device *device, FILE *stream, char *message, size_t size)
{
    /* what no architecture states */
    static const cal_key own[] = {CAL_sm_count, CAL_clock, CAL_l2_size, CAL_dram_bandwidth};
    for (size_t i = 0; i < LENGTH(own); i++) {
        if (device->entries[own[i]].count == 0) {
            (void)snprintf(message, size, "%s is not known", keys[own[i]].name);
            return false;
        }
    }
    (void)fprintf(stream, "# %s\nname: %s\ntitle: ", device->title, device->name);
    print_quoted(stream, device->title);
    (void)fprintf(stream, "\nvendor: nvidia\narchitecture: %s\ncompute_capability: %d.%d\n", device->architecture,
                  device->major, device->minor);
    for (int k = 0; k < CAL_KEY_COUNT; k++) {
        const cal_entry *e = &device->entries[k];
        for (size_t h = 0; h < LENGTH(headings); h++)
            if (headings[h].key == (cal_key)k)
                (void)fprintf(stream, "\n# %s\n", headings[h].heading);
        if (e->note[0])
            (void)fprintf(stream, "# %s: %s\n", keys[k].name, e->note);
        if (e->count)
            print_entry(stream, (cal_key)k, e);
        else if (e->none) {
            (void)fprintf(stream, "%s: {value: none, source: ", keys[k].name);
            print_quoted(stream, e->source);
            (void)fputs("}\n", stream);
        } else if (e->why_not[0])
            (void)fprintf(stream, "# %s left out: %s\n", keys[k].name, e->why_not);
    }
    if (fflush(stream) != 0 || ferror(stream)) {
        (void)snprintf(message, size, "the file could not be written");
        return false;
    }
    return true;
}
