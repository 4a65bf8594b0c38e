/** The settings of a profile, by the names that users type. */
import { DURATION_SYNTAX, parseDuration } from "../../../shared/durations.ts";
import type { Profile } from "../../config-file.ts";
import { fail, unknownValue } from "../../errors.ts";
import { outputFormats } from "../../global-flags.ts";
import { checkBaseUrl } from "../../settings.ts";

type ProfileField = Exclude<keyof Profile, "keys">;

interface ConfigKey {
  readonly field: ProfileField;
  readonly describe: string;
  /** The value to store for a text. Throws `usage` or `config` if it is invalid. */
  parse(text: string): string;
}

const identity = (text: string) => text;

function requireDuration(text: string): string {
  if (parseDuration(text) !== null) return text;
  throw fail("usage", { message: `${JSON.stringify(text)} is not ${DURATION_SYNTAX}` });
}

export const configKeys: Readonly<Record<string, ConfigKey>> = {
  "base-url": {
    field: "baseUrl",
    describe: "URL of the service",
    parse: (text) => checkBaseUrl({ value: text, source: null }, true),
  },
  game: { field: "game", describe: "default game", parse: identity },
  format: {
    field: "format",
    describe: `output format: ${outputFormats.join(", ")}`,
    parse(text) {
      if (outputFormats.some((format) => format === text)) return text;
      throw unknownValue("format", text, outputFormats);
    },
  },
  tz: {
    field: "tz",
    describe: "time zone for displayed and entered times",
    parse(text) {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
      } catch {
        throw fail("usage", {
          message: `${JSON.stringify(text)} is not a time zone such as Europe/Berlin`,
        });
      }
    },
  },
  timeout: { field: "timeout", describe: "give up if no data arrives for this long", parse: requireDuration },
  "max-wait": {
    field: "maxWait",
    describe: "how long to wait when the service limits requests",
    parse: requireDuration,
  },
};

/** The setting with a name. Throws `usage` if there is none. */
export function requireConfigKey(name: string): ConfigKey {
  const key = Object.hasOwn(configKeys, name) ? configKeys[name] : undefined;
  if (key) return key;
  throw unknownValue("setting", name, Object.keys(configKeys));
}
