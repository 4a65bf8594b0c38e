/** The help of every command. */
import manifest from "../../package.json" with { type: "json" };
import { commandHelp } from "../../scripts/help-texts.ts";
import { lazyGroups, loadGroups } from "./commands/index.ts";

const groups = await loadGroups(Object.keys(lazyGroups));

/** The help of each command and group by its path; the help of the program has the path "". */
export const helpTexts: Readonly<Record<string, string>> = commandHelp(groups, manifest.description);
