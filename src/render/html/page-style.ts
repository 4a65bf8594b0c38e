/** The style of all pages, for light and dark mode, screens of any width, and print. */
import { type ChartInk, chartStyle, getInkColor } from "../svg/chart-theme.ts";

const inkNames = [
  "paper",
  "ink",
  "muted",
  "grid",
  "neutral",
  "good",
  "bad",
] as const satisfies readonly ChartInk[];
const colorVariables = (dark: boolean) =>
  inkNames.map((name) => `--${name}:${getInkColor(name, dark)}`).join(";");

export const pageStyle = `
:root{color-scheme:light dark;${colorVariables(false)};--soft:#f5f7f9}
@media screen and (prefers-color-scheme:dark){:root{${colorVariables(true)};--soft:#181d24}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:3rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .5rem;letter-spacing:-.01em}
h2{font-size:1.25rem;line-height:1.3;margin:3rem 0 .5rem;padding-top:1.5rem;border-top:1px solid var(--grid)}
h3{font-size:1rem;margin:1.5rem 0 .25rem}
p{margin:.5rem 0;max-width:44rem}
.note{color:var(--muted);font-size:.875rem}
.missing{border-left:3px solid var(--muted);background:var(--soft);padding:.5rem 1rem;max-width:44rem}
.verdict{border-left:6px solid var(--neutral);background:var(--soft);padding:1rem 1.25rem;margin:1.5rem 0}
.verdict.failed{border-color:var(--bad)}
.verdict.passed{border-color:var(--good)}
.verdict h2{border:0;padding:0;margin:0;font-size:1.25rem}
.verdict.failed h2{color:var(--bad)}
.verdict.passed h2{color:var(--good)}
.verdict ul{margin:.5rem 0 0}
ul{padding-left:1.25rem;margin:.5rem 0}
li{margin:.25rem 0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:1rem;margin:1.5rem 0}
dl div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
dt{color:var(--muted);font-size:.75rem;line-height:1.35}
dd{margin:0;font-size:1.25rem;line-height:1.3;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%;margin:1rem 0;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:left;vertical-align:baseline;padding:.25rem 1rem .25rem 0;border-bottom:1px solid var(--grid);font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--muted);font-size:.75rem;vertical-align:bottom}
tbody th{min-width:7rem}
tbody th,li,code,td:last-child{overflow-wrap:anywhere}
.right{text-align:right}
.right,.tight{white-space:nowrap}
thead .right{white-space:normal}
.group th{font-weight:600;padding-top:1rem;border-bottom-color:var(--muted)}
.good{color:var(--good)}
.bad{color:var(--bad)}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
svg{display:block}
svg.heatmap{max-width:100%;height:auto}
.num{display:inline-block;min-width:3.4em}
.bar{display:inline-block;vertical-align:-.15em;margin-right:.75rem}
.rooms{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1.5rem 2rem;margin:1rem 0}
figure{margin:1rem 0}
.rooms figure{margin:0;min-width:0}
.rooms svg{width:100%;height:auto}
blockquote{margin:1rem 0 0;padding:0 0 0 1rem;border-left:3px solid var(--grid)}
blockquote p{margin:0}
figcaption{color:var(--muted);font-size:.875rem;padding-left:1.25rem}
footer{color:var(--muted);font-size:.75rem;padding-top:2rem;padding-bottom:3rem}
@media (max-width:56rem){.tight{white-space:normal}}
@media (max-width:40rem){
header{padding-top:1.5rem}
h1{font-size:1.25rem}
table{font-size:.875rem}
th,td{padding-right:.5rem}
tbody th{min-width:0}
.num{display:inline-block;min-width:3.4em}
.bar{display:none}
.wide{display:none}
}
@media print{
@page{margin:16mm}
:root{--soft:#fff}
body{font-size:10.5pt}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
header{padding-top:0}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
h2,h3,.group{break-after:avoid}
tr,figure,blockquote,.verdict,li,dl div{break-inside:avoid}
thead{display:table-header-group}
.rooms{grid-template-columns:1fr 1fr}
}
${chartStyle}`;
