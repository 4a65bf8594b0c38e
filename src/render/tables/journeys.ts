/** Table columns of the sessions of a tester. */
import type { JourneyEntry } from "../../contract/journeys.ts";
import type { TableColumn } from "../columns.ts";
import { prefixColumns, textColumn } from "./columns.ts";
import { sessionColumns } from "./sessions.ts";

export const journeyColumns: readonly TableColumn<JourneyEntry>[] = [
  ...prefixColumns("session", sessionColumns),
  textColumn("insights", "INSIGHTS", ({ insights }) => insights.length),
];
