/** The lines that `npm run prove` breaks on purpose still exist. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, test } from "vitest"
import { MUTATIONS } from "../prove/mutations.ts"

const ROOT = resolve(import.meta.dirname, "..")

test.each(MUTATIONS)("law $law: the line whose change means that $breaks is there once", (one) => {
  const parts = readFileSync(join(ROOT, one.file), "utf8").split(one.find)
  expect(parts).toHaveLength(2)
  expect(one.tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
