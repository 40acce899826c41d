/** A login link is opened, and no other user sees it. */
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { waitFor } from "../../../test/support/wait-for.ts"
import { makeScratch } from "../../kernel/process/scratch-folder.ts"
import { openPage } from "./open-page.ts"

const LINK = "http://127.0.0.1:1/#/login/secret"

test.skipIf(process.platform !== "linux")(
  "the program that opens a login link gets a file of the user's own, and not the link [38.1]",
  async () => {
    using scratch = makeScratch()
    const program = join(scratch.path, "xdg-open")
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${scratch.path}/arguments\n`)
    chmodSync(program, 0o755)
    const env = { PATH: scratch.path, DISPLAY: ":0" }
    expect(await openPage(LINK, scratch.path, { PATH: scratch.path })).toBe(false)
    expect(await openPage(LINK, scratch.path, env)).toBe(true)
    const given = await waitFor("its arguments", () => findLine(join(scratch.path, "arguments")))
    expect(given).not.toContain("secret")
    const file = given.trim().replace("file://", "")
    expect(readFileSync(file, "utf8")).toContain(LINK)
    expect(statSync(file).mode & 0o077).toBe(0)
  },
)

/** The file is there before its text is. */
function findLine(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8")
    return text.endsWith("\n") ? text : undefined
  } catch {
    return undefined
  }
}
