/* monosweep bench from outside: its table, CSV and page, on the host and on the Vulkan device; pages of tables written before. */
#define _XOPEN_SOURCE 700 /* posix_openpt */

#include "html_page.h"

#include <fcntl.h>

#define OLD_HEAD "device,kind,case,variant,n,rounds,median_us,gitems_per_s,gb_per_s,percent_of_memcpy,percent_of_cub,create_ms,result"
static const char head[] = OLD_HEAD ",steady,predicted_us,least_us\n", steady_head[] = OLD_HEAD ",steady\n",
                  old_head[] = "# commit: of an older table\n# clocks: not known\n" OLD_HEAD "\n";

static int set_up(void **state)
{
    (void)state;
    enter_directory("test_bench_files");
    make_text("sum.lua", "return scan { monoid = sum(u32), kind = 'exclusive' }");
    make_text("all.lua", "return { reduce { name = 'total', monoid = sum(f32), input = f32 }, sort { name = 'order', key = u16, value = 'index' } }");
    assert_int_equal(mkdir("temporary", 0700), 0);
    setenv("TMPDIR", MSW_BINARY_DIR "/test_bench_files/temporary", 1);
    return setenv("CC", MSW_C_COMPILER, 1);
}

static int occurrences(const char *text, const char *what)
{
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

/* ---- pages ---- */

static void expect_no_text(const char *path, const char *text)
{
    cli_file file = load_file(path);
    assert_non_null(file.data);
    if (strstr(file.data, text)) fail_msg("%s has \"%s\":\n%.2000s", path, text, strstr(file.data, text));
    free(file.data);
}

/* ---- benches ---- */

/* Of each n, the faster of the two copies has 100 %, and the other no more. */
static void expect_shares(const char *csv, int count)
{
    double share[2];
    for (const char *at = strstr(csv, ",memcpy,"); at; at = strstr(at + 1, ",memcpy,"), count--) {
        const char *const rows[] = {at + strlen(",memcpy,"), strstr(at, ",copy kernel,") + strlen(",copy kernel,")};
        for (int r = 0; r < 2; r++) assert_int_equal(sscanf(rows[r], "%*u,%*u,%*f,%*f,%*f,%lf", &share[r]), 1);
        if (share[0] > 100 || share[1] > 100 || (share[0] < 100 && share[1] < 100)) fail_msg("%g and %g %% of the faster", share[0], share[1]);
    }
    assert_int_equal(count, 0);
}

static void test_host(void **state)
{
    (void)state;
    expect("bench sum.lua --device host --n 0,7,100..400 --rounds 3 --csv h.csv --html h.html", 0, "% of memcpy", NULL);
    cli_file csv = load_file("h.csv");
    assert_non_null(csv.data);
    assert_int_equal(strncmp(csv.data, head, strlen(head)), 0);
    assert_int_equal(occurrences(csv.data, "\nhost host oracle,scan,sum,memcpy,"), 5);
    assert_int_equal(occurrences(csv.data, "\nhost host oracle,scan,sum,default,"), 5);
    assert_null(strstr(csv.data, "copy kernel"));
    assert_int_equal(occurrences(csv.data, "\nhost host oracle,scan,sum,loop,"), 5);
    assert_int_equal(occurrences(csv.data, ",verified,"), 2 * 5);
    assert_non_null(strstr(csv.data, ",default,400,3,"));
    free(csv.data);
    check_page("h.html");
    expect("bench sum.lua --device host --n 2^4..2^6:2 --csv -", 0, head, NULL);
    expect("bench sum.lua --device host --n 2^4 --json", 0, "\"variant\": \"default\", \"n\": 16,", NULL);
    expect("bench sum.lua --device host --n 2^4 --html -", 0, "</html>\n", NULL);
    make_text("few.lua",
              "return append { input = u32, capacity = 99999, length = function(x, i) return u32(i & 1) end, item = function(x) return x end }");
    const char *bytes = "bench few.lua --device host --n 1000 --rounds 1 --csv - | awk -F, '$4 == \"memcpy\" { printf \"%.1f bytes\\n\", $9 / $8 }'";
    expect(bytes, 0, "6.0 bytes\n", NULL); /* an element: what items there are, not their room */
    make_text("many.lua", "return append { input = u32, capacity = 30, length = function(x, i) return u32(2) end, item = function(x) return x end }");
    expect("bench many.lua --device host --n 8,20,40 --rounds 1 --csv many.csv", 0, NULL,
           "many: items from n = 20 on: there it has 40, room for 30: times are of those; for all of them set a larger capacity");
    expect_text("many.csv", "# left out: many: items from n = 20 on: ");
    expect("bench many.lua --device host --n 8,20,40 --rounds 1 2>&1 >/dev/null | grep -c 'items from' || true", 0, "1\n", NULL);
}

static void test_device(void **state)
{
    (void)state;
    expect("bench sum.lua --device vulkan --n 2^10,5000 --rounds 2 --csv v.csv --html v.html", 0, "reduce_then_scan", "sum: without lookahead: ");
    expect("bench sum.lua --device vulkan --n 2^10 --rounds 1 2>&1 >/dev/null | grep -c 'sum: .*sum: ' || true", 0, "0\n", NULL);
    expect_text("v.csv", "# left out: sum: without lookahead: ");
    expect_text("v.html", "<p class=\"note\">without lookahead: ");
    cli_file csv = load_file("v.csv");
    assert_non_null(csv.data);
    assert_int_equal(occurrences(csv.data, ",lookback,"), 2);
    assert_int_equal(occurrences(csv.data, ",oracle,"), 2);
    assert_int_equal(occurrences(csv.data, ",verified,"), 2 * 7); /* the loop, the default and five strategies */
    assert_int_equal(occurrences(csv.data, ",wrong,"), 0);
    expect_shares(csv.data, 2);
    free(csv.data);
    check_page("v.html");
    expect_text("v.html", "copy kernel");
    expect("bench all.lua --device vulkan --n 3000 --rounds 1 --entropy 0.201 --set block=64 --csv a.csv --quiet", 0, "order on vulkan:0", NULL);
    expect_text("a.csv", ",reduce,total,default,3000,1,");
    expect_text("a.csv", ",sort,order,upsweep_downsweep,3000,1,");
    expect("bench sum.lua --device vulkan --n 100 --set strategy=lookback --csv l.csv", 0, NULL, NULL);
    csv = load_file("l.csv");
    assert_int_equal(occurrences(csv.data, "\n"), 6); /* the head, memcpy, a kernel's copy, the oracle, the loop, the default */
    free(csv.data);
}

/* What a pipeline ought to take stands beside what it takes. One that rounds, or of which timing decides over something, is verified stage by
 * stage. */
static void test_pipelines(void **state)
{
    (void)state;
    make_text("t.lua", "row { backend = 'vulkan', class = 'device', constants = { bandwidth = 8e6, launch_seconds = 0 } }");
    make_text("more.lua", "return pipeline(function(p) p.output('y', p.map({ p.input('x', u32) }, function(v) return v + 1 end)) end)");
    expect("bench more.lua --device vulkan --tuning t.lua --n 1000 --rounds 1 --csv p.csv --html p.html", 0, "    default  predicted   % of memcpy\n",
           NULL);
    expect("bench more.lua --device vulkan --tuning t.lua --n 1000 --rounds 1 | grep -c ' 8.00 M  '", 0, "1\n", NULL);
    cli_file csv = load_file("p.csv");
    assert_int_equal(occurrences(csv.data, ",1000.00,"), 1); /* the kernel's alone */
    free(csv.data);
    check_page("p.html");
    expect_text("p.html", "<th>median</th><th>predicted</th>");
    expect_text("p.html", "<td>1 ms</td>");
    expect("bench more.lua --device vulkan --tuning t.lua --n 1000 --rounds 1 --json", 0, "\"predicted_us\": 1000, \"least_us\": ", NULL);
    expect("bench more.lua --device host --n 1000 --rounds 1 --json", 0, "\"predicted_us\": null, \"least_us\": ", NULL);
    expect("bench sum.lua --device host --n 1000 --rounds 1 | grep -c predicted || true", 0, "0\n", NULL); /* it is no pipeline */
    make_text("softmax.lua", "return pipeline(function(p)\n"
                             "  local x = p.input('x', f32)\n"
                             "  local most = p.reduce { monoid = maximum(f32), input = x }\n"
                             "  local e = p.map({ x }, function(v) return exp(v - most) end)\n"
                             "  local total = p.reduce { monoid = sum(f32), input = e }\n"
                             "  p.output('y', p.map({ e }, function(v) return v / total end)) end)");
    expect("bench softmax.lua --device vulkan --n 1000,3000 --rounds 1 --csv - | grep -c ',default,.*,verified,'", 0, "2\n", NULL);
    expect("bench softmax.lua --device vulkan --n 2^17 --rounds 1 --csv - | grep -c ',default,.*,verified'", 0, "1\n", NULL);
    make_text("half.lua", "return pipeline(function(p)\n"
                          "  local x = p.input('x', f32)\n"
                          "  local total = p.reduce { monoid = sum(f32), input = x,\n"
                          "    map = source { glsl = 'return 0.5 * x;', parameters = {'x'}, host = function(v) return v end } }\n"
                          "  p.output('y', p.map({ x }, function(v) return v / total end)) end)");
    expect("bench half.lua --device vulkan --n 1000 --rounds 1 --csv -", 1, ",wrong,", "verification failed: ");
}

/* The plain C loop is there for who has a compiler; one that is wrong is found. */
static void test_loop(void **state)
{
    static const char wrong[] = "#!/bin/sh\nfor word; do case $word in */loop.c) sed -i 's/a + b/a - b/' \"$word\";; esac; done\n"
                                "exec " MSW_C_COMPILER " \"$@\"\n";
    (void)state;
    expect("bench all.lua --device host --n 100,3000 --rounds 5 --csv c.csv --html c.html", 0, "     loop ", NULL);
    expect_text("c.csv", ",reduce,total,loop,3000,3,");
    expect_text("c.csv", ",sort,order,loop,3000,3,");
    check_page("c.html");
    setenv("CC", "/none/cc", 1);
    expect("bench sum.lua --device host --n 100 --csv n.csv", 0, "memcpy    default",
           "sum: without loop: /none/cc: No such file or directory; set CC to a C compiler\n");
    cli_file csv = load_file("n.csv");
    assert_int_equal(occurrences(csv.data, ",loop,"), 0);
    free(csv.data);
    expect("bench sum.lua --device host --n 100 --quiet 2>&1 >n.txt | grep . || echo nothing", 0, "nothing", NULL);
    make_text("wrong", wrong);
    assert_int_equal(chmod("wrong", 0700), 0);
    setenv("CC", "./wrong", 1);
    expect("bench sum.lua --device host --n 100,200 --csv w.csv", 1, "wrong", "sum: without loop from n = 200 on: it is wrong");
    expect_text("w.csv", ",wrong,");
    cli_result named = run("bench sum.lua --device host --n 100");
    assert_non_null(strstr(named.err.data, "verification failed: loop: out["));
    assert_non_null(strstr(named.err.data, "; set CC to another C compiler\n"));
    drop(&named);
    /* Who is interrupted leaves nothing behind, whichever threads a driver has. */
    make_text("wrong", "#!/bin/sh\nkill -TERM $PPID\nsleep 0.2\nexec " MSW_C_COMPILER " \"$@\"\n");
    expect("bench sum.lua --device host --n 100", 128 + 15, NULL, NULL);
    assert_int_equal(count_files("temporary"), 0);
    expect("bench sum.lua --device vulkan --n 100", 128 + 15, NULL, NULL);
    assert_int_equal(count_files("temporary"), 0);
    setenv("CC", MSW_C_COMPILER, 1);
}

static void test_limits(void **state)
{
    (void)state;
    expect("bench sum.lua --device host --n 100,2^40 --rounds 1", 0, " 100 ",
           "sum: n from 1099511627776 on are left out: they need more memory than there is");
    expect("bench sum.lua --device host --n 100,2^40 --rounds 1 --quiet --csv b.csv --html b.html", 0, NULL, NULL);
    check_page("b.html");
    expect_text("b.csv", "# left out: sum: n from 1099511627776 on are left out: they need");
    expect_text("b.html", "<p class=\"note\">n from 1099511627776 on are left out: they need more memory");
    expect("bench sum.lua --device host --n 2^39..2^40", 1, NULL, "sum: no n is left to measure; give --n smaller sizes");
    expect("bench sum.lua --device vulkan --n 100 --set items=3 --set vector=2", 1, NULL, "items is not a multiple of vector");
}

static void test_from(void **state)
{
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, "%s%s%s%s", old_head, "\"cuda:0 a \"\"B\"\", <C>\",scan,x & y,default,1024,5,7,0.1,1.2,90,130,8,verified\n",
             "\"cuda:0 a \"\"B\"\", <C>\",scan,x & y,cub,1024,5,9,0.1,1.1,80,100,,verified\n",
             "\"cuda:0 a \"\"B\"\", <C>\",scan,x & y,items=8 block=2,2048,5,9,0.1,1.1,80,,,differs from the peer\n");
    make_text("f.csv", text);
    expect("bench --from f.csv --from h.csv --html f.html", 0, NULL, NULL);
    check_page("f.html");
    expect_text("f.html", "cuda:0 a &quot;B&quot;, &lt;C&gt;");
    expect_text("f.html", "Per cent of CUB");
    expect_text("f.html", "Not right: x &amp; y, items=8 block=2, n = 2¹¹: differs from the peer");
    expect_text("f.html", "host host oracle");
    /* Side by side are the variants where the default is: others may go on for longer. */
    snprintf(text, sizeof text, "%shost,scan,x,memcpy,4096,1,1,1,1,100,,,-\nhost,scan,x,default,2048,1,1,1,1,1,,,verified\n", old_head);
    make_text("g.csv", text);
    expect("bench --from g.csv --html g.html", 0, NULL, NULL);
    expect_text("g.html", "Side by side at n = 2¹¹");
    expect_no_text("g.html", "1 %"); /* the copy was of another n */
    expect_text("g.html", "1 GB/s");
    /* One n: nothing to draw a line through; a driver's copy by Vulkan alone, a host's loop: no share; times as people say them. */
    snprintf(text, sizeof text,
             "%svulkan:0 G,scan,x,memcpy,4096,9,1000,1,850,100,,,-\nvulkan:0 G,scan,x,loop,4096,9,1000,1,85,1234.5,,,-\n"
             "vulkan:0 G,scan,x,default,4096,9,2345678,1,3600,423,,,verified\n",
             old_head);
    make_text("g.csv", text);
    expect("bench --from g.csv --html g.html", 0, NULL, NULL);
    check_page("g.html");
    expect_no_text("g.html", "423");
    expect_no_text("g.html", "1234");
    expect_no_text("g.html", "<polyline");
    expect_text("g.html", "2.35 s");
    expect_text("g.html", "<p class=\"note\">commit: of an older table; clocks: not known</p>");
    /* Every value is within its axis, small rates have a unit of their own, and what is not steady says so. */
    snprintf(text, sizeof text,
             "%scuda:0 G,sort,x,memcpy,1024,9,1,1,850,100,,,-,yes\ncuda:0 G,sort,x,default,1024,9,12345,0.004,0.03,90,571,,verified,no\n"
             "cuda:0 G,sort,x,default,2048,9,1000,0.002,0.02,90,55,,verified,yes\n",
             steady_head);
    make_text("g.csv", text);
    expect("bench --from g.csv --html g.html", 0, NULL, NULL);
    check_page("g.html");
    expect_text("g.html", "12.3 ms");
    expect_text("g.html", "Mkeys/s");
    expect_text("g.html", "Not steady (~): 1 of the times");
    expect_text("g.html", ">600</text>");
    expect_text("g.html", "Out of scale: memcpy");
    expect_no_text("g.html", "64-bit counts"); /* no CUB ran */
    /* Variants that differ in the bits of a digit alone are a curve, beside what is predicted of them. */
    snprintf(text, sizeof text, "%s,predicted_us\n%s", OLD_HEAD ",steady",
             "cuda:0 G,sort,x,strategy=onesweep digit_bits=2,1024,9,20,0.05,1,,,,verified,yes,10\n"
             "cuda:0 G,sort,x,strategy=onesweep digit_bits=3,1024,9,10,0.1,1,,,,verified,yes,8\n"
             "cuda:0 G,sort,x,another digit_bits=3,1024,0,,,,,,,-,,5\n");
    make_text("g.csv", text);
    expect("bench --from g.csv --html g.html", 0, NULL, NULL);
    check_page("g.html");
    expect_text("g.html", "Mkeys/s by bits of a digit, n = 2¹⁰");
    expect_text("g.html", "<title>onesweep, 2 bits of a digit: 50 Mkeys/s</title>");
    expect_text("g.html", "</svg>onesweep, predicted</li>");
    expect_text("g.html", "</svg>another</li>");
    /* Where a way stops is said below its case's table alone; the summary marks what is not steady. */
    snprintf(text, sizeof text,
             "# commit: c\n# left out: x: without a from n = 2048 on: it would take too long\n# left out: y: without b: a < b\n%s"
             "cuda:0 G,scan,x,default,1024,9,12345,0.004,0.03,90,571,,verified,no\ncuda:0 G,scan,x,cub 32-bit,1024,9,1,1,1,90,100,,verified,yes\n"
             "cuda:0 G,scan,x,cub 64-bit,1024,9,1,1,1,90,100,,verified,yes\ncuda:0 G,scan,y,default,1024,9,1000,0.002,0.02,90,55,,verified,yes\n",
             steady_head);
    make_text("g.csv", text);
    expect("bench --from g.csv --html g.html", 0, NULL, NULL);
    check_page("g.html");
    expect_text("g.html", "<p class=\"note\">commit: c</p>");
    expect_text("g.html", "</details>\n<p class=\"note\">without a from n = 2048 on: it would take too long</p>\n</section>");
    expect_text("g.html", "</details>\n<p class=\"note\">without b: a &lt; b</p>\n</section>");
    expect_text("g.html", "the faster of 32- and 64-bit counts");
    expect_text("g.html", "<td>default</td><td>~ 12.3 ms</td><td>30 MB/s</td>");
    make_text("g.csv", "device,case\na,b\n");
    expect_failure("bench --from g.csv --html out/g.html", 1, "g.csv:1: there is no column 'kind'; give a CSV that");
    snprintf(text, sizeof text, "%shost,scan,x,default,12,1,many,1,1,1,,,verified\n", old_head);
    make_text("g.csv", text);
    expect_failure("bench --from g.csv --html out/g.html", 1, "g.csv:4: median_us 'many' is not a number");
    snprintf(text, sizeof text, "%shost,scan,x,default,1.5,1,1,1,1,1,,,verified\n", old_head);
    make_text("g.csv", text);
    expect_failure("bench --from g.csv --html out/g.html", 1, "g.csv:4: n '1.5' is not a whole number of 0 or more; give a CSV");
    snprintf(text, sizeof text, "%s\"host,scan\n", old_head);
    make_text("g.csv", text);
    expect_failure("bench --from g.csv --html out/g.html", 1, "g.csv:4: not a CSV");
    snprintf(text, sizeof text, "%shost,scan,x,default\n", old_head);
    make_text("g.csv", text);
    expect_failure("bench --from f.csv --from g.csv --html out/g.html", 1, "g.csv:4: 4 fields, the head has 13");
    expect_failure("bench --from none.csv --html out/g.html", 1, "none.csv: cannot be read");
    expect_failure("bench none.lua --html none/g.html", 1, "none/g.html: cannot be written"); /* before anything is read, let alone measured */
    expect_failure("bench none.lua --csv none/g.csv --html out/g.html", 1, "none/g.csv: cannot be written");
}

