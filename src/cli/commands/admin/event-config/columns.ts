/** The columns of event settings. */
import type { EventFlags } from "../../../../contract/event-config.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { EventConfigRow } from "../../../../server/db/schema.ts";
import { toEventFlags } from "../../../../server/telemetry/event-config-queries.ts";
import type { EventMeaning } from "../../../../shared/event-names.ts";

/** The settings of one event. If `meaning` is null, the defaults apply. */
export interface EventSetting extends EventFlags {
  readonly name: string;
  readonly meaning: EventMeaning | null;
}

export function toEventSetting(row: EventConfigRow): EventSetting {
  return { name: row.name, ...toEventFlags(row), meaning: row.meaning };
}

const formatYesNo = (value: boolean) => (value ? "yes" : "no");

export const settingColumns = toColumns<EventSetting>({
  columns: {
    name: { header: "EVENT", tone: "strong", shrink: 1 },
    sdkIgnore: { header: "IGNORED BY SDKS", value: ({ sdkIgnore }) => formatYesNo(sdkIgnore) },
    linkToSummary: { header: "LINKED IN SUMMARY", value: ({ linkToSummary }) => formatYesNo(linkToSummary) },
    hideFromAi: { header: "HIDDEN FROM AI", value: ({ hideFromAi }) => formatYesNo(hideFromAi) },
    meaning: { header: "MEANING" },
  },
});
