#pragma once

namespace kiln {

/// The style sheet of `html_page`; its colours have a contrast of at least 4.5 to 1 in both themes.
inline constexpr const char* kHtmlStyle = R"css(
:root { color-scheme: light dark; --back: #ffffff; --text: #1a1d21; --dim: #565d66; --line: #d5d9de; --bar: #9db4cc;
  --best: #1f6fb5; --bad: #b3261e; --cell: #5a9bd8; --none: #eceef0; --point: #b3261e; --ceiling: #1f6fb5; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171a; --text: #e6e8ea; --dim: #a3abb4; --line: #363c43; --bar: #46586b; --best: #4b9be0;
    --bad: #ff8a80; --cell: #1f5f9b; --none: #1f2327; --point: #ffb4a9; --ceiling: #4b9be0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; overflow-wrap: anywhere; } h3 { font-size: 1rem; }
p, li { overflow-wrap: anywhere; } .dim { color: var(--dim); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { color: var(--dim); font-weight: 600; white-space: normal; vertical-align: bottom; } td.number, th.number { text-align: right; }
td.bad { color: var(--bad); }
figure { margin: 1rem 0; max-width: 40rem; } figcaption { color: var(--dim); font-size: 0.875rem; }
svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--text); }
svg .value { fill: var(--dim); } svg .bad { fill: var(--bad); }
svg .bar { fill: var(--bar); } svg .best { fill: var(--best); } svg .interval { stroke: var(--text); stroke-width: 1.2; }
svg .cell { fill: var(--cell); } svg .none { fill: var(--none); }
svg .grid { stroke: var(--line); } svg .ceiling { stroke: var(--ceiling); stroke-width: 2; }
svg .point { fill: var(--point); } svg .level { stroke: var(--point); stroke-dasharray: 4 3; }
)css";

}  // namespace kiln
