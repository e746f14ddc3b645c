// expect: nothing
// in every language
#define REDUCE_NO_COLUMNS
#define REDUCE_NO_SEGMENTS
#include "reduce_rows.cuh"
DEFINE_REDUCE(float, max)
DEFINE_REDUCE_ROWS(reduce_float_max)
// What is left out leaves its names to others.
int reduce_float_max_columns_cpu, reduce_float_max_axis_cpu, reduce_float_max_segments_cpu, reduce_float_max_segments_32_cpu;
int reduce_float_max_columns, reduce_float_max_axis, reduce_float_max_segments, reduce_float_max_segments_32;
int main(void) {
    const float in[4] = {1, 2, 3, 4};
    float out[2];
    reduce_float_max_rows_cpu(in, 2, 2, 2, out);
    return out[1] == 4 ? 0 : 1;
}
