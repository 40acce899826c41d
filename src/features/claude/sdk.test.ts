import { expect, test } from "vitest"
import { loadClaudeSdk } from "./sdk.ts"
import { claudeStdio } from "./stdio.ts"

test("the SDK is used where it is installed, and is not needed elsewhere", async () => {
  expect(await loadClaudeSdk()).toHaveProperty("createSdkMcpServer")
  expect(await loadClaudeSdk("/nowhere/coppice.js")).toBe(claudeStdio)
})
