/** Reads variants as they are written on a command line: key, key=percent, and a name after a colon. */

import type { Variant } from "../../../../contract/experiments.ts";
import { fail } from "../../../errors.ts";

const VARIANT_PATTERN = /^([^=:]+)(?:=(\d+(?:\.\d+)?))?(?::(.+))?$/s;

/** Variants such as `control=50` and `bright=50:Brighter caves`. Without any allocation they share alike. */
export function parseVariants(given: readonly string[]): Variant[] {
  const parsed = given.map((text) => {
    const [, key, allocation, name] = VARIANT_PATTERN.exec(text) ?? [];
    if (key === undefined) throw invalidVariant(text);
    return { key, name: name ?? key, allocation: allocation === undefined ? null : Number(allocation) };
  });
  const without = parsed.filter(({ allocation }) => allocation === null).length;
  if (without > 0 && without < parsed.length) {
    throw fail("usage", {
      message: "Give every variant an allocation, or none",
      hint: "For example --variant control=50 --variant bright=50.",
    });
  }
  const alike = 100 / parsed.length;
  return parsed.map((variant) => ({ ...variant, allocation: variant.allocation ?? alike }));
}

/** Allocations such as `control=90`, by variant key. */
export function parseAllocations(given: readonly string[]): Map<string, number> {
  return new Map(
    given.map((text) => {
      const [, key, allocation, name] = VARIANT_PATTERN.exec(text) ?? [];
      if (key === undefined || allocation === undefined || name !== undefined) throw invalidVariant(text);
      return [key, Number(allocation)];
    }),
  );
}

function invalidVariant(text: string): Error {
  return fail("usage", {
    message: `${JSON.stringify(text)} is not a variant`,
    hint: "Write key=percent, such as control=50; a name may follow a colon when it is made.",
  });
}
