/* test_recording.c - recordings that are written are read back; cut and damaged ones say so.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/record_format.h"
#include "warpline/recording_writer.h"
#include "recording/recording_internal.h"
#include "unit/read_file.h"
#include "warpline/warpline.h"

#define CHECK(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s:%d: ", __FILE__, __LINE__);                                                                \
            print_error(__VA_ARGS__);                                                                                  \
            print_error("\n");                                                                                         \
            check_failures++;                                                                                          \
        }                                                                                                              \
    } while (0)

static const char *const events[] = {
    "{\"event\": \"program\", \"version\": 1, \"command\": [\"./a\", \"b c\"], \"mode\": \"run\"}",
    "{\"event\": \"module\", \"module\": 7, \"ptx\": \"%s\"}",
    "{\"event\": \"launch\", \"id\": 0, \"kernel\": \"keys\", \"module\": 7, \"grid\": [16, 1, 1], \"block\": [256, 1, "
    "1], \"shared\": 0, \"registers\": 40, \"stream\": 2, \"params\": \"0000007f000000000000007e0000000000100000\", "
    "\"buffers\": "
    "[{\"address\": \"0x7e000000\", \"bytes\": 16384}, {\"address\": \"0x7f000000\", \"bytes\": 131072}], "
    "\"pointers\": "
    "[[0, 1, 0], [8, 0, 0]], \"time\": 2e-6}",
    "{\"event\": \"of the future\", \"x\": 1}",
    "{\"event\": \"copy\", \"direction\": \"dtoh\", \"bytes\": 16384, \"stream\": 2}",
    "{\"event\": \"wait\"}",
    "{\"event\": \"launch\", \"id\": 1, \"like\": 0, \"kernel\": \"keys\", \"module\": 7, \"grid\": [16, 1, 1], "
    "\"block\": [256, 1, 1], \"shared\": 0, \"registers\": 40, \"stream\": 2}",
    /* elsewhere in memory */
    "{\"event\": \"launch\", \"id\": 2, \"kernel\": \"keys\", \"module\": 7, \"grid\": [16, 1, 1], \"block\": [256, 1, "
    "1], \"shared\": 0, \"registers\": 40, \"stream\": 0, \"params\": \"0000005f000000000000005e0000000000100000\", "
    "\"buffers\": "
    "[{\"address\": \"0x5e000000\", \"bytes\": 16384}, {\"address\": \"0x5f000000\", \"bytes\": 131072}], "
    "\"pointers\": "
    "[[0, 1, 0], [8, 0, 0]]}",
    "{\"event\": \"end\", \"launches\": 3, \"seconds\": 0.1}",
};

/* Writes the events, and the PTX they name; its bytes. */
static char *written(const char *const *lines, size_t count, size_t *size)
{
    char path[] = "/tmp/test_recording.XXXXXX", ptx[4096], line[2048], text[WL_DIGEST_TEXT];
    wl_record_writer *writer = NULL;
    wl_error err = {0};
    wl_digest digest;
    const int fd = mkstemp(path);
    FILE *f = fopen(SOURCE_DIR "/examples/keys.ptx", "rb");
    assert_true(fd >= 0 && f);
    const size_t length = fread(ptx, 1, sizeof ptx, f);
    fclose(f);
    close(fd);
    assert_int_equal(wl_record_writer_new(path, &writer, &err), WL_OK);
    assert_int_equal(wl_record_blob(writer, ptx, length, &digest, &err), WL_OK);
    assert_int_equal(wl_record_blob(writer, ptx, length, &digest, &err), WL_OK); /* it is there */
    wl_digest_text(digest, text);
    for (size_t i = 0; i < count; i++) {
        const char *rest = strstr(lines[i], "%s");
        (void)snprintf(line, sizeof line, "%.*s%s%s", rest ? (int)(rest - lines[i]) : (int)strlen(lines[i]), lines[i],
                       rest ? text : "", rest ? rest + 2 : "");
        assert_int_equal(wl_record_event(writer, line, strlen(line), true, &err), WL_OK);
    }
    assert_int_equal(wl_record_writer_close(writer, &err), WL_OK);
    assert_true(wl_recording_is(path));
    wl_recording *recording = NULL;
    const wl_status opened = wl_recording_open(path, &recording, &err); /* as a file, too */
    CHECK((opened == WL_OK) == (recording != NULL), "%s", err.message);
    wl_recording_free(recording);
    char *bytes = read_file(path, size);
    unlink(path);
    return bytes;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    size_t size;
    char *bytes = written(events, COUNT_OF(events), &size);
    wl_recording *r = NULL;
    wl_error err = {0};
    CHECK(wl_recording_hold("a.wlrec", bytes, size, &r, &err) == WL_OK, "%s", err.message);
    assert_non_null(r);
    CHECK(strcmp(wl_recording_command(r), "./a b c") == 0, "%s", wl_recording_command(r));
    CHECK(!wl_recording_device(r) && !wl_recording_note(r, 0), "a device or a note");
    const wl_recorded_launch *l = wl_recording_launch(r, 0);
    assert_true(l && wl_recording_launch(r, 2) && !wl_recording_launch(r, 3));
    CHECK(strcmp(l->kernel, "keys") == 0 && l->grid[0] == 16 && l->block[0] == 256 && l->stream == 2, "launch 0");
    check_near("launch 0", "time", l->time_s, 2e-6, 0);
    CHECK(l->start_s < 0 && !l->like && l->kind == 0 && l->registers == 40, "launch 0");
    CHECK(wl_recording_launch(r, 1)->like && wl_recording_launch(r, 1)->kind == 0, "launch 1");
    CHECK(wl_recording_launch(r, 2)->kind == 0 && !wl_recording_launch(r, 2)->like, "addresses tell launches apart");
    CHECK(wl_recording_event(r, 1)->kind == WL_RECORDED_COPY && wl_recording_event(r, 1)->direction == WL_COPY_DTOH,
          "copy");
    CHECK(wl_recording_event(r, 2)->kind == WL_RECORDED_WAIT && wl_recording_event(r, 2)->stream < 0, "wait");
    CHECK(wl_recording_event(r, 4) && !wl_recording_event(r, 5), "events");

    /* the kernel of a launch is predicted as with arguments in words */
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_predictor *predictor = NULL;
    wl_prediction *prediction = NULL;
    wl_launch launch;
    double loads = 0;
    int64_t registers = 0;
    assert_int_equal(wl_recording_kernel(r, 1, &(wl_ptx_options){0}, &launch, &kernel, &err), WL_OK);
    CHECK(wl_kernel_registers(kernel, &registers) && registers == 40, "%lld registers", (long long)registers);
    assert_int_equal(wl_device_builtin("h200", &device, &err), WL_OK);
    assert_int_equal(wl_predictor_new(kernel, device, &predictor, &err), WL_OK);
    assert_int_equal(wl_prediction_new(&prediction, &err), WL_OK);
    assert_int_equal(wl_predict(predictor, &launch, NULL, prediction, &err), WL_OK);
    CHECK(wl_prediction_metric(prediction, WL_METRIC_inst_global_ld, &loads), "no loads");
    check_near("keys", "loads", loads, 128, 0);
    wl_prediction_free(prediction);
    wl_predictor_free(predictor);
    wl_device_free(device);
    wl_kernel_free(kernel);
    wl_recording_free(r);
    free(bytes);
    check_done();
}

