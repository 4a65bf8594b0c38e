/** Table columns of the sessions of a tester. */
import { sessions } from "../../contract/sessions.ts";
import type { JourneyEntry } from "../../contract/testers.ts";
import type { TableColumn } from "../columns.ts";
import { prefixColumns, toColumns } from "./columns.ts";

export const journeyColumns: readonly TableColumn<JourneyEntry>[] = [
  ...prefixColumns("session", toColumns(sessions)),
  { key: "insights", header: "INSIGHTS", value: ({ insights }) => insights.length },
];
