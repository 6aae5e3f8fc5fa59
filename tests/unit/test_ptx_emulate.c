/* test_ptx_emulate.c - what emulated warps execute, write and touch: small kernels with known
 * answers. SPDX-License-Identifier: MIT */
#include "unit/ptx_fixture.h"

/* Thread t writes %r1 (32 bits) to out[t]. in and n are the other arguments; %r2 is the thread,
 * %rd2 = in, %r3 = n. */
#define BEGIN                                                                                                          \
    PTX_HEAD ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"                                  \
             ".reg .pred %p<8>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<8>; "                             \
             ".shared .align 8 .b8 tile[4096];\n"                                                                      \
             "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r3, [n];\n"                             \
             "mov.u32 %r2, %tid.x; mov.u32 %r1, 0;\n"
#define END "DONE:\nmul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], %r1;\nret;\n}\n"
/* The body starts at line 12. */

typedef struct kernel_case {
    const char *name, *body, *in;
    const char *n;
    int64_t threads;
    int32_t (*want)(int32_t thread); /* NULL: unknown */
} kernel_case;

static int32_t thread_number(int32_t t) { return t; }
static int32_t odd_even(int32_t t) { return t % 2 ? 3 * t : t + 100; }
static int32_t steps_sum(int32_t t) { return t * (t + 1) / 2; }
static int32_t nested(int32_t t) { return t < 8 ? (t < 4 ? 1 : 2) : 3; }
static int32_t switched(int32_t t) { return (int32_t[]){10, 20, 30, 10}[t % 4]; }
static int32_t sum_32(int32_t t) { return (void)t, 32 * 31 / 2; }
static int32_t sum_128(int32_t t) { return (void)t, 128 * 127 / 2; }
static int32_t shifted_up(int32_t t) { return t % 32 < 3 ? t % 32 : t - 3; }
static int32_t odd_lanes(int32_t t) { return (void)t, (int32_t)0xaaaaaaaa; }
static int32_t same_lanes(int32_t t) { return (int32_t)(0x11111111u << t % 4); }
static int32_t order(int32_t t) { return t; }
static int32_t seven(int32_t t) { return (void)t, 7; }
static int32_t fibonacci(int32_t t)
{
    int32_t a = 0, b = 1;
    for (int32_t k = 0; k < t % 8; k++) {
        const int32_t next = a + b;
        a = b;
        b = next;
    }
    return a;
}
static int32_t from_iota(int32_t t) { return 5 + 2 * t; }
static int32_t turned(int32_t t) { return 31 - t; }
static int32_t half_done(int32_t t) { return t < 16 ? 1 : 2; }
static int32_t doubled(int32_t t) { return 2 * t; }
static int32_t votes(int32_t t) { return (void)t, 40; }
static int32_t packed(int32_t t) { return t << 16 | (t + 1); }
static int32_t carried(int32_t t) { return t == 0 ? 0 : 1; }
static int32_t shared_window(int32_t t) { return t * 5; }
static int32_t largest(int32_t t) { return (void)t, 31; }
static int32_t second_of_four(int32_t t) { return 4 * t + 2; }
static int32_t five_more(int32_t t) { return 5 + t; }
static int32_t consumed(int32_t t) { return t < 32 ? 10 : 0; }
static int32_t second_of_two(int32_t t) { return 6 + 2 * t; }
static int32_t one(int32_t t) { return (void)t, 1; }
static int32_t thrice(int32_t t) { return 3 * t; }

/* Lane l has 2 l and 2 l + 1, below each other: of two neighbours in a row, lane and half. */
static int32_t turned_halves(int32_t t)
{
    const int32_t row = t / 4, column = 2 * (t % 4);
    const int32_t left = 2 * (4 * column + row / 2) + row % 2, right = 2 * (4 * (column + 1) + row / 2) + row % 2;
    return left | right << 16;
}
/* Of lanes that store to one address, the first of the last 128 bytes of a warp. */
static int32_t first_of_all(int32_t t) { return (void)t, 0; }
static int32_t first_of_half(int32_t t) { return (void)t, 16; }
static int32_t first_of_quarter(int32_t t) { return (void)t, 24; }
static int32_t first_of_some(int32_t t) { return (void)t, 5; }
static int32_t first_of_each(int32_t t) { return t % 4; }
static int32_t matrix_row(int32_t t) { return t / 4 * 16 + t % 4 * 4; }

