/** The files of the reference, by path: a man page and a Markdown file for the program, each group and each topic. */
import type { CommandGroup } from "../../src/cli/program.ts";
import { groupPage, programPage } from "./commands.ts";
import { formatMarkdown } from "./markdown.ts";
import { manualName, type Page } from "./page.ts";
import { formatRoff } from "./roff.ts";
import { topicPages } from "./topics.ts";

/** Folders that contain only these files. */
export const referenceFolders = ["man", "docs/reference"] as const;

export function referenceFiles(
  groups: readonly CommandGroup[],
  { version, description }: { readonly version: string; readonly description: string },
): Record<string, string> {
  const topics = topicPages(groups);
  const pages: Page[] = [programPage(groups, topics, description), ...groups.map(groupPage), ...topics];
  return Object.fromEntries(
    pages.flatMap((page) => [
      [`man/${manualName(page.name)}.${page.section}`, formatRoff(page, version)],
      [`docs/reference/${page.name || "README"}.md`, formatMarkdown(page)],
    ]),
  );
}
