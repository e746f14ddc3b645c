/*
 * A stand-in for MPI: the names that reduce_mpi.h uses, for one process. For scripts that only compile the header, and for
 * machines without MPI; the tests of mpi/ run with MPI itself.
 */
#ifndef STAND_IN_MPI_H
#define STAND_IN_MPI_H

#include <stddef.h>

#define MPI_VERSION 3

typedef struct stand_in_comm *MPI_Comm;
typedef int MPI_Datatype;

#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_WORLD ((MPI_Comm)1)
#define MPI_IN_PLACE ((void *)1)
#define MPI_DATATYPE_NULL 0
#define MPI_BYTE 1

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_COMM = 5,
    MPI_ERR_OTHER = 15,
    MPI_ERR_NO_MEM = 34
};

#define STAND_IN_MPI static inline __attribute__((unused))

STAND_IN_MPI int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

STAND_IN_MPI int MPI_Comm_size(MPI_Comm comm, int *ranks)
{
    (void)comm;
    *ranks = 1;
    return MPI_SUCCESS;
}

/* In place, among one process: nothing moves. */
STAND_IN_MPI int MPI_Allgather(const void *from, int sent, MPI_Datatype of_sent, void *to, int count, MPI_Datatype type,
                               MPI_Comm comm)
{
    (void)from, (void)sent, (void)of_sent, (void)to, (void)count, (void)type, (void)comm;
    return MPI_SUCCESS;
}

#endif
