/* mutate_ptx.c - changes PTX line by line, for libFuzzer: what comes out is PTX more often than
 * bytes changed at random. SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LINES_MAX 1024
#define LINE_LENGTH 240

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static uint64_t state;

static size_t draw(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* # is a register number, @ a number, but for the @ of a guard. */
static const char *const lines[] = {
    "mov.u32 %r#, %tid.x;",
    "mov.u32 %r#, %tid.y;",
    "mov.u32 %r#, %ctaid.x;",
    "mov.u32 %r#, %ctaid.y;",
    "mov.u32 %r#, %ntid.x;",
    "mov.u32 %r#, %nctaid.x;",
    "mov.u32 %r#, %laneid;",
    "mov.u32 %r#, @;",
    "mov.u64 %rd#, @;",
    "add.s32 %r#, %r#, %r#;",
    "add.s32 %r#, %r#, @;",
    "sub.s32 %r#, %r#, %r#;",
    "mul.lo.s32 %r#, %r#, %r#;",
    "mul.lo.s32 %r#, %r#, @;",
    "mul.hi.u32 %r#, %r#, @;",
    "mul.hi.s32 %r#, %r#, %r#;",
    "mad.lo.s32 %r#, %r#, %r#, %r#;",
    "mul.wide.s32 %rd#, %r#, @;",
    "mul.wide.u32 %rd#, %r#, %r#;",
    "div.s32 %r#, %r#, %r#;",
    "div.u32 %r#, %r#, @;",
    "rem.s32 %r#, %r#, @;",
    "rem.u32 %r#, %r#, %r#;",
    "and.b32 %r#, %r#, @;",
    "or.b32 %r#, %r#, %r#;",
    "xor.b32 %r#, %r#, %r#;",
    "xor.b32 %r#, %r#, @;",
    "not.b32 %r#, %r#;",
    "neg.s32 %r#, %r#;",
    "abs.s32 %r#, %r#;",
    "shl.b32 %r#, %r#, @;",
    "shr.u32 %r#, %r#, @;",
    "shr.s32 %r#, %r#, %r#;",
    "min.s32 %r#, %r#, %r#;",
    "max.u32 %r#, %r#, @;",
    "bfe.u32 %r#, %r#, @, @;",
    "cvt.s64.s32 %rd#, %r#;",
    "cvt.u32.u64 %r#, %rd#;",
    "add.s64 %rd#, %rd#, %rd#;",
    "add.s64 %rd#, %rd#, @;",
    "mul.lo.s64 %rd#, %rd#, %rd#;",
    "shl.b64 %rd#, %rd#, @;",
    "shr.u64 %rd#, %rd#, @;",
    "and.b64 %rd#, %rd#, @;",
    "div.s64 %rd#, %rd#, %rd#;",
    "setp.lt.s32 %p#, %r#, %r#;",
    "setp.ge.u32 %p#|%p#, %r#, @;",
    "setp.eq.s32 %p#, %r#, @;",
    "setp.ne.and.s32 %p#, %r#, @, %p#;",
    "setp.gt.u64 %p#, %rd#, @;",
    "and.pred %p#, %p#, %p#;",
    "xor.pred %p#, %p#, %p#;",
    "not.pred %p#, %p#;",
    "selp.b32 %r#, %r#, %r#, %p#;",
    "selp.b64 %rd#, %rd#, @, %p#;",
    "@%p# bra END;",
    "@!%p# bra L;",
    "@%p# add.s32 %r#, %r#, @;",
    "@%p# exit;",
    "L:",
    "M:",
    "bra M;",
    "@%p# bra M;",
    "ld.global.u32 %r#, [%rd#];",
    "ld.global.f32 %f#, [%rd#+@];",
    "ld.global.v2.u32 {%r#, %r#}, [%rd#];",
    "@%p# st.global.u32 [%rd#], %r#;",
    "st.shared.u32 [%r#], %r#;",
    "ld.shared.f32 %f#, [%r#+@];",
    "ld.u8 %r#, [%rd#];",
    "atom.global.add.u32 %r#, [%rd#], %r#;",
    "red.shared.max.s32 [%r#], %r#;",
    "shfl.sync.bfly.b32 %r#|%p#, %r#, @, 31, -1;",
    "vote.sync.ballot.b32 %r#, %p#, -1;",
    "bar.sync 0;",
    "bar.sync @, 64;",
    "mov.b64 {%r#, %r#}, %rd#;",
    "mov.b64 %rd#, {%r#, %r#};",
    ".shared .align 4 .b8 s[256];",
    "mov.u32 %r#, s;",
    "prmt.b32 %r#, %r#, %r#, @;",
    "add.cc.u32 %r#, %r#, %r#;",
    "addc.u32 %r#, %r#, 0;",
    "cvt.s8.s32 %r#, %r#;",
    "set.lt.u32.s32 %r#, %r#, @;",
    /* what compilers make of common statements */
    "T: .branchtargets L, M, END;\nrem.u32 %r7, %r#, 3;\nbrx.idx %r7, T;",
    "add.s32 %r#, %r#, 1;\nsetp.lt.s32 %p7, %r#, @;\n@%p7 bra L;",
    "mad.lo.s32 %r#, %r#, %r#, %r#;\nsetp.ge.s32 %p7, %r#, %r#;\n@%p7 bra END;",
    "setp.ge.s32 %p7, %r#, %r#;\n@%p7 ret;",
    "setp.eq.s32 %p7, %r#, @;\n@%p7 bra M;",
    "and.b32 %r7, %r#, 255;\nmul.wide.u32 %rd7, %r7, 4;\nadd.s64 %rd7, %rd#, %rd7;\nld.global.u32 %r#, [%rd7];",
    "mul.wide.u32 %rd7, %r#, 16;\nadd.s64 %rd7, %rd#, %rd7;\n@%p# ld.global.v4.u32 {%r#, %r#, %r#, %r#}, [%rd7];",
    "@%p# red.global.add.u32 [%rd#+@], %r#;",
    "and.b32 %r7, %r#, 63;\nshl.b32 %r7, %r7, 2;\nmov.u32 %r8, s;\nadd.s32 %r7, %r7, %r8;\nst.shared.u32 [%r7], %r#;",
    "bar.sync 0;\nld.shared.u32 %r#, [%r7];\nbar.sync 0;",
    /* barrier objects, and what signals them */
    ".shared .align 8 .b8 s[512];",
    "mbarrier.init.shared::cta.b64 [s+@], @;",
    "mbarrier.inval.shared.b64 [s];",
    "mbarrier.arrive.shared::cta.b64 %rd#, [s+8];",
    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r#], @;",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [s+8], @;",
    "mbarrier.arrive.noComplete.shared.b64 %rd#, [s], @;",
    "mbarrier.arrive_drop.shared.b64 %rd#, [s];",
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s+8], @;",
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r#], @;",
    "mbarrier.pending_count.b64 %r#, %rd#;",
    "W@:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [s+8], %r#;\n@!%p7 bra W@;",
    "W@:\nmbarrier.test_wait.shared::cta.b64 %p7, [s+8], %rd#;\n@!%p7 bra W@;",
    "setp.ne.u32 %p8, %r4, 0;\n@!%p8 mbarrier.init.shared.b64 [s+8], 1;\nbar.sync 0;",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [s+8];",
    "@!%p8 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+16], [%rd#], @, [s+8];",
    "cp.async.bulk.global.shared::cta.bulk_group [%rd#], [s+16], @;",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r#], [s], 16, [%r#];",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd#], [s+16], @;",
    "cp.async.bulk.prefetch.L2.global [%rd#], @;",
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read @;",
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s+16], [%rd#, {%r#, %r#}], [s+8];",
    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], [%rd#, {@, @, @, @}], "
    "[s+8], {@, @};",
    "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd#, {%r#, @}], [s+16];",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd#, {@, @}], [s+16];",
    "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd#], @, %r#;",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [s], %rd#;",
    /* tensor memory */
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], @;\nld.shared.u32 %r#, [s];",
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r#, @;",
    "tcgen05.mma.cta_group::1.kind::f16 [%r#], %rd#, %rd#, 0x08400010, %p#;",
    "tcgen05.mma.cta_group::2.kind::tf32 [%r#], [%r#], %rd#, %r#, %p#;",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [s+8];",
    "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r#, %r#}, [%r#];\ntcgen05.wait::ld.sync.aligned;",
    "tcgen05.cp.cta_group::1.128x256b [%r#], %rd#;",
    /* clusters */
    "mov.u32 %r#, %cluster_ctarank;",
    "mapa.shared::cluster.u32 %r#, %r#, @;",
    "ld.shared::cluster.u32 %r#, [%r#];",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r#], %r#, [%r#];",
    "barrier.cluster.arrive;\nbarrier.cluster.wait;",
    "red.relaxed.cluster.shared::cluster.add.u32 [%r#], %r#;",
    /* tickets, locks and pointers of any space */
    "atom.acq_rel.gpu.global.add.u32 %r#, [%rd#], 1;\nsetp.eq.u32 %p7, %r#, @;\n@!%p7 bra END;",
    "L@:\natom.acquire.gpu.global.cas.b32 %r7, [%rd#], 0, 1;\nsetp.ne.u32 %p7, %r7, 0;\n@%p7 bra L@;",
    "L@:\nld.acquire.gpu.global.u32 %r7, [%rd#+@];\nsetp.eq.u32 %p7, %r7, %r#;\n@%p7 bra L@;",
    "st.release.gpu.global.u32 [%rd#+@], %r#;",
    "atom.global.exch.b32 %r#, [%rd#], %r#;",
    "cvta.shared.u64 %rd#, %rd#;",
    "cvta.to.shared.u64 %rd#, %rd#;",
    "mov.u64 %rd7, s;\ncvta.shared.u64 %rd7, %rd7;\nselp.b64 %rd#, %rd7, %rd#, %p#;",
    "ld.u32 %r#, [%rd#];",
    "st.u32 [%rd#+@], %r#;",
    "atom.add.u32 %r#, [%rd#], %r#;",
    "isspacep.shared %p#, %rd#;",
};

