/** Parses PromQL expressions with the grammar of the Prometheus project. */
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** A selection of time series, such as `up{job="playtest"}`. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

export interface Expression {
  readonly selectors: readonly Selector[];
  /** The labels after `by`, `without`, `on`, `ignoring` and `group_left`. */
  readonly groupedBy: readonly string[];
}

/** Throws if the expression is not valid PromQL. */
export function parseExpression(text: string): Expression {
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  const read = (node: SyntaxNode) => text.slice(node.from, node.to);
  parser.parse(text).iterate({
    enter({ name, node, type }) {
      if (type.isError) throw new Error(`Not valid at ${node.from}: ${text}`);
      if (name === "GroupingLabels") groupedBy.push(...node.getChildren("LabelName").map(read));
      if (name === "VectorSelector") selectors.push(readSelector(node, read));
    },
  });
  return { selectors, groupedBy };
}

function readSelector(node: SyntaxNode, read: (node: SyntaxNode) => string): Selector {
  const identifier = node.getChild("Identifier");
  if (!identifier) throw new Error(`A selector without a metric: ${read(node)}`);
  const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  return {
    metric: read(identifier),
    matchers: matchers.map((matcher) => {
      const [label = "", operator = "", value = ""] = ["LabelName", "MatchOp", "StringLiteral"].map(
        (child) => {
          const found = matcher.getChild(child);
          return found ? read(found) : "";
        },
      );
      return { label, operator, value: value.slice(1, -1) };
    }),
  };
}
