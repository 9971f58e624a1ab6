#!/bin/sh
# sh tests/emit/vendored/cuda.sh FOLDER [run]: builds FOLDER's program.c for the driver's interface, by nvcc, and by nvcc as relocatable code, where
# kernels_cuda.h and second_cuda.h were made with --embed; then runs what it built. test_header fills such a folder: build/test_header.files/cuda.
set -eu
cd "$1"
cuda=${CUDA_PATH:-/usr/local/cuda}
cc -std=c11 -O2 -DUSE_CUDA -isystem "$cuda/include" program.c other.c -o driver.out -L "$cuda/lib64/stubs" -L "$cuda/lib/stubs" -lcuda
for rdc in false true; do
    for file in program other; do
        nvcc -x cu -std=c++17 -arch=sm_90 -rdc=$rdc -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wconversion -DUSE_CUDA -c $file.c -o $file.o
    done
    nvcc -arch=sm_90 -rdc=$rdc program.o other.o -o runtime_$rdc.out
done
[ "${2-}" != run ] || for program in driver runtime_false runtime_true; do
    echo "$program: $(./$program.out)"
done
