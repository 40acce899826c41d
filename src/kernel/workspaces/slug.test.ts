import fc from "fast-check"
import { expect, test } from "vitest"
import { databaseSlug, SLUG_LENGTH_MAX, slug, taskName } from "./slug.ts"

test("keeps the words of a title, in plain letters", () => {
  expect(slug("  Crème brûlée: add the 2nd layer!  ")).toBe("creme-brulee-add-the-2nd-layer")
  expect(taskName(7, "Crème brûlée")).toBe("7-creme-brulee")
  expect(taskName(7, "修复")).toBe("7")
})

test("for every title, the slug is plain, short and a valid database name [29.4]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.nat(), (title, task) => {
      expect(slug(title)).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/)
      expect(slug(title).length).toBeLessThanOrEqual(SLUG_LENGTH_MAX)
      const named = { home: "/src/app", task, title, repo: "app" }
      expect(databaseSlug(named)).toMatch(/^[a-z][a-z0-9_]{0,39}$/)
    }),
  )
})

test("no two homes, tasks or repositories have the same slug, however alike their titles [29.4]", () => {
  const named = { home: "/src/app", task: 7, title: "Fix the typo", repo: "app" }
  expect(databaseSlug(named)).toMatch(/^t7_fix_the_typo_[0-9a-f]{8}$/)
  expect(databaseSlug(named)).toBe(databaseSlug({ ...named }))
  const others = [{ home: "/src/copy" }, { task: 8 }, { repo: "web" }]
  const slugs = others.map((other) => databaseSlug({ ...named, ...other }))
  expect(new Set([databaseSlug(named), ...slugs]).size).toBe(4)
})
