/** Finds an experiment by its name. */
import type { Client } from "../../../client/client.ts";
import type { Experiment, listGameExperiments } from "../../../contract/experiments.ts";
import { suggestSimilar } from "../../../shared/similar-names.ts";
import { slugify } from "../../../shared/slugs.ts";
import { fail } from "../../errors.ts";
import { formatFlag } from "../../suggested-commands.ts";

type ListClient = Client<{ listGameExperiments: typeof listGameExperiments }>;

/** Maximum number of names in an error. */
const MAX_LISTED = 10;

const ID_PREFIX = "exp_";

/**
 * The id of the experiment with this name, or the only one with this word in its name or its variants, ignoring case. An
 * argument that begins like an id is returned unchanged. Throws `not_found` with the names of the game's experiments, and
 * `usage` if several experiments match.
 */
export async function resolveExperiment(
  client: ListClient,
  word: string,
  requireGame: () => Promise<string>,
): Promise<string> {
  if (word === "" || word.startsWith(ID_PREFIX)) return word;
  const game = await requireGame();
  const { experiments } = await client.listGameExperiments({ id: game });
  const matches = selectByName(experiments, word);
  const [only, ...others] = matches;
  if (only === undefined) throw unknownName(word, game, experiments);
  if (others.length > 0) {
    const same = matches.every(({ name }) => fold(name) === fold(word));
    const found = matches.map(({ id, name, status }) => (same ? `${id} (${status})` : `${id} (${name})`));
    throw fail("usage", {
      message: `${matches.length} experiments of game ${JSON.stringify(game)} ${same ? "are named" : "match"} ${JSON.stringify(word)}: ${list(found)}`,
      hint: "Specify the id of one of them.",
    });
  }
  return only.id;
}

const fold = (text: string) => text.normalize("NFC").toLowerCase();

/**
 * The experiments that a text names: exactly, or else in another case, or else by the beginning of the name, or else by a word
 * of the name or a variant.
 */
function selectByName(experiments: readonly Experiment[], word: string): readonly Experiment[] {
  const slug = slugify(word);
  const matchers: ((experiment: Experiment) => boolean)[] = [
    ({ name }) => name === word,
    ({ name }) => fold(name) === fold(word),
    ({ name }) => `${slugify(name)}-`.startsWith(`${slug}-`),
    ({ name, variants }) =>
      [...slugify(name).split("-"), ...variants.map(({ key }) => slugify(key))].includes(slug),
  ];
  for (const matches of matchers) {
    const found = experiments.filter(matches);
    if (found.length > 0) return found;
  }
  return [];
}

function unknownName(word: string, game: string, experiments: readonly Experiment[]) {
  const suggestion = suggestSimilar(
    word,
    experiments.map(({ name }) => name),
    "experiments",
  );
  const command = `Run \`playtest experiments list${formatFlag("--game", game)}\` to see their ids.`;
  return fail("not_found", {
    message: `Not found: experiment ${JSON.stringify(word)} of game ${JSON.stringify(game)}`,
    hint: suggestion === null ? "The game has no experiments." : `${suggestion} ${command}`,
  });
}

const list = (items: readonly string[]) =>
  items.length <= MAX_LISTED
    ? items.join(", ")
    : `${items.slice(0, MAX_LISTED).join(", ")} and ${items.length - MAX_LISTED} more`;
