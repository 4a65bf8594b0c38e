/** The help topics. The help of commands loads none of them. */
import { topicHelp } from "../../scripts/help-texts.ts";
import { lazyGroups, loadGroups } from "./commands/index.ts";

/** The topics of `playtest help <topic>` by name. */
export const topicTexts: Readonly<Record<string, string>> = topicHelp(
  await loadGroups(Object.keys(lazyGroups)),
);
