/* fuzz_recording.c - any bytes as a recording. Digests of records are set right first: else nothing
 * but them would be tested. SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "recording/recording_internal.h"

#define LAUNCHES_TRIED 2

static void mend_digests(uint8_t *bytes, size_t size)
{
    wl_record_head head;
    for (size_t at = WL_RECORD_MAGIC_BYTES; at + sizeof head <= size;) {
        memcpy(&head, bytes + at, sizeof head);
        if (head.stored > size - at - sizeof head)
            return;
        if (!(head.flags & WL_RECORD_ZSTD)) {
            const wl_digest digest = wl_digest_of(bytes + at + sizeof head, (size_t)head.stored);
            memcpy(head.digest, digest.word, sizeof head.digest);
            memcpy(bytes + at, &head, sizeof head);
        }
        at += sizeof head + (size_t)head.stored + (size_t)(-head.stored % WL_RECORD_ALIGN);
    }
}

static void check_recording(wl_recording *r)
{
    for (size_t i = 0; wl_recording_event(r, i); i++) {
        const wl_recorded_event *e = wl_recording_event(r, i);
        REQUIRE(e->kind <= WL_RECORDED_WAIT && e->bytes >= 0 && e->stream >= -1);
        REQUIRE(e->kind != WL_RECORDED_LAUNCH || wl_recording_launch(r, e->launch));
    }
    for (size_t i = 0; wl_recording_launch(r, i); i++) {
        const wl_recorded_launch *l = wl_recording_launch(r, i);
        REQUIRE(l->kernel[0] && l->symbol[0] && l->kind <= i && l->grid[0] > 0 && l->block[2] > 0);
    }
    for (size_t i = 0; wl_recording_note(r, i); i++)
        REQUIRE(wl_recording_note(r, i)[0]);
    for (size_t i = 0; i < LAUNCHES_TRIED && wl_recording_launch(r, i); i++) {
        const wl_ptx_options options = {.budget = 20000, .effort = 0.001, .outside = true};
        wl_kernel *kernel = NULL;
        wl_launch launch;
        wl_error err = {0};
        const wl_status status = wl_recording_kernel(r, i, &options, &launch, &kernel, &err);
        fuzz_check_outcome(status, kernel, &err);
        wl_kernel_free(kernel);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = (uint8_t *)fuzz_text(data, size);
    wl_recording *recording = NULL;
    wl_error err = {0};
    mend_digests(bytes, size);
    const wl_status status = wl_recording_hold("fuzz.wlrec", bytes, size, &recording, &err);
    fuzz_check_outcome(status, recording, &err);
    if (status == WL_OK)
        check_recording(recording);
    wl_recording_free(recording);
    free(bytes);
    return 0;
}