static const char *number(void)
{
    static const char *const numbers[] = {"0",           "1",          "2",     "3",    "4",    "5",     "7",
                                          "8",           "16",         "31",    "32",   "33",   "63",    "64",
                                          "127",         "128",        "255",   "1000", "1024", "4095",  "65535",
                                          "65536",       "-1",         "-2",    "-32",  "-128", "-1000", "2147483647",
                                          "-2147483648", "4294967295", "-65536"},
                             *const large[] = {"9223372036854775807",  "-9223372036854775808", "1152921504606846976",
                                               "-1152921504606846975", "4611686018427387904",  "1431655766"};
    return draw(8) ? numbers[draw(sizeof numbers / sizeof *numbers)] : large[draw(sizeof large / sizeof *large)];
}

static const char *register_number(void)
{
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    return numbers[draw(sizeof numbers / sizeof *numbers)];
}

/* Writes a line with its blanks filled in; its length. */
static size_t fill(char *out)
{
    size_t n = 0;
    for (const char *c = lines[draw(sizeof lines / sizeof *lines)]; *c && n < LINE_LENGTH - 32; c++) {
        if (*c == '#' || (*c == '@' && c[1] != '%' && c[1] != '!'))
            n += (size_t)snprintf(out + n, 24, "%s", *c == '#' ? register_number() : number());
        else
            out[n++] = *c;
    }
    out[n++] = '\n';
    return n;
}

