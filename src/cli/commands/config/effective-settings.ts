/** The current settings and their sources. Keys themselves are never included. */
import type { ApiKeyKind } from "../../../contract/define.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { Context } from "../../context.ts";
import type { Setting } from "../../precedence.ts";
import { redactUrl } from "../../public-url.ts";
import { describeProfile, keyVariables } from "../../settings.ts";

/** One setting, as shown to people. */
export interface SettingRow {
  readonly name: string;
  readonly value: string | null;
  readonly source: string | null;
}

export const settingColumns: readonly TableColumn<SettingRow>[] = [
  { key: "name", header: "SETTING", value: ({ name }) => name, style: "strong" },
  { key: "value", header: "VALUE", value: ({ value }) => value, shrink: 1 },
  {
    key: "source",
    header: "SOURCE",
    value: ({ source }) => source,
    format: (source) => (source === "default" ? "built-in" : String(source)),
    shrink: 2,
  },
];

/** All settings. The caller looks up the game, because that may read the repository file. */
export function listEffectiveSettings(context: Context, game: Setting<string> | null): SettingRow[] {
  const { settings } = context;
  const effective = {
    profile: settings.profile,
    "base-url": settings.baseUrl && { ...settings.baseUrl, value: redactUrl(settings.baseUrl.value) },
    game,
    format: settings.format,
    tz: settings.tz,
    timeout: formatDurationSetting(settings.timeoutMs),
    "max-wait": formatDurationSetting(settings.maxWaitMs),
    "management key": describeKey("management", context),
    "ingest key": describeKey("ingest", context),
  };
  return Object.entries(effective).map(([name, setting]) => ({
    name,
    value: setting?.value ?? null,
    source: setting?.source ?? null,
  }));
}

/** A duration in the syntax that users type. */
function formatDurationSetting({ value, source }: Setting<number>): Setting<string> {
  const [ms, unit] =
    value % 60_000 === 0 ? [60_000, "m"] : value % 1000 === 0 ? [1000, "s"] : ([1, "ms"] as const);
  return { value: value === 0 ? "0" : `${value / ms}${unit}`, source };
}

/** The source of a key and the service that it is for, without the key itself. */
function describeKey(kind: ApiKeyKind, { settings, io }: Context): Setting<string> | null {
  const variable = keyVariables[kind];
  if (io.env[variable]) return { value: "set", source: variable };
  const stored = settings.stored.keys?.[kind];
  if (!stored) return null;
  const where = "keychain" in stored ? ", in the keychain" : "";
  return {
    value: `set, only for ${stored.baseUrl}${where}`,
    source: describeProfile(settings.profile.value),
  };
}
