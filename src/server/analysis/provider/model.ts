/** The model that writes for an account. */
import type { Db, ProviderRow } from "../../db/schema.ts";
import { BUILTIN } from "./builtin.ts";
import { findProvider } from "./queries.ts";

/** The account's chat model; null where it has none, or chose the built-in provider, with which the rules write. */
export async function findChatModel(db: Db, accountId: string): Promise<ProviderRow | null> {
  const provider = await findProvider(db, accountId, "chat");
  return provider && provider.base_url !== BUILTIN ? provider : null;
}
