import { expect, test } from "vitest"
import { lacksOnPlatform } from "./contained-runtime.ts"
import type { Network } from "./rules/allowed-hosts.ts"

test("a list of hosts is refused where there are no namespaces, before the task starts [43.13]", () => {
  const lacks = (network: Network, platform: string) =>
    lacksOnPlatform({ by: "container", network }, platform)
  expect(lacks(["a.example"], "darwin")?.why).toContain("a list of hosts")
  expect(lacks([], "darwin")).toBeDefined()
  for (const network of [true, false]) expect(lacks(network, "darwin")).toBeUndefined()
  expect(lacks(["a.example"], "linux")).toBeUndefined()
})

test("a sandbox is refused on macOS, before the task starts, and a container named [43.13]", () => {
  const lacks = (platform: string) => lacksOnPlatform({ by: "sandbox", network: true }, platform)
  expect(lacks("darwin")?.why).toBe("a sandbox needs Linux")
  expect(lacks("darwin")?.hints[0]).toContain("Use `container`")
  expect(lacks("linux")).toBeUndefined()
})
