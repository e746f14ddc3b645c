/*
 * A small tree, for programs that include this before reduce.cuh: every region of the code is then reached by some
 * thousand elements, and a grid of ten blocks has more blocks than slots. The bits are those of another tree, so a
 * program must take all of its functions from this one.
 */
#ifndef SMALL_TREE_H
#define SMALL_TREE_H

#define REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 0
#define REDUCE_LANES 64
#define REDUCE_MAX_CHUNKS 150
#define REDUCE_SLOTS 150
#define REDUCE_MAX_ELEMENTS ((size_t)1 << 36)
#define REDUCE_SINGLE_ 4
#define REDUCE_LOW_ 10
#define REDUCE_SPREAD_ 6
#define REDUCE_TALL_ 6

#endif