static const kernel_case cases[] = {
    {"nothing", "mov.u32 %r1, %r2;\n", "buf:64", "0", 64, thread_number},
    {"divergence",
     "and.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra EVEN;\nmul.lo.u32 %r1, %r2, 3;\nbra.uni DONE;\nEVEN:\n"
     "add.u32 %r1, %r2, 100;\n",
     "buf:64", "0", 64, odd_even},
    {"different trip counts",
     "mov.u32 %r4, 0;\nLOOP:\nsetp.ge.u32 %p1, %r4, %r2;\n@%p1 bra DONE;\nadd.u32 %r4, %r4, 1;\n"
     "add.u32 %r1, %r1, %r4;\nbra LOOP;\n",
     "buf:64", "0", 64, steps_sum},
    {"nested branches",
     "setp.lt.u32 %p1, %r2, 8;\n@!%p1 bra OUTER;\nsetp.lt.u32 %p2, %r2, 4;\n@%p2 bra INNER;\nmov.u32 %r1, 2;\n"
     "bra DONE;\nINNER:\nmov.u32 %r1, 1;\nbra DONE;\nOUTER:\nmov.u32 %r1, 3;\n",
     "buf:64", "0", 32, nested},
    {"a branch table",
     "and.b32 %r4, %r2, 3;\nT: .branchtargets A, B, C, A;\nbrx.idx %r4, T;\nA:\nmov.u32 %r1, 10;\nbra DONE;\n"
     "B:\nmov.u32 %r1, 20;\nbra DONE;\nC:\nmov.u32 %r1, 30;\n",
     "buf:64", "0", 32, switched},
    {"a guard", "setp.lt.u32 %p1, %r2, 16;\n@%p1 mov.u32 %r1, 1;\n@!%p1 mov.u32 %r1, 2;\n", "buf:64", "0", 32,
     half_done},
    {"a sum by shuffles",
     "mov.u32 %r1, %r2;\nmov.u32 %r5, 16;\nL:\nshfl.sync.bfly.b32 %r4|%p1, %r1, %r5, 31, -1;\n"
     "add.u32 %r1, %r1, %r4;\nshr.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra L;\n",
     "buf:64", "0", 32, sum_32},
    {"shuffle up",
     "shfl.sync.up.b32 %r1, %r2, 3, 0, -1;\nand.b32 %r4, %r2, 31;\nsetp.lt.u32 %p1, %r4, 3;\n@%p1 mov.u32 %r1, %r4;\n",
     "buf:64", "0", 64, shifted_up},
    {"ballot", "and.b32 %r4, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\nvote.sync.ballot.b32 %r1, !%p1, -1;\n", "buf:64", "0",
     64, odd_lanes},
    {"match", "and.b32 %r4, %r2, 3;\nmatch.any.sync.b32 %r1, %r4, -1;\n", "buf:64", "0", 32, same_lanes},
    {"redux", "redux.sync.max.u32 %r1, %r2, -1;\n", "buf:64", "0", 32, largest},
    {"a sum in shared memory",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\nbar.sync 0;\n"
     "mov.u32 %r7, 64;\nL:\nsetp.ge.u32 %p1, %r2, %r7;\n@%p1 bra SKIP;\nshl.b32 %r8, %r7, 2;\nadd.u32 %r9, %r6, %r8;\n"
     "ld.shared.u32 %r10, [%r9];\nld.shared.u32 %r11, [%r6];\nadd.u32 %r11, %r11, %r10;\nst.shared.u32 [%r6], "
     "%r11;\nSKIP:\n"
     "bar.sync 0;\nshr.u32 %r7, %r7, 1;\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra L;\nld.shared.u32 %r1, [tile];\n",
     "buf:64", "0", 128, sum_128},
    {"stores to one word", "st.global.u32 [%rd2], %r2;\nld.global.u32 %r1, [%rd2];\n", "buf:64", "0", 32, first_of_all},
    {"stores to one byte", "st.shared.u8 [tile], %r2;\nld.shared.u8 %r1, [tile];\n", "buf:64", "0", 32, first_of_all},
    {"stores of 8 bytes to one place",
     "cvt.u64.u32 %rd4, %r2;\nst.global.u64 [%rd2], %rd4;\nld.global.u32 %r1, [%rd2];\n", "buf:64", "0", 32,
     first_of_half},
    {"stores of 16 bytes to one place",
     "st.shared.v4.u32 [tile], {%r2, %r2, %r2, %r2};\nld.shared.u32 %r1, [tile + 8];\n", "buf:64", "0", 32,
     first_of_quarter},
    {"stores of some lanes to one word",
     "mov.u32 %r1, 5;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra DONE;\nst.shared.u32 [tile], %r2;\n"
     "ld.shared.u32 %r1, [tile];\n",
     "buf:64", "0", 32, first_of_some},
    {"stores to four words",
     "and.b32 %r4, %r2, 3;\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r2;\n"
     "ld.global.u32 %r1, [%rd4];\n",
     "buf:64", "0", 32, first_of_each},
    {"other warps' data behind a barrier",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\nbarrier.sync 0;\n"
     "xor.b32 %r5, %r5, 252;\nadd.u32 %r6, %r4, %r5;\nld.shared.u32 %r1, [%r6];\nsub.u32 %r1, 63, %r1;\n",
     "buf:64", "0", 64, order},
    {"atomics in the order of lanes",
     "mov.u32 %r4, tile;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 st.shared.u32 [%r4], 0;\nbar.warp.sync -1;\n"
     "atom.shared.add.u32 %r1, [%r4], 1;\n",
     "buf:64", "0", 32, order},
    {"compare and swap", "mov.u32 %r4, tile;\nst.shared.u32 [%r4], 7;\natom.shared.cas.b32 %r1, [%r4], 7, 7;\n",
     "buf:64", "0", 32, seven},
    {"generic addresses",
     "mov.u64 %rd4, tile;\ncvta.shared.u64 %rd5, %rd4;\nmul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd6, %rd5, %rd6;\n"
     "mul.lo.u32 %r4, %r2, 5;\nst.u32 [%rd6], %r4;\ncvta.to.shared.u64 %rd7, %rd6;\nld.shared.u32 %r1, [%rd7];\n"
     "isspacep.shared %p1, %rd6;\n@!%p1 mov.u32 %r1, 0;\n",
     "buf:64", "0", 32, shared_window},
    {"known data", "mul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd4, %rd2, %rd4;\nld.global.nc.u32 %r1, [%rd4];\n",
     "buf:4K=iota:u32:5", "0", 32, from_iota},
    {"own writes",
     "mul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r2;\nbar.sync 0;\nsub.u32 %r4, 31, "
     "%r2;\n"
     "mul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd5, %rd2, %rd5;\nld.global.u32 %r1, [%rd5];\n",
     "buf:4K", "0", 32, turned},
    {"vectors",
     "mul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd4, %rd2, %rd4;\nadd.u32 %r4, %r2, %r2;\nst.global.v2.u32 [%rd4], {%r4, "
     "%r2};\n"
     "ld.global.v2.u32 {%r1, _}, [%rd4];\n",
     "buf:4K", "0", 32, doubled},
    {"packing",
     "add.u32 %r4, %r2, 1;\nmov.b64 %rd4, {%r4, %r2};\nmov.b64 {%r5, %r6}, %rd4;\nshl.b32 %r6, %r6, 16;\nor.b32 %r1, "
     "%r5, %r6;\n",
     "buf:64", "0", 32, packed},
    {"carry", "neg.s32 %r4, 1;\nadd.cc.u32 %r5, %r4, %r2;\naddc.u32 %r1, 0, 0;\n", "buf:64", "0", 32, carried},
    {"an early exit",
     "setp.lt.u32 %p1, %r2, 16;\n@!%p1 bra GO;\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd1, %rd4;\n"
     "st.global.u32 [%rd4], 1;\nexit;\nGO:\nmov.u32 %r1, 2;\nbar.sync 0;\n",
     "buf:64", "0", 32, half_done},
    {"votes at a barrier", "setp.lt.u32 %p1, %r2, 40;\nbar.red.popc.u32 %r1, 0, %p1;\n", "buf:64", "0", 64, votes},
    {"a barrier object",
     "mov.u32 %r4, tile;\nsetp.ne.u32 %p1, %r2, 0;\n@!%p1 mbarrier.init.shared.b64 [tile+4088], 64;\nbar.sync 0;\n"
     "shl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\n"
     "mbarrier.arrive.shared.b64 %rd4, [tile+4088];\nW:\n"
     "mbarrier.try_wait.parity.shared.b64 %p2, [tile+4088], 0;\n@!%p2 bra W;\nxor.b32 %r5, %r5, 252;\n"
     "add.u32 %r6, %r4, %r5;\nld.shared.u32 %r1, [%r6];\nsub.u32 %r1, 63, %r1;\n",
     "buf:64", "0", 64, order},
    {"a test of a barrier object's state",
     "mov.u32 %r4, tile;\nsetp.ne.u32 %p1, %r2, 0;\n@!%p1 mbarrier.init.shared.b64 [tile+4088], 64;\nbar.sync 0;\n"
     "shl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\n"
     "mbarrier.arrive.shared.b64 %rd4, [tile+4088];\nW:\n"
     "mbarrier.test_wait.shared.b64 %p2, [tile+4088], %rd4;\n@!%p2 bra W;\nxor.b32 %r5, %r5, 252;\n"
     "add.u32 %r6, %r4, %r5;\nld.shared.u32 %r1, [%r6];\nsub.u32 %r1, 63, %r1;\n",
     "buf:64", "0", 64, order},
    {"a bulk copy",
     "setp.ne.u32 %p1, %r2, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [tile+4088], 1;\nbar.sync 0;\n@%p1 bra W;\n"
     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [tile+4088], 256;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd2], 256, [tile+4088];\nW:\n"
     "mbarrier.try_wait.parity.shared::cta.b64 %p2, [tile+4088], 0;\n@!%p2 bra W;\nshl.b32 %r5, %r2, 2;\n"
     "mov.u32 %r4, tile;\nadd.u32 %r6, %r4, %r5;\nld.shared.u32 %r1, [%r6];\n",
     "buf:4K=iota:u32:5", "0", 64, five_more},
    /* four numbers, one stage: the consumer frees it, the producer fills it */
    {"a producer and consumers",
     "setp.ne.u32 %p1, %r2, 0;\n@!%p1 mbarrier.init.shared.b64 [tile+4080], 32;\n"
     "@!%p1 mbarrier.init.shared.b64 [tile+4088], 1;\nbar.sync 0;\nmov.u32 %r7, 0;\nsetp.lt.u32 %p2, %r2, 32;\n"
     "@%p2 bra TAKE;\nsetp.ne.u32 %p3, %r2, 32;\n@%p3 bra DONE;\nGIVE:\nand.b32 %r8, %r7, 1;\nxor.b32 %r8, %r8, 1;\n"
     "FREE:\nmbarrier.try_wait.parity.shared.b64 %p4, [tile+4080], %r8;\n@!%p4 bra FREE;\nadd.u32 %r7, %r7, 1;\n"
     "st.shared.u32 [tile], %r7;\nmbarrier.arrive.shared.b64 _, [tile+4088];\nsetp.lt.u32 %p5, %r7, 4;\n@%p5 bra "
     "GIVE;\n"
     "bra DONE;\nTAKE:\nand.b32 %r8, %r7, 1;\nFULL:\nmbarrier.try_wait.parity.shared.b64 %p4, [tile+4088], %r8;\n"
     "@!%p4 bra FULL;\nld.shared.u32 %r9, [tile];\nadd.u32 %r1, %r1, %r9;\n"
     "mbarrier.arrive.shared.b64 _, [tile+4080];\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p5, %r7, 4;\n@%p5 bra TAKE;\n",
     "buf:64", "0", 64, consumed},
    /* the second element holds 6 + 2 t before: iota counts from 5 */
    {"an atomic of two elements",
     "mul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd4, %rd2, %rd4;\nmov.b32 %f1, 0f00000000;\n"
     "atom.global.add.v2.f32 {%f2, %f3}, [%rd4], {%f1, %f1};\ncvt.rzi.s32.f32 %r1, %f3;\n",
     "buf:4K=iota:f32:5", "0", 32, second_of_two},
    {"shared memory of a block of the cluster",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\n"
     "mapa.shared::cluster.u32 %r7, %r6, 0;\nld.shared::cluster.u32 %r1, [%r7];\n",
     "buf:64", "0", 32, thread_number},
    {"a launch without clusters", "mov.u32 %r1, %cluster_nctarank;\n", "buf:64", "0", 32, one},
    {"an unknown number times 0",
     "ld.global.u32 %r4, [%rd2];\nmul.lo.u32 %r5, %r4, 0;\nand.b32 %r6, %r4, 0;\nadd.u32 %r1, %r5, %r6;\n"
     "add.u32 %r1, %r1, %r2;\n",
     "buf:64", "0", 32, thread_number},
    {"an unknown choice not taken",
     "ld.global.u32 %r4, [%rd2];\nsetp.lt.u32 %p1, %r2, 100;\nselp.b32 %r1, %r2, %r4, %p1;\n", "buf:64", "0", 32,
     thread_number},
    {"an unknown number", "ld.global.u32 %r4, [%rd2];\nadd.u32 %r1, %r4, 1;\n", "buf:64", "0", 32, NULL},
    {"unknown shared memory", "ld.shared.u32 %r1, [tile];\n", "buf:64", "0", 32, NULL},
    {"an unknown guard", "ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 mov.u32 %r1, 5;\n", "buf:64", "0",
     32, NULL},
    {"an unknown atomic", "atom.global.add.u32 %r1, [%rd2], 1;\n", "buf:64", "0", 32, NULL},
    {"a matrix from shared memory",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nand.b32 %r7, %r5, 65535;\nst.shared.u32 [%r6], "
     "%r5;\nbar.warp.sync -1;\n"
     "shl.b32 %r8, %r2, 4;\nadd.u32 %r8, %r4, %r8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];\n",
     "buf:64", "0", 32, matrix_row},
    {"a matrix to shared memory",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 4;\nadd.u32 %r6, %r4, %r5;\nmul.lo.u32 %r7, %r2, 3;\n"
     "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r7};\nbar.warp.sync -1;\n"
     "shl.b32 %r8, %r2, 2;\nadd.u32 %r8, %r4, %r8;\nld.shared.u32 %r1, [%r8];\n",
     "buf:64", "0", 32, thrice},
    {"a matrix to shared memory, transposed",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 4;\nadd.u32 %r6, %r4, %r5;\nmul.lo.u32 %r7, %r2, 131074;\n"
     "add.u32 %r7, %r7, 65536;\n"
     "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r6], {%r7};\nbar.warp.sync -1;\n"
     "shl.b32 %r8, %r2, 2;\nadd.u32 %r8, %r4, %r8;\nld.shared.u32 %r1, [%r8];\n",
     "buf:64", "0", 32, turned_halves},
    {"transposed matrices to shared memory and back",
     "mov.u32 %r4, tile;\nshl.b32 %r8, %r2, 4;\nadd.u32 %r8, %r4, %r8;\nmov.u32 %r5, 7;\n"
     "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r8], {%r5, %r2};\nbar.warp.sync -1;\n"
     "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r6, %r1}, [%r8];\n",
     "buf:64", "0", 32, thread_number},
    {"128 bits, which are unknown",
     "{ .reg .b128 %q; ld.global.b128 %q, [%rd2]; st.shared.b128 [tile], %q; }\nld.shared.u32 %r1, [tile+8];\n",
     "buf:64=zero", "0", 32, NULL},
    {"copies to shared memory",
     "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 4;\nadd.u32 %r6, %r4, %r5;\nmul.wide.u32 %rd4, %r2, 16;\nadd.s64 %rd4, "
     "%rd2, %rd4;\n"
     "cp.async.cg.shared.global [%r6], [%rd4], 16;\ncp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r1, [%r6+4];\n",
     "buf:4K=iota:u32:1", "0", 32, second_of_four},
};
static void check_values(const kernel_case *c, ptx_run *r)
{
    for (int32_t t = 0; t < c->threads; t++) {
        bool known = false;
        const int32_t got = (int32_t)(uint32_t)ptx_written(r, 0, 4 * t, 4, &known);
        const int32_t want = c->want ? c->want(t) : 0;
        if (known != (c->want != NULL) || (c->want && got != want)) {
            print_error("%s: thread %d writes %d%s, not %d%s\n", c->name, t, got, known ? "" : " (unknown)", want,
                        c->want ? "" : " (unknown)");
            check_failures++;
            return;
        }
    }
}

