/** Checks the prose of one file with retext and for our own banned phrases. */
import retextContractions from "retext-contractions";
import retextEnglish from "retext-english";
import retextIndefiniteArticle from "retext-indefinite-article";
import retextRedundantAcronyms from "retext-redundant-acronyms";
import retextRepeatedWords from "retext-repeated-words";
import retextSentenceSpacing from "retext-sentence-spacing";
import retextSimplify from "retext-simplify";
import { unified } from "unified";
import { bannedPhrases, simplifyIgnore, sources } from "../../prose.config.ts";
import { codeSegments } from "./code.ts";
import { markdownSegments } from "./markdown.ts";
import { positionIn, type Segment } from "./segment.ts";

export interface Finding {
  path: string;
  line: number;
  column: number;
  rule: string;
  message: string;
}

const retext = unified()
  .use(retextEnglish)
  .use(retextContractions, { straight: true })
  .use(retextIndefiniteArticle)
  .use(retextRedundantAcronyms)
  .use(retextRepeatedWords)
  .use(retextSentenceSpacing)
  .use(retextSimplify, { ignore: simplifyIgnore })
  // Only the findings are needed, not the text.
  .use(function () {
    this.compiler = () => "";
  })
  .freeze();

/** A finding in a segment: where it starts in the text, the rule that found it, and what to do. */
interface TextFinding {
  at: number;
  rule: string;
  message: string;
}

/** The findings in a file, in the order of the file; none if the check does not cover the file. */
export function checkProse(path: string, source: string): Finding[] {
  return splitIntoSegments(path, source)
    .flatMap((segment) => {
      const found = [...findBannedPhrases(segment.text)];
      if (segment.kind === "paragraph" || segment.kind === "message") found.push(...runRetext(segment.text));
      return found.map(({ at, ...rest }) => ({ offset: segment.offsets[at] ?? 0, ...rest }));
    })
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, ...rest }) => ({ path, ...positionIn(source, offset), ...rest }));
}

function splitIntoSegments(path: string, source: string): Segment[] {
  if (sources.ignore.test(path)) return [];
  if (sources.markdown.test(path)) return markdownSegments(source);
  if (sources.code.test(path)) return codeSegments(path, source);
  if (sources.tests.test(path)) return codeSegments(path, source).filter(({ kind }) => kind !== "message");
  return [];
}

/** Findings by text: help, pages and messages repeat many texts. */
const checked = new Map<string, TextFinding[]>();

function runRetext(text: string): TextFinding[] {
  const known = checked.get(text);
  if (known) return known;
  const findings = retext.processSync(text).messages.map(({ place, source, reason }) => {
    const start = place && "start" in place ? place.start : place;
    return { at: start?.offset ?? 0, rule: source ?? "retext", message: reason.replace(/\s+/g, " ") };
  });
  checked.set(text, findings);
  return findings;
}

const writeInstead = new Map(
  bannedPhrases.flatMap(({ phrases, write }) => phrases.map((phrase) => [normalize(phrase), write] as const)),
);

/** Every banned phrase as whole words, the longest first. */
const BANNED = new RegExp(
  `(?<![\\w-])(?:${[...writeInstead.keys()]
    .sort((a, b) => b.length - a.length)
    .map((phrase) => phrase.replaceAll(" ", "\\s+").replace(/\.$/, "(?=\\s*([.,;:!?)]|$))"))
    .join("|")})(?![\\w-])`,
  "gi",
);

function findBannedPhrases(text: string): TextFinding[] {
  return [...text.matchAll(BANNED)].map(({ 0: match, index }) => {
    const phrase = normalize(match);
    const write = writeInstead.get(phrase) ?? writeInstead.get(`${phrase}.`) ?? "";
    return { at: index, rule: "banned-phrase", message: `Replace "${phrase}": write ${write}` };
  });
}

function normalize(phrase: string): string {
  return phrase.toLowerCase().replace(/\s+/g, " ");
}
