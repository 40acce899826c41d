import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { checkClaude } from "./claude-check.ts"

const scratch = mkdtempSync(join(tmpdir(), "coppice-claude-"))
afterAll(() => rmSync(scratch, { recursive: true }))

const program = join(scratch, "claude")
writeFileSync(program, "the doctor only searches for this, and never runs it")
chmodSync(program, 0o755)

test("the program on the PATH is found, and one that is named goes before it", () => {
  expect(checkClaude({ PATH: `/nowhere:${scratch}` })).toMatchObject({ state: "ok", text: program })
  const named = { PATH: "/nowhere", COPPICE_CLAUDE: program }
  expect(checkClaude(named)).toMatchObject({ state: "ok", text: program })
})

test("a name that leads to no program is a failure, not a reason to look further", () => {
  const wrong = { PATH: scratch, COPPICE_CLAUDE: join(scratch, "gone") }
  expect(checkClaude(wrong)).toMatchObject({ state: "failed", text: /COPPICE_CLAUDE/ })
})

test("a folder of that name is no program", () => {
  const bin = join(scratch, "bin")
  mkdirSync(join(bin, "claude"), { recursive: true })
  expect(checkClaude({ PATH: bin }).text).not.toContain(bin)
})
