<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$(text(title))</title>
<style>
:root {
  color-scheme: light dark;
  --paper: #fcfcfb; --ink: #0b0b0b; --soft: #52514e; --muted: #898781; --grid: #e1e0d9; --axis: #c3c2b7; --card: #ffffff; --cub: #8a6a3a; --bad: #c22f2e;
$ for i, colour in ipairs(palette) do
  --c$(i): $(colour[1]);
$ end
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1a1a19; --ink: #ffffff; --soft: #c3c2b7; --muted: #898781; --grid: #2c2c2a; --axis: #4a4945; --card: #222220; --cub: #b8935a; --bad: #ff8583;
$ for i, colour in ipairs(palette) do
    --c$(i): $(colour[2]);
$ end
  }
}
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 76rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.6rem 0 .2rem; }
h3 { font-size: 1rem; margin: 0; font-weight: 600; }
p { color: var(--soft); margin: .2rem 0 1rem; max-width: 60rem; }
a { color: inherit; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1.2rem; }
figure { margin: 0; padding: 1rem 1rem .6rem; background: var(--card); border: 1px solid var(--grid); border-radius: 6px; min-width: 0; }
svg { display: block; width: 100%; height: auto; }
svg text { font-size: 11px; fill: var(--soft); }
.grid { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--axis); stroke-width: 1; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.dot { stroke: var(--card); stroke-width: 1.5; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .4rem 0 .5rem; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.legend svg { display: inline-block; width: 26px; height: 10px; margin-right: .35rem; vertical-align: baseline; }
.wide { overflow-x: auto; }
.part { margin: .3rem 0 1.4rem; }
.part td { text-align: left; vertical-align: top; }
.part td:last-child { white-space: normal; min-width: 14rem; }
.part th { text-align: left; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem 1rem .15rem 0; text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; border-bottom: 1px solid var(--axis); }
td { border-bottom: 1px solid var(--grid); }
th:first-child, td:first-child { text-align: left; }
summary { cursor: pointer; color: var(--soft); font-size: 13px; margin-top: .4rem; }
.note { font-size: 13px; margin: .2rem 0; }
.bad { color: var(--bad); font-weight: 600; }
</style>
</head>
<body>
<h1>$(text(title))</h1>
<p>Medians of device times, variants run by turns over the same memory. GB/s count every array once; memcpy is the driver's copy that reads and writes
as many bytes, with a copy kernel beside it where drivers may be slow (Vulkan); per cent are of the faster$(has_cub and ", and of CUB's the faster of 32- and 64-bit counts" or ""). The loop is the operation in plain C, compiled
with -O3 -march=native, on one host thread; the oracle interprets it there, element after element. A row is verified against the oracle (a loop whose
floats round, in part: its first results), or agrees with another variant where that would take too long.</p>
$ for _, note in ipairs(notes) do
<p class="note">$(text(note))</p>
$ end
$ if #wrong > 0 then
<p class="bad">Not right: $(text(table.concat(wrong, "; ")))</p>
$ end
$ if #unsteady > 0 then
<details class="bad"><summary>Not steady (~): $(#unsteady) of the times. Warming up did not settle, or the middle half of a variant's times
spreads over more than 10 %: do not compare by them.</summary><p>$(text(table.concat(unsteady, "; ")))</p></details>
$ end
$ for _, card in ipairs(cards) do
<section>
<h2>$(text(card.title))</h2>
$   for _, part in ipairs(card.tables) do
<h3>$(part.title)</h3>
<div class="wide part">
$(part.html)
</div>
$   end
</section>
$ end
<div class="wide">
$(summary)
</div>
$ for _, case in ipairs(cases) do
<section id="$(case.id)">
<h2>$(text(case.name))</h2>
<p>$(text(case.device))</p>
<div class="charts">
$   for _, chart in ipairs(case.charts) do
<figure>
<h3>$(text(chart.title))</h3>
$(chart.legend)
$(chart.svg)
$     if chart.note ~= "" then
<p class="note">$(text(chart.note))</p>
$     end
</figure>
$   end
</div>
<details$(case.is_open and " open" or "")>
<summary>Table</summary>
<div class="wide">
$(case.table)
</div>
</details>
$   for _, line in ipairs(case.left_out) do
<p class="note">$(text(line))</p>
$   end
</section>
$ end
</body>
</html>
