#include "cuda_header.c"
