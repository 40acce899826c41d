/** The view of a reviewer without a containment, wherever the state folder lies. */
import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempDisposableSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { makeScratch } from "../../kernel/process/scratch-folder.ts"
import { probeSandbox } from "./probe-sandbox.ts"
import { withReadOnlyView } from "./read-only-view.ts"

const missing = await probeSandbox(process.env["PATH"])

/** Prints each line of a script that succeeds in the view of a home with these folders. */
function succeedingWith(state: string, home: string) {
  using scratch = mkdtempDisposableSync(join(tmpdir(), "view-"))
  const at = (path: string) => join(realpathSync(scratch.path), path)
  for (const path of [home, `${state}/bin`, `${state}/agents/2`])
    mkdirSync(at(path), { recursive: true })
  writeFileSync(at(`${state}/daemon.json`), "token")
  symlinkSync(at(state), at("link"))
  const view = {
    homes: [],
    kept: [],
    locked: [at(home)],
    hidden: [at("link"), at("none")],
    readable: [at("link/bin")],
    writable: [at("link/agents/2")],
  }
  const lines = {
    token: `cat ${at(state)}/daemon.json`,
    "agent's folder": `touch ${at("link")}/agents/2/x`,
    bin: `ls ${at("link")}/bin`,
    write: `touch ${at(home)}/x`,
    outside: `touch ${dirname(at("link"))}/x`,
  }
  const script = Object.entries(lines).map(([name, line]) => `${line} >&2 && echo "${name}"`)
  const env = { PATH: process.env["PATH"] ?? "" }
  const shell = { command: "/bin/sh", args: ["-c", script.join("\n")], cwd: at(home), env }
  const { command, args } = withReadOnlyView(shell, view, at(state))
  return spawnSync(command, args, { env, encoding: "utf8" }).stdout.trim().split("\n")
}

test.skipIf(missing)(
  "a state folder inside the home is hidden, and its agent's own is not [47.10]",
  () => {
    expect(succeedingWith("home/.local/state", "home")).toEqual([
      "agent's folder",
      "bin",
      "outside",
    ])
  },
)

test.skipIf(missing)("a home inside the state folder is there, and read-only [47.10]", () => {
  expect(succeedingWith("state", "state/home")).toEqual(["agent's folder", "bin", "outside"])
})

test.skipIf(missing)(
  "another task's worktree may go while a reviewer starts, and one that stays is read-only [47.10]",
  () => {
    using scratch = mkdtempDisposableSync(join(tmpdir(), "view-"))
    const worktrees = realpathSync(scratch.path)
    const [stays, goes] = [join(worktrees, "stays"), join(worktrees, "goes")]
    for (const path of [stays, goes]) mkdirSync(path)
    const env = { PATH: process.env["PATH"] ?? "" }
    const shell = { command: "/bin/sh", args: ["-c", "touch x || echo locked"], cwd: stays, env }
    const none = { homes: [], kept: [], hidden: [], readable: [], writable: [] }
    const view = { ...none, locked: [worktrees, stays, goes] }
    const { command, args } = withReadOnlyView(shell, view, scratch.path)
    rmdirSync(goes)
    expect(spawnSync(command, args, { env, encoding: "utf8" }).stdout).toBe("locked\n")
  },
)

test.skipIf(missing)(
  "a reviewer reaches nothing that Coppice passes to git, made before or later [47.12]",
  () => {
    using early = makeScratch()
    using other = mkdtempDisposableSync(join(tmpdir(), "coppice-scratch-"))
    const env = { PATH: process.env["PATH"] ?? "" }
    const paths = () => [early.path, later.path, other.path].map((path) => join(path, "stdin"))
    const none = { homes: [], kept: [], locked: [], hidden: [], readable: [], writable: [] }
    const script = 'for path; do cat "$path" && echo evil > "$path"; done; touch /tmp/. && echo end'
    const shell = { command: "/bin/sh", args: ["-c", script, "sh"], cwd: "/", env }
    const { command, args } = withReadOnlyView(shell, none, early.path)
    using later = makeScratch()
    for (const path of paths()) writeFileSync(path, "create refs/heads/x")
    const { stdout } = spawnSync(command, [...args, ...paths()], { env, encoding: "utf8" })
    expect(stdout).toBe("end\n")
    for (const path of paths()) expect(readFileSync(path, "utf8")).toBe("create refs/heads/x")
  },
)
