/** The prose of a Markdown page: its headings, paragraphs and table cells, without code. */
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { type Segment, SegmentBuilder } from "./segment.ts";

/** The part of a Markdown syntax tree that is needed here (https://github.com/syntax-tree/mdast). */
interface MarkdownNode {
  type: string;
  children?: MarkdownNode[];
  position?: { start: { offset?: number }; end: { offset?: number } };
}

const parser = unified().use(remarkParse).use(remarkGfm);

const blocks = new Set(["paragraph", "heading", "tableCell"]);

export function markdownSegments(source: string): Segment[] {
  const segments: Segment[] = [];
  const collect = (node: MarkdownNode) => {
    if (blocks.has(node.type)) segments.push(blockSegment(node, source));
    else node.children?.forEach(collect);
  };
  collect(parser.parse(source) as MarkdownNode);
  return segments;
}

function blockSegment(block: MarkdownNode, source: string): Segment {
  const builder = new SegmentBuilder();
  const add = (node: MarkdownNode) => {
    const start = node.position?.start.offset ?? 0;
    const end = node.position?.end.offset ?? start;
    if (node.children) node.children.forEach(add);
    else if (node.type === "text") copyText(builder, source, start, end);
    else if (node.type === "break") builder.put("\n", start);
    else builder.skip(start);
  };
  block.children?.forEach(add);
  return builder.build("paragraph");
}

/** Copies text without the indentation and quotation marks of its lines, and without backslashes. */
function copyText(builder: SegmentBuilder, source: string, start: number, end: number): void {
  const text = source.slice(start, end);
  for (const { 0: piece, index } of text.matchAll(/\n[ \t>]*|\\?[\s\S]/g)) {
    if (piece.startsWith("\n")) builder.put("\n", start + index);
    else builder.put(piece.at(-1) ?? "", start + index);
  }
}
