import { expect, test } from "vitest"
import { drivenBy, findKnownAgent, findOutdated, KNOWN_AGENTS } from "./known-agents.ts"

test.each([
  ["codex-cli 0.98.9", "0.98.9"],
  ["codex-cli 0.99.0", undefined],
  ["1.0.0", undefined],
  ["no version", undefined],
])("%j is outdated: %s", (said, version) => {
  const found = findOutdated(KNOWN_AGENTS.find(({ name }) => name === "codex")!, said)
  expect(found?.why).toBe(version && `codex ${version} is too old: Coppice needs 0.99 or newer`)
})

test("an older codex is driven by another runtime, which the hint names", () => {
  const codex = findKnownAgent("codex")!
  expect(findOutdated(codex, "codex-cli 0.63.0")?.hint).toContain("`runtime: codex-exec`")
  expect(findOutdated(codex, "codex-cli 0.62.0")?.hint).not.toContain("codex-exec")
  expect(findOutdated(drivenBy(codex, "codex-exec"), "codex-cli 0.63.0")).toBeUndefined()
  expect(findOutdated(drivenBy(codex, "codex-exec"), "codex-cli 0.62.0")).toBeDefined()
  expect(findOutdated(drivenBy(codex, "codex"), "codex-cli 0.63.0")).toBeDefined()
})
