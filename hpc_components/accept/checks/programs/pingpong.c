/* Latency of 8 bytes in µs and bandwidth of 4 MiB in MiB/s between two ranks, measured as osu_latency and osu_bw do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, LARGE = 4 << 20, WINDOW = 16 };

static double latency(int rank, int rounds, char *buffer) {
  double began = 0;
  for (int i = -rounds / 10; i < rounds; i++) {
    if (i == 0) began = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(buffer, SMALL, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer, SMALL, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, SMALL, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, SMALL, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - began) * 1e6 / (2.0 * rounds);
}

static double bandwidth(int rank, int rounds, char *buffer) {
  MPI_Request requests[WINDOW];
  double began = 0;
  for (int i = -2; i < rounds; i++) {
    if (i == 0) began = MPI_Wtime();
    for (int w = 0; w < WINDOW; w++) {
      if (rank == 0) MPI_Isend(buffer, LARGE, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[w]);
      else MPI_Irecv(buffer, LARGE, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[w]);
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) MPI_Recv(buffer, 1, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else MPI_Send(buffer, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
  return (double)LARGE * WINDOW * rounds / (MPI_Wtime() - began) / (1 << 20);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "started as %d separate processes: srun and this MPI share no PMI\n", size);
    MPI_Finalize();
    return 1;
  }
  char *buffer = malloc(LARGE);
  memset(buffer, 1, LARGE);
  double small = latency(rank, 1000, buffer), large = bandwidth(rank, 20, buffer);
  if (rank == 0) printf("latency %.2f\nbandwidth %.1f\n", small, large);
  free(buffer);
  MPI_Finalize();
  return 0;
}
