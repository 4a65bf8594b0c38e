/** The style of the console: that of reports, with navigation, forms and wide tables. */
import { pageStyle } from "../render/html/page-style.ts";
import { reportStyle } from "../render/report/report-style.ts";

/** On a narrow screen, each row of a list is a block: its first cell, then the others with their labels. */
const stackRows = (table: string) => `
${table} table,${table} thead,${table} tbody{display:block;min-width:0}
${table} tr{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:.5rem 0;border-bottom:1px solid var(--grid)}
${table} thead{display:none}
${table} thead.sorts{display:block}
${table} thead.sorts tr::before{content:"Sort by";color:var(--muted);font-size:.75rem}
${table} th,${table} td{border:0;padding:0;min-width:0;text-align:left;white-space:normal}
${table} tbody th{flex:0 0 100%;font-size:1rem;font-weight:600}
${table} tbody th.right{flex:none;font-size:inherit}
${table} td.none,${table} .bar{display:none}
${table} td::before{content:attr(data-label) " ";color:var(--muted)}
`;

export const consoleStyle = `${pageStyle}
header,main,footer{max-width:76rem}
header.top{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem;padding-top:.75rem;padding-bottom:.5rem}
.brand{font-weight:700;letter-spacing:-.01em;color:var(--ink);text-decoration:none}
.crumbs{flex:1;font-size:.875rem}
.top ol,.top ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem .5rem;margin:0;padding:0}
.top ol li{margin:0;overflow-wrap:anywhere}
.crumbs li+li::before{content:"/";color:var(--muted);padding-right:.5rem}
header.top form.filters{margin:0;gap:.5rem .75rem;align-items:center}
header.top form.filters>div{display:flex;align-items:center;gap:.5rem}
header.top form.filters select{min-width:7rem;max-width:14rem;min-height:2rem;padding:.25rem .5rem;font-size:.875rem}
header.top button{padding:.25rem .5rem;font-size:.875rem}
header.top form.filters button{min-height:2rem}
.tabs{flex-basis:100%;min-width:0;border-bottom:1px solid var(--grid)}
.tabs ul{gap:0 1rem}
.tabs li{margin:0}
.tabs a{display:block;padding:.5rem 0;color:var(--muted);text-decoration:none;border-bottom:3px solid transparent}
.tabs a:hover{color:var(--ink)}
.tabs a[aria-current]{color:var(--ink);border-color:var(--good);font-weight:600}
.tabs.more{border:0;font-size:.875rem}
.tabs.more a{padding:.25rem 0;border:0}
.tabs.more a[aria-current]{color:var(--good)}
a{color:var(--good)}
.crumbs a,th a,td a,dd a,.links a{text-decoration:none}
.crumbs a{color:var(--muted)}
.crumbs a:hover,th a:hover,td a:hover,dd a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--good);outline-offset:2px}
main:focus{outline:0}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static}
h1{margin-top:1.5rem;overflow-wrap:anywhere}
h2{margin-top:2rem;padding-top:1rem;overflow-wrap:anywhere}
h3{overflow-wrap:anywhere}
.muted{color:var(--muted)}
button,input,select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--muted);border-radius:4px;padding:.25rem .5rem;max-width:100%}
button{cursor:pointer;background:var(--soft)}
form[aria-busy]{opacity:.6}
form.filters{display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:end;margin:1rem 0}
form.filters>div{min-width:0}
form.filters label{display:block;color:var(--muted);font-size:.875rem}
form.filters select,form.filters input,form.filters button{min-height:2.25rem;font-size:.875rem}
form.filters input{width:10rem}
form.filters select{min-width:9rem;max-width:20rem;text-overflow:ellipsis}
form.filters>a{padding:.5rem 0;font-size:.875rem}
form.stacked{display:grid;gap:.5rem;max-width:26rem;margin:1.5rem 0}
form.stacked button{justify-self:start}
.problem{border-left:4px solid var(--bad);background:var(--soft);padding:.5rem 1rem}
.stale{margin:1rem auto;max-width:73.5rem}
.stale[hidden]{display:none}
.narrow{max-width:34rem;padding-top:3rem}
.narrow p{overflow-wrap:anywhere}
.pager{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;margin:1rem 0}
dl dd{overflow-wrap:anywhere}
dl:not([class]){grid-template-columns:repeat(auto-fill,minmax(10.6rem,1fr));margin:1rem 0}
.table{overflow-x:auto}
td,tbody th{overflow-wrap:anywhere}
td.long,tbody th.long{min-width:13rem}
time,.short{white-space:nowrap}
dl:not([class]) dd{font-weight:600}
dl:not([class]) dd time{font-size:1rem}
thead a{color:inherit;text-decoration:underline;text-decoration-color:var(--grid);text-underline-offset:.25em}
th.right a{white-space:nowrap}
tbody tr:hover{background:var(--soft)}
details{margin:.5rem 0}
summary{cursor:pointer}
svg.chart{max-width:100%;height:auto}
figure{margin:1rem 0}
figure>svg{max-width:100%;height:auto}
.narrow-only{display:none}
td:has(>.bar){position:relative;padding-left:7rem}
td>.bar{position:absolute;left:0;top:.6rem;margin:0}
td>.bar.share{width:calc(100% - 9.5rem);min-width:6rem}
svg.survival{width:100%;max-width:56rem}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 1rem;margin:1rem 0}
.pair>section{min-width:0}
.pair svg.survival{max-width:46rem}
.watch a{white-space:nowrap}
.rooms{grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
.rooms.one{grid-template-columns:minmax(0,48rem)}
.rooms figcaption{padding-left:0}
figure.drawing{overflow-x:auto}
figure.drawing svg{display:block;max-width:100%;height:auto;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.links ul,.marked{list-style:none;padding:0}
.links ul{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0}
.links li{margin:0}
.marked li{padding-left:1.25rem;text-indent:-1.25rem}
.links a{display:block;padding:.25rem .75rem;border:1px solid var(--grid);border-radius:4px;font-size:.875rem}
.links a:hover{background:var(--soft);border-color:var(--muted)}
th.label{color:var(--muted);width:11rem}
main>section:first-of-type>h2{border:0;margin-top:1rem;padding-top:0}
main>.verdict{margin:1rem 0;border-radius:4px;overflow-wrap:anywhere}
main>section.verdict>h2{margin:0}
main>section.verdict>:last-child{margin-bottom:0}
.verdict p{max-width:none}
.empty{border:1px dashed var(--grid);border-radius:4px;padding:1rem 1.25rem;text-align:center;color:var(--muted);overflow-wrap:anywhere}
.empty p{margin:.5rem auto}
dl.details,dl.answers{display:block;margin:1rem 0}
dl.details{columns:27rem 2;column-gap:2.5rem}
dl.details div,dl.answers div{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:0 1.25rem;padding:.25rem 0;break-inside:avoid}
dl.details dd,dl.answers dd{font-size:1rem;line-height:1.6;max-width:44rem;overflow-wrap:anywhere}
dl.details dd{font-size:.875rem}
dl.details dt,dl.answers dt{font-size:.875rem;line-height:1.6;overflow-wrap:anywhere}
dl.answers div{display:block;padding:.25rem 0}
.strong{font-weight:600}
.problems{padding-left:1.5rem}
.problems li{margin:.75rem 0;overflow-wrap:anywhere}
.problems p{margin:.25rem 0}
.finding{border-left:3px solid var(--grid);padding-left:1rem;margin:1.25rem 0}
.finding h3{margin-top:0}
.finding p{overflow-wrap:anywhere}
svg.timeline{width:100%;min-width:46rem;height:auto}
footer{display:flex;flex-wrap:wrap;gap:0 1.5rem}
footer p{overflow-wrap:anywhere}
.report{${reportStyle}}
@media screen and (min-width:48rem){
main>section:not(.verdict),.pair>section{border:1px solid var(--grid);border-radius:4px;padding:1rem 1.25rem;margin:1rem 0}
.pair>section{margin:0}
.pair{gap:1rem}
main>section:not(.verdict)>h2,.pair>section>h2{border:0;margin:0 0 .5rem;padding:0}
main>section>:last-child,.pair>section>:last-child,main>section>.table:last-child table{margin-bottom:0}
}
@media screen and (min-width:64rem){.table{overflow:visible}.table thead th{position:sticky;top:0;background:var(--paper)}}
@media screen and (max-width:56rem){header.top form.filters{order:1;flex-basis:100%}.tabs{order:2}}
@media screen and (max-width:40rem){.wide-only{display:none}.narrow-only{display:block}td:has(>.bar.share){padding-left:0}.narrow-only .bar:not(.share){display:inline-block}}
@media screen and (max-width:48rem){th.label{width:7rem}}
@media screen and (max-width:70rem){${stackRows(".stacks.early")}}
@media screen and (max-width:44rem){${stackRows(".stacks")}}
@media screen and (max-width:64rem){td,tbody th{overflow-wrap:break-word}th,td{padding-right:.5rem}td:last-child{white-space:normal}td.long,tbody th.long{min-width:11rem}}
@media screen and (max-width:40rem){
header.top{gap:.25rem .5rem}
.crumbs ol{gap:.25rem}
.crumbs li:first-child:not(:last-child),.crumbs li:nth-child(2)::before{display:none}
header.top form.filters{order:2;flex-basis:100%;display:flex;flex-wrap:nowrap}
header.top form.filters>div{flex:1}
header.top form.filters label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
header.top form.filters select{width:100%;max-width:none}
.tabs{order:3}
.tabs ul,.links ul{flex-wrap:nowrap;overflow-x:auto;scrollbar-width:none;white-space:nowrap}
.tabs ul{gap:0 1rem;font-size:.875rem}
.tabs a{padding:.25rem 0;border-width:2px}
h1{margin-top:1rem}
tbody th.short{white-space:normal}
form.filters{display:grid;grid-template-columns:1fr 1fr;gap:.5rem .75rem}
form.filters select,form.filters input{width:100%;min-width:0;font-size:1rem}
form.filters button,form.filters>a{justify-self:start}
dl:not([class]){grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:.75rem}
dl.details div{grid-template-columns:8rem minmax(0,1fr);gap:0 .75rem}
.verdict{padding:.75rem 1rem}
.verdict h2{font-size:1rem}
.narrow{padding-top:1.5rem}
}
@media print{
header.top,.skip,form.filters,.pager,.links,.screen,.rooms figcaption,footer p:last-child,details:not([open]){display:none}
.table,figure.drawing{overflow:visible}
.table table{min-width:0;font-size:8pt}
.table th,.table td{padding-right:.5rem}
td.long,tbody th.long{min-width:8rem}
svg.timeline{min-width:0}
a{color:inherit;text-decoration:none}
h2{margin-top:1.25rem}
}
`;
