// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tern::app {

// The style of HtmlPage. Pictures are drawn for white paper: the rules at the end give their greys
// the colours of the page.
constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark;
  --bg: #fff; --fg: #1b1f24; --dim: #59636e; --line: #d9dee4; --card: #f5f7f9; --lane: #e8ecf0;
  --accent: #0072b2; --good: #176f3d; --shade: #59636e80; --good-bg: #dcf3e5; --bad: #b3261e; --bad-bg: #fbe3e1; }
@media (prefers-color-scheme: dark) { :root {
  --bg: #14171b; --fg: #e4e7eb; --dim: #9aa4af; --line: #313841; --card: #1c2127; --lane: #272d35;
  --accent: #56b4e9; --good: #6fd39a; --shade: #9aa4af80; --good-bg: #14361f; --bad: #ff8f86; --bad-bg: #451a17; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--fg);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 3rem; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.4rem 0 .5rem; }
header p { flex-basis: 100%; max-width: none; margin: 0; color: var(--dim); overflow-wrap: anywhere; }
p { margin: .4rem 0; max-width: 80ch; overflow-wrap: anywhere; }
.verdict { font-weight: 700; font-size: .9rem; letter-spacing: .04em; padding: .15rem .7rem; border-radius: 1rem; }
.verdict.good { color: var(--good); background: var(--good-bg); }
.verdict.bad { color: var(--bad); background: var(--bad-bg); }
.note { color: var(--dim); font-size: .875rem; }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.figures div { flex: 1 1 calc(100% / var(--tiles) - .75rem); min-width: 0; background: var(--card); border-radius: .5rem; padding: .7rem .9rem; overflow-wrap: anywhere; }
.figures b { display: block; font-size: 1.45rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.figures span { display: block; font-size: .875rem; }
.figures small { display: block; color: var(--dim); font-size: .8rem; }
.scroll { overflow-x: auto; margin: .5rem 0; background:
    linear-gradient(to left, var(--bg) 2rem, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--bg) 2rem, transparent) left / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / .9rem 100% no-repeat scroll,
    linear-gradient(to right, var(--shade), transparent) left / .9rem 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--dim); vertical-align: bottom; }
th, td { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
td { min-width: 4rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.n { min-width: 5rem; } td.k { white-space: nowrap; }
td.good { color: var(--good); font-weight: 600; } td.bad { color: var(--bad); font-weight: 600; }
td.dim { color: var(--dim); }
.bar { display: block; height: .3rem; width: 5rem; margin: .15rem 0 0 auto; border-radius: .15rem; background: var(--lane); }
.bar i { display: block; height: 100%; border-radius: .15rem; background: var(--accent); }
pre { background: var(--card); border-radius: .5rem; padding: .7rem .9rem; margin: .5rem 0; font-size: .85rem;
  white-space: pre-wrap; overflow-wrap: anywhere; }
figure { margin: .75rem 0; }
figure svg { display: block; width: 100%; min-width: 40rem; height: auto; }
figcaption { color: var(--dim); font-size: .875rem; }
figure::before, .wide::before { color: var(--dim); font-size: .8rem; }
.wide::before { position: sticky; left: 0; }
details { margin: .75rem 0; } summary { cursor: pointer; color: var(--accent); }
details figure svg { min-width: 54rem; }
.lanes { display: grid; grid-template-columns: auto 1fr auto; gap: .4rem .75rem; align-items: center; font-size: .875rem; margin: .75rem 0; }
.lanes svg { width: 100%; height: 1.6rem; display: block; background: var(--lane); }
.lanes path { fill: var(--accent); }
.lanes .v { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.lanes .axis { display: flex; justify-content: space-between; color: var(--dim); font-size: .8rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1rem; margin: .5rem 0; font-size: .9rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
figure svg rect[fill="#fff"] { fill: none; }
figure svg rect[fill="#F2F2F2"] { fill: var(--lane); }
figure svg text:not([fill="#fff"]):not([fill="#000"]) { fill: var(--fg); }
figure svg text[fill="#666"], figure svg text[fill="#444"] { fill: var(--dim); }
figure svg line[stroke="#ddd"] { stroke: var(--line); }
@media (max-width: 56rem) { .figures { --tiles: 3 !important; }
  details figure::before { content: "Wider than the screen: scroll it sideways \2192"; } }
@media (max-width: 42rem) { h1 { font-size: 1.4rem; } .figures { --tiles: 2 !important; }
  figure::before, .wide::before { content: "Wider than the screen: scroll it sideways \2192"; }
  .figures b { font-size: 1.2rem; }
  th, td { padding-right: .55rem; } td, td.n { min-width: 0; } .bar { width: 3.2rem; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } }
)css";

}  // namespace tern::app
