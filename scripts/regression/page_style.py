# SPDX-License-Identifier: Apache-2.0
"""The style of the page: light and dark as the reader's system is, from a telephone's width on."""
CSS = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --dim: #59636e; --line: #d9dee4; --card: #f5f7f9; --accent: #0072b2;
  --second: #b35900; --third: #6a3d9a; --good: #176f3d; --good-bg: #dcf3e5; --bad: #b3261e; --bad-bg: #fbe3e1; --none-bg: #e8ecf0; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171b; --fg: #e4e7eb; --dim: #9aa4af; --line: #313841; --card: #1c2127;
  --accent: #56b4e9; --second: #f0a35e; --third: #c3a5e8; --good: #6fd39a; --good-bg: #14361f; --bad: #ff8f86; --bad-bg: #451a17;
  --none-bg: #272d35; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 .75rem 0 0; display: inline; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: 0; }
p { margin: .3rem 0; max-width: 90ch; overflow-wrap: anywhere; }
a { color: var(--accent); } .note, small { color: var(--dim); font-size: .85rem; }
.pill { font-weight: 700; font-size: .8rem; padding: .1rem .6rem; border-radius: 1rem; white-space: nowrap; background: var(--none-bg);
  color: var(--dim); }
.pill.good { color: var(--good); background: var(--good-bg); } .pill.bad { color: var(--bad); background: var(--bad-bg); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .75rem; margin: .6rem 0; }
.card { background: var(--card); border-radius: .5rem; padding: .7rem .9rem; overflow-wrap: anywhere; min-width: 0; }
.chart { display: flex; flex-direction: column; } .chart svg { margin-top: auto; padding-top: .35rem; }
.card header { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; }
.card b { display: block; margin: .15rem 0; } .card p { margin: .1rem 0; font-size: .85rem; color: var(--dim); line-height: 1.4; }
.card p a { margin-right: .7rem; }
svg { display: block; width: 100%; height: auto; margin-top: .35rem; } svg text { font-size: 11px; fill: var(--dim); }
svg .grid { stroke: var(--line); } polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
polyline.a { stroke: var(--accent); } polyline.b { stroke: var(--second); } polyline.c { stroke: var(--third); }
.a { fill: var(--accent); } .b { fill: var(--second); } .c { fill: var(--third); } polyline.a, polyline.b, polyline.c { fill: none; }
rect.bad { fill: var(--bad); } rect.good { fill: var(--good); }
svg.spark { width: 5.6rem; height: 1.25rem; margin: 0; }
.key { font-size: .8rem; color: var(--dim); margin-right: .8rem; white-space: nowrap; }
.key i { display: inline-block; width: .8rem; height: .2rem; vertical-align: middle; margin-right: .3rem; }
.key i.a { background: var(--accent); } .key i.b { background: var(--second); } .key i.c { background: var(--third); }
.scroll { overflow-x: auto; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; color: var(--dim); font-weight: 600; vertical-align: bottom; } td { vertical-align: top; }
th, td { padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); } th:last-child, td:last-child { padding-right: 0; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small { display: block; } code { font-size: .85em; }
.good { color: var(--good); } .bad { color: var(--bad); }
details { margin: .4rem 0; } summary { cursor: pointer; overflow-wrap: anywhere; }
pre { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; margin: .4rem 0; font-size: .8rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
@media (max-width: 42rem) { h1 { font-size: 1.4rem; } th, td { padding-right: .6rem; } svg.spark { width: 3.2rem; }
  td:first-child { min-width: 7.5rem; } table { font-size: .82rem; } }
"""
