import { expect, test } from "vitest"
import { withCommand } from "./own-command.ts"

test("a folder of ours stands at the end of PATH, and one that PATH would read as two does not", () => {
  expect(withCommand("/bin", "/state/x/bin")).toEqual({ PATH: "/bin:/state/x/bin" })
  expect(withCommand(undefined, "/state/x/bin")).toEqual({ PATH: "/state/x/bin" })
  expect(withCommand("/bin", "/state/x:y/bin")).toEqual({})
})
