/** Engines that fail, played by small scripts: each writes its calls into `calls`. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { askEngine } from "./container-engine.ts"
import { endLeftContainers, noteEngine } from "./left-containers.ts"
import { probeContainer } from "./probe-container.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** An engine; `script` sees its arguments. */
function engineOf(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "coppice-engine-"))
  folders.push(folder)
  const program = join(folder, "podman")
  const all = `#!/bin/sh\ncd ${folder}; echo "$*" >> calls\n${script}\n`
  writeFileSync(program, all, { mode: 0o700 })
  const calls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n")
  return { folder, program, calls }
}

test("containers that cannot be removed are removed at the start after the next [43.14]", async () => {
  const { folder, program, calls } = engineOf(
    "case $1 in ps) echo abc ;; rm) [ -e removable ] ;; esac",
  )
  noteEngine(folder, { name: "podman", program })
  await endLeftContainers(folder)
  writeFileSync(join(folder, "removable"), "")
  const before = calls().length
  await endLeftContainers(folder)
  expect(calls().slice(before).at(-1)).toMatch(/^rm .* abc$/)
  expect(existsSync(join(folder, "containers/podman"))).toBe(false)
})

test("a note that a full disk cut off stops no start", async () => {
  const { folder } = engineOf("")
  noteEngine(folder, { name: "docker", program: "" })
  await endLeftContainers(folder)
})

test("an engine that holds TERM back is ended", async () => {
  const { program } = engineOf("trap '' TERM; while :; do sleep 0.1; done")
  const answer = await askEngine(program, [], process.env, 300)
  expect(answer).toEqual({ refused: "it gave no answer within 0.3 s" })
})

test("a trial of an image that fails leaves no container", async () => {
  const { folder, calls } = engineOf(
    "case $1 in info) echo 4.3.1 false ;; image) echo id ;; run) exit 125 ;; esac",
  )
  const limits = { devcontainer: false, memory: undefined, cpus: undefined, pids: undefined }
  const config = { image: "any", engine: undefined, ...limits }
  const env = { PATH: `${folder}:${process.env["PATH"]}` }
  await expect(probeContainer(config, [], env)).rejects.toThrow("starts no container")
  const name = / --name (\S+) /.exec(calls().find((call) => call.startsWith("run ")) ?? "")?.[1]
  expect(calls().at(-1)).toMatch(new RegExp(`^rm .* ${name}$`))
})
