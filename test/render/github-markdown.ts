/** Reads Markdown as GitHub does: GFM with math, and links for mentions, issues and commits. */
import type { Nodes, Root } from "mdast";
import remarkGfm from "remark-gfm";
import remarkGithub from "remark-github";
import remarkMath from "remark-math";
import remarkParse from "remark-parse";
import { unified } from "unified";

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath)
  .use(remarkGithub, { repository: "owner/game" });

/** What GitHub also links or replaces in a text: advisories, emoji, and numbers and names after a sign. */
const REFERENCES =
  /(?<![a-z0-9])(gh|ghsa|cve)-\w|:(?!\d\d?:)[\w+-]+:|#\d|@\w|www\.|:\/\/|(?<!\w)[\da-f]{7,40}(?!\w)/i;

/** Nodes that structure a document. None of them is active or changes a text. */
const STRUCTURE = new Set(
  "root paragraph heading list listItem blockquote table tableRow tableCell thematicBreak emphasis strong text".split(
    " ",
  ),
);
const OWN_HTML =
  /^(<br>|<!-- -->|<details><summary>[\w ,:()]+<\/summary>|<\/details>|<!-- playtest-gate:\S* -->)$/;

export function parseMarkdown(markdown: string): Root {
  return processor.runSync(processor.parse(markdown)) as Root;
}

/** All nodes of a document, in order. */
export function nodesIn(node: Nodes): Nodes[] {
  return [node, ...("children" in node ? node.children.flatMap(nodesIn) : [])];
}

/** The text that a reader sees. */
export function shownText(node: Nodes): string {
  const pieces = nodesIn(node).map((one) => {
    if (one.type === "html") return one.value === "<br>" ? "\n" : "";
    return one.type === "text" ? one.value : "";
  });
  return pieces.join("");
}

/** Everything in a document that is active, is replaced, or refers to something: links, images, HTML, math and others. */
export function activeContentIn(markdown: string): string[] {
  return nodesIn(parseMarkdown(markdown)).flatMap((node) => {
    if (node.type === "text") return REFERENCES.test(node.value) ? [`reference: ${node.value}`] : [];
    if (node.type === "html")
      return node.value.split("\n").every((line) => OWN_HTML.test(line)) ? [] : [node.value];
    if (node.type === "listItem" && typeof node.checked === "boolean") return ["task"];
    return STRUCTURE.has(node.type) ? [] : [node.type];
  });
}
