/** The prose of a TypeScript or JavaScript file: messages in strings and templates, comments, and titles of tests. */
import ts from "typescript";
import { type Segment, SegmentBuilder } from "./segment.ts";

type Text = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression;

interface Range {
  start: number;
  end: number;
}

/** A message for people has several words; identifiers, media types and paths do not. */
const SEVERAL_WORDS = /[\p{L}\uFFFC]\S*\s+\S*[\p{L}\uFFFC]/u;

/** Comments that are instructions to tools. */
const DIRECTIVE = /^\/[/*]+\s*(biome-ignore|@ts-|eslint|c8|v8 ignore|#|@__|<reference)/;

const TEST_FUNCTIONS = new Set(["describe", "it", "test"]);

export function codeSegments(path: string, source: string): Segment[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ESNext, true);
  const segments: Segment[] = [];
  const literals: Range[] = [];
  const visit = (node: ts.Node) => {
    if (isLiteral(node)) literals.push({ start: node.getStart(file), end: node.end });
    if (isText(node) && isForPeople(node)) {
      const segment = textSegment(node, file);
      if (SEVERAL_WORDS.test(segment.text)) segments.push(segment);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return [...segments, ...commentSegments(source, literals)];
}

/** The tokens in which comment marks are no comments. */
function isLiteral(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node)
  );
}

function isText(node: ts.Node): node is Text {
  return (
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
  );
}

/** Whether a text may be a message: not the name of a module, a type, a key of an object or SQL. */
function isForPeople({ parent }: Text): boolean {
  return !(
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isLiteralTypeNode(parent) ||
    ts.isTaggedTemplateExpression(parent) ||
    ts.isPropertyName(parent)
  );
}

function textSegment(node: Text, file: ts.SourceFile): Segment {
  const builder = new SegmentBuilder();
  if (ts.isTemplateExpression(node)) {
    copyLiteral(builder, file.text, node.head.getStart(file) + 1, node.head.end - 2);
    for (const { expression, literal } of node.templateSpans) {
      builder.skip(expression.getStart(file));
      const isLast = literal.kind === ts.SyntaxKind.TemplateTail;
      copyLiteral(builder, file.text, literal.getStart(file) + 1, literal.end - (isLast ? 1 : 2));
    }
  } else {
    copyLiteral(builder, file.text, node.getStart(file) + 1, node.end - 1);
  }
  return builder.build(isTitle(node) ? "title" : "message");
}

/** Copies the content of a literal. An escape becomes one character: the escaped one, or a space. */
function copyLiteral(builder: SegmentBuilder, source: string, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    const character = source[at] ?? "";
    if (character !== "\\") {
      builder.put(character, at);
      continue;
    }
    const escaped = source[at + 1] ?? "";
    if (escaped === "n") builder.copy("\n", at);
    else builder.put(/[a-z0-9]/i.test(escaped) ? " " : escaped, at);
    at++;
  }
}

/** Whether a text is the first argument of `describe`, `it` or `test`, or of a form such as `test.each(rows)`. */
function isTitle(node: Text): boolean {
  const { parent } = node;
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  let callee: ts.Expression = parent.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) && TEST_FUNCTIONS.has(callee.text);
}

/** The comments of a file. Comments on consecutive lines are one segment. */
function commentSegments(source: string, literals: readonly Range[]): Segment[] {
  let code = "";
  for (const { start, end } of literals) {
    if (start < code.length) continue;
    code += source.slice(code.length, start) + "_".repeat(end - start);
  }
  code += source.slice(code.length);
  const comments = code.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g);
  return [...comments]
    .filter(([comment]) => !DIRECTIVE.test(comment))
    .map(({ 0: comment, index }) => commentSegment(comment, index));
}

function commentSegment(comment: string, start: number): Segment {
  const builder = new SegmentBuilder();
  for (const { 0: line, index } of comment.matchAll(/[^\n]+/g)) {
    const [mark = ""] = /^\s*(\/\*+|\*\/|\*|\/\/+)?\s*/.exec(line) ?? [];
    const text = line.slice(mark.length).replace(/\s*(\*\/)?$/, "");
    builder.copy(`${text}\n`, start + index + mark.length);
    // An empty line ends a sentence even where its last line has no full stop.
    if (text === "") builder.copy("\n", start + index + mark.length);
  }
  return builder.build("comment");
}
