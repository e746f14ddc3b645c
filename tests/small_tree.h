/*
 * A small tree, for programs that include this before reduce.cuh and tree.h: every region of the code (regions.h) is
 * then reached by some hundred thousand bytes, and a grid of some hundred blocks has more than twice as many blocks as
 * slots. A program may define any of the constants first; check.h asserts that they fit together. The bits are
 * those of another tree, so a program must take all of its functions from this one.
 */
#ifndef SMALL_TREE_H
#define SMALL_TREE_H

#define REDUCE_TREE_OF_TESTS_
#define REDUCE_TREE_VERSION 0
#ifndef REDUCE_STRANDS
#define REDUCE_STRANDS 64
#endif
#ifndef REDUCE_MAX_CHUNKS
#define REDUCE_MAX_CHUNKS 131 /* a few more than twice the strands */
#endif
#ifndef REDUCE_SLOTS
#define REDUCE_SLOTS 131
#endif
#ifndef REDUCE_SINGLE_
#define REDUCE_SINGLE_ 3
#endif
#ifndef REDUCE_LOW_
#define REDUCE_LOW_ 10
#endif
#ifndef REDUCE_SPREAD_
#define REDUCE_SPREAD_ 6
#endif
#ifndef REDUCE_TALL_
#define REDUCE_TALL_ 6
#endif
#define REDUCE_MAX_ELEMENTS ((size_t)REDUCE_MAX_CHUNKS << 30)

/* For reduce_rows.cuh: small blocks; few bytes, warps, blocks and splits count as many; few blocks for segments. */
#define REDUCE_ROW_THREADS_ 64
#define REDUCE_FEW_BYTES_ 1500
#ifndef REDUCE_SMS_
#define REDUCE_WAVE_ 4
#define REDUCE_SMS_ 16
#endif
#define REDUCE_COLUMN_WAVE_ 8
#ifndef REDUCE_MOST_LOADS_
#define REDUCE_STRANDS_OF_TWO_ 40
#define REDUCE_STRANDS_OF_FOUR_ 48
#define REDUCE_MOST_LOADS_ 1 /* so that rows of 64 strands have two batches */
#endif
#define REDUCE_MANY_WARPS_ 40
#define REDUCE_MANY_BLOCKS_ 6
#define REDUCE_MANY_LOW_ 9
#define REDUCE_MANY_SHORT_ 3
#define REDUCE_SPLITS_OF_BLOCK_ 8
#define REDUCE_MANY_COLUMNS_ ((size_t)100)
#define REDUCE_THIN_THREADS_ ((size_t)600)
#ifndef REDUCE_BRIEF_ELEMENTS_
#define REDUCE_BRIEF_ELEMENTS_ ((size_t)20000)
#define REDUCE_BRIEF_ODD_ELEMENTS_ ((size_t)10000)
#define REDUCE_BRIEF_NARROW_ELEMENTS_ ((size_t)8000)
#define REDUCE_BRIEF_64_ELEMENTS_ ((size_t)4000)
#define REDUCE_BRIEF_FLAT_ELEMENTS_ ((size_t)9000)
#define REDUCE_BRIEF_ODD_FLAT_ELEMENTS_ ((size_t)5000)
#define REDUCE_BRIEF_FLAT_9_ELEMENTS_ ((size_t)15000)
#define REDUCE_BRIEF_FLAT_21_ELEMENTS_ ((size_t)12000)
#define REDUCE_LACKING_ELEMENTS_ ((size_t)3000)
#define REDUCE_COMBED_ELEMENTS_ ((size_t)300000)
#define REDUCE_COMBED_STRIPES_ 4
#define REDUCE_COMBED_SOME_STRIPES_ 2
#endif
#define REDUCE_BRIEF_WARPS_ 4
#define REDUCE_COLLECTING_BITS_ 2
#define REDUCE_BRIEF_FLAT_BITS_ 2
#define REDUCE_FEW_STRIPES_ 1
#ifndef REDUCE_SEGMENT_BLOCKS_
#define REDUCE_SEGMENT_BLOCKS_ 5
#endif
#ifndef REDUCE_SEGMENT_WEIGHT_
#define REDUCE_SEGMENT_WEIGHT_ 8
#endif
#ifndef REDUCE_GROUP_BYTES_
#define REDUCE_GROUP_BYTES_(size) 4096
#endif
#ifndef REDUCE_SHORT_PORTIONS_
#define REDUCE_SHORT_PORTIONS_(NAME) (sizeof(NAME##_result) <= 8 ? REDUCE_STRANDS : 40)
#endif
#define REDUCE_FEW_LISTED_ 8
#ifndef REDUCE_EVEN_
#define REDUCE_EVEN_ 1
#define REDUCE_MANY_EVEN_ 2
#endif
#define REDUCE_EVEN_STRIPES_ 3
#ifndef REDUCE_MANY_EVEN_STRIPES_
#define REDUCE_MANY_EVEN_STRIPES_ 2
#define REDUCE_UNEVEN_STRIPES_ 4
#endif
#ifndef REDUCE_MOST_ITEMS_
#define REDUCE_MOST_ITEMS_ 2
#endif
#define REDUCE_NEAR_BITS_ 12

/* For reduce_async_n.cuh: the blocks that load ahead. */
#define REDUCE_AHEAD_ 5

/* For reduce_exact.cuh: blocks take several portions, and threads empty their bands several times in each. */
#ifndef REDUCE_EXACT_PORTION_
#define REDUCE_EXACT_PORTION_ (REDUCE_STRANDS * 64)
#define REDUCE_EXACT_BANDED_ 24
#endif

/* The same for the evaluation that shares nothing with the header (tree.h). */
#define TREE_STRANDS REDUCE_STRANDS
#define TREE_MAX_CHUNKS REDUCE_MAX_CHUNKS
#define TREE_SLOTS REDUCE_SLOTS
#define TREE_SINGLE REDUCE_SINGLE_
#define TREE_LOW REDUCE_LOW_
#define TREE_SPREAD REDUCE_SPREAD_
#define TREE_TALL REDUCE_TALL_

#endif
