import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findOutdated, KNOWN_AGENTS } from "./known-agents.ts"

const DOCUMENT = join(import.meta.dirname, "../../docs/runtimes.md")

test("the documents name the oldest version of each known program", () => {
  const rows = readFileSync(DOCUMENT, "utf8").split("\n")
  for (const { name, oldest } of KNOWN_AGENTS) {
    const row = rows.find((line) => line.includes(`| \`run --agent ${name}\``))
    expect(row?.split("|")[2]?.trim()).toBe(`${oldest.major}.${oldest.minor}`)
  }
})

test.each([
  ["codex-cli 0.98.9", "0.98.9"],
  ["codex-cli 0.99.0", undefined],
  ["1.0.0", undefined],
  ["no version", undefined],
])("%j is outdated: %s", (said, version) => {
  const found = findOutdated(KNOWN_AGENTS.find(({ name }) => name === "codex")!, said)
  expect(found?.why).toBe(version && `codex ${version} is too old: Coppice needs 0.99 or newer`)
})
