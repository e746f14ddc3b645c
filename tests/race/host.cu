/* The simple call on main memory: threads of the CPU and the caller's share the chunks, the buffers and what they know
   of each other's speed. */
#define CHECK_ALONE
#include "../small_tree.h"

#define SHARE_TOLD
#include "../share.h"
#include "../check.h"

#include <pthread.h>

DEFINE_REDUCE(u64, trace)

enum { N = 50000, THREADS = 3 };
static u64 elements[N];
static char partials[REDUCE_MAX_CHUNKS * sizeof(u64)] __attribute__((aligned(64)));

static void *work(void *share)
{
    reduce_thread_works_((struct reduce_work_ *)share, false);
    return NULL;
}

/* As reduce_work_together_, by threads of the system: the sanitizer does not know how OpenMP's threads wait. */
static void share_among_threads(const u64 *in, enum reduce_reach_ reach)
{
    u64 got = 0;
    reduce_slot_ words[REDUCE_MAX_CHUNKS];
    pthread_t threads[THREADS];
    struct reduce_work_ share;
    const struct reduce_cpu_ cpu = reduce_u64_trace_on_cpu_();
    const reduce_u64_trace_input_ input = {in};
    struct reduce_range_ array = REDUCE_RANGE_(in, N, u64);
    const struct reduce_call_ call = {&cpu, &input, sizeof input, &array, 1, N,
                                      reduce_u64_trace_is_dense_, false, reduce_u64_trace_kernel_start_};
    memset(&share, 0, sizeof share);
    share.call_ = &call;
    share.cut_ = reduce_cut_(N, sizeof(u64));
    share.partials_ = partials;
    share.threads_ = THREADS + 1;
    share.guess_ = 1000;
    share.gpu_.reach_ = reach;
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, work, &share);
    reduce_thread_works_(&share, true);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    CHECK((cudaError_t)share.status_);
    CHECK(reduce_gpu_wait_(&share.gpu_));
    CHECK(reduce_gpu_fetch_(&share, words));
    CHECK(reduce_gpu_end_(&share.gpu_));
    reduce_cpu_fold_partials_(&cpu, partials, share.cut_.count_, &got);
    cr_expect(got == reduce_u64_trace_cpu(elements, N), "%s", BITS(got));
}

int main(void)
{
    u64 *pinned;
    need_gpu();
    fill_u64(elements, N, 4);
    CHECK(cudaMallocHost((void **)&pinned, sizeof elements));
    memcpy(pinned, elements, sizeof elements);
    for (int k = 0; k < 4; k++) {
        sharing.guess = k % 2 == 0 ? 1e-6 : 1e9;
        share_among_threads(pinned, REDUCE_IN_PLACE_);
        share_among_threads(elements, REDUCE_BY_THREADS_);
        share_among_threads(elements, REDUCE_BY_CUDA_);
    }
    CHECK(cudaFreeHost(pinned));
    return 0;
}