static void test_values(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        const kernel_case *c = &cases[k];
        char text[8192];
        ptx_run r;
        const char *const args[] = {"buf:4K", c->in, c->n};
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, c->body, END);
        const wl_status status = ptx_start(&r, text, args, 3, (int64_t[]){c->threads, 1, 1}, (int64_t[]){1, 1, 1});
        check_ok(c->name, status, &r.err);
        if (status == WL_OK) {
            check_ok(c->name,
                     wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, &r.profile, NULL, NULL, &r.err),
                     &r.err);
            check_values(c, &r);
        }
        ptx_end(&r);
    }
    check_done();
}

/* ---- counts ---- */

static void check_count(const ptx_run *r, const char *name, int32_t line, const double want[4])
{
    const int32_t i = ptx_on_line(r, line);
    const double got[4] = {r->profile.warps[i], r->profile.threads[i], r->profile.threads_on[i],
                           r->profile.diverged[i]};
    static const char *const what[4] = {"warps", "threads", "threads with a true guard", "diverged"};
    for (int k = 0; k < 4; k++)
        check_near(name, what[k], got[k], want[k], 0);
}

/* Starts and runs block 0; the caller frees the run. */
static wl_status run_text(ptx_run *r, const char *text, const char *const args[3], int64_t threads)
{
    wl_status status = ptx_start(r, text, args, 3, (int64_t[]){threads, 1, 1}, (int64_t[]){4, 1, 1});
    if (status == WL_OK)
        status = wl_ptx_emulate_block(r->emulator, (int64_t[]){0, 0, 0}, -1, &r->profile, NULL, NULL, &r->err);
    return status;
}