static void a_file_is_valid_up_to_its_last_whole_record(void **state)
{
    (void)state;
    size_t size, before = 0;
    char *bytes = written(events, COUNT_OF(events), &size);
    for (size_t end = 0; end <= size; end++) {
        wl_recording *r = NULL;
        wl_error err = {0};
        char *part = malloc(end + 1); /* so that memory checkers see reads beyond it */
        assert_non_null(part);
        memcpy(part, bytes, end);
        const wl_status status = wl_recording_hold("a.wlrec", part, end, &r, &err);
        CHECK((status == WL_OK) == (end >= WL_RECORD_MAGIC_BYTES), "%zu bytes: %s", end, err.message);
        size_t count = 0;
        while (r && wl_recording_event(r, count))
            count++;
        CHECK(count >= before && count <= 5, "%zu bytes: %zu events after %zu", end, count, before);
        before = count;
        const char *note = r ? wl_recording_note(r, 0) : NULL;
        CHECK(!note || strstr(note, "ends early"), "%zu bytes: %s", end, note);
        wl_recording_free(r);
        free(part);
    }
    CHECK(before == 5, "%zu events", before);
    free(bytes);
    check_done();
}

static void damaged_bytes_are_no_crash(void **state)
{
    (void)state;
    size_t size, noticed = 0;
    char *bytes = written(events, COUNT_OF(events), &size);
    for (size_t at = 0; at < size; at++) {
        wl_recording *r = NULL;
        const wl_ptx *ptx = NULL;
        wl_error err = {0};
        bytes[at] = (char)(bytes[at] ^ 0x41);
        wl_status status = wl_recording_hold("a.wlrec", bytes, size, &r, &err);
        if (status == WL_OK && wl_recording_launch(r, 0))
            status = wl_recording_module(r, 0, &ptx, &err);
        noticed += status != WL_OK || wl_recording_note(r, 0) || !wl_recording_launch(r, 2);
        CHECK(status == WL_OK || err.message[0], "byte %zu: no message", at);
        wl_recording_free(r);
        bytes[at] = (char)(bytes[at] ^ 0x41);
    }
    CHECK(noticed > size * 9 / 10, "only %zu of %zu damaged bytes are noticed", noticed, size);
    free(bytes);
    check_done();
}

