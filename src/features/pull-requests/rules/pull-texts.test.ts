import { expect, test } from "vitest"
import { fillBody, fillTitle } from "./pull-texts.ts"

const NASTY = "\x1b[2J\u202e\u2066\u200b\u{e0041}\x9b"
const words = {
  title: `t${NASTY}`,
  task: 7,
  workItem: `w${NASTY}`,
  summary: `a${NASTY}\nb {title}`,
}

test("a pull request holds no character of its agent that a reviewer cannot see [36.1]", () => {
  expect(fillTitle("{title} of {workItem}", words)).toBe("t of w")
  expect(fillTitle("{workItem}", { ...words, workItem: null }), "a title is never empty").toBe("t")
  expect(fillBody("{summary}\n{task} {other}", words)).toBe("a\nb {title}\n7 {other}")
})

test("an agent's words mention no person and are no links; a person's template may have both [36.4]", () => {
  const said = {
    ...words,
    summary: "cc @boss, see https://forge.example/a/b/issues/1 (a@b.example)",
  }
  const body = fillBody("Thanks @team: {summary}", said)
  expect(body).toMatch(/^Thanks @team: cc @\u200bboss, see https:\/\u200b\/forge/)
  expect(body.match(/@\w+|:\/\//g)).toEqual(["@team"])
})
