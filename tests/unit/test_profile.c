/* test_profile.c - profiles of recorded programs: sums by kernel, and when work happens.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "profile/profile_internal.h"
#include "recording/record_format.h"
#include "warpline/recording_writer.h"
#include "warpline/warpline.h"

#define MEGABYTE "1000000"
#define LAUNCH(id, stream)                                                                                             \
    "{\"event\": \"launch\", \"id\": " id ", \"kernel\": \"keys\", \"module\": 0, \"grid\": [16, 1, 1], \"block\": "   \
    "[256, 1, 1], \"shared\": 0, \"stream\": " stream ", \"params\": \"0000007f000000000000007e0000000000100000\", "   \
    "\"buffers\": [{\"address\": \"0x7e000000\", \"bytes\": 16384}, {\"address\": \"0x7f000000\", \"bytes\": "         \
    "131072}], \"pointers\": [[0, 1, 0], [8, 0, 0]]}"
#define COPY(direction, stream)                                                                                        \
    "{\"event\": \"copy\", \"direction\": \"" direction "\", \"bytes\": " MEGABYTE ", \"stream\": " stream "}"

static void write_events(const char *path, const char *const *events, size_t count)
{
    char ptx[4096], line[256], text[WL_DIGEST_TEXT];
    wl_record_writer *writer = NULL;
    wl_error err = {0};
    wl_digest digest;
    FILE *f = fopen(SOURCE_DIR "/examples/keys.ptx", "rb");
    assert_non_null(f);
    const size_t length = fread(ptx, 1, sizeof ptx, f);
    fclose(f);
    assert_int_equal(wl_record_writer_new(path, &writer, &err), WL_OK);
    assert_int_equal(wl_record_blob(writer, ptx, length, &digest, &err), WL_OK);
    wl_digest_text(digest, text);
    (void)snprintf(line, sizeof line, "{\"event\": \"module\", \"module\": 0, \"ptx\": \"%s\"}", text);
    assert_int_equal(wl_record_event(writer, line, strlen(line), true, &err), WL_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(wl_record_event(writer, events[i], strlen(events[i]), true, &err), WL_OK);
    assert_int_equal(wl_record_writer_close(writer, &err), WL_OK);
}

#define EVENTS 8

/* Work in streams: its start and end, in copies of a megabyte (C) and launches (K). */
static const struct order_case {
    const char *name, *events[EVENTS];
    struct {
        int copies, launches; /* before it ends */
    } end[EVENTS];
} cases[] = {
    {"one stream", {LAUNCH("0", "1"), COPY("htod", "1"), LAUNCH("1", "1")}, {{0, 1}, {1, 1}, {1, 2}}},
    {"two streams: a copy beside a launch", {LAUNCH("0", "1"), COPY("htod", "2")}, {{0, 1}, {1, 0}}},
    {"two launches take turns", {LAUNCH("0", "1"), LAUNCH("1", "2")}, {{0, 1}, {0, 2}}},
    {"copies in two directions", {COPY("htod", "1"), COPY("dtoh", "2"), LAUNCH("0", "3")}, {{1, 0}, {1, 0}, {0, 1}}},
    {"copies in one direction", {COPY("htod", "1"), COPY("htod", "2"), LAUNCH("0", "3")}, {{1, 0}, {2, 0}, {0, 1}}},
    {"the default stream waits", {LAUNCH("0", "1"), COPY("htod", "0"), COPY("dtoh", "2")}, {{0, 1}, {1, 1}, {2, 1}}},
    {"a stream waits for a mark",
     {LAUNCH("0", "1"), "{\"event\": \"mark\", \"mark\": 5, \"stream\": 1}",
      "{\"event\": \"wait\", \"stream\": 2, \"mark\": 5}", COPY("dtoh", "2")},
     {{0, 1}, {1, 1}}},
    {"the host waits", {LAUNCH("0", "1"), "{\"event\": \"wait\"}", COPY("htod", "2")}, {{0, 1}, {1, 1}}},
    {"the host waits for a mark that is past",
     {"{\"event\": \"mark\", \"mark\": 5, \"stream\": 1}", LAUNCH("0", "1"), "{\"event\": \"wait\", \"mark\": 5}",
      COPY("htod", "2")},
     {{0, 1}, {1, 0}}},
};

