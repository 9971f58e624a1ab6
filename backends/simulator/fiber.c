/* Stacks by mmap; the switch by hand where the processor is known (a few ns), else by ucontext (a system call). */
#define _DEFAULT_SOURCE
#include "fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { GUARD_BYTES = 64 << 10 }; /* a multiple of any page */

struct sim_stacks {
    char *memory;
    size_t count;
};

sim_stacks *sim_stacks_create(size_t count)
{
    sim_stacks *stacks = malloc(sizeof *stacks);
    if (!stacks) return NULL;
    const size_t stride = SIM_STACK_BYTES + GUARD_BYTES;
    stacks->count = count;
    stacks->memory = mmap(NULL, count * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks->memory == MAP_FAILED) {
        free(stacks);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (mprotect(stacks->memory + i * stride, GUARD_BYTES, PROT_NONE)) {
            sim_stacks_destroy(stacks);
            return NULL;
        }
    }
    return stacks;
}

void sim_stacks_destroy(sim_stacks *stacks)
{
    if (!stacks) return;
    munmap(stacks->memory, stacks->count * (SIM_STACK_BYTES + GUARD_BYTES));
    free(stacks);
}

char *sim_stack(const sim_stacks *stacks, size_t index) { return stacks->memory + index * (SIM_STACK_BYTES + GUARD_BYTES) + GUARD_BYTES; }

#if defined(__x86_64__)
/* What the callee must keep, then the address to go on at. */
__asm__(".text\n"
        ".p2align 4\n"
        ".type sim_swap, @function\n"
        "sim_swap:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size sim_swap, . - sim_swap\n");
void sim_swap(void **from, void *to) __attribute__((visibility("hidden")));

sim_context sim_fiber(char *stack, void (*run)(void))
{
    uint64_t *top = (uint64_t *)(void *)(stack + SIM_STACK_BYTES);
    top[-1] = 0;                        /* run's return address: none */
    top[-2] = (uint64_t)(uintptr_t)run; /* taken by ret, which leaves the stack as a call does */
    for (int i = 3; i <= 8; i++) top[-i] = 0;
    return (sim_context){top - 8};
}

void sim_switch(sim_context *from, const sim_context *to) { sim_swap(&from->stack, to->stack); }

#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".type sim_swap, %function\n"
        "sim_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n    str x2, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size sim_swap, . - sim_swap\n");
void sim_swap(void **from, void *to) __attribute__((visibility("hidden")));

sim_context sim_fiber(char *stack, void (*run)(void))
{
    uint64_t *top = (uint64_t *)(void *)(stack + SIM_STACK_BYTES - 160);
    for (int i = 0; i < 20; i++) top[i] = 0;
    top[11] = (uint64_t)(uintptr_t)run; /* x30 */
    return (sim_context){top};
}

void sim_switch(sim_context *from, const sim_context *to) { sim_swap(&from->stack, to->stack); }

#else
#include <ucontext.h>

/* A fiber's ucontext lies at the low end of its stack; the first thread's in `from` until it is gone on with. */
sim_context sim_fiber(char *stack, void (*run)(void))
{
    ucontext_t *u = (ucontext_t *)(void *)stack;
    getcontext(u);
    u->uc_stack.ss_sp = stack + sizeof *u;
    u->uc_stack.ss_size = SIM_STACK_BYTES - sizeof *u;
    u->uc_link = NULL;
    makecontext(u, run, 0);
    return (sim_context){u};
}

void sim_switch(sim_context *from, const sim_context *to)
{
    ucontext_t here;
    from->stack = &here;
    swapcontext(&here, to->stack);
}
#endif
