#pragma once

namespace kiln {

/// The style sheet of `html_page`. Text has a contrast of at least 4.5 to 1 in both themes, lines and points
/// of 3 to 1; series are those of Okabe and Ito's palette for all kinds of colour vision, darker or lighter
/// where a theme needs it, and differ in their dashes, too.
inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --back: #ffffff; --text: #1a1d21; --dim: #565d66; --line: #d5d9de; --axis: #7a828b;
  --bar: #9db4cc; --best: #0b62a8; --bad: #b3261e; --cell: #5a9bd8; --none: #eceef0; --link: #0b62a8;
  --faster: #0072b2; --slower: #c04f00;
  --s0: #3f464d; --s1: #0072b2; --s2: #c04f00; --s3: #007a59; --s4: #a3528a; --s5: #966a00; --s6: #1b7fae; --s7: #b02a55; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171a; --text: #e6e8ea; --dim: #a3abb4; --line: #363c43; --axis: #868f99;
    --bar: #46586b; --best: #56a5e8; --bad: #ff8a80; --cell: #1f5f9b; --none: #1f2327; --link: #7dbcf0;
    --faster: #56b4e9; --slower: #ff9350;
    --s0: #c3c9d0; --s1: #56b4e9; --s2: #ff9350; --s3: #35c79b; --s4: #e3a0cb; --s5: #f0b93a; --s6: #9ad7f5; --s7: #ff8aa8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.2rem; margin-top: 2.5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin-bottom: 0.4rem; overflow-wrap: anywhere; }
p, li { overflow-wrap: anywhere; max-width: 44rem; } .dim { color: var(--dim); } a { color: var(--link); }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; } nav li { padding: 0.2rem 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { color: var(--dim); font-weight: 600; white-space: normal; vertical-align: bottom; }
td.number, th.number { text-align: right; } td.bad { color: var(--bad); }
td.warn { font-style: italic; }
.figures { columns: 22rem 2; column-gap: 2.5rem; }
figure { margin: 0 0 1.75rem; break-inside: avoid; } figcaption { font-size: 0.875rem; margin-bottom: 0.5rem; overflow-wrap: anywhere; }
svg { display: block; width: 100%; height: auto; overflow: visible; } svg text { font: 11px system-ui, sans-serif; fill: var(--text); }
svg .value { fill: var(--dim); } svg .bad { fill: var(--bad); }
svg .label, svg .value { paint-order: stroke; stroke: var(--back); stroke-width: 3px; stroke-linejoin: round; }
svg .grid { stroke: var(--line); } svg .unity { stroke: var(--axis); stroke-width: 1.5; }
svg .bar { fill: var(--bar); } svg .best { fill: var(--best); }
svg .interval { stroke: var(--text); stroke-width: 1.2; fill: none; }
svg .cell { fill: var(--cell); } svg .cell.none { fill: var(--none); } svg .cell-value { fill: var(--text); }
svg .ceiling { stroke: var(--text); stroke-width: 1.5; }
svg .effect { stroke-width: 1.5; } svg .faster { fill: var(--faster); stroke: var(--faster); }
svg .slower { fill: var(--slower); stroke: var(--slower); } svg .effect.none { fill: var(--back); stroke: var(--dim); }
svg .curve { fill: none; stroke-width: 1.8; } svg .level { stroke-dasharray: 4 3; }
svg .curve.s1 { stroke-dasharray: none; } svg .curve.s2 { stroke-dasharray: 7 3; } svg .curve.s3 { stroke-dasharray: 2 2; }
svg .curve.s4 { stroke-dasharray: 9 3 2 3; } svg .curve.s5 { stroke-dasharray: 4 2; } svg .curve.s6 { stroke-dasharray: 1 3; } svg .curve.s7 { stroke-dasharray: 12 4; }
svg .s0 { color: var(--s0); } svg .s1 { color: var(--s1); } svg .s2 { color: var(--s2); } svg .s3 { color: var(--s3); }
svg .s4 { color: var(--s4); } svg .s5 { color: var(--s5); } svg .s6 { color: var(--s6); } svg .s7 { color: var(--s7); }
svg .curve, svg .level { stroke: currentColor; } svg .dot, svg .point { fill: currentColor; }
)css";

}  // namespace kiln
