/** The columns of event settings. */
import type { EventFlags } from "../../../../contract/event-config.ts";
import type { TableColumn } from "../../../../render/columns.ts";
import { textColumn } from "../../../../render/tables/columns.ts";
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

export const settingColumns: readonly TableColumn<EventSetting>[] = [
  { key: "name", header: "EVENT", value: (event) => event.name, style: "strong", shrink: 1 },
  textColumn("sdkIgnore", "IGNORED BY SDKS", (event) => formatYesNo(event.sdkIgnore)),
  textColumn("linkToSummary", "LINKED IN SUMMARY", (event) => formatYesNo(event.linkToSummary)),
  textColumn("hideFromAi", "HIDDEN FROM AI", (event) => formatYesNo(event.hideFromAi)),
  textColumn("meaning", "MEANING", (event) => event.meaning),
];
