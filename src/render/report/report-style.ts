/** The style of a page that is only a report, in addition to that of all pages. */
export const frameStyle = `
header,main,footer{max-width:72rem}
header{padding-top:2rem}
@media (max-width:40rem){
header,main,footer{padding:0 1rem}
header{padding-top:1rem}
footer{padding-top:1.5rem;padding-bottom:2rem}
}
`;

/** The style of a report: cards side by side, and sections that paper shows unfolded. */
export const reportStyle = `
.verdict{margin:.75rem 0 1rem;border-radius:.4rem}
.cards{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem}
.card{border:1px solid var(--grid);border-top:4px solid var(--neutral);border-radius:.4rem;padding:.25rem 1.25rem 1rem;min-width:0}
.card.good,.card.bad{color:inherit}
.card.bad{border-top-color:var(--bad)}
.card.good{border-top-color:var(--good)}
.card h2{border:0;padding:0;margin:.75rem 0 .5rem;font-size:1rem}
.card ul{list-style:none;margin:0;padding:0}
.card li{margin:.75rem 0}
.card li:first-child{margin-top:0}
.line{display:block}
.card li>a{white-space:nowrap}
.card.bad strong,.card.bad strong a{color:var(--bad)}
.card.good strong,.card.good strong a{color:var(--good)}
.rooms{grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
.card .rooms{grid-template-columns:minmax(0,28rem);margin:1rem 0 0}
.card figure:last-child{margin-bottom:0}
.card dl{margin:.5rem 0 0}
.card blockquote{border-left-color:var(--bad)}
a{color:inherit;text-underline-offset:.2em;text-decoration-thickness:.08em}
.folded{margin-top:2rem}
details{margin:0;border-top:1px solid var(--grid)}
details:last-child{border-bottom:1px solid var(--grid)}
summary{cursor:pointer;padding:.75rem 0}
summary h2{display:inline;border:0;margin:0;padding:0;font-size:1rem}
details[open]{padding-bottom:1.5rem}
@media (min-width:48rem){
.cards{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}
.card:first-child{grid-column:1/-1}
.card:has(.rooms){columns:2;column-gap:2.5rem}
.card:has(.rooms)>h2{column-span:all}
.card:has(.rooms) .rooms{margin:0}
.card li,.card figure,.card .rooms{break-inside:avoid}
}
@media (max-width:40rem){
.card{padding:.25rem 1rem .75rem}
}
@media print{
.card{break-inside:auto}
details::details-content{content-visibility:visible;block-size:auto}
summary{list-style:none;break-after:avoid}
}
`;
