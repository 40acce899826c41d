import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestFolder } from "../../test/support/store.ts"
import { parseConfig } from "../core/config/parse.ts"
import { initHome } from "./init-home.ts"

test.each([
  ["app", "app"],
  ["2024.10", "2024.10"],
  ["007", "007"],
  ["1e3", "1e3"],
  ["null", "null"],
  ["naïve app!", "naive-app"],
])("the repository in a folder %s is named %s, whatever YAML would read there", (folder, name) => {
  using base = new TestFolder()
  const home = join(base.path, folder)
  mkdirSync(home)
  const text = readFileSync(initHome({ home, repo: home, configPath: null }), "utf8")
  const parsed = parseConfig(text, {}, folder)
  expect(parsed).toMatchObject({ kind: "ok", config: { repos: [{ name }] } })
})
