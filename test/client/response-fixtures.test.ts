/** The responses for scripted services. */
import { expect, test } from "vitest";
import { requireResponses, responseBodies } from "./response-fixtures.ts";

test("an endpoint without a response names the file to change", () => {
  const { listGames, ...others } = responseBodies;
  expect(() => requireResponses(others).listGames).toThrow(
    "No response of listGames. Add a minimal valid one to `bodies` in test/client/response-fixtures.ts.",
  );
  expect(requireResponses({ listGames }).listGames).toHaveProperty("games");
});
