/* The part of cooperative groups that a block needs: the block itself, and tiles of it. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H
#pragma GCC system_header
#include "cuda_runtime.h"

namespace cooperative_groups {

struct thread_block {
  static void sync(const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()) {
    simt_collective(SIMT_BARRIER, 0, 0, 0, 32 SIMT_HERE);
  }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return thread_block(); }

template <unsigned Width, class Parent = void> struct thread_block_tile {
  static_assert(Width && Width <= 32 && !(Width & (Width - 1)), "a tile is 1, 2, 4, 8, 16 or 32 threads");
  static unsigned thread_rank() { return thread_block::thread_rank() % Width; }
  static constexpr unsigned size() { return Width; }
  static constexpr unsigned num_threads() { return Width; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Width; }
  static unsigned meta_group_size() { return (thread_block::size() + Width - 1) / Width; }
  void sync(const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE()) const { __syncwarp(mask() SIMT_HERE); }
  template <class T> T shfl(T v, int from SIMT_AT) const { return __shfl_sync(mask(), v, from, Width SIMT_HERE); }
  template <class T> T shfl_up(T v, unsigned by SIMT_AT) const { return __shfl_up_sync(mask(), v, by, Width SIMT_HERE); }
  template <class T> T shfl_down(T v, unsigned by SIMT_AT) const { return __shfl_down_sync(mask(), v, by, Width SIMT_HERE); }
  template <class T> T shfl_xor(T v, unsigned by SIMT_AT) const { return __shfl_xor_sync(mask(), v, (int)by, Width SIMT_HERE); }
  int any(int p SIMT_AT) const { return __any_sync(mask(), p SIMT_HERE); }
  int all(int p SIMT_AT) const { return __all_sync(mask(), p SIMT_HERE); }
  unsigned ballot(int p SIMT_AT) const { return __ballot_sync(mask(), p SIMT_HERE) >> first(); }

 private:
  static unsigned first() { return thread_block::thread_rank() % 32 / Width * Width; }
  static unsigned mask() { return (Width == 32 ? ~0u : (1u << Width % 32) - 1) << first(); }
};
template <unsigned Width> static inline thread_block_tile<Width, thread_block> tiled_partition(const thread_block &) {
  return thread_block_tile<Width, thread_block>();
}

template <class Group> static inline void sync(const Group &g SIMT_AT) { g.sync(simt_file, simt_line); }

}  // namespace cooperative_groups
#endif
