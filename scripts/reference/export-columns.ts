/** Inserts the columns of exported datasets into docs/export.md, between its markers. */
import { datasets } from "../../src/export/datasets/index.ts";

const BEGIN = "<!-- columns: made by `npm run generate` -->";
const END = "<!-- end of columns -->";

/** Returns the page with the current columns. */
export function withExportColumns(page: string): string {
  const [before = "", rest = ""] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? "";
  const sections = Object.values(datasets).map(({ name, summary, columns }) => {
    const rows = columns.map(
      (column) =>
        `| ${column.name} | ${column.type} | ${column.unit ?? ""} | ${escapeCell(column.describe)} |`,
    );
    const head = ["| column | type | unit | |", "|---|---|---|---|"];
    return [`### ${name}`, "", `${summary}.`, "", ...head, ...rows].join("\n");
  });
  return `${before}${BEGIN}\n\n${sections.join("\n\n")}\n\n${END}${after}`;
}

const escapeCell = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "\\<");
