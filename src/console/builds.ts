/** The builds and environments that pages let readers choose from. */

import type { ListedBuild } from "../contract/build-list.ts";
import { isKnownBuild } from "../contract/build-order.ts";
import { DEFAULT_ENV } from "../contract/fields.ts";
import type { FilterChoice, FilterField } from "./filter-form.ts";

/** How many builds can be chosen from: those played last. */
export const MAX_BUILD_CHOICES = 50;

/** The builds as choices. Sessions without a build are none. */
export const buildChoices = (builds: readonly Pick<ListedBuild, "version">[]): FilterChoice[] =>
  builds.filter(isKnownBuild).map(({ version }) => ({ value: version }));

/** The environments of the builds, in alphabetical order. */
export const listEnvironments = (builds: readonly Pick<ListedBuild, "environments">[]): string[] =>
  [...new Set(builds.flatMap(({ environments }) => environments))].sort();

/** The environment as a filter of lists, whose default is all environments. */
export const toListEnv = (env: string | undefined = DEFAULT_ENV): string | undefined =>
  env === "all" ? undefined : env;

/** An environment field of a page that shows all environments by default. */
export const anyEnvironmentField = (environments: readonly string[]): FilterField => ({
  name: "env",
  label: "Environment",
  choices: environments.map((value) => ({ value })),
  any: "all",
});

/** An environment field of a page that shows production by default. */
export const oneEnvironmentField = (environments: readonly string[]): FilterField => ({
  name: "env",
  label: "Environment",
  choices: [
    ...environments.filter((value) => value !== DEFAULT_ENV).map((value) => ({ value })),
    { value: "all", text: "all environments" },
  ],
  any: DEFAULT_ENV,
});