static void test_counts(void **state)
{
    (void)state;
    static const char text[] = BEGIN "setp.lt.u32 %p1, %r2, 8;\n" /* line 12 */
                                     "@!%p1 bra ELSE;\n"
                                     "add.u32 %r1, %r1, 1;\n"
                                     "bra JOIN;\nELSE:\n"
                                     "add.u32 %r1, %r1, 2;\nJOIN:\n" /* line 17 */
                                     "@%p1 add.u32 %r1, %r1, 3;\n"   /* 19 */
                                     "mov.u32 %r4, 0;\nLOOP:\n"
                                     "add.u32 %r4, %r4, 1;\n" /* 22 */
                                     "setp.le.u32 %p2, %r4, %r2;\n"
                                     "@%p2 bra LOOP;\n" /* 24 */ END;
    ptx_run r;
    check_ok("counts", run_text(&r, text, (const char *const[]){"buf:4K", "buf:64", "0"}, 40), &r.err);
    check_count(&r, "comparison", 12, (double[]){2, 40, 40, 0});
    check_count(&r, "branch", 13, (double[]){2, 40, 32, 1});
    check_count(&r, "then", 14, (double[]){1, 8, 8, 0});
    check_count(&r, "else", 17, (double[]){2, 32, 32, 0});
    check_count(&r, "together again, guarded", 19, (double[]){2, 40, 8, 0});
    /* 32 + 40 iterations; 1 + 2 + .. + 40 threads */
    check_count(&r, "loop", 22, (double[]){72, 820, 820, 0});
    check_count(&r, "loop's branch", 24, (double[]){72, 820, 780, 38});
    /* lanes leave after 1 .. 32 trips, and 33 .. 40: copies of 4 trips as often as the longest has
     * them, then one copy of 2 and one of 1 */
    check_near("loop's branch", "rungs", r.profile.rungs[ptx_on_line(&r, 24)], 32 + 2 + 1 - 32 + (40 + 2 + 1 - 40), 0);
    check_true("counts", "nothing assumed", wl_ptx_assumption_count(r.emulator) == 0);
    ptx_end(&r);
    check_done();
}

