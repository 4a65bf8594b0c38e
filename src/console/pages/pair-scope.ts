/** The two builds that a page compares, and how to choose them. */
import { MIN_COMPARED_TESTERS } from "../../contract/build-order.ts";
import { fragment, type Markup } from "../../render/svg/element.ts";
import { describeSkipped, type NamedPair } from "../../shared/build-words.ts";
import { emptyNote } from "../details.ts";
import { buildChoices, filterForm, MAX_BUILD_CHOICES, toListEnv } from "../filter-form.ts";
import type { PageContent, PageContext, PageInput } from "../page.ts";
import { type PlayScope, readPlayScope } from "../play-scope.ts";
import { choosePair } from "./build-pair.ts";

export interface PairScope extends PlayScope {
  readonly pair: NamedPair;
  /** The address with both builds, for links and forms. */
  readonly input: Pick<PageInput, "path" | "search">;
}

interface PairAddress extends Pick<PageInput, "path" | "search"> {
  readonly params: { readonly game: string };
  readonly query: {
    readonly a?: string | undefined;
    readonly b?: string | undefined;
    readonly env?: string | undefined;
  };
}

/** The builds that an address names; without any, the latest one and the one before it. */
export async function readPairScope(
  { params, query: { a, b, env }, path, search }: PairAddress,
  { call }: PageContext,
): Promise<PairScope> {
  const played = await readPlayScope(params.game, env, call);
  const pair = await choosePair({ a, b }, played, call);
  const shown = new URLSearchParams(search);
  for (const name of ["a", "b"] as const) if (pair[name] !== null) shown.set(name, pair[name]);
  return { ...played, pair, input: { path, search: shown } };
}

/** The page while fewer than two different builds are chosen. */
export function showChoice(scope: PairScope, title: string): PageContent {
  const {
    game,
    env,
    builds,
    fallback,
    pair: { a, b },
  } = scope;
  const where = env === "all" ? "" : ` in ${toListEnv(env)}`;
  const nothing =
    b === null
      ? `No build has sessions${where}.`
      : a === b
        ? `Both builds are ${b}.`
        : `There is no build before ${b}${where}.`;
  return {
    ...{ title, scope: { fallback } },
    body: fragment(
      pickers(scope),
      emptyNote(`${nothing} Choose two builds that testers have played, or another environment.`),
    ),
    command: ["builds", "list", "--game", game, "--limit", String(MAX_BUILD_CHOICES)],
    data: builds,
  };
}

/** Says which build the one before is, if that is not the one right before. */
export function skippedNote({ pair: { a, skipped } }: PairScope): Markup | null {
  const note = a === null ? null : describeSkipped({ version: a, skipped }, MIN_COMPARED_TESTERS);
  return note === null ? null : emptyNote(note.replaceAll("`", ""));
}

export function pickers({ builds: { items }, input }: PairScope): Markup {
  const choices = buildChoices(items);
  return filterForm(
    input,
    [
      { name: "a", label: "From build", choices, any: "the one before" },
      { name: "b", label: "To build", choices, any: "the latest" },
    ],
    { resets: false },
  );
}
