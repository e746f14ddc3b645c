/* The atomic strategies, for results of every size that is swapped into the cell, and of every alignment
   that it must have; in a moment. For tools/mutate. */
#define CHECK_ALONE
#include "../check.h"

#define CELLS(X)                                                                                          \
    X(3, 1)                                                                                               \
    X(5, 1)                                                                                               \
    X(6, 2)                                                                                               \
    X(7, 1)                                                                                               \
    X(9, 1)                                                                                               \
    X(48, 16)                                                                                             \
    X(16, 16)
#define DEFINE_CELL(size, alignment)                                                                      \
    struct __attribute__((aligned(alignment))) cell##size {                                               \
        u8 byte[size];                                                                                    \
    };                                                                                                    \
    typedef struct cell##size cell##size;                                                                 \
    HELPER_BOTH cell##size sum##size(cell##size a, cell##size b)                                          \
    {                                                                                                     \
        for (int k = 0; k < size; k++) a.byte[k] = (u8)(a.byte[k] + b.byte[k]);                           \
        return a;                                                                                         \
    }                                                                                                     \
    DEFINE_REDUCE_AS(of_cell##size, cell##size, (cell##size{{0}}), sum##size(a, b))                       \
    static void check_cell##size(const void *room, const void *device, reduce_workspace *ws)              \
    {                                                                                                     \
        const size_t n = 70;                                                                              \
        const cell##size all = of_cell##size##_cpu((const cell##size *)room, n);                          \
        const cell##size *from = (const cell##size *)device;                                              \
        cell##size got, *out = (cell##size *)device_room(sizeof got, 0);                                  \
        for (int k = 0; k < 4; k++) {                                                                     \
            CHECK((k % 2 == 0 ? of_cell##size##_atomic_warp                                               \
                              : of_cell##size##_atomic_block)(from, n, out, ws, 0));                      \
            from_device(&got, out, sizeof got);                                                           \
            cr_expect(SAME_BITS(got, all), "a cell of %d bytes: %s", size, BITS(got));                    \
        }                                                                                                 \
        CHECK(cudaFree(out));                                                                             \
    }
CELLS(DEFINE_CELL)

static u64 room[70 * 8] __attribute__((aligned(64)));

#define CHECK_CELL(size, alignment) check_cell##size(room, device, ws);

int main(void)
{
    reduce_workspace *ws = NULL;
    need_gpu();
    cr_expect(offsetof(reduce_workspace, cell_) % REDUCE_MAX_SIZE == 0, "a T may be aligned to its size");
    CHECK(reduce_workspace_create(&ws));
    fill_u64(room, COUNT(room), 11);
    void *device = to_device(room, sizeof room);
    CELLS(CHECK_CELL)
    CHECK(cudaFree(device));
    CHECK(reduce_workspace_destroy(ws));
    return 0;
}
