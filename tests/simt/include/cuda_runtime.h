/* A drop-in <cuda_runtime.h> that runs kernels on the CPU. See README.md; the language is in simt_device.h. */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H
#pragma GCC system_header

#include "simt_device.h"

#include <dlfcn.h>
#include <link.h>
#include <new>
#include <utility>

/* The driver, as a program finds it by dlopen("libcuda.so.1", RTLD_NOLOAD): in memory from the first call of the runtime on.
 * dl_iterate_phdr counts it among the libraries that have been loaded. */
extern "C" void *simt_dlopen(const char *file, int mode);
extern "C" int simt_dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data);
#define dlopen(file, mode) simt_dlopen(file, mode)
#define dl_iterate_phdr(callback, data) simt_dl_iterate_phdr(callback, data)

#ifndef CUDART_VERSION /* an earlier one compiles as with that CUDA, and does not link */
#define CUDART_VERSION 13000
#endif
#define CUDART_CB

#define SIMT_ERRORS(X)                                                                                        \
  X(cudaSuccess, 0, "no error")                                                                               \
  X(cudaErrorInvalidValue, 1, "invalid argument")                                                             \
  X(cudaErrorMemoryAllocation, 2, "out of memory")                                                            \
  X(cudaErrorInitializationError, 3, "initialization error")                                                  \
  X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                                       \
  X(cudaErrorInvalidSymbol, 13, "invalid device symbol")                                                      \
  X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                                              \
  X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                                 \
  X(cudaErrorStubLibrary, 34, "CUDA driver is a stub library")                                                \
  X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version")          \
  X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                                            \
  X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                                             \
  X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                                    \
  X(cudaErrorNoKernelImageForDevice, 209, "no kernel image is available for execution on the device")         \
  X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                                           \
  X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")                     \
  X(cudaErrorNotReady, 600, "device not ready")                                                               \
  X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                                 \
  X(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")                            \
  X(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")                                   \
  X(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                                 \
  X(cudaErrorAssert, 710, "device-side assert triggered")                                                     \
  X(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")                                           \
  X(cudaErrorHostMemoryAlreadyRegistered, 712, "part or all of the requested memory range is already mapped") \
  X(cudaErrorHostMemoryNotRegistered, 713, "pointer does not correspond to a registered memory region")       \
  X(cudaErrorMisalignedAddress, 716, "misaligned address")                                                    \
  X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                                \
  X(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")                         \
  X(cudaErrorNotPermitted, 800, "operation not permitted")                                                    \
  X(cudaErrorNotSupported, 801, "operation not supported")                                                    \
  X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")               \
  X(cudaErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")        \
  X(cudaErrorStreamCaptureMerge, 902, "operation would result in a merge of separate capture sequences")      \
  X(cudaErrorStreamCaptureUnmatched, 903, "capture was not ended in the same stream as it began")             \
  X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                                \
  X(cudaErrorStreamCaptureIsolation, 905, "dependency created on uncaptured work in another stream")          \
  X(cudaErrorStreamCaptureImplicit, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
  X(cudaErrorCapturedEvent, 907, "operation not permitted on an event last recorded in a capturing stream")   \
  X(cudaErrorStreamCaptureWrongThread, 908, "attempt to terminate a thread-local capture sequence from another thread") \
  X(cudaErrorUnknown, 999, "unknown error")
#define SIMT_ERROR_ENUM(name, value, text) name = value,
typedef enum cudaError { SIMT_ERRORS(SIMT_ERROR_ENUM) } cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum { cudaIpcMemLazyEnablePeerAccess = 1 };
typedef struct { char reserved[64]; } cudaIpcMemHandle_t;
enum cudaDeviceP2PAttr { cudaDevP2PAttrAccessSupported = 2, cudaDevP2PAttrNativeAtomicSupported = 3 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaComputeMode { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };

/* Attributes of device d: the attribute (its number in CUDA), its field in cudaDeviceProp, its value here. */
#define SIMT_ATTRIBUTES(X)                                                                                    \
  X(cudaDevAttrMaxThreadsPerBlock, 1, maxThreadsPerBlock, 1024)                                               \
  X(cudaDevAttrMaxSharedMemoryPerBlock, 8, sharedMemPerBlock, 48 << 10)                                       \
  X(cudaDevAttrTotalConstantMemory, 9, totalConstMem, 64 << 10)                                               \
  X(cudaDevAttrWarpSize, 10, warpSize, 32)                                                                    \
  X(cudaDevAttrMaxRegistersPerBlock, 12, regsPerBlock, 65536)                                                 \
  X(cudaDevAttrClockRate, 13, clockRate, 1000000)                                                             \
  X(cudaDevAttrMultiProcessorCount, 16, multiProcessorCount, 4)                                               \
  X(cudaDevAttrIntegrated, 18, integrated, 0)                                                                 \
  X(cudaDevAttrCanMapHostMemory, 19, canMapHostMemory, 1)                                                     \
  X(cudaDevAttrConcurrentKernels, 31, concurrentKernels, 1)                                                   \
  X(cudaDevAttrMemoryClockRate, 36, memoryClockRate, 1000000)                                                 \
  X(cudaDevAttrGlobalMemoryBusWidth, 37, memoryBusWidth, 128)                                                 \
  X(cudaDevAttrL2CacheSize, 38, l2CacheSize, 4 << 20)                                                         \
  X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, maxThreadsPerMultiProcessor, 2048)                            \
  X(cudaDevAttrAsyncEngineCount, 40, asyncEngineCount, 2)                                                     \
  X(cudaDevAttrUnifiedAddressing, 41, unifiedAddressing, 1)                                                   \
  X(cudaDevAttrComputeCapabilityMajor, 75, major, 9)                                                          \
  X(cudaDevAttrComputeCapabilityMinor, 76, minor, 0)                                                          \
  X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, sharedMemPerMultiprocessor, 228 << 10)                   \
  X(cudaDevAttrManagedMemory, 83, managedMemory, 1)                                                           \
  X(cudaDevAttrPageableMemoryAccess, 88, pageableMemoryAccess, reach_pageable >> d & 1)                       \
  X(cudaDevAttrConcurrentManagedAccess, 89, concurrentManagedAccess, 1)                                       \
  X(cudaDevAttrCooperativeLaunch, 95, cooperativeLaunch, 0)                                                   \
  X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, sharedMemPerBlockOptin, 227 << 10)                           \
  X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, maxBlocksPerMultiProcessor, 32)                               \
  X(cudaDevAttrMemoryPoolsSupported, 115, memoryPoolsSupported, 1)
