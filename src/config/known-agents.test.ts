import { expect, test } from "vitest"
import { findOutdated, KNOWN_AGENTS } from "./known-agents.ts"

test.each([
  ["codex-cli 0.98.9", "0.98.9"],
  ["codex-cli 0.99.0", undefined],
  ["1.0.0", undefined],
  ["no version", undefined],
])("%j is outdated: %s", (said, version) => {
  const found = findOutdated(KNOWN_AGENTS.find(({ name }) => name === "codex")!, said)
  expect(found?.why).toBe(version && `codex ${version} is too old: Coppice needs 0.99 or newer`)
})
