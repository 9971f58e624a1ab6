#include <monosweep/monosweep.h>
#include <stdio.h>
int main(void)
{
    const char *spec = "local A = struct 'Affine' { {'a', f32}, {'b', f32} } -- the map y -> a * y + b\n"
        "local compose = monoid { type = A, identity = A(1, 0), combine = function(f, g) return A(f.a * g.a, f.b * g.a + g.b) end }\n"
        "return scan { monoid = compose, input = f32, map = function(x) return A(0.5, x) end, output = function(s) return s.b end }";
    float x[4] = {1, 2, 3, 4}, y[4]; /* y[i] = y[i - 1] / 2 + x[i] */
    msw_context *context = NULL; msw_kernel *kernel = NULL; msw_diag diag;
    if (!msw_context_create(NULL, &context, &diag) &&
        !msw_kernel_create(context, &(msw_kernel_desc){.struct_size = sizeof(msw_kernel_desc), .spec_text = spec}, &kernel, &diag) &&
        !msw_kernel_run_host(kernel, 4, (const void *[]){x}, (void *[]){y}, NULL, &diag)) printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
    msw_kernel_destroy(kernel); msw_context_destroy(context);
    return diag.code && fprintf(stderr, "%s\n", diag.message);
}
