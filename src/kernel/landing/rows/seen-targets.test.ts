import { expect, test } from "vitest"
import type { Oid, RefName } from "../../../base/ids.ts"
import { openDb } from "../../store/open.ts"
import { isLandedThere } from "./seen-targets.ts"

test("an index finds the landing of a commit, however many landings a target has had", () => {
  const db = openDb(":memory:")
  const texts: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((text: string) => {
    texts.push(text)
    return prepare(text)
  }) as typeof db.prepare
  const target = "refs/heads/main" as RefName
  expect(isLandedThere(db, { path: "/app", target, commit: "c" as Oid })).toBe(false)
  const plan = prepare(`explain query plan ${texts[0]}`).all({
    path: "/app",
    target,
    commit: "c",
    from: null,
  }) as { detail: string }[]
  expect(plan.map(({ detail }) => detail).join()).toContain("path=? AND target=? AND candidate=?")
})
