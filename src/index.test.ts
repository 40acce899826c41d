import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { expectGenerated } from "../test/support/generated.ts"
import * as library from "./index.ts"

const NAMES_MAX = 20

/** Types leave no trace at run time, so the names are read from the text. */
function exportedNames(): string[] {
  const text = readFileSync(new URL("./index.ts", import.meta.url), "utf8")
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].map(([, list]) => list ?? "")
  const names = lists.flatMap((list) => list.split(","))
  return names
    .map((name) => name.replace(/\btype\b/, "").trim())
    .filter(Boolean)
    .sort()
}

test("the library stays small, and changes of its names are seen", async () => {
  const names = exportedNames()
  expect(names).toEqual(expect.arrayContaining(Object.keys(library)))
  expect(names.length).toBeLessThanOrEqual(NAMES_MAX)
  await expectGenerated("docs/generated/library.txt", `${names.join("\n")}\n`)
})