#define SIMT_ATTRIBUTE_ENUM(name, number, field, value) name = number,
#define SIMT_ATTRIBUTE_FIELD(name, number, field, value) int field;
enum cudaDeviceAttr {
  SIMT_ATTRIBUTES(SIMT_ATTRIBUTE_ENUM)
  cudaDevAttrMaxBlockDimX = 2, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
  cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  int maxThreadsDim[3], maxGridSize[3];
  SIMT_ATTRIBUTES(SIMT_ATTRIBUTE_FIELD)
};
struct cudaPointerAttributes {
  enum cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef void (*cudaHostFn_t)(void *);

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
enum {
  cudaStreamDefault = 0, cudaStreamNonBlocking = 1,
  cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2,
  cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4,
  cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2, cudaHostRegisterReadOnly = 8,
  cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaCpuDeviceId = -1, cudaEventRecordDefault = 0, cudaEventWaitDefault = 0
};

extern "C" {
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int other);
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags);
cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *p);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int value, size_t size);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p);

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

/* The rest of the runtime, in the types that the templates and default arguments below give a C++ face. */
enum simt_memory { SIMT_HOST = 1, SIMT_DEVICE, SIMT_MANAGED };
cudaError_t simt_malloc(void **p, size_t size, enum simt_memory kind, cudaStream_t stream);
cudaError_t simt_memcpy_async(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t simt_memset_async(void *p, int value, size_t size, cudaStream_t stream);
cudaError_t simt_event_create(cudaEvent_t *event, unsigned flags);
cudaError_t simt_event_record(cudaEvent_t event, cudaStream_t stream);
cudaError_t simt_stream_wait(cudaStream_t stream, cudaEvent_t event);
cudaError_t simt_prefetch(const void *p, size_t size, int device, cudaStream_t stream);
cudaError_t simt_func_attribute(const void *kernel, enum cudaFuncAttribute attribute, int value);
cudaError_t simt_func_attributes(struct cudaFuncAttributes *attributes, const void *kernel, int threads);
int simt_bounds(void (*call)(void *), void *closure);  /* how many threads a kernel allows */
cudaError_t simt_occupancy(int *blocks, int threads, size_t shared);
/* `closure` is one launch with its arguments: every CUDA thread calls `call` on it, then the runtime calls `drop`, once. */
cudaError_t simt_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const void *kernel, void (*call)(void *),
                        void (*drop)(void *), void *closure);
}