/* Lanes that leave a condition or a loop from inside do not keep the others apart. Executions of
 * the marked line by one warp of 32 threads, whose number is %r2. */
static void test_jumps(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        int32_t line;
        double warps, threads;
    } rows[] = {
        {"a return inside a condition",
         "setp.lt.u32 %p1, %r2, 16;\n@%p1 bra ELSE;\nadd.u32 %r4, %r2, 1;\nsetp.gt.u32 %p2, %r2, 24;\n@%p2 exit;\n"
         "ELSE:\nadd.u32 %r4, %r2, 2;\n",
         18, 1, 25},
        {"a return inside a loop",
         "mov.u32 %r4, 0;\nLOOP:\nsetp.ge.u32 %p1, %r4, %r2;\n@%p1 bra OUT;\nsetp.eq.u32 %p2, %r2, 20;\n@%p2 exit;\n"
         "add.u32 %r4, %r4, 1;\nbra LOOP;\nOUT:\nadd.u32 %r4, %r2, 2;\n",
         21, 1, 31},
        {"a break inside a condition",
         "mov.u32 %r4, 0;\nLOOP:\nand.b32 %r5, %r2, 1;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra JOIN;\n"
         "setp.eq.u32 %p2, %r2, 7;\n@%p2 bra OUT;\nJOIN:\nadd.u32 %r4, %r4, 1;\n"
         "setp.lt.u32 %p1, %r4, 4;\n@%p1 bra LOOP;\nOUT:\nadd.u32 %r4, %r2, 2;\n",
         20, 4, 124},
        {"behind that loop",
         "mov.u32 %r4, 0;\nLOOP:\nand.b32 %r5, %r2, 1;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra JOIN;\n"
         "setp.eq.u32 %p2, %r2, 7;\n@%p2 bra OUT;\nJOIN:\nadd.u32 %r4, %r4, 1;\n"
         "setp.lt.u32 %p1, %r4, 4;\n@%p1 bra LOOP;\nOUT:\nadd.u32 %r4, %r2, 2;\n",
         24, 1, 32},
        {"a continue inside a condition",
         "mov.u32 %r4, 0;\nLOOP:\nand.b32 %r5, %r2, 1;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra JOIN;\n"
         "setp.eq.u32 %p2, %r2, 7;\n@%p2 bra NEXT;\nJOIN:\nadd.u32 %r6, %r2, 2;\nNEXT:\nadd.u32 %r4, %r4, 1;\n"
         "setp.lt.u32 %p1, %r4, 4;\n@%p1 bra LOOP;\n",
         20, 4, 124},
    };
    const char *const args[] = {"buf:4K", "buf:64", "0"};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[8192];
        ptx_run r;
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, rows[k].body, END);
        check_ok(rows[k].name, run_text(&r, text, args, 32), &r.err);
        const int32_t i = ptx_on_line(&r, rows[k].line);
        check_near(rows[k].name, "warps", r.profile.warps[i], rows[k].warps, 0);
        check_near(rows[k].name, "threads", r.profile.threads[i], rows[k].threads, 0);
        ptx_end(&r);
    }
    check_done();
}

/* ---- calls ---- */

#define FUNCTIONS                                                                                                      \
    ".func (.param .b32 result) fibonacci(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"                    \
    "ld.param.u32 %r1, [n];\nmov.u32 %r5, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra OUT;\n"                             \
    "{\n.param .b32 a;\n.param .b32 b;\nsub.u32 %r2, %r1, 1;\nst.param.b32 [a], %r2;\n"                                \
    "call.uni (b), fibonacci, (a);\nld.param.b32 %r3, [b];\n}\n"                                                       \
    "{\n.param .b32 a;\n.param .b32 b;\nsub.u32 %r2, %r1, 2;\nst.param.b32 [a], %r2;\n"                                \
    "call.uni (b), fibonacci, (a);\nld.param.b32 %r4, [b];\n}\nadd.u32 %r5, %r3, %r4;\n"                               \
    "OUT:\nst.param.b32 [result], %r5;\nret;\n}\n"                                                                     \
    ".func (.param .b32 result) twice(.param .b32 n)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"                        \
    ".local .align 4 .b8 depot[16];\nmov.u64 %rd1, depot;\nld.param.u32 %r1, [n];\nst.local.u32 [%rd1+4], %r1;\n"      \
    "cvta.local.u64 %rd2, %rd1;\nld.u32 %r2, [%rd2+4];\nadd.u32 %r2, %r2, %r1;\nst.param.b32 [result], "               \
    "%r2;\nret;\n}\n"                                                                                                  \
    ".func forever(.param .b32 n)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [n];\n{\n.param .b32 a;\nst.param.b32 [a], " \
    "%r1;\n"                                                                                                           \
    "call forever, (a);\n}\nret;\n}\n"                                                                                 \
    ".extern .func (.param .b32 result) elsewhere(.param .b32 n)\n;\n"                                                 \
    ".extern .func __assertfail(.param .b64 m)\n;\n"
