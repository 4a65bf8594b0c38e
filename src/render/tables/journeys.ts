/** Table columns of the sessions of a tester. */

import { sessions } from "../../contract/sessions.ts";
import type { JourneyEntry } from "../../contract/testers.ts";
import type { TableColumn } from "../columns.ts";
import { prefixColumns, textColumn } from "./columns.ts";
import { toColumns } from "./resource-columns.ts";

export const journeyColumns: readonly TableColumn<JourneyEntry>[] = [
  ...prefixColumns("session", toColumns(sessions)),
  textColumn("insights", "INSIGHTS", ({ insights }) => insights.length),
];
