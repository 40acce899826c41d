import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { TestFolder } from "../../../test/support/store.ts"
import { readConfigFile } from "../../api/client/config/config-file.ts"
import { parseConfig } from "../../config/parse.ts"
import { findForInit, initHome } from "./init-home.ts"

test("a source of WORKFLOW.md is a comment, which is valid without its marks", async () => {
  using base = new TestFolder()
  const place = { home: base.path, repo: base.path, configPath: null }
  const head = "tracker: { kind: github, provider: { repo: acme/app } }"
  writeFileSync(join(base.path, "WORKFLOW.md"), `---\n${head}\n---\n\nDo it.\n`)
  const found = await findForInit(place, process.env)
  const text = readFileSync(initHome(place, found), "utf8")
  expect(parseConfig(text, {}, "app")).toMatchObject({ kind: "ok", config: { sources: [] } })
  const open = text.replace(/^# (?=sources:| )/gm, "")
  writeFileSync(join(base.path, "coppice.yml"), open)
  const sources = [{ name: "github", project: "acme/app", prompt: "Do it." }]
  expect(readConfigFile(place, {})).toMatchObject({ sources })
})

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
