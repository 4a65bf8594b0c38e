/** Table columns of refused telemetry. */
import type { Output } from "../../contract/define.ts";
import type { countRefusals } from "../../contract/telemetry-tail.ts";
import { defineColumns } from "./columns.ts";

type RefusalCount = Output<typeof countRefusals>["reasons"][number];

export const refusalColumns = defineColumns<RefusalCount>({
  reason: { header: "REASON" },
  count: { header: "REFUSED" },
});

export const NOTHING_REFUSED = "Nothing was refused in the last 24 hours";
