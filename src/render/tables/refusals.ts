/** Table columns of refused telemetry. */
import type { Output } from "../../contract/define.ts";
import type { countRefusals } from "../../contract/telemetry-tail.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

type RefusalCount = Output<typeof countRefusals>["reasons"][number];

export const refusalColumns: readonly TableColumn<RefusalCount>[] = [
  textColumn("reason", "REASON", ({ reason }) => reason),
  textColumn("count", "REFUSED", ({ count }) => count),
];

export const NOTHING_REFUSED = "Nothing was refused in the last 24 hours";
