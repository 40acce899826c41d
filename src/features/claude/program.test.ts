import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { chooseClaudeProgram } from "./program.ts"

const folder = mkdtempSync(join(tmpdir(), "program-"))
afterAll(() => rmSync(folder, { recursive: true }))

function program(name: string, mode = 0o755): string {
  const path = join(folder, name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, "#!/bin/sh\n")
  chmodSync(path, mode)
  return path
}

const mine = program("mine/claude")
const onPath = program("bin/claude")
program("plain/claude", 0o644)
const path = [join(folder, "nowhere"), join(folder, "plain"), join(folder, "bin")].join(":")

test("the variable comes first, then the PATH, then the program in the SDK", () => {
  const bundled = "/sdk/claude"
  const choose = (env: Record<string, string>) => chooseClaudeProgram({ env, bundled })
  expect(choose({ COPPICE_CLAUDE: mine, PATH: path })).toEqual({ kind: "found", path: mine })
  expect(choose({ PATH: path })).toEqual({ kind: "found", path: onPath })
  expect(choose({ PATH: join(folder, "plain") })).toEqual({ kind: "found", path: bundled })
  expect(choose({})).toEqual({ kind: "found", path: bundled })
})

test("a variable that names no program is reported, not skipped", () => {
  expect(
    chooseClaudeProgram({ env: { COPPICE_CLAUDE: "/gone/claude", PATH: path } }),
  ).toMatchObject({
    kind: "missing",
    message: "COPPICE_CLAUDE names no program: /gone/claude",
  })
})

test("the program in the SDK is found", () => {
  const bundled = expect.stringMatching(/claude-agent-sdk-.*\/claude$/)
  expect(chooseClaudeProgram({ env: {} })).toEqual({ kind: "found", path: bundled })
})
