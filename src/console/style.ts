/** The style of the console: that of reports, with navigation, forms and wide tables. */
import { pageStyle } from "../render/html/page-style.ts";

export const consoleStyle = `${pageStyle}
header,main,footer{max-width:76rem}
header.top{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem 1.2rem;padding-top:.8rem;padding-bottom:.6rem}
.brand{font-weight:700;letter-spacing:-.01em;color:var(--ink);text-decoration:none}
.top nav:first-of-type{flex:1}
.top ol,.top ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem .5rem;margin:0;padding:0}
.top ol li{margin:0;overflow-wrap:anywhere}
.top ol li+li::before{content:"/";color:var(--muted);padding-right:.5rem}
.tabs{flex-basis:100%;border-bottom:1px solid var(--grid)}
.tabs ul{gap:0 1.1rem}
.tabs li{margin:0}
.tabs a{display:block;padding:.4rem 0;color:var(--muted);text-decoration:none;border-bottom:3px solid transparent}
.tabs a:hover{color:var(--ink)}
.tabs a[aria-current]{color:var(--ink);border-color:var(--good);font-weight:600}
a{color:var(--good)}
:focus-visible{outline:2px solid var(--good);outline-offset:2px}
main:focus{outline:0}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static}
h1{margin-top:1.4rem}
button,input,select{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--muted);border-radius:4px;padding:.3rem .6rem;max-width:100%}
button{cursor:pointer;background:var(--soft)}
form.filters{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:end;margin:1rem 0}
form.filters label{display:block;color:var(--muted);font-size:.82rem}
form.filters select,form.filters input{min-width:8rem}
form.stacked{display:grid;gap:.5rem;max-width:26rem;margin:1.5rem 0}
form.stacked button{justify-self:start}
.problem{border-left:4px solid var(--bad);background:var(--soft);padding:.6rem .9rem}
.narrow{max-width:34rem;padding-top:3rem}
.pager{display:flex;gap:1rem;align-items:baseline;margin:1rem 0}
.table{overflow-x:auto}
.table table{min-width:36rem}
td,tbody th{overflow-wrap:anywhere}
time,.short{white-space:nowrap}
thead a{color:inherit}
details{margin:.6rem 0}
svg.chart{max-width:100%;height:auto}
figure{margin:1rem 0}
figure.drawing{overflow-x:auto}
figure.drawing svg{display:block;max-width:100%;height:auto;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.links ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin:.8rem 0;padding:0}
.links li{margin:0}
th.label{color:var(--muted);width:11rem}
@media(max-width:48rem){figure.drawing svg{max-width:none;width:46rem}th.label{width:7rem}}
main>section:first-of-type>h2{border:0;margin-top:1rem;padding-top:0}
.empty{border:1px dashed var(--grid);padding:2rem 1.25rem;text-align:center;color:var(--muted)}
.empty p{margin:.4rem auto}
dl.details,dl.answers{display:block;margin:1rem 0}
dl.details div,dl.answers div{display:grid;grid-template-columns:11rem minmax(0,1fr);gap:0 1.2rem;padding:.15rem 0}
dl.details dd,dl.answers dd{font-size:1rem;line-height:1.6;max-width:44rem;overflow-wrap:anywhere}
dl.details dt,dl.answers dt{line-height:1.9;overflow-wrap:anywhere}
dl.answers div{display:block;padding:.3rem 0}
.strong{font-weight:600}
.finding{border-left:3px solid var(--grid);padding-left:1rem;margin:1.2rem 0}
.finding h3{margin-top:0}
.finding p{overflow-wrap:anywhere}
svg.timeline{width:100%;min-width:46rem;height:auto}
footer p{overflow-wrap:anywhere}
@media (max-width:40rem){dl.details div{display:block}}
@media print{header.top,.skip,form.filters,.pager,footer p:last-child{display:none}}
`;
