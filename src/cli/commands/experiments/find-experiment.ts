/** Finds an experiment by its name. */
import type { Client } from "../../../client/client.ts";
import type { Experiment, listGameExperiments } from "../../../contract/experiments.ts";
import { suggestSimilar } from "../../../shared/similar-names.ts";
import { fail } from "../../errors.ts";
import { formatFlag } from "../../suggested-commands.ts";

type ListClient = Client<{ listGameExperiments: typeof listGameExperiments }>;

/** Maximum number of names in an error. */
const MAX_LISTED = 10;

const ID_PREFIX = "exp_";

/** An experiment's id, and its name if the argument was a name. */
interface FoundExperiment {
  readonly id: string;
  readonly name?: string;
}

/**
 * The experiment with this name, ignoring case. An argument that begins like an id is returned unchanged. Throws
 * `not_found` with the names of the game's experiments, and `usage` if several experiments have the name.
 */
export async function resolveExperiment(
  client: ListClient,
  word: string,
  requireGame: () => Promise<string>,
): Promise<FoundExperiment> {
  if (word === "" || word.startsWith(ID_PREFIX)) return { id: word };
  const game = await requireGame();
  const { experiments } = await client.listGameExperiments({ id: game });
  const matches = selectByName(experiments, word);
  const [only, ...others] = matches;
  if (only === undefined) throw unknownName(word, game, experiments);
  if (others.length > 0) {
    throw fail("usage", {
      message: `${matches.length} experiments of game ${JSON.stringify(game)} are named ${JSON.stringify(word)}: ${list(matches.map(({ id, status }) => `${id} (${status})`))}`,
      hint: "Specify the id of one of them.",
    });
  }
  return { id: only.id, name: only.name };
}

/** The experiments with exactly this name, or if there are none, those whose name differs only in case. */
function selectByName(experiments: readonly Experiment[], word: string): Experiment[] {
  const exact = experiments.filter(({ name }) => name === word);
  const fold = (text: string) => text.normalize("NFC").toLowerCase();
  return exact.length > 0 ? exact : experiments.filter(({ name }) => fold(name) === fold(word));
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
