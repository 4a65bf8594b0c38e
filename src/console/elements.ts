/** Elements that several pages use. */
import type { Style } from "../render/style.ts";
import { type Child, el, fragment, type Markup } from "../render/svg/element.ts";
import { ownValue } from "../shared/own-value.ts";
import { linkWith } from "./links.ts";
import type { PageInput } from "./page.ts";

/** Links to the pages of a list, and which of its items are shown. */
export function pager(
  input: Pick<PageInput, "path" | "search">,
  {
    offset,
    count,
    total,
    limit,
  }: { readonly offset: number; readonly count: number; readonly total: number; readonly limit: number },
): Markup | null {
  if (total <= count && offset === 0) return null;
  const previous = Math.max(0, offset - limit);
  return el(
    "nav",
    { class: "pager", "aria-label": "Pages" },
    offset > 0 &&
      el(
        "a",
        { href: linkWith(input, { offset: previous === 0 ? undefined : previous }), rel: "prev" },
        "Previous",
      ),
    el(
      "span",
      count === 0
        ? `Nothing from ${offset + 1} on (of ${total})`
        : `${offset + 1} to ${offset + count} of ${total}`,
    ),
    offset + count < total &&
      el("a", { href: linkWith(input, { offset: offset + limit }), rel: "next" }, "Next"),
  );
}

export function factList(facts: ReadonlyArray<readonly [label: string, value: Child]>): Markup {
  return el(
    "dl",
    facts.map(([label, value]) => el("div", el("dt", label), el("dd", value))),
  );
}

export function section(id: string, title: string, ...body: readonly Child[]): Markup {
  return el("section", { "aria-labelledby": id }, el("h2", { id }, title), fragment(body));
}

const verdictClasses = { good: "verdict passed", bad: "verdict failed" } as const;

interface VerdictAnswer {
  readonly mark: string;
  readonly style: Style;
  readonly answer: string;
}

/** A box with a verdict. Its mark says the same as its color. */
export function verdictBox({ mark, style, answer }: VerdictAnswer, ...body: readonly Child[]): Markup {
  return el(
    "section",
    { class: ownValue(verdictClasses, style) ?? "verdict", "aria-labelledby": "answer" },
    el("h2", { id: "answer" }, markSpan(mark), answer),
    fragment(body),
  );
}

/** A mark in front of words that say the same. */
export const markSpan = (mark: string): Markup => el("span", { "aria-hidden": "true" }, `${mark} `);