#define CALL(what)                                                                                                     \
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r4;\ncall (b), " what ", (a);\nld.param.b32 %r1, [b];\n}\n"

static const char *with_functions(const char *body)
{
    static char text[8192];
    const char *begin = BEGIN;
    const size_t head = strlen(PTX_HEAD);
    (void)snprintf(text, sizeof text, "%s%s%s%s%s", PTX_HEAD, FUNCTIONS, begin + head, body, END);
    return text;
}

static void test_calls(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        int32_t (*want)(int32_t);
    } rows[] = {
        {"recursion", "and.b32 %r4, %r2, 7;\n" CALL("fibonacci"), fibonacci},
        {"local memory", "mov.u32 %r4, %r2;\n" CALL("twice"), doubled},
        {"an indirect call",
         "and.b32 %r4, %r2, 7;\nmov.u64 %rd4, fibonacci;\nmov.u64 %rd5, fibonacci;\nsetp.lt.u32 %p1, %r2, 5;\n"
         "selp.b64 %rd6, %rd4, %rd5, %p1;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r4;\n"
         "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd6, (a), P;\nld.param.b32 %r1, [b];\n}\n",
         fibonacci},
        {"a function without a body", "mov.u32 %r4, %r2;\n" CALL("elsewhere"), NULL},
    };
    const char *const args[] = {"buf:4K", "buf:64", "0"};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        ptx_run r;
        const kernel_case c = {rows[k].name, NULL, NULL, NULL, 64, rows[k].want};
        check_ok(c.name, run_text(&r, with_functions(rows[k].body), args, 64), &r.err);
        if (r.emulator)
            check_values(&c, &r);
        check_true(c.name, "an assumed call is noted", !r.emulator || ptx_assumed(&r, WL_PTX_ASSUMED_CALL) == !c.want);
        ptx_end(&r);
    }
    check_done();
}

/* Lanes with different targets are called one group after another. */
static void test_different_targets(void **state)
{
    (void)state;
    ptx_run r;
    const char *const args[] = {"buf:4K", "buf:64", "0"};
    const char *body =
        "and.b32 %r4, %r2, 7;\nmov.u64 %rd4, fibonacci;\nmov.u64 %rd5, twice;\nsetp.lt.u32 %p1, %r2, 5;\n"
        "selp.b64 %rd6, %rd4, %rd5, %p1;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r4;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd6, (a), P;\nld.param.b32 %r1, [b];\n}\n";
    check_ok("targets", run_text(&r, with_functions(body), args, 32), &r.err);
    for (int32_t t = 0; r.emulator && t < 32; t++) {
        bool known = false;
        check_int("targets", "result", (int64_t)ptx_written(&r, 0, 4 * t, 4, &known),
                  t < 5 ? fibonacci(t) : 2 * (t % 8));
        check_true("targets", "known", known);
    }
    ptx_end(&r);
    check_done();
}

/* ---- assumptions ---- */

static void test_assumptions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        wl_ptx_assumed what;
        int32_t line; /* whose executions are checked */
        double warps, threads_on;
    } rows[] = {
        {"an unknown branch is not taken",
         "ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra DONE;\nadd.u32 %r1, %r1, 1;\n",
         WL_PTX_ASSUMED_BRANCH, 15, 1, 32},
        {"an unknown branch goes where 0 goes",
         "ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra DONE;\nadd.u32 %r1, %r1, 1;\n",
         WL_PTX_ASSUMED_BRANCH, 15, 0, 0},
        {"a negated unknown branch is taken",
         "ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@!%p1 bra DONE;\nadd.u32 %r1, %r1, 1;\n",
         WL_PTX_ASSUMED_BRANCH, 15, 0, 0},
        {"a loop is left at its end", "L:\nld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\n",
         WL_PTX_ASSUMED_LOOP, 13, 1, 32},
        {"a loop is left, negated", "L:\nld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 0;\n@!%p1 bra L;\n",
         WL_PTX_ASSUMED_LOOP, 13, 1, 32},
        {"the only exit is taken",
         "L:\nld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra DONE;\nadd.u32 %r1, %r1, 1;\nbra L;\n",
         WL_PTX_ASSUMED_LOOP, 16, 0, 0},
        {"with a known exit the other is not",
         "L:\nld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra DONE;\n"
         "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 100;\n@%p2 bra L;\n",
         WL_PTX_ASSUMED_BRANCH, 16, 100, 3200},
        {"two unknown exits",
         "L:\nld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra DONE;\nadd.u32 %r1, %r1, 1;\n"
         "@%p1 bra DONE;\nbra L;\n",
         WL_PTX_ASSUMED_LOOP, 13, 33, 1056},
        {"an unknown store", "ld.global.u32 %r4, [%rd2];\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 st.global.u32 [%rd2], 1;\n",
         WL_PTX_ASSUMED_BRANCH, 14, 1, 0},
        {"an unknown address",
         "ld.global.u32 %r4, [%rd2];\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd4, %rd2;\nld.global.u32 %r5, "
         "[%rd4];\n",
         WL_PTX_ASSUMED_ADDRESS, 15, 1, 32},
        {"a barrier that half the warps reach", "setp.lt.u32 %p1, %r2, 16;\n@%p1 bra DONE;\nL:\nbar.sync 1, 64;\n",
         WL_PTX_ASSUMED_BARRIER, 15, 1, 16},
        {"the clock", "mov.u32 %r4, %clock;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra DONE;\n", WL_PTX_ASSUMED_BRANCH, 14, 1,
         0},
        {"a texture", "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%rd2, {%r2}];\n", WL_PTX_ASSUMED_TEXTURE, 12, 1, 32},
    };
    const char *const args[] = {"buf:4K", "buf:64", "0"};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[8192];
        ptx_run r;
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, rows[k].body, END);
        check_ok(rows[k].name, run_text(&r, text, args, 32), &r.err);
        if (r.emulator) {
            const int32_t i = ptx_on_line(&r, rows[k].line);
            check_near(rows[k].name, "warps", r.profile.warps[i], rows[k].warps, 0);
            check_near(rows[k].name, "threads", r.profile.threads_on[i], rows[k].threads_on, 0);
            check_true(rows[k].name, "noted", ptx_assumed(&r, rows[k].what));
        }
        ptx_end(&r);
    }
    check_done();
}

