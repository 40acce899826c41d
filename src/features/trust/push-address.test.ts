import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { defaultConfig } from "../../config/parse.ts"
import { readRemote } from "../../kernel/git/ask/remote-branch.ts"
import { hashAddresses } from "../../kernel/landing/hash-addresses.ts"
import { listAddresses, NO_ADDRESS } from "./push-address.ts"

test.each([
  { what: "one address", settings: [["url", "/srv/a.git"]] },
  { what: "two ways", settings: ["url", "pushurl"].map((key) => [key, `/srv/${key}.git`]) },
  { what: "a space at the end", settings: [["url", "/srv/a.git "]] },
  { what: "several addresses", settings: ["a", "b"].map((name) => ["url", `/srv/${name}.git`]) },
  { what: "none", settings: [] },
])("a person approves the address that the daemon pushes to: $what", async ({ settings }) => {
  using repo = new TestRepo()
  for (const [key, value] of settings)
    repo.git("config", "--add", `remote.origin.${key}`, `${value}`)
  const config = defaultConfig("app")
  const approved = Object.fromEntries(config.repos.map(({ path }) => [path, NO_ADDRESS]))
  const [one] = await listAddresses(repo.path, config, process.env, approved)
  const remote = await readRemote(repo.path, "origin")
  expect(one?.found).toBe(remote ? hashAddresses(remote) : NO_ADDRESS)
})
