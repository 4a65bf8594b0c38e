/** Parses variants on the command line: key or key=weight, optionally followed by a colon and a name. */
import type { Variant } from "../../../contract/experiments.ts";
import type { ConfigChange } from "../../../server/experiments/lifecycle.ts";
import { fail } from "../../errors.ts";

const VARIANT_PATTERN = /^([^=:]+)(?:=(\d+(?:\.\d+)?))?(?::(.+))?$/s;

/** Parses variants such as `control=50` and `bright=50:Brighter caves`. Without allocations, all get the same share. */
export function parseVariants(texts: readonly string[]): Variant[] {
  const parsed = texts.map((text) => {
    const [, key, allocation, name] = VARIANT_PATTERN.exec(text) ?? [];
    if (key === undefined) {
      throw fail("usage", {
        message: `${JSON.stringify(text)} is not a valid variant`,
        hint: "Use key, key=weight or key=weight:name, such as control=50:Control.",
      });
    }
    return { key, name: name ?? key, allocation: allocation === undefined ? null : Number(allocation) };
  });
  const missing = parsed.filter(({ allocation }) => allocation === null).length;
  if (missing > 0 && missing < parsed.length) {
    throw fail("usage", {
      message: "Some variants have a weight and others do not",
      hint: "Set all weights or none, for example --variant control=50 --variant bright=50.",
    });
  }
  const equalShare = 100 / parsed.length;
  return parsed.map((variant) => ({ ...variant, allocation: variant.allocation ?? equalShare }));
}

/** Parses allocations such as `control=90`, by variant key. */
export function parseAllocations(texts: readonly string[]): Map<string, number> {
  return new Map(
    texts.map((text) => {
      const [, key, allocation, name] = VARIANT_PATTERN.exec(text) ?? [];
      if (key === undefined || allocation === undefined || name !== undefined) {
        throw fail("usage", {
          message: `${JSON.stringify(text)} is not a valid allocation`,
          hint: "Use key=weight, such as control=90.",
        });
      }
      return [key, Number(allocation)];
    }),
  );
}

/** Parses percentage points from 0 to 100 to a share from 0 to 1. */
export function parseMargin(text: string): number {
  const points = text.trim() === "" ? Number.NaN : Number(text);
  if (points >= 0 && points <= 100) return points / 100;
  throw fail("usage", {
    message: `${JSON.stringify(text)} is not a valid margin`,
    hint: "Use percentage points from 0 to 100, such as 3.",
  });
}

/** Parses remote config values such as `bright.speed=3`, with the variant before the first dot. */
export function parseConfig(texts: readonly string[]): ConfigChange[] {
  return texts.map((text) => {
    const [, variant, key, value] = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(text) ?? [];
    if (variant === undefined || key === undefined || value === undefined) {
      throw fail("usage", {
        message: `${JSON.stringify(text)} is not a valid config value`,
        hint: "Use variant.key=value, such as bright.speed=3. An empty value removes the key.",
      });
    }
    return { variant, key, value: parseConfigValue(value) };
  });
}

/** Numbers, true and false are values of those types. Text in double quotes is always text. */
function parseConfigValue(text: string): ConfigChange["value"] {
  if (text === "") return null;
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^"(.*)"$/s.exec(text)?.[1] ?? text;
}