template <class T> static inline cudaError_t cudaMalloc(T **p, size_t n) { return simt_malloc((void **)p, n, SIMT_DEVICE, 0); }
template <class T> static inline cudaError_t cudaMallocHost(T **p, size_t n, unsigned = 0) { return simt_malloc((void **)p, n, SIMT_HOST, 0); }
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t n, unsigned) { return simt_malloc((void **)p, n, SIMT_HOST, 0); }
template <class T> static inline cudaError_t cudaMallocManaged(T **p, size_t n, unsigned = 1) { return simt_malloc((void **)p, n, SIMT_MANAGED, 0); }
template <class T> static inline cudaError_t cudaMallocAsync(T **p, size_t n, cudaStream_t s) { return simt_malloc((void **)p, n, SIMT_DEVICE, s); }
template <class T> static inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned) { *d = (T *)h; return cudaSuccess; }
SIMT_FN cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s = 0) {
  return simt_memcpy_async(to, from, n, kind, s);
}
SIMT_FN cudaError_t cudaMemsetAsync(void *p, int value, size_t n, cudaStream_t s = 0) { return simt_memset_async(p, value, n, s); }
SIMT_FN cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, int device, cudaStream_t s = 0) { return simt_prefetch(p, n, device, s); }
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  *p = (void *)&symbol;
  return cudaSuccess;
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t n, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return offset + n > sizeof symbol ? cudaErrorInvalidValue : cudaMemcpy((char *)&symbol + offset, from, n, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t n, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return offset + n > sizeof symbol ? cudaErrorInvalidValue : cudaMemcpy(to, (const char *)&symbol + offset, n, kind);
}
SIMT_FN cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) { return simt_event_create(event, flags); }
SIMT_FN cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t s = 0) { return simt_event_record(event, s); }
SIMT_FN cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned = 0) { return simt_stream_wait(s, event); }
SIMT_FN cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}
SIMT_FN cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) {
  return cudaGraphInstantiateWithFlags(exec, graph, 0);
}
template <class Fn> static inline cudaError_t cudaFuncSetAttribute(Fn *kernel, enum cudaFuncAttribute a, int value) {
  return simt_func_attribute((const void *)kernel, a, value);
}
SIMT_FN int simt_bounds_of(const void *) { return 1024; }  /* a pointer that does not tell the kernel's parameters */
template <class... Args> static inline int simt_bounds_of(void (*kernel)(Args...)) {
  return simt_bounds([](void *p) {  /* a kernel that is only asked uses no argument */
    alignas(64) static const char zeros[4096] = {};
    (*(void (**)(Args...))p)(*(const typename std::decay<Args>::type *)zeros...);
  }, &kernel);
}
template <class Fn> static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, Fn *kernel) {
  return simt_func_attributes(a, (const void *)kernel, kernel ? simt_bounds_of(kernel) : 0);
}
template <class Fn> static inline cudaError_t cudaFuncSetCacheConfig(Fn *, enum cudaFuncCache) { return cudaSuccess; }
template <class Fn>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Fn *, int threads, size_t shared) {
  return simt_occupancy(blocks, threads, shared);
}

/* ---- launches: a closure with its own copy of every argument ---- */

template <class Fn> static inline cudaError_t simt_launch_closure(dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                                                                 const void *kernel, Fn f) {
  return simt_launch(grid, block, shared, stream, kernel, [](void *p) { (*(Fn *)p)(); }, [](void *p) { delete (Fn *)p; }, new Fn(f));
}

template <class... Args>
static inline cudaError_t simt_launch_values(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void (*kernel)(Args...),
                                             typename std::decay<Args>::type... a) {
  return simt_launch_closure(grid, block, shared, stream, (const void *)kernel, [=] { kernel(a...); });
}
template <class... Args, size_t... Index>
static inline cudaError_t simt_launch_pointers(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void (*kernel)(Args...),
                                               void **args, std::index_sequence<Index...>) {
  (void)args;
  return simt_launch_values(grid, block, shared, stream, kernel, *(typename std::decay<Args>::type *)args[Index]...);
}
#if CUDART_VERSION < 13000 /* such a pointer does not tell the simulator the kernel's parameters */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
#else
template <class... Args>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(Args...), dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0) {
  return simt_launch_pointers(grid, block, shared, stream, kernel, args, std::index_sequence_for<Args...>());
}
#endif

/* simt++ turns   K<<<grid, block, shared, stream>>>(args)
 * into           simt_chevrons(simt_config(grid, block, shared, stream), [=](auto... a) { K(a...); })(args) */
struct simt_config {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  simt_config(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
      : grid(grid), block(block), shared(shared), stream(stream) {}
};
template <class Kernel> struct simt_chevron {
  simt_config at;
  Kernel kernel;
  template <class... Args> void operator()(Args... a) const {
    Kernel k = kernel;
    simt_launch_closure(at.grid, at.block, at.shared, at.stream, nullptr, [=] { k(a...); });
  }
};
template <class Kernel> static inline simt_chevron<Kernel> simt_chevrons(simt_config at, Kernel kernel) { return simt_chevron<Kernel>{at, kernel}; }

#endif