static void check_case(const struct order_case *c, const wl_device *device)
{
    char path[] = "/tmp/test_profile.XXXXXX";
    wl_recording *recording = NULL;
    wl_profile *profile = NULL;
    wl_error err = {0};
    size_t count = 0;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    while (count < EVENTS && c->events[count])
        count++;
    write_events(path, c->events, count);
    assert_int_equal(wl_recording_open(path, &recording, &err), WL_OK);
    assert_int_equal(wl_profile_make(recording, device, NULL, &profile, &err), WL_OK);
    unlink(path);
    const double launch = wl_prediction_time(wl_profile_launch(profile, 0, NULL));
    /* a copy of a megabyte, and what every copy takes */
    double rate = 0, latency = 0, end = 0;
    assert_true(wl_device_get(device, WL_DEVICE_host_bandwidth, &rate) &&
                wl_device_get(device, WL_DEVICE_launch_overhead, &latency));
    const double copy = 1e6 / rate + latency;
    for (size_t i = 0; i < profile->span_count; i++) {
        const double expected = c->end[i].copies * copy + c->end[i].launches * launch;
        check_near(c->name, "end", profile->spans[i].end_s, expected, 1e-9);
        end = fmax(end, expected);
    }
    check_near(c->name, "the program", wl_profile_times_of(profile)->program_s, end, 1e-9);
    check_true(c->name, "its device", wl_profile_device(profile) == device);
    wl_profile_free(profile);
    wl_recording_free(recording);
}

static void work_happens_in_order(void **state)
{
    (void)state;
    wl_device *device = NULL;
    wl_error err = {0};
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    /* kernels take longer */
    assert_int_equal(wl_device_set(device, "launch_overhead=0.3us", &err), WL_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_case(&cases[i], device);
    wl_device_free(device);
    check_done();
}

static void short_launches_keep_their_distance(void **state)
{
    (void)state;
    char path[] = "/tmp/test_profile.XXXXXX";
    static const char *const events[] = {LAUNCH("0", "1"), LAUNCH("1", "2"), LAUNCH("2", "1")};
    wl_recording *recording = NULL;
    wl_profile *profile = NULL;
    wl_device *device = NULL;
    wl_error err = {0};
    double overhead = 0;
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    write_events(path, events, COUNT_OF(events));
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    assert_int_equal(wl_recording_open(path, &recording, &err), WL_OK);
    assert_int_equal(wl_profile_make(recording, device, NULL, &profile, &err), WL_OK);
    unlink(path);
    assert_true(wl_device_get(device, WL_DEVICE_launch_overhead, &overhead));
    const double launch = wl_prediction_time(wl_profile_launch(profile, 0, NULL));
    check_true("a launch", "is shorter", launch < overhead);
    for (size_t i = 0; i < COUNT_OF(events); i++) {
        check_near("a launch", "starts", profile->spans[i].start_s, (double)i * overhead, 1e-9);
        check_near("a launch", "ends", profile->spans[i].end_s, (double)i * overhead + launch, 1e-9);
    }
    wl_profile_free(profile);
    wl_recording_free(recording);
    wl_device_free(device);
    check_done();
}

static void kernels_are_summed_up(void **state)
{
    (void)state;
    wl_recording *recording = NULL;
    wl_device *device = NULL;
    wl_profile *profile = NULL;
    wl_error err = {0};
    const char *reason = NULL;
    assert_int_equal(wl_recording_open(SOURCE_DIR "/tests/recording/heat.wlrec", &recording, &err), WL_OK);
    assert_int_equal(wl_device_builtin("a100-40gb", &device, &err), WL_OK);
    assert_int_equal(wl_profile_make(recording, device, &(wl_profile_options){.threads = 2}, &profile, &err), WL_OK);
    const wl_profile_kernel *heat = wl_profile_kernel_at(profile, 0), *vadd = wl_profile_kernel_at(profile, 2);
    assert_true(heat && vadd && !wl_profile_kernel_at(profile, 3));
    check_true("heat", "its name", strcmp(heat->name, "heat") == 0);
    check_int("heat", "calls", (int64_t)heat->calls, 6);
    check_int("heat", "like", (int64_t)heat->like, 3);
    check_near("heat", "total", heat->total_s, 6 * heat->most_s, 1e-9);
    check_int("heat", "kinds", (int64_t)profile->kind_count, 4); /* arrays exchanged are another */
    check_int("vadd", "predicted", (int64_t)vadd->predicted, 0);
    check_true("vadd", "a reason", !wl_profile_launch(profile, 7, &reason) && strstr(reason, "no PTX"));
    check_true("vadd", "no tallies", !wl_profile_tallies(profile, 7) && wl_profile_tallies(profile, 0));
    check_int("all", "refused", (int64_t)wl_profile_times_of(profile)->refused, 1);
    wl_profile_free(profile);
    wl_device_free(device);
    wl_recording_free(recording);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_happens_in_order),
        cmocka_unit_test(short_launches_keep_their_distance),
        cmocka_unit_test(kernels_are_summed_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
