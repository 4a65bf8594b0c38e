/** The columns of exported datasets, put into docs/export.md between its marks. */
import { datasets } from "../../src/export/datasets/index.ts";

const BEGIN = "<!-- columns: made by `npm run generate` -->";
const END = "<!-- end of columns -->";

/** The page with its columns as they are now. */
export function withExportColumns(page: string): string {
  const [before = "", rest = ""] = page.split(BEGIN);
  const after = rest.split(END)[1] ?? "";
  const sections = Object.values(datasets).map(({ name, summary, columns }) => {
    const rows = columns.map(
      (column) => `| ${column.name} | ${column.type} | ${column.unit ?? ""} | ${escaped(column.describe)} |`,
    );
    const head = ["| column | type | unit | |", "|---|---|---|---|"];
    return [`### ${name}`, "", `${summary}.`, "", ...head, ...rows].join("\n");
  });
  return `${before}${BEGIN}\n\n${sections.join("\n\n")}\n\n${END}${after}`;
}

const escaped = (text: string) => text.replaceAll("|", "\\|").replaceAll("<", "\\<");
