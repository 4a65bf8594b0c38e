/** An explanation: what is explained, where it comes from, and its parts. */
import { type Detail, renderDetails } from "../../../render/details.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { cleanLine } from "../../../render/text.ts";

export interface Explanation {
  readonly title: string;
  /** In which game, builds and environment; null if it is the same everywhere. */
  readonly scope: string | null;
  readonly details: readonly Detail[];
  readonly next?: string | null;
}

export function explanationView(explanation: Explanation, options: RenderOptions): string {
  const { title, scope, details, next = null } = explanation;
  const plain = (text: string) => cleanLine(options.plain ? text.replaceAll(" → ", " to ") : text);
  const head = [
    ...renderParagraph(plain(title), "", options, "strong"),
    ...(scope === null ? [] : renderParagraph(plain(scope), "  ", options)),
    "",
  ];
  const labeled = details.map(
    ([label, value]): Detail => [plain(label), typeof value === "string" ? plain(value) : value],
  );
  const tail = next === null ? "" : painter(options)(`\n  ${next}`, "muted").concat("\n");
  return `${head.join("\n")}\n${renderDetails(labeled, options)}${tail}`;
}