/* ---- touches ---- */

typedef struct touches {
    int count;
    wl_ptx_touch last;
    uint64_t sum;
} touches;

static wl_status keep(void *user, const wl_ptx_touch *touch, wl_error *err)
{
    touches *t = user;
    (void)err;
    t->count++;
    t->last = *touch;
    for (uint32_t lane = 0; lane < WL_PTX_LANES; lane++)
        if (touch->lanes >> lane & 1)
            t->sum = t->sum * 31 + touch->address[lane];
    return WL_OK;
}

static void test_touches(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        wl_ptx_space space;
        bool store, atomic;
        int bytes;
        uint32_t lanes, unknown;
        /* address of lane l: that of `in`, or 0, + first + l step; step 0: not checked */
        int64_t first, step;
    } rows[] = {
        {"a load",
         "mul.wide.u32 %rd4, %r2, 8;\nadd.s64 %rd4, %rd4, %rd2;\nld.global.v2.f32 {%f1, %f2}, [%rd4+16];\nexit;\n",
         WL_PTX_GLOBAL, false, false, 8, UINT32_MAX, 0, 16, 8},
        {"a guarded store",
         "mul.wide.u32 %rd4, %r2, 2;\nadd.s64 %rd4, %rd4, %rd2;\nsetp.lt.u32 %p1, %r2, 4;\n@%p1 st.global.u16 [%rd4], "
         "1;\nexit;\n",
         WL_PTX_GLOBAL, true, false, 2, 15, 0, 0, 2},
        {"an atomic",
         "mul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd4, %rd2;\nred.global.add.f32 [%rd4], 0f3f800000;\nexit;\n",
         WL_PTX_GLOBAL, true, true, 4, UINT32_MAX, 0, 0, 4},
        {"shared memory",
         "shl.b32 %r4, %r2, 3;\nmov.u32 %r5, tile;\nadd.u32 %r4, %r4, %r5;\nst.shared.u64 [%r4+8], %rd1;\nexit;\n",
         WL_PTX_SHARED, true, false, 8, UINT32_MAX, 0, 8, 8},
        {"generic shared memory",
         "shl.b32 %r4, %r2, 3;\ncvt.u64.u32 %rd4, %r4;\nmov.u64 %rd5, tile;\ncvta.shared.u64 %rd5, %rd5;\n"
         "add.s64 %rd4, %rd4, %rd5;\nld.u64 %rd6, [%rd4];\nexit;\n",
         WL_PTX_SHARED, false, false, 8, UINT32_MAX, 0, 0, 8},
        {"an assumed address",
         "ld.global.u32 %r4, [%rd2];\nmul.wide.u32 %rd4, %r4, 4;\nadd.s64 %rd4, %rd4, %rd2;\nld.global.u32 %r5, "
         "[%rd4];\nexit;\n",
         WL_PTX_GLOBAL, false, false, 4, UINT32_MAX, UINT32_MAX, 0, 0},
    };
    const char *const args[] = {"buf:4K", "buf:1M", "0"};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[8192];
        ptx_run r;
        touches t = {0}, again = {0};
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, rows[k].body, END);
        check_ok(rows[k].name, ptx_start(&r, text, args, 3, (int64_t[]){32, 1, 1}, (int64_t[]){4, 1, 1}), &r.err);
        check_ok(rows[k].name, wl_ptx_emulate_block(r.emulator, (int64_t[]){1, 0, 0}, -1, NULL, keep, &t, &r.err),
                 &r.err);
        check_ok(rows[k].name, wl_ptx_emulate_block(r.emulator, (int64_t[]){1, 0, 0}, 0, NULL, keep, &again, &r.err),
                 &r.err);
        check_int(rows[k].name, "space", t.last.space, rows[k].space);
        check_true(rows[k].name, "kind", t.last.store == rows[k].store && t.last.atomic == rows[k].atomic);
        check_int(rows[k].name, "bytes", t.last.bytes, rows[k].bytes);
        check_int(rows[k].name, "lanes", t.last.lanes, rows[k].lanes);
        check_int(rows[k].name, "unknown", t.last.unknown, rows[k].unknown);
        check_true(rows[k].name, "the same again", t.sum == again.sum && t.count == again.count);
        const wl_ptx_buffer *in = &r.arguments.buffers[1];
        const uint64_t base = rows[k].space == WL_PTX_GLOBAL ? in->base : 0;
        for (uint32_t lane = 0; lane < WL_PTX_LANES; lane++) {
            if (rows[k].step && rows[k].lanes >> lane & 1)
                check_int(rows[k].name, "address", (int64_t)(t.last.address[lane] - base),
                          rows[k].first + (int64_t)lane * rows[k].step);
            else if (!rows[k].step)
                check_true(rows[k].name, "an element of the buffer",
                           t.last.address[lane] >= base && t.last.address[lane] < base + 1048576 &&
                               t.last.address[lane] % 4 == 0);
        }
        ptx_end(&r);
    }
    check_done();
}

