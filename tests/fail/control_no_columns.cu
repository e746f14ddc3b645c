// expect: nothing
#define REDUCE_NO_COLUMNS
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ROWS(reduce_float_max)
int reduce_float_max_columns, reduce_float_max_axis;
#ifdef __CUDACC__
__global__ void range(const float *in, size_t n, float *out)
{
    *out = reduce_float_max_block_range(in, n);
}
cudaError_t both(const float *in, const int64_t *offsets, float *out, reduce_workspace *ws)
{
    const cudaError_t status = reduce_float_max_rows_async(in, 2, 2, 2, out, ws, 0);
    return status != cudaSuccess ? status : reduce_float_max_segments_async(in, offsets, 2, out, ws, 0);
}
#endif
int main() { return 0; }
