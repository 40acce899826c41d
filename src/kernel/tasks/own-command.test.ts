import { expect, test } from "vitest"
import { withCommand } from "./own-command.ts"

test("our folder is at the end of PATH, unless PATH would read it as two", () => {
  expect(withCommand("/bin", "/state/x/bin")).toEqual({ PATH: "/bin:/state/x/bin" })
  expect(withCommand(undefined, "/state/x/bin")).toEqual({ PATH: "/state/x/bin" })
  expect(withCommand("/bin", "/state/x:y/bin")).toEqual({})
})