static void test_usage(void **state)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"bench", "needs a spec"},
        {"bench sum.lua --n 2^16..2^12", "--n 2^16..2^12: not sizes; write"},
        {"bench sum.lua --n 2^41", "not sizes"},
        {"bench sum.lua --n 1..2^40:1.01", "not sizes"},
        {"bench sum.lua --n 16,", "not sizes"},
        {"bench sum.lua --n 16:2", "not sizes"},
        {"bench sum.lua --rounds 0", "not a number of 1 to 101"},
        {"bench sum.lua --entropy 0.5", "--entropy 0.5: not one of those that there are"},
        {"bench sum.lua --json --csv -", "both write to standard output"},
        {"bench sum.lua --html - --csv -", "both write to standard output"},
        {"bench sum.lua --jit --rounds 16", "--jit and --rounds exclude each other"},
        {"bench sum.lua --from h.csv --html out/h.html", "takes the place of a spec"},
        {"bench --from h.csv", "--from is for --html"},
        {"bench --from h.csv --html out/h.html --json", "--from goes with --html only"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) expect_failure(cases[c].arguments, 2, cases[c].message);
}

/* Runs a command with standard error on a terminal: what that shows, which is no more than 4095 bytes. */
static void show_on_terminal(const char *arguments, char shown[4096])
{
    char command[4096];
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY); /* keeps what was written for the reader */
    assert_true(other >= 0);
    snprintf(command, sizeof command, "'%s/monosweep' %s > p.txt 2> %s", MSW_BINARY_DIR, arguments, ptsname(terminal));
    assert_int_equal(system(command), 0);
    const ssize_t bytes = read(terminal, shown, 4095);
    assert_true(bytes > 0);
    shown[bytes] = '\0';
    close(other);
    close(terminal);
    assert_int_equal(shown[bytes - 1], 'K'); /* the line is cleared at the end */
    assert_null(strchr(shown, '\n'));
}

