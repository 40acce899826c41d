/** The token for a tracker, and the address that it goes to. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { findToken } from "./token.ts"

const NONE = { apiUrl: undefined, tokenVariable: undefined }

/** A PATH with a `gh` that is logged in to the host. */
function pathWithGh(host: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gh-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const script = `#!/bin/sh\nset -- "$@"\n[ "$1 $2 $4" = "auth token ${host}" ] && echo of-gh || exit 1\n`
  writeFileSync(join(folder, "gh"), script)
  chmodSync(join(folder, "gh"), 0o755)
  return folder
}

const find = (source: object, env: Readonly<Record<string, string>>) =>
  findToken({ ...NONE, ...source }, env, () => 0)()

test("the usual variables and `gh` serve github.com", async () => {
  expect(await find({}, { GH_TOKEN: "a", GITHUB_TOKEN: "b" })).toBe("a")
  expect(await find({}, { GITHUB_TOKEN: "b\n" })).toBe("b")
  expect(await find({}, { PATH: pathWithGh("github.com") })).toBe("of-gh")
  expect(await find({ tokenVariable: "GITHUB_BOT_TOKEN" }, { GITHUB_BOT_TOKEN: "c" })).toBe("c")
})

test("a token goes to no other address than its own [39.11]", async () => {
  const apiUrl = "https://ghe.example/api/v3"
  const env = { GH_TOKEN: "a", GITHUB_TOKEN: "b", PATH: pathWithGh("github.com") }
  await expect(find({ apiUrl }, env)).rejects.toMatchObject({ code: "source.refused" })
  expect(await find({ apiUrl }, { PATH: pathWithGh("ghe.example") })).toBe("of-gh")
  expect(await find({ apiUrl }, { ...env, GH_ENTERPRISE_TOKEN: "e" })).toBe("e")
  const none = { GH_ENTERPRISE_TOKEN: "e", PATH: pathWithGh("ghe.example") }
  await expect(find({}, none)).rejects.toMatchObject({ code: "source.refused" })
})

test("an unusable token is named, and not printed", async () => {
  const bad = find({}, { GH_TOKEN: "se cret" })
  await expect(bad).rejects.toThrow(/characters that no token has/)
  await expect(bad).rejects.not.toThrow(/se cret/)
  await expect(find({ tokenVariable: "GITHUB_X_TOKEN" }, {})).rejects.toThrow("GITHUB_X_TOKEN")
})
