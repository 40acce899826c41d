import { expect, test } from "vitest"
import { lacksForHosts } from "./contained-runtime.ts"

test("a list of hosts is refused where there are no namespaces, before the task starts [43.13]", () => {
  expect(lacksForHosts(["a.example"], "darwin")?.why).toContain("needs Linux")
  expect(lacksForHosts([], "darwin")).toBeDefined()
  for (const network of [true, false]) expect(lacksForHosts(network, "darwin")).toBeUndefined()
  expect(lacksForHosts(["a.example"], "linux")).toBeUndefined()
})