/* Puts a piece in the place of some bytes. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t at, size_t removed, const void *piece,
                     size_t length)
{
    if (size - removed + length > max_size)
        return size;
    memmove(data + at + length, data + at + removed, size - at - removed);
    memcpy(data + at, piece, length);
    return size - removed + length;
}

static size_t change_number(uint8_t *data, size_t size, size_t max_size, size_t from, size_t end)
{
    size_t places[LINE_LENGTH], n = 0;
    for (size_t i = from; i < end && n < LINE_LENGTH; i++)
        if (isdigit(data[i]) && (i == from || !isdigit(data[i - 1])))
            places[n++] = i;
    if (n == 0)
        return size;
    const size_t at = places[draw(n)];
    size_t length = 1;
    while (at + length < end && isdigit(data[at + length]))
        length++;
    char text[24];
    const bool reg = at > from && (isalpha(data[at - 1]) || data[at - 1] == '%');
    const size_t written = (size_t)snprintf(text, sizeof text, "%s", reg ? register_number() : number());
    return splice(data, size, max_size, at, length, text, written);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    size_t begin[LINES_MAX + 1], n = 0;
    char line[LINE_LENGTH];
    state = seed;
    if (size == 0 || draw(8) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (size_t i = 0; i < size && n < LINES_MAX; i++)
        if (i == 0 || data[i - 1] == '\n')
            begin[n++] = i;
    begin[n] = size;
    const size_t i = draw(n), from = begin[i], length = begin[i + 1] - from;
    switch (draw(6)) {
    case 0: /* a copy elsewhere */
        if (length > sizeof line)
            return size;
        memcpy(line, data + from, length);
        return splice(data, size, max_size, begin[draw(n)], 0, line, length);
    case 1: return splice(data, size, max_size, from, length, "", 0);
    case 2: return splice(data, size, max_size, from, length, line, fill(line));
    case 3:
    case 4: return splice(data, size, max_size, from, 0, line, fill(line));
    default: return change_number(data, size, max_size, from, from + length);
    }
}
