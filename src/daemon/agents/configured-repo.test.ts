import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { parseConfigText } from "../../api/client/config/config-file.ts"
import { configuredRepo } from "./configured-repo.ts"

test("a task keeps the gate of its repository, also when its name for it means another one [21.8]", () => {
  using repo = new TestRepo()
  using web = new TestRepo()
  const link = join(repo.folder, "link")
  symlinkSync(repo.path, link)
  const gateOf = (repos: object, name: string) => {
    const text = JSON.stringify({ version: 1, repos })
    const config = parseConfigText({ home: repo.path, path: "coppice.yml" }, text, {})
    return configuredRepo(repo.path, config, { name, path: repo.path }).gate
  }
  const app = { path: "../link", gate: "exit 7" }
  const other = { path: web.path, gate: "true" }
  expect(gateOf({ web: other, app }, "app")).toBe("exit 7")
  expect(gateOf({ app: other, main: app }, "app"), "the two names were swapped").toBe("exit 7")
  expect(gateOf({ web: other, main: app }, "app"), "it was renamed").toBe("exit 7")
  expect(gateOf({ app: { path: "moved", gate: "make" }, web: other }, "app")).toBe("make")
  expect(() => gateOf({ web: other, more: { path: "more" } }, "app")).toThrow("`repos.app`")
})
