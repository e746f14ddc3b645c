/*
 * sparse.cu: a sparse matrix times a vector. Rows of the matrix, in CSR form, are segments of two arrays: values, and
 * the number of each value's column. The vector comes with the call, as a context. Rows of any length are reduced in
 * one launch, and each has the same bits as alone on the CPU.
 */
#include "reduce_rows.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) check(call, #call)
static void check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* x is a value, y its column, and c the vector. */
DEFINE_REDUCE_ZIP_WITH(times_vector, float, int, const float *, float, x * c[y], 0, a + b)
DEFINE_REDUCE_ZIP_WITH_ROWS(times_vector)

enum { ROWS = 3000, COLUMNS = 1000, LONG_ROW = 7 };

/* Values of row r: none in some rows, and one in every place of one row. */
static int length_of(int r)
{
    return r == LONG_ROW ? COLUMNS : r % 11;
}

static void *managed(size_t bytes)
{
    void *memory;
    CHECK(cudaMallocManaged(&memory, bytes));
    return memory;
}

int main(void)
{
    int64_t *const begins = (int64_t *)managed((ROWS + 1) * sizeof *begins);
    begins[0] = 0;
    for (int r = 0; r < ROWS; r++) begins[r + 1] = begins[r] + length_of(r);

    const size_t count = (size_t)begins[ROWS];
    float *const values = (float *)managed(count * sizeof *values);
    int *const columns = (int *)managed(count * sizeof *columns);
    float *const vector = (float *)managed(COLUMNS * sizeof *vector);
    float *const product = (float *)managed(ROWS * sizeof *product);
    for (size_t k = 0; k < count; k++) {
        values[k] = (float)(k % 97) / 7;
        columns[k] = (int)(k * 37 % COLUMNS);
    }
    for (int k = 0; k < COLUMNS; k++) vector[k] = (float)(k % 13) - 6;

    reduce_workspace *workspace;
    CHECK(reduce_workspace_create(&workspace));
    CHECK(times_vector_segments_async(values, columns, begins, ROWS, vector, product, workspace, 0));
    CHECK(cudaDeviceSynchronize());

    int equal = 0;
    for (int r = 0; r < ROWS; r++) {
        const size_t n = (size_t)(begins[r + 1] - begins[r]);
        const float alone = times_vector_cpu(values + begins[r], columns + begins[r], n, vector);
        equal += memcmp(&alone, &product[r], sizeof alone) == 0;
    }
    printf("%d of %d rows have the bits of the row alone on the CPU\n", equal, ROWS);

    CHECK(reduce_workspace_destroy(workspace));
    CHECK(cudaFree(begins));
    CHECK(cudaFree(values));
    CHECK(cudaFree(columns));
    CHECK(cudaFree(vector));
    CHECK(cudaFree(product));
    return equal == ROWS ? EXIT_SUCCESS : EXIT_FAILURE;
}
