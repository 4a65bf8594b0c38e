/** The settings that a profile can hold, by the names they are typed with. */
import { DURATION_SYNTAX, parseDuration } from "../../../shared/durations.ts";
import type { Profile } from "../../config-file.ts";
import { fail } from "../../errors.ts";
import { outputFormats } from "../../global-flags.ts";
import { checkBaseUrl } from "../../settings.ts";

type ProfileField = Exclude<keyof Profile, "keys">;

interface ConfigKey {
  readonly field: ProfileField;
  readonly describe: string;
  /** What is stored of the text. Throws for what cannot be. */
  check(value: string): string;
}

const asIs = (value: string) => value;

function checkDuration(value: string): string {
  if (parseDuration(value) !== null) return value;
  throw fail("usage", { message: `${JSON.stringify(value)} is not ${DURATION_SYNTAX}` });
}

export const configKeys: Readonly<Record<string, ConfigKey>> = {
  "base-url": {
    field: "baseUrl",
    describe: "URL of the service",
    check: (value) => checkBaseUrl({ value, source: "config set" }, true),
  },
  game: { field: "game", describe: "default game", check: asIs },
  format: {
    field: "format",
    describe: `output format: ${outputFormats.join(", ")}`,
    check(value) {
      if (outputFormats.some((format) => format === value)) return value;
      throw fail("usage", { message: `${JSON.stringify(value)} is not one of ${outputFormats.join(", ")}` });
    },
  },
  tz: {
    field: "tz",
    describe: "time zone for displayed and entered times",
    check(value) {
      try {
        return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
      } catch {
        throw fail("usage", {
          message: `${JSON.stringify(value)} is not a time zone, such as Europe/Berlin`,
        });
      }
    },
  },
  timeout: { field: "timeout", describe: "idle timeout", check: checkDuration },
  "max-wait": { field: "maxWait", describe: "maximum wait for the rate limit", check: checkDuration },
};

/** The setting of a name. Throws `usage` naming those there are. */
export function requireConfigKey(name: string): ConfigKey {
  const key = Object.hasOwn(configKeys, name) ? configKeys[name] : undefined;
  if (key) return key;
  const known = Object.keys(configKeys).join(", ");
  throw fail("usage", {
    message: `There is no setting ${JSON.stringify(name)}`,
    hint: `The settings are ${known}.`,
  });
}