/* ---- failures ---- */

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        const char *name, *body;
        expected_error want;
    } rows[] = {
        {"past the end",
         "mul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd4, %rd2;\nld.global.f32 %f1, [%rd4+4000];\n",
         {WL_E_BOUNDS,
          "thread (24, 0, 0) of block (0, 0, 0): 'ld.global.f32 %f1, [%rd4+4000]' reads 4 bytes at offset 4096 of arg "
          "1, which has 4096",
          14, 1}},
        {"before the start",
         "ld.global.f32 %f1, [%rd2+-4];\n",
         {WL_E_BOUNDS,
          "thread (0, 0, 0) of block (0, 0, 0): 'ld.global.f32 %f1, [%rd2+-4]' reads 4 bytes at offset -4 of arg 1", 12,
          1}},
        {"a store",
         "st.global.v4.f32 [%rd2+4096], {%f1, %f1, %f1, %f1};\n",
         {WL_E_BOUNDS, "writes 16 bytes at offset 4096 of arg 1", 12, 1}},
        {"misaligned", "ld.global.f32 %f1, [%rd2+2];\n", {WL_E_INPUT, "which is not a multiple", 12, 1}},
        {"null", "mov.u64 %rd4, 0;\nld.global.f32 %f1, [%rd4+8];\n", {WL_E_BOUNDS, "a null pointer", 13, 1}},
        {"no buffer",
         "mov.u64 %rd4, 123456789;\nld.global.f32 %f1, [%rd4+3];\n",
         {WL_E_BOUNDS, "which is in no buffer", 13, 1}},
        {"shared memory",
         "mov.u32 %r4, tile;\nst.shared.u32 [%r4+4096], %r2;\n",
         {WL_E_BOUNDS, "offset 4096 of shared memory, which has 4096", 13, 1}},
        {"an endless loop",
         "L:\nadd.u32 %r1, %r1, 1;\nbra L;\n",
         {WL_E_LIMIT, "is not done after 1000000 warp instructions", 13, 1}},
    };
    const char *const args[] = {"buf:4K", "buf:4K", "0"};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        char text[8192];
        ptx_run r;
        (void)snprintf(text, sizeof text, "%s%s%s", BEGIN, rows[k].body, END);
        const wl_status status = run_text(&r, text, args, 32);
        expected_error want = rows[k].want;
        if (want.code == WL_E_LIMIT)
            want.line = r.err.loc.line; /* either of two */
        check_error(rows[k].name, status, &r.err, &want);
        check_text(rows[k].name, "input", r.err.input, "test.ptx");
        ptx_end(&r);
    }
    ptx_run r;
    const wl_status status = run_text(
        &r, with_functions("mov.u32 %r4, 1;\n{\n.param .b32 a;\nst.param.b32 [a], %r4;\ncall forever, (a);\n}\n"), args,
        32);
    check_true("recursion", "a limit", status == WL_E_LIMIT && strstr(r.err.message, "calls more than 64 deep"));
    ptx_end(&r);
    check_done();
}

/* With a lenient launch, lanes outside of a buffer go nowhere: the others go on. */
static void test_outside(void **state)
{
    (void)state;
    const char *const args[] = {"buf:4K", "buf:64=iota", "0"};
    const char *text = BEGIN "mul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd4, %rd4, %rd2;\nld.global.u32 %r1, [%rd4];\n"
                             "st.global.u32 [%rd4], %r1;\nld.shared.u32 %r5, [tile+8192];\n" END;
    const wl_outside *list;
    ptx_run r;
    check_ok("outside", ptx_start(&r, text, args, 3, (int64_t[]){32, 1, 1}, (int64_t[]){1, 1, 1}), &r.err);
    wl_ptx_emulator_free(r.emulator);
    r.launch.lenient = true;
    check_ok("outside", wl_ptx_emulator_new(&r.launch, &r.emulator, &r.err), &r.err);
    check_ok("outside", wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, -1, NULL, NULL, NULL, &r.err), &r.err);
    check_int("outside", "instructions", (int64_t)wl_ptx_outside(r.emulator, &list), 3);
    check_int("outside", "thread", list[0].thread[0], 16);
    check_int("outside", "offset", list[0].offset, 64);
    check_text("outside", "buffer", list[0].buffer, "arg 1");
    check_true("outside", "a load", !list[0].store && list[1].store);
    check_true("outside", "shared memory", strstr(list[2].text, "offset 8192 of shared memory") != NULL);
    for (int lane = 0; lane < 32; lane++) {
        bool known;
        const uint64_t value = ptx_written(&r, 0, 4 * lane, 4, &known);
        check_true("outside", "lanes inside load what is there",
                   known == (lane < 16) && (!known || value == (uint64_t)lane));
    }
    ptx_end(&r);
    check_done();
}

/* An emulator works after a failure, and a warp alone executes the same as with the others. */
static void test_one_warp(void **state)
{
    (void)state;
    const char *const args[] = {"buf:4K", "buf:4K", "0"};
    const char *text =
        BEGIN "mov.u32 %r4, tile;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r2;\n"
              "bar.sync 0;\nld.shared.u32 %r1, [tile+256];\n" END;
    ptx_run r;
    check_ok("one warp", ptx_start(&r, text, args, 3, (int64_t[]){128, 1, 1}, (int64_t[]){1, 1, 1}), &r.err);
    for (int warp = 0; warp < 4; warp++) {
        bool known = false;
        check_ok("one warp", wl_ptx_emulate_block(r.emulator, (int64_t[]){0, 0, 0}, warp, NULL, NULL, NULL, &r.err),
                 &r.err);
        const uint64_t value = ptx_written(&r, 0, 128 * warp, 4, &known);
        check_true("one warp", "only its own data is known", known == (warp == 2) && (!known || value == 64));
    }
    ptx_end(&r);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_counts),
                                       cmocka_unit_test(test_jumps),
                                       cmocka_unit_test(test_calls),
                                       cmocka_unit_test(test_different_targets),
                                       cmocka_unit_test(test_assumptions),
                                       cmocka_unit_test(test_touches),
                                       cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_one_warp),
                                       cmocka_unit_test(test_outside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
