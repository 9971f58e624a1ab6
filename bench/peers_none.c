/* A build without nvcc has no peers. */
#include "peers.h"

const bench_peer bench_peers[] = {{0}};

void bench_peers_version(char text[64]) { text[0] = '\0'; }
