import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { expect, test } from "vitest"

const SRC = fileURLToPath(new URL("../..", import.meta.url))
const LIST = `
  const { readDashboard } = await import(process.argv[1])
  console.log(JSON.stringify([...readDashboard()].map(([name, bytes]) => [name, String(bytes)])))
`

test("the dashboard is found where the installation's path has a space and a percent sign", () => {
  using root = mkdtempDisposableSync(join(tmpdir(), "coppice-dashboard-"))
  const installed = join(root.path, "p q", "50%25 ü")
  for (const name of ["api/server/dashboard-files.ts", "kernel/process", "base"])
    cpSync(join(SRC, name), join(installed, "src", name), { recursive: true })
  writeFileSync(join(installed, "package.json"), `{"type":"module"}`)
  mkdirSync(join(installed, "dist/dashboard/assets"), { recursive: true })
  writeFileSync(join(installed, "dist/dashboard/index.html"), "page")
  writeFileSync(join(installed, "dist/dashboard/assets/a b.js"), "script")
  const module = pathToFileURL(join(installed, "src/api/server/dashboard-files.ts")).href
  const args = ["--input-type=module", "--eval", LIST, module]
  const read = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
  expect(Object.fromEntries(read)).toEqual({ "index.html": "page", "assets/a b.js": "script" })
})
