import { execFileSync } from "node:child_process"
import { cpSync, mkdtempDisposableSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"

test("without the SDK, the error says what to install", () => {
  using scratch = mkdtempDisposableSync(join(tmpdir(), "no-sdk-"))
  const folder = scratch.path
  const source = join(import.meta.dirname, "..")
  for (const name of ["core/errors.ts", "runtimes/errors.ts", "runtimes/claude-sdk.ts"])
    cpSync(join(source, name), join(folder, name))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  const code = `
    const { loadClaudeSdk } = await import(${JSON.stringify(join(folder, "runtimes/claude-sdk.ts"))})
    console.log(JSON.stringify(await loadClaudeSdk().catch((error) => error)))`
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
  })
  expect(JSON.parse(output)).toMatchObject({
    code: "runtime.missing",
    blame: "user",
    hints: [expect.stringContaining("npm install"), expect.any(String)],
  })
})
