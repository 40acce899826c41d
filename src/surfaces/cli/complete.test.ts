import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Fleet } from "../../../test/support/fleet.ts"
import { LAUNCHER } from "../../../test/support/home.ts"
import { COMMANDS } from "./commands.ts"
import { complete } from "./complete.ts"
import { SHELLS } from "./completion-scripts.ts"

const NAMES = {
  tasks: [
    { id: "12", title: "Fix\tthe parser", state: "working" },
    { id: "1", title: "Add a test", state: "complete" },
  ],
  agents: ["claude", "lint$(er)"],
  repos: ["app"],
}
const place = { cwd: import.meta.dirname, env: process.env, readNames: async () => NAMES }
const valuesAfter = async (...words: string[]) =>
  (await complete(words, place)).candidates.map(({ value }) => value)

describe("completion knows", () => {
  test("every command, by its words [35.11]", async () => {
    const names = COMMANDS.map(({ name }) => name.split(" "))
    expect(new Set(await valuesAfter(""))).toEqual(
      new Set([...names.map(([first]) => first), "help", "version"]),
    )
    for (const [first, second] of names)
      if (second) expect(await valuesAfter(first!, "")).toContain(second)
    expect(await valuesAfter("help", "exit")).toEqual(["exit-codes"])
  })

  test("every option of every command, and its values [35.11]", async () => {
    for (const { name, load } of COMMANDS) {
      const { command } = await load()
      const found = await valuesAfter(...name.split(" "), "--")
      for (const option of [...Object.keys(command.options), "home", "json", "help"])
        expect(found).toContain(`--${option}`)
    }
    expect(await valuesAfter("run", "--land", "")).toEqual(["merge", "approve", "pr", "none"])
    expect(await valuesAfter("run", "--land=m")).toEqual(["--land=merge"])
    expect(await valuesAfter("run", "--land", "=", "m")).toEqual(["merge"])
    expect(await valuesAfter("ls", "--state", "st")).toEqual(["stuck"])
    expect(await complete(["run", "--home", ""], place)).toMatchObject({ paths: "folders" })
  })

  test("tasks with their titles on one line, and agents that need no quotes [35.11]", async () => {
    expect((await complete(["show", ""], place)).candidates).toEqual([
      { value: "12", about: "working: Fix the parser" },
      { value: "1", about: "complete: Add a test" },
    ])
    expect(await valuesAfter("cancel", "12", "1")).toEqual(["12", "1"])
    expect(await valuesAfter("show", "12", "")).toEqual([])
    expect(await valuesAfter("run", "--agent", "")).toEqual(["claude"])
  })
})

/** How each shell is asked for what follows the words. */
const ASK: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `eval "$(coppice completion bash)"
    COMP_WORDS=(coppice "$@"); COMP_CWORD=$#; COMP_TYPE=9; _coppice
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { : }
    _describe() { local item; for item in "\${(@P)3}"; do print -r -- "\${item%%:*}"; done }
    source <(coppice completion zsh)
    words=(coppice "$@"); CURRENT=$#words; _coppice; true`,
  fish: `coppice completion fish | source
    complete -C "coppice $argv" | string split -f1 \\t; true`,
}
const isThere = (shell: string) => {
  try {
    execFileSync(shell, ["-c", "true"])
    return true
  } catch {
    return false
  }
}

describe("in a real shell", () => {
  let fleet: Fleet
  let id: string
  let env: Record<string, string>
  beforeAll(async () => {
    fleet = new Fleet({ sh: { landing: { mode: "none" } } })
    ;({ id } = await fleet.until(await fleet.start("true", "--title", "Say; $(touch oops)")))
    await fleet.coppice("down")
    const bin = join(fleet.home.path, "bin")
    mkdirSync(bin)
    const program = `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`
    writeFileSync(join(bin, "coppice"), program, { mode: 0o755 })
    env = { ...fleet.env, PATH: `${bin}:${fleet.env["PATH"]}` }
  })
  afterAll(() => fleet[Symbol.asyncDispose]())

  test.for(SHELLS)(
    "the script of %s completes, and starts no daemon [35.11]",
    async (shell, { skip }) => {
      if (!isThere(shell)) return skip("it is not installed")
      const options = { cwd: fleet.repo.path, env, encoding: "utf8" } as const
      const dash = shell === "fish" ? [] : [shell]
      const ask = (...words: string[]) =>
        execFileSync(shell, ["-c", ASK[shell], ...dash, ...words], options)
          .split("\n")
          .filter(Boolean)

      expect(ask("wor")).toEqual(["worktree"])
      expect(ask("show", "")).toContain(id)
      expect(ask("run", "--agent", "s")).toEqual(["sh"])
      expect(ask("diff", "--ta").every((one) => one.startsWith("--ta"))).toBe(true)
      expect(await fleet.coppice("status")).toMatchObject({ stdout: /not running/ })
      expect(fleet.repo.git("status", "--porcelain")).toBe("")
    },
  )
})

test("the scripts are valid, and another shell is refused [35.11]", async () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [LAUNCHER, ...args], { encoding: "utf8" })
  expect(execFileSync("bash", ["-n"], { input: run("completion", "bash") }).toString()).toBe("")
  expect(JSON.parse(run("completion", "zsh", "--json"))).toMatchObject({ shell: "zsh" })
  expect(() => run("completion", "csh")).toThrow(/bash, zsh, fish/)
})