/* What a terminal shows, on which standard error is: until a size is measured, what goes on. */
static void test_progress(void **state)
{
    static const char *const parts[] = {"sum: making data",
                                        "....................   0 %  sum: n = 16, computing what is expected",
                                        "#####...............  25 %  sum: n = 16, measuring\r\033[K",
                                        "##########..........  50 %  sum: n = 32, computing",
                                        "sum: n = 32, verifying default\r\033[K",
                                        "###############.....  75 %  sum: n = 32, measuring\r\033[K"};
    char shown[4096];
    (void)state;
    cli_result piped = run("bench sum.lua --device host --n 16,32 --rounds 1");
    assert_null(strchr(piped.err.data, '\r'));
    assert_null(strchr(piped.out.data, '\r'));
    drop(&piped);
    show_on_terminal("bench sum.lua --device host --n 16,32 --rounds 1", shown);
    const char *at = shown;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        if (!(at = strstr(at, parts[p]))) fail_msg("%s: not in %s", parts[p], shown);
    show_on_terminal("bench sum.lua --device vulkan --jit", shown);
    if (!strstr(shown, "  0 %  sum: compiling, round 1")) fail_msg("%s", shown);
}

/* ---- the developers' benches ---- */

/* It ends with this code, and its CSV has both rows; a failure's message has them. */
static void expect_bench(const char *arguments, int code, const char *row, const char *other)
{
    char command[4096];
    snprintf(command, sizeof command, "'%s/tests/'%s >bench.csv 2>bench.txt", MSW_BINARY_DIR, arguments);
    const int status = system(command);
    cli_file csv = load_file("bench.csv"), err = load_file("bench.txt");
    const char *text = code ? err.data : csv.data;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != code || !strstr(text, row) || !strstr(text, other))
        fail_msg("%s: %d\n%s\n%s", arguments, status, csv.data, err.data);
    if (!code && strstr(arguments, "--device vulkan")) expect_shares(csv.data, occurrences(csv.data, ",memcpy,"));
    free(csv.data);
    free(err.data);
}