static void wrong_events_get_a_message(void **state)
{
    (void)state;
#define HEAD "{\"event\": \"launch\", \"id\": 0, \"kernel\": \"k\", \"module\": 7, "
#define SIZES "\"grid\": [1, 1, 1], \"block\": [32, 1, 1], \"shared\": 0, \"stream\": 0, "
    static const struct {
        const char *event, *says;
    } wrong[] = {
        {"[]", "is no JSON object"},
        {"{\"event\": ", "is no JSON object"},
        {"{\"event\": \"program\", \"version\": 2}", "version is not one that this version of warpline reads"},
        {"{\"event\": \"module\", \"module\": 7}", "module is the number of another one"},
        {"{\"event\": \"module\", \"module\": 8, \"ptx\": \"12\"}", "ptx must be a digest"},
        {"{\"event\": \"copy\", \"direction\": \"up\"}", "direction must be"},
        {"{\"event\": \"copy\", \"direction\": \"htod\", \"bytes\": -1}", "bytes must be a whole number"},
        {"{\"event\": \"copy\", \"direction\": \"htod\", \"bytes\": 1e300}", "bytes must be a whole number"},
        {"{\"event\": \"mark\", \"stream\": 0}", "mark must be"},
        {"{\"event\": \"launch\", \"id\": 0, \"kernel\": \"k\", \"module\": 3}", "not the number of an earlier module"},
        {HEAD "\"grid\": [1, 1]}", "grid must be an array of three"},
        {HEAD "\"grid\": [1, 1, 1], \"block\": [32, 0, 1]}", "block must be"},
        {HEAD SIZES "\"like\": 5}", "like is not the number of an earlier launch"},
        {HEAD SIZES "\"time\": -1}", "time must be a time"},
        {HEAD SIZES "\"params\": \"0\"}", "params must be bytes"},
        {HEAD SIZES "\"params\": \"zz\"}", "params must be bytes"},
        {HEAD SIZES "\"params\": \"\", \"buffers\": [{\"address\": \"7f\"}]}", "address must be an address"},
        {HEAD SIZES "\"params\": \"\", \"buffers\": [{\"address\": \"0x8\", \"bytes\": 8}, {\"address\": \"0x9\", "
                    "\"bytes\": 8}]}",
         "buffers must be sorted"},
        {HEAD SIZES "\"params\": \"\", \"pointers\": [[0, 0, 0]]}", "pointers must be offsets"},
        {HEAD SIZES "\"params\": \"00\", \"maps\": [{\"at\": 0, \"map\": \"00\"}]}", "maps must be of 128 bytes"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const char *lines[] = {events[0], events[1], wrong[i].event};
        size_t size;
        char *bytes = written(lines, COUNT_OF(lines), &size);
        wl_recording *r = NULL;
        wl_error err = {0};
        CHECK(wl_recording_hold("a.wlrec", bytes, size, &r, &err) == WL_E_INPUT, "%s is accepted", wrong[i].event);
        CHECK(strstr(err.message, wrong[i].says) && strstr(err.message, "at byte"), "%s: %s", wrong[i].event,
              err.message);
        wl_recording_free(r);
        free(bytes);
    }
    check_done();
}

/* Sizes that no file of this length can have take no memory. */
static void sizes_are_not_believed(void **state)
{
    (void)state;
    wl_record_head head = {.kind = WL_RECORD_EVENT, .flags = WL_RECORD_ZSTD, .stored = 16, .bytes = (uint64_t)1 << 40};
    uint8_t bytes[WL_RECORD_MAGIC_BYTES + sizeof head + 16] = WL_RECORD_MAGIC;
    wl_recording *r = NULL;
    wl_error err = {0};
    memcpy(bytes + WL_RECORD_MAGIC_BYTES, &head, sizeof head);
    CHECK(wl_recording_hold("a.wlrec", bytes, sizeof bytes, &r, &err) == WL_E_INPUT, "accepted");
    CHECK(strstr(err.message, "sizes contradict each other"), "%s", err.message);
    CHECK(wl_recording_hold("a.wlrec", "no recording", 12, &r, &(wl_error){0}) == WL_E_INPUT, "accepted");
    check_done();
}

static void digests_find_numbers(void **state)
{
    (void)state;
    wl_digest_map map = {0};
    size_t number = 0;
    for (size_t i = 0; i < 1000; i++)
        CHECK(wl_digest_map_add(&map, (wl_digest){{i / 10, i % 10}}, i), "no memory");
    for (size_t i = 0; i < 1000; i++)
        CHECK(wl_digest_map_find(&map, (wl_digest){{i / 10, i % 10}}, &number) && number == i, "%zu", i);
    CHECK(!wl_digest_map_find(&map, (wl_digest){{100, 0}}, &number), "found");
    wl_digest_map_free(&map);
    char text[WL_DIGEST_TEXT];
    wl_digest digest = wl_digest_of("abc", 3), again;
    wl_digest_text(digest, text);
    CHECK(wl_digest_read(text, &again) && memcmp(&digest, &again, sizeof digest) == 0, "%s", text);
    CHECK(!wl_digest_read("12", &again) && !wl_digest_read("", &again), "no digest");
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),   cmocka_unit_test(a_file_is_valid_up_to_its_last_whole_record),
        cmocka_unit_test(damaged_bytes_are_no_crash), cmocka_unit_test(wrong_events_get_a_message),
        cmocka_unit_test(sizes_are_not_believed),     cmocka_unit_test(digests_find_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
