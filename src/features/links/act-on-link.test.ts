/** Which addresses in notifications still work. */
import { expect, test } from "vitest"
import { addSampleTask, forceState, putInReview, SEEN } from "../../../test/support/store.ts"
import type { World } from "../../base/world.ts"
import type { StoredEvent } from "../../kernel/store/appended-rows.ts"
import { openDb } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import { approve } from "../../kernel/tasks/actions/approve.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { askQuestion } from "../../kernel/tasks/rows/questions/ask.ts"
import { findOpenLink } from "./act-on-link.ts"
import { noticeLinks } from "./notice-links.ts"
import { LINK_MS } from "./rules.ts"

function reviewed() {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db, { land: "approve" })
  putInReview(db, findTask(db, id)!)
  forceState(db, id, "in_approval")
  let nowMs = 1_000
  const world: World = { nowMs: () => nowMs, dice: () => 0, point: () => {} }
  const fleet = { db, world }
  const links = (seq = 7, data: object = {}) => {
    const event = { seq, data } as StoredEvent
    return noticeLinks(fleet, { task: findTask(db, id)!, origin: "https://c.example", event })
  }
  const codes = (seq?: number, data?: object) =>
    Object.fromEntries(
      links(seq, data).actions.map(({ action, url }) => [action, url.split("/act/")[1]!]),
    )
  const check = (code = "") => {
    try {
      return findOpenLink(fleet, code).link.action
    } catch (error) {
      return (error as { code?: string }).code
    }
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { db, id, fleet, links, codes, check, pass }
}

test("a repetition of a message has the same addresses, and another message has others [41.8]", () => {
  const { codes, links } = reviewed()
  expect(Object.keys(codes())).toEqual(["approve", "reject"])
  expect(codes()).toEqual(codes())
  expect(codes(8)["approve"]).not.toBe(codes()["approve"])
  expect(links().page).toBe("https://c.example/#/task/1")
})

test("an address works for three days [41.9]", () => {
  const { codes, check, pass } = reviewed()
  const { approve, reject } = codes()
  pass(LINK_MS - 1)
  expect(check(approve)).toBe("approve")
  pass(1)
  expect(check(approve)).toBe("link.expired")
  codes(8) // removes the rows that have expired
  expect(check(reject)).toBe("link.expired")
})

test("an address is for this head on this base alone [41.9]", () => {
  const { db, codes, check, fleet, id } = reviewed()
  const code = codes()["approve"]
  sql(db, "update landing_repos set base = :base").run({ base: "c".repeat(40) })
  expect(check(code)).toBe("link.stale")
  sql(db, "update landing_repos set base = :base, head = :head").run({
    base: SEEN.base,
    head: "d".repeat(40),
  })
  expect(check(code)).toBe("link.stale")
  sql(db, "update landing_repos set head = :head").run({ head: SEEN.head })
  expect(check(code)).toBe("approve")
  approve(fleet, findTask(db, id)!)
  expect(check(code)).toBe("link.stale")
})

test("a message about a question offers an answer to that one [41.8]", () => {
  const { db, id, codes, check } = reviewed()
  const ask = (text: string) => {
    const asked = { task: id, turn: 1, kind: "question", choices: [], subject: null } as const
    return askQuestion(db, { ...asked, text }, 1_000).id
  }
  ask("first?")
  const { answer: first } = codes(8)
  const { answer: second } = codes(9, { question: ask("second?") })
  expect([check(first), check(second)]).toEqual(["answer", "answer"])
  sql(db, "update questions set answer = 'x' where text = 'second?'").run()
  expect([check(first), check(second)]).toEqual(["answer", "link.stale"])
})

test("a deleted task has no address that works [41.9]", () => {
  const { db, codes, check } = reviewed()
  const code = codes()["approve"]
  sql(db, "delete from tasks").run()
  expect(check(code)).toBe("link.expired")
})