/* Of a bench that is right everywhere: else it ends with 1. */
static void test_developers_benches(void **state)
{
    (void)state;
    expect_bench("bench_scan_alone --device vulkan --n 10,15 --rounds 2 --case 'f16 sum'", 0, ",f16 sum,memcpy,1024,2,",
                 ",f16 sum,plain C loop,32768,2,");
    expect_bench("bench_scan_alone --device vulkan --n 15 --rounds 2 --case 'f32 reduce'", 0, ",f32 reduce,deterministic,32768,2,", ",memcpy,");
    expect_bench("bench_scan_alone --device host --n 10..10 --rounds 1", 1, "--n: powers of two", "");
    expect_bench("bench_scan_alone --device host --n 10 --rounds 1", 0, ",matrix u64 2x2,plain C loop,1024,1,", ",u8 sum,default,1024,1,");
    /* A plain list is of powers, however long. */
    expect_bench("bench_scan_alone --device host --rounds 1 --case 'u32 sum' --n 01,02,03,04,05,06,07,08,09,10,11,12,1,2,3,4,5,6,7,8,9,10,11,12,13",
                 0, ",u32 sum,default,8192,1,", ",u32 sum,default,2,1,");
    expect_bench("bench_sort_alone --device vulkan --n 10,11 --rounds 1 --case u32+u32", 0, ",u32+u32,memcpy,1024,1,", ",copy kernel,2048,1,");
    expect_bench("bench_sort_alone --device host --n 10 --rounds 1 --case u32+u32 --entropy sorted", 0, ",u32+u32 sorted,memcpy,1024,1,",
                 ",default,");
    expect_bench("bench_sort_alone --device host --n 10 --rounds 1 --case u32 --entropy 0", 0, ",u32 0,default,1024,1,", "verified");
    expect_bench("bench_sort_alone --device vulkan --n 10 --rounds 1 --case u32 --digits 3..4 --set strategy=onesweep", 0,
                 ",u32,strategy=onesweep digit_bits=4,1024,1,", ",u32,model of SRTS digit_bits=3,1024,0,,,,,,,-,,");
    expect_bench("bench_sort_alone --digits 3..12 --set strategy=onesweep", 1, "--digits: LEAST..MOST bits, of 1..11", "");
    expect_bench("bench_sort_alone --digits 3..4", 1, "--digits: of which sort?", "");
    expect_bench("bench_sort_alone --entropy equal", 1, "0 (all equal), sorted, reversed, top24", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),  cmocka_unit_test(test_device),   cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_loop),  cmocka_unit_test(test_limits),   cmocka_unit_test(test_from),
        cmocka_unit_test(test_usage), cmocka_unit_test(test_progress), cmocka_unit_test(test_developers_benches),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
