/** The reference: a man page and a Markdown file for the program, each group and each topic. */
import manifest from "../../package.json" with { type: "json" };
import { lazyGroups, loadGroups } from "../../src/cli/commands/index.ts";
import type { CommandGroup } from "../../src/cli/program.ts";
import { groupPage, programPage } from "./commands.ts";
import { formatMarkdown } from "./markdown.ts";
import { manualName, type Page } from "./page.ts";
import { formatRoff } from "./roff.ts";
import { topicPages } from "./topics.ts";

/** The folder that contains only the Markdown files. */
export const referenceFolder = "docs/reference";

/** Returns the Markdown files by path. */
export const referenceFiles = (groups: readonly CommandGroup[]): Record<string, string> =>
  Object.fromEntries(
    pages(groups).map((page) => [`${referenceFolder}/${page.name || "README"}.md`, formatMarkdown(page)]),
  );

/** Returns the man pages by their path in dist/. */
export async function manPages(): Promise<Record<string, string>> {
  const groups = await loadGroups(Object.keys(lazyGroups));
  return Object.fromEntries(
    pages(groups).map((page) => [
      `man/${manualName(page.name)}.${page.section}`,
      formatRoff(page, manifest.version),
    ]),
  );
}

function pages(groups: readonly CommandGroup[]): Page[] {
  const topics = topicPages(groups);
  return [programPage(groups, topics, manifest.description), ...groups.map(groupPage), ...topics];
}
