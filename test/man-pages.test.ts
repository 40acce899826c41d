/** The man pages of the package: one for each command and topic, and none that man warns of. */
import { spawnSync } from "node:child_process"
import { describe, expect, test } from "vitest"
import { manPages } from "../scripts/man-pages.ts"
import { COMMANDS } from "../src/surfaces/cli/commands.ts"
import { TOPICS } from "../src/surfaces/cli/topics.ts"

const pages = await manPages("1.2.3")
const hasGroff = spawnSync("groff", ["--version"]).status === 0

test("there is a man page for each command and each topic [35.12]", () => {
  expect([...pages.keys()].sort()).toEqual(
    [
      "coppice.1",
      ...COMMANDS.map(({ name }) => `coppice-${name.replaceAll(" ", "-")}.1`),
      ...TOPICS.map(({ name }) => `coppice-${name}.7`),
    ].sort(),
  )
  expect(pages.get("coppice-land.1")).toContain("\\fB\\-\\-dry\\-run\\fR")
})

describe.skipIf(!hasGroff)("groff", () => {
  test.each([...pages])("sets %s without a warning [35.12]", (_, page) => {
    const args = ["-ww", "-man", "-Tutf8", "-K", "utf8", "-z"]
    const { stderr, status } = spawnSync("groff", args, { input: page, encoding: "utf8" })
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
  })
})
