/* The runtime's functions: streams, events, graphs, memory, errors. */
#include <thread>
#include "case.h"

static __global__ void store(int *p, int v) { *p = v; }
static __global__ void increment(int *p) { *p += 1; }

CASE(work_is_late, "pa", 0, "") {
  int *p;
  cudaStream_t s;
  OK(cudaMallocManaged(&p, sizeof *p));
  OK(cudaStreamCreate(&s));
  *p = 1;
  store<<<1, 1, 0, s>>>(p, 2);
  CHECK(*p == 1);
  CHECK(cudaStreamQuery(s) == cudaErrorNotReady && cudaGetLastError() == cudaSuccess);  /* not an error, says the guide */
  CHECK(cudaStreamQuery(s) == cudaSuccess && *p == 2);
  store<<<1, 1, 0, s>>>(p, 3);
  CHECK(*p == 2);
  OK(cudaStreamSynchronize(s));
  CHECK(*p == 3);
  int v = 5, *d = device_array<int>(1);
  OK(cudaMemcpyAsync(d, &v, sizeof v, cudaMemcpyHostToDevice, s));
  v = 7;
  OK(cudaMemcpyAsync(p, d, sizeof v, cudaMemcpyDeviceToHost, s));
  CHECK(*p == 3);
  OK(cudaDeviceSynchronize());
  CHECK(*p == 7);
  OK(cudaStreamDestroy(s));
  CHECK(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle && cudaStreamDestroy(s) == cudaErrorInvalidResourceHandle);
  OK(cudaFree(p));
  OK(cudaFree(d));
  CHECK(simt_live_allocations() == 0 && simt_live_bytes() == 0);
}
CASE(legacy_stream, "pa", 0, "") {
  int *p;
  cudaStream_t s, free;
  OK(cudaMallocManaged(&p, 2 * sizeof *p));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
  p[0] = p[1] = 0;
  store<<<1, 1, 0, s>>>(p, 1);
  store<<<1, 1, 0, free>>>(p + 1, 1);
  increment<<<1, 1>>>(p);
  OK(cudaStreamSynchronize(0));
  CHECK(p[0] == 2 && p[1] == 0);
  OK(cudaDeviceSynchronize());
  CHECK(p[1] == 1);
}
CASE(events, "pa", 0, "") {
  int *p;
  cudaStream_t s, t;
  cudaEvent_t a, b;
  float ms = -1;
  OK(cudaMallocHost(&p, sizeof *p));
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&a));
  OK(cudaEventCreateWithFlags(&b, cudaEventDefault));
  *p = 0;
  OK(cudaEventRecord(a, s));
  store<<<1, 1, 0, s>>>(p, 4);
  OK(cudaEventRecord(b, s));
  increment<<<1, 1, 0, s>>>(p);
  CHECK(cudaEventElapsedTime(&ms, a, b) == cudaErrorNotReady);
  OK(cudaStreamWaitEvent(t, b, 0));
  store<<<1, 1, 0, t>>>(p, 9);
  OK(cudaStreamSynchronize(t));
  CHECK(*p == 9);
  OK(cudaEventSynchronize(b));
  OK(cudaEventElapsedTime(&ms, a, b));
  CHECK(ms >= 0);
  OK(cudaStreamSynchronize(s));
  CHECK(*p == 10);
  OK(cudaEventDestroy(a));
  CHECK(cudaEventRecord(a, s) == cudaErrorInvalidResourceHandle);
}
CASE(graphs, "pat", 0, "") {
  int *p = device_array<int>(1), *q = nullptr, h = 0;
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  cudaStreamCaptureStatus status;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(p, 0, sizeof *p, s));
  increment<<<1, 1, 0, s>>>(p);
  increment<<<1, 1, 0, s>>>(p);
  OK(cudaStreamIsCapturing(s, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaStreamEndCapture(s, &g));
  OK(cudaGraphInstantiate(&e, g, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(e, s));
  OK(cudaGraphLaunch(e, s));
  increment<<<1, 1, 0, s>>>(p);
  OK(cudaStreamSynchronize(s));
  CHECK(first_of(p) == 3);
  OK(cudaGraphExecDestroy(e));
  OK(cudaGraphDestroy(g));
  CHECK(cudaGraphLaunch(e, s) != cudaSuccess);

  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CHECK(cudaMalloc(&q, 4) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated && !g);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaMalloc(&q, 4));
  CHECK(cudaMemset(q, 0, 4) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(s, &g) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess && h == 3);
}
static void calls_cuda(void *p) {
  int *q;
  CHECK(cudaMalloc(&q, 4) == cudaErrorNotPermitted && cudaStreamSynchronize(0) == cudaErrorNotPermitted);
  CHECK(cudaMemcpyAsync(p, p, 4, cudaMemcpyDefault, 0) == cudaErrorNotPermitted);
  store<<<1, 1>>>((int *)p, 1);
  CHECK(cudaGetLastError() == cudaErrorNotPermitted && cudaSetDevice(5) == cudaErrorNotPermitted);
  ++*(int *)p;
}
CASE(host_functions, "pat", 0, "") {
  int *p;
  cudaStream_t s;
  OK(cudaMallocHost(&p, sizeof *p));
  OK(cudaStreamCreate(&s));
  store<<<1, 1, 0, s>>>(p, 7);
  OK(cudaLaunchHostFunc(s, calls_cuda, p));
  increment<<<1, 1, 0, s>>>(p);
  OK(cudaStreamSynchronize(s));
  CHECK(*p == 9 && cudaGetLastError() == cudaSuccess && simt_live_allocations() == 1);
}
static void touches_device(void *p) { *(volatile int *)p = 1; }
CASE(host_function_touches_device, "p", 86, "host code touches device memory") {
  OK(cudaLaunchHostFunc(0, touches_device, device_array<int>(1)));
  OK(cudaDeviceSynchronize());
}
CASE(memory_errors, "pa", 0, "") {
  int *p = device_array<int>(10), host[10], *q, *m;
  CHECK(cudaFree(p + 1) == cudaErrorInvalidValue && cudaFree(host) == cudaErrorInvalidValue && cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFreeHost(p) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, p, 44, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(p, host, 40, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(nullptr, p, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemset(host, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMalloc(&q, (size_t)1 << 60) == cudaErrorMemoryAllocation && cudaMalloc(&q, ~(size_t)0) == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, host));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  OK(cudaPointerGetAttributes(&a, p + 9));
  CHECK(a.type == cudaMemoryTypeDevice && a.device == 0 && a.devicePointer == p + 9);
  OK(cudaMallocHost(&q, 4));
  OK(cudaMallocManaged(&m, 4));
  OK(cudaPointerGetAttributes(&a, q));
  CHECK(a.type == cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&a, m));
  CHECK(a.type == cudaMemoryTypeManaged);
  OK(cudaHostRegister(host, sizeof host, 0));
  OK(cudaPointerGetAttributes(&a, host));
  CHECK(a.type == cudaMemoryTypeHost);
  OK(cudaHostUnregister(host));
  CHECK(simt_live_allocations() == 3 && simt_live_bytes() == 48);
  OK(cudaMemPrefetchAsync(m, 4, 0, 0));
  OK(cudaFreeHost(q));
  OK(cudaFree(m));
  OK(cudaFree(p));
  CHECK(cudaFree(p) == cudaErrorInvalidValue);
}
CASE(failures_on_demand, "pa", 0, "") {
  int *p;
  CHECK(simt_fail_after("no such", 1) == -1 && simt_fail_after("malloc", 2) == 0);
  OK(cudaMalloc(&p, 4));
  CHECK(cudaMalloc(&p, 4) == cudaErrorMemoryAllocation);
  OK(cudaMalloc(&p, 4));
  CHECK(simt_calls("malloc") == 3);
  simt_fail_after("launch", 1);
  store<<<1, 1>>>(p, 1);
  CHECK(cudaPeekAtLastError() == cudaErrorLaunchOutOfResources);
  simt_fail_after("sync", 1);
  simt_clear();
  CHECK(cudaPeekAtLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  simt_fail_after("memcpy", 1);
  CHECK(cudaMemcpy(p, p, 4, cudaMemcpyDefault) != cudaSuccess);
}
CASE(failures_of_a_thread, "pa", 0, "") {
  CHECK(simt_fail_own("no such", 1) == -1 && simt_own_calls("no such") == -1);
  std::thread other([] {
    int *p;
    CHECK(simt_fail_own("malloc", 2) == 0 && simt_own_calls("malloc") == 0);
    OK(cudaMalloc(&p, 4));
    std::thread([] { int *q; OK(cudaMalloc(&q, 4)); OK(cudaMalloc(&q, 4)); simt_clear(); }).join();
    CHECK(cudaMalloc(&p, 4) == cudaErrorMemoryAllocation && simt_own_calls("malloc") == 2 && simt_calls("malloc") == 4);
    OK(cudaMalloc(&p, 4));
    simt_fail_own("memset", 1), simt_clear();
    OK(cudaMemset(p, 0, 4));
  });
  other.join();
  int *p;
  OK(cudaMalloc(&p, 4));
  CHECK(simt_own_calls("malloc") == 1 && simt_calls("malloc") == 6);
}
CASE(several_devices, "p", 0, "") {
  int n;
  setenv("SIMT_DEVICES", "2", 1);
  setenv("SIMT_FAIL", "memset:1", 1);
  OK(cudaGetDeviceCount(&n));
  CHECK(n == 2);
  OK(cudaSetDevice(1));
  int *p, *q;
  OK(cudaMalloc(&p, 4));
  CHECK(cudaMemset(p, 0, 4) != cudaSuccess && cudaMemset(p, 0, 4) == cudaSuccess);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, p));
  CHECK(a.device == 1);
  CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&q, 4));
  CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
  store<<<1, 1, 0, s>>>(p, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  cudaEvent_t e;
  OK(cudaEventCreate(&e));
  CHECK(cudaEventRecord(e, s) == cudaErrorInvalidResourceHandle);  /* the event is of device 0, the stream of device 1 */
  OK(cudaEventRecord(e, 0));
  OK(cudaStreamWaitEvent(s, e));
  cudaGraph_t g;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaMemset(q, 0, 4));  /* in the legacy stream of another device */
  OK(cudaStreamEndCapture(s, &g));
}
/* A kernel of one device that waits for one of another. */
static __global__ void meet(int *own, int *other, int *out, int v) {
  __shared__ int got;
  if (threadIdx.x == 0) {
    atomicAdd_system(other, v);
    while (atomicAdd_system(own, 0) == 0) continue;
    got = atomicExch_system(own, 0);
  }
  __syncthreads();
  if (threadIdx.x == 7) *out += got;
}
struct two {
  cudaStream_t s[2];
  int *own[2], *out[2];
};
static two two_devices() {
  two t;
  setenv("SIMT_DEVICES", "2", 1);
  for (int d = 0; d < 2; d++) {
    OK(cudaSetDevice(d));
    OK(cudaStreamCreateWithFlags(&t.s[d], cudaStreamNonBlocking));
    t.own[d] = device_array<int>(1), t.out[d] = device_array<int>(1);
    OK(cudaDeviceSynchronize());
  }
  return t;
}
static void launch_both(const two &t, int v) {
  for (int d = 0; d < 2; d++) {
    OK(cudaSetDevice(d));
    meet<<<1, 64, 0, t.s[d]>>>(t.own[d], t.own[1 - d], t.out[d], v << d);
    OK(cudaGetLastError());
  }
}
CASE(devices_work_together, "pat", 0, "") {
  const two t = two_devices();
  for (int k = 0; k < 3; k++) launch_both(t, 1 << 4 * k);
  OK(cudaStreamSynchronize(t.s[1]));
  OK(cudaStreamSynchronize(t.s[0]));
  CHECK(first_of(t.out[0]) == 0x222 && first_of(t.out[1]) == 0x111);
}
CASE(devices_work_together_in_a_graph, "pat", 0, "") {
  const two t = two_devices();
  cudaEvent_t fork, join;
  cudaGraph_t g;
  cudaGraphExec_t e;
  OK(cudaEventCreate(&join));
  OK(cudaSetDevice(0));
  OK(cudaEventCreate(&fork));
  OK(cudaStreamBeginCapture(t.s[0], cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, t.s[0]));
  OK(cudaStreamWaitEvent(t.s[1], fork));
  for (int k = 0; k < 2; k++) launch_both(t, 1 << 4 * k);
  OK(cudaEventRecord(join, t.s[1]));
  OK(cudaStreamWaitEvent(t.s[0], join));
  OK(cudaSetDevice(0));
  increment<<<1, 1, 0, t.s[0]>>>(t.out[1]);
  OK(cudaGetLastError());
  OK(cudaStreamEndCapture(t.s[0], &g));
  OK(cudaGraphInstantiate(&e, g, 0));
  for (int k = 0; k < 2; k++) OK(cudaGraphLaunch(e, t.s[0]));
  OK(cudaStreamSynchronize(t.s[0]));
  CHECK(first_of(t.out[0]) == 0x44 && first_of(t.out[1]) == 0x24);
  OK(cudaGraphExecDestroy(e));
  OK(cudaGraphDestroy(g));
}
CASE(a_device_waits_in_vain, "p", 86, "a thread has waited") {
  const two t = two_devices();
  OK(cudaSetDevice(0));
  meet<<<1, 64, 0, t.s[0]>>>(t.own[0], t.own[1], t.out[0], 1);
  increment<<<1, 1, 0, t.s[0]>>>(t.out[1]);
  OK(cudaStreamSynchronize(t.s[0]));
}
CASE(peers, "p", 0, "") {
  int can = 0;
  const two t = two_devices();
  (void)t;
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  OK(cudaDeviceCanAccessPeer(&can, 1, 1));
  CHECK(can == 0 && cudaDeviceCanAccessPeer(&can, 0, 2) == cudaErrorInvalidDevice);
  OK(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrNativeAtomicSupported, 1, 0));
  CHECK(can == 1);
  OK(cudaSetDevice(0));
  OK(cudaDeviceEnablePeerAccess(1, 0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
  CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
}
CASE(no_peers, "p", 0, "") {
  int can = 1;
  setenv("SIMT_PEERS", "0", 1);
  two_devices();
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 0 && cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
}
CASE(pageable_access, "p", 0, "") {
  int can[2] = {5, 5};
  cudaDeviceProp prop;
  setenv("SIMT_PAGEABLE", "2", 1);
  two_devices();
  for (int d = 0; d < 2; d++) OK(cudaDeviceGetAttribute(&can[d], cudaDevAttrPageableMemoryAccess, d));
  OK(cudaGetDeviceProperties(&prop, 1));
  CHECK(can[0] == 0 && can[1] == 1 && prop.pageableMemoryAccess == 1);
}
static int count_of_loads(struct dl_phdr_info *info, size_t, void *count) {
  *(unsigned long long *)count = info->dlpi_adds;
  return 7;
}
CASE(driver_is_counted, "p", 0, "") {
  unsigned long long before = 0, after = 0;
  int n;
  CHECK(dl_iterate_phdr(count_of_loads, &before) == 7 && before > 0);
  CHECK(dl_iterate_phdr(count_of_loads, &after) == 7 && after == before && !dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD));
  OK(cudaGetDeviceCount(&n));
  CHECK(dl_iterate_phdr(count_of_loads, &after) == 7 && after == before + 1 && dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD));
}
CASE(no_device, "p", 0, "") {
  int n = 5;
  void *p;
  setenv("SIMT_DEVICES", "0", 1);
  CHECK(cudaGetDeviceCount(&n) == cudaErrorNoDevice && n == 0);
  CHECK(cudaMalloc(&p, 4) == cudaErrorNoDevice && cudaGetLastError() == cudaErrorNoDevice);
  store<<<1, 1>>>(nullptr, 0);
  CHECK(cudaGetLastError() == cudaErrorNoDevice);
  CHECK(!strcmp(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice") && strstr(cudaGetErrorString(cudaErrorNoDevice), "device"));
}
CASE(device_properties, "p", 0, "") {
  cudaDeviceProp prop;
  int v, blocks;
  OK(cudaGetDeviceProperties(&prop, 0));
  OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
  CHECK(prop.multiProcessorCount == v && v > 0 && prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, store, 512, 0));
  CHECK(blocks == 4);
}
